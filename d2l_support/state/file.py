"""The file of random states: JSON with a digest, read with suspicion.

The file is text: one JSON object that holds the content and the SHA-256
digest of the content's own text. Reading it parses JSON and base64 and runs
nothing; there is no pickle. A file counts as undamaged only if writing what
was read gives the same bytes again, so not one byte can change unseen.
"""

import hashlib
import json
import os
from pathlib import Path

FORMAT = "d2l random state"
VERSION = 1


class RandomStateError(ValueError):
    """A random state that cannot be saved or put back; the message says why."""


def encode_file(content: object) -> bytes:
    """The bytes of a file that holds this content.

    Args:
        content: What JSON can hold; floats have to be finite.
    """
    text = json.dumps(content, indent=1, sort_keys=True, allow_nan=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f'{{\n"content": {text},\n"sha256": "{digest}"\n}}\n'.encode()


def read_state_file(path: str | os.PathLike[str]) -> dict[str, object]:
    """The content of a file of random states, just as it was saved.

    Raises:
        FileNotFoundError: There is no such file.
        RandomStateError: It is damaged, something else, or of a newer format.
    """
    raw = Path(path).read_bytes()
    try:
        content = json.loads(raw)["content"]
        check_version(content, path)
        intact = raw == encode_file(content)
    except RandomStateError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError):
        intact = False
    if not intact:
        raise RandomStateError(
            f"{path}: found a file that is damaged or no random state, expected "
            "every byte as save_random_state wrote it. Take another copy, or "
            "an older state."
        )
    return content


def check_version(content: object, where: object) -> None:
    """Refuses what is no random state, or was written by a newer release.

    Args:
        content: What should hold the format's name and version.
        where: The file's name, for messages.

    Raises:
        RandomStateError: It is of another format or of a newer version.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RandomStateError(
            f"{where}: found something else, expected a random state. Give the "
            "file that save_random_state wrote."
        )
    version = content.get("version")
    if type(version) is not int or version < 1:
        raise RandomStateError(
            f"{where}: found a random state without a version, expected a "
            f"version from 1 to {VERSION}. Take another copy."
        )
    if version > VERSION:
        raise RandomStateError(
            f"{where}: found version {version} of the format, expected at most "
            f"{VERSION}. Load it with the newer release that saved it."
        )
