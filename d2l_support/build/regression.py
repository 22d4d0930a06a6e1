"""A pytest plugin: nbval runs the records, our rules compare.

``pytest -p d2l_support.build.regression --records chapters`` runs every
recorded notebook in its framework's kernel and holds each cell's outputs to
the rule that the record carries.
"""

import os
from pathlib import Path

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from d2l_support.build.compare import compare_outputs
from d2l_support.build.diff import rule_of
from d2l_support.build.layout import Book
from d2l_support.build.normalise import normalise_outputs


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--records``."""
    group = parser.getgroup("book", "the book's records")
    group.addoption(
        "--records",
        action="store_true",
        help="run recorded notebooks and compare by the rules they carry",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Lets nbval find the kernels of the checkout."""
    if config.option.records:
        book = Book.find(Path(config.rootpath))
        paths = [str(book.jupyter), os.environ.get("JUPYTER_PATH", "")]
        os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, paths))


def pytest_collect_file(file_path: Path, parent: pytest.Collector):
    """Collects recorded notebooks."""
    if parent.config.option.records and file_path.suffix == ".ipynb":
        return RecordFile.from_parent(parent, path=file_path)
    return None


class RecordFile(IPyNbFile):
    """A recorded notebook; its items are named by the cells' ids."""

    def collect(self):
        """A test per recorded cell."""
        for item in super().collect():
            yield RecordCell.from_parent(
                self,
                name=item.cell.id,
                cell_num=item.cell_num,
                cell=item.cell,
                options=item.options,
            )


class RecordCell(IPyNbCell):
    """A recorded cell, compared by the rule in its metadata."""

    def compare_outputs(self, test, ref, skip_compare=None) -> bool:
        """Whether the fresh outputs agree with the record; says how not."""
        root = Book.find(Path(self.config.rootpath)).root
        fresh = normalise_outputs(test, root)
        difference = compare_outputs(ref, fresh, rule_of(self.cell))
        self.comparison_traceback = [str(difference)] if difference else []
        return difference is None

    def reportinfo(self):
        """The place that pytest shows: the record and the cell's id."""
        return self.path, 0, f"{self.path.name}::{self.name}"
