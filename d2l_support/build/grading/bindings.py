"""Names that code binds, and names that it uses, by its syntax tree."""

import ast
from collections.abc import Iterator

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)


def parse_cell(source: str) -> ast.Module:
    """The syntax tree of a cell; lines of IPython's own syntax are left out.

    A cell that cannot be parsed has an empty tree.
    """
    lines = source.splitlines()
    if lines and lines[0].startswith("%%"):
        lines[0] = ""
    plain = [
        line if not line.lstrip().startswith(("%", "!")) else "pass" for line in lines
    ]
    for text in (source, "\n".join(plain)):
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return ast.Module(body=[], type_ignores=[])


def walk_scope(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run in the notebook's own names, not in a function's."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, (*DEFINITIONS, ast.Lambda)):
            yield from walk_scope(node)


def bound_names(tree: ast.Module) -> dict[str, ast.stmt]:
    """The notebook's names that code binds, with the statement that does it last."""
    names: dict[str, ast.stmt] = {}
    for statement in tree.body:
        scope = ast.Module(body=[statement], type_ignores=[])
        for node in walk_scope(scope):
            names |= dict.fromkeys(_names_of(node), statement)
        for node in ast.walk(statement):
            if isinstance(node, ast.Global):
                names |= dict.fromkeys(node.names, statement)
    return names


def is_definition(statement: ast.stmt) -> bool:
    """Whether a statement can be run again without any other effect."""
    if isinstance(statement, ast.Assign):
        try:
            ast.literal_eval(statement.value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return False
        return all(isinstance(target, ast.Name) for target in statement.targets)
    return isinstance(statement, (*DEFINITIONS, *IMPORTS))


def source_of(statement: ast.stmt, source: str) -> str:
    """The lines of a statement in its cell, decorators included."""
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(each.lineno for each in decorators)])
    return "\n".join(source.splitlines()[first - 1 : statement.end_lineno])


def _names_of(node: ast.AST) -> list[str]:
    if isinstance(node, DEFINITIONS):
        return [node.name]
    if isinstance(node, IMPORTS):
        aliases = [each for each in node.names if each.name != "*"]
        return [each.asname or each.name.partition(".")[0] for each in aliases]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        return [node.id]
    return []


def used_names(tree: ast.AST) -> set[str]:
    """Every name and attribute that code mentions."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, IMPORTS):
            names |= {alias.name for alias in node.names}
            names.add(getattr(node, "module", None) or "")
    return names - {""}


def patched_names(tree: ast.AST) -> set[str]:
    """The names on which code sets attributes, by ``a.b = c`` or ``setattr``."""
    targets = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            targets.append(node.value)
        elif isinstance(node, ast.Call) and _is_setattr(node) and node.args:
            targets.append(node.args[0])
    return {name for target in targets if (name := _root_name(target))}


def _is_setattr(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "setattr"


def _root_name(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
