"""The report on gradients."""

import pytest

from d2l_support.inspection import Value, build_gradients


@pytest.fixture
def report(make_run):
    def arrived(norm, shape=(2, 3)):
        return Value(shape, "float32", (norm, norm / 10))

    return build_gradients(
        make_run(
            ("0", [], [0]),
            ("1", [], [1]),
            ("", [], [1]),
            numbers=[()] * 2,
            gradients=((1, arrived(1.0)), (0, arrived(0.5)), (0, arrived(0.25))),
            weight_gradients=(
                (("1.weight", "tied.weight"), arrived(3.0, (3, 3))),
                (("0.bias",), arrived(4.0, (3,))),
                (("0.weight",), arrived(3.0, (3, 3))),
                (("2.bias",), Value((3,), "float32", skipped="none arrived")),
            ),
        )
    )


def test_str_lists_both_kinds_in_forward_order(report):
    assert str(report).splitlines() == [
        "Gradients of one backward pass (none)",
        "",
        "gradient of             kind        shape  norm  mean |g|",
        "----------------------  ----------  -----  ----  --------",
        "0                       activation  2x3    0.25      0.03",
        "1                       activation  2x3    1.00      0.10",
        "0.weight                parameter   3x3    3.00      0.30",
        "0.bias                  parameter   3      4.00      0.40",
        "1.weight = tied.weight  parameter   3x3    3.00      0.30",
        "",
        "Not checked: gradient of 2.bias (none arrived).",
        "Seen: 3 of 3 modules.",
    ]


def test_select_and_getitem_take_names(report):
    chosen = report.select("tied.*", "0")
    assert [row.label for row in chosen.activations] == ["0"]
    assert [row.norm for row in chosen.parameters] == [3.0]
    assert report["tied.weight"].norm == 3.0
    with pytest.raises(KeyError, match="no gradient of '7' arrived; print the report"):
        report["7"]


def test_parameters_of_one_module_count_together(report):
    assert report._join(("0",)) == 5.0
    assert report._join(("7",)) is None


def test_no_gradient_at_all_is_told(make_run):
    report = build_gradients(make_run(("0", [], [0]), numbers=[()]))
    assert "No gradient arrived. Was there a backward pass, in the block?" in str(
        report
    )
