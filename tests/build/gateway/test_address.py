"""Where a gateway is: what is said if it is not there, or lets nobody in."""

import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from d2l_support.build.gateway.address import Gateway
from d2l_support.build.problems import CannotWork

AWAY = "http://127.0.0.1:1"


def test_read_takes_the_token_from_the_environment(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "secret")
    gateway = Gateway.read(f"{AWAY}/", "MY_TOKEN")
    assert (gateway.url, gateway.token) == (AWAY, "secret")
    assert "secret" not in repr(gateway)


def test_read_takes_the_variable_of_jupyter(monkeypatch):
    monkeypatch.setenv("JUPYTER_GATEWAY_AUTH_TOKEN", "known")
    assert Gateway.read(AWAY).token == "known"  # noqa: S105


def test_read_without_the_variable_says_so(monkeypatch):
    monkeypatch.delenv("MY_TOKEN", raising=False)
    with pytest.raises(CannotWork, match=r"found no variable MY_TOKEN"):
        Gateway.read(AWAY, "MY_TOKEN")


@pytest.mark.parametrize("url", ["localhost:8888", "ws://x", "http://", ""])
def test_read_with_an_odd_address_says_so(url):
    with pytest.raises(CannotWork, match=r"expected http://HOST:PORT"):
        Gateway.read(url)


def test_require_kernels_nobody_there_says_so():
    expected = r"found no gateway at http://127.0.0.1:1 \(.*refused.*Run there: "
    with pytest.raises(CannotWork, match=expected):
        Gateway(AWAY).require_kernels(["jax"])


def test_require_kernels_all_there(served):
    served.gateway.require_kernels(["jax", "mxnet"])


@pytest.mark.parametrize(
    ("token", "held"), [("wrong", "the token in D2L_TOKEN"), ("", "no token")]
)
def test_require_kernels_wrong_token_says_so(served, token, held):
    gateway = replace(served.gateway, token=token)
    with pytest.raises(CannotWork, match=rf"does not let in who has {held} \(403\)"):
        gateway.require_kernels(["jax"])


def test_require_kernels_missing_says_which_it_has(served, plain_kernels):
    for name in ("pytorch", "tensorflow", "jax"):
        (plain_kernels.jupyter / "kernels" / f"d2l-{name}" / "kernel.json").unlink()
    expected = (
        r"found no kernel d2l-jax at http.*: it has d2l-mxnet.*"
        r"kernels --create --framework jax"
    )
    with pytest.raises(CannotWork, match=expected):
        served.gateway.require_kernels(["jax", "mxnet"])


class Odd(BaseHTTPRequestHandler):
    """Answers every question with a page."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<p>Welcome")

    def log_message(self, *args):
        pass


def test_require_kernels_something_else_there_says_so():
    with HTTPServer(("127.0.0.1", 0), Odd) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            gateway = Gateway(f"http://127.0.0.1:{server.server_port}")
            with pytest.raises(CannotWork, match="something else that answers"):
                gateway.require_kernels(["jax"])
        finally:
            server.shutdown()
