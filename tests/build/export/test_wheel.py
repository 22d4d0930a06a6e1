"""The helpers' wheel: the same bytes twice, whole without the tooling."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from d2l_support.build.export.wheel import build_wheel, describe_wheel, write_wheel
from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork

ROOT = Path(__file__).parents[3]
FRAMEWORKS = ("jax", "mxnet", "pytorch", "tensorflow")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return write_wheel(Book(ROOT), tmp_path_factory.mktemp("wheel"))


def test_build_wheel_gives_the_same_bytes_twice(wheel):
    assert build_wheel(Book(ROOT)) == (wheel.name, wheel.read_bytes())


def test_wheel_holds_the_helpers_and_nothing_of_the_tooling(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for framework in FRAMEWORKS:
        assert f"d2l_support/{framework}.py" in names
    assert "d2l_support/numpy_names.py" in names
    assert [name for name in names if name.startswith("d2l_support/build")] == []
    assert [name for name in names if "entry_points" in name] == []


def test_wheel_asks_for_nothing(wheel):
    archive = zipfile.ZipFile(wheel)
    name = next(n for n in archive.namelist() if n.endswith("METADATA"))
    metadata = archive.read(name).decode()
    assert "Requires-Dist" not in metadata
    assert "Requires-Python: >=3.11" in metadata


def test_wheel_is_named_by_the_projects_version(wheel):
    assert wheel.name == "d2l_support-0.1.0-py3-none-any.whl"


def test_helpers_of_no_framework_import_from_the_wheel_alone(wheel, tmp_path):
    files = [n for n in zipfile.ZipFile(wheel).namelist() if n.endswith(".py")]
    modules = sorted(
        name.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")
        for name in files
        if not any(part in name for part in FRAMEWORKS)
    )
    assert "d2l_support.streams" in modules
    code = "import importlib, sys\nsys.path.insert(0, sys.argv[1])\n" + "\n".join(
        f"importlib.import_module({module!r})" for module in modules
    )
    # Isolated: no checkout, no environment variable; the wheel is the only place.
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-c",
            code + "\nimport d2l_support\nprint(d2l_support.__file__)",
            str(wheel),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(wheel))


def test_describe_wheel_without_version_says_so(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    with pytest.raises(CannotWork, match=r"found no readable project .*version"):
        describe_wheel(Book(tmp_path))
