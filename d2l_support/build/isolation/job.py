"""What a worker is told, and how it is written into a pipe."""

import json
from dataclasses import asdict, dataclass, fields

from nbformat import NotebookNode, from_dict

from d2l_support.build.isolation.outcome import Limits


@dataclass(frozen=True)
class Job:
    """One notebook to run.

    Attributes:
        notebook: The notebook; every code cell has an id.
        framework: Whose kernel runs it.
        root: The checkout, which has the kernels.
        folder: A scratch folder that the caller removes.
        limits: What it may use.
        isolation: ``sandbox`` or ``process``.
    """

    notebook: NotebookNode
    framework: str
    root: str
    folder: str
    limits: Limits
    isolation: str

    def to_json(self) -> str:
        """The job as text."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return json.dumps({**values, "limits": asdict(self.limits)})

    @classmethod
    def from_json(cls, text: str) -> "Job":
        """The job that ``to_json`` wrote."""
        values = json.loads(text)
        values["notebook"] = from_dict(values["notebook"])
        values["limits"] = Limits(**values["limits"])
        return cls(**values)
