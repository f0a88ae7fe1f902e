"""A base: what a gate recorded, as a file."""

import json
import os
import pathlib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from flowstart.errors import RequestError
from flowstart.gate.runs import CaseRuns
from flowstart.model import input_files
from flowstart.public import RETURNED, Public
from flowstart.render import files

FORM = 1
"""The version of the file's form."""


@dataclass(frozen=True)
class GateBase(metaclass=Public):
    """A recorded base.

    Attributes:
        file: Its file.
        version: The flowstart that recorded it.
        command: The command that records it.
        cases: The sweep, the stack and the repeats, as JSON.
        runs: The runs of each case.
    """

    __signature__ = RETURNED

    file: str
    version: str
    command: str
    cases: dict[str, Any]
    runs: Sequence[CaseRuns]

    def write(self) -> None:
        """Writes the file. Raises RequestError where that is not possible."""
        document = {
            "form": FORM,
            "flowstart": self.version,
            "command": self.command,
            "cases": self.cases,
            "runs": [each.document for each in self.runs],
        }
        lines = json.dumps(document, ensure_ascii=False, allow_nan=False)
        try:
            with files.completed(pathlib.Path(self.file)) as partial:
                partial.write_text(f"{lines}\n", "utf-8")
        except OSError as error:
            raise RequestError(f"{self.file}: {error.strerror}") from None

    @classmethod
    def read(cls, file: str | os.PathLike[str]) -> Self:
        """The base in a file. Raises RequestError where it has none."""
        path = path_of(file)
        document = input_files.read(path, "a base", input_files.MAX_RESULT_BYTES)
        needed = "the file of `flowstart gate record` is needed"
        if document.get("form") != FORM:
            raise RequestError(f"{path}: this is not a base of form {FORM}; {needed}")
        try:
            runs = [CaseRuns.read(each) for each in document["runs"]]
            version, command, cases = (document[key] for key in ("flowstart", "command", "cases"))
        except (KeyError, TypeError, ValueError):
            raise RequestError(f"{path}: the base is damaged; {needed}") from None
        return cls(str(path), version, command, cases, runs)

    @property
    def check_command(self) -> str:
        """The command that checks against it."""
        return shlex.join(["flowstart", "gate", "check", self.file])


def path_of(file: str | os.PathLike[str]) -> pathlib.Path:
    """The path of a base. Raises RequestError for another name."""
    path = input_files.path_of(file, "the name of a base, such as base.json,")
    if path.suffix != ".json":
        raise RequestError(f"{path}: the name of a base ends with .json, such as base.json")
    if not path.parent.is_dir():
        raise RequestError(f"{path}: there is no folder {path.parent}")
    return path
