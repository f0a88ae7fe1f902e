"""Two camps on one network: those who switched to another startup, and slow start's.

Who switches is drawn by the seed, and whoever has switched at one share has at every larger
one. Nothing else differs between two runs of one seed, so each connection is compared with
itself in the run where everyone uses slow start.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers import measures
from flowstart_papers.lab import Lab

Build: TypeAlias = Callable[[Sequence[str], int], Document]
"""A scenario from the startup of each user and a seed."""
Connections: TypeAlias = Mapping[str, Sequence[Any]]
"""What was read of a run's connections, by column."""
Mask: TypeAlias = npt.NDArray[np.bool_]
Values: TypeAlias = npt.NDArray[np.float64]

SLOW_START = "slow-start"
SHARES = (10, 25, 50, 75, 100)
"""Percent of the users that switched."""


@dataclass(frozen=True)
class Setting:
    """A network with its users."""

    name: Mapping[str, str | float]
    """What is particular to it, as columns of a table."""
    users: int
    build: Build
    alone: Build
    """The same without other traffic."""


@dataclass(frozen=True)
class Change:
    """By how much longer something takes than with everyone in slow start, in percent."""

    percent: float
    low: float
    high: float
    """Where it lies with 95 % confidence."""


@dataclass(frozen=True)
class Camp:
    """How one camp fared; means over the seeds."""

    median_s: float
    late_s: float
    """The 90th percentile of its durations."""
    loss: float
    """Percent of the packets sent."""
    timeouts: float
    """Of each of its connections."""
    approved: float
    """Percent of its connections whose routers approved a rate."""
    median: Change
    """Of its median, against the same connections when everyone uses slow start."""
    late: Change
    """The same of its 90th percentile."""


@dataclass(frozen=True)
class Mixture:
    """A startup at one share of the users in one setting."""

    setting: Setting
    startup: str
    share: int
    switched: Camp | None
    stayed: Camp | None
    """Slow start's camp. Either is None where it has no flows."""
    harm: float | None
    """To slow start's camp: the part of its median that it would not need if it were alone."""
    harm_by_slow_start: float | None
    """The same if the others used slow start as well."""


def switched(users: int, share: int, seed: int) -> frozenset[int]:
    """Which of the users have switched."""
    order = np.random.default_rng(seed).permutation(users)
    return frozenset(order[: round(users * share / 100)].tolist())


def startups(users: int, startup: str, share: int, seed: int) -> list[str]:
    """The startup of each user."""
    camp = switched(users, share, seed)
    return [startup if user in camp else SLOW_START for user in range(users)]


def mix(
    lab: Lab,
    settings: Sequence[Setting],
    names: Sequence[str],
    seeds: Sequence[int],
    read: Callable[[Run], dict[str, list[Any]]],
    shares: Sequence[int] = SHARES,
) -> list[Mixture]:
    """In every setting everyone's slow start, and every startup at every share."""
    documents = [
        document
        for setting in settings
        for seed in seeds
        for document in _documents(setting, names, shares, seed)
    ]
    found = iter(lab.runs(documents, read))
    mixtures = []
    for setting in settings:
        runs = [[next(found) for _ in range(2 + len(names) * len(shares))] for _ in seeds]
        alone, base, *mixed = zip(*runs, strict=True)
        mixtures.append(_mixture(setting, SLOW_START, 0, seeds, alone, base, base))
        cases = [(name, share) for name in names for share in shares]
        mixtures += [
            _mixture(setting, name, share, seeds, alone, base, with_them)
            for (name, share), with_them in zip(cases, mixed, strict=True)
        ]
    return mixtures


def _documents(
    setting: Setting, names: Sequence[str], shares: Sequence[int], seed: int
) -> list[Document]:
    """Everyone alone in slow start, all together in slow start, and the mixtures."""
    unmixed = startups(setting.users, SLOW_START, 0, seed)
    return [
        setting.alone(unmixed, seed),
        setting.build(unmixed, seed),
        *(
            setting.build(startups(setting.users, name, share, seed), seed)
            for name in names
            for share in shares
        ),
    ]


def _mixture(
    setting: Setting,
    startup: str,
    share: int,
    seeds: Sequence[int],
    alone: Sequence[Connections],
    base: Sequence[Connections],
    mixed: Sequence[Connections],
) -> Mixture:
    camps = [switched(setting.users, share, seed) for seed in seeds]
    members = [
        np.array([user in camp for user in run["user"]])
        for camp, run in zip(camps, mixed, strict=True)
    ]
    others = [~mask for mask in members]
    some_left = share < 100
    return Mixture(
        setting,
        startup,
        share,
        switched=_camp(members, base, mixed) if share > 0 else None,
        stayed=_camp(others, base, mixed) if some_left else None,
        harm=_harm(others, alone, mixed) if some_left else None,
        harm_by_slow_start=_harm(others, alone, base) if some_left else None,
    )


def _camp(masks: Sequence[Mask], base: Sequence[Connections], mixed: Sequence[Connections]) -> Camp:
    connections = sum(int(mask.sum()) for mask in masks)
    return Camp(
        median_s=_mean(_quantiles(50, masks, mixed)),
        late_s=_mean(_quantiles(90, masks, mixed)),
        loss=100 * _total("dropped", masks, mixed) / _total("sent", masks, mixed),
        timeouts=_total("timeouts", masks, mixed) / connections,
        approved=100 * _total("approved", masks, mixed) / connections,
        median=_change(_quantiles(50, masks, base), _quantiles(50, masks, mixed)),
        late=_change(_quantiles(90, masks, base), _quantiles(90, masks, mixed)),
    )


def _change(before: Values, after: Values) -> Change:
    """The geometric mean of the seeds' ratios: noise moves it no more upwards than downwards."""
    ratios = np.log(after / before)
    low, high = measures.interval(ratios.tolist())
    percent, low, high = (100 * math.expm1(log) for log in (_mean(ratios), low, high))
    return Change(percent, low, high)


def _harm(
    masks: Sequence[Mask], alone: Sequence[Connections], runs: Sequence[Connections]
) -> float:
    return _mean(1 - _quantiles(50, masks, alone) / _quantiles(50, masks, runs))


def _quantiles(percent: int, masks: Sequence[Mask], runs: Sequence[Connections]) -> Values:
    """Of the durations of a camp, one for each seed."""
    return np.array(
        [
            np.percentile(np.asarray(run["duration"])[mask], percent)
            for mask, run in zip(masks, runs, strict=True)
        ]
    )


def _total(column: str, masks: Sequence[Mask], runs: Sequence[Connections]) -> int:
    sums = (np.asarray(run[column])[mask].sum() for mask, run in zip(masks, runs, strict=True))
    return int(sum(sums))


def _mean(values: Values) -> float:
    return float(values.mean())
