"""Finds what each student handed in for each assignment, by the folders' names.

Machines that ignore case can hand in two folders that differ in nothing else:
they are one student, unless the gradebook knows both.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from d2l_support.build.grading.choosing import choose_file, list_files
from d2l_support.build.grading.finding import Finding, Refusal
from d2l_support.build.grading.frame import Assignment
from d2l_support.build.grading.opening import check_inside

IGNORED = (".ipynb_checkpoints", ".DS_Store", ".git", "__MACOSX", "__pycache__")
FORMULA = tuple("=+-@")
"""How a name must not begin: in a CSV, spreadsheets take it for a formula."""


@dataclass(frozen=True)
class Handed:
    """What one student handed in for one assignment.

    Attributes:
        student: The student's name in nbgrader.
        assignment: What it was handed in for.
        path: The file that counts, or the folder where none does.
        findings: What is noteworthy about it.
        refusal: Why no file counts; "" where one does.
    """

    student: str
    assignment: Assignment
    path: Path
    findings: tuple[Finding, ...] = ()
    refusal: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The assignment's name and the student's."""
        return self.assignment.name, self.student


@dataclass
class _Group:
    """The folders of one student for one assignment, with their spellings."""

    assignment: Assignment
    folders: list[tuple[str, Path]] = field(default_factory=list)


def find_submissions(
    submitted: Path, assignments: list[Assignment], known: list[str]
) -> Iterator[Handed]:
    """What every student handed in for some assignments, by name.

    Args:
        submitted: The folder with one folder for each student.
        assignments: What to look for.
        known: The students in the gradebook.
    """
    groups: dict[tuple[str, str], _Group] = {}
    for folder in _list_folders(submitted):
        student = name_student(folder.name, known)
        for assignment in assignments:
            for inner in _list_folders(folder):
                if fold_name(inner.name) == fold_name(assignment.name):
                    key = assignment.name, student
                    group = groups.setdefault(key, _Group(assignment))
                    group.folders.append((folder.name, inner))
    for (_, student), group in sorted(groups.items()):
        yield _choose(submitted, group, student if student in known else "")


def fold_name(name: str) -> str:
    """A name as machines see it that tell neither case nor composed accents."""
    return unicodedata.normalize("NFC", name).casefold()


def name_student(spelling: str, known: list[str]) -> str:
    """The student in the gradebook that a folder belongs to, or its folded name."""
    if spelling in known:
        return spelling
    same = [name for name in known if fold_name(name) == fold_name(spelling)]
    return same[0] if len(same) == 1 else fold_name(spelling)


def check_name(student: str) -> None:
    """Holds a folder's name to be one that nbgrader and a CSV can carry.

    Raises:
        Refusal: It has control characters, undecodable bytes, blank ends, or
            begins like a formula.
    """
    if (
        not student.isprintable()
        or student != student.strip()
        or student.startswith((*FORMULA, "."))
    ):
        raise Refusal(
            f"found the student folder {student!a}, expected a name of "
            "printable characters that begins with none of = + - @ . or blank; "
            "not graded: rename the folder"
        )


def _list_folders(folder: Path) -> list[Path]:
    try:
        inner = sorted(folder.iterdir())
    except OSError:
        return []
    return [path for path in inner if path.name not in IGNORED and path.is_dir()]


def _choose(submitted: Path, group: _Group, known: str) -> Handed:
    """The one file that counts in a student's folders."""
    assignment, (first, folder) = group.assignment, group.folders[0]
    files, owners = [], {}
    try:
        for spelling, folder in group.folders:
            check_name(spelling)
            check_inside(folder, submitted)
            found = list_files(folder)
            files += found
            owners |= dict.fromkeys(found, spelling)
        path, findings = choose_file(files, assignment.notebook, submitted)
    except Refusal as refusal:
        return Handed(known or first, assignment, folder, refusal=str(refusal))
    return Handed(known or owners[path], assignment, path, tuple(findings))
