"""Where a pass ends and which is reported, in a framework made up of functions."""

import pytest

from d2l_support.inspection import runs
from d2l_support.inspection.gauges import Gauge
from d2l_support.inspection.passes import Pass
from d2l_support.inspection.places import Places
from d2l_support.inspection.sights import Called, Sight, see_object
from d2l_support.inspection.watching import Watch


class Double:
    """A model of one module, which doubles numbers and refuses texts."""

    listener = None

    def __call__(self, x):
        if self.listener:
            self.listener.enter()
        try:
            y = 2 * x if isinstance(x, float) else int(x)
        except ValueError as error:
            if self.listener:
                self.listener.fail(error)
            raise
        if self.listener:
            self.listener.leave(y)
        return y


class ToyPlaces(Places):
    framework, method, uncalled = "toy", "__call__", "Call it."

    def is_callable(self, place):
        return True

    def explain(self, place, seen):
        return "not called"


class ToyPass(Pass):
    def see(self, x):
        return Sight((), "float", (x,)) if isinstance(x, float) else see_object(x)

    def skip(self, x, reason):
        return Sight((), "float", reason)

    def let_go(self):
        """Nothing is held."""


class Toy(Watch):
    def __init__(self, gauge):
        super().__init__(Double(), gauge)
        self._places = ToyPlaces(self._model, [("", self._model)])
        self.bias = 0.5
        self._weights = [(("bias",), self.bias)] if gauge.weights else []
        self._parameters = []

    def call(self, *numbers):
        for number in numbers:
            self._model(number)

    def enter(self):
        self._take_pass()

    def leave(self, y):
        if now := self._take_pass(may_begin=False):
            now.sights.append(now.see(y))
            now.calls.append(
                Called(id(self._model), None, (("", len(now.sights) - 1),))
            )
            now.left = True

    def fail(self, error):
        self._note_exception(error, id(self._model))

    def _run_model(self, inputs, kwargs, loss):
        self._model(*inputs, **kwargs)

    def _attach(self):
        self._model.listener = self

    def _detach(self):
        self._model.listener = None

    def _make_pass(self):
        return ToyPass(self.passes, self._gauge.measure)

    def _list_unwritten(self, kept):
        return [] if self._stopped else self._weights


def make(**options):
    """A watch whose report is the run; and the fetches that it made."""
    fetches = []

    def fetch(rows):
        fetches.append(len(rows))
        return rows

    return Toy(Gauge(None, fetch, lambda run: run, **options)), fetches


def test_last_pass_is_reported_and_each_fetched_once():
    watch, fetches = make()
    with watch:
        watch.call(1.0, 2.0, 3.0)
    assert (watch.passes, watch.report.number, fetches) == (3, 3, [1, 1, 1])
    assert watch.report.values == (runs.Value((), "float", (6.0,)),)
    assert watch.report.coverage.seen == 1


def test_report_inside_the_block_ends_the_pass():
    watch, _ = make()
    with watch:
        watch.call(1.0)
        assert watch.report.values[0].numbers == (2.0,)
        watch.call(2.0)
    assert watch.report.values[0].numbers == (4.0,)


def test_run_makes_one_pass_and_detaches():
    watch, _ = make()
    assert watch.run((1.5,), None).values[0].numbers == (3.0,)
    assert watch._model.listener is None


def test_parameters_are_looked_at_in_the_end_only():
    watch, fetches = make(weights=True)
    with watch:
        watch.call(1.0, 2.0)
    assert watch.report.weights == ((("bias",), runs.Value((), "float", (0.5,))),)
    assert fetches == [1, 2]


def test_alarm_stops_the_watch_at_its_pass():
    bad = lambda found: any(x > 3 for (x,) in found)  # noqa: E731
    watch, _ = make(weights=True, alarms=bad, stops=lambda run: True)
    with watch:
        watch.call(1.0, 2.0, 9.0)
    assert (watch.passes, watch.report.number) == (2, 2)
    assert watch.report.weights[0][1].skipped == "perhaps written to since that pass"


def test_alarm_that_does_not_stop_goes_on():
    watch, _ = make(alarms=lambda found: True)
    with watch:
        watch.call(1.0, 2.0)
    assert watch.report.number == 2


def test_exception_is_noted_with_its_module_and_the_summary():
    watch, _ = make(summary=lambda run: f"{len(run.calls)} calls.")
    with pytest.raises(ValueError, match="invalid") as raised, watch:
        watch.call(1.0, "text")
    told = "raised in (model) (Double), after 0 calls of modules had ended"
    assert raised.value.__notes__ == [f"d2l_support: {told}. 0 calls."]
    assert watch.report.raised == told


def test_exception_that_was_handled_is_not_told():
    watch, _ = make()

    def handle_one():
        with pytest.raises(ValueError, match="invalid"):
            watch.call("text")
        raise KeyError("mine")

    with pytest.raises(KeyError) as raised, watch:
        handle_one()
    assert raised.value.__notes__ == ["d2l_support: an exception outside its modules."]
    with watch:
        watch.call(1.0)
    assert watch.report.raised == ""


def test_watch_that_is_on_and_watch_without_a_pass_are_refused():
    watch, _ = make()
    with pytest.raises(RuntimeError, match="found no pass to report on"):
        watch.report  # noqa: B018
    with watch, pytest.raises(RuntimeError, match="a watch that is on already"), watch:
        pass
