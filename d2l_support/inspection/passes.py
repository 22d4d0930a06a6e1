"""What is collected in one pass: small tensors and names.

A framework's own `Pass` looks at tensors; which ones were seen before, and how
long anything is held, is for it to know.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from d2l_support.inspection.coverage import Coverage
from d2l_support.inspection.places import Names, Places, Weight
from d2l_support.inspection.runs import Call, Run, Value
from d2l_support.inspection.sights import Called, Sight

LIMIT = 100_000  # a pass that sees more tensors than this is ended


class Pass:
    """What one pass showed so far.

    Attributes:
        number: 1 for the first pass of a watch.
        calls: The calls that have ended.
        sights: The tensors, each once for each state it was in.
        gradients: By arrival, the index of a sight and that of its gradient.
        weights: Parameters and buffers, by their names.
        weight_gradients: The gradients of parameters, by their names.
        left: Whether the model itself has returned.
        awaits: Whether a backward pass is to come then.
        raised: Where an exception ended the pass.
        changed: Why a parameter is not looked at after another pass.
    """

    changed = "perhaps written to since that pass"

    def __init__(self, number: int, measure: Callable[[Any], Any]):
        self.number, self.raised = number, ""
        self.left = self.awaits = False
        self.calls: list[Called] = []
        self.sights: list[Sight] = []
        self.gradients: list[tuple[int, Sight]] = []
        self.weights: dict[Names, Sight] = {}
        self.weight_gradients: dict[Names, Sight] = {}
        self._measure = measure

    def is_over(self) -> bool:
        """Whether the next call of a module begins another pass."""
        if len(self.sights) > LIMIT:
            return True
        came_back = self.gradients or self.weight_gradients
        return self.left and bool(came_back or not self.awaits)

    def look_at_weights(self, weights: Iterable[Weight]) -> None:
        """Looks at parameters and buffers, unless that was done."""
        for names, x in weights:
            if names not in self.weights:
                self.weights[names] = self.see_weight(x)

    def skip_weights(self, weights: Iterable[Weight]) -> None:
        """Notes those that were not looked at because they may have changed."""
        for names, x in weights:
            self.weights.setdefault(names, self.skip(x, self.changed))

    def note_missing(self, parameters: Iterable[Weight]) -> None:
        """Notes the parameters to which no gradient came, if any came at all."""
        if self.gradients or self.weight_gradients:
            for names, x in parameters:
                self.weight_gradients.setdefault(names, self.skip(x, "none arrived"))

    def settle(self, fetch: Callable[[list[Any]], list[Any]]) -> list[Any]:
        """Turns small tensors into what they hold.

        Returns:
            What those hold that were not settled before.
        """
        sights = [*self.sights, *(sight for _, sight in self.gradients)]
        sights += [*self.weights.values(), *self.weight_gradients.values()]
        measured = [s for s in sights if not isinstance(s.found, str | bytes | list)]
        found = fetch([sight.found for sight in measured]) if measured else []
        for sight, holds in zip(measured, found, strict=True):
            sight.found = holds if isinstance(holds, str | bytes) else list(holds)
        return found

    # What a framework says

    def see(self, x: Any) -> Sight:
        """Measures a tensor; says so of what is none."""
        raise NotImplementedError

    def see_weight(self, x: Any) -> Sight:
        """Measures a parameter or buffer."""
        return self.see(x)

    def skip(self, x: Any, reason: str) -> Sight:
        """Notes of a parameter or buffer why there are no numbers."""
        raise NotImplementedError

    def let_go(self) -> None:
        """Forgets every activation."""
        raise NotImplementedError

    def name_dtype(self, dtype: Any) -> str:
        """The name of a dtype: "float32"."""
        return str(dtype)

    def find_value(self, index: int) -> int:
        """The index of the value that a sight shows, in a settled pass."""
        return index


def build_run(places: Places, seen: Pass, coverage: Coverage) -> Run:
    """The run of a settled pass.

    Args:
        places: The modules of the model.
        seen: The pass, settled.
        coverage: Which of them were seen.
    """
    counts: Counter[tuple[int, str]] = Counter()
    calls = []
    for called in seen.calls:
        counts[called.place, called.phase] += 1
        number = counts[called.place, called.phase]
        calls.append(build_call(places, seen, called, number))
    return Run(
        places.framework,
        tuple(calls),
        tuple(describe(seen, sight) for sight in seen.sights),
        coverage,
        tuple((seen.find_value(at), describe(seen, x)) for at, x in seen.gradients),
        describe_all(seen, seen.weights),
        describe_all(seen, seen.weight_gradients),
        seen.raised,
        seen.number,
    )


def build_call(places: Places, seen: Pass, called: Called, number: int) -> Call:
    """One call, with names in place of numbers and positions."""
    place, inputs = called.place, called.inputs
    if inputs is not None:
        inputs = tuple(
            (
                (places.argument(place, key) if isinstance(key, int) else key) + path,
                seen.find_value(at),
            )
            for key, path, at in inputs
        )
    outputs = tuple((path, seen.find_value(at)) for path, at in called.outputs)
    names, kind = places.names[place], places.kind(place)
    return Call(names, kind, number, called.phase, inputs, outputs)


def describe(seen: Pass, sight: Sight) -> Value:
    """A settled sight in plain numbers."""
    shape, dtype = tuple(map(int, sight.shape)), seen.name_dtype(sight.dtype)
    if isinstance(sight.found, str):
        return Value(shape, dtype, skipped=sight.found)
    if isinstance(sight.found, bytes):
        return Value(shape, dtype, data=sight.found)
    return Value(shape, dtype, tuple(sight.found))


def describe_all(
    seen: Pass, sights: Mapping[Names, Sight]
) -> tuple[tuple[Names, Value], ...]:
    """Settled sights in plain numbers, with their names."""
    return tuple((names, describe(seen, sight)) for names, sight in sights.items())
