"""The layers of a Keras model: their names, and why some are never seen.

A layer inside a functional or sequential model has the name that Keras knows
it by; so have the sums and other operations of a functional model, which are
no layers but are called like them. In a layer or model of one's own the name
is that of the attribute: `self.head`, `self.blocks[0]` as "blocks.0"; layers
in private attributes go by their Keras name. `InputLayer` is never called and
does not count.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import keras
from keras.src.utils.naming import to_snake_case

from d2l_support.inspection import places
from d2l_support.inspection.places import Weight, gather_names
from d2l_support.inspection.runs import name_module
from d2l_support.inspection.tensorflow.checking import is_graph

GRAPH = "called while a tf.function was traced, where there are no values"
UNCALLED = (
    "No layer was called in Python. A tf.function that was traced before does not, "
    "and neither do fit and predict: call the model as net(X), or compile it with "
    "run_eagerly=True."
)
Layer = keras.Operation


class Places(places.Places):
    """Where each layer stands in a model; its place is its id.

    Args:
        model: The model.
        renumber: Whether names that Keras made up are counted from the start
            of each container. Keras counts through the process, so that two
            models built by one function have other names.
    """

    framework, method = "tensorflow", "call"
    uncalled, traced = UNCALLED, GRAPH

    def __init__(self, model: keras.Layer, renumber: bool = False):
        super().__init__(model, walk_layers(model, renumber))

    def list_parameters(self) -> list[Weight]:
        """The variables that are trained, each once with all its names."""
        trained = set(map(id, self.model.trainable_variables))
        return [(names, v) for names, v in self.list_weights() if id(v) in trained]

    def list_weights(self) -> list[Weight]:
        """All variables, each once with all its names; seeds count as well."""
        return gather_names(
            (join(name, step), variable)
            for place, layer in self.modules.items()
            for step, variable in list_variables(layer)
            for name in self.names[place]
        )

    def is_callable(self, place: int) -> bool:
        """False for a layer that only holds others and has no `call`."""
        return type(self.modules[place]).call is not keras.Layer.call

    def explain(self, place: int, seen: set[int]) -> str:
        """Why a layer was not seen."""
        for outer in self.list_around(place):
            layer = self.modules[outer]
            if is_graph(layer):
                name = name_module(self.names[outer])
                return f"the call of {name} is a tf.function that was traced before"
            if isinstance(layer, keras.layers.MultiHeadAttention) and outer != place:
                return "keras.layers.MultiHeadAttention took its fused path"
        return "not called in this pass, or called as layer.call(...)"


def join(*steps: str) -> str:
    """A dotted name."""
    return ".".join(step for step in steps if step)


def walk_layers(
    layer: Layer, renumber: bool, name: str = "", inside: tuple[int, ...] = ()
) -> Iterator[tuple[str, Layer]]:
    """A layer and all layers in it, parents first, under every name."""
    yield name, layer
    for step, child in list_children(layer, renumber):
        if id(child) not in inside:
            yield from walk_layers(
                child, renumber, join(name, step), (*inside, id(layer))
            )


def list_children(layer: Layer, renumber: bool) -> list[tuple[str, Layer]]:
    """The layers and operations directly inside a layer, with their names."""
    listed = list_steps(layer)
    named = [child.name for child in listed]
    pairs = [*zip(renumber_names(listed) if renumber else named, listed, strict=True)]
    rest = {id(child): child for child in getattr(layer, "_layers", ())}
    rest = {key: child for key, child in rest.items() if key not in map(id, listed)}
    public = [pair for pair in list_attributes(layer) if id(pair[1]) in rest]
    known = {id(child) for _, child in public}
    private = [child for key, child in rest.items() if key not in known]
    pairs += [*public, *zip(renumber_names(private), private, strict=True)]
    pairs = [p for p in pairs if not isinstance(p[1], keras.layers.InputLayer)]
    names = make_unique([name for name, _ in pairs])
    return [(name, child) for name, (_, child) in zip(names, pairs, strict=True)]


def list_steps(layer: Layer) -> list[Layer]:
    """The layers and operations that Keras calls in a model it has the graph of."""
    if isinstance(layer, keras.Sequential):
        return list(layer.layers)
    is_model = isinstance(layer, keras.Model)
    return list(getattr(layer, "operations", ())) if is_model else []


def list_attributes(layer: Layer) -> list[tuple[str, Layer]]:
    """The layers in public attributes, also in lists and dictionaries there."""
    if not isinstance(layer, keras.Layer):
        return []
    return [
        pair
        for name, thing in vars(layer).items()
        if not name.startswith("_")
        for pair in list_inside(name, thing)
    ]


def list_inside(name: str, thing: object) -> Iterator[tuple[str, Layer]]:
    """The layers in an attribute's value."""
    if isinstance(thing, keras.Layer):
        yield name, thing
    elif isinstance(thing, dict):
        for key, part in thing.items():
            yield from list_inside(f"{name}.{key}", part)
    elif isinstance(thing, list | tuple):
        for index, part in enumerate(thing):
            yield from list_inside(f"{name}.{index}", part)


def renumber_names(things: list[Any]) -> list[str]:
    """Names, those that Keras made up counted from the first."""
    made_up = Counter[str]()
    names = []
    for thing in things:
        stem = to_snake_case(type(thing).__name__)
        if is_made_up(thing):
            names.append(f"{stem}_{made_up[stem]}" if made_up[stem] else stem)
            made_up[stem] += 1
        else:
            names.append(thing.name)
    return names


def is_made_up(thing: Any) -> bool:
    """Whether a name is one that Keras gives to what has none: "dense_17"."""
    stem = to_snake_case(type(thing).__name__)
    return re.fullmatch(rf"{stem}(_\d+)?", thing.name) is not None


def make_unique(names: list[str]) -> list[str]:
    """The names, with a number where one is there already."""
    counts: dict[str, int] = {}
    unique = []
    for name in names:
        counts[name] = counts.get(name, -1) + 1
        unique.append(f"{name}_{counts[name]}" if counts[name] else name)
    return unique


def list_variables(layer: Layer) -> list[tuple[str, keras.Variable]]:
    """The variables that a layer itself holds, with their names in it."""
    if not isinstance(layer, keras.Layer):
        return []
    own = [*layer._trainable_variables, *layer._non_trainable_variables]
    own += [generator.state for generator in layer._seed_generators]
    public = {id(x): name for name, x in vars(layer).items() if name[0] != "_"}
    names = [
        public.get(id(v), name) if is_made_up(v) else name
        for v, name in zip(own, renumber_names(own), strict=True)
    ]
    return list(zip(make_unique(names), own, strict=True))
