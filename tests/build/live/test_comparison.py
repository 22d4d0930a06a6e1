"""A live output against the record, as the page asks for it."""

import copy
from pathlib import Path

import pytest

from d2l_support.build.layout import Book, SectionName
from d2l_support.build.live.comparison import compare_with_record
from d2l_support.build.record import load_record
from d2l_support.build.widgets import STATE, VIEW

PAGE = "chapters/part/section"


def stream(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


def ask(book, outputs, page=PAGE, framework="jax", step="half"):
    return compare_with_record(book, page, framework, step, outputs)


def test_compare_with_record_where_the_output_agrees(recorded_book):
    found = ask(recorded_book, [stream("1.500001\n")])
    assert found.agrees
    assert found.recorded
    assert found.rule == "within 1e-05"
    assert found.detail == ""


def test_compare_with_record_joins_the_pieces_of_a_stream(recorded_book):
    assert ask(recorded_book, [stream("1."), stream(["5", "\n"])]).agrees


def test_compare_with_record_leaves_widgets_out_but_not_their_words():
    book = Book(Path(__file__).parents[3])
    name = SectionName("reproducibility", "generators")
    record = load_record(book, name, "pytorch")
    [cell] = [cell for cell in record.cells if cell.id == "stream-steps"]
    outputs = copy.deepcopy(cell.outputs)
    for output in outputs:
        if VIEW in output.data:
            output.data[VIEW]["model_id"] = "another"
            del output.data[STATE]
    page, step = f"chapters/{name}", cell.id
    assert ask(book, outputs, page, "pytorch", step).agrees
    words = next(output for output in outputs if "text/html" in output.data)
    words.data["text/html"] = words.data["text/html"].replace("stream", "beam")
    assert not ask(book, outputs, page, "pytorch", step).agrees


def test_compare_with_record_says_what_differs(recorded_book):
    found = ask(recorded_book, [stream("1.6\n")])
    assert not found.agrees
    assert found.detail == (
        "stdout: a number differs by 0.1 (0.0667 relative): recorded 1.5, now 1.6."
    )
    found = ask(recorded_book, [stream("x is 3\n")], step="shared")
    assert found.rule == "exact"
    assert found.detail == "stdout: the text differs: recorded x is 2, now x is 3."


def test_compare_with_record_of_another_kind_of_output(recorded_book):
    error = {"output_type": "error", "ename": "E", "evalue": "x", "traceback": []}
    found = ask(recorded_book, [error])
    assert not found.agrees
    assert "recorded stdout, now error" in found.detail


def test_compare_with_record_without_a_record(tiny_book, recorded_book):
    assert not ask(recorded_book, [], step="no-such-step").recorded
    recorded_book.record(recorded_book.sections()[0], "jax").unlink()
    found = ask(tiny_book, [stream("1.5\n")])
    assert not found.recorded
    assert not found.agrees
    assert found.detail == "This page has no record yet."


def test_compare_with_record_that_was_edited(recorded_book):
    path = recorded_book.record(recorded_book.sections()[0], "jax")
    path.write_text(path.read_text().replace("1.5", "1.6"))
    found = ask(recorded_book, [stream("1.6\n")])
    assert not found.recorded
    assert "edited by hand" in found.detail


@pytest.mark.parametrize(
    "page", ["part/section", "../../etc/passwd", "chapters/part/../part/section", ""]
)
def test_compare_with_record_of_an_unknown_page(recorded_book, page):
    with pytest.raises(ValueError, match="found page"):
        ask(recorded_book, [], page=page)


def test_compare_with_record_of_an_unknown_framework(recorded_book):
    with pytest.raises(ValueError, match="found framework 'torch'"):
        ask(recorded_book, [], framework="torch")


@pytest.mark.parametrize(
    "outputs",
    [
        [{}],
        [{"output_type": "stream", "name": "stdout"}],
        [{"output_type": "no such type"}],
        ["text"],
        [{"output_type": "display_data", "data": 1, "metadata": {}}],
    ],
)
def test_compare_with_record_of_invalid_outputs(recorded_book, outputs):
    with pytest.raises(ValueError, match="found invalid outputs"):
        ask(recorded_book, outputs)


def test_the_server_compares(recorded_book, start_server):
    live = start_server(recorded_book)
    visitor = live.visit()
    asked = {"page": PAGE, "framework": "jax", "step": "half"}
    answer = live.post(
        visitor, "/book-live/compare", **asked, outputs=[stream("1.6\n")]
    )
    assert answer.status_code == 200
    assert answer.json()["agrees"] is False
    assert answer.json()["rule"] == "within 1e-05"
    for wrong in ({}, {**asked, "outputs": 1}, {**asked, "page": "x", "outputs": []}):
        answer = live.post(visitor, "/book-live/compare", **wrong)
        assert answer.status_code == 400
        assert answer.json()["message"].startswith("found ")
