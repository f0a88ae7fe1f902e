"""The inputs that a paper leaves open, and which of its statements hold under which reading.

An experiment made here runs the literal reading and others beside it. It shows for each reading
which of the paper's statements hold, so that nobody has to choose a reading to see what it does.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from flowstart_papers import published
from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured, Target, TargetClass
from flowstart_papers.tried import OpenInput, Reading, Statement, Tried

__all__ = [
    "OpenInput",
    "Reading",
    "Tried",
    "alone",
    "changes",
    "crossed",
    "experiment",
    "grid",
    "literal",
    "open_inputs",
    "statements",
]

Measure: TypeAlias = Callable[[Lab, Sequence[Reading]], Sequence[Mapping[str, Any]]]
"""What each reading comes to, by target: values, or Measured."""


def open_inputs(package: str) -> tuple[OpenInput, ...]:
    """The open inputs that the `targets.toml` of a paper's package has.

    A reading is what makes it plausible, or a table of this (`why`) and of what it changes.
    """
    return tuple(_input(**fields) for fields in published.document(package)["input"])


def _input(name: str, says: str, readings: Mapping[str, Any]) -> OpenInput:
    tables = {key: {"why": one} if isinstance(one, str) else one for key, one in readings.items()}
    return OpenInput(
        name=name,
        says=says,
        readings={reading: fields["why"] for reading, fields in tables.items()},
        changes={
            reading: {field: value for field, value in fields.items() if field != "why"}
            for reading, fields in tables.items()
        },
    )


def changes(inputs: Sequence[OpenInput], reading: Reading) -> dict[str, Any]:
    """The fields of the set-up that a reading changes."""
    return {
        field: value
        for each in inputs
        if each.name in reading
        for field, value in each.changes[reading[each.name]].items()
    }


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


def statements(
    findings: Findings, targets: Iterable[Target], experiment: str
) -> dict[str, Measured]:
    """What the findings of one experiment say of the statements that the paper prints of it."""
    stated = (TargetClass.PRINTED, TargetClass.REFUTATION)
    mine = [one for one in targets if one.experiment == experiment and one.target_class in stated]
    return {one.id: found for one in mine if (found := findings.of(one)) is not None}


def experiment(
    *,
    name: str,
    question: str,
    inputs: Sequence[OpenInput],
    cells: Sequence[Reading],
    targets: Sequence[Target],
    measure: Measure,
    show: Callable[[Tried], Findings] = Tried.findings,
) -> Experiment:
    """The experiment that runs `cells`, the first of which is the literal reading.

    `measure` gives for every cell the same targets, which are judged as everywhere else. Only
    statements that the paper prints count. `show` makes of them what the page has.
    """
    if dict(cells[0]) != literal(inputs):
        raise ValueError(f"{name}: the first cell is not the literal reading")
    known = {target.id: target for target in targets}

    def run(lab: Lab) -> Findings:
        columns = [
            {each: Statement.judged(known[each], one) for each, one in measured.items()}
            for measured in measure(lab, cells)
        ]
        return show(Tried(inputs, cells, columns))

    return Experiment(id=name, figure="open inputs", question=question, run=run)
