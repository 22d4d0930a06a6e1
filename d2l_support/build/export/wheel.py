"""The helpers as one wheel, for notebooks that run where there is no checkout.

It holds what notebooks import and nothing of the tooling, and besides what they
need on other machines alone, from ``carried``. It asks for no
framework and no release of NumPy: those are the reader's own.
"""

import io
import shutil
import tempfile
import tomllib
from pathlib import Path

from flit_core.wheel import WheelBuilder

from d2l_support.build.files import write_bytes_whole
from d2l_support.build.layout import Book
from d2l_support.build.problems import CannotWork

PACKAGE = "d2l_support"
WRITTEN_AT = (2026, 1, 1, 0, 0, 0)
"""The time of every file in the wheel: equal sources give equal bytes."""
CARRIED = ("name", "version", "description", "requires-python", "license")
CARRIED_MODULES = Path(__file__).parent / "carried"
"""No record rests on these, so they are no helpers of the checkout."""
LEFT_OUT = shutil.ignore_patterns("build", "__pycache__", ".*")


def write_wheel(book: Book, folder: Path) -> Path:
    """Writes the wheel into a folder, and gives its path.

    Raises:
        CannotWork: The checkout's pyproject.toml cannot be read, or the folder
            cannot be written.
    """
    name, content = build_wheel(book)
    path = folder / name
    write_bytes_whole(path, content)
    return path


def build_wheel(book: Book) -> tuple[str, bytes]:
    """The file name and the bytes of the helpers' wheel; needs no network.

    Raises:
        CannotWork: The checkout's pyproject.toml or a helper cannot be read.
    """
    try:
        with tempfile.TemporaryDirectory() as folder:
            staged = Path(folder)
            shutil.copytree(book.root / PACKAGE, staged / PACKAGE, ignore=LEFT_OUT)
            for module in CARRIED_MODULES.glob("[!_]*.py"):
                shutil.copy2(module, staged / PACKAGE)
            described = describe_wheel(book)
            (staged / "pyproject.toml").write_text(described, encoding="utf-8")
            content = io.BytesIO()
            builder = WheelBuilder.from_ini_path(staged / "pyproject.toml", content)
            builder.source_time_stamp = WRITTEN_AT
            builder.build(editable=False)
            return builder.wheel_filename, content.getvalue()
    except OSError as error:
        raise CannotWork(
            f"found that the helpers cannot be read ({error}), expected a checkout"
        ) from error


def describe_wheel(book: Book) -> str:
    """The ``pyproject.toml`` of the helpers alone: no command, no dependency.

    Raises:
        CannotWork: The checkout's own lacks something.
    """
    try:
        text = (book.root / "pyproject.toml").read_text(encoding="utf-8")
        project = tomllib.loads(text)["project"]
        lines = [f'{key} = "{project[key]}"' for key in CARRIED]
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise CannotWork(
            f"pyproject.toml: found no readable project ({error}), "
            f"expected {', '.join(CARRIED)}"
        ) from error
    module = f'[tool.flit.module]\nname = "{PACKAGE}"\n'
    return "\n".join(["[project]", *lines, "dependencies = []", "", module])
