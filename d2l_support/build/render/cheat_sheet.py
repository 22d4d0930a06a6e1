"""The directive ``cheat-sheet``: the tasks of one part, in four frameworks.

The page compares the frameworks, so all four are shown; the style sheet marks
the one that the reader chose. What no longer stands in its cell is not shown.
"""

from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from d2l_support.build.cheat_sheet import Excerpt, Task, find_faults
from d2l_support.build.cheat_sheet_source import read_sheet
from d2l_support.build.check import load_section
from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.layout import Book
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.render.dependencies import note_sheet
from d2l_support.build.render.titles import link_title
from d2l_support.build.section import Section

LOGGER = logging.getLogger(__name__)
LEXER = "ipython3"
"""What colours the cells of the sections, see ``render.reader``."""


class CheatSheet(SphinxDirective):
    """The tasks of a part of the book, each with the code of four frameworks."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A container with a task in each of its containers.

        What is wrong with the sheet becomes a warning of Sphinx.
        """
        part, book = self.arguments[0], Book(Path(self.env.srcdir))
        try:
            tasks = [task for task in read_sheet(book) if task.part == part]
        except ContentError as error:
            note_sheet(self.env, book, [])
            self._warn(error.problems)
            return []
        excerpts = [excerpt for task in tasks for excerpt in task.excerpts]
        used = sorted({excerpt.section for excerpt in excerpts})
        note_sheet(self.env, book, used)
        if not tasks:
            message = f"found no task of the part {part!r}, expected some"
            self._warn([Problem("sheet", message)])
        known = {str(name) for name in book.sections()}
        sections = self._load(book, used)
        faults = find_faults(tuple(tasks), sections, known)
        self._warn(problem for _, problem in faults)
        faulty = {excerpt for excerpt, _ in faults}
        held = {
            excerpt
            for excerpt in excerpts
            if excerpt.section in sections and excerpt not in faulty
        }
        sheet = nodes.container(classes=["cheat-sheet"])
        sheet += [self._make_task(task, held) for task in tasks]
        return [sheet]

    def _load(self, book: Book, names: list[str]) -> dict[str, Section]:
        """The sections that can be read; of the others their own pages tell."""
        sections = {}
        for name in book.sections():
            if str(name) in names:
                try:
                    sections[str(name)] = load_section(book, name)
                except ContentError:
                    continue
        return sections

    def _make_task(self, task: Task, held: set[Excerpt]) -> nodes.container:
        anchor = nodes.make_id(f"task-{task.name}")
        made = nodes.container(classes=["cheat-task"], ids=[anchor])
        name = nodes.paragraph("", f"{task.name} ", classes=["cheat-name"])
        name += link_title(self.env, task.section)
        made += name
        made += [
            self._make_line(task, excerpt)
            for excerpt in task.excerpts
            if excerpt in held
        ]
        return made

    def _make_line(self, task: Task, excerpt: Excerpt) -> nodes.container:
        line = nodes.container(classes=["cheat-line", f"of-{excerpt.framework}"])
        label = nodes.paragraph(classes=["cheat-label"])
        label += self._link_cell(task, excerpt)
        line += label
        if excerpt.why:
            line += nodes.paragraph("", excerpt.why, classes=["cheat-why"])
        else:
            code = nodes.literal_block(excerpt.text, excerpt.text, language=LEXER)
            code["force"] = True  # lines out of their cell may be no whole Python
            line += code
        return line

    def _link_cell(self, task: Task, excerpt: Excerpt) -> nodes.Node:
        label = nodes.Text(FRAMEWORKS[excerpt.framework].label)
        builder = self.env.app.builder
        if builder.format != "html":  # what has no tabs has no place in them
            return label
        page = f"chapters/{excerpt.section}"
        place = f"?framework={excerpt.framework}#step-{excerpt.step}"
        uri = builder.get_relative_uri(self.env.docname, page) + place
        link = nodes.reference("", "", label, internal=True, refuri=uri)
        # For those who hear the links of a page one after another.
        link += nodes.inline("", f": {task.name}", classes=["cheat-of"])
        return link

    def _warn(self, problems) -> None:
        for problem in problems:
            place = (self.env.docname, self.lineno)
            LOGGER.warning("%s [book.%s]", problem, problem.code, location=place)
