"""Prose of some frameworks: its label, its place, its line numbers."""

import pytest

from d2l_support.build.frameworks import ALL_KEYS

CODE = "```{{code-cell}} python\n:framework: {}\n:id: first\n1\n```\n"


def test_prose_carries_its_framework_and_label(small_book):
    small_book.write_section('+++ {"framework": "jax"}\n\nA key is a value.\n')
    [prose] = small_book.build().page().select(".framework-prose")
    assert prose["class"][:2] == ["framework-prose", "for-jax"]
    assert prose.select_one(".prose-label").get_text() == "JAX"
    assert prose.get_text().split("\n") == ["", "JAX", "A key is a value.", ""]


def test_prose_of_two_frameworks_carries_both(small_book):
    small_book.write_section('+++ {"framework": ["mxnet", "pytorch"]}\n\nWords.\n')
    [prose] = small_book.build().page().select(".framework-prose")
    assert {"for-pytorch", "for-mxnet"} <= set(prose["class"])
    assert prose.select_one(".prose-label").get_text() == "PyTorch, MXNet"


def test_prose_of_all_carries_no_framework(small_book):
    small_book.write_section('+++ {"framework": "jax"}\n\nOne.\n\n+++\n\nAll.\n')
    page = small_book.build().page()
    [prose] = page.select(".framework-prose")
    assert "All." not in prose.get_text()
    assert "All." in page.get_text()


def test_prose_keeps_directives_and_lists(small_book):
    body = "- one\n- two\n\n:::{note}\nRead this.\n:::\n\n```{math}\nx = 1\n```\n"
    small_book.write_section(f'+++ {{"framework": "jax"}}\n\n{body}')
    built = small_book.build()
    assert built.warnings == []
    [prose] = built.page().select(".framework-prose")
    assert [item.get_text() for item in prose.select("li")] == ["one", "two"]
    assert "Read this." in prose.select_one(".note").get_text()
    assert "x = 1" in prose.select_one(".math").get_text()


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("Words.\n\n{ref}`nowhere`\n", 10),
        ('+++ {"framework": "jax"}\n\nWords.\n\n{ref}`nowhere`\n', 12),
        ('+++ {"framework": "jax"}\n{ref}`nowhere`\n', 9),
        ('+++ {"framework": "jax"}\n\n\n\n{ref}`nowhere`\n', 12),
        ('+++ {"framework": "jax"}\n\n- one\n- {ref}`nowhere`\n', 11),
        ('+++ {"framework": "jax"}\n\nOne.\n\n+++\n\n{ref}`nowhere`\n', 14),
    ],
)
def test_warning_inside_prose_names_its_line(small_book, body, line):
    small_book.write_section(body)
    [warning] = small_book.build().warnings
    place = f"{small_book.root}/chapters/part/demo.md:{line}: WARNING: "
    assert warning.startswith(f"{place}undefined label: 'nowhere'")


def test_warning_inside_words_of_a_tab_names_its_line(small_book):
    words = '+++ {"framework": "jax", "id": "first"}\n\nNone.\n\n{ref}`nowhere`\n\n'
    codes = [CODE.format(key) for key in ALL_KEYS if key != "jax"]
    small_book.write_section(words + "".join(codes))
    small_book.record("pytorch", "tensorflow", "mxnet")
    [warning] = small_book.build().warnings
    assert warning.startswith(f"{small_book.root}/chapters/part/demo.md:12: WARNING: ")


def test_prose_of_a_depth_carries_it_and_its_label(small_book):
    marks = '{"depth": "researcher", "framework": "jax"}'
    small_book.write_section(f"+++ {marks}\n\nMore.\n")
    [prose] = small_book.build().page().select(".depth-prose")
    assert {"depth-researcher", "framework-prose", "for-jax"} <= set(prose["class"])
    assert prose.select_one(".prose-label").get_text() == "Researcher, JAX"


def test_step_of_one_depth_is_shown_at_that_depth(small_book):
    cells = [
        CODE.format(key).replace(":id: first", ":id: first\n:depth: researcher")
        for key in ALL_KEYS
    ]
    small_book.write_section("\n".join(cells))
    [tabs] = small_book.build().page().select(".framework-tabs")
    assert {"depth-prose", "depth-researcher"} <= set(tabs["class"])
