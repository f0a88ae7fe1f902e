"""The cross-table: what every startup comes to in every scenario, relative to slow start.

All startups meet the same draws, so each seed's time is divided by slow start's of that seed.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from flowstart.inference.bootstrap import CONFIDENCE
from flowstart.inference.clusters import NORMAL, student
from flowstart_papers.cross.measures import Reading
from flowstart_papers.cross.scenarios import Scenario
from flowstart_papers.cross.startups import SLOW_START, StartUp
from flowstart_papers.lab import Lab

ALIKE = 0.005
"""Ratios so near to each other are the same, as one is a matter of a packet."""


@dataclass(frozen=True)
class Ratio:
    """A time over slow start's: the geometric mean over seeds, and scenarios if several."""

    logs: tuple[tuple[float, ...], ...]
    """Of the ratios, by scenario and seed; infinite where the transfers were never done."""

    @property
    def exact(self) -> bool:
        """Whether nothing is drawn, so that there is no interval."""
        return all(len(seeds) == 1 for seeds in self.logs)

    @property
    def value(self) -> float:
        """The ratio."""
        return math.exp(float(np.mean([np.mean(seeds) for seeds in self.logs])))

    @property
    def interval(self) -> tuple[float, float]:
        """Where it lies with 95 % confidence."""
        if self.exact or math.isinf(self.value):
            return self.value, self.value
        return _interval(self.logs)

    @property
    def low(self) -> float:
        """The interval's lower end."""
        return self.interval[0]

    @property
    def high(self) -> float:
        """Its upper end."""
        return self.interval[1]

    @property
    def longer(self) -> bool:
        """Whether it certainly takes longer than slow start."""
        return self.low > 1 + ALIKE

    @property
    def shorter(self) -> bool:
        """Whether it certainly takes less."""
        return self.high < 1 - ALIKE


@functools.cache
def _interval(logs: tuple[tuple[float, ...], ...]) -> tuple[float, float]:
    """Student's interval of the mean, with Welch's degrees of freedom over several scenarios.

    Some scenarios have so few seeds that a bootstrap over them would be far too short.
    """
    drawn = [np.array(seeds) for seeds in logs if len(seeds) > 1]
    parts = [seeds.var(ddof=1) / len(seeds) / len(logs) ** 2 for seeds in drawn]
    center, variance = float(np.mean([np.mean(seeds) for seeds in logs])), float(sum(parts))
    if variance == 0:
        return math.exp(center), math.exp(center)
    each = zip(parts, drawn, strict=True)
    freedom = variance**2 / sum(part**2 / (len(seeds) - 1) for part, seeds in each)
    reach = student(NORMAL.inv_cdf((1 + CONFIDENCE / 100) / 2), freedom) * math.sqrt(variance)
    return math.exp(center - reach), math.exp(center + reach)


def ratio_of(values: Sequence[float]) -> Ratio:
    """The ratio whose values by seed are these."""
    return Ratio((tuple(map(math.log, values)),))


def together(ratios: Sequence[Ratio]) -> Ratio:
    """The mean of several scenarios, each of the same weight."""
    return Ratio(tuple(seeds for ratio in ratios for seeds in ratio.logs))


@dataclass(frozen=True)
class Entry:
    """A startup in a scenario."""

    seconds: float
    """The median completion, mean over the seeds; of flows without end the time of a megabyte."""
    ratio: Ratio
    loss: float
    """Percent of the packets sent, as all below of those under test."""
    again: float
    """Packets sent again, percent of those sent."""
    timeouts: float
    """Of a transfer."""
    harm: Ratio | None
    """The bystanders' median over what it is beside slow start; None without bystanders."""
    harm_late: Ratio | None
    """The same of their 90th percentile."""


@dataclass(frozen=True)
class CrossTable:
    """All entries. A startup has none where it cannot be given what it needs."""

    scenarios: Sequence[Scenario]
    startups: Sequence[StartUp]
    entries: Mapping[tuple[str, str], Entry]
    """By the scenario's key and the startup's name."""

    def entry(self, scenario: Scenario, startup: StartUp) -> Entry | None:
        """What the startup comes to there."""
        return self.entries.get((scenario.key, startup.name))

    def ratio(self, scenarios: Sequence[Scenario], startup: StartUp) -> Ratio | None:
        """The mean over scenarios, as far as the startup is in them."""
        found = [entry.ratio for each in scenarios if (entry := self.entry(each, startup))]
        return together(found) if found else None

    def harm(self, startup: StartUp) -> Ratio | None:
        """To bystanders, the mean over the scenarios that have any."""
        entries = (self.entry(each, startup) for each in self.scenarios)
        found = [entry.harm for entry in entries if entry and entry.harm]
        return together(found) if found else None

    def best(self, scenarios: Sequence[Scenario], *, unaided: bool = False) -> list[StartUp]:
        """Who takes the shortest there, those that are alike included; `unaided`: with no help."""
        ratios = {
            startup: ratio.value
            for startup in self.startups
            if not (unaided and startup.helped) and (ratio := self.ratio(scenarios, startup))
        }
        least = min(ratios.values())
        return [startup for startup, value in ratios.items() if value <= least + ALIKE]

    def regret(self, scenario: Scenario, startup: StartUp) -> float | None:
        """Its time over the best one's."""
        entry = self.entry(scenario, startup)
        if entry is None:
            return None
        all_of_them = (self.entry(scenario, each) for each in self.startups)
        return entry.ratio.value / min(each.ratio.value for each in all_of_them if each)


def measure(lab: Lab, scenarios: Sequence[Scenario], startups: Sequence[StartUp]) -> CrossTable:
    """Runs every startup in every scenario."""
    readings = _readings(lab, scenarios, startups)
    entries = {}
    for scenario in scenarios:
        base = readings[scenario.key, SLOW_START]
        for startup in startups:
            if found := readings.get((scenario.key, startup.name)):
                entries[scenario.key, startup.name] = _entry(scenario, base, found)
    return CrossTable(scenarios, startups, entries)


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


def _entry(scenario: Scenario, base: Sequence[Reading], found: Sequence[Reading]) -> Entry:
    tested, beside = (
        [pick(seed) for seed in range(1, scenario.seeds + 1)]
        for pick in (scenario.under_test, scenario.beside)
    )
    mine = [_of(reading, users) for reading, users in zip(found, tested, strict=True)]
    sent = sum(sum(reading["sent"]) for reading in mine)
    return Entry(
        seconds=float(np.mean([median(reading["seconds"]) for reading in mine])),
        ratio=_ratio(base, found, tested, median),
        loss=100 * sum(sum(reading["dropped"]) for reading in mine) / sent,
        again=100 * sum(sum(reading["again"]) for reading in mine) / sent,
        timeouts=sum(sum(each["timeouts"]) for each in mine) / sum(len(e["user"]) for e in mine),
        harm=_ratio(base, found, beside, median) if scenario.bystanders else None,
        harm_late=_ratio(base, found, beside, late) if scenario.bystanders else None,
    )


Users = Callable[[int], bool]


def _ratio(
    base: Sequence[Reading],
    found: Sequence[Reading],
    users: Sequence[Users],
    summed: Callable[[Sequence[float | None]], float],
) -> Ratio:
    """Of what sums up the times of these users, by seed."""
    return ratio_of(
        [
            summed(_of(other, who)["seconds"]) / summed(_of(usual, who)["seconds"])
            for usual, other, who in zip(base, found, users, strict=True)
        ]
    )


def _of(reading: Reading, users: Users) -> Reading:
    """The transfers of these users alone."""
    kept = [i for i, user in enumerate(reading["user"]) if users(user)]
    columns = cast(Mapping[str, list[Any]], reading)
    return cast(Reading, {name: [column[i] for i in kept] for name, column in columns.items()})


def median(seconds: Sequence[float | None]) -> float:
    """The median of times; what is never done counts as endless."""
    return float(np.median([math.inf if one is None else one for one in seconds]))


def late(seconds: Sequence[float | None]) -> float:
    """Their 90th percentile, one of them."""
    times = [math.inf if one is None else one for one in seconds]
    return float(np.percentile(times, 90, method="inverted_cdf"))
