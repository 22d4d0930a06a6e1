"""Where things are in a checkout of the book."""

import difflib
import os
from dataclasses import dataclass
from pathlib import Path

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.problems import CannotWork


@dataclass(frozen=True, order=True)
class SectionName:
    """A section's part and name, written ``part/name``."""

    part: str
    name: str

    def __str__(self) -> str:
        return f"{self.part}/{self.name}"


@dataclass(frozen=True)
class Book:
    """A checkout of the book.

    Attributes:
        root: The folder that holds ``_toc.yml``.
    """

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> "Book":
        """The checkout around a folder (the current one by default).

        Raises:
            CannotWork: No folder from there upward holds a ``_toc.yml``.
        """
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            if (folder / "_toc.yml").is_file():
                return cls(folder)
        raise CannotWork(
            f"found no _toc.yml in {start} or above it; "
            "run this command inside a checkout of the book"
        )

    @property
    def environments(self) -> Path:
        """The folder of the virtual environments (never committed)."""
        return self.root / os.environ.get("D2L_ENVIRONMENTS", ".envs")

    @property
    def jupyter(self) -> Path:
        """The folder that JUPYTER_PATH names: our kernelspecs live in it."""
        return self.environments / "jupyter"

    @property
    def cache(self) -> Path:
        """The folder of what can always be made again (never committed)."""
        return self.root / ".cache"

    def requirements(self, environment: str) -> Path:
        """The pinned requirements of an environment."""
        return self.root / "requirements" / f"{environment}.txt"

    def sections(self) -> list[SectionName]:
        """Every section, by part and name."""
        sources = sorted(self.root.glob("chapters/*/*.md"))
        return [
            SectionName(path.parent.name, path.stem)
            for path in sources
            if path.stem != "index"
        ]

    def source(self, section: SectionName) -> Path:
        """The one hand-written file of a section."""
        return self.root / "chapters" / section.part / f"{section.name}.md"

    def record(self, section: SectionName, framework: str, device: str = "cpu") -> Path:
        """The recorded notebook of a section in one framework, by device."""
        folder = self.root / "chapters" / section.part / "recorded"
        if device != "cpu":
            folder /= device
        return folder / f"{section.name}.{framework}.ipynb"

    def relative(self, path: Path) -> Path:
        """A path as messages show it: relative to the book where it is inside."""
        return path.relative_to(self.root) if path.is_relative_to(self.root) else path

    def select_sections(self, wanted: list[str]) -> list[SectionName]:
        """The sections that words name: a section, a part, or a source file.

        Args:
            wanted: Such as ``seeds``, ``reproducibility`` or
                ``chapters/reproducibility/seeds.md``; nothing means all.

        Raises:
            CannotWork: A word names no section.
        """
        known = self.sections()
        if not wanted:
            return known
        chosen = []
        for word in wanted:
            matches = [section for section in known if _names(word, section)]
            if not matches:
                names = [section.name for section in known]
                close = difflib.get_close_matches(word, names, n=1)
                hint = f"did you mean {close[0]!r}? " if close else ""
                raise CannotWork(
                    f"found no section {word!r}; {hint}sections: {', '.join(names)}"
                )
            chosen += [section for section in matches if section not in chosen]
        return chosen


def _names(word: str, section: SectionName) -> bool:
    tail = word.removesuffix(".md").rstrip("/")
    return tail in (section.name, section.part, str(section)) or tail.endswith(
        f"chapters/{section}"
    )


def select_frameworks(wanted: list[str] | None) -> list[str]:
    """The framework keys that the command line names; nothing means all four.

    Raises:
        CannotWork: A word is not a framework.
    """
    for word in wanted or []:
        if word not in FRAMEWORKS:
            raise CannotWork(
                f"found framework {word!r}, expected one of {', '.join(FRAMEWORKS)}"
            )
    return [key for key in FRAMEWORKS if not wanted or key in wanted]
