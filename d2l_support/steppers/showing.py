"""A slider and buttons over a series of pictures, in any browser alone.

The widgets are linked in the browser (``jslink``), so the steps can be taken
where no kernel runs: on a page, in a file, in a notebook that is only read.
"""

from collections.abc import Sequence
from html import escape

MOST_FRAMES = 12
LARGEST_FRAME = 3_000
"""Bytes that one picture may take."""
VIEW = "application/vnd.jupyter.widget-view+json"


def show_steps(frames: Sequence[str], captions: Sequence[str], title: str) -> None:
    """Shows a stepper, and below it the same steps as a list of words.

    Args:
        frames: Pictures as SVG, at most 12 of at most 3,000 bytes.
        captions: For each picture, what it shows, in a sentence or two.
        title: What moves.

    Raises:
        ValueError: The captions do not fit the pictures, or there are too
            many pictures, or one is too large.
    """
    from IPython.display import display

    _check(frames, captions)
    stepper = build_stepper(frames, captions, title)
    plain = f"[{title}: {len(frames)} steps]"
    view = {"model_id": stepper.model_id, "version_major": 2, "version_minor": 0}
    display({VIEW: view, "text/plain": plain}, raw=True)
    display(list_steps(captions, title), raw=True)


def _check(frames: Sequence[str], captions: Sequence[str]) -> None:
    if len(frames) != len(captions):
        raise ValueError(
            f"found {len(frames)} frames and {len(captions)} captions, "
            "expected a caption for each frame."
        )
    if not 2 <= len(frames) <= MOST_FRAMES:
        raise ValueError(f"found {len(frames)} frames, expected 2 to {MOST_FRAMES}.")
    for number, frame in enumerate(frames, start=1):
        if (size := len(frame.encode())) > LARGEST_FRAME:
            raise ValueError(
                f"found {size} bytes in frame {number}, expected at most "
                f"{LARGEST_FRAME}: draw less, or round the numbers."
            )


def build_stepper(frames: Sequence[str], captions: Sequence[str], title: str):
    """The stepper as an ipywidgets box; the slider's value is the frame's index."""
    import ipywidgets as widgets

    count, layout = len(frames), widgets.Layout(width="100%")
    head = widgets.HTML(f"<b>{escape(title)}</b>", layout=layout)
    pages = [
        widgets.HTML(
            _page(number, count, frame, caption), layout=layout, style=head.style
        )
        for number, (frame, caption) in enumerate(
            zip(frames, captions, strict=True), start=1
        )
    ]
    slider = widgets.IntSlider(
        0, 0, count - 1, readout=False, layout=widgets.Layout(width="14rem")
    )
    buttons = widgets.ToggleButtons(
        options=[str(number) for number in range(1, count + 1)],
        tooltips=[f"step {number} of {count}" for number in range(1, count + 1)],
        style=widgets.ToggleButtonsStyle(button_width="2.25rem"),
    )
    stack = widgets.Stack(pages, selected_index=0, layout=layout)
    stack.add_class("steps-stage")
    widgets.jslink((slider, "value"), (stack, "selected_index"))
    widgets.jslink((buttons, "index"), (slider, "value"))
    flow = widgets.Layout(flex_flow="row wrap", align_items="center")
    controls = widgets.Box([slider, buttons], layout=flow)
    stepper = widgets.VBox([head, controls, stack], layout=layout)
    controls.add_class("steps-controls")
    return stepper.add_class("stepper")


def _page(number: int, count: int, frame: str, caption: str) -> str:
    place = f"<b>Step {number} of {count}.</b>"
    return f"{frame}<p>{place} {escape(caption, quote=False)}</p>"


def list_steps(captions: Sequence[str], title: str) -> dict[str, str]:
    """The steps in words, as HTML that opens and as plain text."""
    items = "".join(f"<li>{escape(caption, quote=False)}</li>" for caption in captions)
    summary = f"{escape(title)}: the {len(captions)} steps in words"
    markup = (
        f'<details class="steps-words"><summary>{summary}</summary>'
        f"<ol>{items}</ol></details>"
    )
    lines = [f"{number}. {text}" for number, text in enumerate(captions, start=1)]
    return {"text/html": markup, "text/plain": "\n".join([title, *lines])}
