"""The directive that wraps prose which only some readers see.

The reader writes it around every markdown cell that carries a mark for a
framework or a depth; authors write the mark.
"""

import json

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from d2l_support.build.frameworks import FRAMEWORKS


class MarkedProse(SphinxDirective):
    """A container that names its readers; CSS shows it to them.

    Its argument is JSON: ``frameworks``, ``depth`` and ``step``, each or none.
    Prose with a step becomes a part of that step's tab.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The container, with a label that says whose words these are."""
        marks = json.loads(self.arguments[0])
        frameworks, depth = tuple(marks.get("frameworks", ())), marks.get("depth")
        node = nodes.container(book_frameworks=frameworks, book_step=marks.get("step"))
        self.set_source_info(node)
        labels = []
        if depth:
            node["classes"] += ["depth-prose", f"depth-{depth}"]
            labels.append(depth.capitalize())
        if frameworks and "step" not in marks:
            node["classes"] += ["framework-prose", *(f"for-{k}" for k in frameworks)]
            labels += [FRAMEWORKS[key].label for key in frameworks]
        if labels:
            node += nodes.paragraph("", ", ".join(labels), classes=["prose-label"])
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]
