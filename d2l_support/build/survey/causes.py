"""Why a number differs on another machine: the causes, likeliest first.

A cause is something in which the two environments differ. What speaks for it
is the ledger: the cell moved, or did not, when just that was changed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from d2l_support.build.survey.agreement import KINDS, Agreement
from d2l_support.build.survey.ledger import Observation
from d2l_support.build.survey.settings import SETTINGS

Environment = Mapping[str, Any]
Change = tuple[str, str]
"""A cause, and from what to what it changed."""

LIKELY, POSSIBLE, UNLIKELY = "likely", "possible", "unlikely"

FLAGS = {
    "threads": ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NPROC"),
    "instruction set": (
        "ONEDNN_MAX_CPU_ISA",
        "ATEN_CPU_CAPABILITY",
        "MKL_ENABLE_INSTRUCTIONS",
        "OPENBLAS_CORETYPE",
        "XLA_FLAGS",
    ),
    "oneDNN": (
        "torch.backends.mkldnn.enabled",
        "TF_ENABLE_ONEDNN_OPTS",
        "MXNET_ONEDNN_ENABLED",
    ),
}
"""The flags that belong to a cause; any other is a cause of its own."""

EVIDENCE = {
    "threads": ("one-core", "eight-threads"),
    "instruction set": ("avx2", "sse"),
    "oneDNN": ("no-onednn",),
    "release": ("jax-next",),
}
"""The settings of the survey that change just this."""


@dataclass(frozen=True)
class Cause:
    """Something that may be why a cell's output differs.

    Attributes:
        name: What it is: "threads", "release", ...
        change: From what was recorded to what is.
        rank: "likely", "possible" or "unlikely".
        reason: What speaks for or against it.
    """

    name: str
    change: str
    rank: str
    reason: str

    def __str__(self) -> str:
        return f"{self.rank}: {self.name}, {self.change} ({self.reason})"


def rank_causes(
    recorded: Environment,
    fresh: Environment,
    seen: Agreement,
    cell: str,
    observations: Mapping[str, Observation],
) -> list[Cause]:
    """The causes of a difference, the likeliest first.

    Args:
        recorded: The environment that the record was made in.
        fresh: The environment of the run that differs.
        seen: How the cell's outputs agree.
        cell: The cell's id.
        observations: What the ledger has of its notebook, by setting.
    """
    causes = [
        _weigh(name, change, seen, cell, observations)
        for name, change in list_changes(recorded, fresh)
    ]
    return sorted(causes, key=lambda c: (LIKELY, POSSIBLE, UNLIKELY).index(c.rank))


def list_changes(recorded: Environment, fresh: Environment) -> Iterator[Change]:
    """In what two environments differ: the cause, and from what to what."""
    yield from _list_pairs("release", recorded, fresh, "versions")
    for key in ("device", "platform", "instruction_set", "threads"):
        before, now = recorded.get(key), fresh.get(key)
        if before != now:
            yield key.replace("_", " "), f"{before} to {now}"
    for flag, change in _list_pairs("flag", recorded, fresh, "flags"):
        name = change.partition(" ")[0]
        owner = next((cause for cause, own in FLAGS.items() if name in own), flag)
        yield owner, change


def _list_pairs(
    cause: str, recorded: Environment, fresh: Environment, key: str
) -> Iterator[Change]:
    before, now = recorded.get(key, {}), fresh.get(key, {})
    for name in dict.fromkeys((*before, *now)):
        if before.get(name) != now.get(name):
            old, new = (side.get(name, "not set") for side in (before, now))
            yield cause, f"{name} {old} to {new}"


def _weigh(
    name: str,
    change: str,
    seen: Agreement,
    cell: str,
    observations: Mapping[str, Observation],
) -> Cause:
    """A cause with what the ledger says for or against it."""
    related = [s for s in EVIDENCE.get(name, ()) if s in observations]
    moved = {s: observations[s].cells.get(cell, Agreement()) for s in related}
    moved = {s: found for s, found in moved.items() if found != Agreement()}
    if moved:
        setting, found = max(moved.items(), key=lambda item: item[1].badness)
        reason = f"{found} in the ledger under {SETTINGS[setting].label!r}"
        return Cause(
            name, change, LIKELY if _reaches(found, seen) else POSSIBLE, reason
        )
    if related:
        labels = " and ".join(repr(SETTINGS[setting].label) for setting in related)
        return Cause(
            name, change, UNLIKELY, f"the same text in the ledger under {labels}"
        )
    if name in ("release", "device"):
        reason = "the book has no measurement of it; draws and kernels may be others"
        return Cause(name, change, LIKELY if seen.kind != "same" else POSSIBLE, reason)
    return Cause(name, change, POSSIBLE, "the book has no measurement of it")


def _reaches(found: Agreement, seen: Agreement) -> bool:
    """Whether what the ledger saw is as large as what is to be explained."""
    if found.kind != seen.kind:
        return KINDS.index(found.kind) > KINDS.index(seen.kind)
    return found.kind != "numbers" or found.relative >= 0.1 * seen.relative
