"""What this book's MXNet notebooks import: `mxnet as d2l`."""

import mxnet as mx

from d2l_support.checkpoint import load_checkpoint, save_checkpoint
from d2l_support.environment import (
    build_environment,
    list_variables,
    read_threads,
)
from d2l_support.inspection.mxnet import count_macs as count_macs
from d2l_support.inspection.mxnet import find_divergence as find_divergence
from d2l_support.inspection.mxnet import find_nonfinite as find_nonfinite
from d2l_support.inspection.mxnet import gradient_norms as gradient_norms
from d2l_support.inspection.mxnet import record_activations as record_activations
from d2l_support.inspection.mxnet import record_trace as record_trace
from d2l_support.inspection.traces import load_trace as load_trace
from d2l_support.inventory import Inventory
from d2l_support.mxnet_loaders import (
    ReplayingLoader,
    StatefulLoader,
)
from d2l_support.mxnet_resume import (
    list_items,
    prove_resume,
    read_model,
    read_optimizer,
    read_schedule,
    restore_model,
    restore_optimizer,
    restore_schedule,
)
from d2l_support.mxnet_state import (
    load_random_state,
    name_streams,
    read_random_state,
    restore_random_state,
    save_random_state,
)
from d2l_support.state_file import RandomStateError
from d2l_support.streams import (
    Stream,
    check_seed,
    list_global,
    list_named,
    list_shared,
    remember_seed,
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

VARIABLES = (
    "MXNET_CUDNN_AUTOTUNE_DEFAULT",
    "MXNET_ENGINE_TYPE",
    "MXNET_OMP_MAX_THREADS",
    "MXNET_ONEDNN_ENABLED",
    "MXNET_SAFE_ACCUMULATION",
)
ACCEPTED = ("and nothing of MXNet, which has no generator objects",)


def set_seed(seed: int) -> None:
    """Seeds `random`, NumPy's legacy global and MXNet on every device.

    Args:
        seed: An integer from 0 to 2**32 - 1.

    Raises:
        TypeError, ValueError: The seed is no such integer.

    State touched: those streams.
    Source: section Seeds and randomness.
    """
    seed = check_seed(seed)
    seed_shared(seed)
    mx.np.random.seed(seed)
    for name in name_streams():
        remember_seed(name, seed, None)


def random_inventory(**named: object) -> Inventory:
    """The random streams of this process; looking changes none of them.

    MXNet's own state cannot be read, so whether it has moved is not known.

    Args:
        **named: Generators of your own, under the names to show: NumPy's or
            Python's, since MXNet has no generator objects.

    Raises:
        TypeError: One of them is none of these.

    Source: section Seeds and randomness.
    """
    note = "MXNet has no call that reads its state."
    own = (list_global(name, "MXNet", None, note) for name in name_streams())
    private = list_named(named, _describe_generator, ACCEPTED)
    return Inventory("mxnet", (*list_shared(), *own, *private))


def _describe_generator(name: str, generator: object) -> Stream | None:
    """None for everything: MXNet has no generator objects."""
    return None


def describe_environment() -> dict[str, object]:
    """What a result of this process depends on besides code and seeds.

    Returns:
        A dictionary for `json.dumps`: framework, versions, platform, device,
        threads (None unless OMP_NUM_THREADS tells), instruction set, and the
        flags that are set.

    Source: section Deterministic arithmetic and its price.
    """
    return build_environment(
        "mxnet",
        versions={"mxnet": mx.__version__},
        device="gpu(0)" if mx.device.num_gpus() else "cpu",
        threads=read_threads("OMP_NUM_THREADS"),
        flags=list_variables(VARIABLES),
    )
