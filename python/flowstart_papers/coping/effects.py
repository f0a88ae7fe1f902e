"""What a fast start gains, and what it costs others: the same transfers, run twice."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flowstart.model.document import Document, encode
from flowstart.simulation.run import Run
from flowstart_papers.coping.countermeasures import NOTHING, Measure
from flowstart_papers.coping.measures import Groups
from flowstart_papers.experiment import Cell
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval

TAIL = 95
HARDLY = 5.0
"""Percent by which bystanders may be later."""


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds, and where it lies with 95 % confidence."""

    mean: float
    low: float
    high: float

    def text(self, digits: int = 1) -> str:
        """As tables have it."""
        # Adding zero turns a negative zero into a plain one.
        mean, low, high = (
            f"{round(value, digits) + 0.0:.{digits}f}" for value in (self.mean, self.low, self.high)
        )
        return f"{mean} ({low} to {high})"


def sooner(gain: Estimate) -> Estimate:
    """A gain in percent as the ratio of slow start's time to the other, for large losses."""
    return Estimate(*(100 / (100 - value) for value in (gain.mean, gain.low, gain.high)))


def estimate(values: Sequence[float]) -> Estimate:
    """Of one value for each seed."""
    return Estimate(float(np.mean(values)), *interval(values))


def longer(before: Sequence[float], after: Sequence[float]) -> float:
    """By how many percent the same transfers take longer: the geometric mean of the ratios."""
    return 100 * float(np.expm1(np.mean(np.log(np.divide(after, before)))))


def longer_tail(before: Sequence[float], after: Sequence[float]) -> float:
    """By how many percent the 95th percentile is longer."""
    ends: list[float] = [np.percentile(times, TAIL).item() for times in (before, after)]
    return 100 * (ends[1] / ends[0] - 1)


@dataclass(frozen=True)
class Effect:
    """What changes when the starters stop using slow start; percent, `loss` in points."""

    gain: Estimate
    """By how much sooner starters are done."""
    harm: Estimate
    """By how much later bystanders are."""
    harm_tail: Estimate
    """Their 95th percentile."""
    loss: Estimate
    """What more they lose."""
    starters_lose: Estimate
    """Packet loss of all starters."""
    starter_timeouts: Estimate
    """Of one starter."""
    bystander_timeouts: Estimate
    """Of one bystander."""

    @property
    def harmless(self) -> bool:
        """Whether bystanders are, with 95 % confidence, hardly later."""
        return self.harm.high <= HARDLY


def effect(slow: Sequence[Groups], fast: Sequence[Groups]) -> Effect:
    """Of pairs of runs, one for each seed."""

    def over(of: Callable[[Groups, Groups], float]) -> Estimate:
        return estimate([of(a, b) for a, b in zip(slow, fast, strict=True)])

    def durations(group: str, a: Groups, b: Groups) -> tuple[Sequence[float], Sequence[float]]:
        return a[group]["durations"], b[group]["durations"]

    return Effect(
        gain=over(lambda a, b: -longer(*durations("starters", a, b))),
        harm=over(lambda a, b: longer(*durations("bystanders", a, b))),
        harm_tail=over(lambda a, b: longer_tail(*durations("bystanders", a, b))),
        loss=over(lambda a, b: b["bystanders"]["loss"] - a["bystanders"]["loss"]),
        starters_lose=over(lambda _, b: b["starters"]["loss"]),
        starter_timeouts=over(lambda _, b: b["starters"]["timeouts"]),
        bystander_timeouts=over(lambda _, b: b["bystanders"]["timeouts"]),
    )


@dataclass(frozen=True)
class Outcome:
    """A measure on a load."""

    measure: Measure
    effect: Effect
    cost: Estimate
    """Increase of completion times under it without fast starters, percent."""
    net: Estimate
    """By how many percent bystanders are later than with neither fast starters nor measure."""


def outcomes(
    lab: Lab,
    chosen: Sequence[Measure],
    document: Callable[..., Document],
    read: Callable[[Run], Groups],
    seeds: Sequence[int],
    **fields: Any,
) -> dict[str, Outcome]:
    """By name: every measure with slow starters and with fast ones, all seeds at one go.

    `fields` are those of `document`.
    """

    def place(measure: Measure, slow: bool, seed: int) -> str:
        return encode(document(measure, seed, slow=slow, **fields))

    # Measures of the startup have the slow runs in common.
    cases = [(m, slow) for m in (NOTHING, *chosen) for slow in (True, False)]
    wanted = list(dict.fromkeys(place(*case, seed) for case in cases for seed in seeds))
    found = dict(zip(wanted, lab.runs([json.loads(text) for text in wanted], read), strict=True))

    def groups(measure: Measure, slow: bool) -> list[Groups]:
        return [found[place(measure, slow, seed)] for seed in seeds]

    plain = groups(NOTHING, True)
    return {m.name: _outcome(m, plain, groups(m, True), groups(m, False)) for m in chosen}


def _outcome(
    measure: Measure, plain: Sequence[Groups], slow: Sequence[Groups], fast: Sequence[Groups]
) -> Outcome:
    def everybody(groups: Groups) -> list[float]:
        both: list[float] = groups["starters"]["durations"] + groups["bystanders"]["durations"]
        return both

    def others(groups: Groups) -> list[float]:
        times: list[float] = groups["bystanders"]["durations"]
        return times

    return Outcome(
        measure,
        effect(slow, fast),
        cost=estimate(
            [longer(everybody(a), everybody(b)) for a, b in zip(plain, slow, strict=True)]
        ),
        net=estimate([longer(others(a), others(b)) for a, b in zip(plain, fast, strict=True)]),
    )


def cells(effect: Effect, case: Mapping[str, Cell]) -> dict[str, Cell]:
    """An effect as a row of a table, after the case that it belongs to."""
    return {
        **case,
        "gain, %": effect.gain.text(),
        "harm, %": effect.harm.text(),
        "harm at 95th percentile, %": effect.harm_tail.text(),
        "bystanders lose more, points": effect.loss.text(),
        "starters lose, %": effect.starters_lose.text(),
        "timeouts of a starter": effect.starter_timeouts.text(2),
        "of a bystander": effect.bystander_timeouts.text(2),
    }


COLUMNS = (
    "Gain: how much faster starters are than in the same run in which they use slow start; "
    "harm: how much slower the others are than in that run. Durations of the same transfers, by "
    "the geometric mean of their ratios; means over seeds with 95 % intervals."
)
"""What the headings of `cells` mean."""
