"""The contract of saving and loading random streams, the same in all four."""

import json
import random
import resource
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from d2l_support.state.check import RandomStateWarning
from d2l_support.state.file import encode_file

DAMAGES = 250


@pytest.fixture
def saved(d2l, sample, tmp_path):
    """Streams, and the file that they have just been saved to."""
    named = sample.make(1)
    sample.draw(named)
    file = tmp_path / "streams.json"
    d2l.save_random_state(file, **sample.options, **named)
    return named, file


def change(file, edit):
    """Edits the file's content and gives it the right digest again."""
    content = json.loads(file.read_bytes())["content"]
    edit(content)
    file.write_bytes(encode_file(content))


def expect_refusal(d2l, sample, file, named, *parts):
    """Loads what has to be refused; no stream may notice."""
    before = sample.snapshot(named)
    with pytest.raises(d2l.RandomStateError) as caught:
        d2l.load_random_state(file, **named)
    assert sample.snapshot(named) == before
    message = str(caught.value)
    assert message.startswith(f"{file}: found ")
    assert ", expected " in message
    for part in parts:
        assert part in message


def test_loaded_streams_draw_the_same(d2l, sample, saved):
    named, file = saved
    drawn = sample.draw(named)
    sample.draw(named)
    assert sample.draw(named | d2l.load_random_state(file, **named)) == drawn


def test_loading_sets_other_streams_of_the_same_kinds(d2l, sample, saved):
    named, file = saved
    drawn = sample.draw(named)
    d2l.set_seed(9)
    others = sample.make(2)
    found = d2l.load_random_state(file, **others)
    assert list(found) == list(others)
    assert sample.draw(found) == drawn


def test_loading_sets_generators_in_place(d2l, sample, saved):
    named, file = saved
    rng = named["PCG64"]
    assert d2l.load_random_state(file, **named)["PCG64"] is rng


def test_saving_moves_no_stream_that_can_be_read(d2l, sample, saved, tmp_path):
    named, _ = saved
    before = sample.snapshot(named)
    d2l.save_random_state(tmp_path / "again.json", **sample.options, **named)
    assert sample.snapshot(named) == before


def test_equal_states_give_equal_files(d2l, sample, saved, tmp_path):
    named, file = saved
    d2l.save_random_state(tmp_path / "again.json", **sample.options, **named)
    assert (tmp_path / "again.json").read_bytes() == file.read_bytes()


def test_file_is_json_text(framework, saved):
    content = json.loads(saved[1].read_text("ascii"))["content"]
    assert content["framework"] == framework
    assert content["versions"]["numpy"] == np.__version__
    assert content["devices"] == 1


def test_content_survives_without_a_file(d2l, sample, saved):
    named, _ = saved
    content = json.loads(json.dumps(d2l.read_random_state(**sample.options, **named)))
    drawn = sample.draw(named)
    found = d2l.restore_random_state(content, **sample.make(2))
    assert sample.draw(found) == drawn


def test_loading_in_a_new_process(framework, d2l, sample, saved):
    named, file = saved
    drawn = sample.draw(named)
    code = (
        "import json, pathlib, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import numpy_streams as shared\n"
        f"import {framework}_streams as own\n"
        f"from d2l_support import {framework} as d2l\n"
        "d2l.set_seed(7)\n"
        "named = shared.make_streams(8) | own.make_streams(8)\n"
        "named = d2l.load_random_state(sys.argv[2], **named)\n"
        "print(json.dumps([shared.draw(named), own.draw(named)]))\n"
    )
    folder = str(sample.parts[0].__file__).rpartition("/")[0]
    command = [sys.executable, "-c", code, folder, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == drawn


def test_a_stream_may_be_called_path(d2l, sample, tmp_path):
    rng, file = np.random.default_rng(3), tmp_path / "one.json"
    d2l.save_random_state(file, path=rng, **sample.options)
    first = rng.normal()
    d2l.load_random_state(file, path=rng)
    assert rng.normal() == first


def test_load_without_file(d2l, sample, tmp_path):
    with pytest.raises(FileNotFoundError):
        d2l.load_random_state(tmp_path / "none.json")


def test_load_refuses_another_framework(d2l, sample, saved):
    named, file = saved
    change(file, lambda content: content.update(framework="chainer"))
    expect_refusal(
        d2l,
        sample,
        file,
        named,
        "the random state of 'chainer', expected that of",
        "Load it where it was saved.",
    )


def test_load_refuses_another_number_of_devices(d2l, sample, saved):
    named, file = saved
    change(file, lambda content: content.update(devices=3))
    expect_refusal(
        d2l,
        sample,
        file,
        named,
        "states for 3 device(s), expected 1",
        "Load it in a process that has 3",
    )


def test_load_refuses_a_newer_format(d2l, sample, saved):
    named, file = saved
    change(file, lambda content: content.update(version=2, more="unknown"))
    expect_refusal(
        d2l,
        sample,
        file,
        named,
        "version 2 of the format, expected at most 1",
        "Load it with the newer release that saved it.",
    )


def test_load_refuses_a_name_that_was_not_handed_in(d2l, sample, saved):
    named, file = saved
    del named["PCG64"]
    with pytest.raises(d2l.RandomStateError) as caught:
        d2l.load_random_state(file, **named)
    assert str(caught.value) == (
        f"{file}: found states for PCG64, expected that those streams are handed "
        "in. Call it with PCG64=... as well."
    )


def test_load_refuses_a_name_that_was_not_saved(d2l, sample, saved):
    named, file = saved
    with pytest.raises(d2l.RandomStateError) as caught:
        d2l.load_random_state(file, **named, more=np.random.default_rng(1))
    assert str(caught.value) == (
        f"{file}: found no state for more, expected one for each stream that is "
        "handed in. Leave out more, or save again with it."
    )


def test_load_refuses_another_kind_of_generator(d2l, sample, saved):
    named, file = saved
    named["PCG64"] = np.random.Generator(np.random.MT19937(1))
    expect_refusal(
        d2l,
        sample,
        file,
        named,
        "for stream 'PCG64' the state of 'numpy.random.Generator(PCG64)'",
        "expected that of 'numpy.random.Generator(MT19937)'",
        "Use a generator of the saved kind.",
    )


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b"\x80\x04]\x94.", b'{"content": {}}', b"[" * 9999]
)
def test_load_refuses_what_is_no_state(d2l, sample, saved, data):
    named, file = saved
    file.write_bytes(data)
    expect_refusal(d2l, sample, file, named)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.99])
def test_load_refuses_a_truncated_file(d2l, sample, saved, part):
    named, file = saved
    raw = file.read_bytes()
    file.write_bytes(raw[: int(len(raw) * part)])
    expect_refusal(d2l, sample, file, named, "a file that is damaged")


def test_load_is_all_or_nothing(d2l, sample, saved):
    named, file = saved
    last = list(named)[-1]
    sample.draw(named)
    change(file, lambda content: content["named"][last].update(state={}))
    expect_refusal(d2l, sample, file, named, f"stream {last!r}", "Take another copy")


@pytest.mark.parametrize(
    ("field", "value"),
    [("pos", 625), ("pos", 10**6), ("pos", -1), ("pos", True), ("key", "AAAA")],
)
def test_load_refuses_a_state_that_numpy_would_take(d2l, sample, saved, field, value):
    # NumPy itself takes some of these, and then reads beyond its table.
    named, file = saved

    def edit(content):
        content["named"]["MT19937"]["state"]["state"][field] = value

    change(file, edit)
    expect_refusal(d2l, sample, file, named, f"stream 'MT19937': state.state.{field}")


def test_load_warns_of_another_release(d2l, sample, saved):
    named, file = saved
    drawn = sample.draw(named)
    change(file, lambda content: content["versions"].update(numpy="1.0"))
    message = rf"numpy 1\.0 there and {np.__version__} here"
    with pytest.warns(RandomStateWarning, match=message):
        found = d2l.load_random_state(file, **named)
    assert sample.draw(found) == drawn


def test_save_refuses_an_unknown_object(d2l, sample, tmp_path):
    with pytest.raises(TypeError, match=r"state of rng: found .* type list, expected"):
        d2l.save_random_state(tmp_path / "x.json", rng=[1], **sample.options)
    assert not list(tmp_path.iterdir())


def test_save_refuses_a_stream_without_a_state(d2l, sample, tmp_path):
    with pytest.raises(
        TypeError, match=r"found an object of type random\.SystemRandom"
    ):
        d2l.save_random_state(
            tmp_path / "x.json", rng=random.SystemRandom(), **sample.options
        )


@contextmanager
def full_disk(size):
    """As if the disk had room for so many bytes only."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_save_on_a_full_disk_keeps_the_older_file(d2l, sample, saved):
    named, file = saved
    older = file.read_bytes()
    sample.draw(named)
    with full_disk(1000), pytest.raises(OSError, match="File too large"):
        d2l.save_random_state(file, **sample.options, **named)
    assert file.read_bytes() == older
    assert list(file.parent.iterdir()) == [file]


def damage_bytes(rng, raw):
    """The bytes with some of them flipped, left out or put in."""
    raw = bytearray(raw)
    for _ in range(rng.choice([1, 1, 4])):
        place = rng.randrange(len(raw))
        how = rng.randrange(3)
        if how == 0:
            raw[place] ^= 1 << rng.randrange(8)
        elif how == 1:
            del raw[place : place + rng.randrange(1, 9)]
        else:
            raw[place:place] = rng.randbytes(rng.randrange(1, 9))
    return bytes(raw)


def test_damaged_bytes_are_always_refused(d2l, sample, saved):
    named, file = saved
    raw, rng = file.read_bytes(), random.Random(3)
    before = sample.snapshot(named)
    for _ in range(DAMAGES):
        damaged = damage_bytes(rng, raw)
        file.write_bytes(damaged)
        if damaged != raw:
            with pytest.raises(d2l.RandomStateError):
                d2l.load_random_state(file, **named)
    assert sample.snapshot(named) == before


JUNK = (
    *(None, True, False, 0, 1, -1, 3, 624, 625, 2**32, 2**64, 2**200, 10**4000),
    *(0.0, 1.5, -0.0, 1e308, "", "AAAA", "random.Random", "\ud800", "\0", "=" * 9),
    *([], [1, [2]], {}, {"state": {}}, {"kind": "x", "state": None}),
)


def damage_content(rng, data):
    """The data with one part somewhere inside replaced or taken away."""
    inner = data
    while True:
        key = rng.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
        part = inner[key]
        if not part or not isinstance(part, dict | list) or rng.random() < 0.2:
            break
        inner = part
    how = rng.randrange(4)
    if how == 0 and isinstance(inner, dict):
        del inner[key]
    elif how == 1 and isinstance(part, int):
        inner[key] = part + rng.choice([-1, 1, 2**31])
    elif how == 2 and isinstance(part, str) and part:
        place = rng.randrange(len(part))
        inner[key] = part[:place] + rng.choice("A/b=!") + part[place + 1 :]
    else:
        inner[key] = rng.choice(JUNK)


@pytest.mark.filterwarnings("ignore::d2l_support.state.check.RandomStateWarning")
def test_nonsense_is_refused_or_is_a_state(d2l, sample, saved):
    """With a right digest, a changed state may be another valid state."""
    named, file = saved
    raw, rng = file.read_bytes(), random.Random(4)
    refused = 0
    for _ in range(DAMAGES):
        content = json.loads(raw)["content"]
        damage_content(rng, content)
        file.write_bytes(encode_file(content))
        before = sample.snapshot(named)
        try:
            found = d2l.load_random_state(file, **named)
        except d2l.RandomStateError:
            refused += 1
            assert sample.snapshot(named) == before
            continue
        options = dict(sample.options)
        if options:
            options = {"reseed": content["process"]["MXNet"]["state"]["seed"]}
        again = d2l.read_random_state(**options, **found)
        assert (again["process"], again["named"]) == (
            content["process"],
            content["named"],
        )
    assert refused > DAMAGES / 3
