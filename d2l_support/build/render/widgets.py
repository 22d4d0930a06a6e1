"""Recorded widgets on a page: their states, and what stands there until then.

A page's script draws a widget once it comes near (``static/widgets.js``). Until
then, in print and without a script, the page shows the widget's still: the
pictures and words that it begins with.
"""

import json

import nbformat
from nbformat import NotebookNode

from d2l_support.build.widgets import (
    REFERENCE,
    STATE,
    VIEW,
    States,
    attach_states,
)

BOXES = ("BoxModel", "HBoxModel", "VBoxModel", "GridBoxModel")
WORDS = ("HTMLModel", "HTMLMathModel")


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


def draw_still(root: str, states: States) -> str:
    """What a widget begins with, as HTML; nothing of what has to be moved."""
    pieces = "".join(_list_words(root, states))
    return f'<div class="widget-still">{pieces}</div>' if pieces else ""


def _list_words(name: str, states: States) -> list[str]:
    """The HTML of a model and of those in it that are seen at first."""
    model, state = states[name]["model_name"], states[name]["state"]
    children = [child.removeprefix(REFERENCE) for child in state.get("children", ())]
    if model in WORDS:
        return [f"<div>{state['value']}</div>"]
    if model == "StackModel":
        index = state.get("selected_index")
        children = [] if index is None else children[index : index + 1]
    elif model not in BOXES:
        return []
    return [words for child in children for words in _list_words(child, states)]
