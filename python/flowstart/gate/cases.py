"""The cases of a gate: the cells of a sweep, each with every variant."""

import dataclasses
import os
import pathlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from flowstart.errors import RequestError
from flowstart.model import input_files
from flowstart.model.document import Document, plain, resolve
from flowstart.model.perturbation import drawn, perturbed
from flowstart.questions.gate import GateCheck, GateRecord
from flowstart.sweeps.cell import DRAWN_COMPANY, Cell
from flowstart.sweeps.language.document import settled
from flowstart.sweeps.language.named import named_file
from flowstart.sweeps.language.sweep import Sweep

USUAL = "gate"
"""The built-in sweep."""
MOST_CASES = 100_000
"""Each has a line in the base."""


@dataclass(frozen=True)
class Cases:
    """What a gate runs."""

    written: Document
    """The sweep's document, as JSON."""
    folder: str
    """Where files that it names are."""
    live: str | None
    """The real stack; None for the simulator."""
    repeat: int
    sweep: Sweep

    @classmethod
    def of(cls, question: GateRecord) -> Self:
        """What a question records."""
        sweep = USUAL if question.sweep is None else question.sweep
        folder = pathlib.Path()
        if isinstance(sweep, Sweep):
            written = sweep.document
        elif isinstance(sweep, Mapping):
            written = plain(sweep)
        else:
            right = "an fs.Sweep, its fields as a mapping, or the name of a sweep or its file"
            path = input_files.path_of(sweep, right)
            file = named_file(str(path))
            written = input_files.read(file, "a sweep")
            if file == path:  # a built-in sweep names no files
                folder = path.parent
        written = {**written, **_overrides(question)}
        return cls._made(written, os.path.relpath(folder), question.live, question.repeat, question)

    @classmethod
    def read(cls, document: Mapping[str, Any], question: GateCheck) -> Self:
        """What a base recorded, with what a question asks instead."""
        written = {**document["sweep"], **_overrides(question)}
        live = question.live or document["live"]
        return cls._made(written, document["folder"], live, document["repeat"], question)

    @classmethod
    def _made(
        cls,
        written: Document,
        folder: str,
        live: str | None,
        repeat: int,
        question: GateRecord | GateCheck,
    ) -> Self:
        is_own = bool(question.startups or question.variants)
        sweep = Sweep(
            settled(
                written,
                pathlib.Path(folder),
                is_file=not is_own,
                allow_python=question.allow_python,
            )
        )
        if sweep.count * len(sweep.variants) > MOST_CASES:
            raise RequestError(
                f"the sweep has {sweep.count * len(sweep.variants)} cases; at most {MOST_CASES} "
                "are possible",
                ("sweep",),
            )
        return cls(written, folder, live, repeat, sweep)

    @property
    def document(self) -> dict[str, Any]:
        """In JSON types."""
        return {
            "sweep": self.written,
            "folder": self.folder,
            "live": self.live,
            "repeat": self.repeat,
        }

    def cells(self) -> dict[str, Cell]:
        """The cells by name."""
        cells = list(self.sweep.cells())
        names = [_name(cell, self.sweep) for cell in cells]
        several = Counter(names)
        return {
            f"{name}, cell {cell.number}" if several[name] > 1 else name: cell
            for name, cell in zip(names, cells, strict=True)
        }

    def repeats(self, cell: Cell) -> Iterator[Cell]:
        """The cell and its repeats: further seeds, or perturbed delays if nothing is drawn."""
        scenario = {"path": cell.path, "stack": cell.stack, "flows": [cell.flow]}
        is_drawn = cell.competing in DRAWN_COMPANY or bool(drawn(resolve(scenario)))
        yield cell
        for number in range(1, self.repeat):
            if is_drawn:
                yield dataclasses.replace(cell, seed=cell.seed + number)
                continue
            repeat = perturbed(scenario, number)
            (flow,) = repeat["flows"]
            flow = {name: flow[name] for name in cell.flow}
            yield dataclasses.replace(cell, path=repeat["path"], flow=flow)


def _overrides(question: GateRecord | GateCheck) -> Document:
    """What a question has in the place of the sweep's."""
    fields: dict[str, Any] = {}
    if question.startups or question.variants:
        fields |= {"startups": [*(question.startups or ())], "variants": [*question.variants]}
    for name in ("stack", "cc"):
        if value := getattr(question, name):
            fields[name] = value
    return {name: value for name, value in fields.items() if value}


def _name(cell: Cell, sweep: Sweep) -> str:
    """A cell in words: its path, the size, and what else differs between cells."""
    path = cell.origin or ", ".join(
        str(cell.path[name]) for name in ("rate", "rtt", "buffer", "queue") if name in cell.path
    )
    words = [path, str(cell.flow.get("size", ""))]
    if len(sweep.request.stacks) > 1:
        words.append(str(cell.stack.get("preset", "")))
    if cell.cc and len(sweep.request.avoidances) > 1:
        words.append(cell.cc)
    if cell.competing != "alone":
        words.append(f"beside {cell.competing}")
    return ", ".join(filter(None, words))
