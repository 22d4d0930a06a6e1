"""The ledger: what was observed of each cell under each setting.

One file beside the records, sorted and line by line, so that a change of it
can be reviewed. It lists only cells that did not print the same text: a
notebook whose setting is listed with no cell printed what its record holds.
An observation belongs to the record with the mark that stands beside it; once
that record is made anew with other cells, it no longer counts.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from d2l_support.build.digests import digest_json
from d2l_support.build.files import write_whole
from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork, ContentError, Problem
from d2l_support.build.survey.agreement import Agreement

FORMAT = 2
MARK = 16
"""Characters of a mark that tell records apart."""

PATH = Path("chapters") / "ledger.json"

Cells = Mapping[str, Agreement]
"""By cell id, what did not print the same text."""


@dataclass(frozen=True)
class Observation:
    """One notebook under one setting.

    Attributes:
        mark: The first characters of the mark of the record that it was
            compared with, see ``mark_of``.
        date: When, as ISO date.
        environment: What the kernel said of itself.
        cells: The cells that did not print the same text.
    """

    mark: str
    date: str
    environment: Mapping[str, Any]
    cells: Cells = field(default_factory=dict)


Key = tuple[str, str, str]
"""Section, framework and setting."""


@dataclass
class Ledger:
    """All observations.

    Attributes:
        observations: By section, framework and setting.
    """

    observations: dict[Key, Observation] = field(default_factory=dict)

    def find(self, section: str, framework: str, mark: str) -> dict[str, Observation]:
        """What counts for a record, by setting."""
        return {
            setting: observation
            for (name, key, setting), observation in self.observations.items()
            if (name, key) == (section, framework) and mark.startswith(observation.mark)
        }

    def add(self, key: Key, observation: Observation) -> None:
        """Puts an observation in the place of an older one."""
        self.observations[key] = observation

    def keep_only(self, sections: list[str]) -> None:
        """Forgets the sections that are no longer in the book."""
        self.observations = {
            key: observation
            for key, observation in self.observations.items()
            if key[0] in sections
        }


def read_ledger(book: Book) -> Ledger:
    """The ledger of a checkout; an empty one where there is no file.

    Raises:
        ContentError: The file is no ledger.
        CannotWork: It is there but cannot be read.
    """
    path = book.root / PATH
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Ledger()
    except OSError as error:
        raise CannotWork(
            f"{PATH}: found that it cannot be read ({error.strerror}), expected a file"
        ) from error
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']}")
        environments = data["environments"]
        found = {
            (section, framework, setting): _read_observation(entry, environments)
            for section, frameworks in data["observations"].items()
            for framework, settings in frameworks.items()
            for setting, entry in settings.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        message = (
            f"found no readable ledger ({type(error).__name__}: {error}), "
            "expected the file that `survey` wrote"
        )
        run = f"git checkout {PATH}"
        raise ContentError([Problem("ledger", message, PATH, run=run)]) from error
    return Ledger(found)


def _read_observation(entry: dict, environments: dict) -> Observation:
    cells = entry.get("cells", {})
    agreements = {cell: Agreement.from_data(data) for cell, data in cells.items()}
    environment = environments[entry["environment"]]
    return Observation(entry["mark"], entry["date"], environment, agreements)


def write_ledger(book: Book, ledger: Ledger) -> None:
    """Writes the ledger whole or not at all.

    Raises:
        CannotWork: The disk is full or the folder cannot be written.
    """
    environments: dict[str, Any] = {}
    observations: dict[str, Any] = {}
    for (section, framework, setting), seen in sorted(ledger.observations.items()):
        name = f"{framework} {digest_json(seen.environment)[:8]}"
        environments[name] = seen.environment
        entry = {"mark": seen.mark, "date": seen.date, "environment": name}
        if seen.cells:
            entry["cells"] = {cell: a.to_data() for cell, a in seen.cells.items()}
        frameworks = observations.setdefault(section, {})
        frameworks.setdefault(framework, {})[setting] = entry
    data = {
        "format": FORMAT,
        "environments": environments,
        "observations": observations,
    }
    write_whole(book.root / PATH, _lay_out(data, levels=4) + "\n")


def _lay_out(data: Any, levels: int, indent: str = "") -> str:
    """JSON with a line for each environment and for each observation."""
    if levels == 0 or not isinstance(data, dict) or "mark" in data or "device" in data:
        return json.dumps(data, sort_keys=True, ensure_ascii=False)
    inner = indent + " "
    lines = [
        f"{inner}{json.dumps(key)}: {_lay_out(value, levels - 1, inner)}"
        for key, value in data.items()
    ]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
