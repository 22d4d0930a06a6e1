"""What a run depends on besides its code and its seeds.

The same seed on another processor, in another release or with another flag
may give other last bits. `describe_environment` in each framework module puts
these facts into one dictionary, which can be stored as JSON beside a result.
Only what is set, or is not at its default, is listed as a flag.
"""

import importlib.metadata
import os
import platform
from collections.abc import Mapping
from pathlib import Path

import numpy as np

CPUINFO = Path("/proc/cpuinfo")

# Variables that change bits or the work of threads in every framework.
SHARED_VARIABLES = (
    "CUBLAS_WORKSPACE_CONFIG",
    "MKL_CBWR",
    "MKL_NUM_THREADS",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_NUM_THREADS",
    "ONEDNN_MAX_CPU_ISA",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "PYTHONHASHSEED",
)


def build_environment(
    framework: str,
    versions: Mapping[str, str],
    device: str,
    threads: int | None,
    flags: Mapping[str, object],
) -> dict[str, object]:
    """The environment as a dictionary that `json.dumps` accepts.

    Args:
        framework: The framework's key.
        versions: The framework's packages and their versions.
        device: "cpu", or the name of the GPU.
        threads: How many threads one operation may use on the CPU; None
            where the framework does not tell.
        flags: The framework's own variables and switches that are set.
    """
    shared = {"python": platform.python_version(), "numpy": np.__version__}
    return {
        "framework": framework,
        "versions": {**shared, **versions},
        "platform": f"{platform.system()} {platform.machine()}",
        "device": device,
        "threads": threads,
        "instruction_set": read_instruction_set(),
        "flags": {**list_variables(SHARED_VARIABLES), **flags},
    }


def read_instruction_set(cpuinfo: Path = CPUINFO) -> str:
    """The widest vector instructions that this x86 processor offers.

    A framework may use narrower ones when a flag tells it to. The answer is
    "AVX-512", "AVX2", "none" for an x86 processor without either, or
    "unknown" where Linux's list of features is missing.
    """
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        return "unknown"
    for line in lines:
        if line.startswith("flags"):
            return name_instruction_set(set(line.split()))
    return "unknown"


def name_instruction_set(features: set[str]) -> str:
    """The name of the widest set among a processor's features."""
    for feature, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")):
        if feature in features:
            return name
    return "none"


def list_variables(names: tuple[str, ...]) -> dict[str, str]:
    """Those of the named environment variables that are set, by name."""
    return {name: os.environ[name] for name in names if name in os.environ}


def list_changed(
    switches: Mapping[str, tuple[object, object]],
) -> dict[str, object]:
    """The present values of the switches that are not at their default.

    Args:
        switches: By name, a switch's present value and its default.
    """
    pairs = switches.items()
    return {name: now for name, (now, default) in pairs if now != default}


def list_versions(*packages: str) -> dict[str, str]:
    """The versions of those of the named packages that are installed."""
    versions = {}
    for package in packages:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def read_threads(variable: str) -> int | None:
    """The number of threads that a variable sets; None if it sets none."""
    value = os.environ.get(variable, "")
    return int(value) if value.isdecimal() and int(value) > 0 else None


def count_cores() -> int:
    """How many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
