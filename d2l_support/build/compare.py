"""Holds fresh outputs against recorded ones, by a rule.

Outputs are compared as what a reader sees: text streams, text and HTML of
results, the state of widgets, and the kind and message of an error. Pictures
are compared by their presence alone (compare the numbers behind them in a
cell), tracebacks and stderr, where native code logs, not at all.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite

from nbformat import NotebookNode

from d2l_support.build.rules import CLOSE, EXACT, Rule
from d2l_support.build.widgets import STATE, describe_states

FLOAT = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?"
    r"|\d+[eE][-+]?\d+|nan|inf)(?!\w|\.\d)"
)
TEXTUAL = ("text/plain", "text/html", "text/markdown", "text/latex", "image/svg+xml")


@dataclass(frozen=True)
class Difference:
    """The first place where a fresh output leaves its record.

    Attributes:
        place: Which output, such as ``stdout`` or ``result text/plain``.
        recorded: What the record holds there.
        fresh: What the run gave.
        rule: The rule that was applied.
        detail: One sentence on how they differ.
    """

    place: str
    recorded: str
    fresh: str
    rule: Rule
    detail: str

    def __str__(self) -> str:
        return (
            f"{self.place}: {self.detail}\n"
            f"  recorded  {self.recorded}\n"
            f"  new       {self.fresh}\n"
            f"  rule      {self.rule}"
        )


def default_rule(outputs: list[NotebookNode]) -> Rule:
    """``close`` where the outputs print a float, ``exact`` where they do not."""
    texts = [text for _, text in flatten_outputs(outputs)]
    return CLOSE if any(FLOAT.search(text) for text in texts) else EXACT


def flatten_outputs(outputs: list[NotebookNode]) -> list[tuple[str, str]]:
    """Outputs as (place, text) pairs: what there is to compare."""
    pairs: list[tuple[str, str]] = []
    for output in outputs:
        if output.output_type == "stream":
            if output.name == "stderr":
                continue
            if pairs and pairs[-1][0] == output.name:
                pairs[-1] = (output.name, pairs[-1][1] + output.text)
            else:
                pairs.append((output.name, output.text))
        elif output.output_type == "error":
            pairs.append(("error", f"{output.ename}: {output.evalue}"))
        else:
            pairs += _flatten_bundle(output)
    return pairs


def _flatten_bundle(output: NotebookNode) -> list[tuple[str, str]]:
    name = "result" if output.output_type == "execute_result" else "display"
    return [
        (f"{name} {mime}", _as_text(mime, data))
        for mime, data in sorted(output.data.items())
    ]


def _as_text(mime: str, data: str | list[str] | dict) -> str:
    if mime == STATE:
        return describe_states(data)
    if mime not in TEXTUAL:
        return "(present)"
    return data if isinstance(data, str) else "".join(data)


def compare_outputs(
    recorded: list[NotebookNode], fresh: list[NotebookNode], rule: Rule
) -> Difference | None:
    """The first difference that the rule does not allow, or None.

    Args:
        recorded: Outputs of the record, normalised.
        fresh: Outputs of a new run, normalised.
        rule: How to compare them.
    """
    if rule.kind == "informative":
        return None
    old, new = flatten_outputs(recorded), flatten_outputs(fresh)
    old_places, new_places = [p for p, _ in old], [p for p, _ in new]
    if old_places != new_places:
        return Difference(
            "outputs",
            ", ".join(old_places) or "nothing",
            ", ".join(new_places) or "nothing",
            rule,
            "the cell printed other kinds of output",
        )
    for (place, before), (_, now) in zip(old, new, strict=True):
        if difference := compare_texts(place, before, now, rule):
            return difference
    return None


def compare_texts(place: str, before: str, now: str, rule: Rule) -> Difference | None:
    """The first difference between two texts that the rule does not allow."""
    if rule.kind == "exact":
        if before == now:
            return None
        return Difference(place, *_first_lines(before, now), rule, "the text differs")
    if skeleton_of(before) != skeleton_of(now):
        lines = _first_lines(before, now, skeleton_of)
        return Difference(place, *lines, rule, "the text around the numbers differs")
    for old, new in zip(FLOAT.findall(before), FLOAT.findall(now), strict=True):
        if not _agree(float(old), float(new), rule):
            return Difference(place, old, new, rule, _distance(float(old), float(new)))
    return None


def _agree(old: float, new: float, rule: Rule) -> bool:
    if not isfinite(old) or not isfinite(new):
        return str(old) == str(new)
    rtol = rule.rtol if rule.kind == "close" else 0.0
    return abs(new - old) <= rule.atol + rtol * abs(old)


def _distance(old: float, new: float) -> str:
    gap = abs(new - old)
    relative = gap / abs(old) if old else inf
    return f"a number differs by {gap:.3g} ({relative:.3g} relative)"


def skeleton_of(text: str) -> list[str]:
    """The pieces of text between the floats."""
    # Arrays pad their numbers, so a changed sign moves white space.
    spaced = (re.sub(r"[ \t]+", " ", piece) for piece in FLOAT.split(text))
    return [re.sub(r"(?<=[\[(]) | (?=[\])])", "", piece) for piece in spaced]


def _first_lines(
    before: str, now: str, view: Callable[[str], object] = str
) -> tuple[str, str]:
    """The first pair of lines that differ in this view of them."""
    old, new = before.splitlines(), now.splitlines()
    for index in range(max(len(old), len(new))):
        left = old[index] if index < len(old) else "(no such line)"
        right = new[index] if index < len(new) else "(no such line)"
        if view(left) != view(right):
            return left, right
    return repr(before[-40:]), repr(now[-40:])
