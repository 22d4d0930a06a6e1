"""Exported notebooks run top to bottom elsewhere, and print what they show.

Each runs in an empty folder on a machine that has the framework and no
checkout; its first cell installs the helpers from the wheel beside it.
"""

import asyncio
import shutil
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from d2l_support.build.compare import compare_outputs
from d2l_support.build.diff import rule_of
from d2l_support.build.environments import environment_folder
from d2l_support.build.export.command import export_notebooks
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.launch import start_kernel
from d2l_support.build.layout import Book, SectionName
from d2l_support.build.normalise import normalise_outputs
from d2l_support.build.record import load_record
from d2l_support.build.widgets import carry_states

BOOK = Book.find(Path(__file__).parent)
CELL_TIMEOUT = 300
QUICK = "seeds"
EXERCISES = SectionName("custom-layers", "ste-exercises")


def export(section, framework, folder, solutions=True):
    """The exported notebook, and the folder in which its wheel lies."""
    problems = export_notebooks(BOOK, [section], [framework], folder, solutions)
    assert problems == []
    path = folder / framework / f"{section.name}.ipynb"
    return nbformat.read(path, as_version=4), path.parent


async def run_all(notebook, beside, machine, folder):
    """Runs a notebook in place; its folder holds the wheel and nothing else."""
    async with start_kernel(machine.kernels, "python3", folder) as (manager, channels):
        for wheel in beside.glob("*.whl"):
            shutil.copy2(wheel, folder / "work")
        client = NotebookClient(
            notebook, km=manager, timeout=CELL_TIMEOUT, record_timing=False
        )
        client.kc = channels
        await client.async_execute()


def run_elsewhere(notebook, beside, machine):
    """What a notebook prints on another machine, by cell id."""
    # Not pytest's folder: the path of an ipc socket is short.
    with tempfile.TemporaryDirectory(prefix="d2l-") as folder:
        asyncio.run(run_all(notebook, beside, machine, Path(folder)))
    executed = carry_states(notebook)
    cells = [cell for cell in executed.cells if cell.cell_type == "code"]
    return {cell.id: normalise_outputs(cell.outputs) for cell in cells}


def find_differing(section, framework, fresh, setting=""):
    """The cells whose fresh outputs their rule does not allow in a setting."""
    record = load_record(BOOK, section, framework)
    return {
        cell.id: found
        for cell in record.cells
        if setting not in rule_of(cell).varies
        and (found := compare_outputs(cell.outputs, fresh[cell.id], rule_of(cell)))
    }


def test_exported_notebook_prints_elsewhere_what_it_shows(
    framework, section, lend_machine, tmp_path
):
    if not BOOK.record(section, framework).exists():
        pytest.skip(f"{section.name} has no code in {framework}")
    notebook, beside = export(section, framework, tmp_path)
    fresh = run_elsewhere(notebook, beside, lend_machine(framework))
    assert find_differing(section, framework, fresh) == {}
    (said,) = fresh["book_setup"]
    assert said.text.startswith("Recorded with ")


@pytest.mark.parametrize("framework", ALL_KEYS)
def test_students_notebook_runs_to_its_end_without_an_answer(
    framework, lend_machine, tmp_path
):
    notebook, beside = export(EXERCISES, framework, tmp_path, solutions=False)
    fresh = run_elsewhere(notebook, beside, lend_machine(framework))
    errors = [o for outputs in fresh.values() for o in outputs if "ename" in o]
    assert {error.ename for error in errors} >= {"NotImplementedError"}


@pytest.mark.parametrize("name", ["seeds", "ste"])
def test_mxnet_runs_where_numpy_and_python_have_moved_on(
    name, machine_of_now, tmp_path
):
    (section,) = BOOK.select_sections([name])
    notebook, beside = export(section, "mxnet", tmp_path)
    fresh = run_elsewhere(notebook, beside, machine_of_now)
    assert find_differing(section, "mxnet", fresh) == {}


def test_jax_runs_on_a_later_release_as_it_finds_it(lend_machine, tmp_path):
    if not environment_folder(BOOK, "jax-next").is_dir():
        pytest.skip(
            "found no .envs/jax-next. Run: d2l-support survey --setting jax-next"
        )
    (section,) = BOOK.select_sections([QUICK])
    notebook, beside = export(section, "jax", tmp_path)
    fresh = run_elsewhere(notebook, beside, lend_machine("jax-next"))
    assert find_differing(section, "jax", fresh, "jax-next") == {}
