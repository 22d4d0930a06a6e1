"""The state of widgets: kept with the cell that shows them, the same each time."""

import copy
import json
from pathlib import Path

import pytest
from nbformat import NotebookNode, v4

from d2l_support.build.check import load_section
from d2l_support.build.compare import compare_outputs, default_rule
from d2l_support.build.execute import Job, execute_jobs
from d2l_support.build.layout import SectionName
from d2l_support.build.problems import ContentError
from d2l_support.build.record import (
    build_record,
    load_record,
    made_with,
    seal_of,
    write_record,
)
from d2l_support.build.rules import CLOSE, EXACT, Rule
from d2l_support.build.section import Cell, Section
from d2l_support.build.split import split_code
from d2l_support.build.stale import find_stale
from d2l_support.build.widgets import (
    STATE,
    VIEW,
    attach_states,
    carry_states,
    describe_states,
    gather_states,
    note_message,
)

NAME = SectionName("part", "section")
CONTROLS = "@jupyter-widgets/controls"
DIGESTS = {"requirements": "r" * 64, "helpers": "h" * 64}


def model(name: str, **state) -> dict:
    """A model's state as a kernel sends it."""
    named = {
        "_model_module": CONTROLS,
        "_model_module_version": "2.0.0",
        "_model_name": f"{name}Model",
        "_view_module": CONTROLS,
        "_view_module_version": "2.0.0",
        "_view_name": f"{name}View",
        "tooltip": None,
    }
    return {"state": {**named, **state}}


def make_states(ids: str, caption: str = "the loss is 0.25") -> dict:
    """A slider linked to a stack of two pictures, and a model that is not shown.

    Args:
        ids: Six characters: the models' ids.
        caption: What the first picture says.
    """
    box, slider, stack, one, two, link = (f"{character}" * 8 for character in ids)
    ref = "IPY_MODEL_"
    return {
        "unseen": model("Text", value="not shown"),
        link: model(
            "Link",
            source=[f"{ref}{slider}", "value"],
            target=[f"{ref}{stack}", "selected_index"],
        ),
        two: model("HTML", value="<p>the end</p>"),
        one: model("HTML", value=f"<p>{caption}</p>"),
        stack: model("Stack", children=[f"{ref}{one}", f"{ref}{two}"]),
        slider: model("IntSlider", max=1, value=0),
        box: model("VBox", children=[f"{ref}{slider}", f"{ref}{stack}"]),
    }


def view(model_id: str) -> NotebookNode:
    bundle = {"version_major": 2, "version_minor": 0, "model_id": model_id}
    return v4.new_output("display_data", data={VIEW: bundle, "text/plain": "VBox()"})


def executed(ids: str = "abcdef", caption: str = "the loss is 0.25") -> NotebookNode:
    """A notebook with one stepper, as nbclient leaves it."""
    cell = v4.new_code_cell("show()", id="steps", outputs=[view(ids[0] * 8)])
    notebook = v4.new_notebook(cells=[cell])
    states = make_states(ids, caption)
    bundle = {"version_major": 2, "version_minor": 0, "state": states}
    notebook.metadata["widgets"] = {STATE: bundle}
    return notebook


def record_of(notebook: NotebookNode, rule: Rule | None = None) -> NotebookNode:
    path = Path("chapters/part/section.md")
    section = Section(path, (Cell("code", "show()", 7, step="steps", rule=rule),))
    return build_record(section, "jax", notebook, {"device": "cpu"}, DIGESTS)


def test_attach_states_names_models_by_their_cell_in_order_of_appearance():
    (output,) = attach_states([view("aaaaaaaa")], make_states("abcdef"), "steps")
    assert output.data[VIEW]["model_id"] == "steps-0"
    named = {key: entry["model_name"] for key, entry in output.data[STATE].items()}
    assert named == {
        "steps-0": "VBoxModel",
        "steps-1": "IntSliderModel",
        "steps-2": "StackModel",
        "steps-3": "HTMLModel",
        "steps-4": "HTMLModel",
        "steps-5": "LinkModel",
    }
    link = output.data[STATE]["steps-5"]["state"]
    assert link["source"] == ["IPY_MODEL_steps-1", "value"]
    assert link["target"] == ["IPY_MODEL_steps-2", "selected_index"]


def test_attach_states_leaves_out_what_the_browser_knows():
    (output,) = attach_states([view("aaaaaaaa")], make_states("abcdef"), "steps")
    assert output.data[STATE]["steps-3"] == {
        "model_name": "HTMLModel",
        "model_module": CONTROLS,
        "model_module_version": "2.0.0",
        "state": {"_view_name": "HTMLView", "value": "<p>the loss is 0.25</p>"},
    }


def test_attach_states_leaves_out_a_link_to_what_is_not_shown():
    states = make_states("abcdef")
    states["ffffffff"]["state"]["target"] = ["IPY_MODEL_unseen", "value"]
    (output,) = attach_states([view("aaaaaaaa")], states, "steps")
    assert "unseen" not in json.dumps(output.data[STATE])
    assert len(output.data[STATE]) == 5


def test_attach_states_counts_on_over_the_outputs_of_a_cell():
    states = make_states("abcdef") | make_states("ghijkl")
    outputs = attach_states([view("aaaaaaaa"), view("gggggggg")], states, "steps")
    assert [output.data[VIEW]["model_id"] for output in outputs] == [
        "steps-0",
        "steps-6",
    ]
    assert outputs[0].data[STATE].keys().isdisjoint(outputs[1].data[STATE])


def test_record_of_a_second_run_with_other_ids_is_the_same(tmp_path):
    paths = [tmp_path / name for name in ("first.ipynb", "second.ipynb")]
    for path, ids in zip(paths, ("abcdef", "zyxwvu"), strict=True):
        write_record(path, record_of(executed(ids)))
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_write_record_puts_states_where_jupyter_looks(tmp_path):
    path = tmp_path / "section.jax.ipynb"
    record = record_of(executed())
    write_record(path, record)
    written = json.loads(path.read_text(encoding="utf-8"))
    assert len(written["metadata"]["widgets"][STATE]["state"]) == 6
    assert STATE not in written["cells"][0]["outputs"][0]["data"]
    again = carry_states(v4.reads(path.read_text(encoding="utf-8")))
    assert again.cells == record.cells
    assert seal_of(again) == record.metadata.book.seal


def test_gather_states_writes_nothing_where_there_is_no_widget():
    notebook = v4.new_notebook(cells=[v4.new_code_cell("1", id="a")])
    assert "widgets" not in gather_states(notebook).metadata


def test_seal_of_a_record_covers_the_states(tmp_path):
    changed = record_of(executed())
    caption = changed.cells[0].outputs[0].data[STATE]["steps-3"]["state"]
    caption["value"] = "<p>the loss is 0.5</p>"
    assert seal_of(changed) != changed.metadata.book.seal


@pytest.mark.parametrize("rule", [EXACT, CLOSE], ids=str)
@pytest.mark.parametrize("caption", ["the loss is 0.26", "a loss is 0.25"])
def test_compare_outputs_finds_a_changed_caption(rule, caption):
    recorded, fresh = (
        record_of(executed(caption=text), rule).cells[0].outputs
        for text in ("the loss is 0.25", caption)
    )
    difference = compare_outputs(recorded, fresh, rule)
    assert difference.place == f"display {STATE}"
    assert "0.25" in difference.recorded
    assert difference.recorded != difference.fresh


def test_compare_outputs_allows_a_number_within_the_rule():
    recorded = record_of(executed()).cells[0]
    fresh = record_of(executed(caption="the loss is 0.2500001")).cells[0]
    assert recorded.metadata.book.compare == {"kind": "close", "rtol": 1e-5}
    assert compare_outputs(recorded.outputs, fresh.outputs, CLOSE) is None


def test_compare_outputs_finds_that_a_link_is_gone():
    fresh = executed()
    del fresh.metadata["widgets"][STATE]["state"]["ffffffff"]
    outputs = [record_of(run).cells[0].outputs for run in (executed(), fresh)]
    assert compare_outputs(*outputs, CLOSE) is not None


def test_default_rule_sees_the_floats_of_a_widget():
    whole = record_of(executed(caption="seven of nine")).cells[0]
    assert default_rule(whole.outputs) == EXACT
    assert default_rule(record_of(executed()).cells[0].outputs) == CLOSE


def test_describe_states_is_a_line_for_each_value():
    (output,) = attach_states([view("aaaaaaaa")], make_states("abcdef"), "steps")
    lines = describe_states(output.data[STATE]).splitlines()
    assert lines[0] == "steps-0: VBoxModel"
    assert "steps-3.value: <p>the loss is 0.25</p>" in lines
    assert "steps-1.max: 1" in lines


def test_note_message_keeps_states_and_their_updates():
    states = {}
    opened = {"target_name": "jupyter.widget", "comm_id": "a"}
    update = {"method": "update", "state": {"value": 2}}
    messages = [
        ("comm_open", {**opened, "data": {"state": {"value": 1, "max": 9}}}),
        ("comm_msg", {"comm_id": "a", "data": update}),
        ("comm_msg", {"comm_id": "a", "data": {"method": "custom", "content": {}}}),
        ("comm_open", {"target_name": "other", "comm_id": "b", "data": {}}),
        ("stream", {"name": "stdout", "text": "x"}),
        ("comm_close", {"comm_id": "a", "data": {}}),
    ]
    for kind, content in messages:
        note_message(states, {"msg_type": kind, "content": content})
    assert states == {"a": {"state": {"value": 2, "max": 9}}}


def test_build_record_refuses_a_widget_without_its_state():
    run = executed()
    del run.metadata["widgets"]
    with pytest.raises(ContentError) as raised:
        record_of(run)
    assert str(raised.value) == (
        "chapters/part/section.md:7: cell 'steps' (jax): found a widget without "
        "its state, expected the state in the record: make the widget in the cell "
        "that shows it, and do not close it."
    )


SHOW = """\
import ipywidgets as widgets
from IPython.display import display
slider = widgets.IntSlider(0, 0, 1)
stack = widgets.Stack([widgets.HTML(f"<p>{n}.5</p>") for n in range(2)])
widgets.jslink((slider, "value"), (stack, "selected_index"))
widgets.Text("not shown")
display(widgets.VBox([slider, stack]))
"""


def run_section(book) -> NotebookNode:
    """The record of the section, made by a kernel."""
    section = load_section(book, NAME)
    notebook = split_code(section, "jax")
    job = Job("part/section", "jax", notebook, section.path)
    (execution,) = execute_jobs([job], book.jupyter / "kernels")
    assert execution.problem is None
    digests = made_with(book, "jax", section)
    return build_record(
        section, "jax", execution.notebook, execution.environment, digests, book.root
    )


def test_record_of_a_real_widget_is_whole_and_the_same_twice(
    plain_kernels, write_section
):
    write_section(steps=SHOW)
    first, second = run_section(plain_kernels), run_section(plain_kernels)
    assert first.cells == second.cells
    (output,) = first.cells[0].outputs
    names = [entry["model_name"] for entry in output.data[STATE].values()]
    assert names.count("HTMLModel") == 2
    assert names[0] == "VBoxModel"
    assert names[-1] == "LinkModel"
    assert "TextModel" not in names
    path = plain_kernels.record(NAME, "jax")
    write_record(path, first)
    assert load_record(plain_kernels, NAME, "jax").cells == first.cells


def test_find_stale_names_a_recorded_widget_without_its_state(
    plain_kernels, write_section
):
    write_section(steps=SHOW)
    record = run_section(plain_kernels)
    path = plain_kernels.record(NAME, "jax")
    bare = copy.deepcopy(record)
    del bare.cells[0].outputs[0].data[STATE]
    bare.metadata["book"]["seal"] = seal_of(bare)
    write_record(path, bare)
    section = load_section(plain_kernels, NAME)
    (problem,) = [
        problem
        for problem in find_stale(plain_kernels, NAME, section, "jax")
        if problem.code == "widget"
    ]
    assert "found a widget without its state" in str(problem)
