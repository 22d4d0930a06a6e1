"""What is served of the built book, and how."""

import gzip
import hashlib
import html
import json
import re
from base64 import b64encode

import pytest

from d2l_support.build.live.pages import mark_live
from d2l_support.build.live.policy import find_digests, write_policy

THEME = 'document.documentElement.dataset.mode = "auto";'


def digest(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_pages_carry_the_mark_of_the_live_server(server, visitor):
    for path, name in (("", "index"), ("chapters/part/section.html", None)):
        text = visitor.get(f"{server.home}/book/{path}").text
        (content,) = re.findall('<meta name="d2l-live" content="([^"]*)">', text)
        assert json.loads(html.unescape(content)) == {
            "base": "/",
            "page": name or "chapters/part/section",
            "frameworks": ["pytorch", "tensorflow", "jax", "mxnet"],
        }
        assert text.index("d2l-live") < text.index("</head>")
    built = server.book.root / "_build" / "html" / "index.html"
    assert "d2l-live" not in built.read_text()


def test_the_book_is_where_the_server_leads_to(server, visitor):
    assert visitor.get(server.home).url == f"{server.home}/book/"


def test_a_page_that_was_built_anew_is_served_anew(server, visitor):
    page = server.book.root / "_build" / "html" / "anew.html"
    page.write_text("<head></head><body>before")
    first = visitor.get(f"{server.home}/book/anew.html")
    page.write_text("<head></head><body>after")
    same = {"If-None-Match": first.headers["Etag"]}
    second = visitor.get(f"{server.home}/book/anew.html", headers=same)
    assert (second.status_code, second.text.endswith("after")) == (200, True)


@pytest.mark.parametrize("path", ["", "chapters/part/section.html", "_static/page.js"])
def test_what_has_not_changed_is_not_sent_again(server, visitor, path):
    first = visitor.get(f"{server.home}/book/{path}")
    assert first.headers["Cache-Control"] == "private, no-cache"
    same = {"If-None-Match": first.headers["Etag"]}
    second = visitor.get(f"{server.home}/book/{path}", headers=same)
    assert (second.status_code, second.content) == (304, b"")


@pytest.mark.parametrize("query", ["?v=1", "?digest=1"])
def test_files_with_a_version_are_kept(server, visitor, query):
    headers = visitor.get(f"{server.home}/book/_static/page.js{query}").headers
    assert headers["Cache-Control"] == "private, max-age=31536000, immutable"


@pytest.mark.parametrize("path", ["_static/page.js", "big.html"])
def test_text_is_compressed(server, visitor, path):
    page = server.book.root / "_build" / "html" / "big.html"
    page.write_text("<head></head><body>" + "word " * 1000)
    whole = len(visitor.get(f"{server.home}/book/{path}").content)
    answer = visitor.get(f"{server.home}/book/{path}", stream=True)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer.headers["Vary"]
    sent = answer.raw.read()
    assert len(sent) < whole / 3
    assert len(gzip.decompress(sent)) == whole
    plain = {"Accept-Encoding": "identity"}
    answer = visitor.get(f"{server.home}/book/{path}", headers=plain)
    assert "Content-Encoding" not in answer.headers


def test_head_sends_no_body(server, visitor):
    for path in ("", "_static/page.js"):
        answer = visitor.head(f"{server.home}/book/{path}")
        assert (answer.status_code, answer.content) == (200, b"")
        assert "Etag" in answer.headers


def test_the_policy_of_a_page_allows_the_scripts_of_its_head_alone(server, visitor):
    policy = visitor.get(f"{server.home}/book/").headers["Content-Security-Policy"]
    assert digest(THEME) in policy
    assert digest("outputOfACell()") not in policy
    assert policy.count("sha256") == 1


def test_find_digests_reads_the_policy_of_the_page():
    own = digest("elsewhere()")
    head = (
        '<meta http-equiv="Content-Security-Policy" '
        f'content="script-src \'self\' {own}"><script type="module">a < b</script>'
        '<script type="application/json">{}</script><script src="x.js"></script>'
    )
    assert find_digests(f"<head>{head}</head><body>") == [digest("a < b"), own]
    assert f"script-src 'self' {own};" in write_policy([own])


def test_mark_live_writes_a_name_that_cannot_end_the_attribute():
    text = mark_live("<head></head>", 'a"><script>', "/")
    assert "<script>" not in text
    assert mark_live("no head", "a", "/") == "no head"
