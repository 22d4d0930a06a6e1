"""The bytes of a submission as a notebook, or what is wrong with them."""

import json
from collections.abc import Mapping
from typing import Any

from nbformat import NotebookNode, from_dict

from d2l_support.build.grading.finding import Refusal
from d2l_support.build.grading.frame import Assignment, find_framework, grade_id

CELL_LIMIT = 2000
"""Cells that a notebook may have."""

KINDS = ("code", "markdown", "raw")


def read_notebook(data: bytes) -> NotebookNode:
    """A submission as a notebook of format 4.5 without outputs.

    Only what grading needs is taken over: the kind, source, id, attachments
    and metadata of each cell, and the kernelspec. Whatever else is broken in
    the file does no harm.

    Raises:
        Refusal: It is empty, no JSON, JSON but no notebook, or has too many cells.
    """
    document = _read_json(data)
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        old = isinstance(document, dict) and "worksheets" in document
        found = "worksheets" if old else type(document).__name__
        raise Refusal(
            f"found JSON without a list of cells ({found}), expected a notebook "
            "of format 4; not graded"
        )
    if len(document["cells"]) > CELL_LIMIT:
        raise Refusal(
            f"found {len(document['cells'])} cells, expected at most {CELL_LIMIT}; "
            "not graded"
        )
    cells = [_read_cell(each) for each in document["cells"]]
    known = [cell for cell in cells if cell is not None]
    if not known:
        raise Refusal("found a notebook without cells; not graded")
    metadata = document.get("metadata")
    kernelspec = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    kernel = kernelspec.get("name") if isinstance(kernelspec, dict) else None
    kept = {"kernelspec": {"name": kernel}} if _is_text(kernel) else {}
    return from_dict({"cells": known, "metadata": kept, "nbformat": 4})


def _read_json(data: bytes) -> Any:
    if not data.strip():
        raise Refusal("found an empty file; not graded")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0][:80] or type(error).__name__
        raise Refusal(f"found a file that is not JSON ({reason}); not graded") from None


def _read_cell(cell: Any) -> dict[str, Any] | None:
    """A cell with what grading needs, or None where there is no cell."""
    if not isinstance(cell, dict) or cell.get("cell_type") not in KINDS:
        return None
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return None
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    # Colab keeps the id in the metadata, and writes format 4.0.
    ids = [each for each in (cell.get("id"), metadata.get("id")) if _is_text(each)]
    kept = {"nbgrader": {"grade_id": grade_id({"metadata": metadata})}, "ids": ids}
    read = {"cell_type": cell["cell_type"], "metadata": kept}
    # Half of a surrogate pair is valid JSON, and no text that can be sent.
    read["source"] = source.encode("utf-8", "replace").decode()
    if cell["cell_type"] == "markdown" and _is_attached(cell.get("attachments")):
        read["attachments"] = cell["attachments"]
    return read


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_attached(value: Any) -> bool:
    """Whether pictures in an answer have the form that nbformat wants."""
    return isinstance(value, dict) and all(
        isinstance(bundle, dict) and all(map(_is_text, bundle.values()))
        for bundle in value.values()
    )


def check_belongs(
    notebook: NotebookNode, assignment: Assignment, others: Mapping[str, set[str]]
) -> None:
    """Holds a notebook to be one of this assignment.

    Its cells tell, by the ids that nbgrader gave them, or else by their text.

    Args:
        notebook: The notebook as ``read_notebook`` gives it.
        assignment: What it was handed in for.
        others: The grade ids of every assignment, by name.

    Raises:
        Refusal: It was made for another framework or assignment, or for none.
    """
    ids = {grade_id(cell) for cell in notebook.cells} - {""}
    if ids & assignment.grade_ids:
        return
    framework = find_framework(notebook)
    if framework and framework != assignment.framework:
        raise Refusal(
            f"found a notebook for {framework}, expected one for "
            f"{assignment.framework}; not graded"
        )
    for name, other in others.items():
        if ids & other:
            raise Refusal(
                f"found the notebook of assignment {name!r}, expected "
                f"{assignment.name!r}; not graded"
            )
    texts = {cell.source.strip() for cell in notebook.cells}
    if not texts & {cell.source.strip() for cell in assignment.released.cells}:
        raise Refusal(
            f"found no cell of assignment {assignment.name!r} in it; not graded"
        )
