"""The cross-table: what every startup comes to in every scenario, relative to slow start.

All startups meet the same draws, so each seed's time is divided by slow start's of that seed.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from flowstart_papers.cross.measures import Reading
from flowstart_papers.cross.ratios import SCHEMA, estimate
from flowstart_papers.cross.scenarios import Scenario
from flowstart_papers.cross.startups import SLOW_START, StartUp
from flowstart_papers.lab import Lab

OWN, BYSTANDERS, TAIL = "its own", "bystanders'", "the bystanders' 90th percentile"
"""Kinds of time: median completions, or the 90th percentile of them."""
STARTUP = ("startup", "label", "helped", "home")
"""The columns of a startup."""

Users = Callable[[int], bool]
Row = dict[str, Any]


@dataclass(frozen=True)
class CrossTable:
    """All rows. A startup has none where it cannot be given what it needs."""

    scenarios: Sequence[Scenario]
    startups: Sequence[StartUp]
    times: pl.DataFrame
    """By scenario, startup and `kind` of time: `logs` of the ratios by seed, their mean with its
    interval, and `regret`, the time over the best one's. The rows of a startup's own times have
    `seconds`, the median completion (of flows without end the time of a megabyte), `loss` and
    `again`, percent of the packets sent, and `timeouts` of a transfer."""

    def of(self, kind: str) -> pl.DataFrame:
        """The rows of these times."""
        return self.times.filter(kind=kind)

    @property
    def own(self) -> pl.DataFrame:
        """The rows of the startups' own times."""
        return self.of(OWN)


def measure(lab: Lab, scenarios: Sequence[Scenario], startups: Sequence[StartUp]) -> CrossTable:
    """Runs every startup in every scenario."""
    readings = _readings(lab, scenarios, startups)
    return table(
        scenarios,
        startups,
        (
            {"scenario": scenario, "startup": startup, **row}
            for scenario in scenarios
            for startup in startups
            if (found := readings.get((scenario.key, startup.name)))
            for row in _rows(scenario, readings[scenario.key, SLOW_START], found)
        ),
    )


def table(
    scenarios: Sequence[Scenario], startups: Sequence[StartUp], rows: Iterable[Row]
) -> CrossTable:
    """The table of rows that have a scenario, a startup, the kind of time, and `logs`."""
    times = pl.DataFrame(
        [
            row
            | {name: getattr(row["scenario"], name) for name in ("paper", "ground", "competing")}
            | {name: getattr(row["startup"], name) for name in STARTUP[1:]}
            | {"scenario": row["scenario"].key, "startup": row["startup"].name}
            | estimate([row["logs"]])
            for row in rows
        ],
        schema_overrides=SCHEMA,
        infer_schema_length=None,
    )
    best = pl.col("ratio").min().over("scenario", "kind")
    return CrossTable(scenarios, startups, times.with_columns(regret=pl.col("ratio") / best))


Readings = dict[tuple[str, str], list[Reading]]
"""By scenario and startup, one for each seed."""


def _readings(lab: Lab, scenarios: Sequence[Scenario], startups: Sequence[StartUp]) -> Readings:
    """All runs that are read in the same way at one go."""
    found: Readings = {}
    for read in dict.fromkeys(scenario.read for scenario in scenarios):
        cases = [
            (scenario, startup, seed)
            for scenario in scenarios
            for startup in startups
            for seed in range(1, scenario.seeds + 1)
            if scenario.read is read and scenario.takes(startup)
        ]
        documents = [scenario.document(startup, seed) for scenario, startup, seed in cases]
        for (scenario, startup, _), reading in zip(cases, lab.runs(documents, read), strict=True):
            found.setdefault((scenario.key, startup.name), []).append(reading)
    return found


def _rows(scenario: Scenario, base: Sequence[Reading], found: Sequence[Reading]) -> list[Row]:
    """A startup's own times, and those of the bystanders if there are any."""
    tested, beside = (
        [pick(seed) for seed in range(1, scenario.seeds + 1)]
        for pick in (scenario.under_test, scenario.beside)
    )

    def total(name: str) -> int:
        return sum(sum(_of(*pair, name)) for pair in zip(found, tested, strict=True))

    def logs(users: Sequence[Users], summed: Callable[[Sequence[Any]], float]) -> list[float]:
        return [
            math.log(summed(_of(other, group, "seconds")) / summed(_of(usual, group, "seconds")))
            for usual, other, group in zip(base, found, users, strict=True)
        ]

    mine = [_of(*pair, "seconds") for pair in zip(found, tested, strict=True)]
    sent = total("sent")
    own = {
        "kind": OWN,
        "logs": logs(tested, median),
        "seconds": float(np.mean([median(seconds) for seconds in mine])),
        "loss": 100 * total("dropped") / sent,
        "again": 100 * total("again") / sent,
        "timeouts": round(total("timeouts") / sum(map(len, mine)), 3),
    }
    summed = {BYSTANDERS: median, TAIL: late} if scenario.bystanders else {}
    return [own, *({"kind": kind, "logs": logs(beside, of)} for kind, of in summed.items())]


def _of(reading: Mapping[str, Any], users: Users, column: str) -> list[Any]:
    """A column of the transfers of these users alone."""
    pairs = zip(reading["user"], reading[column], strict=True)
    return [value for user, value in pairs if users(user)]


def median(seconds: Sequence[float | None]) -> float:
    """The median of times; what is never done counts as endless."""
    return float(np.median([math.inf if one is None else one for one in seconds]))


def late(seconds: Sequence[float | None]) -> float:
    """Their 90th percentile, one of them."""
    times = [math.inf if one is None else one for one in seconds]
    return float(np.percentile(times, 90, method="inverted_cdf"))
