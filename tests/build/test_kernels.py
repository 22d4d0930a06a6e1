"""The four kernels' health, and making what is not well."""

import pytest
from filelock import FileLock

from d2l_support.build import kernels
from d2l_support.build.environments import (
    STAMP,
    environment_folder,
    environment_python,
    is_complete,
    kernelspec_folder,
)
from d2l_support.build.frameworks import ALL_KEYS
from d2l_support.build.kernels import (
    Kernel,
    create_unhealthy,
    ensure_kernels,
    inspect_kernel,
    inspect_kernels,
)
from d2l_support.build.problems import CannotWork

ANOTHER = (
    "found another d2l-support making kernels in this checkout, "
    "expected none; wait for its end, then run this one again"
)


@pytest.fixture
def made(plain_kernels, monkeypatch) -> list[str]:
    """The frameworks whose environments a test has had made."""
    frameworks = []

    def create(book, framework, report) -> None:
        frameworks.append(framework)
        report("making a virtual environment")

    monkeypatch.setattr(kernels, "create_environment", create)
    return frameworks


def test_inspect_kernels_with_all_ready(plain_kernels):
    found = inspect_kernels(plain_kernels, list(ALL_KEYS))
    assert found == [Kernel(key, "ready", {"plain": "1.0"}) for key in ALL_KEYS]


def test_inspect_kernel_missing(tiny_book):
    assert inspect_kernel(tiny_book, "jax") == Kernel(
        "jax", "missing", detail="not made yet"
    )


def test_inspect_kernel_with_other_pins(plain_kernels):
    plain_kernels.requirements("jax").write_text("numpy==2.4.5\n")
    assert inspect_kernel(plain_kernels, "jax") == Kernel(
        "jax", "outdated", detail="installed from other pins"
    )


@pytest.mark.parametrize(
    ("part", "detail"),
    [
        ("python", "its interpreter is gone"),
        ("stamp", "not installed to the end"),
        ("spec", "its kernelspec is missing or another checkout's"),
    ],
)
def test_inspect_kernel_with_part_gone(plain_kernels, part, detail):
    paths = {
        "python": environment_python(plain_kernels, "jax"),
        "stamp": environment_folder(plain_kernels, "jax") / STAMP,
        "spec": kernelspec_folder(plain_kernels, "jax") / "kernel.json",
    }
    paths[part].unlink()
    assert inspect_kernel(plain_kernels, "jax") == Kernel("jax", "broken", {}, detail)


@pytest.mark.parametrize(
    ("helpers", "detail"),
    [
        ("import no_framework", "ModuleNotFoundError: No module named 'no_framework'"),
        ("import os; os._exit(3)", "no message"),
        ("print('hello'); raise SystemExit", "answers 'hello', not its versions"),
        ("import time; time.sleep(60)", "does not answer within 1 s"),
    ],
)
def test_inspect_kernel_whose_import_fails(plain_kernels, helpers, detail):
    (plain_kernels.root / "d2l_support" / "jax.py").write_text(helpers)
    timeout = 1 if "sleep" in helpers else 60
    assert inspect_kernel(plain_kernels, "jax", timeout) == Kernel(
        "jax", "broken", {}, detail
    )


def test_inspect_kernel_whose_interpreter_cannot_run(plain_kernels):
    python = environment_python(plain_kernels, "jax")
    python.unlink()
    python.write_text("no program")
    found = inspect_kernel(plain_kernels, "jax")
    assert found.detail == "does not start (Permission denied)"


def test_inspect_kernel_imports_nothing_from_the_folder_around(
    plain_kernels, tmp_path, monkeypatch
):
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    monkeypatch.chdir(tmp_path)
    assert inspect_kernel(plain_kernels, "jax").health == "ready"


def test_ensure_kernels_makes_what_is_incomplete(plain_kernels, made):
    plain_kernels.requirements("mxnet").write_text("numpy==1.23.5\n")
    plain_kernels.requirements("jax").write_text("numpy==2.4.5\n")
    lines = []
    ensure_kernels(
        plain_kernels,
        ["mxnet", "pytorch", "jax"],
        lambda key, line: lines.append((key, line)),
    )
    assert made == ["jax", "mxnet"]
    assert lines == [(key, "making a virtual environment") for key in made]


def test_ensure_kernels_with_all_complete_takes_no_lock(plain_kernels, made):
    plain_kernels.cache.mkdir()
    with FileLock(plain_kernels.cache / "kernels.lock"):
        ensure_kernels(plain_kernels, list(ALL_KEYS))
    assert made == []


def test_ensure_kernels_in_moved_checkout_mends_the_links_alone(plain_kernels, made):
    spec = kernelspec_folder(plain_kernels, "jax") / "kernel.json"
    spec.write_text(spec.read_text().replace(str(plain_kernels.root), "/elsewhere"))
    ensure_kernels(plain_kernels, ["jax"])
    assert made == []
    assert is_complete(plain_kernels, "jax")


def test_ensure_kernels_with_another_at_work(tiny_book, monkeypatch):
    tiny_book.cache.mkdir()
    with (
        FileLock(tiny_book.cache / "kernels.lock"),
        pytest.raises(CannotWork) as caught,
    ):
        ensure_kernels(tiny_book, ["jax"])
    assert str(caught.value) == ANOTHER
    assert not environment_folder(tiny_book, "jax").exists()


def test_create_unhealthy_makes_what_is_not_ready(plain_kernels, made):
    helpers = plain_kernels.root / "d2l_support"
    (helpers / "jax.py").write_text("import no_framework")
    environment_python(plain_kernels, "mxnet").unlink()
    lines = []
    found = create_unhealthy(
        plain_kernels, list(ALL_KEYS), lambda key, line: lines.append((key, line))
    )
    assert made == ["jax", "mxnet"]
    reason = "broken: ModuleNotFoundError: No module named 'no_framework'"
    assert lines[0] == ("jax", reason)
    assert lines[2] == ("mxnet", "broken: its interpreter is gone")
    assert [kernel.health for kernel in found] == ["ready", "ready", "broken", "broken"]


def test_create_unhealthy_with_all_ready_makes_nothing(plain_kernels, made):
    found = create_unhealthy(plain_kernels, ["jax"])
    assert made == []
    assert [kernel.health for kernel in found] == ["ready"]
