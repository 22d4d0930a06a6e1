"""Live outputs: errors, HTML and widgets, none of which scripts the page."""

import pytest
from playwright.sync_api import expect

PAGE = "chapters/inspection/nan-values.html?framework=pytorch"
STEP = "born"

EVIL = (
    "<b>bold</b><img src=none onerror='window.scripted=1'>"
    "<script>window.scripted=1</script>"
)
SVG = "<svg xmlns='http://www.w3.org/2000/svg' onload='window.scripted=1'></svg>"
CRAFTED = {
    "html": f"from IPython.display import HTML\nHTML({EVIL!r})",
    "script": "from IPython.display import Javascript\nJavascript('window.scripted=1')",
    "svg": f"from IPython.display import SVG\nSVG(data={SVG!r})",
    "markdown": f"from IPython.display import Markdown\nMarkdown({EVIL!r})",
    "widget": f"import ipywidgets\nipywidgets.HTML({EVIL!r})",
    "description": (
        "import ipywidgets\n"
        f"ipywidgets.IntText(description={EVIL!r}, description_allow_html=True)"
    ),
    "inside": (
        "import ipywidgets\nfrom IPython.display import HTML, display\n"
        f"out = ipywidgets.Output()\nwith out:\n    display(HTML({EVIL!r}))\nout"
    ),
}

SLIDER = """
import ipywidgets
slider = ipywidgets.IntSlider(value=1, max=5, description="step")
label = ipywidgets.Label()
out = ipywidgets.Output()

def move(change):
    label.value = f"the kernel saw {change['new']}"
    with out:
        print("printed for", change["new"])

slider.observe(move, "value")
ipywidgets.VBox([slider, label, out])
"""


@pytest.fixture
def live(open_live, live_server):
    """A page whose kernel serves these tests one after another."""
    return open_live(live_server, PAGE)


def test_exception_shows_its_colours(live):
    cell = live.cell(STEP, "pytorch")
    cell.run("def divide(n):\n    return n / 0\n\ndivide(1)")
    output = cell.root.locator(".live-output")
    text = output.inner_text()
    assert "ZeroDivisionError: division by zero" in text
    assert "\x1b" not in text
    assert "[0" not in text
    coloured = output.locator("span[class*=ansi-]")
    assert coloured.count() > 3
    plain = output.locator("pre").evaluate("(pre) => getComputedStyle(pre).color")
    red = coloured.first.evaluate("(span) => getComputedStyle(span).color")
    assert red != plain


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_output_does_not_script_the_page(live, name):
    cell = live.cell(STEP, "pytorch")
    cell.run(CRAFTED[name] + "\n")
    output = cell.root.locator(".live-output .jp-OutputArea-output").first
    output.wait_for(state="attached")
    live.cell(STEP, "pytorch").run("print('after')")  # whatever it began has ended
    assert live.page.evaluate("window.scripted") is None


@pytest.mark.parametrize("name", ["html", "widget"])
def test_html_output_keeps_its_format_alone(live, name):
    cell = live.cell(STEP, "pytorch")
    cell.run(CRAFTED[name])
    output = cell.root.locator(".live-output")
    expect(output.locator("b")).to_have_text("bold")
    assert output.locator("[onerror], script").count() == 0


def test_widget_moves_live(live):
    cell = live.cell(STEP, "pytorch")
    cell.run(SLIDER)
    handle = cell.root.get_by_role("slider")
    handle.focus()
    live.page.keyboard.press("ArrowRight")
    label = cell.root.locator(".widget-label", has_text="the kernel saw")
    expect(label).to_have_text("the kernel saw 2", timeout=30_000)
    expect(cell.root.locator(".widget-output")).to_contain_text("printed for 2")


def test_widget_from_before_a_reload_is_shown_again(live):
    cell = live.cell(STEP, "pytorch")
    cell.run("import ipywidgets\nold = ipywidgets.IntText(7)")
    live.page.reload()
    cell.run("old")
    expect(cell.root.locator("input[type=number]")).to_have_value("7")


def test_picture_shows_as_in_jupyter(live):
    cell = live.cell(STEP, "pytorch")
    cell.run(
        "%matplotlib inline\nimport matplotlib.pyplot as plt\n"
        "plt.plot([1, 2]);plt.show()"
    )
    picture = cell.root.locator(".live-output img")
    expect(picture).to_be_visible()
    assert picture.get_attribute("src").startswith("data:image/png")


def test_cell_that_asks_gets_an_answer(live):
    cell = live.cell(STEP, "pytorch")
    cell.write("print('heard', input('say: '))")
    cell.press("run")
    field = cell.root.locator(".jp-Stdin-input")
    field.fill("this")
    field.press("Enter")
    cell.wait()
    assert "heard this" in cell.root.locator(".live-output").inner_text()
