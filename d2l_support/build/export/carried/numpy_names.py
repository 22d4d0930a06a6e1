"""The names that MXNet's last wheel asks of NumPy, put back where they are gone.

MXNet 2.0 beta is of 2021. NumPy has since removed names that MXNet looks up as
it is imported, and Python 3.12 removed ``distutils``, of which it uses the
comparison of versions. Call ``restore_names()`` once, before ``import mxnet``::

    from d2l_support import numpy_names
    numpy_names.restore_names()

Only what is missing is added. The functions on money went to another package
long ago: they are there by name, and raise if somebody calls them.
"""

import importlib.util
import sys
from types import ModuleType

import numpy
from packaging.version import Version

PLAIN = {
    "bool": bool,
    "PZERO": 0.0,
    "NZERO": -0.0,
    "PINF": numpy.inf,
    "NINF": -numpy.inf,
    "NAN": numpy.nan,
    "NaN": numpy.nan,
    "Inf": numpy.inf,
}
"""Constants, by the name that went."""

RENAMED = {
    "alltrue": "all",
    "sometrue": "any",
    "product": "prod",
    "round_": "round",
    "in1d": "isin",
    "trapz": "trapezoid",
}
"""Functions that stayed under another name."""

MONEY = ("mirr", "npv", "pmt", "ppmt", "pv", "rate")


def restore_names() -> list[str]:
    """Adds what is missing to NumPy and to the loaded modules; says what it was.

    Returns:
        The names that were added, sorted; none where NumPy is below 1.24.
    """
    if Version(numpy.__version__) < Version("1.24"):
        return []
    wanted = {**PLAIN, "msort": _sort_rows, **{name: _refuse(name) for name in MONEY}}
    wanted |= {old: getattr(numpy, new, None) for old, new in RENAMED.items()}
    added = [name for name in wanted if name not in vars(numpy)]
    for name in added:
        setattr(numpy, name, wanted[name])
    if importlib.util.find_spec("distutils") is None:
        _add_distutils()
        added.append("distutils")
    return sorted(added)


def _sort_rows(a):
    """A copy of an array, sorted along its first axis."""
    return numpy.sort(a, axis=0)


def _refuse(name: str):
    def raise_error(*args, **kwargs):
        raise AttributeError(f"numpy.{name} was removed in NumPy 1.20, in 2021")

    raise_error.__doc__ = f"numpy.{name}, which NumPy no longer has."
    return raise_error


def _add_distutils() -> None:
    """``distutils.version`` with its two classes, as far as versions compare."""
    package, module = ModuleType("distutils"), ModuleType("distutils.version")
    module.StrictVersion = module.LooseVersion = Version
    package.version = module
    sys.modules["distutils"] = package
    sys.modules["distutils.version"] = module
