"""The slots of Python's and NumPy's streams: what a saved state has of them."""

import random
from collections.abc import Callable
from functools import partial

import numpy as np

from d2l_support.state.file import RandomStateError
from d2l_support.state.forms import Form, Real, Whole, Words
from d2l_support.state.slots import Slot
from d2l_support.streams import KIND_NAMES, name_type

TWISTER = 624  # words in the state of a Mersenne twister

PYTHON_VERSION = 3  # of the states of random.Random
PYTHON: Form = {
    "words": Words("<u4", (TWISTER,)),
    "position": Whole(TWISTER),
    "gauss": Real(empty=True),
}

U32, U128 = Whole(2**32 - 1), Whole(2**128 - 1)
FLAG = Whole(1)
HALF = {"has_uint32": FLAG, "uinteger": U32}  # the other half of a word
PCG = {"state": U128, "inc": Whole(2**128 - 1, low=1, odd=True)}
NUMPY: dict[str, Form] = {
    "MT19937": {"state": {"key": Words("<u4", (TWISTER,)), "pos": Whole(TWISTER)}},
    "PCG64": {"state": PCG, **HALF},
    "PCG64DXSM": {"state": PCG, **HALF},
    "Philox": {
        "state": {"counter": Words("<u8", (4,)), "key": Words("<u8", (2,))},
        "buffer": Words("<u8", (4,)),
        "buffer_pos": Whole(4),
        **HALF,
    },
    "SFC64": {"state": {"state": Words("<u8", (4,))}, **HALF},
}
# A RandomState makes normals in pairs and keeps the second one.
LEGACY: Form = {"has_gauss": FLAG, "gauss": Real()}


def list_shared_slots() -> dict[str, Slot]:
    """The slots of the two streams that every Python process has."""
    return {
        "Python random": describe_python(random),
        "NumPy global": describe_legacy(np.random, None),
    }


def list_named_slots(
    named: dict[str, object],
    describe: Callable[[object], Slot | None],
    accepted: tuple[str, ...],
) -> dict[str, Slot]:
    """The slots of streams that the reader holds, by name.

    Args:
        named: The streams by name.
        describe: Makes the slot of one of the framework's own streams;
            returns None for anything else.
        accepted: The kinds that `describe` knows, or why there are none.

    Raises:
        TypeError: One of them is no stream that is known here.
        RandomStateError: One of them has no state that can be saved.
    """
    slots = {}
    for name, stream in named.items():
        slot = describe_private(stream) or describe(stream)
        if slot is None:
            kinds = ", ".join((*KIND_NAMES, *accepted))
            raise TypeError(
                f"random state of {name}: found an object of type "
                f"{name_type(stream)}, expected one of {kinds}."
            )
        slots[name] = slot
    return slots


def describe_private(stream: object) -> Slot | None:
    """The slot of a NumPy or Python generator; None for other things."""
    if type(stream) is random.Random:
        return describe_python(stream)
    if isinstance(stream, np.random.RandomState):
        return describe_legacy(stream, stream)
    if isinstance(stream, np.random.Generator):
        return describe_generator(stream)
    return None


def describe_python(source: object) -> Slot:
    """The slot of a `random.Random`, or of the module `random` itself."""
    return Slot(
        "random.Random",
        PYTHON,
        lambda: split_python(source.getstate()),
        partial(_write_python, source),
        check_python,
    )


def split_python(state: tuple) -> dict[str, object]:
    """The state that `random.Random.getstate` returned, by field."""
    _, (*words, position), gauss = state
    return {"words": np.array(words), "position": position, "gauss": gauss}


def join_python(state: dict[str, object]) -> tuple:
    """What `random.Random.setstate` takes."""
    words = (*state["words"].tolist(), state["position"])
    return PYTHON_VERSION, words, state["gauss"]


def _write_python(source: object, state: dict[str, object]) -> object:
    """The source with this state."""
    source.setstate(join_python(state))
    return source


def check_python(state: dict[str, object]) -> str | None:
    """Refuses the one state from which a twister draws nothing but zeros."""
    return None if state["words"].any() else "its words are all zero"


def describe_legacy(source: object, stream: object) -> Slot:
    """The slot of a RandomState, or of NumPy's legacy global stream.

    Args:
        source: What has `get_state` and `set_state`.
        stream: What to return when the state is put back.
    """
    algorithm = source.get_state(legacy=False)["bit_generator"]
    form = _find_form(algorithm)
    return Slot(
        f"numpy.random.RandomState({algorithm})",
        {**form, **LEGACY},
        lambda: source.get_state(legacy=False),
        partial(_write_legacy, source, stream, algorithm),
        check_numpy,
    )


def _write_legacy(
    source: object, stream: object, algorithm: str, state: dict[str, object]
) -> object:
    """The stream with this state."""
    source.set_state({"bit_generator": algorithm, **state})
    return stream


def describe_generator(generator: np.random.Generator) -> Slot:
    """The slot of a Generator; what it may have spawned is not part of it."""
    source = generator.bit_generator
    algorithm = source.state["bit_generator"]
    return Slot(
        f"numpy.random.Generator({algorithm})",
        _find_form(algorithm),
        lambda: source.state,
        partial(_write_generator, generator, algorithm),
        check_numpy,
    )


def _write_generator(
    generator: np.random.Generator, algorithm: str, state: dict[str, object]
) -> np.random.Generator:
    """The generator with this state."""
    generator.bit_generator.state = {"bit_generator": algorithm, **state}
    return generator


def _find_form(algorithm: str) -> Form:
    """What the state of one of NumPy's bit generators is made of."""
    if algorithm not in NUMPY:
        raise RandomStateError(
            f"found a bit generator {algorithm}, expected one of "
            f"{', '.join(NUMPY)}. Use one of NumPy's own."
        )
    return NUMPY[algorithm]


def check_numpy(state: dict[str, object]) -> str | None:
    """Refuses the one state from which a twister draws nothing but zeros."""
    key = state["state"].get("key")
    if key is None or len(key) != TWISTER or key.any():
        return None
    return "its words are all zero"
