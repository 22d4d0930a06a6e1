"""The assignment's own cells, with a student's answers and extra cells in them.

Only answers and cells of the student's own are taken from a submission; every
other cell is the instructor's, hidden tests included.
"""

from dataclasses import dataclass

from nbformat import NotebookNode, v4

from d2l_support.build.grading.finding import Finding, name_cells
from d2l_support.build.grading.frame import Assignment, grade_id, is_answer, is_own
from d2l_support.build.grading.matching import Match, match_cells

OWN = "_own-"
"""How the ids of the student's own cells begin, and no other."""


@dataclass(frozen=True)
class Restored:
    """A notebook that can be run and graded.

    Attributes:
        notebook: The cells of the frame in its order, and the student's own
            cells behind those that they stood behind.
        findings: What was changed to get there.
    """

    notebook: NotebookNode
    findings: tuple[Finding, ...]


def restore_notebook(submitted: NotebookNode, assignment: Assignment) -> Restored:
    """Puts a student's answers into the assignment's cells.

    Args:
        submitted: The notebook as ``read_notebook`` gives it.
        assignment: What it was made for.
    """
    frame, given = assignment.frame.cells, submitted.cells
    match = match_cells(assignment.released.cells, given)
    extras = _collect_extras(given, match)
    cells = list(extras.get(-1, ()))
    for place, cell in enumerate(frame):
        answer = given[match.places[place]] if place in match.places else None
        cells.append(_fill(cell, answer))
        cells += extras.get(place, ())
    for number, cell in enumerate(cells):
        if is_own(cell):
            cell.id = f"{OWN}{number}"
    notebook = v4.new_notebook(cells=cells, metadata=assignment.frame.metadata)
    return Restored(notebook, tuple(_find_changes(assignment, given, match)))


def _collect_extras(
    given: list[NotebookNode], match: Match
) -> dict[int, list[NotebookNode]]:
    """The student's own cells, by the cell of the frame that they stand behind."""
    frame_places = {found: wanted for wanted, found in match.places.items()}
    behind, extras = -1, {}
    for place, cell in enumerate(given):
        if place in frame_places:
            behind = frame_places[place]
        elif cell.source.strip():
            extras.setdefault(behind, []).append(_make_cell(cell.cell_type, cell))
    return extras


def _make_cell(kind: str, cell: NotebookNode) -> NotebookNode:
    made = getattr(v4, f"new_{kind}_cell")(cell.source)
    if kind == "markdown" and "attachments" in cell:
        made.attachments = cell.attachments
    return made


def _fill(cell: NotebookNode, answer: NotebookNode | None) -> NotebookNode:
    """A cell of the frame, with the student's text where it is an answer."""
    if answer is None or not is_answer(cell):
        answer = cell
    filled = _make_cell(cell.cell_type, answer)
    filled.id, filled.metadata = cell.id, NotebookNode(cell.metadata)
    return filled


def _find_changes(
    assignment: Assignment, given: list[NotebookNode], match: Match
) -> list[Finding]:
    frame = assignment.released.cells
    names = [grade_id(cell) for cell in frame]
    pairs = sorted(match.places.items())
    edited = [
        names[wanted]
        for wanted, found in pairs
        if not is_answer(frame[wanted]) and _differs(frame[wanted], given[found])
    ]
    gone = [place for place in range(len(frame)) if place not in match.places]
    changes = {
        "found locked cells edited ({}); put back": edited,
        "found locked cells deleted ({}); put back": [
            names[place] for place in gone if not is_answer(frame[place])
        ],
        "found no cell for the answers {}; graded as left empty": [
            names[place] for place in gone if is_answer(frame[place])
        ],
        "found cells without their ids, known by place or text ({})": [
            names[place] for place in match.renamed
        ],
        "found several cells with one id ({}); the last counts": match.doubled,
        "found cells of another kind than given ({}); set back": [
            names[wanted]
            for wanted, found in pairs
            if frame[wanted].cell_type != given[found].cell_type
        ],
    }
    findings = [
        Finding(text.format(name_cells(ids))) for text, ids in changes.items() if ids
    ]
    if [found for _, found in pairs] != sorted(match.places.values()):
        findings.append(Finding("found cells in another order; set back"))
    return findings


def _differs(cell: NotebookNode, other: NotebookNode) -> bool:
    """Whether texts differ in more than blank ends, which editors change."""
    return _strip_lines(cell.source) != _strip_lines(other.source)


def _strip_lines(source: str) -> list[str]:
    return [line.rstrip() for line in source.strip().splitlines()]
