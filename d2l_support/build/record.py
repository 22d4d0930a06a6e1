"""Records: one framework's code cells of a section, with their outputs.

A record is a valid notebook (nbformat 4.5). Its metadata names the section
and framework, the digests of what it was made with, the environment it ran
in, and a seal: the digest of its cells, which a later edit breaks.
"""

from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from d2l_support.build.compare import default_rule
from d2l_support.build.digests import digest_helpers, digest_json, digest_requirements
from d2l_support.build.files import write_whole
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.normalise import normalise_outputs
from d2l_support.build.problems import CannotWork, ContentError, Problem
from d2l_support.build.section import Section
from d2l_support.build.split import kernel_metadata
from d2l_support.build.widgets import carry_states, find_stateless, gather_states

FORMAT = 1
HELPERS = "d2l_support"
UNUSED = "none"
LARGEST_OUTPUT = 200_000
"""Bytes that the outputs of one cell may take in a record."""


def made_with(book: Book, framework: str, section: Section) -> dict[str, str]:
    """The digests of what a section's record depends on beside the source.

    Args:
        book: The checkout.
        framework: The record's framework.
        section: The section; one whose code never names the helpers does not
            depend on them.
    """
    cells = section.code_cells(framework)
    uses_helpers = any(HELPERS in cell.source for cell in cells)
    package = book.root / HELPERS
    return {
        "requirements": digest_requirements(book.requirements(framework)),
        "helpers": digest_helpers(package, framework) if uses_helpers else UNUSED,
    }


def build_record(
    section: Section,
    framework: str,
    executed: NotebookNode,
    environment: dict[str, Any],
    digests: dict[str, str],
    root: Path | None = None,
) -> NotebookNode:
    """The record of an executed notebook.

    Args:
        section: The section that was executed.
        framework: Its framework.
        executed: The split notebook with outputs.
        environment: What the kernel said of itself.
        digests: From ``made_with``.
        root: The checkout, whose path is taken out of the outputs.

    Raises:
        ContentError: Some cell's outputs are too large, or lack their state.
    """
    cells = _record_cells(section, framework, carry_states(executed), root)
    notebook = v4.new_notebook(cells=cells, metadata=kernel_metadata(framework))
    notebook.metadata["book"] = {
        "format": FORMAT,
        "section": f"{section.path.parent.name}/{section.path.stem}",
        "framework": framework,
        **digests,
        "environment": environment,
        "seal": seal_of(notebook),
    }
    if problems := find_faulty_outputs(notebook, section.path):
        lines = {cell.step: cell.line for cell in section.code_cells(framework)}
        raise ContentError(problem.at(line=lines[problem.cell]) for problem in problems)
    return notebook


def _record_cells(
    section: Section, framework: str, executed: NotebookNode, root: Path | None
) -> list[NotebookNode]:
    """The executed cells as a record keeps them, each with its rule."""
    rules = {cell.step: cell.rule for cell in section.code_cells(framework)}
    cells = []
    for count, node in enumerate(executed.cells, start=1):
        outputs = normalise_outputs(node.outputs, root)
        rule = rules[node.id] or default_rule(outputs)
        metadata = {"book": {"compare": rule.to_metadata()}}
        if tags := node.metadata.get("tags"):
            metadata["tags"] = tags
        cell = v4.new_code_cell(node.source, id=node.id, metadata=metadata)
        cell.outputs, cell.execution_count = outputs, count
        cells.append(cell)
    return cells


def seal_of(notebook: NotebookNode) -> str:
    """The digest of a record's cells: ids, sources, rules and outputs."""
    return digest_json(notebook.cells)


def mark_of(record: NotebookNode) -> str:
    """The digest of what observations of a record rest on.

    That is all its code, and the rules' tolerances and the outputs of the cells
    that are compared. A record made anew keeps its mark when only timings,
    pins or digests are others in it.
    """
    return digest_json([_describe_cell(cell) for cell in record.cells])


def _describe_cell(cell: NotebookNode) -> list:
    rule = cell.metadata["book"]["compare"]
    tolerances = [rule.get(name) for name in ("kind", "rtol", "atol")]
    informative = rule["kind"] == "informative"
    outputs = [o for o in cell.outputs if not informative and o.get("name") != "stderr"]
    return [cell.id, cell.source, tolerances, outputs]


def find_faulty_outputs(notebook: NotebookNode, path: Path) -> list[Problem]:
    """A problem for every cell whose outputs are too large or not whole."""
    return [*find_large_outputs(notebook, path), *find_stateless(notebook, path)]


def find_large_outputs(notebook: NotebookNode, path: Path) -> list[Problem]:
    """A problem for every cell whose outputs are over the limit."""
    framework = notebook.metadata["book"]["framework"]
    problems = []
    for cell in notebook.cells:
        size = len(nbformat.v4.writes(v4.new_notebook(cells=[cell])).encode())
        if size > LARGEST_OUTPUT:
            message = (
                f"found {size} bytes of output, expected at most {LARGEST_OUTPUT}: "
                "print less or draw a smaller picture"
            )
            where = {"cell": cell.id, "framework": framework}
            problems.append(Problem("size", message, path, **where))
    return problems


def load_record(
    book: Book, section: SectionName, framework: str, device: str = "cpu"
) -> NotebookNode:
    """The record of a section in a checkout; raises as ``read_record`` does."""
    path = book.record(section, framework, device)
    return read_record(path, book.relative(path), section, framework)


def read_record(
    path: Path, shown: Path, section: SectionName, framework: str, sealed: bool = True
) -> NotebookNode:
    """The record in a file.

    Args:
        path: The file.
        shown: The same file as messages name it.
        section: The section that it must belong to.
        framework: The framework that must have made it.
        sealed: Whether its cells must be as they were recorded.

    Raises:
        FileNotFoundError: There is no such file.
        ContentError: It is truncated, edited, or another section's or
            framework's.
        CannotWork: The file is there but cannot be read.
    """
    command = f"d2l-support record --force --framework {framework} {section.name}"

    def refuse(message: str) -> ContentError:
        problem = Problem("record", message, shown, framework=framework, run=command)
        return ContentError([problem])

    try:
        notebook = v4.reads(path.read_text(encoding="utf-8"))
        nbformat.validate(notebook, version=4, version_minor=5)
        notebook = carry_states(notebook)
        book = notebook.metadata["book"]
        found = (book["format"], book["section"], book["framework"], book["seal"])
    except FileNotFoundError:
        raise
    except OSError as error:
        raise CannotWork(
            f"{shown}: found that it cannot be read ({error.strerror}), expected a file"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise refuse(
            f"found no readable record ({type(error).__name__}), "
            "expected a whole notebook that `record` wrote"
        ) from error
    except nbformat.ValidationError as error:
        raise refuse(f"found an invalid notebook ({error.message})") from error
    seal = seal_of(notebook) if sealed else book["seal"]
    wanted = (FORMAT, str(section), framework, seal)
    labels = ("format", "section", "framework", "seal")
    for label, have, want in zip(labels, found, wanted, strict=True):
        if have != want:
            edited = " (it was edited by hand)" if label == "seal" else ""
            raise refuse(
                f"found a record with {label} {have!r}, expected {want!r}{edited}"
            )
    return notebook


def write_record(path: Path, notebook: NotebookNode) -> None:
    """Writes a record whole or not at all; a fault leaves the old one.

    Raises:
        CannotWork: The disk is full or the folder cannot be written.
    """
    notebook = gather_states(notebook)
    nbformat.validate(notebook)
    text = v4.writes(notebook, indent=1, sort_keys=True) + "\n"
    write_whole(path, text)
