"""A checkout with one small section, and records of it made without a kernel."""

import sysconfig
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from nbformat import NotebookNode, v4

from d2l_support.build.check import load_section
from d2l_support.build.digests import digest_requirements
from d2l_support.build.environments import STAMP, environment_folder, link_environment
from d2l_support.build.execute import Job
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.record import build_record, made_with, write_record
from d2l_support.build.section import Section
from d2l_support.build.split import split_code

# How long an example takes says nothing here: other tests start kernels.
settings.register_profile(
    "book", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("book")

NAME = SectionName("part", "section")

SOURCE = """\
---
file_format: mystnb
kernelspec:
  name: d2l-pytorch
  display_name: PyTorch (book)
  language: python
---

# A section

```{code-cell} python
:id: shared
import d2l_support
x = 2
print("x is", x)
```

```{code-cell} python
:framework: [pytorch, tensorflow]
:id: double
print("two of them", 2 * x)
```

```{code-cell} python
:framework: jax
:id: double
print("JAX", 2 * x)
```

+++ {"framework": "mxnet", "id": "double"}

MXNet has no double, because this book is small.

+++

Words between two steps.

```{code-cell} python
:id: half
print(3 / x)
```
"""

PRINTED = {"shared": "x is 2\n", "double": "two of them 4\n", "half": "1.5\n"}
ENVIRONMENT = {"device": "cpu", "threads": 2, "versions": {"numpy": "2.4.6"}}


@pytest.fixture
def tiny_book(tmp_path: Path) -> Book:
    """A checkout with the section ``part/section`` and no record."""
    files = {
        "_toc.yml": "format: jb-book\nroot: index\n",
        "chapters/part/section.md": SOURCE,
        "d2l_support/__init__.py": '"""Helpers."""\n',
        "d2l_support/seeding.py": "def set_seed(seed):\n    return seed\n",
        **{f"d2l_support/{key}.py": f"NAME = {key!r}\n" for key in ALL_KEYS},
        **{f"requirements/{key}.txt": "numpy==2.4.6\n" for key in ALL_KEYS},
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Book(tmp_path)


def execute_by_hand(section: Section, framework: str) -> NotebookNode:
    """The split notebook, each known cell with the output that it would print."""
    notebook = split_code(section, framework)
    for node in notebook.cells:
        if text := PRINTED.get(node.id):
            node.outputs = [v4.new_output("stream", name="stdout", text=text)]
    return notebook


def make_record(book: Book, framework: str) -> NotebookNode:
    """The record of the section as it stands, made without a kernel."""
    section = load_section(book, NAME)
    executed = execute_by_hand(section, framework)
    digests = made_with(book, framework, section)
    return build_record(section, framework, executed, ENVIRONMENT, digests, book.root)


@pytest.fixture
def write_records(tiny_book: Book) -> Callable[..., list[Path]]:
    """A function that writes valid records of the section in these frameworks."""

    def write(*frameworks: str) -> list[Path]:
        paths = [tiny_book.record(NAME, key) for key in frameworks]
        for key, path in zip(frameworks, paths, strict=True):
            write_record(path, make_record(tiny_book, key))
        return paths

    return write


@pytest.fixture
def recorded_book(tiny_book: Book, write_records: Callable[..., list[Path]]) -> Book:
    """The same checkout with a valid record in all four frameworks."""
    write_records(*ALL_KEYS)
    return tiny_book


PLAIN_HELPERS = """\
def describe_environment():
    return {{"framework": "{key}", "versions": {{"plain": "1.0"}}, "device": "cpu"}}
"""


@pytest.fixture
def lend_kernels(
    tiny_book: Book, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Book]:
    """A function that gives the checkout ready kernels that have no framework.

    Each is a virtual environment which borrows the packages of the one that
    runs the tests; the checkout's helpers come first on its path.
    """
    monkeypatch.delenv("D2L_ENVIRONMENTS", raising=False)

    def lend(*frameworks: str) -> Book:
        for key in frameworks:
            helpers = tiny_book.root / "d2l_support" / f"{key}.py"
            helpers.write_text(PLAIN_HELPERS.format(key=key))
            folder = environment_folder(tiny_book, key)
            venv.create(folder, symlinks=True)
            (packages,) = folder.glob("lib/python*/site-packages")
            (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
            link_environment(tiny_book, key)
            pins = tiny_book.requirements(key)
            (folder / STAMP).write_text(digest_requirements(pins))
        return tiny_book

    return lend


@pytest.fixture
def plain_kernels(lend_kernels: Callable[..., Book]) -> Book:
    """The same checkout with all four kernels ready, without a framework."""
    return lend_kernels(*ALL_KEYS)


@pytest.fixture
def write_section(tiny_book: Book) -> Callable[..., Path]:
    """A function that writes a section from codes by cell id.

    Lines such as ``:compare: exact`` at a code's begin are the cell's options.
    """

    def write(section: str = "section", **codes: str) -> Path:
        head = SOURCE.partition("```{code-cell}")[0]
        cells = [
            f"```{{code-cell}} python\n:id: {step}\n{code}\n```\n"
            for step, code in codes.items()
        ]
        path = tiny_book.source(SectionName("part", section))
        path.write_text(head + "\n".join(cells), encoding="utf-8")
        return path

    return write


@pytest.fixture
def is_running() -> Callable[[int], bool]:
    """A function that says whether a process lives (a zombie does not)."""

    def is_alive(pid: int) -> bool:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return False
        return stat.rpartition(")")[2].split()[0] != "Z"

    return is_alive


@pytest.fixture
def command_book(plain_kernels: Book, monkeypatch: pytest.MonkeyPatch) -> Book:
    """The same checkout, as the folder in which commands run."""
    monkeypatch.chdir(plain_kernels.root)
    monkeypatch.setenv("COLUMNS", "200")
    return plain_kernels


@pytest.fixture
def read_records(tiny_book: Book) -> Callable[[], dict[str, bytes]]:
    """A function that reads every file in the folders of records, by its path."""

    def read() -> dict[str, bytes]:
        paths = tiny_book.root.glob("chapters/*/recorded/*")
        return {str(tiny_book.relative(path)): path.read_bytes() for path in paths}

    return read


@pytest.fixture
def kernels(plain_kernels: Book) -> Path:
    """The folder of the plain kernels' kernelspecs."""
    return plain_kernels.jupyter / "kernels"


@pytest.fixture
def make_job() -> Callable[..., Job]:
    """A function that makes a job from codes by cell id, on lines 10, 20, ..."""

    def make(framework: str = "jax", tags: tuple[str, ...] = (), **codes: str) -> Job:
        notebook = v4.new_notebook()
        for number, (step, code) in enumerate(codes.items(), start=1):
            metadata = {"book": {"line": 10 * number}, "tags": list(tags)}
            cell = v4.new_code_cell(code, id=step, metadata=metadata)
            notebook.cells.append(cell)
        path = Path("chapters/part/section.md")
        return Job("part/section", framework, notebook, path)

    return make


@pytest.fixture
def make_cluster() -> Iterator[Callable]:
    """A function that starts a Dask cluster of some workers on loopback."""
    import distributed

    started = []

    def make(workers: int) -> distributed.LocalCluster:
        one = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
        )
        started.append(one)
        return one

    yield make
    for one in started:
        one.close()
