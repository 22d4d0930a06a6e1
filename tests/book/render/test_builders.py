"""The extension under other builders, in parallel, and beside sphinx-thebe."""

import pytest

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS

PROSE = "\n".join(
    f'+++ {{"framework": "{key}"}}\n\nWords of {key}.\n' for key in ALL_KEYS
)
CODE = "```{{code-cell}} python\n:framework: {0}\n:id: first\nsay('{0}')\n```\n\n"


@pytest.fixture
def worded_book(small_book):
    """A book whose section has a step and prose in four frameworks."""
    small_book.write_section("".join(map(CODE.format, ALL_KEYS)) + PROSE)
    small_book.record()
    return small_book


@pytest.mark.parametrize(
    ("builder", "name"), [("text", "chapters/part/demo.txt"), ("latex", "book.tex")]
)
def test_builder_without_tabs_shows_every_variant(worded_book, builder, name):
    built = worded_book.build(builder)
    assert built.warnings == []
    text = (built.out / name).read_text(encoding="utf-8")
    place = -1
    for key in ALL_KEYS:
        for part in (FRAMEWORKS[key].label, "say", f"{key} printed first", "exact"):
            place = text.index(part, place + 1)
    for key in ALL_KEYS:
        for part in (FRAMEWORKS[key].label, f"Words of {key}."):
            place = text.index(part, place + 1)


def test_parallel_build_gives_the_same_pages(small_book):
    for number in range(6):
        text = (small_book.root / "chapters/part/demo.md").read_text(encoding="utf-8")
        small_book.write(f"chapters/part/more{number}.md", text)
    serial = small_book.build()
    page, warned = serial.page(), sorted(serial.warnings)
    small_book.forget()
    parallel = small_book.build(parallel=2)
    assert sorted(parallel.warnings) == warned
    assert len(parallel.read) == 8
    assert parallel.page() == page


def test_parallel_strict_build_of_good_book_succeeds(small_book):
    done = small_book.build_strictly("-j", "2")
    assert (done.returncode, done.stderr) == (0, "")


def test_thebe_leaves_no_trace(small_book):
    conf = (small_book.root / "conf.py").read_text(encoding="utf-8")
    small_book.write("conf.py", conf + 'extensions.append("sphinx_thebe")\n')
    built = small_book.build()
    assert built.warnings == []
    assert "thebe" not in str(built.page())
