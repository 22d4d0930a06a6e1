"""Marks name frameworks; what is no framework is refused by name."""

import pytest

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS, parse_mark


def test_all_keys_are_in_the_order_of_the_page():
    assert ALL_KEYS == ("pytorch", "tensorflow", "jax", "mxnet")


def test_kernel_is_named_after_the_framework():
    kernels = [framework.kernel for framework in FRAMEWORKS.values()]
    assert kernels == ["d2l-pytorch", "d2l-tensorflow", "d2l-jax", "d2l-mxnet"]


@pytest.mark.parametrize(
    ("mark", "keys"),
    [
        (None, ("pytorch", "tensorflow", "jax", "mxnet")),
        ("jax", ("jax",)),
        ("mxnet, pytorch", ("pytorch", "mxnet")),
        (["jax", "tensorflow"], ("tensorflow", "jax")),
        (["jax", "jax"], ("jax",)),
    ],
)
def test_parse_mark_gives_keys_in_page_order(mark, keys):
    assert parse_mark(mark) == keys


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (
            "torch",
            "found framework 'torch', expected one of pytorch, tensorflow, jax, mxnet",
        ),
        (
            "JAX",
            "found framework 'JAX', expected one of pytorch, tensorflow, jax, mxnet",
        ),
        (
            "jax,",
            "found framework '', expected one of pytorch, tensorflow, jax, mxnet",
        ),
        (
            [["jax"]],
            "found framework \"['jax']\", "
            "expected one of pytorch, tensorflow, jax, mxnet",
        ),
        ([], "found framework mark [], expected a name or a list"),
        (3, "found framework mark 3, expected a name or a list"),
        ({"jax": 1}, "found framework mark {'jax': 1}, expected a name or a list"),
    ],
)
def test_parse_mark_refuses_what_names_no_framework(mark, message):
    with pytest.raises(ValueError, match="found framework") as raised:
        parse_mark(mark)
    assert str(raised.value) == message
