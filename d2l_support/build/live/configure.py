"""What the live server is told: everything that is not Jupyter's default."""

import secrets
from dataclasses import dataclass, field
from pathlib import Path

from jupyter_server.auth import IdentityProvider
from traitlets.config import Config

from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.layout import Book
from d2l_support.build.live.kernels import (
    BookKernelSpecs,
    Channels,
    NoContents,
    ScratchKernels,
)
from d2l_support.build.live.policy import HEADERS, write_policy

TEMPLATES = Path(__file__).parent / "templates"
CHECKS = 60
"""Seconds between two looks for idle kernels, at most."""
LONGEST_SOCKET = 100
"""Bytes that the path of a local socket may take on every system."""
COOKIE = {"httponly": True, "samesite": "Strict", "expires_days": None}
"""How a browser keeps the login: until it ends, out of the scripts' reach."""

XSRF_COOKIE = {"path": "/", "samesite": "Strict", "expires_days": None}
"""The page's scripts read this one, and send it back in a header."""


@dataclass(frozen=True)
class Wishes:
    """What the command line asks of the server.

    Attributes:
        address: Where to listen.
        port: The port; the next free one is taken if it is the usual one.
        retries: How many further ports to try.
        kernel_idle: Seconds after which an idle kernel is ended; 0 for never.
        server_idle: Seconds after which a server with no kernel ends; 0 for never.
        token: What lets a reader in.
    """

    address: str
    port: int
    retries: int = 0
    kernel_idle: float = 3600
    server_idle: float = 0
    token: str = field(default_factory=lambda: secrets.token_hex(24))


def configure(book: Book, pages: Path, runtime: Path, wishes: Wishes) -> Config:
    """The configuration of the server.

    Args:
        book: The checkout.
        pages: The folder of the built book.
        runtime: An empty folder for this server alone.
        wishes: What the command line asks for.
    """
    return Config(
        {
            "LiveBook": {"checkout": str(book.root), "pages": str(pages)},
            "ServerApp": _server(runtime, wishes),
            "IdentityProvider": {"token": wishes.token, "cookie_options": COOKIE},
            "BookKernelSpecs": {
                "folder": str(book.jupyter / "kernels"),
                "ensure_native_kernel": False,
                "allowed_kernelspecs": {known.kernel for known in FRAMEWORKS.values()},
            },
            "ScratchKernels": {
                "scratch": str(runtime),
                "default_kernel_name": FRAMEWORKS[ALL_KEYS[0]].kernel,
                **_culling(wishes.kernel_idle),
            },
            "KernelManager": {"transport": _transport(runtime)},
        }
    )


def _transport(runtime: Path) -> str:
    """How kernels are reached: in our own folder, while its path is short enough."""
    longest = f"{runtime}/kernel-{'0' * 36}-ipc-1"
    return "ipc" if len(longest) <= LONGEST_SOCKET else "tcp"


def _server(runtime: Path, wishes: Wishes) -> dict:
    loopback = wishes.address in ("127.0.0.1", "::1", "localhost")
    return {
        "ip": wishes.address,
        "port": wishes.port,
        "port_retries": wishes.retries,
        "allow_root": True,
        "allow_remote_access": not loopback,  # the gate knows the hosts
        "allow_unauthenticated_access": False,
        "base_url": "/",
        "cookie_secret": secrets.token_bytes(32),
        "extra_template_paths": [str(TEMPLATES)],
        "identity_provider_class": IdentityProvider,
        "contents_manager_class": NoContents,
        "kernel_manager_class": ScratchKernels,
        "kernel_spec_manager_class": BookKernelSpecs,
        "kernel_websocket_connection_class": Channels,
        "open_browser": False,
        "root_dir": str(runtime),
        "shutdown_no_activity_timeout": round(wishes.server_idle),
        "terminals_enabled": False,
        "log_level": "ERROR",
        "tornado_settings": {
            "compress_response": True,
            "headers": {**HEADERS, "Content-Security-Policy": write_policy()},
            "xsrf_cookie_kwargs": {**XSRF_COOKIE},
        },
    }


def _culling(seconds: float) -> dict:
    if not seconds:
        return {"cull_idle_timeout": 0}
    whole = max(1, round(seconds))
    return {
        "cull_idle_timeout": whole,
        "cull_interval": max(1, min(CHECKS, whole // 2)),
        # A page that is left open would else keep its kernels for ever.
        "cull_connected": True,
    }
