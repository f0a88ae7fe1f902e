"""What was measured, as one long table that scripts and the pages read."""

import csv
import dataclasses
import json
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from flowstart.inference.data import finite
from resampling import Estimate

NUMBERS = ("value", "low", "high")


@dataclass(frozen=True)
class Row:
    """One number; its interval is None where none is stated."""

    part: str
    setting: str
    """Stack and cc, or the load."""
    startup: str
    measure: str
    kind: str
    """Which questions it is of: `all`, a size or a competing."""
    against: str
    """The startup that it is a difference from or a ratio to; nothing for none."""
    value: float | None
    low: float | None
    high: float | None
    count: int
    """How many questions, cases or runs it is of."""


COLUMNS = tuple(field.name for field in dataclasses.fields(Row))


@dataclass(frozen=True)
class Place:
    """What the rows of one setting of one part have in common."""

    part: str
    setting: str
    startups: Sequence[str]

    def rows(
        self, measure: str, kind: str, found: Estimate, count: int, against: str = ""
    ) -> Iterator[Row]:
        """A row per startup; none for the one that it is compared with."""
        low, high = found.ends
        for place, startup in enumerate(self.startups):
            if startup != against:
                value, least, most = (
                    finite(float(numbers[place])) for numbers in (found.value, low, high)
                )
                where = (self.part, self.setting, startup, measure, kind, against)
                yield Row(*where, value, least, most, count)


def write(rows: Sequence[Row], stem: pathlib.Path) -> None:
    """Writes rows as CSV, Parquet and JSON: `stem.csv` and so on."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    table = [dataclasses.asdict(row) for row in rows]
    frame = pl.DataFrame(table, schema_overrides=dict.fromkeys(NUMBERS, pl.Float64))
    frame.write_csv(stem.with_suffix(".csv"))
    frame.write_parquet(stem.with_suffix(".parquet"))
    stem.with_suffix(".json").write_text(json.dumps(table, indent=1) + "\n", "utf-8")


def read(file: pathlib.Path) -> list[Row]:
    """The rows of a file of CSV."""
    with file.open(encoding="utf-8", newline="") as lines:
        return [Row(**_typed(told)) for told in csv.DictReader(lines)]


def _typed(told: dict[str, str]) -> dict[str, Any]:
    numbers = {name: float(told[name]) if told[name] else None for name in NUMBERS}
    return told | numbers | {"count": int(told["count"])}


def find(rows: Iterable[Row], **told: str) -> Row | None:
    """The first row that has all of these."""
    wanted = told.items()
    return next((row for row in rows if all(getattr(row, k) == v for k, v in wanted)), None)
