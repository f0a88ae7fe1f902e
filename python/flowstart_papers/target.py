"""What a paper published, how close a measurement must come, and the verdict."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Literal, TypeAlias

import polars as pl

Bounds: TypeAlias = tuple[float | None, float | None]
"""From the first to the second; None where a side is open."""
Expected: TypeAlias = float | str | Bounds
"""A number, a range, or words: those of an answer (`ack-train`) or of a trend."""
Value: TypeAlias = float | str | bool | list[float] | Mapping[str, float] | None
"""What a run came to."""
Kind: TypeAlias = Literal["value", "trend", "not checkable"]

ROUNDING = 1e-9
"""What a decimal fraction may lack in binary, as a share."""


class TargetClass(StrEnum):
    """What a verdict on a target is worth."""

    PRINTED = "printed"
    """The paper prints it, and the runs could have come out otherwise."""
    PREDICTION = "prediction"
    """We derived it from the paper's set-up; the paper does not print it."""
    IDENTITY = "identity"
    """It could hardly fail: an input was set or solved from the number that is read back, an
    implemented formula is read back, or the paper's numbers are reckoned with."""
    REPEAT = "repeat"
    """It states again what other targets measure."""
    REFUTATION = "refutation"
    """The paper states the opposite (`says`); what is expected is ours."""


class Verdict(StrEnum):
    """How a measurement stands to what was published."""

    MET = "met"
    MISSED = "missed"
    TREND_MET = "trend met"
    TREND_MISSED = "trend missed"
    REFUTED = "refuted"
    """The runs show the opposite of what the paper says."""
    NOT_CHECKABLE = "not checkable"

    @property
    def holds(self) -> bool:
        """Whether the runs agree with what was published."""
        return self in (Verdict.MET, Verdict.TREND_MET)

    @property
    def missed(self) -> bool:
        """Whether they do not, and nobody expected it."""
        return self in (Verdict.MISSED, Verdict.TREND_MISSED)


@dataclass(frozen=True)
class Measured:
    """What the runs say of a target."""

    value: Value
    holds: bool | None = None
    """Of a trend: whether what was stated is true of the runs. Numbers are judged by tolerance."""
    interval: tuple[float, float] | None = None
    """Where the value lies with 95 % confidence, if it comes from random draws."""
    seeds: int = 1
    because: str = ""
    """Why it is missed."""
    shown_by: str = ""
    """The experiment that shows this cause."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """One published number or statement."""

    id: str
    paper: str
    experiment: str
    """Which experiment measures it."""
    figure: str
    """Where it stands in the paper."""
    what: str
    unit: str
    expected: Expected
    kind: Kind
    """`value` is judged by the tolerance, `trend` by sign, order or shape, and `not checkable` has
    a `reason`."""
    within: float = 0.0
    """Tolerance in the target's unit."""
    within_percent: float = 0.0
    """Tolerance as a share of what is expected, in percent."""
    widened_from: str = ""
    """The tolerance that it had before anybody looked, in words, where it was widened since."""
    target_class: TargetClass = TargetClass.PRINTED
    says: str = ""
    """Of a refutation: what the paper says."""
    doubt: str = ""
    """What speaks against it in the paper itself."""
    reason: str = ""
    """Why it cannot be checked."""
    because: str = ""
    """Why it is missed."""
    shown_by: str = ""
    """The experiment that shows this cause."""
    column: str = ""
    """The column of the experiment's values that has it."""
    rows: str = ""
    """How the rows of these values are called: `js.f1.{packets}`; empty where there is one row."""
    holds: str = ""
    """Of a trend in a column: the condition on its row, in SQL."""

    def in_row(self, values: pl.DataFrame) -> "Measured":
        """What the row of this target says of it, with the interval that is beside its column."""
        at = [i for i, row in enumerate(values.rows(named=True))
              if not self.rows or self.rows.format(**row) == self.id]  # fmt: skip
        if len(at) != 1:
            raise ValueError(f"{self.id}: {len(at)} rows are of this target")
        row = values[at[0]]
        ends = [f"{self.column}_low", f"{self.column}_high"]
        return Measured(
            row[self.column].item(),
            holds=bool(row.select(pl.sql_expr(self.holds)).item()) if self.holds else None,
            interval=row.select(ends).row(0) if set(ends) <= set(row.columns) else None,
            seeds=row["seeds"].item() if "seeds" in row.columns else 1,
        )

    def tolerance(self) -> str:
        """The tolerance in words."""
        widened = f" (widened from {self.widened_from})" if self.widened_from else ""
        if self.kind in ("trend", "not checkable"):
            return widened.strip(" ()")
        if self.within_percent:
            return f"± {self.within_percent:g} %{widened}"
        if isinstance(self.expected, str):
            return "exact"
        return f"± {self.within:g}{widened}" if self.within else "exact"

    def judge(self, measured: Measured | None) -> Verdict:
        """The verdict on a measurement."""
        if self.kind == "not checkable":
            return Verdict.NOT_CHECKABLE
        if measured is None:
            raise ValueError(f"{self.id}: nothing was measured")
        if self.kind == "trend":
            if measured.holds is None:
                raise ValueError(f"{self.id}: a trend holds or does not")
            return self._verdict(measured.holds, Verdict.TREND_MET, Verdict.TREND_MISSED)
        if measured.holds is not None:
            raise ValueError(f"{self.id}: a value is judged by its tolerance alone")
        return self._verdict(self._agrees(measured.value), Verdict.MET, Verdict.MISSED)

    def _verdict(self, agrees: bool, met: Verdict, missed: Verdict) -> Verdict:
        if agrees and self.target_class is TargetClass.REFUTATION:
            return Verdict.REFUTED
        return met if agrees else missed

    def _agrees(self, value: Value) -> bool:
        if isinstance(self.expected, str):
            return value == self.expected
        values = value if isinstance(value, list) else [value]
        # Of no values at all nothing is true.
        return bool(values) and all(isinstance(v, int | float) and self._covers(v) for v in values)

    def _covers(self, value: float) -> bool:
        low, high = self._bounds()
        slack = ROUNDING * max(abs(bound) for bound in (low, high, 1.0) if math.isfinite(bound))
        return low - slack <= value <= high + slack

    def _bounds(self) -> tuple[float, float]:
        ends = self.expected if isinstance(self.expected, tuple) else (self.expected,) * 2
        low = -math.inf if ends[0] is None else float(ends[0])
        high = math.inf if ends[1] is None else float(ends[1])
        share = self.within_percent / 100
        spare = [
            self.within + (share * abs(end) if math.isfinite(end) else 0) for end in (low, high)
        ]
        return low - spare[0], high + spare[1]


def read(document: Mapping[str, Any], paper: str) -> list[Target]:
    """The targets of a paper, from the document that is in its `targets.toml`.

    Groups are below the ID of their experiment. A group's fields hold for each of its `expected`,
    where an entry may be a table with fields besides its `value`. A name with `{}` has a
    table of values by what replaces that. Raises ValueError on a field that no target has.
    """
    return [
        _target(paper, experiment, group, name, expected)
        for experiment, groups in document.get("group", {}).items()
        for group in groups
        for name, expected in _named(group["expected"])
    ]


def _named(expected: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in expected.items():
        if "{}" in name:
            yield from ((name.format(key), each) for key, each in value.items())
        else:
            yield name, value


def _target(
    paper: str, experiment: str, group: Mapping[str, Any], name: str, expected: Any
) -> Target:
    own = dict(expected) if isinstance(expected, Mapping) else {"value": expected}
    value = own.pop("value")
    given = {"kind": "value", "unit": "", **group, **own}
    given |= {"expected": _bounds(value) if isinstance(value, list) else value}
    if "class" in given:
        given["target_class"] = TargetClass(given.pop("class"))
    known = {field.name for field in fields(Target)} - {"id", "paper", "experiment"}
    if unknown := sorted(set(given) - known):
        raise ValueError(f"{name}: no target has the field {unknown[0]}")
    return Target(id=name, paper=paper, experiment=experiment, **given)


def _bounds(ends: list[Any]) -> Bounds:
    """TOML has no null: `[4, "up"]` is open above, `["down", 4]` below."""
    low, high = (None if isinstance(end, str) else float(end) for end in ends)
    return low, high
