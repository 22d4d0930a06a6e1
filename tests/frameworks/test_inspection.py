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
