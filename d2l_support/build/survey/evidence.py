"""What a kernel must show before a setting counts.

A small program for each framework makes the kernel state its facts: how many
threads it computes with, and what oneDNN and XLA say of themselves while they
work. A setting whose facts do not come out is not surveyed.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from nbformat import NotebookNode, v4

from d2l_support.build.execute import Execution, Job
from d2l_support.build.problems import Problem
from d2l_support.build.survey.settings import Setting

VERBOSE = {"ONEDNN_VERBOSE": "1"}
ISA = re.compile(r"onednn_verbose,.*info,cpu,isa:(.+)")
PRIMITIVE = re.compile(r"onednn_verbose,.*exec,cpu,(?!gemm_api)\w+")
FACT = re.compile(r"^fact: (.+?) = (.+)$", re.MULTILINE)

PROGRAMS = {
    "pytorch": """
import torch
layer = torch.nn.Conv2d(16, 16, 3)
layer(torch.randn(8, 16, 32, 32)).sum().backward()
print("fact: threads =", torch.get_num_threads())
print("fact: vectors =", torch.backends.cpu.get_cpu_capability())
""",
    "tensorflow": """
import os
import tensorflow as tf
tf.nn.conv2d(tf.ones((4, 16, 16, 8)), tf.ones((3, 3, 8, 8)), 1, "SAME")
print("fact: threads =", tf.config.threading.get_intra_op_parallelism_threads())
print("fact: cores =", len(os.sched_getaffinity(0)))
""",
    "jax": """
import os
from pathlib import Path
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_dump_to=dump"
os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "false"
import jax
jax.jit(lambda x: x @ x)(jax.numpy.ones((64, 64))).block_until_ready()
tasks = Path("/proc/self/task").glob("*/comm")
names = [task.read_text().strip() for task in tasks]
print("fact: release =", jax.__version__)
print("fact: threads =", names.count("tf_XLAEigen"))
for options in sorted(Path("dump").glob("*.debug_options"))[:1]:
    limits = [line for line in options.open() if line.startswith("xla_cpu_max_isa")]
    print("fact: XLA =", limits[0].split('"')[1] if limits else "all")
""",
    "mxnet": """
import ctypes
import os
from mxnet import np, npx
x = np.ones((64, 64))
npx.fully_connected(x, x, num_hidden=64, no_bias=True).wait_to_read()
print("fact: threads =", ctypes.CDLL("libgomp.so.1").omp_get_max_threads())
print("fact: cores =", len(os.sched_getaffinity(0)))
""",
}


def make_evidence_job(setting: Setting, framework: str) -> Job:
    """The job that makes a kernel state its facts under a setting."""
    setup = setting.setups[framework]
    program = v4.new_code_cell(PROGRAMS[framework].strip(), id="facts")
    notebook = v4.new_notebook(cells=[program])
    variables = {**setup.variables, **VERBOSE}
    name = f"facts of {setting.name}"
    return Job(
        name,
        framework,
        notebook,
        Path(name),
        variables,
        setup.prepare,
        setup.environment,
    )


def read_facts(notebook: NotebookNode) -> dict[str, str]:
    """What a kernel stated of itself, by name."""
    text = "".join(
        output.text
        for cell in notebook.cells
        for output in cell.outputs
        if output.output_type == "stream"
    )
    facts = dict(FACT.findall(text))
    if found := ISA.search(text):
        facts["oneDNN"] = found[1].strip()
    facts["oneDNN runs"] = str(bool(PRIMITIVE.search(text)))
    return facts


def check_facts(execution: Execution, setting: Setting) -> list[Problem]:
    """Why a setting did not take effect; empty if it did.

    Args:
        execution: The end of the job that `make_evidence_job` made.
        setting: The setting.
    """
    framework = execution.job.framework
    if execution.problem is not None:
        return [execution.problem]
    found = read_facts(execution.notebook)
    expected: Mapping[str, str] = setting.setups[framework].facts
    return [
        Problem(
            "setting",
            f"found {name} {found.get(name)!r} under {setting.name!r}, expected "
            f"{value!r}: the setting took no effect and is not surveyed",
            execution.job.path,
            framework=framework,
        )
        for name, value in expected.items()
        if found.get(name) != value
    ]
