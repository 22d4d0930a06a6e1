"""What this book's JAX notebooks import: `jax as d2l`."""

import jax
from flax import nnx

from d2l_support.checkpoint import load_checkpoint, save_checkpoint
from d2l_support.environment import (
    build_environment,
    count_cores,
    list_changed,
    list_variables,
    list_versions,
    read_threads,
)
from d2l_support.inspection.jax import count_macs as count_macs
from d2l_support.inspection.jax import find_divergence as find_divergence
from d2l_support.inspection.jax import find_nonfinite as find_nonfinite
from d2l_support.inspection.jax import gradient_norms as gradient_norms
from d2l_support.inspection.jax import record_activations as record_activations
from d2l_support.inspection.jax import record_trace as record_trace
from d2l_support.inspection.traces import load_trace as load_trace
from d2l_support.inventory import Inventory
from d2l_support.jax_loaders import (
    ReplayingLoader,
    StatefulLoader,
)
from d2l_support.jax_resume import (
    list_items,
    prove_resume,
    read_model,
    read_optimizer,
    read_schedule,
    restore_model,
    restore_optimizer,
    restore_schedule,
)
from d2l_support.jax_state import (
    load_random_state,
    read_random_state,
    restore_random_state,
    save_random_state,
)
from d2l_support.state_file import RandomStateError
from d2l_support.streams import (
    Stream,
    check_seed,
    list_named,
    list_shared,
    seed_shared,
)
from d2l_support.training import Item

__all__ = [
    "Item",
    "RandomStateError",
    "ReplayingLoader",
    "StatefulLoader",
    "describe_environment",
    "list_items",
    "load_checkpoint",
    "load_random_state",
    "prove_resume",
    "random_inventory",
    "read_model",
    "read_optimizer",
    "read_random_state",
    "read_schedule",
    "restore_model",
    "restore_optimizer",
    "restore_random_state",
    "restore_schedule",
    "save_checkpoint",
    "save_random_state",
    "set_seed",
]

VARIABLES = ("NPROC", "XLA_FLAGS")
ACCEPTED = (
    "typed JAX keys from jax.random.key",
    "flax.nnx.Rngs",
    "flax.nnx.RngStream",
)
# Switches of jax.config that change bits, with their defaults.
DEFAULTS = {
    "jax_default_matmul_precision": None,
    "jax_default_prng_impl": "threefry2x32",
    "jax_enable_x64": False,
    "jax_random_seed_offset": 0,
    "jax_threefry_partitionable": True,
}


def set_seed(seed: int) -> jax.Array:
    """A key for JAX; `random` and NumPy's legacy global are seeded as well.

    JAX has no stream to seed. What you do with the key decides what is drawn.

    Args:
        seed: An integer from 0 to 2**32 - 1.

    Returns:
        The scalar typed key `jax.random.key(seed)`.

    Raises:
        TypeError, ValueError: The seed is no such integer.

    State touched: the streams of Python and NumPy.
    Source: section Seeds and randomness.
    """
    seed = check_seed(seed)
    seed_shared(seed)
    return jax.random.key(seed)


def random_inventory(**named: object) -> Inventory:
    """The random streams of this process; looking changes none of them.

    Args:
        **named: Keys and generators of your own, under the names to show:
            typed JAX keys, NNX streams, NumPy's or Python's generators.

    Raises:
        TypeError: One of them is none of these.

    Source: section Seeds and randomness.
    """
    own = Stream(
        "JAX has none",
        "JAX",
        None,
        None,
        False,
        "every draw takes a key as an argument; set_seed returns one.",
    )
    private = list_named(named, _describe_source, ACCEPTED)
    return Inventory("jax", (*list_shared(), own, *private))


def _describe_source(name: str, source: object) -> Stream | None:
    """The row of a typed key, of nnx.Rngs or of one stream in it."""
    if isinstance(source, jax.Array):
        return _describe_key(name, source)
    if isinstance(source, nnx.RngStream):
        return _describe_counts(name, {source.tag: source})
    if isinstance(source, nnx.Rngs):
        return _describe_counts(name, dict(sorted(source.items())))
    return None


def _describe_key(name: str, key: jax.Array) -> Stream | None:
    """The row of a key of any shape; None for an array of numbers."""
    if not jax.numpy.issubdtype(key.dtype, jax.dtypes.prng_key):
        return None
    note = "a key is a value: the same key gives the same draws again."
    return Stream(name, "JAX", None, False, False, note)


def _describe_counts(name: str, streams: dict[str, nnx.RngStream]) -> Stream:
    """The row of NNX streams; each counts the keys that it has given out."""
    counts = {tag: int(s.count[...].sum()) for tag, s in streams.items()}
    told = ", ".join(f"{tag} {count}" for tag, count in counts.items())
    note = f"NNX streams of your own; keys given out so far: {told}."
    return Stream(name, "Flax", None, any(counts.values()), False, note)


def describe_environment() -> dict[str, object]:
    """What a result of this process depends on besides code and seeds.

    Returns:
        A dictionary for `json.dumps`: framework, versions, platform, device,
        threads of XLA's pool on the CPU, instruction set, and the flags that
        are set.

    Source: section Deterministic arithmetic and its price.
    """
    device = jax.devices()[0]
    return build_environment(
        "jax",
        versions=list_versions("jax", "jaxlib", "flax", "optax"),
        device="cpu" if device.platform == "cpu" else device.device_kind,
        threads=read_threads("NPROC") or count_cores(),
        flags=list_variables(VARIABLES) | list_changed(_read_switches()),
    )


def _read_switches() -> dict[str, tuple[object, object]]:
    """By name, the present value and the default of what changes bits."""
    pairs = DEFAULTS.items()
    return {name: (getattr(jax.config, name), start) for name, start in pairs}
