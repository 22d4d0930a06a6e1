"""The directive that shows the cheat sheet."""

import pytest

from d2l_support.build.cheat_sheet import PATH
from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS

SHEET = """\
- task: Say it first
  section: part/demo
  step: first
  pytorch: |
    say('pytorch first')  # by d2l_support
  tensorflow: |
    say('tensorflow first')  # by d2l_support
  jax:
    step: second
    lines: say('jax second')
  mxnet: {why: It <says> nothing.}
- task: Elsewhere
  section: other/demo
  step: first
  pytorch: {why: no}
  tensorflow: {why: no}
  jax: {why: no}
  mxnet: {why: no}
"""
INDEX = """\
# Small book

```{toctree}
chapters/part/demo
```

```{cheat-sheet} part
```
"""
PLACE = "index.md:7: WARNING: "
GONE = f"{PATH}:6: cell 'first' (tensorflow): task 'Say it first': found the line "


@pytest.fixture
def sheet_book(small_book):
    """A small book whose first page shows the sheet of its one part."""
    small_book.write(str(PATH), SHEET)
    small_book.write("index.md", INDEX)
    return small_book


def show_lines(built, task: str = "task-say-it-first") -> list[str]:
    """What the page shows under a task, framework by framework."""
    lines = built.page("index").select(f"#{task} .cheat-line")
    return [line.select_one("pre, .cheat-why").get_text().strip() for line in lines]


def test_sheet_shows_the_tasks_of_its_part(sheet_book):
    built = sheet_book.build()
    assert built.warnings == []
    [task] = built.page("index").select(".cheat-sheet .cheat-task")
    assert task.select_one(".cheat-name").contents[0].strip() == "Say it first"
    assert show_lines(built) == [
        "say('pytorch first')  # by d2l_support",
        "say('tensorflow first')  # by d2l_support",
        "say('jax second')",
        "It <says> nothing.",
    ]
    marks = [line["class"][:2] for line in task.select(".cheat-line")]
    assert marks == [["cheat-line", f"of-{key}"] for key in ALL_KEYS]


def test_sheet_colours_code_as_cells_are(sheet_book):
    built = sheet_book.build()
    quoted = built.page("index").select_one(".cheat-line.of-jax .highlight")
    cell = built.tab("second", "jax").select_one(".cell_input .highlight")
    assert quoted.parent["class"] == cell.parent["class"]
    assert str(quoted.pre) == str(cell.pre)


def test_sheet_takes_lines_that_are_no_whole_python(sheet_book):
    cell = '\n```{code-cell} python\n:id: first\nx = (\n"""\na$"""\n)\n```\n'
    sheet_book.write_section(cell)
    task = SHEET.partition("- task: Elsewhere")[0].partition("  pytorch")[0]
    lines = "".join(f'  {key}: |\n    x = (\n    """\n' for key in ALL_KEYS)
    sheet_book.write(str(PATH), task + lines)
    sheet_book.record()
    built = sheet_book.build()
    assert built.warnings == []
    assert show_lines(built) == ['x = (\n"""'] * 4


def test_sheet_links_cells_and_section(sheet_book):
    page = sheet_book.build().page("index")
    links = page.select(".cheat-label a")
    assert [link["href"] for link in links] == [
        "chapters/part/demo.html?framework=pytorch#step-first",
        "chapters/part/demo.html?framework=tensorflow#step-first",
        "chapters/part/demo.html?framework=jax#step-second",
        "chapters/part/demo.html?framework=mxnet#step-first",
    ]
    assert [link.get_text() for link in links] == [
        f"{framework.label}: Say it first" for framework in FRAMEWORKS.values()
    ]
    section = page.select_one(".cheat-name a")
    assert (section["href"], section.get_text()) == ("chapters/part/demo.html", "Demo")


def test_sheet_of_a_nested_page_links_relatively(sheet_book):
    sheet_book.write(
        "index.md", "# Book\n\n```{toctree}\nback/sheet\nchapters/part/demo\n```\n"
    )
    sheet_book.write("back/sheet.md", "# Sheet\n\n```{cheat-sheet} part\n```\n")
    built = sheet_book.build()
    assert built.warnings == []
    hrefs = {link["href"] for link in built.page("back/sheet").select(".cheat-sheet a")}
    assert {href.partition("?")[0] for href in hrefs} == {"../chapters/part/demo.html"}


def test_sheet_shows_no_line_that_is_gone(sheet_book):
    sheet_book.write(str(PATH), SHEET.replace("'tensorflow first'", "'something'"))
    built = sheet_book.build()
    [warning] = built.warnings
    assert f"{PLACE}{GONE}" in warning
    assert warning.endswith("[book.sheet]")
    assert len(show_lines(built)) == 3
    assert "something" not in built.page("index").get_text()


def test_sheet_of_a_section_that_cannot_be_read_shows_nothing_of_it(sheet_book):
    sheet_book.write("chapters/part/demo.md", "# Demo\n")
    built = sheet_book.build()
    [warning] = built.warnings
    assert "chapters/part/demo.md" in warning
    assert show_lines(built) == []


def test_sheet_that_cannot_be_read_warns(sheet_book):
    sheet_book.write(str(PATH), "tasks: none\n")
    [warning] = sheet_book.build().warnings
    expected = f"{PLACE}{PATH}:1: found no list, expected a list of tasks. [book.sheet]"
    assert warning.endswith(expected)


@pytest.mark.parametrize("text", [None, SHEET.replace("part/demo", "other/demo")])
def test_sheet_of_a_part_without_tasks_warns(sheet_book, text):
    if text is None:
        (sheet_book.root / PATH).unlink()
    else:
        sheet_book.write(str(PATH), text)
    [warning] = sheet_book.build().warnings
    assert "found no task of the part 'part', expected some" in warning


def test_sheet_without_an_argument_warns(sheet_book):
    sheet_book.write("index.md", INDEX.replace("{cheat-sheet} part", "{cheat-sheet}"))
    [warning] = sheet_book.build().warnings
    assert "1 argument(s) required" in warning


def test_build_again_reads_no_sheet(sheet_book):
    sheet_book.build()
    assert sheet_book.build().read == []


def test_build_after_the_sheet_changed_shows_it(sheet_book):
    sheet_book.build()
    sheet_book.write(str(PATH), SHEET.replace("It <says> nothing", "It is quiet"))
    built = sheet_book.build()
    assert built.read == ["index"]
    assert show_lines(built)[3] == "It is quiet."


def test_build_after_a_first_sheet_shows_it(sheet_book):
    (sheet_book.root / PATH).unlink()
    assert len(sheet_book.build().warnings) == 1
    sheet_book.write(str(PATH), SHEET)
    built = sheet_book.build()
    assert built.warnings == []
    assert len(show_lines(built)) == 4


def test_build_after_a_quoted_cell_changed_warns(sheet_book):
    sheet_book.build()
    source = sheet_book.root / "chapters/part/demo.md"
    text = source.read_text().replace("say('tensorflow first')", "tell('it')")
    source.write_text(text)
    sheet_book.record()
    built = sheet_book.build()
    assert sorted(built.read) == ["chapters/part/demo", "index"]
    [warning] = built.warnings
    assert GONE in warning


@pytest.mark.parametrize("builder", ["text", "latex"])
def test_other_formats_show_the_sheet(sheet_book, builder):
    built = sheet_book.build(builder)
    assert built.warnings == []
    [path] = (
        built.out.glob("index.txt") if builder == "text" else built.out.glob("*.tex")
    )
    assert "jax second" in path.read_text(encoding="utf-8")
