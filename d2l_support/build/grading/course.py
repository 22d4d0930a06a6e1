"""An nbgrader course folder: its configuration, its assignments, its paths."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config, PyFileConfigLoader

from d2l_support.build.locks import hold_course, hold_file
from d2l_support.build.problems import CannotWork

CONFIG = "nbgrader_config.py"
WORK = ".grading"
"""The folder in a course where grading keeps its lock and its drafts."""


@dataclass(frozen=True)
class Course:
    """A course folder in nbgrader's layout.

    Attributes:
        root: The folder.
        config: What its ``nbgrader_config.py`` says.
    """

    root: Path
    config: Config = field(repr=False, default_factory=Config)

    @classmethod
    def open(cls, root: Path) -> "Course":
        """The course in a folder; its configuration is code, and is run.

        Raises:
            CannotWork: There is no course there, or nbgrader cannot read it.
        """
        root = root.resolve()
        config = Config()
        if (root / CONFIG).is_file():
            try:
                config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
            except Exception as error:  # whatever the instructor's code raises
                raise CannotWork(
                    f"{root / CONFIG}: found that it cannot be run "
                    f"({type(error).__name__}: {error})"
                ) from error
        config.CourseDirectory.root = str(root)
        course = cls(root, config)
        course._check()
        return course

    def _check(self) -> None:
        """Holds the folder to have sources, and a database where that is a file."""
        url = self.directory.db_url
        database = Path(url.removeprefix("sqlite:///"))
        missing = url.startswith("sqlite:///") and not database.is_file()
        if missing or not (self.root / self.directory.source_directory).is_dir():
            raise CannotWork(
                f"{self.root}: found no source folder and gradebook.db, expected an "
                "nbgrader course. Run: d2l-support assign --to FOLDER, or in the "
                "course: nbgrader generate_assignment NAME"
            )

    @cached_property
    def directory(self) -> CourseDirectory:
        """The folder as nbgrader sees it."""
        return CourseDirectory(config=self.config)

    @property
    def submitted(self) -> Path:
        """The folder of what students handed in."""
        return self.root / self.directory.submitted_directory

    @property
    def feedback(self) -> Path:
        """The folder of what they get back."""
        return self.root / self.directory.feedback_directory

    @property
    def work(self) -> Path:
        """The folder of drafts that can always be made again."""
        return self.root / WORK

    def open_gradebook(self) -> Gradebook:
        """The database of nbgrader, to be used in a ``with`` block."""
        return Gradebook(self.directory.db_url, self.directory.course_id)

    @contextlib.contextmanager
    def hold_lock(self) -> Iterator[None]:
        """Keeps other commands out while the block runs; it does not wait.

        Raises:
            CannotWork: Another process grades this course, or writes there.
        """
        self.work.mkdir(exist_ok=True)
        grader = "another d2l-support grade at work in this course"
        with (
            hold_file(self.work / "lock", grader, f"{self.root}: "),
            hold_course(self.root),
        ):
            yield
