"""Whether a cell came to its end, as far as the kernel can attest it.

A cell counts as completed only if the reply to its own request says ``ok`` and
brings back a random nonce, which the kernel gives (see ``in_kernel``) only if

- the text that the shell ran is the text that was sent, and its last
  statement was evaluated: a replaced ``run_cell`` that runs nothing or
  something else, and a handler that swallows the exception, are found;
- nobody else rewrites cells, and the functions that run them are the ones
  that were there before the first cell.

What this cannot exclude: code in the kernel shares its memory with the test,
so code that was written against this scheme can read the nonce from the
request and answer it, put back what it changed, or make the functions that a
test calls (``numpy.allclose``, a class's ``__eq__``) say what it likes. Silence
alone, or a changed shell, is not enough. Tests that matter compare values in
cells of their own, which a submission cannot edit.
"""

import hashlib
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAME = "attestation"


def build_installation() -> str:
    """Code for the kernel's first request; it leaves no name behind."""
    source = Path(__file__).with_name("in_kernel.py").read_text(encoding="utf-8")
    return f"exec({source!r}, {{'__name__': 'd2l_attestation'}})"


@dataclass(frozen=True)
class Question:
    """What is asked after one cell.

    Attributes:
        source: The cell's text.
        nonce: What the answer must be, 32 hexadecimal digits.
    """

    source: str
    nonce: str = field(default_factory=lambda: secrets.token_hex(16))

    def to_expressions(self) -> dict[str, str]:
        """The request's user expressions."""
        text = self.source.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(text).hexdigest()
        call = f"get_ipython().ast_transformers[0].answer({self.nonce!r}, {digest!r})"
        return {NAME: call}

    def is_answered(self, content: Any) -> bool:
        """Whether a reply's content says ``ok`` and gives the nonce."""
        try:
            given = content["user_expressions"][NAME]["data"]["text/plain"]
            return content["status"] == "ok" and given == repr(self.nonce)
        except (KeyError, TypeError):
            return False
