"""What a Dask worker that grades needs to know of its own machine."""

from d2l_support.build.cluster import checkout
from d2l_support.build.isolation.sandbox import choose_isolation
from d2l_support.build.problems import CannotWork


def find_missing(root: str, frameworks: list[str], isolation: str) -> str:
    """What this machine lacks for grading notebooks, in words, or ""."""
    if missing := checkout.find_missing(root, frameworks):
        return missing
    try:
        choose_isolation(isolation)
    except CannotWork as error:
        return str(error)
    return ""
