"""The bundle is made once for each state of its sources."""

from pathlib import Path

import pytest

from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork
from d2l_support.build.web import bundle
from d2l_support.build.web.bundle import digest_sources, make_bundle
from d2l_support.build.web.command import measure_bundle
from d2l_support.build.web.node import Node

NPM = """#!/bin/sh
echo "npm $1" >> calls
mkdir -p node_modules
"""
# In place of node: it makes the folder that it is told to.
NODE = """#!/bin/sh
echo "node $1" >> calls
mkdir -p "$2" && echo bundled > "$2/live.js"
"""


@pytest.fixture
def book(tmp_path: Path, monkeypatch) -> Book:
    """A checkout whose Node.js writes down what it is asked to do."""
    web = tmp_path / "web"
    (web / "src").mkdir(parents=True)
    for name in ("build.mjs", "package.json", "package-lock.json", "src/live.ts"):
        (web / name).write_text(name)
    for name, text in (("npm", NPM), ("node", NODE)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    found = Node(tmp_path / "node", (str(tmp_path / "npm"),))
    monkeypatch.setattr(bundle, "find_node", lambda book, report: found)
    return Book(tmp_path)


def calls(book: Book) -> list[str]:
    """What was asked of Node.js and npm."""
    return (book.root / "web" / "calls").read_text().splitlines()


def test_make_bundle_installs_and_bundles(book):
    folder = make_bundle(book)
    assert folder == book.cache / "web" / digest_sources(book)
    assert (folder / "live.js").read_text() == "bundled\n"
    assert calls(book) == ["npm ci", "node build.mjs"]


def test_make_bundle_twice_asks_for_nothing(book, monkeypatch):
    first = make_bundle(book)
    monkeypatch.setattr(bundle, "find_node", lambda *_: pytest.fail("looked for one"))
    assert make_bundle(book) == first


def test_make_bundle_of_other_sources_keeps_the_packages(book):
    first = make_bundle(book)
    (book.root / "web/src/live.ts").write_text("another")
    assert make_bundle(book) != first
    assert calls(book) == ["npm ci", "node build.mjs", "node build.mjs"]


def test_make_bundle_of_another_lock_installs_again(book):
    make_bundle(book)
    (book.root / "web/package-lock.json").write_text("another")
    make_bundle(book)
    assert calls(book) == ["npm ci", "node build.mjs"] * 2


def test_make_bundle_that_fails_leaves_none(book):
    program = book.root / "node"
    program.write_text('#!/bin/sh\nmkdir -p "$2"\necho "live.ts: wrong" >&2; exit 1\n')
    with pytest.raises(CannotWork, match=r"`node build.mjs` failed.*\nlive.ts: wrong"):
        make_bundle(book)
    program.write_text(NODE)
    assert (make_bundle(book) / "live.js").is_file()


def test_digest_sources_follows_a_name(book):
    before = digest_sources(book)
    (book.root / "web/src/live.ts").rename(book.root / "web/src/alive.ts")
    assert digest_sources(book) != before


def test_measure_bundle_gives_bytes_as_they_are_and_packed(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.js").write_text("x" * 10_000)
    [(name, raw, packed)] = measure_bundle(tmp_path)
    assert (name, raw) == ("parts/a.js", 10_000)
    assert packed < 100
