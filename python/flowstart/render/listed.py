"""What the script of a report is told: rows, and what is drawn of them."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flowstart.model.variants import Variant
from flowstart.render import columns

if TYPE_CHECKING:
    import polars as pl

MOST_ROWS = 20_000
"""A report lists no more rows than these; it says so where there are more."""


@dataclass(frozen=True)
class RowCommand:
    """How the command that runs a row again is put together."""

    words: str
    """What all rows have in common."""
    options: Mapping[str, Mapping[str, str]]
    """By column: by its value, what is added to the words."""
    note: str = ""
    """What a reader has to know of it."""
    file: str = ""
    """The column with the JSON text of a file that the command reads, if it does."""


def without(command: str, options: Sequence[str]) -> str:
    """A command without some options and their values, which each row gives anew."""
    words = shlex.split(command)
    return shlex.join(
        word
        for index, word in enumerate(words)
        if word not in options and (index == 0 or words[index - 1] not in options)
    )


def variant_options(variants: Iterable[Variant]) -> dict[str, str]:
    """The option that gives each variant, by its name."""
    return {
        v.name: shlex.join(
            ["--startup", v.name] if v.name == v.startup else ["--variant", v.written]
        )
        for v in variants
    }


@dataclass(frozen=True)
class Chart:
    """Lines over a column of the rows, one for each value of another."""

    title: str
    x: Sequence[str]
    """The columns that a reader may choose from for the axis; the first is shown."""
    y: Sequence[str]
    by: str
    where: Mapping[str, object] = field(default_factory=dict)
    """Only these rows; see `grid.Where`."""
    baseline: str = ""
    """The value of `by` that is emphasised."""


@dataclass(frozen=True)
class MapSide:
    """One side of a heat map, in tiles."""

    title: str
    count: int
    ticks: Sequence[tuple[float, str]]
    """Where words stand, in tiles from the beginning, and the words."""


@dataclass(frozen=True)
class HeatMaps:
    """Heat maps of the same two sides, of who is best and of what each costs."""

    title: str
    x: MapSide
    y: MapSide
    names: Sequence[str]
    """What is compared."""
    panels: Sequence["Panel"]
    column: str
    """The column of the rows that says in which tile a row is."""
    by: str
    """The column with `names`."""
    measure: str
    """What the tiles' values are."""
    margin: float
    """How far above the least value others are as good, as a share of it."""


@dataclass(frozen=True)
class Panel:
    """One heat map. A tile: its name in the rows, x, y, cells, and a value for each name."""

    title: str
    tiles: Sequence[tuple[str, int, int, int, Sequence[float]]]


@dataclass(frozen=True)
class OverTime:
    """Flows of one size over time."""

    label: str
    bin_s: float
    rtt_s: float | None
    """The round trip without queues, over which the delivery rate is taken."""
    flows: Sequence[Mapping[str, Any]]
    """As `web/src/report/overtime.ts` reads them."""


@dataclass(frozen=True)
class ListedRows:
    """The rows that a report lists, and that the numbers of its tables are made of."""

    frame: "pl.DataFrame"
    table: str
    """Whose definitions say what the columns hold."""
    total: int
    """How many rows the result has."""
    left_out: str = ""
    """Which rows these are, and where the others are, in a sentence; empty where all are there."""
    command: RowCommand | None = None
    charts: Sequence[Chart] = ()
    heat: HeatMaps | None = None
    over_time: Sequence[OverTime] = ()
    more: Sequence[columns.Column] = ()
    """What columns hold that `table` does not define."""
