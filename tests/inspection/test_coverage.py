"""What a report says of the modules that it did not see."""

from d2l_support.inspection import Coverage
from d2l_support.inspection.coverage import group_reasons


def test_coverage_counts_and_names_the_silent():
    coverage = Coverage(52, (("attn.out_proj", "why"), ("head", "because")))
    assert coverage.describe() == (
        "Seen: 52 of 54 modules.",
        "Silent: attn.out_proj (why).",
        "Silent: head (because).",
    )


def test_coverage_of_everything_is_one_line():
    assert Coverage(3).describe() == ("Seen: 3 of 3 modules.",)


def test_coverage_adds_warnings():
    assert Coverage(0, (), ("Call it.",)).describe()[-1] == "Call it."


def test_group_reasons_tells_each_reason_once_and_the_first_names():
    pairs = [(f"m{i}", "why") for i in range(7)] + [("m0", "why"), ("n", "so")]
    assert group_reasons(pairs) == ["m0, m1, m2, m3, m4 and 2 more (why).", "n (so)."]
