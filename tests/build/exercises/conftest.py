"""A section with one small exercise, whose parts a test can replace."""

from collections.abc import Callable
from pathlib import Path

import pytest

from d2l_support.build.section import Section
from d2l_support.build.source import read_section

PATH = Path("chapters/part/section-exercises.md")
HEAD = "---\nfile_format: mystnb\n---\n\n# Exercises\n\n"

PARTS = {
    "given": "```{code-cell} python\n:id: given\nlimit = 3\n```\n",
    "opening": (
        '+++ {"exercise": "double", "minutes": 5, "difficulty": "easy"}\n\n'
        "## Twice as much\n\n"
        "```{exercise}\n:label: double\n\nWrite `double`.\n```\n"
    ),
    "solution": (
        "```{code-cell} python\n:id: double-answer\n:grade: solution\n"
        "def double(x):\n"
        "    ### BEGIN SOLUTION\n"
        "    return 2 * x\n"
        "    ### END SOLUTION\n```\n"
    ),
    "tests": (
        "```{code-cell} python\n:id: double-tests\n:grade: tests\n:points: 2\n"
        "assert double(1) == 2\n"
        "### BEGIN HIDDEN TESTS\n"
        "assert double(limit) == 6\n"
        "### END HIDDEN TESTS\n```\n"
    ),
    "words": '+++ {"grade": "solution"}\n\nTwo times x.\n\n+++\n',
    "one": (
        "```{code-cell} python\n:id: double-one\n:grade: mutant\n"
        ":of: double-answer\n:fault: always two\n"
        "def double(x):\n    return 2\n```\n"
    ),
    "other": (
        "```{code-cell} python\n:id: double-square\n:grade: mutant\n"
        ":of: double-answer\n:fault: the square\n"
        "def double(x):\n    return x * x\n```\n"
    ),
    "sound": (
        "```{code-cell} python\n:id: double-sum\n:grade: mutant\n"
        ":of: double-answer\n:sound: true\n"
        "def double(x):\n    return x + x\n```\n"
    ),
    "written": (
        '+++ {"grade": "written", "id": "double-why", "points": 2, '
        '"rubric": ["1: names the sum", "1: names the product"]}\n\n'
        "Why twice?\n\n### BEGIN SOLUTION\nA sum is a product.\n### END SOLUTION\n"
    ),
}


Edit = tuple[str, str, str]
"""A part, what stands in it ("" for all of it), and what stands there instead."""


@pytest.fixture
def write_text() -> Callable[..., str]:
    """A function that gives the section's text after some edits."""

    def write(*edits: Edit) -> str:
        parts = dict(PARTS)
        for part, old, new in edits:
            assert old in parts[part]
            parts[part] = parts[part].replace(old, new) if old else new
        return HEAD + "\n".join(parts.values())

    return write


@pytest.fixture
def make_section(write_text: Callable[..., str]) -> Callable[..., Section]:
    """A function that reads the section after some edits."""
    return lambda *edits: read_section(write_text(*edits), PATH)
