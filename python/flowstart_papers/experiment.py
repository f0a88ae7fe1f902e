"""An experiment and what it finds; a paper and its experiments."""

import fnmatch
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from flowstart_papers import published
from flowstart_papers.target import Measured, Target, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.lab import Lab

Cell: TypeAlias = str | float | bool | None


@dataclass(frozen=True)
class Table:
    """Rows for readers and for scripts: the page shows them, and a CSV file keeps them."""

    name: str
    """Its file, without ending: `table1`."""
    caption: str
    rows: Sequence[Mapping[str, Cell]]
    """All rows have the same fields; a field's name is its heading, with its unit."""


def table(
    name: str, caption: str, frame: pl.DataFrame, headings: Mapping[str, str] | None = None
) -> Table:
    """The columns of a frame, or those that have a heading; numbers in four significant digits."""
    numbers = [column for column, kind in frame.schema.items() if kind.is_float()]
    rounded = frame.with_columns(pl.col(numbers).round_sig_figs(4))
    if headings:
        rounded = rounded.select(pl.col(column).alias(text) for column, text in headings.items())
    return Table(name, caption, rounded.to_dicts())


@dataclass(frozen=True)
class Picture:
    """A figure, drawn when somebody wants to see it."""

    name: str
    """Its file, without ending: `figure2`."""
    caption: str
    draw: "Callable[[], Figure]"


@dataclass(frozen=True, kw_only=True)
class Held:
    """How many of a paper's statements hold under its literal reading, and under others."""

    literal: int
    least: int
    most: int
    of: int
    """So many statements were tried."""
    readings: int
    verdicts: Mapping[str, str]
    """Under the literal reading, by target."""

    def __str__(self) -> str:
        return (
            f"Under the literal reading {self.literal} of {self.of} statements hold; over "
            f"{self.readings} readings {self.least} to {self.most}"
        )


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What an experiment came to."""

    values: pl.DataFrame | None = None
    """Where the targets are found that name a `column` of it."""
    measured: Mapping[str, Measured | Value] = field(default_factory=dict)
    """Of all other targets of the experiment that can be checked."""
    answers: Sequence[str] = ()
    """What it answers, a sentence each, with the numbers of these very runs."""
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    held: Held | None = None
    """Of the experiment that tries a paper's open inputs."""

    def of(self, target: Target) -> Measured | None:
        """What was measured of a target, with the cause that its paper's `targets.toml` has."""
        if target.column and self.values is None:
            raise ValueError(f"{target.id}: the experiment has no values")
        found: Any = (
            target.in_row(self.values)
            if target.column and self.values is not None
            else self.measured.get(target.id)
        )
        if found is None or target.kind == "not checkable":
            return None
        measured = found if isinstance(found, Measured) else Measured(found)
        if not target.because or target.judge(measured).holds:
            return measured
        return replace(measured, because=target.because, shown_by=target.shown_by)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One figure or table of a paper, or one study that it leaves open."""

    id: str
    """As in `flowstart papers run ID`: `QS-T1`."""
    figure: str
    """What it regenerates, `Table I`; `study` where nothing was published."""
    question: str
    """The question, one sentence."""
    run: "Callable[[Lab], Findings]"
    quick: bool = False
    """Whether it belongs to the set that takes less than a minute together."""


def experiment(
    name: str, figure: str, question: str = "", *, quick: bool = False
) -> "Callable[[Callable[[Lab], Findings]], Experiment]":
    """Makes an experiment of the function that runs it; its docstring is the question.

    `question` is given where it has more than a line, or names what varies.
    """

    def made(run: "Callable[[Lab], Findings]") -> Experiment:
        text = question or inspect.getdoc(run) or ""
        return Experiment(id=name, figure=figure, question=text, run=run, quick=quick)

    return made


@dataclass(frozen=True)
class Assumption:
    """An input that the paper does not print and that was chosen."""

    what: str
    value: str
    why: str
    """What speaks for it."""
    sensitivity: str
    """What happens when it moves."""
    shown_by: str
    """The experiment that moves it."""
    fitted_to: Sequence[str] = ()
    """The targets that it was chosen to meet; they are marked as fitted. A name that ends in `*`
    stands for all that begin so."""

    def is_fitted_to(self, target: str) -> bool:
        """Whether it was chosen to meet this target."""
        return any(fnmatch.fnmatchcase(target, name) for name in self.fitted_to)


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper, or a set of questions, with its experiments."""

    name: str
    """As in `flowstart papers run NAME`: `quick-start-low-latency`."""
    title: str
    """The paper's own."""
    source: str
    """Authors, where, when; with which tool."""
    package: str
    """Where `README.md` is."""
    targets: Sequence[Target]
    experiments: Sequence[Experiment]
    assumptions: Sequence[Assumption] = ()

    def fitted(self, target: str) -> list[Assumption]:
        """The inputs that were chosen to meet this target."""
        return [each for each in self.assumptions if each.is_fitted_to(target)]


def paper(package: str, *modules: ModuleType) -> Paper:
    """The paper of a package: what its `targets.toml` has, and the experiments of its modules."""
    document = published.document(package)
    of_paper: dict[str, Any] = document["paper"]
    return Paper(
        package=package,
        targets=published.of(package).targets,
        experiments=[each for module in modules for each in _experiments(module)],
        assumptions=[
            Assumption(what=what, **fields)
            for what, fields in document.get("assumption", {}).items()
        ],
        **of_paper,
    )


def _experiments(module: ModuleType) -> list[Experiment]:
    """Those that a module defines, in its order."""
    return [each for each in vars(module).values() if isinstance(each, Experiment)]
