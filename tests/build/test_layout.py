"""Where things are in a checkout, and what words of a command name."""

from pathlib import Path

import pytest

from d2l_support.build.layout import Book, SectionName, select_frameworks
from d2l_support.build.problems import CannotWork


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """A checkout with three sections in two parts."""
    (tmp_path / "_toc.yml").touch()
    for name in ("one/seeds", "one/workers", "two/hooks", "two/index"):
        path = tmp_path / "chapters" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return Book(tmp_path)


SEEDS = SectionName("one", "seeds")
WORKERS = SectionName("one", "workers")
HOOKS = SectionName("two", "hooks")


def test_find_goes_up_to_the_folder_with_the_toc(book: Book):
    assert Book.find(book.root / "chapters" / "one").root == book.root.resolve()


def test_find_starts_in_the_current_folder(book: Book, monkeypatch):
    monkeypatch.chdir(book.root / "chapters")
    assert Book.find().root == book.root.resolve()


def test_find_outside_a_checkout_says_where_to_run(tmp_path: Path):
    with pytest.raises(CannotWork) as raised:
        Book.find(tmp_path)
    assert str(raised.value) == (
        f"found no _toc.yml in {tmp_path.resolve()} or above it; "
        "run this command inside a checkout of the book"
    )


def test_sections_are_sorted_and_leave_out_index_pages(book: Book):
    assert book.sections() == [SEEDS, WORKERS, HOOKS]


def test_paths_of_a_section(book: Book):
    source = book.relative(book.source(SEEDS))
    record = book.relative(book.record(SEEDS, "jax"))
    assert source.as_posix() == "chapters/one/seeds.md"
    assert record.as_posix() == "chapters/one/recorded/seeds.jax.ipynb"


def test_paths_of_environments_lie_in_the_checkout(book: Book, monkeypatch):
    monkeypatch.delenv("D2L_ENVIRONMENTS", raising=False)
    assert book.environments == book.root / ".envs"
    assert book.jupyter == book.root / ".envs" / "jupyter"
    assert book.requirements("jax") == book.root / "requirements" / "jax.txt"


def test_environments_may_lie_elsewhere(book: Book, monkeypatch):
    monkeypatch.setenv("D2L_ENVIRONMENTS", "/elsewhere")
    assert book.environments == Path("/elsewhere")


def test_relative_leaves_a_path_outside_the_checkout(book: Book):
    assert book.relative(Path("/elsewhere/x")) == Path("/elsewhere/x")


@pytest.mark.parametrize(
    ("words", "sections"),
    [
        ([], [SEEDS, WORKERS, HOOKS]),
        (["hooks"], [HOOKS]),
        (["one"], [SEEDS, WORKERS]),
        (["one/workers"], [WORKERS]),
        (["chapters/one/seeds.md"], [SEEDS]),
        (["/somewhere/chapters/one/seeds.md"], [SEEDS]),
        (["hooks", "seeds", "two"], [HOOKS, SEEDS]),
    ],
)
def test_select_sections_by_section_part_or_file(book: Book, words, sections):
    assert book.select_sections(words) == sections


@pytest.mark.parametrize(
    ("word", "hint"), [("seed", "did you mean 'seeds'? "), ("zzz", "")]
)
def test_select_sections_unknown_lists_what_there_is(book: Book, word, hint):
    with pytest.raises(CannotWork) as raised:
        book.select_sections([word])
    assert str(raised.value) == (
        f"found no section {word!r}; {hint}sections: seeds, workers, hooks"
    )


def test_select_frameworks_nothing_means_all_four():
    assert select_frameworks(None) == ["pytorch", "tensorflow", "jax", "mxnet"]


def test_select_frameworks_gives_page_order():
    assert select_frameworks(["mxnet", "pytorch"]) == ["pytorch", "mxnet"]


def test_select_frameworks_unknown_lists_the_four():
    with pytest.raises(CannotWork) as raised:
        select_frameworks(["jax", "torch"])
    assert str(raised.value) == (
        "found framework 'torch', expected one of pytorch, tensorflow, jax, mxnet"
    )
