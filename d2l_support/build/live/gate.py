"""Lets in a request only if the book needs its address and its host is ours.

The first of the server's rules: what it turns away reaches no other handler,
whichever ones a release of Jupyter Server brings along. A foreign name in the
``Host`` header is how a page elsewhere reaches a server on loopback (DNS
rebinding), so names are known or refused; an IP address cannot be rebound.
"""

import ipaddress
import re
import socket

from jupyter_server.auth.decorator import allow_unauthenticated
from tornado.httputil import HTTPServerRequest
from tornado.routing import Matcher, Rule
from tornado.web import RequestHandler

USED = re.compile(
    r"/"
    r"|/book(-live)?/.*"
    r"|/(login|logout|favicon\.ico)"
    r"|/api/(status|me)"
    r"|/api/(kernels|kernelspecs|sessions)(/.*)?"
)
"""The addresses that the book uses; below ``/api`` they are Jupyter's own."""

ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not bound to
"""Addresses that mean every network of this machine."""


class Gate(Matcher):
    """Matches the requests that are to be turned away.

    Args:
        address: The address that the server listens on.
    """

    def __init__(self, address: str):
        self.address = address

    def match(self, request: HTTPServerRequest) -> dict | None:
        """No parameters for what is turned away, None for what may pass."""
        if not is_known_host(request.host, self.address):
            return {"target_kwargs": {"status": 403}}
        if not USED.fullmatch(request.path):
            return {"target_kwargs": {"status": 404}}
        return None


def is_known_host(host: str, address: str) -> bool:
    """Whether a ``Host`` header names this server.

    Args:
        host: The header, with or without a port.
        address: The address that the server listens on.
    """
    name = re.sub(r":\d+$", "", host.lower()).strip("[]")
    if name in ("localhost", address.lower()):
        return True
    try:
        number = ipaddress.ip_address(name)
    except ValueError:
        return address in ANYWHERE and name == socket.gethostname().lower()
    return number.is_loopback or address in ANYWHERE


class Refusal(RequestHandler):
    """Turns a request away, whatever its method."""

    def initialize(self, status: int) -> None:
        """Takes the status to answer with."""
        self.status = status

    @allow_unauthenticated
    def get(self, *path: str) -> None:
        """Answers with the status and no more."""
        self.set_status(self.status)
        self.finish()

    head = post = put = patch = delete = options = get

    def check_xsrf_cookie(self) -> None:
        """Nothing to protect: nothing is done."""


def gate_rules(address: str) -> list[Rule]:
    """The rules that come before all others."""
    return [Rule(Gate(address), Refusal)]
