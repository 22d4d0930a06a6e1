"""What the four modules export: the same names, and what one of them adds."""

SHARED = [
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
ADDED = {"tensorflow": {"read_iterator", "restore_iterator"}}


def test_shared_names_are_exported(d2l):
    assert [name for name in SHARED if name not in d2l.__all__] == []


def test_every_exported_name_exists(d2l):
    assert [name for name in d2l.__all__ if not hasattr(d2l, name)] == []


def test_added_names_are_known(d2l, framework):
    added = ADDED.get(framework, set())
    assert added <= set(d2l.__all__)
