"""The directive that wraps prose which belongs to some frameworks only.

The reader writes it around every markdown cell with a framework mark; authors
write the mark.
"""

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from d2l_support.build.frameworks import FRAMEWORKS, parse_mark


class FrameworkProse(SphinxDirective):
    """A container that names its frameworks; CSS shows the chosen one."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict] = {"step": directives.unchanged_required}
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The container, with a label that says whose words these are."""
        frameworks = parse_mark(self.arguments[0])
        node = nodes.container(
            book_frameworks=frameworks, book_step=self.options.get("step")
        )
        self.set_source_info(node)
        if "step" not in self.options:
            node["classes"] += ["framework-prose"]
            node["classes"] += [f"for-{framework}" for framework in frameworks]
            names = ", ".join(FRAMEWORKS[key].label for key in frameworks)
            node += nodes.paragraph("", names, classes=["framework-label"])
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]
