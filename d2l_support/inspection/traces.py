"""A run with every tensor in it, in memory or in a file.

The file has three parts, and nothing in it is ever executed:

    d2l-trace 1 <SHA-256 of all that follows>     one line
    {"framework": ..., "calls": [...], ...}       one line of JSON
    the bytes of the tensors                      each in C order

The same trace gives the same bytes. What is wrong with a file is a
`ValueError` that names it.
"""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from d2l_support.inspection.coverage import Coverage
from d2l_support.inspection.differences import digest_tensor
from d2l_support.inspection.formats import describe_end, format_shape
from d2l_support.inspection.runs import Call, Labels, Run, Value
from d2l_support.tables import Table, Tabular

MAGIC, VERSION = "d2l-trace", "1"
HEADER = ("output of", "shape", "dtype", "SHA-256 begins")
SHOWN = 60
AGAIN = "Make it again with record_trace(...).save(...)."


@dataclass(frozen=True, repr=False)
class Trace(Tabular):
    """The arguments and outputs of every module in one pass.

    Attributes:
        run: The run; its values hold their bytes, unless they were left out.
        digests: By the index of a value, the digest of its dtype, shape and
            bytes; "" where it could not be read.
        weights: By name, the digest of each parameter and buffer.
        streams: By name, the digest of each random stream at the start.
        environment: What `describe_environment` said.
    """

    run: Run
    digests: tuple[str, ...]
    weights: Mapping[str, str]
    streams: Mapping[str, str]
    environment: Mapping[str, Any]

    def save(self, path: str | Path, values: bool = True) -> None:
        """Writes the trace to a file.

        Args:
            path: Where to.
            values: Whether the tensors go with it. Without them the file is
                small, and can tell *where* runs differ, but not how much.
        """
        kept = [v.data or b"" if values else b"" for v in self.run.values]
        body = encode_header(self, [len(data) for data in kept]) + b"".join(kept)
        digest = hashlib.sha256(body).hexdigest()
        Path(path).write_bytes(f"{MAGIC} {VERSION} {digest}\n".encode() + body)

    def _table(self) -> Table:
        labels = Labels(self.run.calls)
        rows = [
            (
                labels(index, path),
                format_shape(self.run.values[at].shape),
                self.run.values[at].dtype,
                self.digests[at][:16] or "-",
            )
            for index, call in enumerate(self.run.calls)
            for path, at in call.outputs
        ]
        more = len(rows) - SHOWN
        extra = (f"{more} more rows are left out.",) if more > 0 else ()
        return Table(
            title=f"Trace of one pass ({self.run.framework})",
            header=HEADER,
            rows=tuple(rows[:SHOWN]),
            notes=(*extra, *describe_end(self.run)),
            keep="end",
        )


def build_trace(
    run: Run, streams: Mapping[str, str], environment: Mapping[str, Any]
) -> Trace:
    """The trace of a run whose values hold their bytes.

    Args:
        run: The run, with the weights' bytes as well; these are dropped.
        streams: By name, the digest of each random stream at the start.
        environment: From `describe_environment`.
    """
    digests = tuple(digest_value(value) for value in run.values)
    weights = {n: digest_value(value) for names, value in run.weights for n in names}
    bare = dataclasses.replace(run, weights=())
    return Trace(bare, digests, weights, streams, environment)


def digest_value(value: Value) -> str:
    """The digest of a value that holds its bytes; "" of another one."""
    if value.data is None:
        return ""
    return digest_tensor(value.shape, value.dtype, value.data)


def encode_header(trace: Trace, lengths: list[int]) -> bytes:
    """All of a trace but its tensors, as one line of JSON."""
    values = zip(trace.run.values, trace.digests, lengths, strict=True)
    header = {
        "framework": trace.run.framework,
        "raised": trace.run.raised,
        "calls": [dataclasses.astuple(call) for call in trace.run.calls],
        "values": [[v.shape, v.dtype, v.skipped, d, n] for v, d, n in values],
        "coverage": dataclasses.astuple(trace.run.coverage),
        "weights": dict(trace.weights),
        "streams": dict(trace.streams),
        "environment": dict(trace.environment),
    }
    return (json.dumps(header, sort_keys=True) + "\n").encode()


def load_trace(path: str | Path) -> Trace:
    """Reads a trace from a file.

    Raises:
        OSError: There is no such file, or it cannot be read.
        ValueError: It is no trace, is damaged, or of another version.
    """
    first, _, body = Path(path).read_bytes().partition(b"\n")
    match first.decode("ascii", "replace").split(" "):
        case [magic, version, digest] if magic == MAGIC:
            check_version(path, version)
        case _:
            raise ValueError(f"{path}: found no trace, expected one. {AGAIN}")
    if hashlib.sha256(body).hexdigest() != digest:
        raise ValueError(
            f"{path}: found that its content does not fit its digest, so it was "
            f"changed or cut off; expected it as it was written. {AGAIN}"
        )
    header, _, data = body.partition(b"\n")
    try:
        return decode_trace(json.loads(header), data)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(
            f"{path}: found a header that is no trace's ({error!r}), expected "
            f"what version {VERSION} writes. {AGAIN}"
        ) from error


def check_version(path: str | Path, version: str) -> None:
    """Refuses a file that another version of this module wrote."""
    if version != VERSION:
        raise ValueError(
            f"{path}: found a trace of version {version}, expected {VERSION}. Read "
            f"it with the d2l_support that wrote it, or: {AGAIN}"
        )


def decode_trace(header: Mapping[str, Any], data: bytes) -> Trace:
    """The trace that a header and the bytes of its tensors describe.

    Raises:
        KeyError, IndexError, TypeError, ValueError: They are no trace.
    """
    values, digests, start = [], [], 0
    for shape, dtype, skipped, digest, length in header["values"]:
        content = data[start : start + length] if length else None
        shape = tuple(map(int, shape))
        values.append(Value(shape, str(dtype), (), str(skipped), content))
        digests.append(str(digest))
        start += length
    if start != len(data):
        raise ValueError(f"{start} bytes in the list, {len(data)} in the file")
    calls = tuple(decode_call(*fields) for fields in header["calls"])
    seen, silent, warnings = header["coverage"]
    coverage = Coverage(int(seen), tuple(map(tuple, silent)), tuple(warnings))
    framework, raised = str(header["framework"]), str(header["raised"])
    run = Run(framework, calls, tuple(values), coverage, raised=raised)
    rest = (header["weights"], header["streams"], header["environment"])
    return Trace(run, tuple(digests), *rest)


def decode_call(
    names: list[str],
    kind: str,
    number: int,
    phase: str,
    inputs: list[list[Any]] | None,
    outputs: list[list[Any]],
) -> Call:
    """A call as JSON holds it, with tuples in place of lists."""
    given = None if inputs is None else tuple((str(p), int(at)) for p, at in inputs)
    gave = tuple((str(path), int(at)) for path, at in outputs)
    return Call(tuple(map(str, names)), str(kind), int(number), str(phase), given, gave)
