"""The folder of an nbgrader course, with nbgrader's own names in it."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from d2l_support.build.locks import hold_course
from d2l_support.build.problems import CannotWork

CONFIG = "nbgrader_config.py"


@dataclass(frozen=True)
class Course:
    """A course.

    Attributes:
        root: Its folder, as an absolute path.
    """

    root: Path

    @property
    def config(self) -> Path:
        """What makes a folder a course."""
        return self.root / CONFIG

    @property
    def gradebook(self) -> Path:
        """The database, which is nbgrader's own."""
        return self.root / "gradebook.db"

    @property
    def guide(self) -> Path:
        """The words for the instructor."""
        return self.root / "README.md"

    def source(self, assignment: str) -> Path:
        """The folder of an assignment with solutions and hidden tests."""
        return self.root / "source" / assignment

    def release(self, assignment: str) -> Path:
        """The folder of an assignment as students get it."""
        return self.root / "release" / assignment

    def source_notebook(self, assignment: str) -> Path:
        """The notebook with solutions and hidden tests."""
        return self.source(assignment) / f"{assignment}.ipynb"

    def release_notebook(self, assignment: str) -> Path:
        """The notebook that students get."""
        return self.release(assignment) / f"{assignment}.ipynb"

    def submissions(self, assignment: str) -> list[Path]:
        """The folders in which submissions of an assignment were collected."""
        return sorted(self.root.glob(f"submitted/*/{assignment}"))

    def hold(self) -> AbstractContextManager[None]:
        """Keeps other commands from writing here while the block runs.

        Raises:
            CannotWork: Another command holds the course.
        """
        return hold_course(self.root)


def prepare_course(folder: Path) -> Course:
    """The course in a folder, or the place for a new one.

    Raises:
        CannotWork: The folder holds something else.
    """
    course = Course(folder.resolve())
    if course.root.exists() and not course.root.is_dir():
        raise CannotWork(f"{folder}: found a file, expected the folder of a course")
    held = [] if course.config.is_file() else _list_visible(course.root)
    if held:
        raise CannotWork(
            f"{folder}: found {', '.join(held[:3])} and no {CONFIG} in it, "
            "expected the folder of a course, an empty folder or none"
        )
    course.root.mkdir(parents=True, exist_ok=True)
    return course


def _list_visible(folder: Path) -> list[str]:
    """What lies in a folder, other than the likes of ``.git``."""
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return sorted(name for name in names if not name.startswith("."))
