"""The stepper: real widgets, linked in the browser, and the same steps in words."""

import json
import subprocess
import sys

import ipywidgets
import pytest
from IPython.core import display_functions

from d2l_support.steppers import Row, draw_tiles, show_steps
from d2l_support.steppers.showing import VIEW, build_stepper, list_steps

FRAMES = [draw_tiles([Row("row", [number])]) for number in range(4)]
CAPTIONS = ["none", "1 < 2", "two", "three"]


@pytest.fixture
def outputs(monkeypatch) -> list[dict]:
    """What ``show_steps`` displays, of the steps above."""
    shown = []
    monkeypatch.setattr(
        display_functions, "display", lambda bundle, raw: shown.append(bundle)
    )
    monkeypatch.setattr("IPython.display.display", display_functions.display)
    show_steps(FRAMES, CAPTIONS, "A row")
    return shown


def find_widgets(kind: type) -> list[ipywidgets.Widget]:
    stepper = build_stepper(FRAMES, CAPTIONS, "A row")
    found, waiting = [], [stepper]
    while waiting:
        widget = waiting.pop(0)
        found += [widget] if isinstance(widget, kind) else []
        waiting += getattr(widget, "children", ())
    return found


def test_show_steps_shows_the_widget_then_the_words(outputs):
    widget, words = outputs
    assert widget["text/plain"] == "[A row: 4 steps]"
    assert widget[VIEW]["version_major"] == 2
    assert words == list_steps(CAPTIONS, "A row")


def test_build_stepper_has_a_picture_and_a_caption_for_each_step():
    (stack,) = find_widgets(ipywidgets.Stack)
    assert stack.selected_index == 0
    assert len(stack.children) == 4
    for frame, page in zip(FRAMES, stack.children, strict=True):
        assert frame in page.value
    assert "Step 2 of 4.</b> 1 &lt; 2</p>" in stack.children[1].value


def test_build_stepper_moves_slider_buttons_and_stack_together():
    (slider,) = find_widgets(ipywidgets.IntSlider)
    (buttons,) = find_widgets(ipywidgets.ToggleButtons)
    assert (slider.min, slider.max, slider.value) == (0, 3, 0)
    assert buttons.options == ("1", "2", "3", "4")
    assert list(buttons.tooltips)[1:3] == ["step 2 of 4", "step 3 of 4"]


def test_build_stepper_links_in_the_browser_alone():
    ipywidgets.Widget.close_all()
    build_stepper(FRAMES, CAPTIONS, "A row")
    models = ipywidgets.Widget.get_manager_state()["state"]
    names = {f"IPY_MODEL_{key}": entry["model_name"] for key, entry in models.items()}
    ends = {
        tuple((names[model], trait) for model, trait in ends)
        for entry in models.values()
        if entry["model_name"] == "LinkModel"
        for ends in [(entry["state"]["source"], entry["state"]["target"])]
    }
    assert ends == {
        (("IntSliderModel", "value"), ("StackModel", "selected_index")),
        (("ToggleButtonsModel", "index"), ("IntSliderModel", "value")),
    }


def test_list_steps_is_an_ordered_list_that_opens():
    words = list_steps(CAPTIONS, "a & b")
    assert words["text/html"] == (
        '<details class="steps-words"><summary>a &amp; b: the 4 steps in words'
        "</summary><ol><li>none</li><li>1 &lt; 2</li><li>two</li><li>three</li></ol>"
        "</details>"
    )
    assert words["text/plain"].splitlines()[:2] == ["a & b", "1. none"]


@pytest.mark.parametrize(
    ("frames", "captions", "message"),
    [
        (FRAMES, CAPTIONS[:3], "found 4 frames and 3 captions, expected a caption"),
        (FRAMES[:1], CAPTIONS[:1], "found 1 frames, expected 2 to 12"),
        (FRAMES[:1] * 13, ["x"] * 13, "found 13 frames, expected 2 to 12"),
        (["<svg/>", "é" * 1501], ["a", "b"], "found 3002 bytes in frame 2, expected"),
    ],
)
def test_show_steps_refuses_what_would_not_serve(frames, captions, message):
    with pytest.raises(ValueError, match=message):
        show_steps(frames, captions, "A row")


def test_steppers_import_ipywidgets_only_when_they_show():
    code = "import json, sys, d2l_support.steppers; print(json.dumps([*sys.modules]))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert {"ipywidgets", "IPython"}.isdisjoint(json.loads(run.stdout))
