"""The four frameworks of the book, in the order in which pages show them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Framework:
    """What the tooling has to know of a framework, without importing it.

    Attributes:
        key: The name used in marks, file names and addresses.
        label: The name readers see.
        weight: Typical seconds to start a kernel and import the framework;
            heavier notebooks are started first.
        gigabytes: Disk space that its environment needs, in GB.
        python: The interpreter that its pins were resolved for.
    """

    key: str
    label: str
    weight: float
    gigabytes: float
    python: tuple[int, int] = (3, 11)

    @property
    def kernel(self) -> str:
        """The name of its kernelspec."""
        return f"d2l-{self.key}"


FRAMEWORKS: dict[str, Framework] = {
    framework.key: framework
    for framework in (
        Framework("pytorch", "PyTorch", weight=1.9, gigabytes=1.5),
        Framework("tensorflow", "TensorFlow", weight=3.4, gigabytes=2.0),
        Framework("jax", "JAX", weight=1.3, gigabytes=1.0),
        Framework("mxnet", "MXNet", weight=1.8, gigabytes=0.7),
    )
}

ALL_KEYS = tuple(FRAMEWORKS)

RELEASES: dict[str, Framework] = {
    "jax-next": Framework("jax-next", "JAX 0.12", 1.3, 1.0, python=(3, 12)),
}
"""Other releases that the survey runs the book with."""

ENVIRONMENTS = FRAMEWORKS | RELEASES
"""Whatever has an environment and a kernel of its own."""


def parse_mark(mark: str | list | None) -> tuple[str, ...]:
    """The framework keys of a mark, in page order; no mark means all four.

    Args:
        mark: A key, keys separated by commas, or a list of keys.

    Raises:
        ValueError: A key is not one of the four, or the mark is not text.
    """
    if mark is None:
        return ALL_KEYS
    names = mark.split(",") if isinstance(mark, str) else mark
    if not isinstance(names, list) or not names:
        raise ValueError(f"found framework mark {mark!r}, expected a name or a list")
    keys = [str(name).strip() for name in names]
    for key in keys:
        if key not in FRAMEWORKS:
            raise ValueError(
                f"found framework {key!r}, expected one of {', '.join(ALL_KEYS)}"
            )
    return tuple(key for key in ALL_KEYS if key in keys)
