"""The line under a section's title: how long it takes, and when it last held.

A section is verified in a framework when the survey ran it again with nothing
changed; the ledger says when, with what, and which cells printed otherwise.
"""

from collections.abc import Mapping
from datetime import date

from docutils import nodes
from docutils.transforms import Transform
from sphinx.application import Sphinx

from d2l_support.build.exercises.exercise import find_exercises
from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.section import Section
from d2l_support.build.survey.ledger import Observation

UNCHANGED = "again"
"""The survey's setting in which nothing is changed."""

PACE = 200
"""Words a minute of somebody who reads text with code in it."""

PACKAGES = {"pytorch": "torch"}
"""What a framework is called among its versions, if not by its key."""

RETIRED = {"mxnet": "mxnet"}
"""Frameworks that are no longer developed, and the page that says what follows."""

KEY = "verified"


def minutes_to_read(section: Section) -> int:
    """Minutes for the main text and the code of one framework, the mean of all.

    What is said at another depth is left out. Exercises say their own time.
    """
    if exercises := find_exercises(section):
        return sum(exercise.minutes or 0 for exercise in exercises)
    words = [
        len(cell.source.split()) * len(cell.frameworks)
        for cell in section.cells
        if not cell.depth
    ]
    return max(1, round(sum(words) / len(ALL_KEYS) / PACE))


def tell_verified(framework: str, observation: Observation | None) -> str:
    """When a record was last run again with nothing changed, and what came out.

    Args:
        framework: The framework key.
        observation: What the survey saw of the record, or None.
    """
    label = FRAMEWORKS[framework].label
    if observation is None:
        return f"{label}: recorded, not yet run again."
    versions = observation.environment["versions"]
    version, _, _ = versions[PACKAGES.get(framework, framework)].partition("+")
    device = observation.environment["device"].upper()
    day = date.fromisoformat(observation.date)
    told = f"Verified with {label} {version} on {device}, {day.day} {day:%B %Y}"
    if moved := len(observation.cells):
        cells = "1 output" if moved == 1 else f"{moved} outputs"
        return f"{told}; {cells} came out otherwise."
    return f"{told}."


def note_verified(
    metadata: dict, section: Section, seen: Mapping[str, Mapping[str, Observation]]
) -> None:
    """Keeps for ``PlaceVerified`` what a page says of its section.

    Args:
        metadata: The page's, which Sphinx keeps between builds.
        section: The section.
        seen: What the survey saw, by framework and setting.
    """
    told = {
        key: tell_verified(key, observations.get(UNCHANGED))
        for key, observations in seen.items()
    }
    metadata[KEY] = {"minutes": minutes_to_read(section), "told": told}


class PlaceVerified(Transform):
    """Puts the line under the title of every page that is a section."""

    default_priority = 515  # after the place of live cells, so that it comes above

    def apply(self, **kwargs) -> None:
        """Adds it to this page."""
        env = self.document.settings.env
        known = env.metadata[env.docname].get(KEY)
        title = next(self.document.findall(nodes.title), None)
        if not known or title is None:
            return
        minutes = f"About {known['minutes']} min"
        line = nodes.container(classes=["page-facts"])
        line += nodes.paragraph("", minutes, classes=["page-minutes"])
        line += [_tell(key, text, env) for key, text in known["told"].items()]
        title.parent.insert(title.parent.index(title) + 1, line)


def _tell(key: str, text: str, env) -> nodes.container:
    paragraph = nodes.paragraph("", text)
    page = RETIRED.get(key, "")
    if page in env.found_docs:
        label = FRAMEWORKS[key].label
        uri = env.app.builder.get_relative_uri(env.docname, page)
        paragraph += nodes.Text(" ")
        link = nodes.reference("", f"{label} is retired", internal=True, refuri=uri)
        paragraph += [link, nodes.Text(".")]
    return nodes.container("", paragraph, classes=["page-fact", f"for-{key}"])


def add_verified(app: Sphinx) -> None:
    """Registers the transform."""
    app.add_transform(PlaceVerified)
