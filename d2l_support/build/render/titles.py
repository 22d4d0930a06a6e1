"""Links that show a page by its title, in the order of the contents."""

from collections.abc import Iterable

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.environment import BuildEnvironment

from d2l_support.build.layout import SectionName


def link_title(env: BuildEnvironment, section: SectionName | str) -> pending_xref:
    """A section's title, which Sphinx knows when all pages are read."""
    return pending_xref(
        "",
        nodes.inline("", str(section)),
        refdomain="std",
        reftype="doc",
        refexplicit=False,
        reftarget=f"/chapters/{section}",
        refdoc=env.docname,
        refwarn=True,
    )


def order_sections(
    env: BuildEnvironment, sections: Iterable[SectionName]
) -> list[SectionName]:
    """Sections as the table of contents lists them, where the book has one."""
    listed = [*getattr(env, "external_site_map", ())]
    places = {name: place for place, name in enumerate(listed)}
    return sorted(sections, key=lambda name: places.get(f"chapters/{name}", 0))
