"""The assignments of a course, as nbgrader released them."""

import json
import logging
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import (
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
)
from traitlets.config import Config

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.grading.course import Course
from d2l_support.build.grading.frame import (
    Assignment,
    find_framework,
    grade_id,
    is_answer,
)
from d2l_support.build.problems import CannotWork


def load_assignments(course: Course, wanted: list[str] | None) -> list[Assignment]:
    """The assignments of a course, by name; no name means all.

    Raises:
        CannotWork: A name is none of them, or one cannot be graded.
    """
    with course.open_gradebook() as gradebook:
        names = sorted(assignment.name for assignment in gradebook.assignments)
        for name in wanted or []:
            if name not in names:
                raise CannotWork(
                    f"found no assignment {name!r} in the gradebook, expected one "
                    f"of {', '.join(names) or 'none'}"
                )
        chosen = [name for name in names if not wanted or name in wanted]
        if not chosen:
            raise CannotWork(
                f"{course.root}: found no assignment in the gradebook. Run in the "
                "course: nbgrader generate_assignment NAME"
            )
        return [_load_assignment(course, gradebook, name) for name in chosen]


def _load_assignment(course: Course, gradebook: Gradebook, name: str) -> Assignment:
    directory = course.directory
    folder = Path(directory.format_path(directory.source_directory, ".", name))
    paths = sorted(folder.glob("*.ipynb"))
    if len(paths) != 1:
        raise CannotWork(f"{folder}: found {len(paths)} notebooks, expected one")
    source = nbformat.read(paths[0], as_version=4)
    framework = find_framework(source)
    if not framework:
        raise CannotWork(
            f"{paths[0]}: found neither grade ids nor a kernel of one framework, "
            f"expected one of {', '.join(FRAMEWORKS)}"
        )
    model = "\n".join(
        cell.source
        for cell in source.cells
        if grade_id(cell) and is_answer(cell) and cell.cell_type == "code"
    )
    frame, released = make_frame(source, course.config)
    _check_current(gradebook, name, paths[0].stem, frame)
    return Assignment(name, paths[0].stem, framework, frame, released, model)


def make_frame(
    source: NotebookNode, config: Config
) -> tuple[NotebookNode, NotebookNode]:
    """The cells that nbgrader knows: with the hidden tests, and as released.

    Args:
        source: The instructor's notebook; it is used up.
        config: The course's configuration.
    """
    steps = (LockCells, ClearSolutions, ClearOutput, ComputeChecksums)
    frame = _preprocess(source, config, *steps)
    cells = [cell for cell in frame.cells if grade_id(cell)]
    for number, cell in enumerate(cells):
        if cell.get("id", "_").startswith("_"):
            cell.id = f"cell-{number}"
    frame = nbformat.v4.new_notebook(cells=cells, metadata=frame.metadata)
    copy = nbformat.from_dict(json.loads(json.dumps(frame)))
    return frame, _preprocess(copy, config, ClearHiddenTests, ClearMarkScheme)


def _preprocess(notebook: NotebookNode, config: Config, *steps) -> NotebookNode:
    log = logging.getLogger(__name__)
    for step in steps:
        notebook, _ = step(config=config, log=log).preprocess(notebook, {})
    return notebook


def _check_current(
    gradebook: Gradebook, name: str, notebook: str, frame: NotebookNode
) -> None:
    """Holds the database to know the source as it stands."""
    try:
        known = gradebook.find_notebook(notebook, name).source_cells
    except MissingEntry:
        known = []
    there = {grade_id(cell): cell.metadata.nbgrader.checksum for cell in frame.cells}
    if {cell.name: cell.checksum for cell in known} != there:
        raise CannotWork(
            f"source/{name}: found that it was changed after its release was made, "
            f"expected the version in the gradebook. Run in the course: "
            f"nbgrader generate_assignment {name} --force"
        )
