"""The two passes of `find_nonfinite`, with passes made up."""

from functools import partial

import pytest

from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.looks import Looks

MADE = {"measure": None, "fetch": None}
LOOKS = Looks(partial(Gauge, **MADE), partial(Gauge, **MADE), "no buffer")
FINE, SOME, NAN = (0, 0, 0, 0), (1, 0, 0, -1), (2, 0, 0, 1)


@pytest.fixture
def take(make_run):
    """Makes passes with given numbers; the gauges, whether it went back, the report."""

    def make(*numbers, allow_neginf=()):
        gauges, rewound = [], []

        def run(gauge):
            gauges.append(gauge)
            shown = numbers[len(gauges) - 1]
            return gauge.build(make_run(("", [0], [1]), numbers=(FINE, shown)))

        report = LOOKS.take(run, lambda: rewound.append(True), allow_neginf, True)
        return gauges, rewound, report

    return make


def test_take_looks_once_where_all_is_finite(take):
    gauges, rewound, report = take(FINE)
    assert (len(gauges), rewound, report.found) == (1, [], False)
    assert gauges[0].gradients
    assert not gauges[0].inputs


def test_take_counts_in_a_second_pass_from_the_same_state(take):
    gauges, rewound, report = take(SOME, NAN)
    assert (len(gauges), rewound) == (2, [True])
    assert gauges[1].inputs
    assert report.rows[0].counts == (2, 0, 0)


def test_take_tells_of_a_second_pass_that_is_finite(take):
    _, _, report = take(SOME, FINE)
    assert report.rows[0].place is None
    assert report.explanation[-1] == (
        "A second pass from the same state was finite, so nothing is counted: the "
        "model draws or remembers something that is no buffer."
    )


@pytest.mark.parametrize("allowed", ["mask", ("mask",), ["mask"]])
def test_allowed_names_are_one_text_or_several(take, allowed):
    gauges, _, report = take(FINE, allow_neginf=allowed)
    assert gauges[0].inputs
    assert report.notes[0] == (
        "allow_neginf 'mask' fits no output, argument or buffer."
    )


def test_quick_gauge_stops_at_the_first_bad_pass(take):
    gauge = LOOKS.make_quick_gauge((), inputs=True, gradients=False)
    assert not gauge.alarms([FINE, FINE])
    assert gauge.alarms([FINE, SOME])
    report = take(SOME, NAN)[2]
    assert gauge.stops(report)
    assert gauge.summary(report) == " ".join(report.explanation)
