"""The four meanings of "the same", declared on a cell.

========== ===================================================================
exact      the text is equal
close      the text around the floats is equal; floats agree within rtol, atol
statistical  the same, within an absolute band that was measured over seeds
informative  shown, not compared; the cell says why
========== ===================================================================

A cell that declares nothing is ``exact`` where it prints no float and
``close`` with rtol 1e-5 where it does. With ``varies`` it names the settings
of the survey under which it prints something else by design, and says why.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

from d2l_support.build.survey.settings import SETTINGS

KINDS = ("exact", "close", "statistical", "informative")
OPTIONS = ("compare", "rtol", "atol", "band", "seeds", "gpu", "varies", "why")
DEFAULT_RTOL = 1e-5
GPU = "gpu"
GPU_RTOL = 1e-4
"""How far floats may lie from the CPU's on a GPU, unless a cell says more."""

_ALLOWED = {
    "exact": {"varies"},
    "close": {"rtol", "atol", "gpu", "varies"},
    "statistical": {"band", "seeds", "varies"},
    "informative": set(),
}


@dataclass(frozen=True)
class Rule:
    """How a cell's recorded output is to be compared.

    Attributes:
        kind: One of ``KINDS``.
        rtol: Relative tolerance of a float (close).
        atol: Absolute tolerance of a float (close), or the half-width of the
            band around the recorded value (statistical).
        seeds: Number of seeds over which a band was measured (statistical).
        varies: Settings of the survey under which it does not hold.
        why: The author's reason, shown to the reader.
        gpu: Relative tolerance of a float between CPU and GPU (close); 0 for
            the usual one.
    """

    kind: str
    rtol: float = 0.0
    atol: float = 0.0
    seeds: int | None = None
    why: str | None = None
    varies: tuple[str, ...] = ()
    gpu: float = 0.0

    def __str__(self) -> str:
        if self.kind == "close":
            parts = [f"{self.rtol:g}"] if self.rtol else []
            parts += [f"{self.atol:g} absolute"] if self.atol else []
            return "within " + " or ".join(parts)
        if self.kind == "statistical":
            return f"within a band of ±{self.atol:g} over {self.seeds} seeds"
        return "exact" if self.kind == "exact" else f"not compared: {self.why}"

    def between_devices(self) -> "Rule":
        """What it allows between a record of the CPU and a run on a GPU.

        Floats of a ``close`` cell may differ by ``gpu``, or by 1e-4; a cell
        that names the setting "gpu" in ``varies`` is not compared.
        """
        if GPU in self.varies:
            return Rule("informative", why=self.why)
        if self.kind != "close":
            return self
        return replace(self, rtol=self.gpu or max(self.rtol, GPU_RTOL))

    def to_metadata(self) -> dict[str, Any]:
        """The rule as plain data, without what it leaves out."""
        data = {**asdict(self), "varies": list(self.varies)}
        return {key: value for key, value in data.items() if value}

    @classmethod
    def from_metadata(cls, data: dict[str, Any]) -> "Rule":
        """The rule that ``to_metadata`` wrote."""
        return cls(**{**data, "varies": tuple(data.get("varies", ()))})


EXACT = Rule("exact")
CLOSE = Rule("close", rtol=DEFAULT_RTOL)


def parse_rule(options: dict[str, Any]) -> Rule | None:
    """The rule that a cell's options declare, or None for the default.

    Raises:
        ValueError: An option is unknown for the rule, missing or no number.
    """
    given = {key: options[key] for key in OPTIONS if key in options}
    if not given:
        return None
    kind = given.pop("compare", None)
    why = given.pop("why", None)
    if kind is None:
        raise ValueError(f"found {', '.join(given) or 'why'} but no compare option")
    if kind not in KINDS:
        raise ValueError(f"found compare {kind!r}, expected one of {', '.join(KINDS)}")
    if foreign := sorted(given.keys() - _ALLOWED[kind]):
        raise ValueError(f"found {', '.join(foreign)}, which {kind!r} does not take")
    if why is not None and not (isinstance(why, str) and why.strip()):
        raise ValueError(f"found why {why!r}, expected words")
    varies = _parse_varies(given.pop("varies", []), why)
    numbers = {key: _positive(key, value) for key, value in given.items()}
    return replace(_build_rule(kind, numbers, why), varies=varies)


def _parse_varies(value: Any, why: str | None) -> tuple[str, ...]:
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, list):
        raise ValueError(f"found varies {value!r}, expected names of settings")
    settings = tuple(str(name).strip() for name in names)
    for setting in settings:
        if setting not in (*SETTINGS, GPU):
            known = ", ".join((*SETTINGS, GPU))
            raise ValueError(f"found varies {setting!r}, expected one of {known}")
    if settings and why is None:
        raise ValueError("found varies without a reason, expected why")
    return settings


def _build_rule(kind: str, numbers: dict[str, float], why: str | None) -> Rule:
    if kind == "informative" and not why:
        raise ValueError("found 'informative' without a reason, expected why")
    if kind == "close":
        if not numbers.keys() & {"rtol", "atol"}:
            numbers = {"rtol": DEFAULT_RTOL, **numbers}
        return Rule(kind, **numbers, why=why)
    if kind == "statistical":
        if numbers.keys() != {"band", "seeds"}:
            raise ValueError("found 'statistical', expected both band and seeds")
        if numbers["seeds"] % 1:
            raise ValueError(
                f"found seeds {numbers['seeds']}, expected a whole number of seeds"
            )
        return Rule(kind, atol=numbers["band"], seeds=int(numbers["seeds"]), why=why)
    return Rule(kind, why=why)


def _positive(name: str, value: Any) -> float:
    try:
        # True would pass for 1.
        number = -1.0 if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 < number < float("inf"):
        raise ValueError(f"found {name} {value!r}, expected a positive number")
    return number
