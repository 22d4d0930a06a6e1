"""The Sphinx extension: records on the page, one synced tab per framework.

1. ``reader`` reads a section and attaches what its records still hold;
   ``exercises`` puts starters, tests and folded solutions in their order,
   ``dependencies`` tells Sphinx what all that rests on, and ``widgets`` puts a
   still where a recorded widget will be drawn
2. MyST-NB renders cells and outputs as it always does
   and ``sanitise`` takes out of the outputs what could act on the page
3. ``prose`` wraps framework prose, ``tabs`` groups the variants of a step
4. ``drawing`` puts a drawn figure into the page, in the page's colours, and
   ``solutions`` folds what exercises ask for
5. ``cells`` says of each code cell whose it is, for the page's scripts, and
   ``verified`` when the page last held
6. ``badge`` and ``measured`` show what the survey measured, and
   ``cheat_sheet`` what four frameworks have for the same task
7. ``switches`` and ``static/`` make the page follow the reader's choices
8. ``page_files`` and ``policy`` say what a page loads and may load, ``roles``
   what its parts are to those who listen
9. ``bundled`` adds what a page loads on first use
10. ``notebooks`` writes each page as a notebook too, and links to it, and
    ``prints`` leads to the book on paper
"""

from pathlib import Path

from sphinx.application import Sphinx

from d2l_support.build.render.bundled import (
    check_bundle,
    copy_bundle,
    load_widgets_locally,
)
from d2l_support.build.render.cells import add_cells
from d2l_support.build.render.cheat_sheet import CheatSheet
from d2l_support.build.render.dependencies import find_outdated
from d2l_support.build.render.drawing import Drawing
from d2l_support.build.render.exercises import choose_edition
from d2l_support.build.render.measured import MeasuredReproducibility, add_filter
from d2l_support.build.render.notebooks import add_notebooks
from d2l_support.build.render.page_files import (
    EARLY,
    choose_page_files,
    digest_page_parts,
)
from d2l_support.build.render.policy import add_policy
from d2l_support.build.render.prints import add_prints
from d2l_support.build.render.prose import MarkedProse
from d2l_support.build.render.reader import remember_page
from d2l_support.build.render.roles import name_roles
from d2l_support.build.render.sanitise import SanitiseOutputs
from d2l_support.build.render.solutions import FoldSolutions
from d2l_support.build.render.switches import add_switches
from d2l_support.build.render.tabs import GroupVariants
from d2l_support.build.render.theme import drop_unused_listeners, use_own_templates
from d2l_support.build.render.verified import add_verified

STATIC = Path(__file__).parent / "static"
STYLES = (
    "framework",
    "depth",
    "switch",
    "steps",
    "stepper",
    "page",
    "verified",
    "icons",
    "print",
    "measured",
    "cheat-sheet",
    "exercises",
    "live",
    "notebooks",
)


def setup(app: Sphinx) -> dict:
    """Registers the stages with Sphinx."""
    app.setup_extension("myst_nb")
    app.setup_extension("sphinx_design")
    app.setup_extension("sphinx_exercise")
    choose_edition(app)
    app.connect("config-inited", drop_unused_listeners)
    app.connect("config-inited", use_own_templates)
    app.connect("config-inited", load_widgets_locally)
    app.connect("env-get-outdated", find_outdated)
    app.connect("source-read", remember_page)
    app.connect("builder-inited", _add_static_folder)
    app.connect("builder-inited", check_bundle)
    app.add_config_value("book_page_parts", digest_page_parts(), "html")
    app.add_directive("drawing", Drawing)
    app.add_directive("marked-prose", MarkedProse)
    app.add_directive("measured-reproducibility", MeasuredReproducibility)
    app.add_directive("cheat-sheet", CheatSheet)
    app.connect("html-page-context", add_filter)
    app.add_transform(SanitiseOutputs)
    app.add_transform(GroupVariants)
    app.add_post_transform(FoldSolutions)
    app.connect("html-page-context", name_roles, priority=900)
    add_cells(app)
    add_notebooks(app)
    add_prints(app)
    add_verified(app)
    app.connect("html-page-context", add_policy)
    app.connect("html-page-context", add_switches)
    app.connect("html-page-context", choose_page_files, priority=900)
    for name in STYLES:
        app.add_css_file(f"{name}.css")
    # Not deferred: the choices are known before the page is painted.
    for place, name in enumerate(EARLY):
        app.add_js_file(name, priority=100 + place)
    app.add_js_file("found.js", priority=190, loading_method="defer")
    for name in ("switch", "live"):
        app.add_js_file(f"{name}.js", loading_method="defer")
    app.connect("build-finished", copy_bundle)
    return {
        "version": "1",
        "env_version": 3,  # counts with what a page's nodes are: old ones go
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


def _add_static_folder(app: Sphinx) -> None:
    app.config.html_static_path.append(str(STATIC))
