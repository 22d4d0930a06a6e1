"""What a reader changed in the code, told as causes."""

import pytest
from nbformat import v4

from d2l_support.build.survey.edits import list_edits


def cells(**sources):
    return [v4.new_code_cell(source, id=step) for step, source in sources.items()]


@pytest.mark.parametrize(
    ("old", "new", "causes"),
    [
        ("x = 1", "x = 1", []),
        ("x = 1", "x = 2", [("code", "cell 'a' was edited")]),
        ("%time x", "%time y", [("code", "cell 'a' was edited")]),
        (
            "batch_size = 64",
            "batch_size = 32",
            [("batch", "batch_size 64 to 32 in cell 'a'")],
        ),
        (
            "load(x, batch_size=64); n = 1",
            "load(x, batch_size=8); n = 2",
            [("batch", "batch_size 64 to 8 in cell 'a'")],
        ),
        (
            "load(batch=4); load(batch=5)",
            "load(batch=4); load(batch=6)",
            [("batch", "batch 4, 5 to 4, 6 in cell 'a'")],
        ),
    ],
)
def test_list_edits_tells_a_batch_from_other_code(old, new, causes):
    found = list_edits(cells(a=old), cells(a=new))
    assert [(cause.name, cause.change) for cause in found] == causes


def test_list_edits_names_every_edited_cell():
    found = list_edits(cells(a="x", b="y", c="z"), cells(a="u", b="y", c="w"))
    assert [cause.change for cause in found] == [
        "cell 'a' was edited",
        "cell 'c' was edited",
    ]
