"""The report on multiply-accumulates."""

from d2l_support.inspection import build_macs


def test_macs_are_summed_and_the_unknown_told(make_run):
    run = make_run(("0", [0], [1]), ("1", [1], [2]), ("2", [2], [3]), numbers=[()] * 4)
    counts = {"0": 1_000_000, "1": 0, "2": "no rule for its class"}
    report = build_macs(run, lambda call, run: counts[call.names[0]])
    assert (report.total, report.flops) == (1_000_000, 2_000_000)
    assert str(report).splitlines() == [
        "Multiply-accumulates of one pass (none)",
        "",
        "call of  kind   output       MACs",
        "-------  -----  ------  ---------",
        "0        Layer  2x3     1,000,000",
        "",
        "1,000,000 MACs in all, that is 2,000,000 FLOPs.",
        "Not counted: 2 (no rule for its class).",
        "Seen: 3 of 3 modules.",
    ]
