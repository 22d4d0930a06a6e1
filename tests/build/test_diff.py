"""A fresh run against the record, by each cell's rule."""

import copy

from nbformat import v4

from d2l_support.build.diff import diff_notebooks, rule_of, show_difference
from d2l_support.build.rules import CLOSE, EXACT, Rule

BAND = Rule("statistical", atol=0.1, seeds=5)
TIMING = Rule("informative", why="a timing")


def make_notebook(*cells: tuple[str, Rule, str]):
    """A record of cells with id, rule and what each prints."""
    notebook = v4.new_notebook()
    for step, rule, text in cells:
        cell = v4.new_code_cell(f"# {step}", id=step)
        cell.metadata["book"] = {"compare": rule.to_metadata()}
        cell.outputs = [v4.new_output("stream", name="stdout", text=text)]
        notebook.cells.append(cell)
    return notebook


RECORD = make_notebook(
    ("words", EXACT, "three layers\n"),
    ("loss", CLOSE, "loss 0.25\n"),
    ("accuracy", BAND, "accuracy 0.8\n"),
    ("speed", TIMING, "took 3.1 s\n"),
)


def print_instead(**texts: str):
    """The record's notebook with other outputs of some cells."""
    fresh = copy.deepcopy(RECORD)
    for cell in fresh.cells:
        if cell.id in texts:
            cell.outputs[0].text = texts[cell.id]
    return fresh


def test_rule_of_reads_what_the_cell_carries():
    assert [rule_of(cell) for cell in RECORD.cells] == [EXACT, CLOSE, BAND, TIMING]


def test_diff_notebooks_within_every_rule():
    fresh = print_instead(
        loss="loss 0.2500001\n", accuracy="accuracy 0.75\n", speed="took 9.9 s\n"
    )
    assert diff_notebooks(RECORD, fresh) == []


def test_diff_notebooks_names_the_cells_that_leave_their_rule():
    fresh = print_instead(
        words="four layers\n",
        loss="loss 0.2501\n",
        accuracy="accuracy 0.65\n",
        speed="took no time\n",
    )
    found = diff_notebooks(RECORD, fresh)
    assert [difference.cell for difference in found] == ["words", "loss", "accuracy"]
    assert [str(one.difference).splitlines()[1:] for one in found] == [
        [
            "  recorded  three layers",
            "  new       four layers",
            "  rule      exact",
        ],
        ["  recorded  0.25", "  new       0.2501", "  rule      within 1e-05"],
        [
            "  recorded  0.8",
            "  new       0.65",
            "  rule      within a band of ±0.1 over 5 seeds",
        ],
    ]


def test_diff_notebooks_goes_by_id():
    fresh = print_instead(loss="loss 0.5\n")
    fresh.cells.reverse()
    assert [found.cell for found in diff_notebooks(RECORD, fresh)] == ["loss"]


def test_diff_notebooks_takes_the_rule_of_the_record():
    fresh = print_instead(loss="loss 0.5\n")
    fresh.cells[1].metadata["book"]["compare"] = TIMING.to_metadata()
    assert [found.cell for found in diff_notebooks(RECORD, fresh)] == ["loss"]


def test_show_difference_shows_lines_before_and_after():
    (found,) = diff_notebooks(RECORD, print_instead(loss="loss 0.5\n"))
    lines = show_difference(found).splitlines()
    assert lines[0] == "## modified /cells/0/outputs/0/text:"
    assert lines[-2:] == ["-  loss 0.25", "+  loss 0.5"]


def test_show_difference_in_colour():
    (found,) = diff_notebooks(RECORD, print_instead(words="four layers\n"))
    assert "\x1b[" in show_difference(found, colour=True)
    assert "\x1b[" not in show_difference(found)
