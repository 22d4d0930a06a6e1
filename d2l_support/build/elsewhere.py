"""Where notebooks are run, other than in kernels of this machine."""

import importlib.util
from argparse import ArgumentParser, Namespace
from functools import partial
from typing import Any

from d2l_support.build.layout import Book
from d2l_support.build.plan import Run
from d2l_support.build.problems import CannotWork
from d2l_support.build.scripts import GRADING_TOOL


def add_options(parser: ArgumentParser) -> None:
    """Adds what chooses a gateway or a cluster."""
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--gateway",
        metavar="URL",
        help="use the kernels behind this Jupyter Gateway, http://HOST:PORT",
    )
    place.add_argument(
        "--address",
        metavar="ADDRESS",
        help="run on the workers of this Dask scheduler, tcp://HOST:PORT",
    )
    parser.add_argument(
        "--gateway-token-env",
        metavar="NAME",
        help="the variable that holds the gateway's token "
        "(default: JUPYTER_GATEWAY_AUTH_TOKEN)",
    )


def choose_place(arguments: Namespace, book: Book, runs: list[Run]) -> dict[str, Any]:
    """What ``execute_runs`` is told of the place, as the options say.

    Raises:
        CannotWork: The gateway does not have the kernels, or nobody is there.
    """
    if arguments.gateway:
        from d2l_support.build.gateway.address import Gateway
        from d2l_support.build.gateway.kernel import start_remote

        gateway = Gateway.read(arguments.gateway, arguments.gateway_token_env)
        gateway.require_kernels([run.kernel_key for run in runs])
        return {"kernels": start_remote(gateway)}
    if arguments.gateway_token_env:
        raise CannotWork("found --gateway-token-env, expected --gateway with it")
    if arguments.address:
        if importlib.util.find_spec("distributed") is None:
            raise CannotWork(
                "found no Dask in this environment, expected it. Run: make grading, "
                f"then {GRADING_TOOL} execute --address ..."
            )
        from d2l_support.build.cluster.execution import execute_on_cluster

        return {"execute": partial(execute_on_cluster, arguments.address, book)}
    return {}
