"""What agrees between two trainings, as a table in plain text and in HTML."""

import html
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from d2l_support.resume.plain import equal_data, find_difference, split_arrays
from d2l_support.resume.training import History

WIDTH = 78
GAP = "  "
EACH, END = "each step", "at the end"
HEADER = ("compared", "when", "numbers", "bit for bit")


@dataclass(frozen=True)
class Row:
    """One thing that was compared.

    Attributes:
        name: The name of a value or of an item.
        when: "each step" or "at the end".
        numbers: How many numbers it has each time.
        since: The first step at which it differs; None if it never does.
    """

    name: str
    when: str
    numbers: int
    since: int | None


@dataclass(frozen=True)
class Difference:
    """The first number that differs between the two trainings.

    Attributes:
        step: The step after which it was seen.
        loaded: Whether it was seen right after loading, before a next step.
        name: The name of the value.
        place: The place of the number in it, as an index.
        uninterrupted: The number in the uninterrupted training, in words.
        resumed: The number in the resumed one, in words.
    """

    step: int
    loaded: bool
    name: str
    place: str
    uninterrupted: str
    resumed: str

    def __str__(self) -> str:
        moment = f"after step {self.step}"
        if self.loaded:
            moment = f"as loaded {moment}"
        return (
            f"First difference: {moment}, {self.name}{self.place} is "
            f"{self.uninterrupted} uninterrupted and {self.resumed} resumed."
        )


@dataclass(frozen=True, repr=False)
class ResumeReport:
    """A comparison of an uninterrupted and a resumed training.

    Printing it gives a table of at most 78 columns; as the last value of a
    notebook cell it is an HTML table.

    Attributes:
        framework: The framework's key.
        plan: What was done, in words.
        rows: What was compared.
        first: The first difference; None if all agrees.
        note: What the reader should know besides.
    """

    framework: str
    plan: str
    rows: tuple[Row, ...]
    first: Difference | None
    note: str = ""

    @property
    def equal(self) -> bool:
        """Whether every number of every row agrees bit for bit."""
        return all(row.since is None for row in self.rows)

    def __str__(self) -> str:
        table = [HEADER, *map(describe_row, self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        widths[0] = min(widths[0], WIDTH - sum(widths[1:]) - 3 * len(GAP))
        table.insert(1, tuple("-" * width for width in widths))
        lines = [self._title(), *textwrap.wrap(self.plan, WIDTH), ""]
        lines += [_align_row(row, widths) for row in table]
        for text in self._remarks():
            lines += ["", *textwrap.wrap(text, WIDTH)]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{word}</th>' for word in HEADER)
        rows = "".join(map(_format_html_row, self.rows))
        caption = html.escape(f"{self._title()}: {self.plan}")
        return (
            f"<table><caption>{caption}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            + "".join(f"<p>{html.escape(text)}</p>" for text in self._remarks())
        )

    def _title(self) -> str:
        return f"A resumed training against an uninterrupted one ({self.framework})"

    def _remarks(self) -> list[str]:
        verdict = "Every number agrees bit for bit."
        if not self.equal:
            verdict = str(self.first or "Only what is compared at the end differs.")
        return [verdict, self.note] if self.note else [verdict]


def describe_row(row: Row) -> tuple[str, ...]:
    """A row in words, in the order of `HEADER`."""
    agrees = "equal" if row.since is None else "differs"
    if agrees == "differs" and row.when == EACH:
        agrees = f"differs from step {row.since} on"
    return row.name, row.when, str(row.numbers or "-"), agrees


def compare_histories(
    framework: str, plan: str, reference: History, resumed: History, note: str
) -> ResumeReport:
    """The report on two trainings.

    Args:
        framework: The framework's key.
        plan: What was done, in words.
        reference: What was seen of the uninterrupted training.
        resumed: What was seen of the resumed one.
        note: What the reader should know besides.
    """
    found = list(_list_differences(reference, resumed))
    since: dict[str, int] = {}
    for each in found:
        since.setdefault(each.name, each.step)
    last = max(reference.steps)
    rows = [
        Row(name, EACH, array.size, since.get(name))
        for name, array in reference.steps[last].items()
    ]
    for name, data in reference.items.items():
        same = equal_data(data, resumed.items[name])
        rows.append(Row(name, END, _count(data), None if same else last))
    return ResumeReport(framework, plan, tuple(rows), next(iter(found), None), note)


def _list_differences(reference: History, resumed: History) -> Iterator[Difference]:
    """For each moment and value, in order, the first number that differs."""
    for step, values in reference.steps.items():
        moments = [(False, resumed.steps[step])]
        if step in resumed.loaded:
            moments.append((True, resumed.loaded[step]))
        for loaded, others in moments:
            for name, other in others.items():
                numbers = find_difference(values[name], other)
                if numbers is not None:
                    yield Difference(step, loaded, name, *numbers)


def _count(data: object) -> int:
    """How many numbers the arrays of an item hold."""
    return sum(array.size for array in split_arrays(data)[1].values())


def _align_row(row: tuple[str, ...], widths: list[int]) -> str:
    """The row as one line; a name that is too long is cut, numbers end flush."""
    name, when, numbers, agrees = row
    if len(name) > widths[0]:
        name = name[: widths[0] - 3] + "..."
    cells = (
        name.ljust(widths[0]),
        when.ljust(widths[1]),
        numbers.rjust(widths[2]),
        agrees,
    )
    return GAP.join(cells)


def _format_html_row(row: Row) -> str:
    """One row of the HTML table; the name heads it."""
    name, *rest = map(html.escape, describe_row(row))
    cells = "".join(f"<td>{cell}</td>" for cell in rest)
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'
