"""Kernelspecs for the frameworks that see a GPU, in the machine's own Python."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.gpu.probe import LEAN
from d2l_support.build.layout import Book


def write_kernelspecs(python: Path, book: Book, frameworks: Iterable[str]) -> Path:
    """Writes them anew; returns their folder.

    Args:
        python: The interpreter that has the frameworks and ipykernel.
        book: The checkout, whose helpers the kernels import.
        frameworks: The framework keys.
    """
    folder = book.cache / "gpu" / "kernels"
    shutil.rmtree(folder, ignore_errors=True)
    for key in frameworks:
        framework = FRAMEWORKS[key]
        spec = {
            "argv": [
                str(python),
                "-m",
                "ipykernel_launcher",
                "-f",
                "{connection_file}",
            ],
            "display_name": f"{framework.label} (GPU)",
            "language": "python",
            "env": {**LEAN, "PYTHONPATH": str(book.root)},
        }
        place = folder / framework.kernel
        place.mkdir(parents=True)
        (place / "kernel.json").write_text(json.dumps(spec, indent=1) + "\n")
    return folder
