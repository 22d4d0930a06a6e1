"""Signs in a student's code that it reaches for what checks it.

This reads the code and runs nothing, so a determined student can hide from
it; what it finds is for the instructor to judge, and costs no points.
"""

import ast
from dataclasses import dataclass, field

from nbformat import NotebookNode

from d2l_support.build.grading.bindings import (
    IMPORTS,
    bound_names,
    is_definition,
    parse_cell,
    patched_names,
    source_of,
    used_names,
)
from d2l_support.build.grading.finding import Finding, name_cells
from d2l_support.build.grading.frame import Assignment, is_answer, is_own, is_test

REACHING = frozenset(
    {
        "__builtins__", "__import__", "_exit", "_getframe", "_ih", "In", "abort",
        "ast_transformers", "builtins", "ctypes", "currentframe", "f_back", "gc",
        "get_ipython", "input_transformers_post", "kill", "run_cell", "setprofile",
        "settrace", "stack",
    }
)  # fmt: skip
"""Names by which code reaches the kernel, the frames or the process around it."""


@dataclass(frozen=True)
class Suspicion:
    """What the code of a submission shows.

    Attributes:
        findings: What the instructor should know.
        again: Given definitions that the student's code binds anew, as
            source, to be run again before the tests.
    """

    findings: tuple[Finding, ...] = ()
    again: str = ""


@dataclass
class _Code:
    """The code of a notebook: the student's, what was given, the tests."""

    theirs: ast.Module = field(default_factory=lambda: parse_cell(""))
    given: dict[str, tuple[ast.stmt, str]] = field(default_factory=dict)
    tested: set[str] = field(default_factory=set)


def read_suspicion(notebook: NotebookNode, assignment: Assignment) -> Suspicion:
    """Reads a restored notebook; what the instructor's answers do is no sign."""
    try:
        return _read(notebook, assignment)
    except RecursionError:
        text = "found code that is nested too deeply to be read; look at it"
        return Suspicion((Finding(text, look=True),))


def _read(notebook: NotebookNode, assignment: Assignment) -> Suspicion:
    code = _sort_code(notebook)
    model = parse_cell(assignment.model)
    again, names, lost = _find_rebound(code, model)
    imported = {
        name for name, (node, _) in code.given.items() if isinstance(node, IMPORTS)
    }
    signs = {
        "found code that reaches for the kernel ({}); look at it": (
            used_names(code.theirs) & REACHING - used_names(model)
        ),
        "found code that changes a given module ({}); look at it": (
            patched_names(code.theirs) & imported - patched_names(model)
        ),
        "found given definitions bound anew ({}); put back for the tests": names,
        "found given values bound anew that tests use ({}); look at them": lost,
    }
    findings = [
        Finding(text.format(name_cells(sorted(found))), look=True)
        for text, found in signs.items()
        if found
    ]
    return Suspicion(tuple(findings), again)


def _sort_code(notebook: NotebookNode) -> _Code:
    code = _Code()
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        tree = parse_cell(cell.source)
        if is_own(cell) or is_answer(cell):
            code.theirs.body += tree.body
        elif is_test(cell):
            code.tested |= used_names(tree)
        else:
            for name, statement in bound_names(tree).items():
                code.given[name] = statement, cell.source
    return code


def _find_rebound(code: _Code, model: ast.Module) -> tuple[str, set[str], set[str]]:
    """Given names that the student's code binds to something else.

    Returns:
        The source of the definitions among them, their names, and the names
        that tests use but that no source can put back.
    """
    theirs, allowed = bound_names(code.theirs), bound_names(model)
    sources, names, lost = {}, set(), set()
    for name, (statement, source) in code.given.items():
        if name not in theirs or name in allowed:
            continue
        if ast.dump(theirs[name]) == ast.dump(statement):
            continue
        if is_definition(statement):
            names.add(name)
            sources[source_of(statement, source)] = None
        elif name in code.tested:
            lost.add(name)
    return "\n".join(sources), names, lost
