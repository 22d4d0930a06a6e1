"""Gives exported notebooks the kernels of this image.

`d2l-support export` writes notebooks for any Jupyter, with the kernel that
every Jupyter has. Usage: notebooks.py FOLDER
"""

import sys
from pathlib import Path

import nbformat

from d2l_support.build.split import kernel_metadata


def set_kernels(folder: Path) -> int:
    """Sets the kernel of every ``<framework>/<section>.ipynb``; returns how many."""
    paths = sorted(folder.glob("*/*.ipynb"))
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        notebook.metadata.update(kernel_metadata(path.parent.name))
        nbformat.write(notebook, path)
    return len(paths)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(f"{set_kernels(Path(sys.argv[1]))} notebooks have their kernel")
