"""The GPU job, with kernels that only say they have a device."""

import xml.etree.ElementTree as ET

import nbformat
import pytest

from d2l_support.build import cli
from d2l_support.build.environments import environment_python
from d2l_support.build.gpu.command import NO_GPU
from d2l_support.build.locks import hold_lock
from d2l_support.build.record import seal_of, write_record

SEEING = """\
def describe_environment():
    return {"versions": {"plain": "1.0"}, "device": "Pretend GPU"}
"""


@pytest.fixture
def book(command_book, write_section):
    """A checkout with a section that prints another last digit on the GPU."""
    write_section(
        device="from d2l_support import jax\n"
        "ON_GPU = jax.describe_environment()['device'] != 'cpu'",
        loss="print(0.5 + (2e-5 if ON_GPU else 0.0))",
        order="print([0, 1, 2])",
        name=":compare: exact\n:varies: gpu\n:why: it names the device\n"
        "print('GPU' if ON_GPU else 'CPU')",
    )
    assert cli.main(["record", "--framework", "jax"]) == 0
    return command_book


@pytest.fixture
def seeing(book):
    """The same, on a machine where JAX sees a device."""
    (book.root / "d2l_support" / "jax.py").write_text(SEEING)
    return book


@pytest.fixture
def gpu(book):
    """A function that runs the job and returns its exit code."""
    python = str(environment_python(book, "jax"))

    def run(*options: str, command: tuple[str, ...] = ("gpu",)) -> int:
        return cli.main([*command, "--python", python, *options])

    return run


def test_gpu_without_a_device_says_what_it_would_run(gpu, capsys):
    assert gpu() == NO_GPU == 3
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "found no GPU on this machine; nothing was run"
    assert out[3] == "  jax: no GPU, it sees the CPU alone"
    assert out[-1] == "  part/section (pytorch, tensorflow, jax, mxnet)"


def test_gpu_reports_a_framework_that_is_missing(book, gpu, capsys):
    missing = "import no_framework\n"
    (book.root / "d2l_support" / "tensorflow.py").write_text(missing)
    gpu()
    assert (
        "  tensorflow: no GPU, ModuleNotFoundError: No module named 'no_framework'"
        in capsys.readouterr().out.splitlines()
    )


def test_gpu_agrees_within_what_devices_may_differ(seeing, gpu, capsys):
    assert gpu("--framework", "jax") == 0
    out = capsys.readouterr().out
    assert "jax: Pretend GPU (plain 1.0)" in out
    row = next(line for line in out.splitlines() if "part/section │" in line)
    assert [cell.strip() for cell in row.split("│")[1:-1]] == [
        "part/section",
        "JAX",
        "cpu",
        "3",
        "1",
        "0",
    ]


def test_gpu_that_disagrees_fails_and_names_the_cell(seeing, gpu, capsys):
    path = seeing.root / "chapters/part/recorded/section.jax.ipynb"
    record = nbformat.read(path, as_version=4)
    record.cells[2].outputs[0].text = "[2, 1, 0]\n"
    record.metadata["book"]["seal"] = seal_of(record)
    write_record(path, record)
    assert gpu("--framework", "jax") == 1
    out = capsys.readouterr().out
    assert "part/section: cell 'order' (jax): differs, stdout: the text differs" in out
    assert "  recorded  [2, 1, 0]\n  new       [0, 1, 2]\n" in out


def test_gpu_writes_three_reports(seeing, gpu, tmp_path):
    folder = tmp_path / "reports"
    gpu("--framework", "jax", "--report", str(folder))
    assert "Pretend GPU" in (folder / "report.txt").read_text()
    assert "<html" in (folder / "report.html").read_text()
    [suite] = ET.parse(folder / "junit.xml").getroot()  # noqa: S314
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == (
        "4",
        "0",
        "1",
    )
    assert [case.get("name") for case in suite] == ["device", "loss", "order", "name"]


def test_gpu_records_and_then_compares_with_its_own_records(seeing, gpu, capsys):
    record = ("record", "--device", "gpu")
    assert gpu("--framework", "jax", command=record) == 0
    path = seeing.root / "chapters/part/recorded/gpu/section.jax.ipynb"
    assert "0.50002" in path.read_text()
    cpu = seeing.root / "chapters/part/recorded/section.jax.ipynb"
    assert "0.50002" not in cpu.read_text()
    capsys.readouterr()
    assert gpu("--framework", "jax") == 0
    assert "│ gpu " in capsys.readouterr().out


def test_gpu_does_not_run_beside_another(seeing, gpu, capsys):
    with hold_lock(seeing, "gpu", "run on the GPU at work"):
        assert gpu("--framework", "jax") == 2
    assert "found another run on the GPU at work" in capsys.readouterr().err


def test_gpu_where_a_cell_raises_is_a_failure(seeing, gpu, write_section, capsys):
    write_section(fall="raise ValueError('on the device')")
    assert gpu("--framework", "jax") == 1
    out = capsys.readouterr().out
    assert "part/section (jax): failed, chapters/part/section.md:" in out
    assert "on the device" in out
