"""Which way of running apart a machine has."""

from d2l_support.build.problems import CannotWork

SANDBOX, PROCESS, AUTO = "sandbox", "process", "auto"


def choose_isolation(wanted: str) -> str:
    """The way to run apart.

    Raises:
        CannotWork: It is not one of the three, or not possible here.
    """
    if wanted not in (SANDBOX, PROCESS, AUTO):
        known = f"{SANDBOX}, {PROCESS}, {AUTO}"
        raise CannotWork(f"found isolation {wanted!r}, expected one of {known}")
    if wanted == SANDBOX:
        raise CannotWork(explain_sandbox())
    return PROCESS


def explain_sandbox() -> str:
    """Why no sandbox works here, or ""."""
    return "found no sandbox yet, expected bubblewrap"
