"""Removes from outputs what cannot be the same twice.

That is: paths, memory addresses, execution counts, and the lines that native
code logs to stderr with a time stamp.
"""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
# A path begins where no part of one stands before: else a long line, tried
# from each of its characters, would take minutes.
PATH = r"(?<![^\s\"'(<>])[^\s\"'(<>]*"
ANY_ENVIRONMENT = re.compile(PATH + r"/lib/python3\.\d+/site-packages/")
STANDARD_LIBRARY = re.compile(PATH + r"/lib/python3\.\d+/")
CELL_FILE = re.compile(PATH + r"/ipykernel_\d+/\d+\.py\b")
NATIVE_LOG = re.compile(
    r"^(?:[IWEF]\d{4} .*|WARNING: All log messages before absl.*"
    r"|\[?\d\d:\d\d:\d\d\] .*\.cc:\d+:.*"
    # The next cell may have the rest of the line.
    r"|\[[\d:]*\]?\Z)\n?",
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
    # Joined first: a stream may be cut in the middle of a path or a log line.
    kept = [output for output in map(_drop_log, _join(outputs)) if output]
    return [_clean_output(output, root) for output in _join(kept)]


def _join(outputs: list[NotebookNode]) -> list[NotebookNode]:
    joined: list[NotebookNode] = []
    for output in outputs:
        if _continues(output, joined):
            joined[-1].text += output.text
        else:
            joined.append(nbformat.from_dict(output))
    return joined


def _continues(output: NotebookNode, earlier: list[NotebookNode]) -> bool:
    return (
        bool(earlier)
        and output.output_type == "stream" == earlier[-1].output_type
        and output.name == earlier[-1].name
    )


def _drop_log(output: NotebookNode) -> NotebookNode | None:
    """The output without what native code logged; None if nothing is left."""
    if output.output_type == "stream" and output.name == "stderr":
        output.text = NATIVE_LOG.sub("", output.text)
        return output if output.text.strip() else None
    return output


def _clean_output(output: NotebookNode, root: Path | None) -> NotebookNode:
    cleaned = nbformat.from_dict(_clean(dict(output), root))
    if cleaned.output_type == "execute_result":
        cleaned.execution_count = None
    return cleaned


def _clean(value, root: Path | None):
    if isinstance(value, str):
        return clean_text(value, root)
    if isinstance(value, list):
        return [_clean(item, root) for item in value]
    if isinstance(value, dict):
        return {
            key: item if _is_picture(key) else _clean(item, root)
            for key, item in value.items()
        }
    return value


def _is_picture(mime: str) -> bool:
    """Whether a value is a picture in base64, where no text stands."""
    return mime.startswith("image/") and mime != "image/svg+xml"


def clean_text(text: str, root: Path | None = None) -> str:
    """Text without machine paths, memory addresses and execution counts."""
    text = ADDRESS.sub("0x…", text)
    text = CELL_FILE.sub("<cell>", text)
    text = ANY_ENVIRONMENT.sub("<environment>/", text)
    if root is not None:
        text = re.sub(rf"(?<![\w.>-]){re.escape(str(root))}/", "<book>/", text)
    text = STANDARD_LIBRARY.sub("<python>/", text)
    return EXECUTION_COUNT.sub("In[]", text)
