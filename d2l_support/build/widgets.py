"""The state of the widgets that a cell shows.

A widget output names a model; what it looks like stands elsewhere, in the
notebook's metadata. While notebooks are compared and shown, each output
*carries* the states it needs as one more entry of its data, so that a cell is
whole in itself. In a file they are *gathered* again, where Jupyter looks.
"""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from d2l_support.build.problems import Problem

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
REFERENCE = "IPY_MODEL_"
LINKS = ("LinkModel", "DirectionalLinkModel")
VERSION = {"version_major": 2, "version_minor": 0}
MODEL = ("model_name", "model_module", "model_module_version")

States = dict[str, dict[str, Any]]
"""By model id: the model's name, module and version, and its state."""


def note_message(states: States, message: dict[str, Any]) -> None:
    """Takes up what a kernel's message says of a widget; others say nothing."""
    content = message["content"]
    data = content.get("data", {})
    kind = message["msg_type"]
    if kind == "comm_open" and content.get("target_name") == "jupyter.widget":
        states[content["comm_id"]] = {"state": dict(data["state"])}
    elif kind == "comm_msg" and data.get("method") == "update":
        entry = states.setdefault(content["comm_id"], {"state": {}})
        entry["state"].update(data["state"])


def carry_states(notebook: NotebookNode) -> NotebookNode:
    """The notebook with each output's states beside it, none in its metadata.

    Args:
        notebook: As nbclient or ``gather_states`` leaves it.
    """
    carried = copy.deepcopy(notebook)
    widgets = carried.metadata.pop("widgets", {})
    states = widgets.get(STATE, {}).get("state", {})
    for cell in carried.cells:
        if cell.cell_type == "code":
            cell.outputs = attach_states(cell.outputs, states, cell.id)
    return carried


def gather_states(notebook: NotebookNode) -> NotebookNode:
    """The notebook with its states in its metadata, where Jupyter looks."""
    gathered, states = copy.deepcopy(notebook), {}
    for output in _outputs(gathered):
        states |= output.get("data", {}).pop(STATE, {})
    if states:
        gathered.metadata["widgets"] = {STATE: {**VERSION, "state": states}}
    return gathered


def _outputs(notebook: NotebookNode) -> Iterator[NotebookNode]:
    for cell in notebook.cells:
        yield from cell.get("outputs", ())


def attach_states(
    outputs: list[NotebookNode], states: States, cell: str
) -> list[NotebookNode]:
    """A cell's outputs, each with the states of the widgets it shows.

    A model's id is the cell's id and a number, in the order of appearance, so
    that another run gives the same text. Models that are not shown are left
    out, and so is what a model's state says twice or does not say.

    Args:
        outputs: The outputs; left as they are.
        states: The states of all models that were made.
        cell: The cell's id.
    """
    attached, count = [], 0
    for output in map(nbformat.from_dict, outputs):
        root = output.get("data", {}).get(VIEW, {}).get("model_id")
        if root in states and STATE not in output.data:
            shown = _list_shown(root, states)
            names = {old: f"{cell}-{count + n}" for n, old in enumerate(shown)}
            count += len(shown)
            carried = {names[old]: _clean(states[old], names) for old in shown}
            output.data[STATE] = nbformat.from_dict(carried)
            output.data[VIEW]["model_id"] = names[root]
        attached.append(output)
    return attached


def _list_shown(root: str, states: States) -> list[str]:
    """The models that a widget is made of, and the links between them."""
    shown, waiting = [], [root]
    while waiting:
        name = waiting.pop(0)
        if name in states and name not in shown:
            shown.append(name)
            waiting += _references(states[name]["state"])
    links = [
        (*_ends(entry, shown), name)
        for name, entry in states.items()
        if _model(entry)["model_name"] in LINKS
        and {*_references(entry["state"])} <= {*shown}
    ]
    return shown + [name for *_, name in sorted(links) if name not in shown]


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, str) and value.startswith(REFERENCE):
        yield value.removeprefix(REFERENCE)
    elif isinstance(value, dict):
        for _, item in sorted(value.items()):
            yield from _references(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _references(item)


def _ends(link: dict[str, Any], shown: list[str]) -> tuple:
    ends = (link["state"]["source"], link["state"]["target"])
    return tuple(
        (shown.index(model.removeprefix(REFERENCE)), trait) for model, trait in ends
    )


def _model(entry: dict[str, Any]) -> dict[str, Any]:
    """What makes the model in the browser."""
    return {key: entry.get(key) or entry["state"].get(f"_{key}") for key in MODEL}


def _clean(entry: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """An entry without what the browser knows anyway, its references renamed."""
    model, state = _model(entry), entry["state"]
    known = {f"_{key}" for key in MODEL}
    if state.get("_view_module") == model["model_module"]:
        known |= {"_view_module", "_view_module_version"}
    kept = {
        key: _rename(value, names)
        for key, value in sorted(state.items())
        if value is not None and key not in known
    }
    rest = {key: value for key, value in entry.items() if key not in (*MODEL, "state")}
    return {**model, **rest, "state": kept}


def _rename(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, str) and value.startswith(REFERENCE):
        name = value.removeprefix(REFERENCE)
        return REFERENCE + names.get(name, name)
    if isinstance(value, dict):
        return {key: _rename(item, names) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rename(item, names) for item in value]
    return value


def describe_states(states: States) -> str:
    """States as lines of text: a model's name, then what it holds."""
    lines = []
    for name, entry in states.items():
        lines.append(f"{name}: {entry['model_name']}")
        for key, value in sorted(entry["state"].items()):
            text = value if isinstance(value, str) else json.dumps(value)
            lines.append(f"{name}.{key}: {text}")
    return "\n".join(lines)


def find_stateless(notebook: NotebookNode, path: Path) -> list[Problem]:
    """A problem for every cell that shows a widget without its state.

    Args:
        notebook: A record whose outputs carry their states.
        path: The file that is to blame.
    """
    framework = notebook.metadata["book"]["framework"]
    message = (
        "found a widget without its state, expected the state in the record: "
        "make the widget in the cell that shows it, and do not close it"
    )
    return [
        Problem("widget", message, path, cell=cell.id, framework=framework)
        for cell in notebook.cells
        if any(
            VIEW in output.get("data", {}) and STATE not in output.data
            for output in cell.get("outputs", ())
        )
    ]
