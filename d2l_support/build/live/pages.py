"""Serves the built book to whoever is logged in: files as they are, pages live.

A page is served with a ``meta`` that says so to its scripts; the file on the
disk stays as it was built.
"""

import functools
import html
import json
import os
from pathlib import Path
from urllib.parse import parse_qsl

from jupyter_server._tz import utcnow
from jupyter_server.base.handlers import JupyterHandler
from tornado import web
from tornado.httputil import url_concat

from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.live.policy import find_digests, write_policy

YEAR = 365 * 24 * 3600
VERSIONED = ("v", "digest")
"""Query arguments with which a built page names the content of a file."""


class BookHandler(JupyterHandler, web.StaticFileHandler):
    """A file of the built book."""

    def initialize(self, path: str) -> None:
        """Takes the folder of the built book."""
        super().initialize(path=path, default_filename="index.html")
        self._page: bytes | None = None

    @web.authenticated
    async def head(self, path: str) -> None:
        """The headers of a file."""
        await self.get(path, include_body=False)

    @web.authenticated
    async def get(self, path: str, include_body: bool = True) -> None:
        """A file of the book, or the address without its token."""
        self.settings["book_last_activity"] = utcnow()
        if "token" in self.request.query_arguments:
            self._leave_token()
            return
        if not path or path.endswith("/"):
            path += self.default_filename
        if path.endswith(".html"):
            self._write_page(path)
        else:
            await super().get(path, include_body)

    def _leave_token(self) -> None:
        """Sends the browser on to the same address without the token."""
        given = parse_qsl(self.request.query, keep_blank_values=True)
        rest = [(name, value) for name, value in given if name != "token"]
        address = url_concat(self.request.path, rest)
        if self.request.headers.get("Sec-Fetch-Site") != "cross-site":
            self.redirect(address)
            return
        # Come from a file or another site, the browser keeps the strict cookie
        # back from a redirect, but not from a page of ours that moves on.
        self.set_header("Cache-Control", "no-store")
        refresh = html.escape(f"0; url={address}", quote=True)
        self.finish(f'<!doctype html><meta http-equiv="refresh" content="{refresh}">')

    def _write_page(self, path: str) -> None:
        self.path = self.parse_url_path(path)
        absolute = self.get_absolute_path(self.root, self.path)
        file = self.validate_absolute_path(self.root, absolute)
        self._page, policy = prepare_page(
            Path(file), Path(self.root), os.stat(file).st_mtime_ns, self.base_url
        )
        # Asking for it sets the cookie that the page's scripts send back.
        self.xsrf_token  # noqa: B018
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Content-Security-Policy", policy)
        self.set_header("Cache-Control", "private, no-cache")
        self.write(self._page)

    def compute_etag(self) -> str | None:
        """The digest of what is sent, be it a page or a file."""
        if self._page is not None:
            return web.RequestHandler.compute_etag(self)
        return super().compute_etag()

    def validate_absolute_path(self, root: str, absolute_path: str) -> str:
        """The path, if it is a file in the book's folder and not hidden."""
        # Resolved, so that no link leads out of the folder.
        path, folder = Path(absolute_path).resolve(), Path(root).resolve()
        if not path.is_relative_to(folder):
            raise web.HTTPError(404)
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            raise web.HTTPError(404)
        return super().validate_absolute_path(root, absolute_path)

    def set_extra_headers(self, path: str) -> None:
        """How long a browser may keep a file: for good, if its address is versioned."""
        versioned = any(name in self.request.query_arguments for name in VERSIONED)
        kept = f"max-age={YEAR}, immutable" if versioned else "no-cache"
        self.set_header("Cache-Control", f"private, {kept}")


@functools.lru_cache(maxsize=64)
def prepare_page(
    file: Path, root: Path, changed: int, base_url: str
) -> tuple[bytes, str]:
    """A page as it is served, and its content security policy.

    Args:
        file: The built page.
        root: The folder of the built book.
        changed: When the file was written, in ns; a new time reads it anew.
        base_url: Where the server's addresses begin.
    """
    text = file.read_text(encoding="utf-8")
    name = file.relative_to(root).with_suffix("").as_posix()
    return mark_live(text, name, base_url).encode(), write_policy(find_digests(text))


def mark_live(text: str, page: str, base_url: str) -> str:
    """A page's HTML with the mark that tells its scripts of the live server.

    Args:
        text: The built page.
        page: Its document name, such as ``chapters/reproducibility/seeds``.
        base_url: Where the server's addresses begin.
    """
    facts = {"base": base_url, "page": page, "frameworks": [*ALL_KEYS]}
    content = html.escape(json.dumps(facts), quote=True)
    mark = f'<meta name="d2l-live" content="{content}">'
    before, found, after = text.partition("</head>")
    return f"{before}{mark}\n  {found}{after}" if found else text
