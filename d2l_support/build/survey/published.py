"""Holds the records against what the reference edition printed.

One file lists the published figures: the numbers alone, each with the cell
that prints it here, where in its output it stands, and the rule by which the
two are to agree.
"""

import json
import re
from ast import literal_eval
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from d2l_support.build.compare import flatten_outputs
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.problems import ContentError, Problem
from d2l_support.build.record import load_record

PATH = Path("chapters") / "published.json"
RULE = re.compile(
    r"exact|same magnitude|to (?P<decimals>\d+) decimals"
    r"|within (?P<distance>\S+?)(?P<absolute> absolute)?"
)
WORD = re.compile(r"True|False|[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")

Value = float | bool | str


@dataclass(frozen=True)
class Figure:
    """One figure of the reference edition.

    Attributes:
        section: The section that prints it here.
        step: The cell in it.
        name: What it is.
        rule: How the two are to agree: "exact", "within 1e-5",
            "within 1e-7 absolute", "to 2 decimals" or "same magnitude".
        pattern: Finds it in the cell's output: the first group.
        values: What was published, by framework, nested lists made flat.
    """

    section: str
    step: str
    name: str
    rule: str
    pattern: str
    values: dict[str, list[Value]]


@dataclass(frozen=True)
class Pairing:
    """A figure as published and as recorded, in one framework.

    Attributes:
        published: The published values, in order.
        recorded: As many values of the record; None where none is found.
        agrees: Whether they agree by the figure's rule.
    """

    published: list[Value]
    recorded: list[Value] | None
    agrees: bool

    @property
    def distance(self) -> float:
        """The largest relative difference, absolute where 0 was published."""
        pairs = zip(self.published, self.recorded or [], strict=False)
        numbers = [
            (float(then), float(now))
            for then, now in pairs
            if not isinstance(then, bool | str)
        ]
        return max(
            (abs(now - then) / (abs(then) or 1.0) for then, now in numbers),
            default=0.0,
        )


@dataclass
class Line:
    """A figure beside the records, as a reader wants it: one line.

    Attributes:
        section: The section that prints it here.
        step: The cell in it.
        name: What it is.
        rules: The rules by which the frameworks' values are to agree.
        pairings: What was published and recorded, by framework.
    """

    section: SectionName
    step: str
    name: str
    rules: list[str] = field(default_factory=list)
    pairings: dict[str, Pairing] = field(default_factory=dict)


def list_published(book: Book) -> list[Line]:
    """Every published figure beside the records that are there."""
    sections = {section.name: section for section in book.sections()}
    lines: dict[tuple[str, str], Line] = {}
    for figure in read_published(book):
        if figure.section not in sections:
            continue
        section = sections[figure.section]
        key = figure.section, figure.name
        line = lines.setdefault(key, Line(section, figure.step, figure.name))
        for framework in figure.values:
            try:
                record = load_record(book, section, framework)
            except (FileNotFoundError, ContentError):
                continue
            line.pairings[framework] = pair_figure(figure, framework, record)
        if figure.rule not in line.rules:
            line.rules.append(figure.rule)
    return list(lines.values())


def read_published(book: Book) -> list[Figure]:
    """The published figures, in the file's order; none where there is no file.

    Raises:
        ContentError: The file is no such list, or a rule is unknown.
    """
    try:
        figures = json.loads((book.root / PATH).read_text(encoding="utf-8"))["figures"]
        return [_read_figure(data) for data in figures]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        message = (
            f"found no list of published figures ({type(error).__name__}: {error}), "
            "expected section, step, figure, rule, pattern and values of each"
        )
        raise ContentError([Problem("published", message, PATH)]) from error


def _read_figure(data: dict) -> Figure:
    if not RULE.fullmatch(data["rule"]):
        raise ValueError(f"the rule {data['rule']!r}")
    values = {key: _flatten(value) for key, value in data["values"].items()}
    place = data["section"], data["step"], data["figure"]
    return Figure(*place, data["rule"], data["pattern"], values)


def _flatten(values: list | Value) -> list[Value]:
    if not isinstance(values, list):
        return [values]
    return [value for part in values for value in _flatten(part)]


def pair_figure(figure: Figure, framework: str, record: NotebookNode) -> Pairing:
    """A figure beside what a record printed.

    Args:
        figure: The figure; it must be published for the framework.
        framework: The framework key.
        record: The section's record in that framework.
    """
    published = figure.values[framework]
    cells = [cell for cell in record.cells if cell.id == figure.step]
    outputs = [output for cell in cells for output in cell.outputs]
    text = "".join(text for _, text in flatten_outputs(outputs))
    match = re.search(figure.pattern, text)
    recorded = read_values(match[1], published) if match else []
    if len(recorded) != len(published):
        return Pairing(published, None, agrees=False)
    pairs = zip(published, recorded, strict=True)
    agrees = all(agree(figure.rule, then, now) for then, now in pairs)
    return Pairing(published, recorded, agrees)


def read_values(text: str, published: list[Value]) -> list[Value]:
    """The values in a text, of the kinds that were published."""
    if any(isinstance(value, str) for value in published):
        is_list = text.startswith(("[", "("))
        return list(literal_eval(text)) if is_list else [text.strip("'\"")]
    return [literal_eval(word) for word in WORD.findall(text)]


def agree(rule: str, published: Value, recorded: Value) -> bool:
    """Whether two values agree; a boolean equals no number."""
    if isinstance(published, bool | str) or isinstance(recorded, bool | str):
        return type(published) is type(recorded) and published == recorded
    parts = RULE.fullmatch(rule)
    if rule == "same magnitude":
        return bool(published) and 0.1 <= abs(recorded / published) <= 10
    if parts["decimals"]:
        places = int(parts["decimals"])
        return round(published, places) == round(recorded, places)
    distance = float(parts["distance"] or 0)
    rtol, atol = (0, distance) if parts["absolute"] else (distance, 0)
    # Of the published value alone: the record must not widen its own rule.
    return abs(recorded - published) <= max(rtol * abs(published), atol)
