"""Folds the worked solutions of a page, as it folds its other answers.

sphinx-exercise leaves folding to a script that our pages do not load.
"""

from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.shared import create_component
from sphinx_exercise.nodes import solution_node

SUMMARY = "Solution"


class FoldSolutions(SphinxPostTransform):
    """Makes sphinx-design's dropdown of every solution."""

    # sphinx-exercise is done by 22; sphinx-design makes its dropdowns at 199.
    default_priority = 150
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Replaces the solutions of a page; links to them go on to work."""
        for solution in list(self.document.findall(solution_node)):
            title = nodes.rubric(SUMMARY, SUMMARY, ids=solution["ids"])
            body = [part for part in solution if not isinstance(part, nodes.title)]
            folded = create_component(
                "dropdown",
                opened=False,
                chevron="right-down",
                icon=None,
                has_title=True,
                container_classes=[],
                title_classes=[],
                body_classes=[],
                children=[title, *body],
            )
            solution.replace_self(folded)
