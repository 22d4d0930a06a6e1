"""Who made what is wrong, and who only carries it."""

import pytest

from d2l_support.inspection import Value
from d2l_support.inspection.origins import (
    CARRIES,
    ENDS,
    LATER,
    ORIGIN,
    Marks,
    explain_origin,
    explain_return,
    find_origin,
    find_return_path,
    find_roles,
)


def mark(run, bad):
    return [
        Marks(
            tuple(slot for slot in call.inputs or () if slot[1] in bad),
            tuple(slot for slot in call.outputs if slot[1] in bad),
        )
        for call in run.calls
    ]


def blame(run, bad):
    """The name of the origin, its sentence, and the role of each call."""
    marks = mark(run, bad)
    origin = find_origin(run.calls, marks)
    told = explain_origin(run.calls, origin, "finite")
    roles = find_roles(run.calls, marks)
    names = {run.calls[i].names[0]: role for i, role in roles.items()}
    return run.calls[origin.index].names[0], told, names


@pytest.fixture
def chain(make_run):
    """Model(block(a, b), c): value 0 goes in, 1 to 3 are outputs."""
    return make_run(
        ("block.a", [0], [1]),
        ("block.b", [1], [2]),
        ("block", [0], [2]),
        ("c", [2], [3]),
        ("", [0], [3]),
        numbers=[()] * 4,
    )


def test_nothing_wrong_has_no_origin(chain):
    assert find_origin(chain.calls, mark(chain, set())) is None
    assert find_roles(chain.calls, mark(chain, set())) == {}


def test_module_with_right_inputs_is_the_origin(chain):
    name, told, roles = blame(chain, {1, 2, 3})
    assert name == "block.a"
    assert told == (
        "block.a (Layer) makes it: its inputs are finite, its output is not."
    )
    assert roles == {
        "block.a": ORIGIN,
        "block.b": CARRIES,
        "block": CARRIES,
        "c": CARRIES,
        "": CARRIES,
    }


def test_module_that_stops_it_is_told(chain):
    assert blame(chain, {1})[2] == {"block.a": ORIGIN, "block.b": ENDS}


def test_two_origins_are_both_told(make_run):
    run = make_run(("a", [0], [1]), ("b", [1], [2]), ("c", [2], [3]), numbers=[()] * 4)
    assert blame(run, {1, 3})[2] == {"a": ORIGIN, "b": ENDS, "c": ORIGIN}


def test_code_between_modules_is_blamed_on_the_module_around(make_run):
    # The block computes value 4 from 1 by itself and gives it to b.
    run = make_run(
        ("block.a", [0], [1]),
        ("block.b", [4], [2]),
        ("block", [0], [2]),
        ("", [0], [2]),
        numbers=[()] * 5,
    )
    name, told, roles = blame(run, {4, 2})
    assert name == "block"
    assert told == "The code of block (Layer) makes it and gives it to block.b as x."
    assert roles == {"block.b": CARRIES, "block": ORIGIN, "": CARRIES}


def test_code_after_the_modules_is_blamed_on_the_module_around(make_run):
    run = make_run(
        ("block.a", [0], [1]), ("block", [0], [2]), ("", [0], [2]), numbers=[()] * 3
    )
    name, told, roles = blame(run, {2})
    assert name == "block"
    assert (
        told == "The code of block (Layer) makes it; what its modules gave is finite."
    )
    assert roles == {"block": ORIGIN, "": CARRIES}


def test_wrong_input_of_the_model_is_told(make_run):
    run = make_run(("a", [0], [1]), ("", [0], [1]), numbers=[()] * 2)
    marks = mark(run, {0, 1})
    origin = find_origin(run.calls, marks)
    assert origin.given
    told = explain_origin(run.calls, origin, "finite")
    assert told == "It is given to (model) (Layer) as its argument x."
    assert ORIGIN not in find_roles(run.calls, marks).values()


def test_without_inputs_the_first_is_named_and_no_more_is_claimed(make_run):
    run = make_run(("a", [], [1]), ("b", [], [2]), numbers=[()] * 3, inputs=False)
    name, told, roles = blame(run, {1, 2})
    assert name == "a"
    assert told == "It comes out of a (Layer); its inputs were not looked at."
    assert roles == {"a": LATER, "b": LATER}


def with_gradients(run, *targets):
    arrived = tuple((target, Value((2, 3), "float32")) for target in targets)
    return type(run)(run.framework, run.calls, run.values, run.coverage, arrived)


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ([2], "It came back through block.a (Layer)."),
        ([1, 2], "It came back through block.b (Layer)."),
        ([0, 1, 2], "It comes from what follows the model: the loss."),
    ],
)
def test_first_wrong_gradient_came_back_through_who_used_the_value(make_run, bad, told):
    run = make_run(
        ("block.a", [1], [2]),
        ("block.b", [2], [3]),
        ("block", [1], [3]),
        ("", [1], [3]),
        numbers=[()] * 4,
    )
    run = with_gradients(run, 3, 2, 1)
    first, users = find_return_path(run, bad)
    assert first == min(bad)
    assert explain_return(run, first, users) == told


def test_gradient_of_a_value_that_no_module_used_is_told_as_such(make_run):
    run = make_run(("a", [0], [1]), ("", [0], [2]), numbers=[()] * 3)
    run = with_gradients(run, 2, 1)
    told = explain_return(run, *find_return_path(run, [1]))
    assert told == "It comes from code between the modules that were seen."


def test_no_wrong_gradient_has_no_path(chain):
    assert find_return_path(with_gradients(chain, 3), []) is None
