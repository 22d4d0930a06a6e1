"""What MXNet asks of NumPy is put back where it is gone, and only there."""

import subprocess
import sys

import pytest

from d2l_support.build.export.carried import numpy_names

REPORT = """
import sys
from types import SimpleNamespace
import numpy
before = {name for name in vars(numpy)}
from d2l_support.build.export.carried import numpy_names
if len(sys.argv) > 1:
    numpy.__version__ = sys.argv[1]
added = numpy_names.restore_names()
assert not before & set(added), before & set(added)
print(*added)
print(*numpy_names.restore_names())
"""


def restore(*release):
    """The names that are added in a fresh process, and those of a second call."""
    done = subprocess.run(
        [sys.executable, "-c", REPORT, *release],
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = done.stdout.split("\n")[:2]
    return first.split(), second.split()


def test_restore_names_adds_what_this_numpy_lacks_once():
    added, again = restore()
    assert {"PZERO", "NaN", "round_", "trapz", "pmt", "msort"} <= {*added}
    assert "prod" not in added
    assert again == []


def test_restore_names_leaves_an_old_numpy_as_it_is():
    assert restore("1.23.5") == ([], [])


def test_functions_on_money_raise_when_called():
    with pytest.raises(AttributeError, match=r"numpy\.pmt was removed in NumPy 1\.20"):
        numpy_names._refuse("pmt")(1)


def test_added_versions_compare(monkeypatch):
    monkeypatch.delitem(sys.modules, "distutils", raising=False)
    monkeypatch.delitem(sys.modules, "distutils.version", raising=False)
    monkeypatch.setitem(sys.modules, "distutils", None)
    monkeypatch.setitem(sys.modules, "distutils.version", None)
    numpy_names._add_distutils()
    from distutils.version import LooseVersion, StrictVersion

    assert StrictVersion("2.10.0") > StrictVersion("2.9.1")
    assert LooseVersion("1.17") < LooseVersion("2.5.5")
