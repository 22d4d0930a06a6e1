"""These tests run under each kernel's own interpreter, one framework a run."""

import functools
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from d2l_support import streams

KEYS = ("pytorch", "tensorflow", "jax", "mxnet")
CHAPTERS = Path(__file__).parents[2] / "chapters"


@dataclass(frozen=True)
class Expected:
    """What differs between the frameworks in the contract that they share.

    Attributes:
        draw: Draws four normals, given what `set_seed` returned.
        stream: The row of the stream that `draw` takes its numbers from.
        start: What that row says of its state right after seeding.
        moved: What it says after a draw.
        unknown: What the message for an unknown object says is accepted.
    """

    draw: Callable[[object], list[float]]
    stream: str
    start: bool | None
    moved: bool | None
    unknown: str


def draw_pytorch(start: object) -> list[float]:
    """Four normals from torch's global generator on the CPU."""
    import torch

    return torch.randn(4).tolist()


def draw_tensorflow(start: object) -> list[float]:
    """Four normals from a stateful operation."""
    import tensorflow as tf

    return tf.random.normal([4]).numpy().tolist()


def draw_jax(start: object) -> list[float]:
    """Four normals from the key that `set_seed` returned."""
    import jax

    return jax.random.normal(start, (4,)).tolist()


def draw_mxnet(start: object) -> list[float]:
    """Four normals from MXNet's generator of the CPU."""
    import mxnet as mx

    return mx.np.random.normal(size=(4,)).asnumpy().tolist()


EXPECTED = {
    "pytorch": Expected(draw_pytorch, "PyTorch cpu", False, True, "torch.Generator."),
    "tensorflow": Expected(
        draw_tensorflow,
        "TensorFlow operations",
        False,
        True,
        "tf.random.Generator, keras.random.SeedGenerator.",
    ),
    "jax": Expected(
        draw_jax,
        "JAX has none",
        None,
        None,
        "typed JAX keys from jax.random.key, flax.nnx.Rngs, flax.nnx.RngStream.",
    ),
    "mxnet": Expected(
        draw_mxnet,
        "MXNet cpu",
        None,
        None,
        "and nothing of MXNet, which has no generator objects.",
    ),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--framework", choices=KEYS, help="which kernel runs this")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("framework", None) is None:
        raise pytest.UsageError(
            "tests/frameworks: found no --framework, expected one of "
            f"{', '.join(KEYS)}. Run: .envs/jax/bin/python -m pytest "
            "tests/frameworks --framework jax"
        )


def pytest_report_header(config: pytest.Config) -> str:
    key = config.getoption("framework")
    others = ", ".join(f"test_{other}_*" for other in KEYS if other != key)
    return f"framework: {key} (left to the other interpreters: {others})"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out the files of the other frameworks; None asks other plugins."""
    others = set(KEYS) - {config.getoption("framework")}
    parts = collection_path.stem.split("_")
    return True if parts[0] == "test" and others & set(parts[1:2]) else None


@pytest.fixture
def framework(request: pytest.FixtureRequest) -> str:
    """The key of the framework of this run."""
    return request.config.getoption("framework")


@pytest.fixture
def d2l(framework: str) -> ModuleType:
    """The module that the notebooks of this framework import."""
    return importlib.import_module(f"d2l_support.{framework}")


@functools.cache
def load_sample(name: str) -> ModuleType:
    """A module of the folder `samples`, which is no package."""
    file = Path(__file__).with_name("samples") / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"sample_{name}", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where a worker process looks for it
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def reference(framework: str) -> ModuleType:
    """The package d2l of the reference edition, for this framework."""
    return load_sample("reference_package").load_reference(framework)


@dataclass(frozen=True)
class Sample:
    """Streams of every kind that this framework can save.

    Attributes:
        parts: The sample modules that make, draw from and read them.
        options: What `save_random_state` needs besides.
    """

    parts: tuple[ModuleType, ...]
    options: dict[str, object]

    def make(self, seed: int) -> dict[str, object]:
        """The streams by name, of the same kinds for each seed."""
        made = [part.make_streams(seed) for part in self.parts]
        return {name: stream for group in made for name, stream in group.items()}

    def draw(self, named: dict[str, object]) -> list[object]:
        """Numbers from all streams of the process and all named ones."""
        return [part.draw(named) for part in self.parts]

    def snapshot(self, named: dict[str, object]) -> list[object]:
        """The states of all streams, as far as they can be read."""
        return [part.snapshot(named) for part in self.parts]


@pytest.fixture
def sample(framework: str, d2l: ModuleType) -> Iterator[Sample]:
    """Streams of every kind, in a process that has been seeded."""
    parts = load_sample("numpy_streams"), load_sample(f"{framework}_streams")
    d2l.set_seed(0)
    yield Sample(parts, parts[1].SAVE)
    parts[1].clean()


@pytest.fixture
def training(framework: str) -> ModuleType:
    """The module with this framework's training."""
    load_sample(f"{framework}_streams").clean()
    return load_sample(f"{framework}_training")


@pytest.fixture
def expected(framework: str) -> Expected:
    """What this framework's module has to do."""
    return EXPECTED[framework]


@pytest.fixture
def unseeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty ledger, as in a process that has seeded nothing yet."""
    monkeypatch.setattr(streams, "_ledger", {})


@dataclass(frozen=True)
class Cells:
    """The code of this framework's recorded cells: what the pages teach.

    Attributes:
        framework: The framework key.
    """

    framework: str

    def read(self, section: str, step: str) -> str:
        """The source of one cell, found by its id."""
        [record] = CHAPTERS.glob(f"*/recorded/{section}.{self.framework}.ipynb")
        cells = json.loads(record.read_text(encoding="utf-8"))["cells"]
        [source] = [cell["source"] for cell in cells if cell["id"] == step]
        return source if isinstance(source, str) else "".join(source)

    def load(self, section: str, *steps: str) -> dict[str, Any]:
        """The names that cells define, run one after another in fresh ones."""
        names: dict[str, Any] = {"__name__": f"cells_of_{section}"}
        for step in steps:
            code = compile(self.read(section, step), f"{section}/{step}", "exec")
            exec(code, names)  # noqa: S102 (it is the book's own code)
        return names


@pytest.fixture
def cells(framework: str) -> Iterator[Cells]:
    """The recorded cells of this framework; threads that they set are put back.

    Bits depend on the number of threads, and later tests compare processes.
    """
    if framework != "pytorch":
        yield Cells(framework)
        return
    import torch

    threads = torch.get_num_threads()
    yield Cells(framework)
    torch.set_num_threads(threads)


@pytest.fixture
def pull_back(framework: str) -> Callable:
    """Runs a rule of this framework on NumPy arrays, forward and backward."""
    return load_sample(f"{framework}_rules").pull_back


@pytest.fixture
def layers(framework: str) -> ModuleType:
    """The sample module that runs this framework's layers on NumPy arrays."""
    return load_sample(f"{framework}_layers")
