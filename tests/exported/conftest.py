"""A reader's machine: the frameworks, pip, and nothing of the checkout."""

import json
import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from d2l_support.build.digests import digest_requirements
from d2l_support.build.environments import environment_folder, find_python
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork

BOOK = Book.find(Path(__file__).parent)
NEWER = ((3, 13), (3, 12))
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
        variables: What its processes find in their environment.
    """

    kernels: Path
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
    (packages,) = environment_folder(BOOK, framework).glob("lib/python*/site-packages")
    # Whatever pip has to fetch from elsewhere, is not there.
    variables = {"PYTHONPATH": str(packages), "PIP_NO_INDEX": "1"}
    python = environment_folder(BOOK, framework) / "bin" / "python"
    return install_machine(folder, str(python.resolve()), variables)


def install_machine(folder: Path, python: str, variables: dict[str, str]) -> Machine:
    """A new virtual environment with pip, and a kernelspec that starts it.

    Args:
        folder: Where both go.
        python: The interpreter that makes it.
        variables: What its processes find in their environment.
    """
    command = [python, "-m", "venv", "--symlinks", str(folder / "env")]
    subprocess.run(command, check=True, capture_output=True)
    python = folder / "env" / "bin" / "python"
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
    return Machine(folder / "kernels", variables)


@pytest.fixture(scope="session")
def machine_of_now(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine as Colab is: a newer Python, NumPy 2, and no MXNet.

    What it has is kept in ``.envs/mxnet-next``; the environment is a new one.
    """
    pins = BOOK.requirements("mxnet-next")
    folder = BOOK.environments / "mxnet-next"
    python = find_newer()
    stamp = folder / "installed"
    if not stamp.is_file() or stamp.read_text() != digest_requirements(pins):
        subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "-r", str(pins)], check=True)
        stamp.write_text(digest_requirements(pins))
    (packages,) = folder.glob("lib/python*/site-packages")
    made = tmp_path_factory.mktemp("machine-of-now")
    return install_machine(made, python, {"PYTHONPATH": str(packages)})


def find_newer() -> str:
    """A Python of Colab's age; without one, what asked for it is skipped."""
    for version in NEWER:
        with suppress(CannotWork):
            return find_python(version)
    wanted = " or ".join(".".join(map(str, version)) for version in NEWER)
    pytest.skip(f"found no Python {wanted} on the path: Colab cannot be rebuilt")
