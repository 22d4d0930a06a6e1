"""Texts that no reader takes, or that readers take otherwise than they look."""

from pathlib import Path

import pytest

from d2l_support.build.problems import ContentError
from d2l_support.build.source import read_notebook, read_section

PATH = Path("chapters/part/section.md")
HEAD = "---\nfile_format: mystnb\n---\n\n# Title\n\n"
CELL = "```{code-cell} python\n:framework: jax\n:id: a\nx = 1\n```\n"


def problems_of(text):
    with pytest.raises(ContentError) as raised:
        read_section(text, PATH)
    return str(raised.value).splitlines()


def line_of(text, start):
    """The number of the only line that starts so."""
    (line,) = [n for n, row in enumerate(text.split("\n"), 1) if row.startswith(start)]
    return line


NO_NOTEBOOK = (
    "expected `file_format: mystnb` between --- lines at the top: "
    "without it Jupyter sees no notebook."
)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1", f"found no front matter, {NO_NOTEBOOK}"),
        ("# Title\n", "1", f"found no front matter, {NO_NOTEBOOK}"),
        ("\n" + HEAD, "1", f"found no front matter, {NO_NOTEBOOK}"),
        (
            "---\nfile_format: mystnb\n\n# Title\n" + CELL,
            "1",
            f"found front matter without an end, {NO_NOTEBOOK}",
        ),
        (
            "---\nfile_format: mystnb\nkernelspec: [x\n---\n",
            "3",
            "found front matter that is no YAML "
            "(expected ',' or ']', but got '<stream end>'), expected YAML.",
        ),
        (
            "---\nfile_format: mystnb\nkernelspec:\n  name: a\n b: c\n---\n",
            "5",
            "found front matter that is no YAML (expected <block end>, "
            "but found '<block mapping start>'), expected YAML.",
        ),
        (
            "---\nfile_format: mystnb\n\tb: c\n---\n",
            "3",
            "found front matter that is no YAML "
            "(found character '\\t' that cannot start any token), expected YAML.",
        ),
        (
            "---\nfile_format: mystnb\nday: 2026-02-30\n---\n",
            "1",
            "found front matter that is no YAML "
            "(day is out of range for month), expected YAML.",
        ),
        (
            "---\njust words\n---\n",
            "1",
            "found front matter 'just words', expected `name: value` lines.",
        ),
        (
            "---\n- a\n---\n",
            "1",
            "found front matter ['a'], expected `name: value` lines.",
        ),
        (
            "---\n---\n",
            "1",
            "found front matter None, expected `name: value` lines.",
        ),
        (
            "---\nkernelspec:\n  name: d2l-jax\n---\n",
            "1",
            "found file_format 'none' in the front matter, expected 'mystnb': "
            "without it Jupyter sees no notebook.",
        ),
        (
            "---\nfile_format: jupyter\n---\n",
            "1",
            "found file_format 'jupyter' in the front matter, expected 'mystnb': "
            "without it Jupyter sees no notebook.",
        ),
        (
            "---\nfile_format: mystnb\nkernelspec: x\n---\n",
            "3",
            "found front matter that cannot be read "
            "(kernelspec: 'x' is not of type 'object'), expected a notebook's.",
        ),
    ],
)
def test_find_faults_in_front_matter(text, place, message):
    assert problems_of(text) == [f"{PATH}:{place}: {message}"]


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\ufeff", "U+FEFF (zero width no-break space)"),
        ("\u2028", "U+2028 (line separator)"),
        ("\u2029", "U+2029 (paragraph separator)"),
        ("\x0c", "U+000C (a control character)"),
        ("\x85", "U+0085 (a control character)"),
        ("\x00", "U+0000 (a control character)"),
    ],
)
@pytest.mark.parametrize("place", ["Words", "x = 1"])
def test_find_faults_in_characters(character, name, place):
    text = f"{HEAD}Words\n\n{CELL}\nEnd.\n".replace(place, f"{place}{character}+ 1")
    line = line_of(text, place)
    assert problems_of(text) == [
        f"{PATH}:{line}: found the invisible character {name}, "
        "expected none: readers differ on it."
    ]


def test_find_faults_with_a_byte_order_mark_finds_nothing_else():
    assert problems_of("\ufeff" + HEAD + CELL) == [
        f"{PATH}:1: found the invisible character U+FEFF (zero width no-break space), "
        "expected none: readers differ on it."
    ]


@pytest.mark.parametrize(
    ("mark", "names", "reason"),
    [
        ('{"framework": jax}', "", "Expecting value in column 15"),
        (
            '{"framework": "jax", "id": "a"',
            "cell 'a' (jax): ",
            "Expecting ',' delimiter in column 31",
        ),
        ('["jax"]', "", "is not a dict"),
        ('"jax"', "", "is not a dict"),
        ("jax", "", "Expecting value in column 1"),
        ('{"framework": "jax", "tags": "a"}', "(jax): ", "tags: 'a' is not of type"),
    ],
)
def test_locate_fault_in_a_mark(mark, names, reason):
    text = f"{HEAD}Words.\n\n{CELL}\nMore.\n\n+++ {mark}\n\nJAX.\n\n+++\n\nEnd.\n"
    (found,) = problems_of(text)
    assert found.startswith(
        f"{PATH}:{line_of(text, '+++ ')}: {names}"
        f"found a mark that cannot be read ({reason}"
    )
    assert found.endswith('), expected JSON, such as +++ {"framework": "jax"}.')


@pytest.mark.parametrize(
    ("options", "names", "reason"),
    [
        (":id a", "", "Invalid options format (not a dict)"),
        (
            ":id: b\n:framework: [jax",
            "cell 'b' (jax): ",
            "Invalid options format (bad YAML)",
        ),
        (
            ":framework: jax\n:id: b\n:tags raises-exception",
            "cell 'b' (jax): ",
            "Invalid options format (bad YAML)",
        ),
        (
            ":id: b\n:tags: raises-exception",
            "cell 'b': ",
            "tags: 'raises-exception' is not of type 'array'",
        ),
        ("---\nid: b", "cell 'b': ", "Invalid options format (bad YAML)"),
        (":id: b\n:load: x.py", "cell 'b': ", "Can't read file from :load:"),
    ],
)
def test_locate_fault_in_a_cell(options, names, reason):
    cell = f"```{{code-cell}} python3\n{options}\ny = 2\n```\n"
    text = f"{HEAD}{CELL}\n{cell}\n{CELL}"
    assert problems_of(text) == [
        f"{PATH}:{line_of(text, '```{code-cell} python3')}: {names}"
        f"found options that cannot be read ({reason}), "
        "expected `:name: value` lines with values in YAML."
    ]


def test_locate_fault_names_no_path_of_the_machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (found,) = problems_of(f"{HEAD}```{{code-cell}}\n:load: x.py\n```\n")
    assert str(tmp_path) not in found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "---\na: 1\nb: ]\n---\n\nWords.\n",
            "index.md:3: found front matter that is no YAML "
            "(expected the node content, but found ']'), expected YAML.",
        ),
        (
            "---\n- a\n---\n",
            "index.md:1: found front matter that cannot be read "
            "(metadata: ['a'] is not of type 'object'), expected a notebook's.",
        ),
    ],
)
def test_locate_fault_in_a_page_that_is_no_section(text, message):
    with pytest.raises(ContentError) as raised:
        read_notebook(text, Path("index.md"))
    assert str(raised.value) == message


LOST = (
    "found a mark with no words after it, expected prose "
    "(a code cell carries its marks in its own options)."
)


@pytest.mark.parametrize("after", [CELL, "", "+++\n\nWords.\n", "\n\n+++\n"])
def test_find_misplaced_with_a_mark_that_marks_nothing(after):
    text = f'{HEAD}+++ {{"framework": "mxnet", "id": "a"}}\n\n{after}'
    assert problems_of(text) == [f"{PATH}:7: cell 'a' (mxnet): {LOST}"]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (CELL, "cell 'a' (jax): found a code cell"),
        ('+++ {"framework": "jax"}\n\nJAX.\n', "(jax): found a +++ line"),
        ("+++\n", "found a +++ line"),
    ],
)
def test_find_misplaced_in_a_directive_that_the_reader_would_cut(content, found):
    text = f"{HEAD}:::{{note}}\nRead.\n\n{content}:::\n\nWords.\n"
    assert problems_of(text) == [
        f"{PATH}:10: {found} inside a directive, expected it outside."
    ]


@pytest.mark.parametrize(
    "text",
    [
        CELL.removesuffix("```\n"),
        "```{code-cell} python\n:framework: jax\n:id: a",
        CELL.removesuffix("```\n") + "\nWords.\n\n" + CELL.replace("a", "b"),
        CELL.removesuffix("```\n") + "\nWords.\n\n" + CELL.removesuffix("```\n"),
    ],
)
def test_find_misplaced_with_a_cell_that_does_not_end(text):
    assert problems_of(HEAD + text) == [
        f"{PATH}:7: cell 'a' (jax): "
        "found a cell without an end, expected ``` after its code."
    ]
