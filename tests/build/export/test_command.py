"""``d2l-support export`` writes a folder per framework that stands alone."""

import nbformat
import pytest
from rich.console import Console

from d2l_support.build.cli import build_parser
from d2l_support.build.layout import SectionName
from d2l_support.build.problems import CannotWork

SECTION = SectionName("part", "section")


@pytest.fixture
def export(exportable, tmp_path):
    def run(*words):
        arguments = build_parser().parse_args(
            ["export", "--to", str(tmp_path / "out"), *words]
        )
        console = Console(record=True, width=100)
        code = arguments.run(arguments, exportable, console)
        return code, console.export_text(), tmp_path / "out"

    return run


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


def test_export_writes_notebooks_with_the_wheel_beside_them(export):
    code, said, folder = export("--framework", "jax", "--framework", "mxnet")
    assert code == 0
    wheel = "d2l_support-0.1.0-py3-none-any.whl"
    assert names(folder) == [
        wheel,
        f"jax/{wheel}",
        "jax/section.ipynb",
        f"mxnet/{wheel}",
        "mxnet/section.ipynb",
    ]
    assert "2 notebooks" in said
    nbformat.validate(nbformat.read(folder / "jax" / "section.ipynb", as_version=4))


def test_export_gives_the_same_bytes_twice(export):
    _, _, folder = export("section")
    before = {name: (folder / name).read_bytes() for name in names(folder)}
    export("section")
    assert before == {name: (folder / name).read_bytes() for name in names(folder)}


def test_export_of_unknown_directive_says_where_and_writes_the_others(
    export, exportable
):
    path = exportable.source(SECTION)
    text = (
        path.read_text("utf-8") + '\n+++ {"framework": "jax"}\n\n```{figure} a\n```\n'
    )
    path.write_text(text, "utf-8")
    code, said, folder = export()
    assert code == 1
    place = f"chapters/part/section.md:{len(text.splitlines()) - 1}"
    assert f"{place}: found directive 'figure'" in said.replace("\n", "")
    assert said.count("found directive") == 1
    assert not (folder / "jax" / "section.ipynb").exists()
    assert (folder / "mxnet" / "section.ipynb").exists()


def test_export_into_a_file_says_so(export, tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(CannotWork, match="found that it cannot be written"):
        export()


def test_export_needs_a_folder(capsys):
    with pytest.raises(SystemExit):
        build_parser().parse_args(["export"])
    assert "--to" in capsys.readouterr().err
