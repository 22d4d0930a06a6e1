"""A small book that can be exported: contents, sources of claims, one record."""

from pathlib import Path

import pytest
import yaml

from d2l_support.build.check import load_section
from d2l_support.build.export.notebook import Edition, make_notebook
from d2l_support.build.export.targets import Targets
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.survey.ledger import Ledger

ROOT = Path(__file__).parents[3]
NAME = SectionName("part", "section")


@pytest.fixture
def exportable(recorded_book: Book) -> Book:
    """The small book of the other tests, with what an export reads besides."""
    root = recorded_book.root
    contents = {"root": "index", "chapters": [{"file": "chapters/part/section"}]}
    (root / "_toc.yml").write_text(yaml.safe_dump(contents))
    (root / "_config.yml").write_text("title: A book\n")
    (root / "index.md").write_text("# A book\n")
    (root / "references.bib").write_text("")
    (root / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    return recorded_book


@pytest.fixture
def export_one(exportable: Book):
    """Exports the small section in one framework; takes what an edition has."""

    def export(framework: str = "jax", **options):
        options.setdefault("targets", Targets())
        options.setdefault("ledger", Ledger())
        edition = Edition(exportable, wheel="d2l_support-1.whl", **options)
        section = load_section(exportable, NAME)
        return make_notebook(edition, NAME, section, framework)

    return export
