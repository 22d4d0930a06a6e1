"""A pytest plugin: nbval runs the records, our rules compare.

``pytest -p d2l_support.build.regression --records chapters`` runs every
recorded notebook in its framework's kernel and holds each cell's outputs to
the rule that the record carries.
"""

import logging
from collections import defaultdict
from pathlib import Path
from queue import Empty

import pytest
from jupyter_client.kernelspec import NoSuchKernel
from nbclient.exceptions import DeadKernelError
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError

from d2l_support.build.compare import compare_outputs
from d2l_support.build.diff import rule_of
from d2l_support.build.execute import CELL_TIMEOUT
from d2l_support.build.failures import COLOUR, explain_start
from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.launch import last_words
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.normalise import normalise_outputs
from d2l_support.build.problems import ContentError
from d2l_support.build.record import read_record
from d2l_support.build.regression_kernel import RecordKernel
from d2l_support.build.rules import GPU
from d2l_support.build.widgets import attach_states


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--records``."""
    group = parser.getgroup("book", "the book's records")
    group.addoption(
        "--records",
        action="store_true",
        help="run recorded notebooks and compare by the rules they carry",
    )
    group.addoption(
        "--record-timeout",
        type=float,
        default=CELL_TIMEOUT,
        metavar="SECONDS",
        help="limit for one recorded cell (default: %(default)s)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Gives nbval our limit; its own is half an hour."""
    if config.option.records:
        # What jupyter_client logs of a kernel that does not start, we report.
        logging.getLogger("traitlets").setLevel(logging.CRITICAL)
        config.option.nbval_cell_timeout = config.option.record_timeout


def pytest_collect_file(file_path: Path, parent: pytest.Collector):
    """Collects recorded notebooks, but for those that need a GPU."""
    is_record = file_path.suffix == ".ipynb" and file_path.parent.name != GPU
    if parent.config.option.records and is_record:
        return RecordFile.from_parent(parent, path=file_path)
    return None


class RecordFile(IPyNbFile):
    """A recorded notebook; its items are named by the cells' ids.

    Attributes:
        book: The checkout.
        framework: The framework that the file's name tells.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.book = Book.find(self.path.parent)
        self.framework = self.path.stem.rpartition(".")[2]

    def collect(self):
        """A test per recorded cell.

        Raises:
            CollectError: The file is no whole record of this book.
        """
        shown = self.book.relative(self.path)
        section, _, framework = self.path.stem.rpartition(".")
        name = SectionName(self.path.parent.parent.name, section)
        if framework not in ALL_KEYS or self.path != self.book.record(name, framework):
            raise self.CollectError(
                f"{shown}: found a notebook that is no record, expected "
                "chapters/<part>/recorded/<section>.<framework>.ipynb."
            )
        try:
            # An edited number is for the run to find; `check` looks at the seal.
            self.nb = read_record(self.path, shown, name, framework, sealed=False)
        except ContentError as error:
            raise self.CollectError(str(error)) from error
        for number, cell in enumerate(self.nb.cells):
            yield RecordCell.from_cell(self, number, cell)

    def setup(self) -> None:
        """Starts the kernel; pytest calls it before the first cell."""
        kernel = FRAMEWORKS[self.framework].kernel
        self.kernel = RecordKernel(self.book.jupyter / "kernels", kernel)
        try:
            self.kernel.start()
        except (NoSuchKernel, OSError, RuntimeError, Empty) as error:
            words = last_words(self.kernel.folder)
            problem = explain_start(error, self.framework, words)
            shown = self.book.relative(self.path)
            pytest.fail(str(problem.at(path=shown)), pytrace=False)

    def teardown(self) -> None:
        """Ends the kernel, whatever became of it."""
        self.kernel.stop()


class RecordCell(IPyNbCell):
    """A recorded cell, compared by the rule in its metadata."""

    comparison_traceback: tuple[str, ...] | list[str] = ()

    @classmethod
    def from_cell(cls, parent: RecordFile, number: int, cell) -> "RecordCell":
        """The item of a cell; comments that steer nbval have no say in it."""
        options = defaultdict(bool, check=True)
        options["check_exception"] = "raises-exception" in cell.metadata.get("tags", [])
        # Without a count nbval compares nothing, and the test would pass.
        cell.execution_count = cell.execution_count or number + 1
        return cls.from_parent(
            parent, name=cell.id, cell_num=number, cell=cell, options=options
        )

    @property
    def place(self) -> str:
        """The record, the cell and the framework, as messages begin."""
        shown = self.parent.book.relative(self.path)
        return f"{shown}: cell {self.name!r} ({self.parent.framework})"

    def setup(self) -> None:
        """Fails at once where an earlier cell has taken the kernel along."""
        if self.parent.timed_out or not self.parent.kernel.is_alive():
            message = "found that an earlier cell did not come to its end, expected it"
            pytest.fail(f"{self.place}: {message}; this cell was not run.", False)

    def compare_outputs(self, test, ref, skip_compare=None) -> bool:
        """Whether the fresh outputs agree with the record; says how not."""
        whole = attach_states(test, self.parent.kernel.states, self.cell.id)
        fresh = normalise_outputs(whole, self.parent.book.root)
        difference = compare_outputs(ref, fresh, rule_of(self.cell))
        self.comparison_traceback = [str(difference)] if difference else []
        return difference is None

    def repr_failure(self, excinfo) -> str:
        """What pytest prints of a failed cell."""
        error = excinfo.value
        if isinstance(error, NbCellError):
            detail = COLOUR.sub("", error.inner_traceback or "")
            separator = ": " if self.comparison_traceback else f": {error}\n"
            return f"{self.place}{separator}{detail}"
        if isinstance(error, DeadKernelError):
            return f"{self.place}: {error}"
        return pytest.Item.repr_failure(self, excinfo)

    def reportinfo(self):
        """The place that pytest shows: the record and the cell's id."""
        return self.path, 0, self.name
