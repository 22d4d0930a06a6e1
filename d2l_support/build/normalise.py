"""Removes from outputs what cannot be the same twice.

That is: paths, memory addresses, execution counts, and the lines that native
code logs to stderr with a time stamp.
"""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
ANY_ENVIRONMENT = re.compile(r"[^\s\"'(<>]*/lib/python3\.\d+/site-packages/")
STANDARD_LIBRARY = re.compile(r"[^\s\"'(<>]*/lib/python3\.\d+/")
CELL_FILE = re.compile(r"[^\s\"'(<>]*/ipykernel_\d+/\d+\.py")
NATIVE_LOG = re.compile(
    r"^(?:[IWEF]\d{4} .*|WARNING: All log messages before absl.*"
    r"|\[\d\d:\d\d:\d\d\] .*\.cc:\d+:.*)\n?",
    re.MULTILINE,
)
EXECUTION_COUNT = re.compile(r"\bIn\s?\[\d+\]")


def normalise_outputs(
    outputs: list[NotebookNode], root: Path | None = None
) -> list[NotebookNode]:
    """Outputs as a record keeps them; applying it twice changes nothing more.

    Pieces of one stream are joined; execution counts, memory addresses and
    the paths of environments, of the checkout and of a cell's file go.

    Args:
        outputs: A code cell's outputs; left as they are.
        root: The checkout, whose path is shown as ``<book>/``.
    """
    joined: list[NotebookNode] = []
    for output in outputs:
        copy = nbformat.from_dict(_clean(dict(output), root))
        if copy.output_type == "execute_result":
            copy.execution_count = None
        if copy.output_type == "stream" and copy.name == "stderr":
            copy.text = NATIVE_LOG.sub("", copy.text)
            if not copy.text.strip():
                continue
        if _continues(copy, joined):
            joined[-1].text += copy.text
        else:
            joined.append(copy)
    return joined


def _continues(output: NotebookNode, earlier: list[NotebookNode]) -> bool:
    return (
        bool(earlier)
        and output.output_type == "stream" == earlier[-1].output_type
        and output.name == earlier[-1].name
    )


def _clean(value, root: Path | None):
    if isinstance(value, str):
        return clean_text(value, root)
    if isinstance(value, list):
        return [_clean(item, root) for item in value]
    if isinstance(value, dict):
        return {key: _clean(item, root) for key, item in value.items()}
    return value


def clean_text(text: str, root: Path | None = None) -> str:
    """Text without machine paths, memory addresses and execution counts."""
    text = CELL_FILE.sub("<cell>", text)
    text = ANY_ENVIRONMENT.sub("<environment>/", text)
    if root is not None:
        text = text.replace(f"{root}/", "<book>/")
    text = STANDARD_LIBRARY.sub("<python>/", text)
    return EXECUTION_COUNT.sub("In[]", ADDRESS.sub("0x…", text))
