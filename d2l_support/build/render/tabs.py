"""Groups the variants of a step into one tab set, with sphinx-design's nodes."""

from docutils import nodes
from docutils.transforms import Transform
from sphinx_design.shared import create_component

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.render.badge import make_badge, make_gpu_note
from d2l_support.build.render.cells import wrap_cell

SYNC_GROUP = "framework"
"""The name of the choice: in the address (``?framework=jax``) and in storage."""


class GroupVariants(Transform):
    """Turns neighbouring nodes of one step into a tab set.

    MyST-NB leaves a code cell as a container with its metadata, and the
    ``marked-prose`` directive leaves words as a container with their step.
    """

    default_priority = 500

    def apply(self, **kwargs) -> None:
        """Groups in every part of the page that holds variants."""
        parents = {id(n.parent): n.parent for n in self.document.findall(_is_variant)}
        for parent in parents.values():
            parent.children = _group(parent)
            for child in parent.children:
                child.parent = parent


def _is_variant(node: nodes.Node) -> bool:
    return _step_of(node) is not None


def _step_of(node: nodes.Node) -> str | None:
    if not isinstance(node, nodes.container):
        return None
    return _book(node).get("step") or node.get("book_step")


def _book(node: nodes.container) -> dict:
    return node.get("cell_metadata", {}).get("book", {})


def _frameworks_of(node: nodes.container) -> tuple[str, ...]:
    metadata = _book(node)
    return (metadata["framework"],) if metadata else node["book_frameworks"]


def _group(parent: nodes.Element) -> list[nodes.Node]:
    grouped: list[nodes.Node] = []
    run: list[nodes.container] = []
    for node in [*parent.children, None]:
        if run and (node is None or _step_of(node) != _step_of(run[0])):
            grouped.append(_tab_set(run))
            run = []
        if node is not None:
            (run if _is_variant(node) else grouped).append(node)
    return grouped


def _tab_set(variants: list[nodes.container]) -> nodes.Element:
    tabs = create_component("tab-set", classes=["sd-tab-set", "framework-tabs"])
    tabs.source, tabs.line = variants[0].source, variants[0].line
    tabs["ids"] = [f"step-{_step_of(variants[0])}"]
    depths = {_book(node).get("depth") for node in variants if _book(node)}
    if len(depths) == 1 and None not in depths:
        tabs["classes"] += ["depth-prose", f"depth-{depths.pop()}"]
    for key, framework in FRAMEWORKS.items():
        own = [node for node in variants if key in _frameworks_of(node)]
        if own:
            tabs += _tab_item(key, framework.label, own)
    return tabs


def _tab_item(key: str, name: str, variants: list[nodes.container]) -> nodes.Element:
    item = create_component("tab-item", classes=["sd-tab-item"], selected=False)
    label = nodes.rubric("", name, classes=["sd-tab-label"])
    label["sync_group"], label["sync_id"] = SYNC_GROUP, key
    content = create_component("tab-content", classes=["sd-tab-content"])
    for node in variants:
        own = node.deepcopy() if len(_frameworks_of(node)) > 1 else node
        content += _whole_cell(own) if _book(node) else own
    item += label
    item += content
    return item


def _whole_cell(node: nodes.container) -> nodes.Element:
    """A code cell with what stands under its output."""
    book = _book(node)
    parts: list[nodes.Node] = [node]
    if rule := book.get("rule"):
        parts.append(make_badge(rule, book.get("measured", [])))
    if gpu := book.get("gpu"):
        parts.append(make_gpu_note(gpu["device"], gpu["text"]))
    return wrap_cell(book, node["cell_metadata"].get("tags", []), parts)
