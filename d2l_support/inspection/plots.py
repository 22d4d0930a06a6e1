"""Drawings of reports; matplotlib is imported when one is made."""

from collections.abc import Mapping, Sequence
from typing import Any

TICKS = 30  # more names than this are thinned out


def take_axes(ax: Any, height: float = 3.2) -> Any:
    """The given axes, or those of a new figure 6.4 inches wide."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(6.4, height), layout="constrained")[1]


def draw_depth(
    ax: Any,
    names: Sequence[str],
    lines: Mapping[str, Sequence[float | None]],
    what: str,
    log: bool = False,
) -> Any:
    """Draws numbers over depth, one line for each entry.

    Args:
        ax: The axes; new ones if None.
        names: The names along the horizontal axis, in order of execution.
        lines: By legend, one number for each name; None leaves a gap.
        what: What the vertical axis shows.
        log: Whether that axis is logarithmic.

    Returns:
        The axes.
    """
    ax = take_axes(ax)
    for marker, (legend, numbers) in zip("osD^", lines.items(), strict=False):
        points = [float("nan") if n is None else n for n in numbers]
        ax.plot(range(len(points)), points, marker=marker, markersize=4, label=legend)
    step = -(-len(names) // TICKS) or 1
    places = range(0, len(names), step)
    ax.set_xticks(places, [names[place] for place in places], rotation=90, fontsize=8)
    ax.set_ylabel(what)
    if log:
        ax.set_yscale("log")
    if len(lines) > 1:
        ax.legend()
    return ax


def draw_bars(
    ax: Any,
    names: Sequence[str],
    parts: Mapping[str, Sequence[float]],
    what: str,
) -> Any:
    """Draws one stacked horizontal bar for each name, the first on top.

    Args:
        ax: The axes; new ones if None.
        names: The names of the bars.
        parts: By legend, one length for each name; hatched, so that they can
            be told apart without colour.
        what: What the horizontal axis shows.

    Returns:
        The axes.
    """
    ax = take_axes(ax, height=1 + 0.25 * max(len(names), 4))
    left = [0.0] * len(names)
    for hatch, (legend, lengths) in zip(("", "//", ".."), parts.items(), strict=False):
        ax.barh(range(len(names)), lengths, left=left, hatch=hatch, label=legend)
        left = [a + b for a, b in zip(left, lengths, strict=True)]
    ax.set_yticks(range(len(names)), names, fontsize=8)
    ax.invert_yaxis()
    ax.set_xlabel(what)
    if len(parts) > 1:  # above the bars, which fill the axes
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=len(parts))
    return ax
