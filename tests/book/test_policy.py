"""The policy that a page carries: it may load the book's files and run no other."""

import re

import pytest

from d2l_support.build.render.policy import POLICY

PAGE = "chapters/reproducibility/seeds.html"

PLANTED = """
<script>document.title = 'ran'</script>
<img src="data:," onerror="document.title = 'ran'">
<svg onload="document.title = 'ran'"><script>document.title = 'ran'</script></svg>
<a id="planted-link" href="javascript:document.title = 'ran'">here</a>
<iframe srcdoc="<script>parent.document.title = 'ran'</script>"></iframe>
<object data="data:text/html,<script>parent.document.title = 'ran'</script>"></object>
<form id="planted-form" action="https://example.org/"><input name="q"></form>
<base href="https://example.org/">
"""


@pytest.fixture
def planted(open_window, built_book):
    """Opens a page into which an output brought all that might act."""
    text = (built_book / PAGE).read_text(encoding="utf-8")
    body = text.replace('<section id="summary">', f'{PLANTED}<section id="summary">')
    assert body != text

    def open_one(**options):
        reader = open_window(**options)
        reader.context.route(
            "**/seeds.html*",
            lambda route: route.fulfill(body=body, content_type="text/html"),
        )
        return reader, reader.open(PAGE)

    return open_one


def test_policy_refuses_what_an_output_might_run(planted):
    reader, page = planted()
    page.locator("#planted-link").click()
    assert page.title().startswith("Seeds")
    assert page.evaluate("document.baseURI").endswith(PAGE)
    page.locator("#planted-form").evaluate("form => form.submit()")
    assert reader.foreign == []
    assert len(reader.noise) >= 7
    assert all("Content Security Policy" in line for line in reader.noise)


def test_planted_output_runs_where_there_is_no_policy(planted):
    _, page = planted(bypass_csp=True)
    assert page.title() == "ran"


@pytest.mark.parametrize("is_file", [False, True])
def test_pages_work_under_their_policy(open_window, built_book, is_file):
    reader = open_window(**({"home": built_book.as_uri()} if is_file else {}))
    for path in ("index.html", PAGE, "search.html?q=seed", "measured.html"):
        page = reader.open(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("typeof window.bookFramework.choose") == "function"
    assert reader.noise == []


def test_page_may_talk_to_its_own_origin_alone(open_window):
    page = open_window().open(PAGE)
    refused = """async (address) => {
      const told = new Promise((resolve) => {
        document.addEventListener("securitypolicyviolation", () => resolve(true));
        setTimeout(() => resolve(false), 1000);
      });
      try { new WebSocket(address); } catch { return true; }
      return told;
    }"""
    own = page.evaluate("location.host")
    assert page.evaluate(refused, f"ws://{own}/api") is False
    assert page.evaluate(refused, "ws://127.0.0.1:9/api") is True


def test_every_page_has_the_policy_before_anything_loads(built_book):
    start = '<meta http-equiv="Content-Security-Policy" content="default-src'
    for path in built_book.rglob("*.html"):
        if "_static" in path.parts:
            continue
        text = path.read_text(encoding="utf-8")
        assert 0 < text.find(start) < text.find("<link"), path.name
        assert text.find(start) < text.find("<script"), path.name


def test_no_page_has_a_script_or_a_handler_in_itself(built_book):
    inline = re.compile(r"<script(?![^>]*\b(?:src=|type=\"application/[\w.+-]*json))")
    handler = re.compile(r"<[a-z][^<>]*\son\w+=", re.IGNORECASE)
    for path in built_book.rglob("*.html"):
        if "_static" in path.parts:
            continue
        text = path.read_text(encoding="utf-8")
        assert inline.findall(text) == [], path.name
        assert handler.findall(text) == [], path.name
        assert "javascript:" not in text, path.name


def test_policy_allows_no_script_but_files_of_the_book():
    assert POLICY["default-src"] == "'none'"
    assert POLICY["script-src"] == "'self'"
