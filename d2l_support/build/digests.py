"""Digests of what a record depends on beside its own source."""

import ast
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.problems import CannotWork


def digest_text(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def digest_json(data: Any) -> str:
    """SHA-256 of plain data, whatever the order of its keys."""
    return digest_text(json.dumps(data, sort_keys=True, ensure_ascii=False))


def digest_requirements(path: Path) -> str:
    """Digest of the pins in a requirements file; comments do not count.

    Raises:
        CannotWork: The file cannot be read.
    """
    lines = _read(path).splitlines()
    pins = (line.partition("#")[0].strip() for line in lines)
    return digest_text("\n".join(sorted(pin for pin in pins if pin)))


def digest_helpers(package: Path, framework: str) -> str:
    """Digest of the helper code a framework's notebooks can import.

    Docstrings, comments and layout do not count, nor do the tooling and what
    belongs to the other frameworks: none of it changes what a cell prints.

    Args:
        package: The folder ``d2l_support``.
        framework: A framework key.

    Raises:
        CannotWork: A module cannot be read or is no Python.
    """
    return digest_text("\n".join(map(_code_only, list_helpers(package, framework))))


def list_helpers(package: Path, framework: str) -> list[Path]:
    """The modules of helpers that a framework's notebooks can import.

    A module belongs to a framework if its name, or that of a folder it is in,
    begins with the framework's key: ``jax.py``, ``state/jax.py``,
    ``inspection/jax/capturing.py``.

    Args:
        package: The folder ``d2l_support``.
        framework: A framework key.
    """
    owners = {*FRAMEWORKS} - {framework}
    modules = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        if parts[0] != "build" and owners.isdisjoint(
            part.partition("_")[0] for part in parts
        ):
            modules.append(path)
    return modules


def _read(path: Path) -> str:
    shown = Path(path.parent.name, path.name)
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CannotWork(
            f"{shown}: found that it cannot be read ({error.strerror}), expected a file"
        ) from error


def _code_only(path: Path) -> str:
    try:
        return _strip_words(_read(path))
    except SyntaxError as error:
        raise CannotWork(
            f"{path.parent.name}/{path.name}:{error.lineno}: found no valid Python "
            f"({error.msg}), expected a module that can be imported"
        ) from error


@cache
def _strip_words(text: str) -> str:
    """A module's code alone; every section's records rest on the same few."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_docstring(node, body[0]):
            del body[0]
    return ast.dump(tree)


def _is_docstring(owner: ast.AST, first: ast.AST) -> bool:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return (
        isinstance(owner, documented)
        and isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
