"""The inputs that a paper leaves open, and which of its statements hold under which reading.

An experiment made here runs the literal reading and others beside it. It shows for each reading
which of the paper's statements hold, so that nobody has to choose a reading to see what it does.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from flowstart.papers.experiment import Cell, Experiment, Findings, Held, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.target import Measured, Target, TargetClass, Value, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Reading: TypeAlias = Mapping[str, str]
"""By input, how it is read."""
Measure: TypeAlias = Callable[[Lab, Sequence[Reading]], Sequence[Mapping[str, Measured]]]
"""What each reading comes to, by target."""


@dataclass(frozen=True, kw_only=True)
class OpenInput:
    """An input that the paper does not print, or that its words leave open."""

    name: str
    """A few words, for a column: `recovery`."""
    says: str
    """What the paper says of it; or that it says nothing."""
    readings: Mapping[str, str]
    """Each reading with what makes it plausible. The first one is the literal reading."""

    @property
    def literal(self) -> str:
        """The reading that follows the paper's words most closely."""
        return next(iter(self.readings))


def literal(inputs: Sequence[OpenInput]) -> Reading:
    """All inputs as the paper's words have them."""
    return {each.name: each.literal for each in inputs}


def alone(inputs: Sequence[OpenInput]) -> list[Reading]:
    """The literal reading, and each other reading of each input with the rest literal."""
    base = literal(inputs)
    moved = [
        {**base, each.name: reading}
        for each in inputs
        for reading in each.readings
        if reading != each.literal
    ]
    return [base, *moved]


def crossed(inputs: Sequence[OpenInput], names: Iterable[str]) -> list[Reading]:
    """All combinations of the readings of the inputs that are named, the rest literal."""
    chosen = set(names)
    if unknown := chosen - {each.name for each in inputs}:
        raise ValueError(f"no open input is called {min(unknown)}")
    readings = [list(each.readings) if each.name in chosen else [each.literal] for each in inputs]
    order = [each.name for each in inputs]
    return [dict(zip(order, each, strict=True)) for each in itertools.product(*readings)]


def grid(*parts: Iterable[Reading]) -> list[Reading]:
    """The readings of all parts, each once, in their order."""
    found = {tuple(reading.items()): reading for part in parts for reading in part}
    return list(found.values())


def experiment(
    *,
    name: str,
    question: str,
    inputs: Sequence[OpenInput],
    cells: Sequence[Reading],
    targets: Sequence[Target],
    measure: Measure,
) -> Experiment:
    """The experiment that runs `cells`, the first of which is the literal reading.

    `measure` gives for every cell the same targets, which are judged as everywhere else. Only
    statements that the paper prints count.
    """
    if dict(cells[0]) != literal(inputs):
        raise ValueError(f"{name}: the first cell is not the literal reading")

    def run(lab: Lab) -> Findings:
        known = {target.id: target for target in targets}
        found = [
            {each: _Judged.of(known[each], one) for each, one in measured.items()}
            for measured in measure(lab, cells)
        ]
        return _findings(inputs, cells, found)

    return Experiment(id=name, figure="open inputs", question=question, run=run)


@dataclass(frozen=True)
class _Judged:
    """A statement in one cell."""

    target: Target
    value: Value
    verdict: Verdict

    @classmethod
    def of(cls, target: Target, measured: Measured) -> "_Judged":
        if target.target_class not in (TargetClass.PRINTED, TargetClass.REFUTATION):
            raise ValueError(f"{target.id}: the paper does not state it")
        return cls(target, measured.value, target.judge(measured))

    @property
    def holds(self) -> bool:
        """Whether what the paper says is true of the runs."""
        if self.target.target_class is TargetClass.REFUTATION:
            return self.verdict is not Verdict.REFUTED
        return self.verdict.holds


_Column: TypeAlias = Mapping[str, _Judged]


def _findings(
    inputs: Sequence[OpenInput], cells: Sequence[Reading], found: Sequence[_Column]
) -> Findings:
    counts = [sum(one.holds for one in column.values()) for column in found]
    held = Held(
        literal=counts[0],
        least=min(counts),
        most=max(counts),
        of=len(found[0]),
        readings=len(cells),
        verdicts={name: str(one.verdict) for name, one in found[0].items()},
    )
    return Findings(
        held=held,
        answers=[f"{held}.", *_always(found), *_elsewhere(inputs, cells, found)],
        tables=[
            _cells_table(cells, found),
            _statements_table(found),
            _inputs_table(inputs),
            _long_table(cells, found),
        ],
        pictures=[
            Picture(
                "readings",
                "Which statements hold (filled) under which reading; the literal one comes first, "
                "and each other row names what differs from it",
                lambda: _draw(cells, found),
            )
        ],
    )


def _always(found: Sequence[_Column]) -> list[str]:
    """What holds in all cells, and what in none."""
    every = [name for name in found[0] if all(column[name].holds for column in found)]
    none = [name for name in found[0] if not any(column[name].holds for column in found)]
    said = []
    if every:
        said.append(f"Under every reading holds {_listed(every)}.")
    if none:
        said.append(f"Under none holds {_listed(none)}.")
    return said


def _elsewhere(
    inputs: Sequence[OpenInput], cells: Sequence[Reading], found: Sequence[_Column]
) -> list[str]:
    """Where that holds which does not under the literal reading."""
    said = []
    for name, one in found[0].items():
        where = [cell for cell, column in zip(cells, found, strict=True) if column[name].holds]
        if one.holds or not where:
            continue
        told = _common(inputs, cells, where) or f"for example with {_moved(cells[0], where[0])}"
        said.append(f"{name} holds in {len(where)} of {len(cells)} readings, {told}.")
    return said


def _common(inputs: Sequence[OpenInput], cells: Sequence[Reading], where: Sequence[Reading]) -> str:
    """The readings of single inputs with which it holds whatever the others are."""
    sure = [
        f"{each.name}: {reading}"
        for each in inputs
        for reading in each.readings
        if reading != each.literal
        and all(cell in where for cell in cells if cell[each.name] == reading)
    ]
    return f"always with {_listed(sure)}" if sure else ""


def _moved(base: Reading, cell: Reading) -> str:
    """What differs from the literal reading."""
    moved = [f"{name}: {reading}" for name, reading in cell.items() if reading != base[name]]
    return ", ".join(moved) or "literal"


def _listed(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _cells_table(cells: Sequence[Reading], found: Sequence[_Column]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "reading": _moved(cells[0], cell),
            "hold": sum(one.holds for one in column.values()),
            "of": len(column),
            "do not hold": ", ".join(name for name, one in column.items() if not one.holds),
        }
        for cell, column in zip(cells, found, strict=True)
    ]
    return Table("readings", "Which statements hold under which reading", rows)


def _statements_table(found: Sequence[_Column]) -> Table:
    rows: list[dict[str, Cell]] = []
    for name, one in found[0].items():
        values = [column[name].value for column in found]
        numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
        rows.append(
            {
                "statement": name,
                "literal": str(one.verdict),
                "holds in": sum(column[name].holds for column in found),
                "of": len(found),
                "least": min(numbers, default=None),
                "largest": max(numbers, default=None),
            }
        )
    return Table("statements", "In how many readings each statement holds", rows)


def _inputs_table(inputs: Sequence[OpenInput]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "input": each.name,
            "the paper": each.says,
            "reading": reading + (" (literal)" if reading == each.literal else ""),
            "why it is plausible": why,
        }
        for each in inputs
        for reading, why in each.readings.items()
    ]
    return Table("inputs", "What the paper leaves open, and how it can be read", rows)


def _long_table(cells: Sequence[Reading], found: Sequence[_Column]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            **cell,
            "statement": name,
            "measured": one.value if isinstance(one.value, int | float) else str(one.value),
            "verdict": str(one.verdict),
        }
        for cell, column in zip(cells, found, strict=True)
        for name, one in column.items()
    ]
    return Table("measured", "Every statement under every reading", rows)


def _draw(cells: Sequence[Reading], found: Sequence[_Column]) -> "Figure":
    from flowstart.papers import drawing

    return drawing.marks(
        rows=[_moved(cells[0], cell) for cell in cells],
        columns=list(found[0]),
        filled=[[one.holds for one in column.values()] for column in found],
    )
