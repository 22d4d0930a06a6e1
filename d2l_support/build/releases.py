"""Which releases a kernel elsewhere runs, held against the pins."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

PIN = re.compile(r"^([\w.-]+)(?:\[[\w,.-]*\])?==([^\s;#]+)", re.MULTILINE)


def list_other_releases(
    environment: Mapping[str, Any], requirements: Path
) -> list[str]:
    """What is of another release than pinned, in words.

    Args:
        environment: What the kernel said of itself.
        requirements: The pins of its framework.
    """
    found = PIN.findall(requirements.read_text(encoding="utf-8"))
    pins = {_plain(name): version for name, version in found}
    return [
        f"{name} {version} (pinned: {pins[name]})"
        for name, version in environment.get("versions", {}).items()
        if name in pins and _release(version) != _release(pins[name])
    ]


def _plain(name: str) -> str:
    """What a package is imported as, whatever its build is called."""
    return name.lower().replace("-", "_").removesuffix("_cpu")


def _release(version: str) -> str:
    """In one spelling, and without what names the build, such as ``+cpu``."""
    try:
        return Version(version).public
    except InvalidVersion:
        return version
