"""Which submitted cell is which cell of the assignment.

Ids may have been renamed, doubled or lost, and cells deleted or moved. A cell
is known by the first of these that holds: the id that nbgrader gave it, the
cell's own id, its text where that is locked, and last its place: one answer
missing between two known cells, and one unknown cell there.
"""

from dataclasses import dataclass, field

from nbformat import NotebookNode

from d2l_support.build.grading.frame import grade_id, is_answer

Cells = list[NotebookNode]


@dataclass
class Match:
    """Pairs of cells, by their places in the frame and in the submission.

    Attributes:
        places: The submitted cell of each cell of the frame that was found.
        renamed: The cells of the frame that were found without their id.
        doubled: The ids that more than one submitted cell has.
    """

    places: dict[int, int] = field(default_factory=dict)
    renamed: list[int] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)

    def take(self, wanted: int, found: int) -> None:
        """Notes a pair that was found without the id."""
        self.places[wanted] = found
        self.renamed.append(wanted)


def match_cells(frame: Cells, submitted: Cells) -> Match:
    """Finds the cells of a frame among submitted ones."""
    match = Match()
    _match_grade_ids(frame, submitted, match)
    _match_cell_ids(frame, submitted, match)
    _match_texts(frame, submitted, match)
    _match_places(frame, submitted, match)
    match.renamed.sort()
    return match


def _match_grade_ids(frame: Cells, submitted: Cells, match: Match) -> None:
    """By nbgrader's id; of several cells with one id the last counts."""
    known = {grade_id(cell): place for place, cell in enumerate(frame)}
    for place, cell in enumerate(submitted):
        name = grade_id(cell)
        if name in known:
            if known[name] in match.places and name not in match.doubled:
                match.doubled.append(name)
            match.places[known[name]] = place


def _left(cells: Cells, taken) -> list[int]:
    known = set(taken)
    return [place for place in range(len(cells)) if place not in known]


def _match_cell_ids(frame: Cells, submitted: Cells, match: Match) -> None:
    doubled = set(match.doubled)
    for found in _left(submitted, match.places.values()):
        if grade_id(submitted[found]) in doubled:
            continue
        ids = set(submitted[found].metadata["ids"])
        for wanted in _left(frame, match.places):
            if ids & {frame[wanted].id, grade_id(frame[wanted])}:
                match.take(wanted, found)
                break


def _match_texts(frame: Cells, submitted: Cells, match: Match) -> None:
    for wanted in _left(frame, match.places):
        for found in _left(submitted, match.places.values()):
            same = submitted[found].source.strip() == frame[wanted].source.strip()
            if same and not is_answer(frame[wanted]):
                match.take(wanted, found)
                break


def _match_places(frame: Cells, submitted: Cells, match: Match) -> None:
    """One answer missing between two known cells, and one unknown cell there."""
    gaps: dict[tuple[int, int], list[int]] = {}
    for wanted in _left(frame, match.places):
        if is_answer(frame[wanted]):
            gaps.setdefault(_find_gap(wanted, len(submitted), match), []).append(wanted)
    doubled = set(match.doubled)
    for (first, last), wanted in gaps.items():
        unknown = [
            place
            for place in _left(submitted, match.places.values())
            if first < place < last and grade_id(submitted[place]) not in doubled
        ]
        for kind in ("code", "markdown"):
            missing = [each for each in wanted if frame[each].cell_type == kind]
            there = [each for each in unknown if submitted[each].cell_type == kind]
            if len(missing) == len(there) == 1:
                match.take(missing[0], there[0])


def _find_gap(wanted: int, end: int, match: Match) -> tuple[int, int]:
    before = [match.places[place] for place in match.places if place < wanted]
    after = [match.places[place] for place in match.places if place > wanted]
    return max(before, default=-1), min(after, default=end)
