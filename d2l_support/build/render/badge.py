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
