"""How many known answers a run of these tests tries."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--exercises",
        choices=("some", "all"),
        default="some",
        help="some: every exercise in one framework, one exercise in every one",
    )
