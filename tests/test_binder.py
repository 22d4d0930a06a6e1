"""The image of `binder/`: no Docker here, so what it says is held to be there."""

import importlib.util
import re
import shlex
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from d2l_support.build.cli import build_parser
from d2l_support.build.environments import find_python
from d2l_support.build.frameworks import ALL_KEYS, FRAMEWORKS
from d2l_support.build.layout import Book

ROOT = Path(__file__).parents[1]
PLACE = "/srv/book"


def read_steps() -> list[tuple[str, str]]:
    """Each instruction of the Dockerfile with its text, lines joined."""
    text = (ROOT / "binder" / "Dockerfile").read_text(encoding="utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip()]
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in lines]


def texts_of(kind: str) -> list[str]:
    return [text for name, text in read_steps() if name == kind]


def commands() -> list[list[str]]:
    """Every command that the image runs while it is made, word by word."""
    parts = [part for text in texts_of("RUN") for part in text.split("&&")]
    return [shlex.split(part) for part in parts]


def variables() -> dict[str, str]:
    words = [word for text in texts_of("ENV") for word in shlex.split(text)]
    return dict(word.split("=", 1) for word in words)


def test_the_image_has_the_python_of_the_pins():
    (base,) = texts_of("FROM")
    major, minor = FRAMEWORKS["jax"].python
    assert base == f"python:{major}.{minor}-bookworm"
    assert {framework.python for framework in FRAMEWORKS.values()} == {(major, minor)}
    assert find_python((major, minor))


def test_every_file_that_is_copied_exists():
    for text in texts_of("COPY"):
        *sources, _ = [word for word in text.split() if not word.startswith("--")]
        assert sources
        assert all((ROOT / source).exists() for source in sources)


def test_every_target_of_make_exists_and_is_of_this_image():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    called = [words for words in commands() if words[0] == "make"]
    targets = [word for words in called for word in words[1:] if "=" not in word]
    assert targets == ["hub"]
    assert re.search(r"^hub: \$\(ENVS\)/hub/installed", makefile, re.MULTILINE)
    assert (ROOT / "requirements" / "hub.txt").is_file()


def test_every_command_of_the_book_is_one():
    called = [words for words in commands() if words[0].endswith("/d2l-support")]
    parser = build_parser()
    for words in called:
        assert words[0] == ".envs/hub/bin/d2l-support"
        assert parser.parse_args(words[1:]).run
    made = {words[-1] for words in called if words[1] == "kernels"}
    assert made == set(ALL_KEYS)


def test_every_script_exists():
    scripts = [
        word for words in commands() for word in words[1:] if word.endswith(".py")
    ]
    assert scripts == ["binder/notebooks.py"]
    assert (ROOT / scripts[0]).is_file()


def test_jupyter_finds_the_kernels():
    book = Book(Path(PLACE))
    assert texts_of("WORKDIR") == [PLACE]
    assert variables()["JUPYTER_PATH"] == str(book.jupyter)
    assert variables()["PATH"].startswith(f"{book.environments}/hub/bin:")


def test_what_starts_is_pinned():
    pins = (ROOT / "requirements" / "hub.txt").read_text(encoding="utf-8")
    names = set(re.findall(r"^([\w.-]+)==", pins, re.MULTILINE))
    assert {"jupyterhub", "jupyterlab", "notebook-shim", "flit-core"} <= names
    assert texts_of("CMD")[0].startswith('["jupyterhub-singleuser"')


def test_nothing_is_made_as_root_but_the_folder():
    before, _, after = (ROOT / "binder" / "Dockerfile").read_text().partition("\nUSER ")
    assert "USER" not in after.replace("NB_USER", "")
    assert len(re.findall(r"^RUN ", before, re.MULTILINE)) == 1


def test_the_image_leaves_out_what_is_made_in_a_checkout():
    ignored = set((ROOT / ".dockerignore").read_text().split())
    kept_by_git = (ROOT / ".gitignore").read_text().split()
    bare = {name.strip("*/").removeprefix(".") for name in ignored}
    assert {name.strip("*/").removeprefix(".") for name in kept_by_git} <= bare
    assert ".git" in ignored


@pytest.fixture
def set_kernels():
    place = ROOT / "binder" / "notebooks.py"
    spec = importlib.util.spec_from_file_location("notebooks", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.set_kernels


def test_set_kernels_by_the_folder_of_a_notebook(set_kernels, tmp_path):
    for key in ("jax", "mxnet"):
        path = tmp_path / key / "seeds.ipynb"
        path.parent.mkdir()
        notebook = v4.new_notebook(cells=[v4.new_code_cell("1")])
        notebook.metadata["colab"] = {"name": "seeds.ipynb"}
        nbformat.write(notebook, path)
    assert set_kernels(tmp_path) == 2
    found = nbformat.read(tmp_path / "jax" / "seeds.ipynb", as_version=4).metadata
    assert found["kernelspec"]["name"] == "d2l-jax"
    assert found["colab"] == {"name": "seeds.ipynb"}
