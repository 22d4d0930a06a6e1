"""What the cover tells: which edition this is, and what its outputs rest on."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version

import yaml

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.layout import Book
from d2l_support.build.survey.ledger import Observation, read_ledger

UNCHANGED = "again"
"""The survey's setting in which nothing is changed."""

NAMES = {
    "flax": "Flax",
    "jax": "JAX",
    "keras": "Keras",
    "mxnet": "MXNet",
    "numpy": "NumPy",
    "optax": "Optax",
    "python": "Python",
    "tensorflow": "TensorFlow",
    "torch": "PyTorch",
}
"""The packages that the cover names, as readers write them."""

PACKAGE = "d2l-support"


@dataclass(frozen=True)
class Edition:
    """One PDF's facts.

    Attributes:
        framework: The framework key.
        solutions: Whether worked solutions are in it.
        title: The book's.
        authors: The book's.
        version: The book's.
        versions: What the outputs were found to hold with, such as ``JAX 0.10.2``.
        first: The earliest day on which an output was verified, or None.
        last: The latest such day, or None.
    """

    framework: str
    solutions: bool
    title: str
    authors: str
    version: str
    versions: tuple[str, ...] = ()
    first: date | None = None
    last: date | None = None

    @property
    def label(self) -> str:
        """The framework's name."""
        return FRAMEWORKS[self.framework].label

    @property
    def verified(self) -> str:
        """The days of verification in words; nothing if there was none."""
        if self.first is None or self.last is None:
            return ""
        days = dict.fromkeys((_write_day(self.first), _write_day(self.last)))
        return " to ".join(days)


def describe_edition(book: Book, framework: str, solutions: bool) -> Edition:
    """The facts of a PDF, from the book's configuration and its ledger.

    Args:
        book: The checkout.
        framework: The framework key.
        solutions: Whether worked solutions are in it.

    Raises:
        ContentError: The ledger cannot be read.
    """
    text = (book.root / "_config.yml").read_text(encoding="utf-8")
    config = yaml.safe_load(text)
    seen = [
        observation
        for (_, key, setting), observation in read_ledger(book).observations.items()
        if key == framework and setting == UNCHANGED
    ]
    days = sorted(date.fromisoformat(each.date) for each in seen)
    return Edition(
        framework,
        solutions,
        title=config["title"],
        authors=config["author"],
        version=version(PACKAGE),
        versions=tuple(_list_versions(seen)),
        first=days[0] if days else None,
        last=days[-1] if days else None,
    )


def _list_versions(seen: Iterable[Observation]) -> list[str]:
    found = {pair for each in seen for pair in each.environment["versions"].items()}
    return [
        f"{NAMES[name]} {number.partition('+')[0]}"
        for name, number in sorted(found)
        if name in NAMES
    ]


def _write_day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
