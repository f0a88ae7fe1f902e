"""The inputs that a paper leaves open, and which of its statements hold under which reading.

An experiment made here runs the literal reading and others. It shows for each reading
which of the paper's statements hold, so that no reading has to be chosen to see its effect.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from flowstart.text import listed
from flowstart_papers import published
from flowstart_papers.counting import Tally
from flowstart_papers.experiment import Cell, Experiment, Findings, Held, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured, Target, TargetClass, Value, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Reading: TypeAlias = Mapping[str, str]
"""By input, how it is read."""


@dataclass(frozen=True, kw_only=True)
class OpenInput:
    """An input that the paper does not print, or that its words leave open."""

    name: str
    """A few words, for a column: `recovery`."""
    says: str
    """What the paper says of it; or that it says nothing."""
    readings: Mapping[str, str]
    """Each reading with what makes it plausible. The first one is the literal reading."""
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By reading, the fields of the set-up that it changes."""

    @property
    def literal(self) -> str:
        """The reading that follows the paper's words most closely."""
        return next(iter(self.readings))


@dataclass(frozen=True)
class Statement:
    """A statement of the paper under one reading."""

    target: Target
    value: Value
    verdict: Verdict

    @classmethod
    def judged(cls, target: Target, found: Measured | Value) -> "Statement":
        """Raises ValueError where the paper does not state it."""
        measured = found if isinstance(found, Measured) else Measured(found)
        if target.target_class not in (TargetClass.PRINTED, TargetClass.REFUTATION):
            raise ValueError(f"{target.id}: the paper does not state it")
        return cls(target, measured.value, target.judge(measured))

    @property
    def holds(self) -> bool:
        """Whether what the paper says is true of the runs."""
        if self.target.target_class is TargetClass.REFUTATION:
            return self.verdict is not Verdict.REFUTED
        return self.verdict.holds


@dataclass(frozen=True)
class Tried:
    """All statements under all readings."""

    inputs: Sequence[OpenInput]
    cells: Sequence[Reading]
    """The literal reading first."""
    columns: Sequence[Mapping[str, Statement]]
    """For each cell, every statement."""

    @property
    def names(self) -> list[str]:
        """The statements."""
        return list(self.columns[0])

    def missing(self, cell: int) -> frozenset[str]:
        """The statements that do not hold under a reading."""
        return frozenset(name for name, one in self.columns[cell].items() if not one.holds)

    def departures(self, cell: Reading) -> dict[str, str]:
        """What differs from the literal reading."""
        return {name: read for name, read in cell.items() if read != self.cells[0][name]}

    def row_name(self, cell: Reading) -> str:
        """What differs from the literal reading, in words."""
        return in_words(self.departures(cell)) or "literal"

    def held(self) -> Held:
        """How many hold, literally and over all readings."""
        counts = [len(self.names) - len(self.missing(i)) for i in range(len(self.cells))]
        return Held(
            literal=counts[0],
            least=min(counts),
            most=max(counts),
            of=len(self.names),
            readings=len(self.cells),
            verdicts={name: str(one.verdict) for name, one in self.columns[0].items()},
        )

    def findings(self) -> Findings:
        """In words, as tables and as a picture."""
        return Findings(
            held=self.held(),
            answers=[f"{self.held()}.", *self._always(), *self._elsewhere()],
            tables=self.tables(),
            pictures=[self._picture()],
        )

    def tables(self) -> list[Table]:
        """By reading, by statement, the open inputs, and everything."""
        return [
            self._by_reading(),
            self._by_statement(),
            _inputs_table(self.inputs),
            self._everything(),
        ]

    def _picture(self) -> Picture:
        """Which statements hold under which reading."""

        def draw() -> "Figure":
            from flowstart_papers import drawing

            rows = [self.row_name(cell) for cell in self.cells]
            filled = [[one.holds for one in column.values()] for column in self.columns]
            return drawing.marks(rows, self.names, filled)

        caption = (
            "Which statements hold (filled) under which reading; the literal one comes first, and "
            "each other row names what differs from it"
        )
        return Picture("readings", caption, draw)

    def by_group(self, groups: Mapping[str, Sequence[str]]) -> list[dict[str, Tally]]:
        """For each reading, how many of each group of statements hold."""
        return [
            {
                name: Tally(len(set(statements) - self.missing(i)), len(statements))
                for name, statements in groups.items()
            }
            for i in range(len(self.cells))
        ]

    def picture_by_group(
        self, groups: Mapping[str, Sequence[str]], rows: Sequence[str], caption: str
    ) -> Picture:
        """How many of each group hold under the first readings, one for each of `rows`."""

        def draw() -> "Figure":
            from flowstart_papers import drawing

            return drawing.tallies(rows, self.by_group(groups)[: len(rows)])

        return Picture("readings", caption, draw)

    def _always(self) -> list[str]:
        """What holds in all cells, and what in none."""
        every = [n for n in self.names if all(column[n].holds for column in self.columns)]
        none = [n for n in self.names if not any(column[n].holds for column in self.columns)]
        said = []
        if every:
            said.append(f"Under every reading holds {listed(every)}.")
        if none:
            said.append(f"Under none holds {listed(none)}.")
        return said

    def _elsewhere(self) -> list[str]:
        """Where that holds which does not under the literal reading."""
        said = []
        for name, one in self.columns[0].items():
            where = [
                cell
                for cell, column in zip(self.cells, self.columns, strict=True)
                if column[name].holds
            ]
            if one.holds or not where:
                continue
            where_else = self._common(where) or f"for example with {self.row_name(where[0])}"
            said.append(
                f"{name} holds in {len(where)} of {len(self.cells)} readings, {where_else}."
            )
        return said

    def _common(self, where: Sequence[Reading]) -> str:
        """The readings of single inputs with each of which it holds whatever the others are."""
        sure = [
            f"{each.name}: {reading}"
            for each in self.inputs
            for reading in each.readings
            if reading != each.literal
            and all(cell in where for cell in self.cells if cell[each.name] == reading)
        ]
        return f"among them all with {' or '.join(sure)}" if sure else ""

    def _by_reading(self) -> Table:
        rows: list[dict[str, Cell]] = [
            {
                "reading": self.row_name(cell),
                "hold": sum(one.holds for one in column.values()),
                "of": len(column),
                "do not hold": ", ".join(name for name, one in column.items() if not one.holds),
            }
            for cell, column in zip(self.cells, self.columns, strict=True)
        ]
        return Table("readings", "Which statements hold under which reading", rows)

    def _by_statement(self) -> Table:
        rows: list[dict[str, Cell]] = []
        for name, one in self.columns[0].items():
            values = [column[name].value for column in self.columns]
            numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
            rows.append(
                {
                    "statement": name,
                    "literal": str(one.verdict),
                    "holds in": sum(column[name].holds for column in self.columns),
                    "of": len(self.columns),
                    "least": min(numbers, default=None),
                    "largest": max(numbers, default=None),
                }
            )
        return Table("statements", "In how many readings each statement holds", rows)

    def _everything(self) -> Table:
        rows: list[dict[str, Cell]] = [
            {
                **cell,
                "statement": name,
                "measured": one.value if isinstance(one.value, int | float) else str(one.value),
                "verdict": str(one.verdict),
            }
            for cell, column in zip(self.cells, self.columns, strict=True)
            for name, one in column.items()
        ]
        return Table("measured", "Every statement under every reading", rows)


def in_words(reading: Reading) -> str:
    """Inputs with how they are read: `recovery: Reno, starts: periodic`."""
    return ", ".join(f"{name}: {read}" for name, read in reading.items())


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


Measure: TypeAlias = Callable[[Lab, Sequence[Reading]], Sequence[Mapping[str, Any]]]
"""What each reading comes to, by target: values, or Measured."""


def open_inputs(package: str) -> tuple[OpenInput, ...]:
    """The open inputs that the `targets.toml` of a paper's package has.

    A reading is what makes it plausible, or a table of this (`why`) and of what it changes.
    """
    inputs = published.document(package)["input"]
    return tuple(_input(name, **fields) for name, fields in inputs.items())


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
