"""The TypeScript of ``web/``: its types, and the tests of its pure functions."""

import subprocess
from pathlib import Path

import pytest

from d2l_support.build.layout import Book
from d2l_support.build.web.bundle import make_bundle
from d2l_support.build.web.node import Node, find_node

WEB = Path(__file__).parents[3] / "web"


@pytest.fixture(scope="module")
def node() -> Node:
    """The Node.js of this checkout, its packages installed."""
    book = Book(WEB.parent)
    make_bundle(book)
    return find_node(book, report=pytest.fail)


@pytest.mark.parametrize(
    "script",
    ["node_modules/typescript/bin/tsc", "test/run.mjs"],
    ids=["types", "tests"],
)
def test_sources_of_the_pages(node, script):
    done = subprocess.run(
        [str(node.program), script],
        cwd=WEB,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
