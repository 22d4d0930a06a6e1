"""A digest changes with what a cell can print, and with nothing else."""

import hashlib
from pathlib import Path

import pytest

from d2l_support.build.digests import (
    digest_helpers,
    digest_json,
    digest_requirements,
    digest_text,
)
from d2l_support.build.problems import CannotWork

MODULE = '''\
"""Seeds."""

def set_seed(seed):
    """The seed."""
    return seed  # as it came


class Seeded:
    """Holds a seed."""
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of helpers with a module for two frameworks."""
    folder = tmp_path / "d2l_support"
    (folder / "build").mkdir(parents=True)
    for name in ("seeding", "jax", "mxnet", "build/check"):
        (folder / f"{name}.py").write_text(MODULE, encoding="utf-8")
    return folder


def test_digest_text_is_sha256_of_utf8():
    assert digest_text("é") == hashlib.sha256(b"\xc3\xa9").hexdigest()


def test_digest_json_takes_no_notice_of_the_order_of_keys():
    assert digest_json({"a": 1, "b": [2]}) == digest_json({"b": [2], "a": 1})
    assert digest_json({"a": 1, "b": [2]}) != digest_json({"a": 1, "b": [3]})


@pytest.mark.parametrize(
    "text",
    [
        "jax==0.10.2\nnumpy==2.4.6\n",
        "numpy==2.4.6  # via jax\r\njax==0.10.2\n",
        "# pinned\n\n  numpy==2.4.6\njax==0.10.2",
    ],
)
def test_digest_requirements_counts_the_pins_alone(tmp_path: Path, text):
    path = tmp_path / "jax.txt"
    path.write_text(text, encoding="utf-8")
    assert digest_requirements(path) == digest_text("jax==0.10.2\nnumpy==2.4.6")


@pytest.mark.parametrize("text", ["jax==0.10.3\nnumpy==2.4.6\n", "jax==0.10.2\n"])
def test_digest_requirements_changes_with_a_pin(tmp_path: Path, text):
    path = tmp_path / "jax.txt"
    path.write_text(text, encoding="utf-8")
    assert digest_requirements(path) != digest_text("jax==0.10.2\nnumpy==2.4.6")


def test_digest_requirements_of_no_file_says_which(tmp_path: Path):
    with pytest.raises(CannotWork) as raised:
        digest_requirements(tmp_path / "requirements" / "jax.txt")
    assert str(raised.value) == (
        "requirements/jax.txt: found that it cannot be read "
        "(No such file or directory), expected a file"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Seeds."""', '"""Seeds, in other words."""'),
        ('    """The seed."""\n', ""),
        ('"""Holds a seed."""', '"""Keeps a seed."""'),
        ("  # as it came", ""),
        ("    return seed", "\n    return (seed)"),
    ],
)
def test_digest_helpers_is_the_same_after_an_edit_of_words(package, old, new):
    before = digest_helpers(package, "jax")
    edited = MODULE.replace(old, new)
    assert edited != MODULE
    (package / "seeding.py").write_text(edited, encoding="utf-8")
    assert digest_helpers(package, "jax") == before


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("seeding", {"jax": True, "mxnet": True}),
        ("jax", {"jax": True, "mxnet": False}),
        ("mxnet", {"jax": False, "mxnet": True}),
        ("jax_state", {"jax": True, "mxnet": False}),
        ("build/check", {"jax": False, "mxnet": False}),
    ],
)
def test_digest_helpers_changes_with_code_that_can_be_imported(package, name, changes):
    before = {key: digest_helpers(package, key) for key in changes}
    edited = MODULE.replace("return seed", "return seed + 1")
    (package / f"{name}.py").write_text(edited, encoding="utf-8")
    after = {key: digest_helpers(package, key) for key in changes}
    assert {key: before[key] != after[key] for key in changes} == changes


def test_digest_helpers_changes_with_a_string_that_is_no_docstring(package):
    before = digest_helpers(package, "jax")
    (package / "seeding.py").write_text(MODULE + "NAME = 'seed'\n", encoding="utf-8")
    named = digest_helpers(package, "jax")
    (package / "seeding.py").write_text(MODULE + "NAME = 'key'\n", encoding="utf-8")
    assert len({before, named, digest_helpers(package, "jax")}) == 3


def test_digest_helpers_of_broken_code_says_where(package):
    (package / "seeding.py").write_text("x = 1\nx = (\n", encoding="utf-8")
    with pytest.raises(CannotWork) as raised:
        digest_helpers(package, "jax")
    assert str(raised.value) == (
        "d2l_support/seeding.py:2: found no valid Python ('(' was never closed), "
        "expected a module that can be imported"
    )
