"""Writes into a course what is new or changed, and puts back what fails."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from d2l_support.build.assign.course import Course
from d2l_support.build.assign.notebook import digest_notebook
from d2l_support.build.assign.release import generate_releases

NEW, CHANGED, UNCHANGED, EDITED = "new", "changed", "unchanged", "edited"

FAILED = "failed"


@dataclass(frozen=True)
class Draft:
    """An assignment as the book has it now.

    Attributes:
        name: The assignment.
        notebook: Its source.
        files: What lies beside it, by name.
    """

    name: str
    notebook: NotebookNode
    files: dict[str, bytes]


@dataclass(frozen=True)
class Written:
    """What became of a draft.

    Attributes:
        name: The assignment.
        state: ``new``, ``changed``, ``unchanged``, ``edited`` (by hand, and
            left alone) or ``failed`` (and as it was before).
        detail: Why it failed, or the empty text.
    """

    name: str
    state: str
    detail: str = ""


def write_assignments(course: Course, drafts: list[Draft]) -> list[Written]:
    """Writes source and release of what is new or changed.

    Args:
        course: The course; its configuration is written.
        drafts: The assignments as the book has them now.

    Raises:
        CannotWork: nbgrader does not run; everything is as it was before.
    """
    states = {draft.name: judge_draft(course, draft) for draft in drafts}
    due = [draft for draft in drafts if states[draft.name] in (NEW, CHANGED)]
    problems: dict[str, str] = {}
    if due:
        with _put_back(course, [draft.name for draft in due]) as unfinished:
            for draft in due:
                _write_source(course, draft)
            for release in generate_releases(course, [draft.name for draft in due]):
                problems[release.name] = release.problem
                if not release.problem:
                    unfinished.remove(release.name)
    return [
        Written(name, FAILED, problems[name])
        if problems.get(name)
        else Written(name, state)
        for name, state in states.items()
    ]


def judge_draft(course: Course, draft: Draft) -> str:
    """What a draft is to the course: a state of ``Written``."""
    path = course.source_notebook(draft.name)
    if not path.exists():
        return NEW
    present = _read_digests(path)
    if present is None or present[0] != present[1]:
        return EDITED
    whole = course.release_notebook(draft.name).is_file() and course.gradebook.is_file()
    same = present[0] == draft.notebook.metadata.book.digest and all(
        (course.source(draft.name) / name).is_file()
        and (course.source(draft.name) / name).read_bytes() == content
        for name, content in draft.files.items()
    )
    return UNCHANGED if same and whole else CHANGED


def _read_digests(path: Path) -> tuple[str, str] | None:
    """The digest that a source was written with, and that of what it holds."""
    try:
        notebook = nbformat.read(path, as_version=4)
        return notebook.metadata["book"]["digest"], digest_notebook(notebook)
    except (OSError, ValueError, KeyError, nbformat.ValidationError):
        return None


def _write_source(course: Course, draft: Draft) -> None:
    folder = course.source(draft.name)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in draft.files.items():
        (folder / name).write_bytes(content)
    nbformat.write(draft.notebook, course.source_notebook(draft.name))


@contextmanager
def _put_back(course: Course, names: list[str]) -> Iterator[set[str]]:
    """Copies assignments; those still in the set at the end are put back."""
    unfinished = set(names)
    with tempfile.TemporaryDirectory(dir=course.root, prefix=".before-") as aside:
        kept = [
            (place(name), Path(aside, kind, name), name)
            for name in names
            for kind, place in (("source", course.source), ("release", course.release))
        ]
        for present, copy, _ in kept:
            if present.exists():
                shutil.copytree(present, copy)
        try:
            yield unfinished
        finally:
            for present, copy, name in kept:
                if name in unfinished:
                    _restore(present, copy)


def _restore(present: Path, copy: Path) -> None:
    if present.exists():
        shutil.rmtree(present)
    if copy.exists():
        copy.rename(present)
