"""The page's saved model, loaded in a fresh process, from its recorded cells."""

import sys

import pytest

PAGE = "custom-layers-shipped"
EQUAL = "equal, bit for bit: True"


@pytest.fixture
def run_page(cells, monkeypatch, capsys):
    """Runs the page's cells, one of them changed, and returns what they print."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "norms", raising=False)

    def run(old: str = "", new: str = "") -> str:
        names = cells.load(PAGE, "module")
        source = cells.read(PAGE, "fresh")
        before, script, after = source.split("'''")
        assert old in script
        changed = "'''".join([before, script.replace(old, new), after])
        try:
            exec(compile(changed, "fresh", "exec"), names)  # noqa: S102 (ours)
        finally:
            names["folder"].cleanup()
            sys.modules.pop("norms", None)
        return capsys.readouterr().out

    return run


def test_fresh_process_gives_equal_bits(run_page):
    assert EQUAL in run_page()


CHANGES = {
    "pytorch": ("eps=1e-3", "eps=1e-2"),
    "tensorflow": ('("X.npy")', '("X.npy") + 1'),
    "jax": ('("X.npy")', '("X.npy") + 1'),
    "mxnet": ("eps=1e-3", "eps=1e-2"),
}


def test_comparison_notices_another_model_or_input(run_page, framework):
    assert EQUAL not in run_page(*CHANGES[framework])
