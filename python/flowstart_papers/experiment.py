"""An experiment and what it finds; a paper and its experiments."""

import fnmatch
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from flowstart_papers.target import Measured, Target

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

    measured: Mapping[str, Measured] = field(default_factory=dict)
    """By target; one for each target of the experiment that can be checked."""
    answers: Sequence[str] = ()
    """What it answers, a sentence each, with the numbers of these very runs."""
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    held: Held | None = None
    """Of the experiment that tries a paper's open inputs."""


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
    fitted_to: tuple[str, ...] = ()
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
