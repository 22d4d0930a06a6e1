"""What the GPU printed, where it is not what the page shows from the CPU."""

from nbformat import NotebookNode

from d2l_support.build.compare import flatten_outputs
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.problems import ContentError
from d2l_support.build.record import load_record


def read_beside(
    book: Book, name: SectionName, framework: str
) -> tuple[str, dict[str, NotebookNode]]:
    """The device and its recorded cells by id; none where there is no record.

    A record that cannot be read shows nothing: `check` reports those of the CPU,
    and the GPU job reports its own.
    """
    try:
        record = load_record(book, name, framework, "gpu")
    except (FileNotFoundError, ContentError):
        return "", {}
    environment = record.metadata["book"]["environment"]
    device = str(environment.get("device", "GPU"))
    return device, {cell.id: cell for cell in record.cells}


def describe_beside(shown: NotebookNode, other: NotebookNode | None) -> str:
    """What a cell printed on the GPU; empty where it is the same or outdated.

    Args:
        shown: The cell as recorded on the CPU.
        other: The cell as recorded on the GPU.
    """
    if other is None or other.source != shown.source:
        return ""
    here, there = flatten_outputs(shown.outputs), flatten_outputs(other.outputs)
    return "" if here == there else "\n".join(text.rstrip() for _, text in there)
