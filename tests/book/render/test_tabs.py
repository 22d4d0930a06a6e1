"""The variants of a step as one tab set."""

import pytest

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS

CODE = "```{{code-cell}} python\n:framework: {}\n:id: first\n{}\n```\n\n"
LABELS = [framework.label for framework in FRAMEWORKS.values()]


def labels(tab_set) -> list[str]:
    """The labels of a tab set, in order."""
    return [label.get_text().strip() for label in tab_set.select(":scope > label")]


def test_group_variants_gives_one_tab_set_per_step(small_book):
    tab_sets = small_book.build().page().select(".framework-tabs")
    assert [tab_set["id"] for tab_set in tab_sets] == ["step-first", "step-second"]
    assert [labels(tab_set) for tab_set in tab_sets] == [LABELS, LABELS]


def test_group_variants_orders_tabs_whatever_the_source(small_book):
    order = ("mxnet", "jax", "pytorch", "tensorflow")
    small_book.write_section("".join(CODE.format(key, key) for key in order))
    small_book.record()
    built = small_book.build()
    [tab_set] = built.page().select(".framework-tabs")
    assert labels(tab_set) == LABELS
    assert built.output("first", "mxnet") == "mxnet printed first"


def test_group_variants_keeps_words_between_steps(small_book):
    steps = "".join(CODE.format(key, key) for key in ALL_KEYS)
    second = steps.replace(":id: first", ":id: second")
    small_book.write_section(f"Before.\n\n{steps}Between.\n\n{second}After.\n")
    small_book.record()
    section = small_book.build().page().select_one("section")
    pieces = section.select(":scope > :is(p, div):not(.book-live, .page-facts)")
    found = [piece.get("id") or piece.get_text() for piece in pieces]
    assert found == ["Before.", "step-first", "Between.", "step-second", "After."]


def test_group_variants_gives_shared_cell_four_tabs(small_book):
    small_book.write_section("```{code-cell} python\n:id: first\nn = 3\n```\n")
    small_book.record()
    built = small_book.build()
    assert built.warnings == []
    [tab_set] = built.page().select(".framework-tabs")
    assert labels(tab_set) == LABELS
    for key in ALL_KEYS:
        code = built.tab("first", key).select_one(".cell_input").get_text()
        assert code.strip() == "n = 3"
        assert built.output("first", key) == f"{key} printed first"


def test_group_variants_gives_cell_of_two_frameworks_both_tabs(small_book):
    small_book.write_section(
        CODE.format("[pytorch, jax]", "n = 3") + CODE.format("tensorflow, mxnet", "4")
    )
    small_book.record()
    built = small_book.build()
    shown = {
        key: built.tab("first", key).select_one("pre").get_text() for key in ALL_KEYS
    }
    assert {key: text.strip() for key, text in shown.items()} == {
        "pytorch": "n = 3",
        "tensorflow": "4",
        "jax": "n = 3",
        "mxnet": "4",
    }


@pytest.mark.parametrize("last", [True, False])
def test_group_variants_puts_words_in_their_tab(small_book, last):
    words = '+++ {"framework": "jax", "id": "first"}\n\nJAX has no such call.\n\n'
    codes = "".join(CODE.format(key, key) for key in ALL_KEYS if key != "jax")
    small_book.write_section(codes + words if last else words + codes)
    small_book.record("pytorch", "tensorflow", "mxnet")
    built = small_book.build()
    assert built.warnings == []
    [tab_set] = built.page().select(".framework-tabs")
    assert labels(tab_set) == LABELS
    assert built.tab("first", "jax").get_text().strip() == "JAX has no such call."
    assert built.page().select(".framework-prose, .prose-label") == []
    assert built.output("first", "mxnet") == "mxnet printed first"


def test_group_variants_puts_words_of_two_frameworks_in_both_tabs(small_book):
    words = '+++ {"framework": "jax, mxnet", "id": "first"}\n\nNothing to call.\n\n'
    codes = CODE.format("pytorch", "1") + CODE.format("tensorflow", "1")
    small_book.write_section(codes + words)
    small_book.record("pytorch", "tensorflow")
    built = small_book.build()
    for key in ("jax", "mxnet"):
        assert built.tab("first", key).get_text().strip() == "Nothing to call."


def test_group_variants_shows_rule_under_output(small_book):
    built = small_book.build()
    for key in ALL_KEYS:
        last = built.tab("first", key).select_one(".book-cell > :last-child")
        assert last["class"] == ["output-rule"]
        assert last.get_text() == "output: exact"


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (":compare: close\n:rtol: 1e-3", "output: within 0.001"),
        (":compare: close\n:atol: 0.5", "output: within 0.5 absolute"),
        (
            ":compare: statistical\n:band: 0.1\n:seeds: 20",
            "output: within a band of ±0.1 over 20 seeds",
        ),
        (":compare: informative\n:why: a timing", "output: not compared: a timing"),
    ],
)
def test_group_variants_shows_declared_rule(small_book, options, shown):
    cell = f"```{{code-cell}} python\n:id: first\n{options}\n1\n```\n"
    small_book.write_section(cell)
    small_book.record()
    rules = small_book.build().page().select(".output-rule")
    assert [rule.get_text() for rule in rules] == [shown] * 4


def test_group_variants_shows_no_rule_without_output(small_book):
    small_book.write_section("".join(CODE.format(key, key) for key in ALL_KEYS))
    page = small_book.build().page()
    assert len(page.select(".cell_input")) == 4
    assert page.select(".output-rule") == []


def test_group_variants_keeps_longest_ids_apart(small_book):
    step = "s" * 64
    small_book.write_section(f"```{{code-cell}} python\n:id: {step}\n1\n```\n")
    small_book.record()
    built = small_book.build()
    assert built.warnings == []
    for key in ALL_KEYS:
        assert built.output(step, key) == f"{key} printed {step}"
