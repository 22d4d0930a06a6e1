"""Numbers on a command line, for argparse."""

from argparse import ArgumentTypeError


def positive(text: str) -> float:
    """A finite number above 0.

    Raises:
        ArgumentTypeError: The text is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise ArgumentTypeError(f"found {text!r}, expected a number above 0")
    return number


def positive_whole(text: str) -> int:
    """A whole number from 1.

    Raises:
        ArgumentTypeError: The text is none.
    """
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"found {text!r}, expected 1, 2, 3, ...")
    return int(text)
