"""Names of modules, and why some are silent."""

import pytest

from d2l_support.inspection.places import Places, gather_names, list_arguments


class Layer:
    def __init__(self, **parts):
        self.parts = parts

    def forward(self, x, mask=None, *more, training=False):
        """Does nothing."""


class Holder(Layer):
    """Only holds others."""


class Toy(Places):
    framework, method = "toy", "forward"
    uncalled, traced = "Call it.", "has no values"

    def __init__(self, model):
        super().__init__(model, self.walk(model))

    def walk(self, layer, name=""):
        yield name, layer
        for own, part in layer.parts.items():
            yield from self.walk(part, f"{name}.{own}" if name else own)

    def is_callable(self, place):
        return not isinstance(self.modules[place], Holder)

    def explain(self, place, seen):
        outer = ", ".join(self.label(i) for i in self.list_around(place)[1:])
        return f"inside {outer}"


@pytest.fixture
def tied():
    """A layer under two names, in a holder."""
    layer = Layer()
    return layer, Toy(Layer(list=Holder(a=layer, b=layer), c=Layer()))


def test_places_have_all_names_once(tied):
    layer, places = tied
    assert [*places.names.values()] == [("",), ("list",), ("list.a", "list.b"), ("c",)]
    assert places.find("list.b") is layer
    assert places.label(id(layer)) == "list.a = list.b (Layer)"


def test_places_name_arguments_by_position(tied):
    layer, places = tied
    found = [places.argument(id(layer), at) for at in range(3)]
    assert found == ["x", "mask", "args[2]"]


def test_arguments_of_what_has_no_signature_have_no_names():
    assert list_arguments(Layer, "backward") == ()


def test_cover_explains_the_silent_and_passes_over_holders(tied):
    layer, places = tied
    covered = places.cover([id(places.model), id(places.find("c"))])
    assert covered.seen == 2
    told = "inside list (Holder), (model) (Layer)"
    assert covered.silent == (("list.a = list.b", told),)
    assert covered.warnings == ()
    traced = places.cover([], traced=[id(layer)])
    assert ("list.a = list.b", "has no values") in traced.silent
    assert traced.warnings == ("Call it.",)


def test_gather_names_keeps_the_order_of_the_first():
    a, b = object(), object()
    named = [("a", a), ("b", b), ("again", a)]
    assert gather_names(named) == [(("a", "again"), a), (("b",), b)]
