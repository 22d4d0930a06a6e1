"""A reader's machine: the frameworks, pip, and nothing of the checkout."""

import json
import os
import subprocess
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from d2l_support.build.environments import environment_folder
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book

BOOK = Book.find(Path(__file__).parent)
QUICK = "seeds"
"""The section that runs in every framework in any case; it uses the helpers."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--exported",
        choices=("some", "all"),
        default="some",
        help="some: one exported notebook in every framework; all: every one",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Gives ``exported`` tests their framework and section."""
    if {"framework", "section"} <= {*metafunc.fixturenames}:
        every = metafunc.config.getoption("--exported") == "all"
        names = BOOK.select_sections([] if every else [QUICK])
        pairs = [(key, name) for name in names for key in ALL_KEYS]
        ids = [f"{name.name}-{key}" for key, name in pairs]
        metafunc.parametrize(("framework", "section"), pairs, ids=ids)


@dataclass(frozen=True)
class Machine:
    """Somebody else's Jupyter.

    Attributes:
        kernels: The folder of its kernelspecs; the only one is ``python3``.
        python: Its interpreter.
        variables: What its processes find in their environment.
    """

    kernels: Path
    python: Path
    variables: dict[str, str]


@pytest.fixture(scope="session")
def lend_machine(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Machine]:
    """A function that gives the machine with a framework, made once."""
    made: dict[str, Machine] = {}

    def lend(framework: str) -> Machine:
        if framework not in made:
            folder = tmp_path_factory.mktemp(f"machine-{framework}")
            made[framework] = make_machine(folder, framework)
        return made[framework]

    return lend


def make_machine(folder: Path, framework: str) -> Machine:
    """A new virtual environment that finds a framework, without the helpers.

    The framework's packages are named on the path, so that no ``.pth`` file
    in them counts: the checkout is not found.
    """
    venv.create(folder / "env", symlinks=True, with_pip=True)
    python = folder / "env" / "bin" / "python"
    (packages,) = environment_folder(BOOK, framework).glob("lib/python*/site-packages")
    # Whatever pip has to fetch from elsewhere, is not there.
    variables = {"PYTHONPATH": str(packages), "PIP_NO_INDEX": "1"}
    code = "import importlib.util; print(importlib.util.find_spec('d2l_support'))"
    found = subprocess.run(
        [str(python), "-c", code],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == "None"
    spec = folder / "kernels" / "python3"
    spec.mkdir(parents=True)
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    described = {"argv": command, "display_name": "Python 3", "language": "python"}
    (spec / "kernel.json").write_text(json.dumps({**described, "env": variables}))
    return Machine(folder / "kernels", python, variables)
