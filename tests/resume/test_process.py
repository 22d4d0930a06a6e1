"""Parts of a training in processes of their own."""

import importlib.util
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from d2l_support.resume.process import check_address, run_in_new_process
from d2l_support.resume.training import Segment

SAMPLE = Path(__file__).parents[1] / "samples" / "toy_training.py"


@pytest.fixture(scope="module")
def toy():
    """The module with the training."""
    spec = importlib.util.spec_from_file_location("toy_training", SAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.modules.pop("d2l_support.toy")


def test_address_is_the_file(toy):
    assert check_address(toy.build) == SAMPLE.resolve()


def build_in_cell():
    """What a notebook cell defines: its code is in no file."""
    space = {}
    exec(compile("def build(): pass", "<cell 3>", "exec"), space)  # noqa: S102
    return space["build"]


@pytest.mark.parametrize(
    "build", [build_in_cell(), lambda: None, partial(print), type("Local", (), {})]
)
def test_function_without_a_file_is_refused(build):
    with pytest.raises(ValueError, match="give a function at the top level of a file"):
        check_address(build)


def test_failure_is_told(toy):
    with pytest.raises(RuntimeError) as caught:
        run_in_new_process(toy.build_broken, Segment("toy", 0, 0, 3))
    message = str(caught.value)
    assert message.startswith(
        f"{SAMPLE.resolve()}: found a process that failed, expected one that trains "
        "from step 0 to 3. It said: "
    )
    assert message.endswith("RuntimeError: no data today\n")


def test_training_file_may_be_called_like_a_package(tmp_path):
    # The name of the file is not what it is imported as.
    file = tmp_path / "random.py"
    file.write_text(SAMPLE.read_text())
    code = (
        "import importlib.util, sys\n"
        "from d2l_support.resume.proof import make_prover\n"
        "spec = importlib.util.spec_from_file_location('mine', sys.argv[1])\n"
        "mine = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(mine)\n"
        "print(make_prover('toy')(mine.build, 3, [1], new_process=True).equal)\n"
    )
    command = [sys.executable, "-c", code, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
