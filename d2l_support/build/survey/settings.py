"""The settings under which the book is run, one entry each.

A setting is made of variables that the kernel's process starts with, and of
code that runs before the first cell. What shows that it took effect stands
beside it: facts that the kernel must state of itself, see ``evidence``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

ONE_CORE = "import os\nos.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
EIGHT_IN_PYTORCH = """
import torch as _framework
_framework.set_num_threads(8)
del _framework
"""
EIGHT_IN_TENSORFLOW = """
import tensorflow as _framework
_framework.config.threading.set_intra_op_parallelism_threads(8)
del _framework
"""
WITHOUT_IN_PYTORCH = """
import torch as _framework
_framework.backends.mkldnn.enabled = False
del _framework
"""


@dataclass(frozen=True)
class Setup:
    """How one framework is put into a setting.

    Attributes:
        variables: What the kernel's process finds in its environment.
        prepare: Code that runs before the first cell.
        facts: What the kernel must then state of itself, by name.
        environment: Whose kernel runs it, if not the framework's own: another
            release, see ``RELEASES``.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    prepare: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    environment: str = ""


@dataclass(frozen=True)
class Setting:
    """One way to run the book that should print what the records hold.

    Attributes:
        name: Its name on the command line and in the ledger.
        label: What readers call it.
        setups: How each framework is put into it; a framework that is
            missing has no such setting.
    """

    name: str
    label: str
    setups: Mapping[str, Setup]


def _limit_instructions(
    onednn: str, shown: str, xla: str, aten: str, openblas: str
) -> dict[str, Setup]:
    """Hides a processor's wider instructions, from each library by its own name.

    Args:
        onednn: oneDNN's limit, in PyTorch, TensorFlow and MXNet.
        shown: What oneDNN then says that it uses.
        xla: The limit of XLA, which reads it back, and of MKL in PyTorch.
        aten: PyTorch's own limit, which it reads back in capitals.
        openblas: The processor that OpenBLAS takes this one for, in MXNet.
    """
    limit, fact = {"ONEDNN_MAX_CPU_ISA": onednn}, {"oneDNN": shown}
    torch = {"ATEN_CPU_CAPABILITY": aten, "MKL_ENABLE_INSTRUCTIONS": xla}
    return {
        "pytorch": Setup(limit | torch, facts=fact | {"vectors": aten.upper()}),
        "tensorflow": Setup(limit, facts=fact),
        "jax": Setup({"XLA_FLAGS": f"--xla_cpu_max_isa={xla}"}, facts={"XLA": xla}),
        "mxnet": Setup(limit | {"OPENBLAS_CORETYPE": openblas}, facts=fact),
    }


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting(
            "again",
            "run again",
            dict.fromkeys(("pytorch", "tensorflow", "jax", "mxnet"), Setup()),
        ),
        Setting(
            "one-core",
            "one core",
            {
                "pytorch": Setup(prepare=ONE_CORE, facts={"threads": "1"}),
                "tensorflow": Setup(prepare=ONE_CORE, facts={"cores": "1"}),
                "jax": Setup(prepare=ONE_CORE, facts={"threads": "1"}),
                "mxnet": Setup(prepare=ONE_CORE, facts={"cores": "1"}),
            },
        ),
        Setting(
            "eight-threads",
            "eight threads",
            {
                # OMP_NUM_THREADS alone leaves PyTorch at the number of cores.
                "pytorch": Setup(prepare=EIGHT_IN_PYTORCH, facts={"threads": "8"}),
                "tensorflow": Setup(
                    prepare=EIGHT_IN_TENSORFLOW, facts={"threads": "8"}
                ),
                "jax": Setup({"NPROC": "8"}, facts={"threads": "8"}),
                "mxnet": Setup(
                    {"OMP_NUM_THREADS": "8", "OPENBLAS_NUM_THREADS": "8"},
                    facts={"threads": "8"},
                ),
            },
        ),
        Setting(
            "avx2",
            "AVX2 at most",
            _limit_instructions("AVX2", "Intel AVX2", "AVX2", "avx2", "Haswell"),
        ),
        Setting(
            "sse",
            "no vectors beyond SSE4",
            _limit_instructions(
                "SSE41", "Intel SSE4.1", "SSE4_2", "default", "Nehalem"
            ),
        ),
        Setting(
            "no-onednn",
            "without oneDNN",
            {
                "pytorch": Setup(
                    prepare=WITHOUT_IN_PYTORCH, facts={"oneDNN runs": "False"}
                ),
                "tensorflow": Setup(
                    {"TF_ENABLE_ONEDNN_OPTS": "0"}, facts={"oneDNN runs": "False"}
                ),
                "mxnet": Setup(
                    {
                        "MXNET_ONEDNN_ENABLED": "0",
                        "MXNET_STORAGE_FALLBACK_LOG_VERBOSE": "0",
                    },
                    facts={"oneDNN runs": "False"},
                ),
            },
        ),
        Setting(
            "jax-next",
            "JAX 0.12",
            {"jax": Setup(environment="jax-next", facts={"release": "0.12.0"})},
        ),
    )
}


def label_of(name: str) -> str:
    """What readers call a setting that a rule names; also the GPU, which is none."""
    return SETTINGS[name].label if name in SETTINGS else "a GPU"
