"""A section's text becomes cells, each with its marks and its line."""

from pathlib import Path

import pytest

from d2l_support.build.problems import ContentError
from d2l_support.build.rules import Rule
from d2l_support.build.source import read_notebook, read_section

PATH = Path("chapters/part/section.md")
HEAD = "---\nfile_format: mystnb\n---\n\n# Title\n\n"
ALL = ("pytorch", "tensorflow", "jax", "mxnet")
MARKS = "depth, difficulty, exercise, framework, grade, id, minutes, points, rubric"


def read(body, head=HEAD):
    return read_section(head + body, PATH).cells


def problems_of(body, head=HEAD):
    with pytest.raises(ContentError) as raised:
        read(body, head)
    return str(raised.value).splitlines()


def code(*options, body="x = 1"):
    return "\n".join(["```{code-cell} python", *options, body, "```", ""])


def test_read_section_gives_the_front_matter_as_metadata():
    section = read_section(HEAD, PATH)
    assert section.path == PATH
    assert section.metadata == {"file_format": "mystnb"}


def test_read_section_reads_the_marks_of_code():
    cell = read(code(":framework: [jax, pytorch]", ":id: train", body="x = 1\n\ny"))[1]
    assert (cell.kind, cell.source, cell.line) == ("code", "x = 1\n\ny", 7)
    assert (cell.frameworks, cell.step) == (("pytorch", "jax"), "train")
    assert cell.is_variant
    assert not cell.may_raise
    assert cell.rule is None


def test_read_section_gives_unmarked_code_to_all_four():
    cell = read(code(":id: train"))[1]
    assert cell.frameworks == ALL
    assert not cell.is_variant


def test_read_section_reads_options_as_a_block_of_yaml():
    options = ("---", "id: train", "compare: statistical", "band: 0.1", "seeds: 20")
    cell = read(code(*options, "tags: [raises-exception]", "---"))[1]
    assert cell.rule == Rule("statistical", atol=0.1, seeds=20)
    assert cell.may_raise
    assert cell.source == "x = 1"


def test_read_section_reads_the_marks_of_prose():
    cell = read('+++ {"framework": "jax, mxnet", "id": "train"}\n\nWords.\n')[1]
    assert (cell.kind, cell.source) == ("markdown", "Words.")
    assert (cell.frameworks, cell.step) == (("jax", "mxnet"), "train")
    assert (cell.line, cell.text_line) == (7, 9)


def test_read_section_ends_marked_prose_at_a_bare_break():
    cells = read('+++ {"framework": "jax"}\nJAX.\n+++\n\n\nAll.\n')
    assert [(cell.source, cell.frameworks) for cell in cells[1:]] == [
        ("JAX.", ("jax",)),
        ("All.", ALL),
    ]
    assert [cell.line for cell in cells] == [5, 7, 12]
    assert [cell.text_line for cell in cells] == [5, 8, 12]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_read_section_counts_lines_whatever_ends_them(end):
    body = code(":id: a") + '\n\nWords.\n\n+++ {"framework": "jax"}\n\nJAX.\n'
    text = (HEAD + body).replace("\n", end)
    cells = read_section(text, PATH).cells
    starts = ("# Title", "```{code-cell} python", "Words.", '+++ {"framework": "jax"}')
    lines = (HEAD + body).split("\n")
    assert [cell.line for cell in cells] == [lines.index(start) + 1 for start in starts]
    assert [cell.source for cell in cells] == ["# Title", "x = 1", "Words.", "JAX."]


def test_read_section_keeps_tabs_and_letters_of_any_script():
    cells = read("Größe, 層, عمق.\n\n" + code(":id: a", body="\tσ = 'é'\t"))
    assert cells[0].source == "# Title\n\nGröße, 層, عمق."
    assert cells[1].source == "\tσ = 'é'\t"


def test_read_section_takes_other_fences_for_code():
    tildes = "~~~~{code-cell} ipython3\n:id: a\n```\n~~~~\n"
    assert read(tildes)[1].source == "```"


@pytest.mark.parametrize(
    ("options", "place", "message"),
    [
        (
            [":framework: torch", ":id: a"],
            "7: cell 'a': ",
            "found framework 'torch', expected one of pytorch, tensorflow, jax, mxnet.",
        ),
        (
            [":framework: 3", ":id: a"],
            "7: cell 'a': ",
            "found framework mark 3, expected a name or a list.",
        ),
        (
            [":framework:", ":id: a"],
            "7: cell 'a': ",
            "found no value for framework, expected one.",
        ),
        (
            [":framwork: jax", ":id: a"],
            "7: cell 'a': ",
            "found option framwork, expected alt, atol, band, compare, depth, fault, "
            "framework, gpu, grade, id, of, points, rtol, seeds, sound, tags, "
            "varies, why.",
        ),
        (
            [":framework: jax"],
            "7: (jax): ",
            "found a code cell without :id:, expected one.",
        ),
        ([":id:"], "7: ", "found no value for id, expected one."),
        *(
            (
                [":framework: [jax, mxnet]", f":id: {written}"],
                f"7: cell {str(read)!r} (jax, mxnet): ",
                f"found id {read!r}, expected a small letter, "
                "then small letters, digits or hyphens, 64 at most.",
            )
            for written, read in (
                ("12", 12),
                ("no", False),
                ("[a]", ["a"]),
                ("Train", "Train"),
                ("train_once", "train_once"),
                ("a" * 65, "a" * 65),
            )
        ),
        (
            [":framework: jax", ":id: a", ":tags: [raise-exception]"],
            "7: cell 'a' (jax): ",
            "found tag 'raise-exception', expected one of raises-exception, "
            "hide-input, hide-output, hide-cell.",
        ),
        (
            [":framework: jax", ":id: a", ":compare: close", ":rtol: much"],
            "7: cell 'a' (jax): ",
            "found rtol 'much', expected a positive number.",
        ),
        (
            [":id: a", ":compare: statistical", ":band: 0.1", ":seeds: 20.5"],
            "7: cell 'a': ",
            "found seeds 20.5, expected a whole number of seeds.",
        ),
    ],
)
def test_read_section_refuses_marks_of_code(options, place, message):
    assert problems_of(code(*options)) == [f"{PATH}:{place}{message}"]


@pytest.mark.parametrize(
    ("mark", "place", "message"),
    [
        (
            '{"framework": "torch", "id": "a"}',
            "7: cell 'a': ",
            "found framework 'torch', expected one of pytorch, tensorflow, jax, mxnet.",
        ),
        (
            '{"framwork": "jax"}',
            "7: ",
            f"found option framwork, expected {MARKS}.",
        ),
        (
            '{"framework": "jax", "compare": "exact"}',
            "7: (jax): ",
            f"found option compare, expected {MARKS}.",
        ),
        (
            '{"framework": null}',
            "7: ",
            "found no value for framework, expected one.",
        ),
        (
            '{"framework": "jax", "id": 12}',
            "7: cell '12' (jax): ",
            "found id 12, expected a small letter, "
            "then small letters, digits or hyphens, 64 at most.",
        ),
        (
            '{"id": "a"}',
            "7: cell 'a': ",
            "found prose with an id but no framework, expected both.",
        ),
    ],
)
def test_read_section_refuses_marks_of_prose(mark, place, message):
    assert problems_of(f"+++ {mark}\n\nWords.\n") == [f"{PATH}:{place}{message}"]


def test_read_section_refuses_a_raw_cell():
    raw = "```{raw-cell}\n:id: a\nx\n```\n"
    assert problems_of(raw) == [
        f"{PATH}:7: cell 'a': found a raw cell, expected code-cell or prose."
    ]


def test_read_section_lists_every_bad_mark_in_the_order_of_the_page():
    body = code(":id: A") + '+++ {"framework": "jax"}\n' + code(":id: b", ":load: 1")
    found = problems_of(body.replace(":load: 1", ":seeds: 1"))
    assert [line.partition(": ")[0] for line in found] == [
        f"{PATH}:7",
        f"{PATH}:11",
        f"{PATH}:12",
    ]


def test_read_notebook_reads_a_page_that_is_no_section():
    notebook = read_notebook("# Welcome\n\nWords.\n", Path("index.md"))
    assert [cell.source for cell in notebook.cells] == ["# Welcome\n\nWords."]


@pytest.mark.parametrize("depth", ["beginner", "developer", "researcher"])
def test_read_section_takes_depths(depth):
    cell = read(f'+++ {{"depth": "{depth}"}}\n\nWords.\n')[1]
    assert (cell.depth, cell.frameworks, cell.is_variant) == (depth, ALL, True)


def test_read_section_refuses_unknown_depths():
    assert problems_of('+++ {"depth": "expert"}\n\nWords.\n') == [
        f"{PATH}:7: found depth 'expert', "
        "expected one of beginner, developer, researcher."
    ]
