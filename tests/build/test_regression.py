"""The pytest plugin, run by a pytest of its own on records made by hand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat import NotebookNode, v4

from d2l_support.build.check import load_section
from d2l_support.build.environments import kernelspec_folder
from d2l_support.build.execute import Job, execute_jobs
from d2l_support.build.layout import SectionName
from d2l_support.build.record import build_record, made_with, seal_of, write_record
from d2l_support.build.split import split_code
from d2l_support.build.widgets import STATE, carry_states

PYTEST = Path(sys.executable).with_name("pytest")


def stdout(text: str) -> NotebookNode:
    return v4.new_output("stream", name="stdout", text=text)


def stderr(text: str) -> NotebookNode:
    return v4.new_output("stream", name="stderr", text=text)


def error(name: str, message: str) -> NotebookNode:
    return v4.new_output("error", ename=name, evalue=message, traceback=["gone"])


def make_record(book, section: str, framework: str, **outputs) -> Path:
    """A record of a section whose cells printed these outputs."""
    name = SectionName("part", section)
    source = load_section(book, name)
    executed = split_code(source, framework)
    for cell in executed.cells:
        cell.outputs = outputs.get(cell.id, [])
    digests = made_with(book, framework, source)
    record = build_record(source, framework, executed, {}, digests, book.root)
    path = book.record(name, framework)
    write_record(path, record)
    return path


def run_records(book, *arguments: str) -> subprocess.CompletedProcess:
    plugins = ["-p", "d2l_support.build.regression", "-p", "no:cacheprovider"]
    shown = ["-v", "--tb=short", "--color=no"]
    return subprocess.run(
        [PYTEST, *plugins, *shown, "--records", *arguments, "chapters"],
        cwd=book.root,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTEST_ADDOPTS": "", "COLUMNS": "200"},
    )


def read_results(run: subprocess.CompletedProcess) -> dict[str, str]:
    """Each cell's result, by ``<file>::<cell>``."""
    lines = [line.split() for line in run.stdout.splitlines() if "ipynb::" in line]
    return {
        Path(words[0]).name: words[1]
        for words in lines
        if len(words) > 1 and words[1] in ("PASSED", "FAILED", "ERROR", "XPASS")
    }


BAND = ":compare: statistical\n:band: 0.1\n:seeds: 5\n"
TIMED = ":compare: informative\n:why: a timing\n"
RAISES = ":tags: [raises-exception]\n"
WITHIN = {
    "near": ("print('loss', 0.25)", [stdout("loss 0.2500001\n")]),
    "inband": (f"{BAND}print('accuracy', 0.8)", [stdout("accuracy 0.75\n")]),
    "timing": (f"{TIMED}print('took', 3.1)", [stdout("took 99.0\n")]),
    "lesson": (f"{RAISES}1 / 0", [error("ZeroDivisionError", "division by zero")]),
    "logs": (
        "import sys\nprint('new', file=sys.stderr)\nprint('same')",
        [stderr("old\n"), stdout("same\n")],
    ),
    "native": (
        "import os, time\nos.write(1, b'C\\n');\ntime.sleep(0.3)",
        [stdout("C\n")],
    ),
    "silent": ("x = 1", []),
    "hidden": ("x;", []),
}
BEYOND = {
    "far": (
        "print('loss', 0.25)",
        [stdout("loss 0.26\n")],
        "stdout: a number differs by 0.01 (0.0385 relative)\n"
        "  recorded  0.26\n"
        "  new       0.25\n"
        "  rule      within 1e-05",
    ),
    "words": (
        "print('new words')",
        [stdout("old words\n")],
        "stdout: the text differs\n"
        "  recorded  old words\n"
        "  new       new words\n"
        "  rule      exact",
    ),
    "outband": (
        f"{BAND}print('accuracy', 0.8)",
        [stdout("accuracy 0.65\n")],
        "stdout: a number differs by 0.15 (0.231 relative)\n"
        "  recorded  0.65\n"
        "  new       0.8\n"
        "  rule      within a band of ±0.1 over 5 seeds",
    ),
    "message": (
        f"{RAISES}raise ValueError('new')",
        [error("ValueError", "old")],
        "error: the text differs\n"
        "  recorded  ValueError: old\n"
        "  new       ValueError: new\n"
        "  rule      exact",
    ),
    "mended": (
        f"{RAISES}print('no error')",
        [error("ValueError", "old")],
        "outputs: the cell printed other kinds of output\n"
        "  recorded  error\n"
        "  new       stdout\n"
        "  rule      exact",
    ),
    "steered": (
        "# NBVAL_IGNORE_OUTPUT\nprint('new')",
        [stdout("old\n")],
        "stdout: the text differs\n  recorded  old\n  new       new\n  rule      exact",
    ),
    "raised": ("{}['key']", [], "Cell execution caused an exception\n\n"),
}


def write_cases(book, write_section, framework: str, cases: dict[str, tuple]) -> Path:
    """A section of these cells, and its record in one framework."""
    write_section(framework, **{step: case[0] for step, case in cases.items()})
    outputs = {step: case[1] for step, case in cases.items()}
    return make_record(book, framework, framework, **outputs)


def test_record_cells_are_held_to_their_rules(plain_kernels, write_section):
    write_cases(plain_kernels, write_section, "jax", WITHIN)
    write_cases(plain_kernels, write_section, "mxnet", BEYOND)
    uncounted = {"uncounted": ("print('new')", [])}
    path = write_cases(plain_kernels, write_section, "pytorch", uncounted)
    remove_counts(path)
    run = run_records(plain_kernels)
    assert run.stderr == ""
    assert run.returncode == pytest.ExitCode.TESTS_FAILED
    assert read_results(run) == {
        **{f"jax.jax.ipynb::{step}": "PASSED" for step in WITHIN},
        **{f"mxnet.mxnet.ipynb::{step}": "FAILED" for step in BEYOND},
        "pytorch.pytorch.ipynb::uncounted": "FAILED",
    }
    for step, (_, _, text) in BEYOND.items():
        place = f"chapters/part/recorded/mxnet.mxnet.ipynb: cell '{step}' (mxnet)"
        assert f"{place}: {text}" in run.stdout
    assert "KeyError" in run.stdout
    assert "  recorded  nothing\n  new       stdout\n" in run.stdout
    assert "site-packages/nbval" not in run.stdout


def remove_counts(path: Path) -> None:
    """Takes the execution counts out of a record, and seals it again."""
    record = v4.reads(path.read_text())
    for cell in record.cells:
        cell.execution_count = None
    record.metadata["book"]["seal"] = seal_of(record)
    path.write_text(v4.writes(record))


def test_record_file_runs_in_a_folder_of_its_own(
    plain_kernels, write_section, tmp_path, is_running
):
    note = tmp_path / "note"
    code = f"import os\nopen('left', 'w').close()\nopen({str(note)!r}, 'w').write"
    code += "(f'{os.getpid()} {os.getcwd()}')"
    write_section(one=f"{code};")
    path = make_record(plain_kernels, "section", "jax")
    run = run_records(plain_kernels)
    assert read_results(run) == {"section.jax.ipynb::one": "PASSED"}
    pid, folder = note.read_text().split(" ", 1)
    assert not is_running(int(pid))
    assert not Path(folder).exists()
    assert list(path.parent.iterdir()) == [path]


def test_record_files_with_faulty_kernels_fail_in_words(plain_kernels, write_section):
    write_section(one="import os\nos._exit(1)", two="print(2)")
    make_record(plain_kernels, "section", "jax")
    write_section(one="import time\ntime.sleep(60)", two="print(2)")
    make_record(plain_kernels, "section", "mxnet")
    make_record(plain_kernels, "section", "pytorch")
    (kernelspec_folder(plain_kernels, "pytorch") / "kernel.json").unlink()
    make_record(plain_kernels, "section", "tensorflow")
    spec = kernelspec_folder(plain_kernels, "tensorflow") / "kernel.json"
    argv = [sys.executable, "-c", "raise SystemExit('no ipykernel in here')"]
    spec.write_text(json.dumps({**json.loads(spec.read_text()), "argv": argv}))
    run = run_records(plain_kernels, "--record-timeout=3")
    assert run.returncode == 1
    assert run.stderr == ""
    shown = "chapters/part/recorded/section"
    later = "found that an earlier cell did not come to its end, expected it"
    for sentence in [
        f"{shown}.jax.ipynb: cell 'one' (jax): found that the kernel died in this "
        "cell, expected it to live",
        f"{shown}.jax.ipynb: cell 'two' (jax): {later}; this cell was not run.",
        f"{shown}.mxnet.ipynb: cell 'one' (mxnet): Timeout of 3 seconds exceeded",
        f"{shown}.mxnet.ipynb: cell 'two' (mxnet): {later}; this cell was not run.",
        f"{shown}.pytorch.ipynb: (pytorch): found no kernel d2l-pytorch, expected one. "
        "Run: d2l-support kernels --create --framework pytorch",
        f"{shown}.tensorflow.ipynb: (tensorflow): found that kernel d2l-tensorflow "
        "does not start (no ipykernel in here), expected it to.",
    ]:
        assert sentence in run.stdout
    assert "jupyter_client" not in run.stdout
    assert "nbval" not in run.stdout.partition("collected")[2]


@pytest.mark.parametrize(("edited", "passes"), [("0.2500001", True), ("0.2501", False)])
def test_number_edited_in_a_record_is_held_against_the_run(
    plain_kernels, write_section, edited, passes
):
    write_section(one="print('loss', 0.25)")
    path = make_record(plain_kernels, "section", "jax", one=[stdout("loss 0.25\n")])
    path.write_text(path.read_text().replace("loss 0.25\\n", f"loss {edited}\\n"))
    run = run_records(plain_kernels)
    [result] = read_results(run).values()
    assert result == ("PASSED" if passes else "FAILED")
    if not passes:
        for line in ("recorded  0.2501", "new       0.25", "rule      within 1e-05"):
            assert line in run.stdout


def test_record_files_that_are_no_records_are_refused(plain_kernels, write_section):
    write_section(one="print('new')")
    cut = make_record(plain_kernels, "section", "jax")
    cut.write_text(cut.read_text()[:-20])
    foreign = make_record(plain_kernels, "section", "mxnet")
    foreign.write_text(v4.writes(v4.new_notebook(cells=[v4.new_code_cell("1")])))
    cut.with_name("draft.ipynb").write_text(foreign.read_text())
    run = run_records(plain_kernels)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    folder = "chapters/part/recorded"
    for sentence in [
        f"{folder}/section.jax.ipynb: (jax): found no readable record",
        f"{folder}/section.mxnet.ipynb: (mxnet): found no readable record (KeyError)",
        f"{folder}/draft.ipynb: found a notebook that is no record, expected "
        "chapters/<part>/recorded/<section>.<framework>.ipynb.",
    ]:
        assert sentence in run.stdout
    assert "Traceback" not in run.stdout


def test_records_are_left_alone_without_the_option(plain_kernels, write_section):
    write_section(one="print('new')")
    make_record(plain_kernels, "section", "jax")
    run = subprocess.run(
        [PYTEST, "-p", "d2l_support.build.regression", "chapters"],
        cwd=plain_kernels.root,
        capture_output=True,
        text=True,
    )
    assert run.returncode == pytest.ExitCode.NO_TESTS_COLLECTED


STEPS = """\
import ipywidgets as widgets
from IPython.display import display
display(widgets.VBox([widgets.HTML("<p>the loss is {}</p>")]))
"""


def test_record_cells_with_widgets_are_held_to_their_rules(
    plain_kernels, write_section
):
    write_section(same=STEPS.format(0.25), changed=STEPS.format(0.25))
    section = load_section(plain_kernels, SectionName("part", "section"))
    job = Job("part/section", "jax", split_code(section, "jax"), section.path)
    (execution,) = execute_jobs([job], plain_kernels.jupyter / "kernels")
    outputs = {cell.id: cell.outputs for cell in carry_states(execution.notebook).cells}
    (html,) = [
        entry["state"]
        for entry in outputs["changed"][0].data[STATE].values()
        if entry["model_name"] == "HTMLModel"
    ]
    html["value"] = "<p>the loss is 0.26</p>"
    make_record(plain_kernels, "section", "jax", **outputs)
    run = run_records(plain_kernels)
    assert read_results(run) == {
        "section.jax.ipynb::same": "PASSED",
        "section.jax.ipynb::changed": "FAILED",
    }
    assert f"display {STATE}: a number differs by 0.01" in run.stdout
