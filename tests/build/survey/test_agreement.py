"""How a cell agrees with its record, from the best to the worst."""

import pytest
from nbformat import v4

from d2l_support.build.rules import CLOSE, EXACT, Rule
from d2l_support.build.survey.agreement import Agreement, measure_agreement


def prints(text: str) -> list:
    return [v4.new_output("stream", name="stdout", text=text)]


@pytest.mark.parametrize(
    ("recorded", "fresh", "rule", "expected"),
    [
        ("loss 0.5\n", "loss 0.5\n", CLOSE, Agreement()),
        (
            "loss 0.5\n",
            "loss 0.500001\n",
            CLOSE,
            Agreement("numbers", relative=2e-6, absolute=1e-6),
        ),
        (
            "loss 0.5 and 4.0\n",
            "loss 0.51 and 4.01\n",
            CLOSE,
            Agreement("numbers", relative=2e-2, absolute=1e-2, allowed=False),
        ),
        (
            "mean 0.0\n",
            "mean 3e-9\n",
            Rule("close", atol=1e-7),
            Agreement("numbers", relative=0.0, absolute=3e-9),
        ),
        ("[5 3 1]\n", "[3 5 1]\n", EXACT, Agreement("text", allowed=False)),
        ("float32\n", "float64\n", EXACT, Agreement("text", allowed=False)),
        ("1 warning\n", "2 warnings\n", EXACT, Agreement("text", allowed=False)),
        ("loss 0.5\n", "loss nan\n", CLOSE, Agreement("text", allowed=False)),
        (
            "took 1.0 s\n",
            "took 2.0 s\n",
            Rule("informative", why="a time"),
            Agreement("numbers", relative=1.0, absolute=1.0),
        ),
    ],
)
def test_measure_agreement_between_two_texts(recorded, fresh, rule, expected):
    assert measure_agreement(prints(recorded), prints(fresh), rule) == expected


def test_measure_agreement_with_another_kind_of_output():
    picture = [v4.new_output("display_data", data={"image/png": "aGk="})]
    found = measure_agreement(prints("0.5\n"), picture, CLOSE)
    assert found == Agreement("outputs", allowed=False)


def test_measure_agreement_does_not_look_at_pixels():
    one, other = (
        [v4.new_output("display_data", data={"image/png": data})]
        for data in ("aGk=", "eW8=")
    )
    assert measure_agreement(one, other, EXACT) == Agreement()


@pytest.mark.parametrize(
    "agreement",
    [
        Agreement(),
        Agreement("numbers", relative=2e-6, absolute=1e-6),
        Agreement("failed", allowed=False),
    ],
)
def test_agreement_comes_back_from_its_data(agreement):
    assert Agreement.from_data(agreement.to_data()) == agreement


@pytest.mark.parametrize("data", [{"kind": "alike"}, {"kinds": "same"}])
def test_from_data_refuses_what_is_no_agreement(data):
    with pytest.raises((TypeError, ValueError)):
        Agreement.from_data(data)


def test_badness_puts_the_worst_last():
    ordered = [
        Agreement(),
        Agreement("numbers", relative=1e-8),
        Agreement("numbers", relative=1e-3),
        Agreement("text"),
        Agreement("numbers", relative=1e-6, allowed=False),
        Agreement("failed", allowed=False),
    ]
    assert sorted(set(ordered), key=lambda seen: seen.badness) == ordered


def test_agreement_reads_as_words():
    assert [
        str(seen)
        for seen in (
            Agreement(),
            Agreement("numbers", relative=2e-6, absolute=1e-6),
            Agreement("numbers", absolute=3e-9),
            Agreement("text"),
            Agreement("outputs"),
            Agreement("failed"),
        )
    ] == [
        "the same text",
        "numbers differ by 2.0e-06",
        "numbers differ by 3.0e-09, absolute",
        "other text",
        "other kinds of output",
        "does not run",
    ]
