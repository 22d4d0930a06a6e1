"""The headers that keep a page of the live book to itself.

Scripts come from the book's own files; of inline ones only those in a page's
head run (the theme's: no output of a cell can stand there), by their digest.
"""

import base64
import hashlib
import re
from html.parser import HTMLParser

HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
"""What every answer carries beside the policy."""

EXECUTED = ("", "module", "text/javascript", "application/javascript")
"""Types of an inline script that a browser runs."""

DIGEST = re.compile(r"'sha(?:256|384|512)-[\w+/=-]+'")

DIRECTIVES = {
    "default-src": "'self'",
    "script-src": "'self'",
    # The theme, CodeMirror and Jupyter's widgets write style elements.
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "media-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "frame-src": "'none'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}


def write_policy(digests: list[str] | None = None) -> str:
    """The content security policy of a page.

    Args:
        digests: Sources such as ``'sha256-…'`` of the inline scripts to allow.
    """
    scripts = " ".join([DIRECTIVES["script-src"], *(digests or [])])
    allowed = {**DIRECTIVES, "script-src": scripts}
    return "; ".join(f"{name} {sources}" for name, sources in allowed.items())


def find_digests(page: str) -> list[str]:
    """The digests of the inline scripts in a page's head.

    Also those that the page's own policy names, wherever their scripts stand:
    that policy was written with the page, and it holds besides this one.
    """
    reader = _HeadReader()
    reader.feed(page.partition("<body")[0])
    reader.close()
    found = [_digest(script) for script in reader.scripts]
    return [*dict.fromkeys([*found, *reader.named])]


def _digest(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


class _HeadReader(HTMLParser):
    """Collects the inline scripts of a head, and its policy's digests."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.scripts: list[str] = []
        self.named: list[str] = []
        self._parts: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list) -> None:
        """Begins a script, or reads the page's own policy."""
        values = {name: value or "" for name, value in attrs}
        inline = tag == "script" and "src" not in values
        if inline and values.get("type", "").lower() in EXECUTED:
            self._parts = []
        if values.get("http-equiv", "").lower() == "content-security-policy":
            self.named += DIGEST.findall(values.get("content", ""))

    def handle_data(self, data: str) -> None:
        """Takes a piece of a script."""
        if self._parts is not None:
            self._parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        """Ends a script."""
        if tag == "script" and self._parts is not None:
            self.scripts.append("".join(self._parts))
            self._parts = None
