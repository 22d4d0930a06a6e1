"""Small books for the extension: one section, records made from given words."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup, Tag
from nbformat import v4
from sphinx.testing.util import SphinxTestApp

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.record import build_record, made_with, write_record
from d2l_support.build.source import read_section
from d2l_support.build.split import split_code

NAME = SectionName("part", "demo")
DOCNAME = f"chapters/{NAME}"
FRONT = """---
file_format: mystnb
kernelspec:
  name: d2l-pytorch
---

# Demo
"""
CONF = """
extensions = ["myst_nb", "sphinx_design", "d2l_support.build.render"]
html_theme = "basic"
exclude_patterns = ["_build", "chapters/*/recorded", "requirements"]
language = "en"
myst_enable_extensions = ["colon_fence"]
nb_custom_formats = {".md": ["d2l_support.build.render.reader.read_page", {}, False]}
nb_execution_mode = "off"
numfig = True
html_copy_source = False
latex_documents = [("index", "book.tex", "Small book", "Nobody", "manual")]
"""
INDEX = f"# Small book\n\n```{{toctree}}\n{DOCNAME}\n```\n"


def code_cell(step: str, source: str, framework: str | None = None) -> str:
    """A code cell as an author writes it."""
    mark = f":framework: {framework}\n" if framework else ""
    return f"\n```{{code-cell}} python\n{mark}:id: {step}\n{source}\n```\n"


def variants(step: str, remark: str = "") -> str:
    """The four variants of a step; each says its step and framework."""
    cells = (code_cell(step, f"say('{key} {step}'){remark}", key) for key in ALL_KEYS)
    return "".join(cells)


@dataclass
class Built:
    """What one build left behind.

    Attributes:
        out: The builder's folder.
        read: The pages that were read, in order.
        warnings: One line each, without colours.
    """

    out: Path
    read: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def page(self, docname: str = DOCNAME) -> BeautifulSoup:
        """An HTML page."""
        text = (self.out / f"{docname}.html").read_text(encoding="utf-8")
        return BeautifulSoup(text, "html.parser")

    def tab(self, step: str, framework: str) -> Tag:
        """What a framework's tab of a step holds."""
        chosen = f"#step-{step} > label[data-sync-id={framework}] + .sd-tab-content"
        [content] = self.page().select(chosen)
        return content

    def output(self, step: str, framework: str) -> str | None:
        """The output that a tab shows; None if it shows none."""
        found = self.tab(step, framework).select(".cell_output")
        return found[0].get_text().strip() if found else None


@dataclass
class SmallBook:
    """A checkout with one section, in a temporary folder."""

    root: Path

    def write(self, name: str, text: str) -> None:
        """Writes a file of the checkout."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def write_section(self, body: str) -> None:
        """Writes a section without records; its body begins on line 8."""
        shutil.rmtree(self.root / "chapters", ignore_errors=True)
        self.write(f"{DOCNAME}.md", FRONT + body)

    def record(
        self, *frameworks: str, output: nbformat.NotebookNode | None = None
    ) -> None:
        """Writes records in which each cell printed its framework and step.

        Args:
            frameworks: Whose records; all if none is named.
            output: What each cell gave out instead.
        """
        book = Book(self.root)
        source = book.source(NAME)
        section = read_section(source.read_text(), book.relative(source))
        for framework in frameworks or ALL_KEYS:
            notebook = split_code(section, framework)
            for cell in notebook.cells:
                text = f"{framework} printed {cell.id}\n"
                printed = v4.new_output("stream", name="stdout", text=text)
                cell.outputs = [output or printed]
            digests = made_with(book, framework, section)
            record = build_record(section, framework, notebook, {}, digests)
            write_record(book.record(NAME, framework), record)

    def build(self, builder: str = "html", parallel: int = 0) -> Built:
        """Builds in this process, as `sphinx-build` would the second time too."""
        app = SphinxTestApp(builder, srcdir=self.root, parallel=parallel)
        built = Built(Path(app.outdir))
        app.connect(
            "env-before-read-docs", lambda _a, _e, docs: built.read.extend(docs)
        )
        try:
            app.build()
        finally:
            app.cleanup()
        text = re.sub(r"\x1b\[[\d;]*m", "", app.warning.getvalue())
        built.warnings = [line for line in text.splitlines() if line]
        return built

    def forget(self) -> None:
        """Removes what builds left behind."""
        shutil.rmtree(self.root / "_build")

    def build_strictly(self, *options: str) -> subprocess.CompletedProcess:
        """Runs `sphinx-build -W --keep-going` as an author does."""
        command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--color"]
        command += [*options, str(self.root), str(self.root / "_build" / "strict")]
        return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def small_book(tmp_path: Path) -> Iterator[SmallBook]:
    """A book whose section has the steps `first` and `second`, all recorded."""
    book = SmallBook(tmp_path)
    book.write("conf.py", CONF)
    book.write("index.md", INDEX)
    book.write("d2l_support/helper.py", "VALUE = 1\n")
    for key in FRAMEWORKS:
        book.write(f"requirements/{key}.txt", f"{key}==1.0\n")
    book.write_section(variants("first", "  # by d2l_support") + variants("second"))
    book.record()
    return book
