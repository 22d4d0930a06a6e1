"""What a record keeps of outputs: nothing of the machine, all of the lesson."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_output

from d2l_support.build.normalise import clean_text, normalise_outputs

ROOT = Path("/work/book")


def printed(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def texts(outputs):
    return [(output.name, output.text) for output in normalise_outputs(outputs, ROOT)]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("<f at 0x7f3a2b1c4d5e>", "<f at 0x…>"),
        ("0xff is 255", "0xff is 255"),
        ("Cell In[12], line 3", "Cell In[], line 3"),
        ("In [3]", "In[]"),
        ("index[3]", "index[3]"),
        (
            "File /home/me/book/.envs/jax/lib/python3.11/site-packages/jax/x.py:3",
            "File <environment>/jax/x.py:3",
        ),
        ("File /usr/lib/python3.11/random.py:3", "File <python>/random.py:3"),
        ('"/tmp/ipykernel_4711/123456.py", line 1', '"<cell>", line 1'),
        ("/work/book/d2l_support/jax.py", "<book>/d2l_support/jax.py"),
        ("file:///work/book/x", "file://<book>/x"),
        ("/mnt/work/book/x", "/mnt/work/book/x"),
        ("/work/bookshelf/x", "/work/bookshelf/x"),
    ],
)
def test_clean_text_takes_the_machine_out(text, clean):
    assert clean_text(text, ROOT) == clean


def test_clean_text_without_a_checkout_keeps_its_path():
    assert clean_text("/work/book/x") == "/work/book/x"


def test_normalise_outputs_cleans_every_line_of_a_traceback():
    error = new_output(
        "error",
        ename="ValueError",
        evalue="no <f at 0x7f3a2b1c4d5e>",
        traceback=["Cell In[3], line 1", "/work/book/d2l_support/jax.py in f()"],
    )
    (kept,) = normalise_outputs([error], ROOT)
    assert kept.evalue == "no <f at 0x…>"
    assert kept.traceback == ["Cell In[], line 1", "<book>/d2l_support/jax.py in f()"]


def test_normalise_outputs_forgets_execution_counts():
    result = new_output("execute_result", data={"text/plain": "1"}, execution_count=7)
    (kept,) = normalise_outputs([result])
    assert kept.execution_count is None
    assert result.execution_count == 7


def test_normalise_outputs_cleans_text_and_leaves_pictures():
    data = {
        "image/png": "iVB/0xabcdef/In[3]",
        "image/svg+xml": "<g id='0xabcdef'/>",
        "text/html": "<b>0xabcdef</b>",
    }
    (kept,) = normalise_outputs([new_output("display_data", data=data)])
    assert kept.data == {
        "image/png": "iVB/0xabcdef/In[3]",
        "image/svg+xml": "<g id='0x…'/>",
        "text/html": "<b>0x…</b>",
    }


def test_normalise_outputs_joins_the_pieces_of_a_stream():
    pieces = [printed("a"), printed("b\n"), printed("w", "stderr"), printed("c")]
    assert texts(pieces) == [("stdout", "ab\n"), ("stderr", "w"), ("stdout", "c")]
    assert pieces[0].text == "a"


def test_normalise_outputs_cleans_what_was_cut_between_pieces():
    assert texts([printed("at 0x7f3a"), printed("2b1c")]) == [("stdout", "at 0x…")]


@pytest.mark.parametrize(
    "line",
    [
        "I0000 00:00:1700000000.123456 4711 cpu.cc:3] rebuild with flags\n",
        "W1130 12:00:00.0 1 x.cc:1] careful\n",
        "WARNING: All log messages before absl::InitializeLog() go to STDERR\n",
        "[12:34:56] ../src/base.cc:80: found no GPU\n",
        "[12:34:56] ../src/base.cc:80: found no GPU",
        "12:34:56] ../src/base.cc:80: the end of what began elsewhere\n",
        "[",
        "[12:3",
    ],
)
def test_normalise_outputs_drops_native_log_lines(line):
    assert texts([printed("a\n"), printed(line, "stderr"), printed("b\n")]) == [
        ("stdout", "a\nb\n")
    ]
    assert texts([printed("UserWarning: x\n" + line, "stderr")]) == [
        ("stderr", "UserWarning: x\n")
    ]


def test_normalise_outputs_drops_a_log_line_that_came_in_pieces():
    pieces = [printed("I0000 00:0", "stderr"), printed("0 x.cc:3] y\n", "stderr")]
    assert texts(pieces) == []


def test_normalise_outputs_keeps_a_log_line_on_stdout():
    line = "[12:34:56] base.cc:80: taught\n"
    assert texts([printed(line)]) == [("stdout", line)]


def test_clean_text_takes_a_long_line_in_one_go():
    line = "/" + "2" * 500_000
    assert clean_text(f"{line} /x/lib/python3.11/y", ROOT) == f"{line} <python>/y"


PIECES = st.sampled_from(
    [
        *("/work/book", "/", "work/book/", "lib/python3.11/", "site-packages/", "x.py"),
        *("/t/ipykernel_1/2.py", "0xabcdef", "0x", "abcdef", "In[3]", "In [", "]"),
        *("I0000 a", "[12:00:00] a.cc:1: ", "\n", " ", "<", ">", "-", "…", "é"),
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
CUT = st.sampled_from(["0x", "abcdef", "I0000", " a", "\n", "/t/ipykernel_1/2", ".py"])
OUTPUTS = st.lists(
    st.one_of(
        st.builds(printed, CUT, st.sampled_from(["stdout", "stderr"])),
        st.builds(
            lambda text: new_output("execute_result", data={"text/plain": text}), TEXTS
        ),
    ),
    max_size=8,
)


@given(OUTPUTS)
def test_normalise_outputs_twice_changes_nothing_more(outputs):
    once = normalise_outputs(outputs, ROOT)
    assert normalise_outputs(once, ROOT) == once


@given(TEXTS)
def test_clean_text_twice_changes_nothing_more(text):
    assert clean_text(clean_text(text, ROOT), ROOT) == clean_text(text, ROOT)


@given(st.text(st.characters(exclude_characters="/0I", exclude_categories=["Cs"])))
def test_clean_text_leaves_other_text(text):
    assert clean_text(text, ROOT) == text
