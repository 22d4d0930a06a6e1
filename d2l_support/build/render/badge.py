"""The badge under an output: its rule, which opens to what was measured."""

from html import escape

from docutils import nodes


def make_badge(rule: str, measured: list[str]) -> nodes.Element:
    """The node that shows a cell's rule.

    Args:
        rule: The rule in words.
        measured: Sentences on what was measured; none leaves the rule alone.
    """
    text = f"output: {rule}"
    if not measured:
        return nodes.paragraph("", text, classes=["output-rule"])
    items = "".join(f"<li>{escape(line)}</li>" for line in measured)
    html = (
        f'<details class="output-rule"><summary>{escape(text)}</summary>'
        f"<ul>{items}</ul></details>"
    )
    return nodes.raw("", html, format="html")


def make_gpu_note(device: str, text: str) -> nodes.Element:
    """The node that shows what a GPU printed where the CPU printed something else.

    Args:
        device: The GPU's name.
        text: What it printed.
    """
    html = (
        f'<details class="output-rule output-gpu"><summary>on {escape(device)}: '
        f"another output</summary><pre>{escape(text)}</pre></details>"
    )
    return nodes.raw("", html, format="html")
