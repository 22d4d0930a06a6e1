"""A recorded output shows itself and does nothing to the page."""

import pytest
from nbformat import v4

from d2l_support.build.render.sanitise import clean_html

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "handler": "<img src=x onerror=alert(1)>",
    "link": '<a href="javascript:alert(1)">here</a>',
    "hidden link": '<a href=" jav&#x09;ascript:alert(1)">here</a>',
    "data link": '<a href="data:text/html,<script>alert(1)</script>">here</a>',
    "svg": "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "svg link": '<svg><a href="javascript:alert(1)"><text>x</text></a></svg>',
    "svg use": '<svg><use href="data:image/svg+xml,x"/></svg>',
    "frame": "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "form": '<form action="https://example.org"><button>Log in</button></form>',
    "refresh": '<meta http-equiv="refresh" content="0;url=https://example.org">',
    "base": '<base href="https://example.org/">',
    "style": "<style>body { display: none }</style>",
    "cover": '<div style="position: fixed; inset: 0">x</div>',
    "far picture": '<img src="https://example.org/count.png">',
    "name": '<p id="main-content" name="bookStored">x</p>',
    "false view": '<script type="application/vnd.jupyter.widget-view+json">{}</script>',
}
FORBIDDEN = (
    *("alert", "<script", "onerror", "onload", "javascript", "<iframe", "<form"),
    *("<button", "<meta", "<base", "<style", "position", "example.org", "id=", "<use"),
)

SHOWN = {
    "table": '<table class="dataframe"><thead><tr><th scope="col">a</th></tr></thead>'
    "<tbody><tr><td>1</td></tr></tbody></table>",
    "picture": '<img src="data:image/png;base64,AA==" alt="a dot">',
    "colour": '<span style="color:red">x</span>',
    "drawing": '<svg viewBox="0 0 9 9" aria-hidden="true">'
    '<g fill="none"><path d="M0 0"></path></g></svg>',
    "folded": "<details><summary>more</summary><ol><li>one</li></ol></details>",
}
VIEW = (
    '<script type="application/vnd.jupyter.widget-view+json">'
    '{"version_major": 2, "version_minor": 0, "model_id": "m"}</script>'
)


@pytest.mark.parametrize("name", HOSTILE)
def test_clean_html_takes_out_what_acts(name):
    cleaned = clean_html(f"<p>before</p>{HOSTILE[name]}<p>after</p>")
    assert [word for word in FORBIDDEN if word in cleaned] == []
    assert cleaned.startswith("<p>before</p>")
    assert "<p>after</p>" in cleaned


@pytest.mark.parametrize("name", SHOWN)
def test_clean_html_leaves_what_shows(name):
    assert clean_html(SHOWN[name]) == SHOWN[name]


def test_clean_html_keeps_the_place_of_a_widget():
    assert clean_html(f"<p>still</p>{VIEW}") == f"<p>still</p>{VIEW}"


def test_clean_html_writes_a_view_without_what_would_end_it():
    hostile = VIEW.replace('"m"', '"m<!--<script>"')
    assert "<!--" not in clean_html(hostile)
    assert clean_html(hostile).count("<script") == 1


def plant(small_book, data: dict[str, str]) -> None:
    """Gives the cells of the JAX record another output."""
    small_book.record("jax", output=v4.new_output("display_data", data=data))


@pytest.mark.parametrize("mime_type", ["text/html", "text/markdown"])
def test_page_shows_a_hostile_output_without_what_acts(small_book, mime_type):
    text = f"**shown** <b>too</b>\n\n{''.join(HOSTILE.values())}"
    plant(small_book, {mime_type: text})
    built = small_book.build()
    output = str(built.tab("first", "jax").select_one(".cell_output"))
    assert "shown" in output
    assert "too" in output
    assert [word for word in FORBIDDEN if word in output] == []
    assert built.warnings == []


def test_page_shows_no_script_output(small_book):
    plant(small_book, {"application/javascript": "alert(1)", "text/plain": "words"})
    output = str(small_book.build().tab("first", "jax").select_one(".cell_output"))
    assert "words" in output
    assert "alert" not in output
