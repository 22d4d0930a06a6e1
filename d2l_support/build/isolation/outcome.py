"""What a run is limited to, and what became of it; both pass through a pipe."""

import json
from dataclasses import asdict, dataclass, fields

from nbformat import NotebookNode, from_dict

WHOLE, TIMEOUT, MEMORY, OUTPUT = "whole", "timeout", "memory", "output"
DIED, UNSTARTED = "died", "unstarted"

ENDINGS = (WHOLE, TIMEOUT, MEMORY, OUTPUT, DIED, UNSTARTED)
"""How a run ends: every cell was run; one took too long (the others were run
too, where the kernel could be interrupted); the kernel had to be ended for its
memory or its outputs; it ended by itself or for its processes, its files or
its messages; it did not start."""


@dataclass(frozen=True)
class Limits:
    """What one run may use; all are positive.

    Attributes:
        cell_seconds: For one cell.
        seconds: For the notebook, the kernel's start not counted.
        memory: Bytes of the kernel and its children together.
        output: Bytes of all outputs of the notebook together.
    """

    cell_seconds: float = 60
    seconds: float = 600
    memory: int = 4 * 2**30
    output: int = 2**20

    def __post_init__(self) -> None:
        for each in fields(self):
            if not getattr(self, each.name) > 0:
                found = getattr(self, each.name)
                raise ValueError(f"found {each.name} {found!r}, expected it above 0")

    def to_json(self) -> str:
        """The limits as text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Limits":
        """The limits that ``to_json`` wrote."""
        return cls(**json.loads(text))


@dataclass(frozen=True)
class Outcome:
    """What became of a notebook.

    Attributes:
        notebook: The notebook with its outputs, as far as it came. A code cell
            that is not among ``completed`` carries an error output.
        ending: One of ``ENDINGS``.
        detail: One sentence on why it did not end whole, or "".
        completed: The ids of the code cells whose end is attested (see
            ``attestation``), in order; a blank cell's needs no kernel.
        seconds: How long it took, the kernel's start included.
        isolation: ``sandbox`` or ``process``.
    """

    notebook: NotebookNode
    ending: str
    detail: str
    completed: tuple[str, ...]
    seconds: float
    isolation: str

    def to_json(self) -> str:
        """The outcome as text that any file can hold: no half characters."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        text = json.dumps(values, ensure_ascii=False)
        return text.encode("utf-8", "replace").decode("utf-8")

    @classmethod
    def from_json(cls, text: str) -> "Outcome":
        """The outcome that ``to_json`` wrote.

        Raises:
            ValueError: The text is no outcome.
        """
        try:
            values = json.loads(text)
            values["notebook"] = from_dict(values["notebook"])
            values["completed"] = tuple(values["completed"])
            return cls(**values)
        except (KeyError, TypeError) as error:
            raise ValueError(f"found no outcome ({error})") from error
