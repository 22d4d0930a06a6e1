"""What every framework's inspection helpers promise."""

import importlib.util
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from d2l_support.inspection import Activations, Gradients, Macs, Nonfinite, Trace

HERE = Path(__file__).parent
REPORTS = {
    "record_activations": Activations,
    "find_nonfinite": Nonfinite,
    "gradient_norms": Gradients,
    "count_macs": Macs,
    "record_trace": Trace,
}


@pytest.fixture
def subject(framework):
    """The models of this framework."""
    path = HERE / f"subject_{framework}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=sorted(REPORTS))
def helper(request, d2l, subject):
    """Each of the helpers, with what it needs besides a model and an input."""
    options = {"loss": subject.loss} if request.param == "gradient_norms" else {}
    call = getattr(d2l, request.param)
    call_with_options = lambda model, *inputs: call(model, *inputs, **options)  # noqa: E731
    call_with_options.watch = call
    call_with_options.report = REPORTS[request.param]
    return call_with_options


@pytest.fixture
def watch(helper, subject):
    """The helper as a watch over passes of one's own, where that exists."""
    if subject.NO_WATCH is None:
        return helper.watch
    model, _ = subject.build_noisy()
    with pytest.raises(NotImplementedError, match=subject.NO_WATCH):
        helper.watch(model)
    pytest.skip(f"cannot be watched, and says so: {subject.NO_WATCH}")


def test_spread_of_the_stages_is_the_published_one(d2l, subject):
    report = d2l.record_activations(*subject.build_stack())
    assert [round(report[name].std, 2) for name in subject.STAGES] == subject.SPREAD


def test_all_modules_of_the_stack_are_seen(d2l, subject):
    report = d2l.record_activations(*subject.build_stack())
    count = subject.MODULES
    assert f"Seen: {count} of {count} modules." in report.notes


def test_first_nonfinite_is_the_published_one(d2l, subject):
    stack, x = subject.build_stack()
    assert d2l.find_nonfinite(stack, x).found is False
    subject.poison(stack)
    report = d2l.find_nonfinite(stack, x)
    assert report.first == subject.FIRST
    origins = [row for row in report.rows if row.role == "origin"]
    assert [row.name for row in origins] == [subject.FIRST]
    assert origins[0].counts == subject.FIRST_COUNTS


def test_first_divergence_is_the_module_with_another_weight(d2l, subject, tmp_path):
    stack, x = subject.build_stack()
    trace = d2l.record_trace(stack, x)
    trace.save(tmp_path / "before.trace")
    assert d2l.find_divergence(stack, trace, x).found is False
    subject.nudge(stack)
    for before in (trace, tmp_path / "before.trace", str(tmp_path / "before.trace")):
        assert d2l.find_divergence(before, stack, x).first == subject.FIRST


def test_trace_carries_the_environment(d2l, subject, tmp_path):
    d2l.record_trace(*subject.build_stack()).save(tmp_path / "run.trace")
    environment = d2l.load_trace(tmp_path / "run.trace").environment
    assert environment == json.loads(json.dumps(d2l.describe_environment()))


def test_macs_are_those_counted_by_hand(d2l, subject):
    by_hand = 256 * (20 * 64 + 8 * 2 * 64 * 64 + 64 * 10)
    assert d2l.count_macs(*subject.build_stack()).total == by_hand


def test_gradient_norms_have_both_kinds(d2l, subject):
    report = d2l.gradient_norms(*subject.build_stack(), loss=subject.loss)
    assert len(report.parameters) == 36
    assert all(row.norm > 0 for row in (*report.activations, *report.parameters))


def test_inputs_without_a_loss_are_refused(d2l, subject):
    with pytest.raises(ValueError, match=r"found inputs but no loss.*loss=lambda out"):
        d2l.gradient_norms(*subject.build_stack())


def test_a_pass_without_a_backward_pass_is_told(d2l, subject):
    stack, x = subject.build_stack()
    with d2l.gradient_norms(stack) as seen:
        stack(x)
    assert "No gradient arrived." in str(seen.report)


def test_models_without_inputs_are_refused(d2l, subject):
    stack, _ = subject.build_stack()
    with pytest.raises(ValueError, match=r"a model and no inputs.*net_a, net_b, X\)"):
        d2l.find_divergence(stack, stack)


def test_helper_leaves_no_trace(helper, subject):
    model, x = subject.build_noisy()
    before = subject.fingerprint(model), subject.list_hooks(model)
    assert isinstance(helper(model, x), helper.report)
    assert (subject.fingerprint(model), subject.list_hooks(model)) == before


def test_outputs_are_equal_with_and_without(helper, watch, subject):
    model, x = subject.build_noisy()
    expected = [subject.run(model, x) for _ in range(2)]
    model, x = subject.build_noisy()
    with watch(model):
        found = [subject.run(model, x)]
    helper(model, x)
    found.append(subject.run(model, x))
    assert found == expected


def test_watch_reports_like_a_call(helper, watch, subject):
    stack, x = subject.build_stack()
    with watch(stack) as seen:
        subject.run(stack, x)
    assert isinstance(seen.report, helper.report)
    assert seen.passes == 1


def test_passes_are_counted_and_the_last_is_reported(d2l, subject):
    stack, x = subject.build_stack()
    with d2l.record_activations(stack) as seen:
        for factor in (1.0, 2.0, 3.0):
            subject.run(stack, factor * x)
    assert seen.passes == 3
    assert seen.report.rows == d2l.record_activations(stack, 3.0 * x).rows
    assert seen.report.rows != d2l.record_activations(stack, 2.0 * x).rows


def test_report_can_be_read_inside_the_block(d2l, subject):
    stack, x = subject.build_stack()
    with d2l.record_activations(stack) as seen:
        subject.run(stack, x)
        first = seen.report.rows[0].max
        subject.run(stack, 2.0 * x)
    assert seen.report.rows[0].max != first


def test_no_pass_is_an_error_that_says_what_to_write(watch, subject):
    model, _ = subject.build_noisy()
    kind = type(model).__name__
    assert repr(watch(model)) == (
        f"<a watch over {kind}: use it in `with ... as seen:`, then seen.report>"
    )
    message = r"found no pass to report on.*Write: with d2l\.record_activations\(net\)"
    with pytest.raises(RuntimeError, match=message):
        watch(model).report  # noqa: B018


def test_a_watch_that_is_on_cannot_be_entered_again(watch, subject):
    model, x = subject.build_noisy()
    before, seen = subject.list_hooks(model), watch(model)
    with seen, pytest.raises(RuntimeError, match="a watch that is on already"), seen:
        pass
    assert subject.list_hooks(model) == before
    with seen:  # but afterwards it can
        subject.run(model, x)
    assert seen.passes == 1


def test_exception_goes_on_with_a_note_and_leaves_no_trace(helper, subject):
    model, x = subject.build_faulty()
    before = subject.fingerprint(model), subject.list_hooks(model)
    with pytest.raises(RuntimeError, match="boom") as raised:
        helper(model, x)
    assert subject.FAULTY in raised.value.__notes__[-1]
    assert (subject.fingerprint(model), subject.list_hooks(model)) == before


def test_exception_in_a_watched_pass_leaves_a_report(helper, watch, subject):
    model, x = subject.build_faulty()
    before = subject.fingerprint(model), subject.list_hooks(model)
    with pytest.raises(RuntimeError, match="boom"), watch(model) as seen:
        subject.run(model, x)
    assert isinstance(seen.report, helper.report)
    assert (subject.fingerprint(model), subject.list_hooks(model)) == before


def test_exception_outside_the_model_is_told_as_such(watch, subject):
    model, _ = subject.build_noisy()
    with pytest.raises(KeyError) as raised, watch(model) as seen:
        raise KeyError("mine")
    assert "an exception outside its modules" in raised.value.__notes__[0]
    assert "The pass ended early" in str(seen.report)


def test_report_is_text_of_78_columns_and_a_plain_table(helper, subject):
    stack, x = subject.build_stack()
    subject.poison(stack)
    report, again = helper(stack, x), helper(stack, x)
    assert max(map(len, str(report).splitlines())) <= 78
    assert str(report) == str(again)
    tags = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append(tag)
    parser.feed(report._repr_html_())
    assert {"table", "caption", "th", "td"} <= set(tags)
    assert {"script", "style"}.isdisjoint(tags)


def test_plots_draw_on_the_given_axes_or_new_ones(d2l, subject):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    stack, x = subject.build_stack()
    other, _ = subject.build_stack()
    subject.poison(other)
    for report in (
        d2l.record_activations(stack, x),
        d2l.find_nonfinite(other, x),
        d2l.gradient_norms(stack, x, loss=subject.loss),
        d2l.count_macs(stack, x),
        d2l.find_divergence(stack, other, x),
    ):
        ax = plt.figure().subplots()
        assert report.plot(ax) is ax
        assert ax.has_data()
        assert report.plot().figure is not ax.figure
        plt.close("all")
