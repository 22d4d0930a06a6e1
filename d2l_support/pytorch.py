"""What this book's PyTorch notebooks import: `pytorch as d2l`."""

import torch

from d2l_support.environment import (
    build_environment,
    list_changed,
    list_variables,
)
from d2l_support.inspection.pytorch import (
    count_macs,
    find_divergence,
    find_nonfinite,
    gradient_norms,
    record_activations,
    record_trace,
)
from d2l_support.inspection.traces import load_trace
from d2l_support.inventory import Inventory
from d2l_support.loaders.pytorch import ReplayingLoader, StatefulLoader
from d2l_support.resume.checkpoint import load_checkpoint, save_checkpoint
from d2l_support.resume.pytorch import (
    list_items,
    prove_resume,
    read_model,
    read_optimizer,
    read_schedule,
    restore_model,
    restore_optimizer,
    restore_schedule,
)
from d2l_support.resume.training import Item
from d2l_support.state.file import RandomStateError
from d2l_support.state.pytorch import (
    load_random_state,
    read_random_state,
    restore_random_state,
    save_random_state,
)
from d2l_support.streams import (
    Stream,
    check_seed,
    list_global,
    list_named,
    list_shared,
    remember_seed,
    seed_shared,
)

__all__ = [
    "Item",
    "RandomStateError",
    "ReplayingLoader",
    "StatefulLoader",
    "count_macs",
    "describe_environment",
    "find_divergence",
    "find_nonfinite",
    "gradient_norms",
    "list_items",
    "load_checkpoint",
    "load_random_state",
    "load_trace",
    "prove_resume",
    "random_inventory",
    "read_model",
    "read_optimizer",
    "read_random_state",
    "read_schedule",
    "record_activations",
    "record_trace",
    "restore_model",
    "restore_optimizer",
    "restore_random_state",
    "restore_schedule",
    "save_checkpoint",
    "save_random_state",
    "set_seed",
]

VARIABLES = ("ATEN_CPU_CAPABILITY", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE")
ACCEPTED = ("torch.Generator",)


def set_seed(seed: int) -> None:
    """Seeds `random`, NumPy's legacy global and torch on every device.

    Args:
        seed: An integer from 0 to 2**32 - 1.

    Raises:
        TypeError, ValueError: The seed is no such integer.

    State touched: those streams; CUDA is started where there is a device.
    Source: section Seeds and randomness.
    """
    seed = check_seed(seed)
    seed_shared(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.init()  # until then, the seed only waits for the devices
    for name, state in _read_states().items():
        remember_seed(name, seed, state)


def random_inventory(**named: object) -> Inventory:
    """The random streams of this process; looking changes none of them.

    Args:
        **named: Generators of your own, under the names to show: torch's,
            NumPy's or Python's.

    Raises:
        TypeError: One of them is none of these.
        ValueError: One of them is a global generator of torch.

    Source: section Seeds and randomness.
    """
    states = _read_states().items()
    own = (list_global(name, "PyTorch", state) for name, state in states)
    private = list_named(named, _describe_generator, ACCEPTED)
    return Inventory("pytorch", (*list_shared(), *own, *private))


def _read_states() -> dict[str, bytes | None]:
    """The state of each device's generator; None where CUDA is not started."""
    states: dict[str, bytes | None] = {
        "PyTorch cpu": torch.get_rng_state().numpy().tobytes()
    }
    for index in range(torch.cuda.device_count()):
        state = None
        if torch.cuda.is_initialized():
            state = torch.cuda.get_rng_state(index).numpy().tobytes()
        states[f"PyTorch cuda:{index}"] = state
    return states


def _describe_generator(name: str, generator: object) -> Stream | None:
    """The row of a torch.Generator, which remembers the seed it began with."""
    if not isinstance(generator, torch.Generator):
        return None
    if generator in (torch.default_generator, *torch.cuda.default_generators):
        raise ValueError(
            f"random_inventory({name}=...): found torch's global generator "
            f"of {generator.device}, which is listed in any case."
        )
    seed = generator.initial_seed()
    start = torch.Generator(generator.device).manual_seed(seed).get_state()
    moved = not torch.equal(generator.get_state(), start)
    note = "torch.Generator object: seed it with manual_seed."
    return Stream(name, "PyTorch", None, moved, False, note)


def describe_environment() -> dict[str, object]:
    """What a result of this process depends on besides code and seeds.

    Returns:
        A dictionary for `json.dumps`: framework, versions, platform, device,
        threads of one operation, instruction set, and the flags that are set.

    Source: section Deterministic arithmetic and its price.
    """
    has_gpu = torch.cuda.is_available()
    return build_environment(
        "pytorch",
        versions={"torch": torch.__version__},
        device=torch.cuda.get_device_name(0) if has_gpu else "cpu",
        threads=torch.get_num_threads(),
        flags=list_variables(VARIABLES) | list_changed(_read_switches()),
    )


def _read_switches() -> dict[str, tuple[object, object]]:
    """By name, the present value and the default of what changes bits."""
    cudnn = torch.backends.cudnn
    return {
        "torch.use_deterministic_algorithms": (
            torch.are_deterministic_algorithms_enabled(),
            False,
        ),
        "torch.set_default_dtype": (
            str(torch.get_default_dtype()),
            "torch.float32",
        ),
        "torch.set_float32_matmul_precision": (
            torch.get_float32_matmul_precision(),
            "highest",
        ),
        "torch.backends.cudnn.benchmark": (cudnn.benchmark, False),
        "torch.backends.cudnn.deterministic": (cudnn.deterministic, False),
        "torch.backends.mkldnn.enabled": (
            torch.backends.mkldnn.enabled,
            True,
        ),
    }
