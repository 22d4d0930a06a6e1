"""Where something first went wrong in a run, and what only carries it on.

What is wrong is for the caller to say: a value that is not finite, or one
that differs from another run's. A module is the *origin* when its outputs are
wrong although its inputs are right.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from d2l_support.inspection.runs import (
    Call,
    Labels,
    Run,
    Slot,
    encloses,
    find_enclosing,
)

ORIGIN, CARRIES, ENDS, LATER = "origin", "carries", "ends", "later"


@dataclass(frozen=True)
class Marks:
    """The slots of a call that are wrong."""

    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]

    def __bool__(self) -> bool:
        return bool(self.inputs or self.outputs)


@dataclass(frozen=True)
class Origin:
    """The first wrong value of a run.

    Attributes:
        index: The call that produced it, or that was given it.
        witness: The call at which it was seen first: the same one, or one
            that it called.
        slot: The wrong input or output of the witness.
        given: Whether it was given to the outermost call, so that nothing in
            the model produced it.
    """

    index: int
    witness: int
    slot: Slot
    given: bool = False


def find_origin(calls: Sequence[Call], marks: Sequence[Marks]) -> Origin | None:
    """The first origin in the order of execution; None if all is right.

    A wrong input that no earlier call gave out was made by the code of the
    module around the call, or was given to that module in turn.
    """
    witness = next((i for i, mark in enumerate(marks) if mark), None)
    if witness is None:
        return None
    index = witness
    while marks[index].inputs:
        outer = find_enclosing(calls, index)
        if outer is None:
            return Origin(index, witness, marks[index].inputs[0], given=True)
        index = outer
    return Origin(index, witness, (*marks[witness].inputs, *marks[witness].outputs)[0])


def find_roles(calls: Sequence[Call], marks: Sequence[Marks]) -> dict[int, str]:
    """What each call with something wrong does with it, by its index.

    A module that contains an origin carries on what was made inside it.
    """
    roles: dict[int, str] = {}
    around: set[int | None] = set()  # the calls with an origin inside them
    for index, (call, mark) in enumerate(zip(calls, marks, strict=True)):
        if mark:
            roles[index] = find_role(call, mark, index in around)
        if roles.get(index) == ORIGIN or index in around:
            around.add(find_enclosing(calls, index))
    return roles


def find_role(call: Call, mark: Marks, inside: bool) -> str:
    """What one call does; `inside` says that something in it is an origin."""
    if call.inputs is None:
        return LATER
    if not mark.outputs:
        return ENDS
    return CARRIES if mark.inputs or inside else ORIGIN


def explain_origin(calls: Sequence[Call], origin: Origin, right: str) -> str:
    """The origin in a sentence.

    Args:
        calls: The calls of the run.
        origin: From `find_origin`.
        right: What the values should be: "finite", "equal".
    """
    labels, call = Labels(calls), calls[origin.index]
    name, path = f"{labels(origin.index)} ({call.kind})", origin.slot[0]
    if origin.given:
        return f"It is given to {name} as its argument {path}."
    if call.inputs is None:
        return f"It comes out of {name}; its inputs were not looked at."
    if origin.index != origin.witness:
        child = labels(origin.witness)
        return f"The code of {name} makes it and gives it to {child} as {path}."
    if any(encloses(call, other) for other in calls[: origin.index]):
        return f"The code of {name} makes it; what its modules gave is {right}."
    return f"{name} makes it: its inputs are {right}, its output is not."


def find_return_path(run: Run, bad: Collection[int]) -> tuple[int, list[int]] | None:
    """The first wrong gradient, and the calls that it came back through.

    Args:
        run: A run with gradients.
        bad: The positions in `run.gradients` that are wrong.

    Returns:
        The position, and the innermost calls that took the value in question
        and whose own outputs have right gradients; None if none is wrong.
    """
    if not bad:
        return None
    first = min(bad)
    target = run.gradients[first][0]
    wrong = {run.gradients[position][0] for position in bad}
    users = [
        call
        for call in run.calls
        if target in {value for _, value in call.inputs or ()}
        and wrong.isdisjoint(value for _, value in call.outputs)
    ]
    inner = [c for c in users if not any(encloses(c, other) for other in users)]
    return first, [run.calls.index(call) for call in inner]


def explain_return(run: Run, first: int, users: Sequence[int]) -> str:
    """Where the first wrong gradient came from, in a sentence.

    Args:
        run: A run with gradients.
        first: The position of the gradient.
        users: The calls that it came back through, from `find_return_path`.
    """
    labels = Labels(run.calls)
    if users:
        names = (f"{labels(user)} ({run.calls[user].kind})" for user in users)
        return f"It came back through {' and '.join(names)}."
    target = run.gradients[first][0]
    if run.calls and target in {value for _, value in run.calls[-1].outputs}:
        return "It comes from what follows the model: the loss."
    return "It comes from code between the modules that were seen."
