"""One command at a time does a piece of work in a checkout."""

import pytest

from d2l_support.build.locks import hold_lock
from d2l_support.build.problems import CannotWork


def test_hold_lock_refuses_a_second_holder(tiny_book):
    message = (
        "found another painter at work in this checkout, expected none; "
        "wait for its end, then run this one again"
    )
    with hold_lock(tiny_book, "paint", "painter at work"):
        with (
            pytest.raises(CannotWork) as raised,
            hold_lock(tiny_book, "paint", "painter at work"),
        ):
            pytest.fail("the lock was held twice")
        assert str(raised.value) == message


def test_hold_lock_lets_go_after_an_error(tiny_book):
    with pytest.raises(ValueError, match="spilt"), hold_lock(tiny_book, "paint", "x"):
        raise ValueError("spilt")
    with hold_lock(tiny_book, "paint", "x"):
        assert (tiny_book.cache / "paint.lock").exists()


def test_hold_lock_keeps_other_work_free(tiny_book):
    with hold_lock(tiny_book, "paint", "x"), hold_lock(tiny_book, "dry", "y"):
        names = {path.name for path in tiny_book.cache.iterdir()}
    assert {"paint.lock", "dry.lock"} <= names
