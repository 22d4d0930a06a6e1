"""The Sphinx extension: records on the page, one synced tab per framework.

1. ``reader`` reads a section and attaches what its records still hold;
   ``exercises`` puts starters, tests and folded solutions in their order, and
   ``dependencies`` tells Sphinx what all that rests on
2. MyST-NB renders cells and outputs as it always does
3. ``prose`` wraps framework prose, ``tabs`` groups the variants of a step
4. ``drawing`` puts a drawn figure into the page, in the page's colours
5. ``badge`` and ``measured`` show what the survey measured
6. ``static/`` makes the page follow the choice that sphinx-design remembers
"""

from pathlib import Path

from sphinx.application import Sphinx

from d2l_support.build.render.dependencies import find_outdated
from d2l_support.build.render.drawing import Drawing
from d2l_support.build.render.exercises import choose_edition
from d2l_support.build.render.measured import MeasuredReproducibility, add_filter
from d2l_support.build.render.prose import MarkedProse
from d2l_support.build.render.reader import remember_page
from d2l_support.build.render.tabs import GroupVariants
from d2l_support.build.render.theme import drop_unused_listeners

STATIC = Path(__file__).parent / "static"


def setup(app: Sphinx) -> dict:
    """Registers the stages with Sphinx."""
    app.setup_extension("myst_nb")
    app.setup_extension("sphinx_design")
    app.setup_extension("sphinx_exercise")
    choose_edition(app)
    app.connect("config-inited", drop_unused_listeners)
    app.connect("env-get-outdated", find_outdated)
    app.connect("source-read", remember_page)
    app.connect("builder-inited", _add_static_folder)
    app.add_directive("drawing", Drawing)
    app.add_directive("marked-prose", MarkedProse)
    app.add_directive("measured-reproducibility", MeasuredReproducibility)
    app.connect("html-page-context", add_filter)
    app.add_transform(GroupVariants)
    for name in (
        "framework",
        "depth",
        "switch",
        "steps",
        "page",
        "measured",
        "exercises",
    ):
        app.add_css_file(f"{name}.css")
    # Not deferred: the choices are known before the page is painted.
    for place, name in enumerate(("stored.js", "framework.js", "depth.js")):
        app.add_js_file(name, priority=100 + place)
    app.add_js_file("switch.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _add_static_folder(app: Sphinx) -> None:
    app.config.html_static_path.append(str(STATIC))
