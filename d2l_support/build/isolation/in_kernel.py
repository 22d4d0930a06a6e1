"""Notes which cells came to their end; runs inside the kernel, sent as text.

A cell's last statement is wrapped so that, once it has been evaluated, the
cell's digest is noted. The source that the kernel was given, ``In``, the value
that is shown and every traceback stay those of the cell.
"""

import ast
import builtins
import hashlib
import sys

from IPython import get_ipython

METHODS = (
    "run_cell",
    "run_cell_async",
    "run_ast_nodes",
    "run_code",
    "transform_cell",
    "transform_ast",
    "user_expressions",
)
"""Those of the shell that a cell goes through."""


class Attestation(ast.NodeTransformer):
    """Follows each cell from its text to its last statement.

    State touched: the shell's AST transformers and its callbacks.
    """

    def __init__(self, shell):
        self.shell = shell
        self.digest = ""
        self.ended = set()
        self.machinery = self.find_machinery()
        shell.ast_transformers.append(self)
        shell.events.register("pre_run_cell", self.begin)

    def find_machinery(self):
        """What runs cells here, as it stands now: a list of objects."""
        methods = [getattr(self.shell, name) for name in METHODS]
        methods.append(self.shell.kernel.do_execute)
        module = sys.modules[type(self.shell).__mro__[1].__module__]
        texts = self.shell.input_transformer_manager
        return [
            *texts.cleanup_transforms,
            *texts.line_transforms,
            *texts.token_transformers,
            *self.shell.input_transformers_post,
            *(getattr(method, "__func__", method) for method in methods),
            *(vars(module).get(name) for name in ("exec", "compile")),
            builtins.exec,
            builtins.compile,
        ]

    def begin(self, info):
        """Takes the digest of the text that the shell is about to run."""
        text = info.raw_cell.encode("utf-8", "surrogatepass")
        self.digest = hashlib.sha256(text).hexdigest()

    def visit(self, tree):
        """A cell's tree, whose last statement tells that it was evaluated."""
        if not (self.digest and isinstance(tree, ast.Module)):
            return tree  # what a magic runs, inside a cell
        code = f"get_ipython().ast_transformers[0].end({self.digest!r})"
        self.digest = ""
        call = ast.parse(code, mode="eval").body
        last = tree.body[-1] if tree.body else None
        if last is not None:
            for node in ast.walk(call):
                if hasattr(node, "lineno"):
                    ast.copy_location(node, last)
        if isinstance(last, ast.Expr):
            pair = ast.Tuple([last.value, call], ast.Load())
            last.value = ast.Subscript(pair, ast.Constant(0), ast.Load())
        else:
            tree.body.append(ast.Expr(call))
        return tree

    def end(self, digest):
        """Notes that the cell with this digest came to its end."""
        self.ended.add(digest)

    def answer(self, nonce, digest):
        """The nonce if that cell came to its end by the usual way, else ""."""
        ended = digest in self.ended
        self.ended.clear()
        alone = self.shell.ast_transformers == [self]
        usual = list(map(id, self.find_machinery())) == list(map(id, self.machinery))
        return nonce if ended and alone and usual else ""


Attestation(get_ipython())
