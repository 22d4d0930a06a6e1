"""Every nested value that a module may give, with a name for each tensor."""

from collections import OrderedDict, namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

from d2l_support.inspection import walk_leaves

A, B, C = (np.full(1, float(number)) for number in (1, 2, 3))
Pair = namedtuple("Pair", "first second")


@dataclass
class Output:
    """As many libraries return it."""

    logits: object
    states: object = None


class ModelOutput(OrderedDict):
    """As the transformers library returns it: a mapping with attributes."""


class Opaque:
    """Nothing is known of this one."""

    def __init__(self):
        self.hidden = A


def walk(thing):
    return [
        (p, leaf) for p, leaf in walk_leaves(thing, lambda x: isinstance(x, np.ndarray))
    ]


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        (A, [("", A)]),
        ((A, [B, (C,)]), [("[0]", A), ("[1][0]", B), ("[1][1][0]", C)]),
        ({"h": A, 3: B}, [("['h']", A), ("[3]", B)]),
        (Pair(A, B), [(".first", A), (".second", B)]),
        (Output(A, (B,)), [(".logits", A), (".states[0]", B)]),
        (ModelOutput(logits=A, past=None), [("['logits']", A)]),
        ([None, "text", b"bytes", True, 1, 2.5, 1j, A], [("[7]", A)]),
        ([], []),
        (None, []),
    ],
)
def test_walk_leaves_names_each_tensor(thing, expected):
    found = walk(thing)
    assert [path for path, _ in found] == [path for path, _ in expected]
    assert all(
        leaf is there for (_, leaf), (_, there) in zip(found, expected, strict=True)
    )


def test_walk_leaves_gives_unknown_objects_as_they_are():
    thing = Opaque()
    assert walk([thing]) == [("[0]", thing)]


def test_walk_leaves_ends_where_a_list_holds_itself():
    thing = [A]
    thing.append(thing)
    assert walk(thing) == [("[0]", A)]


def test_walk_leaves_gives_the_same_tensor_twice():
    assert [path for path, _ in walk([A, A])] == ["[0]", "[1]"]


def test_walk_leaves_takes_a_dataclass_that_is_not_filled():
    assert walk(Output.__new__(Output)) == []
