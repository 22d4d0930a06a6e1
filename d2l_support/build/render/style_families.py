"""Takes out of two large style sheets what no page of the book uses.

Bootstrap, Font Awesome and sphinx-design bring components by the dozen. A
family is a class and those that begin with its name and a dash. A test holds
the pages against this list, so a component that an author begins to use is
missed at once; then take its family out.
"""

import re

LARGE_STYLES = ("pydata-sphinx-theme.css", "sphinx-design.min.css")

ICONS = ("fa", "fab", "far", "fas")
"""What the theme does with an icon stays; what draws it goes."""

BOOTSTRAP = (
    *("accordion", "alert", "badge", "breadcrumb", "btn-check", "btn-close"),
    *("btn-group", "btn-outline", "bs-popover", "bs-tooltip", "card", "carousel"),
    *("col", "focus-ring", "form-check", "form-floating", "form-range"),
    *("form-select", "form-switch", "input-group", "link-underline", "list-group"),
    *("modal", "nav-pills", "nav-tabs", "object-fit", "offcanvas", "offset"),
    *("page-item", "page-link", "pagination", "placeholder", "popover", "progress"),
    *("row-cols", "spinner-border", "spinner-grow", "text-bg", "toast", "tooltip"),
)
EXTENSIONS = (
    *("ablog", "bd-breadcrumbs", "ethical-footer", "sphinx-tabs", "versionmodified"),
    *("sd-aside", "sd-avatar", "sd-badge", "sd-bg", "sd-border", "sd-btn", "sd-col"),
    *("sd-g", "sd-outline", "sd-row", "sd-step", "sd-steps", "sd-text"),
)
FAMILIES = (*BOOTSTRAP, *EXTENSIONS)

FONT = re.compile(r"@font-face\{[^{}]*Font ?Awesome[^{}]*\}")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
RULE = re.compile(r"([^{}@;]+)\{[^{}]*\}")
EXCEPTION = re.compile(r":not\([^)]*\)")
FAMILY = re.compile(rf"\.({'|'.join(FAMILIES)})(-[\w-]+)?(?![\w-])")
ICON = re.compile(rf"\s*\.({'|'.join(ICONS)})(-[\w-]+)?(?![\w-])")


def drop_families(css: str) -> str:
    """A minified style sheet without the rules that only these families need."""

    def keep(rule: re.Match) -> str:
        selectors = EXCEPTION.sub("", rule[1]).split(",")
        unused = all(FAMILY.search(one) or ICON.match(one) for one in selectors)
        return "" if unused else rule[0]

    return RULE.sub(keep, FONT.sub("", COMMENT.sub("", css)))
