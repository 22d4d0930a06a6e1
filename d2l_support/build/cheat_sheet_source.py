"""Reads the cheat sheet's file; every fault is told with its line.

PyYAML's nodes are read instead of its values: they know their lines, and a
key that is given twice.
"""

from collections import Counter
from collections.abc import Iterator
from textwrap import dedent

import yaml

from d2l_support.build.cheat_sheet import (
    GAP,
    MOST_LINES,
    PATH,
    Excerpt,
    Task,
    make_problem,
)
from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.layout import Book
from d2l_support.build.problems import ContentError, Problem

TASK_KEYS = ("task", "section", "step")
EXCERPT_KEYS = ("section", "step", "lines", "why")

Nodes = dict[str, yaml.Node]


class _Fault(Exception):
    """What is wrong in the file, and on which line."""

    def __init__(self, message: str, node: yaml.Node):
        super().__init__(message)
        self.line = node.start_mark.line + 1


def read_sheet(book: Book) -> tuple[Task, ...]:
    """The tasks of a checkout's cheat sheet; none where there is no file.

    Raises:
        ContentError: The file cannot be understood; all faults are listed.
    """
    try:
        data = (book.root / PATH).read_bytes()
    except FileNotFoundError:
        return ()
    try:
        return parse_sheet(data.decode())
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = f"found the byte {data[error.start]:#04x}, expected UTF-8"
        raise ContentError([make_problem(message, line)]) from error


def parse_sheet(text: str) -> tuple[Task, ...]:
    """The tasks that a text lists.

    Raises:
        ContentError: The text cannot be understood; all faults are listed.
    """
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or error
        message = f"found no YAML ({said}), expected a list of tasks"
        line = mark.line + 1 if mark else 1
        raise ContentError([make_problem(message, line)]) from error
    if not isinstance(root, yaml.SequenceNode):
        line = root.start_mark.line + 1 if root else 1
        message = "found no list, expected a list of tasks"
        raise ContentError([make_problem(message, line)])
    problems: list[Problem] = []
    tasks = [_read_task(node, problems) for node in root.value]
    problems += _find_repeated(root, tasks)
    if problems:
        raise ContentError(sorted(problems, key=lambda problem: problem.line))
    return tuple(tasks)


def _read_task(node: yaml.Node, problems: list[Problem]) -> Task:
    """A task; where it is faulty, what could be read of it."""
    name, texts, excerpts = "", {}, []
    try:
        fields = _read_fields(node, (*TASK_KEYS, *ALL_KEYS))
        name = _read_text(fields, "task", node)
        texts = {key: _read_text(fields, key, node) for key in ("section", "step")}
    except _Fault as fault:
        problems.append(make_problem(str(fault), fault.line, name))
        return Task(name, "", ())
    for key, framework in FRAMEWORKS.items():
        try:
            if key not in fields:
                raise _Fault(
                    f"found no {framework.label}, expected lines of its cell or "
                    f"a word on why there are none, after {key}: {{why: ...}}",
                    node,
                )
            excerpts.append(_read_excerpt(fields[key], Excerpt(key, line=0, **texts)))
        except _Fault as fault:
            own = Excerpt(key, line=fault.line, **texts)
            problems.append(make_problem(str(fault), fault.line, name, own))
    return Task(name, texts["section"], tuple(excerpts))


def _read_excerpt(node: yaml.Node, default: Excerpt) -> Excerpt:
    """One framework's entry: its lines alone, or a mapping.

    Args:
        node: The entry.
        default: The framework, and the section and step of its task.
    """
    line = node.start_mark.line + 1
    fields = {"lines": node}
    if isinstance(node, yaml.MappingNode):
        fields = _read_fields(node, EXCERPT_KEYS)
        if ("lines" in fields) == ("why" in fields):
            raise _Fault("found not one of lines and why, expected one", node)
    where = {
        key: _read_text(fields, key, node)
        for key in ("section", "step")
        if key in fields
    }
    place = {"section": default.section, "step": default.step} | where
    if "why" in fields:
        why = _read_text(fields, "why", node)
        return Excerpt(default.framework, line=line, why=why, **place)
    text = dedent(_read_text(fields, "lines", node)).rstrip()
    count = sum(line.strip() not in ("", GAP) for line in text.splitlines())
    if not 1 <= count <= MOST_LINES:
        message = f"found {count} lines of code, expected 1 to {MOST_LINES}"
        raise _Fault(message, fields["lines"])
    return Excerpt(default.framework, line=line, text=text, **place)


def _read_fields(node: yaml.Node, expected: tuple[str, ...]) -> Nodes:
    """The values of a mapping by key."""
    if not isinstance(node, yaml.MappingNode):
        raise _Fault(f"found no mapping, expected {', '.join(expected)}", node)
    fields: Nodes = {}
    for key, value in node.value:
        if key.value not in expected:
            message = f"found the key {key.value!r}, expected {', '.join(expected)}"
            raise _Fault(message, key)
        if key.value in fields:
            raise _Fault(f"found the key {key.value!r} a second time", key)
        fields[key.value] = value
    return fields


def _read_text(fields: Nodes, key: str, parent: yaml.Node) -> str:
    node = fields.get(key)
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise _Fault(f"found no text for {key!r}, expected some", node or parent)
    return node.value if key == "lines" else " ".join(node.value.split())


def _find_repeated(root: yaml.SequenceNode, tasks: list[Task]) -> Iterator[Problem]:
    counts = Counter(task.name for task in tasks if task.name)
    for node, task in zip(root.value, tasks, strict=True):
        if counts[task.name] > 1:
            line = node.start_mark.line + 1
            yield make_problem("found it twice, expected it once", line, task.name)
