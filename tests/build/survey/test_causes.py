"""Which cause of a difference is named first, and with what evidence."""

from d2l_support.build.survey.agreement import Agreement
from d2l_support.build.survey.causes import list_changes, rank_causes
from d2l_support.build.survey.ledger import Observation

HERE = {
    "versions": {"torch": "2.13.0", "numpy": "2.4.6"},
    "device": "cpu",
    "platform": "Linux x86_64",
    "threads": 2,
    "instruction_set": "AVX-512",
    "flags": {},
}
SMALL = Agreement("numbers", relative=1e-7)
LEDGER = {
    "one-core": Observation("a1", "2026-11-30", {}),
    "eight-threads": Observation("a1", "2026-11-30", {}),
    "avx2": Observation("a1", "2026-11-30", {}, {"loss": SMALL}),
    "sse": Observation("a1", "2026-11-30", {}, {"loss": SMALL}),
}


def there(**changes):
    """Another machine's environment."""
    return {**HERE, **changes}


def test_list_changes_between_equal_environments_is_empty():
    assert list(list_changes(HERE, there())) == []


def test_list_changes_names_each_with_from_and_to():
    other = there(
        versions={"torch": "2.14.0", "numpy": "2.4.6"},
        threads=8,
        device="NVIDIA H200",
        flags={"ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_CBWR": "COMPATIBLE"},
    )
    assert list(list_changes(HERE, other)) == [
        ("release", "torch 2.13.0 to 2.14.0"),
        ("device", "cpu to NVIDIA H200"),
        ("threads", "2 to 8"),
        ("instruction set", "ONEDNN_MAX_CPU_ISA not set to AVX2"),
        ("flag", "MKL_CBWR not set to COMPATIBLE"),
    ]


def test_rank_causes_follows_the_ledger():
    other = there(instruction_set="AVX2", threads=8)
    causes = rank_causes(HERE, other, SMALL, "loss", LEDGER)
    assert [(cause.name, cause.rank) for cause in causes] == [
        ("instruction set", "likely"),
        ("threads", "unlikely"),
    ]
    assert str(causes[0]) == (
        "likely: instruction set, AVX-512 to AVX2 (numbers differ by 1.0e-07 in the "
        "ledger under 'AVX2 at most')"
    )
    assert causes[1].reason == (
        "the same text in the ledger under 'one core' and 'eight threads'"
    )


def test_rank_causes_does_not_explain_much_by_little():
    other = there(
        instruction_set="AVX2", versions={"torch": "2.14.0", "numpy": "2.4.6"}
    )
    causes = rank_causes(HERE, other, Agreement("text"), "loss", LEDGER)
    assert [(cause.name, cause.rank) for cause in causes] == [
        ("release", "likely"),
        ("instruction set", "possible"),
    ]


def test_rank_causes_without_a_measurement_says_so():
    [cause] = rank_causes(HERE, there(flags={"MKL_CBWR": "AVX"}), SMALL, "loss", LEDGER)
    assert (cause.rank, cause.reason) == (
        "possible",
        "the book has no measurement of it",
    )


def test_rank_causes_in_an_equal_environment_has_none():
    assert rank_causes(HERE, there(), SMALL, "loss", LEDGER) == []
