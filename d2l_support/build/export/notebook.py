"""One section in one framework as a whole notebook for any Jupyter.

It holds the words, the code and the recorded outputs, and nothing that needs
the checkout: no kernelspec of ours, no Sphinx, no file beside it but the
helpers' wheel.
"""

from dataclasses import dataclass
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from d2l_support.build.exercises.shown import name_answered
from d2l_support.build.export.citations import list_citations
from d2l_support.build.export.exercising import arrange_cells, list_unfinished
from d2l_support.build.export.notice import Recorded, write_notice
from d2l_support.build.export.prose import plain_prose
from d2l_support.build.export.setup import write_setup
from d2l_support.build.export.targets import Targets
from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.record import load_record
from d2l_support.build.section import Cell, Section
from d2l_support.build.stale import attach_record
from d2l_support.build.stills import draw_still
from d2l_support.build.survey.ledger import Ledger
from d2l_support.build.widgets import STATE, VIEW

FOLDER = "notebooks"
"""In the published book: the notebooks by framework, and the helpers' wheel."""

DEVICE_WORDS = ("cuda", "jax.devices", "list_physical_devices")
"""Code with one of these says something else where there is a GPU."""


@dataclass(frozen=True)
class Edition:
    """What the notebooks of a book are made from, and for whom.

    Attributes:
        book: The checkout.
        targets: What its prose refers to.
        ledger: What was measured of its records.
        wheel: The file name of the helpers' wheel.
        solutions: Whether the solutions of exercises are told.
    """

    book: Book
    targets: Targets
    ledger: Ledger
    wheel: str
    solutions: bool = False

    @property
    def wheel_address(self) -> str:
        """Where the helpers' wheel is published, or the empty text."""
        address = self.targets.address
        return f"{address}/{FOLDER}/{self.wheel}" if address else ""


def make_notebook(
    edition: Edition, name: SectionName, section: Section, framework: str
) -> NotebookNode:
    """The notebook of a section in one framework.

    Raises:
        ContentError: Some of its prose cannot be made plain.
    """
    cells = arrange_cells(section, framework, edition.solutions)
    recorded = read_recorded(edition, name, section, framework)
    code = [cell for cell in cells if cell.kind == "code"]
    numbers = {cell.step: number for number, cell in enumerate(code, start=2)}
    unfinished = [] if edition.solutions else [*list_unfinished(section)]
    nodes = [
        _to_node(cell, recorded, numbers[cell.step], cell.step in unfinished)
        if cell.kind == "code"
        else _to_words(cell, position, edition, section, framework)
        for position, cell in enumerate(cells)
    ]
    missing = [numbers[step] for step in numbers if step not in recorded.cells]
    about = describe_notebook(
        edition, section, framework, [] if unfinished else missing, bool(unfinished)
    )
    notice = write_notice(recorded, numbers)
    setup = write_setup(framework, code, notice, edition.wheel_address)
    nodes[1:1] = [
        v4.new_markdown_cell(about, id="book_about"),
        v4.new_code_cell(setup, id="book_setup"),
    ]
    nodes += list_references(cells, edition.targets)
    metadata = describe_kernel(f"{name.name}-{framework}", code, framework)
    notebook = v4.new_notebook(cells=nodes, metadata=metadata)
    nbformat.validate(notebook)
    return notebook


def read_recorded(
    edition: Edition, name: SectionName, section: Section, framework: str
) -> Recorded:
    """The recorded cells that still hold, with what was measured of them."""
    attached = attach_record(edition.book, name, section, framework)
    hidden = set() if edition.solutions else name_answered(section)
    cells = {step: cell for step, cell in attached.cells.items() if step not in hidden}
    if not attached.cells:
        return Recorded()
    record = load_record(edition.book, name, framework)
    observations = edition.ledger.find(str(name), framework, attached.mark)
    return Recorded(cells, record.metadata["book"]["environment"], observations)


def describe_notebook(
    edition: Edition,
    section: Section,
    framework: str,
    missing: list[int],
    unfinished: bool,
) -> str:
    """What a reader has to know before the first cell, as a quote."""
    page = section.path.with_suffix("").as_posix()
    title = edition.targets.titles.get(page, section.path.stem)
    link = edition.targets.link(page, title, framework)
    label = FRAMEWORKS[framework].label
    sentences = [
        f"**A notebook of the book, in {label}.** The page: {link}.",
        "Run the next cell first: it looks for what the others need, and installs "
        "what is missing.",
    ]
    if unfinished:
        sentences.append(
            "Where the code says `NotImplementedError`, write your answer; until "
            "then the cells below it end in that error."
        )
    elif missing:
        shown = ", ".join(f"[{number}]" for number in missing)
        sentences.append(
            f"Without recorded outputs: {shown}. The code has changed since it was "
            "last run for the book."
        )
    return f"> {' '.join(sentences)}"


def describe_kernel(name: str, code: list[Cell], framework: str) -> dict[str, Any]:
    """The notebook's metadata: the kernel that every Jupyter has.

    Args:
        name: The file's name in Colab.
        code: The code cells; what asks for devices asks for a GPU.
        framework: The framework key; the last wheel of MXNet has no GPU.
    """
    metadata: dict[str, Any] = {
        "kernelspec": {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        },
        "language_info": {"name": "python"},
        "colab": {"name": f"{name}.ipynb", "provenance": []},
    }
    text = "\n".join(cell.source for cell in code)
    if framework != "mxnet" and any(word in text for word in DEVICE_WORDS):
        metadata["accelerator"] = "GPU"
        metadata["colab"]["gpuType"] = "T4"
    return metadata


def list_references(cells: list[Cell], targets: Targets) -> list[NotebookNode]:
    """A cell with the works that the notebook cites; none where it cites none."""
    keys = list_citations(cell.source for cell in cells if cell.kind == "markdown")
    if not keys:
        return []
    full = sorted(targets.sources[key].full for key in keys)
    text = "\n".join(["## References", "", *(f"- {line}" for line in full)])
    return [v4.new_markdown_cell(text, id="book_references")]


def _to_words(
    cell: Cell, position: int, edition: Edition, section: Section, framework: str
) -> NotebookNode:
    text = plain_prose(cell, section.path, edition.targets, framework)
    # No step's id has an underscore, so these cannot meet one.
    return v4.new_markdown_cell(text, id=f"prose_{position}")


def _to_node(
    cell: Cell, recorded: Recorded, number: int, unfinished: bool
) -> NotebookNode:
    node = v4.new_code_cell(cell.source, id=cell.step)
    tags = [*cell.options.get("tags", [])]
    if unfinished and "raises-exception" not in tags:
        tags.append("raises-exception")
    if tags:
        node.metadata["tags"] = tags
    if cell.step in recorded.cells:
        node.outputs = show_stills(recorded.cells[cell.step].outputs)
        node.execution_count = number
    for output in node.outputs:
        if output.output_type == "execute_result":
            output.execution_count = number
    return node


def show_stills(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """A cell's outputs with each recorded widget as what it begins with.

    Args:
        outputs: Recorded outputs that carry their states; left as they are.
    """
    shown = [nbformat.from_dict(output) for output in outputs]
    for output in shown:
        states = output.get("data", {}).pop(STATE, None)
        view = output.get("data", {}).pop(VIEW, None)
        if states and view:
            output.data["text/html"] = draw_still(view["model_id"], states)
    return shown
