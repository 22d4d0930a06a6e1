"""Where a gateway is, and which kernels it has."""

import asyncio
import json
import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from jupyter_server.gateway.gateway_client import GatewayClient, gateway_request
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError

from d2l_support.build.frameworks import ENVIRONMENTS
from d2l_support.build.problems import CannotWork

CONNECT_SECONDS = 10
REFUSED = (401, 403)
ABSENT = (404, 503, 599)
"""The statuses that jupyter_server gives to what nobody answered, and 404."""
TOKEN = "JUPYTER_GATEWAY_AUTH_TOKEN"  # noqa: S105 (a variable's name)
"""Where Jupyter itself looks for the token."""


@dataclass(frozen=True)
class Gateway:
    """A gateway.

    Attributes:
        url: Its address, such as ``http://10.0.0.1:8888``.
        variable: The name of the variable that the token came from.
        token: What lets in, or "".
    """

    url: str
    variable: str = TOKEN
    token: str = field(default="", repr=False)

    @classmethod
    def read(cls, url: str, variable: str | None = None) -> "Gateway":
        """The gateway of a command line, with the token from the environment.

        Raises:
            CannotWork: The address is none, or the variable is not set.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise CannotWork(f"found gateway {url!r}, expected http://HOST:PORT")
        if variable is not None and variable not in os.environ:
            raise CannotWork(
                f"found no variable {variable} in the environment, expected the "
                "gateway's token in it"
            )
        variable = variable or TOKEN
        return cls(url.rstrip("/"), variable, os.environ.get(variable, ""))

    def use(self) -> None:
        """Makes it the one that jupyter_server's classes of this process talk to."""
        GatewayClient.clear_instance()
        GatewayClient.instance(
            url=self.url, auth_token=self.token, connect_timeout=CONNECT_SECONDS
        )

    def require_kernels(self, frameworks: list[str]) -> None:
        """Holds the gateway to have the kernels of these frameworks.

        Raises:
            CannotWork: It has not, it lets nobody in, or there is none.
        """
        self.use()
        names = asyncio.run(self._list_kernels())
        wanted = [ENVIRONMENTS[key].kernel for key in dict.fromkeys(frameworks)]
        if missing := [name for name in wanted if name not in names]:
            raise CannotWork(self.explain_missing(missing, names))

    async def _list_kernels(self) -> list[str]:
        try:
            place = url_path_join(self.url, "api/kernelspecs")
            response = await gateway_request(place, method="GET")
            return sorted(json.loads(response.body)["kernelspecs"])
        except (HTTPError, OSError) as error:
            raise CannotWork(self.explain(error)) from None
        except (ValueError, TypeError, KeyError):
            raise CannotWork(
                f"found no list of kernels at {self.url}, but something else that "
                "answers; expected a Jupyter Gateway"
            ) from None

    def explain_missing(self, missing: list[str], names: list[str]) -> str:
        """What to do about kernels that the gateway does not have."""
        keys = " ".join(f"--framework {name.removeprefix('d2l-')}" for name in missing)
        has = ", ".join(names) or "no kernel at all"
        return (
            f"found no kernel {', '.join(missing)} at {self.url}, expected one: it has "
            f"{has}. Run there, in a checkout: d2l-support kernels --create {keys}, "
            "and start the gateway with JUPYTER_PATH=.envs/jupyter"
        )

    def explain(self, error: Exception) -> str:
        """Why a request came to nothing, in words."""
        if isinstance(error, HTTPError) and error.status_code in REFUSED:
            held = f"the token in {self.variable}" if self.token else "no token"
            return (
                f"found that the gateway at {self.url} does not let in who has {held} "
                f"({error.status_code}), expected its token in a variable that "
                "--gateway-token-env names"
            )
        if isinstance(error, HTTPError) and error.status_code not in ABSENT:
            said = f"{error.status_code}: {error.__cause__ or error}".splitlines()[0]
            return (
                f"found that the gateway at {self.url} fails ({said}), expected it to "
                "do as asked; its own log says why"
            )
        reason = str(error.__cause__ or error).splitlines()[0]
        return (
            f"found no gateway at {self.url} ({reason}), expected one. Run there: "
            "JUPYTER_PATH=.envs/jupyter .envs/book/bin/jupyter server"
        )
