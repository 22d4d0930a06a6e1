"""The report on two trainings, in plain text and in HTML."""

from html.parser import HTMLParser

import numpy as np

from d2l_support.resume.report import ResumeReport, Row, compare_histories
from d2l_support.resume.training import History

PLAN = "3 steps; saved, built anew and loaded after step 2."


def make_history(weights, loaded=None, items=None):
    """A training of three steps whose loss is always one."""
    steps = {
        step: {"loss": np.array(1.0), "0.weight": np.float32(weight)}
        for step, weight in enumerate(weights, 1)
    }
    history = History(steps, items=items or {"model": {"w": np.ones(3)}, "rest": {}})
    if loaded is not None:
        history.loaded[2] = {"0.weight": np.float32(loaded)}
    return history


def compare(one, two, note=""):
    return compare_histories("jax", PLAN, one, two, note)


REFERENCE = make_history([[1, 2], [3, 4], [5, 6]])
EQUAL = make_history([[1, 2], [3, 4], [5, 6]], loaded=[3, 4])
OTHER = make_history([[1, 2], [3, 4], [5, 7]], loaded=[3, 4])
LOST = make_history([[1, 2], [3, 4], [0, 0]], loaded=[0, 0])


def test_text_of_equal_trainings():
    assert str(compare(REFERENCE, EQUAL)).splitlines() == [
        "A resumed training against an uninterrupted one (jax)",
        "3 steps; saved, built anew and loaded after step 2.",
        "",
        "compared  when        numbers  bit for bit",
        "--------  ----------  -------  -----------",
        "loss      each step         1  equal",
        "0.weight  each step         2  equal",
        "model     at the end        3  equal",
        "rest      at the end        -  equal",
        "",
        "Every number agrees bit for bit.",
    ]


def test_text_of_other_trainings():
    lines = str(compare(REFERENCE, OTHER, "Mind this.")).splitlines()
    assert lines[6] == "0.weight  each step         2  differs from step 3 on"
    assert lines[-4:] == [
        "First difference: after step 3, 0.weight[1] is 6.0 uninterrupted and 7.0",
        "resumed.",
        "",
        "Mind this.",
    ]


def test_difference_right_after_loading():
    report = compare(REFERENCE, LOST)
    assert (report.first.step, report.first.loaded) == (2, True)
    assert str(report.first) == (
        "First difference: as loaded after step 2, 0.weight[0] is 3.0 uninterrupted "
        "and 0.0 resumed."
    )
    assert report.rows[1].since == 2


def test_difference_at_the_end_only():
    items = {"model": {"w": np.zeros(3)}, "rest": {}}
    resumed = make_history([[1, 2], [3, 4], [5, 6]], [3, 4], items)
    report = compare(REFERENCE, resumed)
    assert not report.equal
    assert report.first is None
    assert "Only what is compared at the end differs." in str(report)
    assert "model     at the end        3  differs\n" in str(report)


def test_last_bit_counts():
    weight = np.nextafter(np.float32(6), np.float32(7))
    resumed = make_history([[1, 2], [3, 4], [5, weight]], [3, 4])
    report = compare(REFERENCE, resumed)
    assert (report.first.uninterrupted, report.first.resumed) == ("6.0", "6.0000005")


def test_repr_is_the_text():
    report = compare(REFERENCE, EQUAL)
    assert repr(report) == str(report)


def test_text_fits_the_page():
    rows = (Row("n" * 99, "each step", 10**9, 3), Row("m", "at the end", 0, None))
    report = ResumeReport("tensorflow", "word " * 40, rows, None, "word " * 40)
    lines = str(report).splitlines()
    assert max(map(len, lines)) <= 78
    assert "nnn...  each step" in str(report)


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


def test_html_is_a_plain_table():
    shown = Collector(compare(REFERENCE, OTHER, "Mind this.")._repr_html_())
    assert shown.open == []
    tags = [tag for tag, _ in shown.tags]
    assert tags.count("caption") == 1
    assert {"script", "style"}.isdisjoint(tags)
    scopes = [attrs["scope"] for tag, attrs in shown.tags if tag == "th"]
    assert scopes == ["col"] * 4 + ["row"] * 4
    assert all(set(attrs) <= {"scope"} for _, attrs in shown.tags)
    assert "differs from step 3 on" in shown.texts
    assert shown.texts[-1] == "Mind this."


def test_html_escapes_names_and_notes():
    rows = (Row("<i>", "each step", 1, None),)
    shown = ResumeReport("<jax>", "a & b", rows, None, "<b>")._repr_html_()
    assert '<th scope="row">&lt;i&gt;</th>' in shown
    assert "(&lt;jax&gt;): a &amp; b</caption>" in shown
    assert "<p>&lt;b&gt;</p>" in shown
