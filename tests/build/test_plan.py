"""Which runs a command line asks for."""

from argparse import Namespace

import pytest

from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.plan import plan_runs
from d2l_support.build.problems import CannotWork, ContentError
from d2l_support.build.record import made_with


def ask(*sections: str, framework: list[str] | None = None) -> Namespace:
    return Namespace(sections=list(sections), framework=framework)


def name_runs(runs) -> list[tuple[str, str]]:
    return [(str(run.name), run.framework) for run in runs]


def test_plan_runs_of_everything(tiny_book, write_section):
    write_section("other", one="print(1)")
    assert name_runs(plan_runs(ask(), tiny_book)) == [
        (f"part/{section}", key) for section in ("other", "section") for key in ALL_KEYS
    ]


def test_plan_runs_of_one_section_in_two_frameworks(tiny_book, write_section):
    write_section("other", one="print(1)")
    runs = plan_runs(ask("section", framework=["mxnet", "jax"]), tiny_book)
    assert name_runs(runs) == [("part/section", "jax"), ("part/section", "mxnet")]
    assert runs[0].digests == made_with(tiny_book, "jax", runs[0].section)


def test_plan_runs_leaves_out_a_framework_without_code(tiny_book, write_section):
    path = write_section(one=":framework: jax\nprint(1)")
    others = [key for key in ALL_KEYS if key != "jax"]
    words = [f'+++ {{"framework": "{key}", "id": "one"}}\n\nNone.\n' for key in others]
    path.write_text(path.read_text() + "\n" + "\n".join(words))
    assert name_runs(plan_runs(ask(), tiny_book)) == [("part/section", "jax")]


def test_plan_runs_collects_the_problems_of_every_source(tiny_book, write_section):
    write_section("other", one=":framework: jx\nprint(1)")
    write_section(one=":rtol: 1\nprint(1)")
    with pytest.raises(ContentError) as caught:
        plan_runs(ask(), tiny_book)
    assert [problem.path.name for problem in caught.value.problems] == [
        "other.md",
        "section.md",
    ]


def test_plan_runs_of_unknown_section(tiny_book):
    with pytest.raises(CannotWork, match="found no section 'sektion'; did you mean"):
        plan_runs(ask("sektion"), tiny_book)
