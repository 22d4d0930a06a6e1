"""Digests of what a record depends on beside its own source."""

import ast
import hashlib
import json
from pathlib import Path
from typing import Any

from d2l_support.build.frameworks import FRAMEWORKS


def digest_text(text: str) -> str:
    """SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def digest_json(data: Any) -> str:
    """SHA-256 of plain data, whatever the order of its keys."""
    return digest_text(json.dumps(data, sort_keys=True, ensure_ascii=False))


def digest_requirements(path: Path) -> str:
    """Digest of the pins in a requirements file; comments do not count."""
    pins = (line.partition("#")[0].strip() for line in path.read_text().splitlines())
    return digest_text("\n".join(sorted(pin for pin in pins if pin)))


def digest_helpers(package: Path, framework: str) -> str:
    """Digest of the helper code a framework's notebooks can import.

    Docstrings, comments and layout do not count, nor do the tooling and what
    belongs to the other frameworks: none of it changes what a cell prints.

    Args:
        package: The folder ``d2l_support``.
        framework: A framework key.
    """
    modules = list_helpers(package, framework)
    return digest_text("\n".join(_code_only(path.read_text()) for path in modules))


def list_helpers(package: Path, framework: str) -> list[Path]:
    """The modules of helpers that a framework's notebooks can import.

    A module belongs to a framework if it, or a folder it is in, bears the
    framework's key: ``jax.py``, ``inspection/jax/hooks.py``.

    Args:
        package: The folder ``d2l_support``.
        framework: A framework key.
    """
    closed = {"build", *FRAMEWORKS} - {framework}
    return sorted(
        path
        for path in package.rglob("*.py")
        if closed.isdisjoint(path.relative_to(package).with_suffix("").parts)
    )


def _code_only(text: str) -> str:
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
