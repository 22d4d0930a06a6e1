"""Which modules count for the digest of a framework's helpers."""

from pathlib import Path

import pytest

from d2l_support.build.digests import digest_helpers, list_helpers

FILES = (
    "tables.py",
    "pytorch.py",
    "jax.py",
    "inspection/runs.py",
    "inspection/pytorch/hooking.py",
    "inspection/jax/capturing.py",
    "build/record.py",
    "build/render/jax.py",
)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with helpers in folders, and tooling."""
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("X = 1\n")
    return tmp_path


def test_list_helpers_leaves_out_other_frameworks_and_tooling(package):
    found = [str(path.relative_to(package)) for path in list_helpers(package, "jax")]
    assert found == [
        "inspection/jax/capturing.py",
        "inspection/runs.py",
        "jax.py",
        "tables.py",
    ]


@pytest.mark.parametrize(
    ("edited", "pytorch", "jax"),
    [
        ("inspection/runs.py", True, True),
        ("inspection/pytorch/hooking.py", True, False),
        ("inspection/jax/capturing.py", False, True),
        ("build/record.py", False, False),
        ("build/render/jax.py", False, False),
    ],
)
def test_digest_changes_with_what_a_notebook_can_import(package, edited, pytorch, jax):
    before = [digest_helpers(package, key) for key in ("pytorch", "jax")]
    (package / edited).write_text("X = 2\n")
    after = [digest_helpers(package, key) for key in ("pytorch", "jax")]
    assert [a != b for a, b in zip(after, before, strict=True)] == [pytorch, jax]


def test_list_helpers_finds_the_real_ones():
    package = Path(__file__).parents[2] / "d2l_support"
    names = {
        path.relative_to(package).as_posix() for path in list_helpers(package, "jax")
    }
    assert {"inspection/runs.py", "jax.py", "tables.py"} <= names
    assert not any("pytorch" in name or "build/" in name for name in names)
