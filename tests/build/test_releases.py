"""Releases that are not the pinned ones."""

import pytest

from d2l_support.build.releases import list_other_releases


@pytest.mark.parametrize(
    ("pin", "name", "version"),
    [
        ("torch==2.13.0", "torch", "2.13.0+cpu"),
        ("mxnet==2.0.0b1  # via it", "mxnet", "2.0.0beta1"),
        ("tensorflow-cpu==2.21.0", "tensorflow", "2.21.0"),
        ("jax[cpu]==0.10.2", "jax", "0.10.2"),
        ("numpy==2.4.6", "python", "3.11.7"),
    ],
)
def test_list_other_releases_same_one_in_other_words(tmp_path, pin, name, version):
    path = tmp_path / "pins.txt"
    path.write_text(f"# made by hand\n{pin}\n")
    assert list_other_releases({"versions": {name: version}}, path) == []


def test_list_other_releases_another_one(tmp_path):
    path = tmp_path / "pins.txt"
    path.write_text("jax==0.10.2   # via it\nnumpy==2.4.6\n")
    environment = {"versions": {"jax": "0.11.0", "numpy": "odd"}}
    assert list_other_releases(environment, path) == [
        "jax 0.11.0 (pinned: 0.10.2)",
        "numpy odd (pinned: 2.4.6)",
    ]
