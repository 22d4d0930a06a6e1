"""Recorded widgets on a page: their states, and what stands there until then.

A page's script draws a widget once it comes near (``static/widgets.js``). Until
then, in print and without a script, the page shows the widget's still: the
pictures and words that it begins with.
"""

import json

import nbformat
from nbformat import NotebookNode

from d2l_support.build.stills import draw_still
from d2l_support.build.widgets import STATE, VIEW, attach_states


def show_widgets(outputs: list[NotebookNode], name: str) -> list[NotebookNode]:
    """A cell's outputs with each widget as a still and the view that follows it.

    Args:
        outputs: Recorded outputs that carry their states; left as they are.
        name: Of the cell on the page: the models are named after it, since
            the variants of a step have the same id.
    """
    bare, states = [nbformat.from_dict(output) for output in outputs], {}
    for output in bare:
        states |= output.get("data", {}).pop(STATE, {})
    shown = attach_states(bare, states, name)
    for output in shown:
        if STATE in output.get("data", {}):
            view = output.data.pop(VIEW)
            still = draw_still(view["model_id"], output.data[STATE])
            script = f'<script type="{VIEW}">{json.dumps(view)}</script>'
            output.data["text/html"] = f"{still}{script}"
    return shown
