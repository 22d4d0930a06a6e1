"""Which of the files that a student handed in counts.

Browsers, Colab and Jupyter name another copy ``x (1).ipynb``, ``Copy of
x.ipynb`` or ``x-Copy1.ipynb``. The newest file counts, the others are named.
"""

import re
from pathlib import Path

from d2l_support.build.grading.finding import Finding, Refusal, name_cells

COPY = re.compile(r"(copy of )*(?P<name>.+?)([ _-]*\(\d+\)|-copy\d*)*")
SUFFIX = ".ipynb"
NOT_HANDED = ("timestamp.txt", "feedback")
"""What nbgrader itself puts beside a submission."""


def list_files(folder: Path) -> list[Path]:
    """The files and links in a folder that a student put there.

    Raises:
        Refusal: The folder cannot be read.
    """
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        reason = error.strerror
        raise Refusal(
            f"found a folder that cannot be read ({reason}); not graded"
        ) from None
    return [
        path
        for path in found
        if not path.name.startswith(".") and path.name not in NOT_HANDED
    ]


def is_copy(path: Path, name: str) -> bool:
    """Whether a file is called like a notebook, or like a copy of it."""
    stem = path.name.casefold().removesuffix(SUFFIX).strip()
    return COPY.fullmatch(stem)["name"] == name.casefold() if stem else False


def choose_file(
    files: list[Path], name: str, submitted: Path
) -> tuple[Path, list[Finding]]:
    """The newest notebook, and what is noteworthy about the choice.

    Args:
        files: All that a student handed in.
        name: The expected notebook, without ``.ipynb``.
        submitted: The folder to which messages are relative.

    Raises:
        Refusal: There is none, or several of which none has the name.
    """
    notebooks = [path for path in files if path.name.casefold().endswith(SUFFIX)]
    named = [path for path in notebooks if is_copy(path, name)]
    if not named and len(notebooks) != 1:
        found = name_cells([path.name for path in notebooks]) or "no notebook"
        raise Refusal(f"found {found}, expected {name}{SUFFIX}; not graded")
    *older, newest = sorted(named or notebooks, key=_age)
    findings = []
    if older:
        others = name_cells([str(path.relative_to(submitted)) for path in older])
        text = f"found more than one copy; the newest is graded, kept: {others}"
        findings.append(Finding(text))
    if newest.name != name + SUFFIX:
        text = f"found {newest.name!r}, expected {name + SUFFIX!r}; accepted"
        findings.append(Finding(text))
    rest = sorted(set(files) - set(named or notebooks))
    if rest:
        text = f"found other files ({name_cells([path.name for path in rest])})"
        findings.append(Finding(f"{text}; not used"))
    return newest, findings


def _age(path: Path) -> tuple[int, int, str]:
    """Newest last; of files of one moment the one with the longest name."""
    return path.lstat().st_mtime_ns, len(path.name), str(path)
