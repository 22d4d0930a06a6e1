"""What was graded, so that a later run does only what is new.

``grading.json`` in the course has an entry for each graded submission. It is
written whole after every one of them, and an entry is there only when the
gradebook and ``autograded/`` are up to date with it: a run that is ended at
any moment leaves behind what it finished, and nothing half done.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from d2l_support.build.files import write_whole
from d2l_support.build.grading.finding import Finding
from d2l_support.build.problems import CannotWork

SCHEMA = 1
Key = tuple[str, str]


@dataclass(frozen=True)
class Entry:
    """A graded submission.

    Attributes:
        digest: Of the submitted file.
        version: Of the assignment's cells, and of all that a grade depends on.
        file: The submitted file, relative to the course.
        ending: How its run ended.
        isolation: ``sandbox`` or ``process``.
        seconds: How long it ran.
        limits: What it was limited to, as text.
        findings: What is noteworthy, as pairs of a text and whether to look.
        feedback: What the feedback page showed when it was written.
    """

    digest: str
    version: str
    file: str
    ending: str
    isolation: str
    seconds: float
    limits: str
    findings: tuple[tuple[str, bool], ...] = ()
    feedback: str = ""

    @property
    def found(self) -> list[Finding]:
        """The findings as values."""
        return [Finding(text, look) for text, look in self.findings]


class Ledger:
    """The entries of one course, by assignment and student."""

    def __init__(self, path: Path):
        self.path = path
        self.entries: dict[Key, Entry] = {}

    @classmethod
    def read(cls, path: Path) -> "Ledger":
        """The ledger in a file; an empty one where there is none.

        Raises:
            CannotWork: The file is no ledger.
        """
        ledger = cls(path)
        if not path.is_file():
            return ledger
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["schema"] != SCHEMA:
                raise ValueError(f"schema {document['schema']!r}")
            for assignment, students in document["submissions"].items():
                for student, values in students.items():
                    values["findings"] = tuple(map(tuple, values["findings"]))
                    ledger.entries[assignment, student] = Entry(**values)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CannotWork(
                f"{path}: found no record of grading of schema {SCHEMA} ({error}). "
                "Run: mv it away and grade again; the gradebook keeps all manual "
                "grades"
            ) from error
        return ledger

    def put(self, key: Key, entry: Entry) -> None:
        """Adds or replaces an entry, and writes the file."""
        self.entries[key] = entry
        self.write()

    def forget(self, keys: list[Key]) -> None:
        """Drops entries whose submissions are about to be graded again."""
        known = [key for key in keys if key in self.entries]
        for key in known:
            del self.entries[key]
        if known:
            self.write()

    def write(self) -> None:
        """Writes the file, whole or not at all."""
        submissions: dict[str, dict] = {}
        for (assignment, student), entry in sorted(self.entries.items()):
            submissions.setdefault(assignment, {})[student] = asdict(entry)
        document = {"schema": SCHEMA, "submissions": submissions}
        write_whole(self.path, json.dumps(document, indent=1) + "\n")
