"""What a reader changed in the code, as causes of other numbers."""

import ast
from collections.abc import Iterator

from nbformat import NotebookNode

from d2l_support.build.survey.causes import LIKELY, Cause

BATCH = (
    "another shape takes another path through the library: see the cell "
    "'batch-of-one' of deterministic-arithmetic-practice"
)
CODE = "what a cell prints rests on its code and on that of the cells before it"


def list_edits(recorded: list[NotebookNode], fresh: list[NotebookNode]) -> list[Cause]:
    """The causes that lie in cells whose code is not the recorded one.

    Args:
        recorded: The record's cells, up to the one that differs.
        fresh: The cells that ran, as many.
    """
    return [
        cause
        for old, new in zip(recorded, fresh, strict=True)
        if old.source != new.source
        for cause in _explain_edit(old.id, old.source, new.source)
    ]


def _explain_edit(cell: str, old: str, new: str) -> Iterator[Cause]:
    before, now = _read_values(old), _read_values(new)
    changed = [name for name in before.keys() & now if before[name] != now[name]]
    batches = sorted(name for name in changed if "batch" in name.lower())
    for name in batches:
        change = f"{name} {before[name]} to {now[name]} in cell {cell!r}"
        yield Cause("batch", change, LIKELY, BATCH)
    if not batches:
        yield Cause("code", f"cell {cell!r} was edited", LIKELY, CODE)


def _read_values(source: str) -> dict[str, str]:
    """The literals that names and keyword arguments are given, in order."""
    try:
        tree = ast.parse(source)
    except SyntaxError:  # a cell magic
        return {}
    found: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg:
            names = [node.arg]
        elif isinstance(node, ast.Assign):
            names = [part.id for part in node.targets if isinstance(part, ast.Name)]
        else:
            continue
        if isinstance(node.value, ast.Constant):
            for name in names:
                found.setdefault(name, []).append(repr(node.value.value))
    return {name: ", ".join(values) for name, values in found.items()}
