"""Four notebooks out of one section, and the section's cells back out of them."""

import json
from dataclasses import replace
from pathlib import Path

import jupytext
import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat import v4

from d2l_support.build.check import check_section
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.rules import Rule
from d2l_support.build.section import Cell, Section
from d2l_support.build.source import read_section
from d2l_support.build.split import merge_notebooks, split_code, split_section

PATH = Path("chapters/part/section.md")
SEEDS = Path(__file__).parents[2] / "chapters" / "reproducibility" / "seeds.md"
HEAD = ["---", "file_format: mystnb", "---"]

LETTERS = st.characters(categories=["L", "N"], include_characters="αé層ع")
WORDS = st.text(LETTERS, min_size=1, max_size=8).map(lambda text: f"w{text}")
CODE_LINES = st.one_of(
    st.just(""),
    st.builds("{} = {!r}".format, WORDS, st.text(LETTERS | st.sampled_from(" #:`'"))),
    st.builds("    {}()  # {}".format, WORDS, WORDS),
    st.sampled_from(["+++", "---", "# Title", ":id: x", '+++ {"framework": "jax"}']),
)
CODE = st.builds(
    lambda lines, last: "\n".join(["import w", *lines, last]),
    st.lists(CODE_LINES, max_size=4),
    WORDS,
)
PARAGRAPHS = st.one_of(
    st.lists(WORDS, min_size=1, max_size=4).map(" ".join),
    st.sampled_from(
        [
            "- a\n- b\n\n  c",
            "```{note}\n:class: tip\n\nRead.\n```",
            ":::{tip}\nRead.\n:::",
            "````\n```{code-cell} python\n:id: shown\n```\n````",
            "    indented",
            "| a | b |\n|---|---|\n| 1 | 2 |",
        ]
    ),
)
PROSE = st.lists(PARAGRAPHS, min_size=1, max_size=3).map("\n\n".join)
RULES = st.sampled_from(
    [
        ({}, None),
        ({"compare": "exact"}, Rule("exact")),
        ({"compare": "close", "rtol": 0.001}, Rule("close", rtol=0.001)),
        (
            {"compare": "statistical", "band": 0.5, "seeds": 20},
            Rule("statistical", atol=0.5, seeds=20),
        ),
        (
            {"compare": "informative", "why": "a timing"},
            Rule("informative", why="a timing"),
        ),
        ({"tags": ["raises-exception"]}, None),
    ]
)


@st.composite
def marks(draw, frameworks: tuple[str, ...]):
    """A framework mark as an author may write it."""
    names = draw(st.permutations(frameworks))
    return draw(st.sampled_from([", ".join(names), list(names)]))


@st.composite
def steps(draw, name: str) -> list[Cell]:
    """The variants of a step: code or words for each group of frameworks."""
    labels = draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))
    cells = []
    for label in sorted(set(labels)):
        own = tuple(k for k, n in zip(ALL_KEYS, labels, strict=True) if n == label)
        if draw(st.booleans()):
            options, rule = draw(RULES)
            shared = len(own) == 4 and draw(st.booleans())
            mark = {} if shared else {"framework": draw(marks(own))}
            options = {**mark, "id": name, **options}
            cells.append(Cell("code", draw(CODE), 0, own, name, rule, options))
        else:
            options = {"framework": draw(marks(own)), "id": name}
            cells.append(Cell("markdown", draw(PROSE), 0, own, name, None, options))
    return cells


@st.composite
def prose(draw) -> list[Cell]:
    """Words for everybody, or for some frameworks wherever they stand."""
    own = tuple(draw(st.sets(st.sampled_from(ALL_KEYS))))
    if not own:
        return [Cell("markdown", draw(PROSE), 0)]
    mark = draw(marks(own))
    own = tuple(key for key in ALL_KEYS if key in own)
    return [Cell("markdown", draw(PROSE), 0, own, options={"framework": mark})]


@st.composite
def sections(draw) -> tuple[str, tuple[Cell, ...]]:
    """The text of a section, and the cells that are written in it."""
    cells: list[Cell] = []
    for number in range(draw(st.integers(0, 4))):
        cells += draw(st.one_of(steps(f"step-{number}"), prose()))
    lines, written = list(HEAD), []
    for cell in cells:
        placed, more = _write(cell, draw(st.integers(0, 2)), len(lines))
        written.append(placed)
        lines += more
    return "\n".join(lines) + "\n", tuple(written)


def _write(cell: Cell, empty: int, above: int) -> tuple[Cell, list[str]]:
    """A cell with its line, and the lines that write it below others."""
    if cell.kind == "code":
        options = [
            f":{key}: {json.dumps(value)}" for key, value in cell.options.items()
        ]
        fence = ["~~~~{code-cell} python", *options, *cell.source.split("\n"), "~~~~"]
        lines = [""] * empty + fence
        return replace(cell, line=above + empty + 1), lines
    mark = f"+++ {json.dumps(cell.options)}" if cell.options else "+++"
    lines = [mark, *[""] * empty, *cell.source.split("\n")]
    if cell.options:
        return replace(cell, line=above + 1, gap=empty), lines
    return replace(cell, line=above + empty + 2), lines


@settings(max_examples=40)
@given(sections())
def test_read_section_gives_the_cells_that_were_written(made):
    text, cells = made
    assert read_section(text, PATH).cells == cells


@settings(max_examples=40)
@given(sections())
def test_check_section_finds_nothing_in_a_whole_section(made):
    assert check_section(read_section(made[0], PATH)) == []


@settings(max_examples=40)
@given(sections())
def test_merge_notebooks_gives_the_cells_of_the_section(made):
    text, cells = made
    section = read_section(text, PATH)
    notebooks = [split_section(section, key) for key in ALL_KEYS]
    stored = [v4.reads(v4.writes(notebook)) for notebook in notebooks]
    assert merge_notebooks(notebooks) == cells
    assert merge_notebooks(stored[::-1]) == cells


@settings(max_examples=40)
@given(sections(), st.sampled_from(ALL_KEYS))
def test_split_section_gives_a_valid_notebook_of_one_framework(made, framework):
    text, cells = made
    notebook = split_section(read_section(text, PATH), framework)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == f"d2l-{framework}"
    assert [cell.source for cell in notebook.cells] == [
        cell.source for cell in cells if framework in cell.frameworks
    ]
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


@settings(max_examples=40)
@given(sections(), st.sampled_from(ALL_KEYS))
def test_split_code_gives_the_code_alone_named_by_its_step(made, framework):
    text, cells = made
    notebook = split_code(read_section(text, PATH), framework)
    assert [(cell.cell_type, cell.id, cell.source) for cell in notebook.cells] == [
        ("code", cell.step, cell.source)
        for cell in cells
        if cell.kind == "code" and framework in cell.frameworks
    ]


def test_split_section_lets_a_cell_fail_where_that_is_the_lesson():
    cells = [
        Cell("code", "1 / 0", 1, step="a", options={"tags": ["raises-exception"]}),
        Cell("code", "1", 2, step="b", options={"tags": ["hide-input"]}),
    ]
    notebook = split_section(Section(PATH, tuple(cells)), "jax")
    assert notebook.cells[0].metadata.tags == ["raises-exception"]
    assert "tags" not in notebook.cells[1].metadata


def test_split_section_tells_prose_from_a_step_called_prose():
    cells = (Cell("markdown", "w", 1), Cell("code", "1", 2, step="prose-0"))
    notebook = split_section(Section(PATH, cells), "jax")
    assert [cell.id for cell in notebook.cells] == ["prose_0", "prose-0"]


@pytest.mark.parametrize(
    "change",
    [
        lambda cell: cell.update(source="x = 2"),
        lambda cell: cell.metadata.book.options.update(compare="exact"),
        lambda cell: cell.metadata.book.update(line=5),
    ],
)
def test_merge_notebooks_refuses_two_versions_of_a_shared_cell(change):
    section = Section(PATH, (Cell("code", "x = 1", 4, step="a"),))
    notebooks = [split_section(section, key) for key in ("pytorch", "jax")]
    change(notebooks[1].cells[0])
    with pytest.raises(ValueError, match="found two versions") as raised:
        merge_notebooks(notebooks)
    assert str(raised.value) == (
        "found two versions of cell 'a' at position 0, "
        "expected the frameworks that share it to agree"
    )


@pytest.fixture(scope="module")
def seeds() -> Section:
    """The first section of the book."""
    return read_section(SEEDS.read_text(encoding="utf-8"), SEEDS)


def test_merge_notebooks_gives_the_cells_of_a_real_section(seeds):
    notebooks = [split_section(seeds, key) for key in ALL_KEYS]
    assert merge_notebooks(notebooks) == seeds.cells
    assert all(len(notebook.cells) > 4 for notebook in notebooks)


def test_read_section_gives_lines_that_hold_in_a_real_section(seeds):
    lines = SEEDS.read_text(encoding="utf-8").splitlines()
    for cell in seeds.cells:
        first = cell.source.splitlines()[0]
        if cell.kind == "code":
            assert lines[cell.line - 1] == "```{code-cell} python"
        else:
            assert lines[cell.text_line - 1] == first
        if cell.kind == "markdown" and cell.is_variant:
            assert lines[cell.line - 1].startswith("+++ {")


def test_read_section_and_jupytext_find_the_same_cells(seeds):
    notebook = jupytext.read(SEEDS)
    assert [(cell.cell_type, cell.source) for cell in notebook.cells] == [
        (cell.kind, cell.source) for cell in seeds.cells
    ]
    assert [dict(cell.metadata) for cell in notebook.cells] == [
        cell.options for cell in seeds.cells
    ]


@settings(max_examples=40)
@given(sections())
def test_read_section_and_jupytext_find_the_same_code(made):
    text, cells = made
    notebook = jupytext.reads(text, fmt="md:myst")
    found = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert found == [cell.source for cell in cells if cell.kind == "code"]
