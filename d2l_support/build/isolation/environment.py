"""What a kernel finds in its environment: little, and nothing of ours."""

import os
from pathlib import Path

from d2l_support.build.isolation.processes import MARK

KEPT = (
    "LANG",
    "LC_ALL",
    "TZ",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "TF_NUM_INTEROP_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "MXNET_CPU_WORKER_NTHREADS",
    MARK,
)
"""What it gets of our environment: language, numbers of threads, the run's mark."""

PATH = "/usr/local/bin:/usr/bin:/bin"


def keep_variables(python: Path) -> dict[str, str]:
    """Our own variables that a kernel gets, and the path of its interpreter."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {"LANG": "C.UTF-8", **kept, "PATH": f"{python.parent}:{PATH}"}


def build_variables(home: str, temporary: str) -> dict[str, str]:
    """Variables that lead a kernel to folders of its own.

    Args:
        home: Its home.
        temporary: Where it puts what is temporary.
    """
    return {
        "HOME": home,
        "TMPDIR": temporary,
        "USER": "student",
        "LOGNAME": "student",
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
