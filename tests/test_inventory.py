"""The table of an inventory, in plain text and in HTML."""

from html.parser import HTMLParser

from d2l_support.inventory import Inventory
from d2l_support.streams import Stream

START = Stream("Python random", "Python", 0, False, True)
MOVED = Stream("NumPy global", "NumPy", 4294967295, True, True)
HIDDEN = Stream("MXNet cpu", "MXNet", 0, None, True, "cannot be read.")
UNSEEDED = Stream("Other", "Other", None, None, True)
PRIVATE = Stream("mine", "NumPy", None, None, False, "seed it yourself.")
COUNTED = Stream("keys", "Flax", None, True, False, "seed it yourself.")


class Collector(HTMLParser):
    """Collects the tags and texts of a piece of HTML."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_str_is_an_aligned_table():
    rows = (START, MOVED, HIDDEN, UNSEEDED, PRIVATE, COUNTED)
    assert str(Inventory("mxnet", rows)).splitlines() == [
        "Random streams of this process (mxnet)",
        "",
        "stream         seeded           since then    reached by set_seed",
        "-------------  ---------------  ------------  -------------------",
        "Python random  with 0           at its start  yes",
        "NumPy global   with 4294967295  has moved     yes",
        "MXNet cpu      with 0           not known     yes",
        "Other          no               -             yes",
        "mine           -                -             no",
        "keys           -                has moved     no",
        "",
        "MXNet cpu: cannot be read.",
        "mine, keys: seed it yourself.",
    ]


def test_str_without_notes_ends_with_the_table():
    assert str(Inventory("jax", (START,))).endswith("at its start  yes")


def test_str_cuts_long_names_and_wraps_long_notes():
    name, note = "n" * 60, "word " * 40
    lines = str(Inventory("jax", (MOVED, Stream(name, "", 0, None, False, note))))
    assert max(map(len, lines.splitlines())) <= 78
    assert "nnn...  with 0" in lines
    assert "\n  word word" in lines


def test_repr_is_the_table():
    inventory = Inventory("jax", (START,))
    assert repr(inventory) == str(inventory)


def test_html_is_a_plain_table():
    shown = Collector(Inventory("jax", (START, PRIVATE))._repr_html_())
    assert shown.open == []
    tags = [tag for tag, _ in shown.tags]
    assert tags.count("caption") == 1
    assert {"script", "style"}.isdisjoint(tags)
    scopes = [attrs["scope"] for tag, attrs in shown.tags if tag == "th"]
    assert scopes == ["col"] * 4 + ["row"] * 2
    assert all(set(attrs) <= {"scope"} for _, attrs in shown.tags)
    assert shown.texts[-1] == "mine: seed it yourself."


def test_html_escapes_names_and_notes():
    stream = Stream("<i>", "", None, None, False, "a & b")
    shown = Inventory("<jax>", (stream,))._repr_html_()
    assert "(&lt;jax&gt;)" in shown
    assert '<th scope="row">&lt;i&gt;</th>' in shown
    assert "&lt;i&gt;: a &amp; b" in shown
