"""What a recorded widget begins with, as HTML that no script has to draw."""

from d2l_support.build.widgets import REFERENCE, States

BOXES = ("BoxModel", "HBoxModel", "VBoxModel", "GridBoxModel")
WORDS = ("HTMLModel", "HTMLMathModel")


def draw_still(root: str, states: States) -> str:
    """What a widget begins with, as HTML; nothing of what has to be moved."""
    pieces = "".join(_list_words(root, states))
    return f'<div class="widget-still">{pieces}</div>' if pieces else ""


def list_frames(root: str, states: States) -> list[str]:
    """Every picture of the first stack in a widget, in order, as HTML."""
    children = _list_children(root, states)
    if states[root]["model_name"] == "StackModel":
        return ["".join(_list_words(child, states)) for child in children]
    found = (list_frames(child, states) for child in children)
    return next(filter(None, found), [])


def _list_children(name: str, states: States) -> list[str]:
    children = states[name]["state"].get("children", ())
    return [child.removeprefix(REFERENCE) for child in children]


def _list_words(name: str, states: States) -> list[str]:
    """The HTML of a model and of those in it that are seen at first."""
    model, state = states[name]["model_name"], states[name]["state"]
    children = _list_children(name, states)
    if model in WORDS:
        return [f"<div>{state['value']}</div>"]
    if model == "StackModel":
        index = state.get("selected_index")
        children = [] if index is None else children[index : index + 1]
    elif model not in BOXES:
        return []
    return [words for child in children for words in _list_words(child, states)]
