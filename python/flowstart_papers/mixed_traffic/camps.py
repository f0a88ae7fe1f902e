"""Two camps on one network: those that switched to another startup, and slow start's.

Which users switch is drawn by the seed, and one that has switched at one share has at every larger
one. Nothing else differs between two runs of one seed, so each connection is compared with itself
in the run where all use slow start.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.bootstrap import bootstrap_interval
from flowstart_papers.lab import Lab

Build: TypeAlias = Callable[[Sequence[str], int], Document]
"""A scenario from the startup of each user and a seed."""
Connections: TypeAlias = Mapping[str, Sequence[Any]]
"""What was read of a run's connections, by column."""
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
) -> pl.DataFrame:
    """In every setting slow start for all (share 0), and every startup at every share.

    A row has both camps, `switched` and `stayed`: the change of its median in percent against the
    same connections where all use slow start with the 95 % interval, of its 90th percentile
    (`_late`), and in seconds, losses (%), timeouts and approved requests (%). `harm` is the part of
    the median of those that stayed that is due to the others, `harm_by_slow_start` what it is
    where the others use slow start too. A camp without flows has nothing.
    """
    cases = [(SLOW_START, 0), *((name, share) for name in names for share in shares)]
    documents = [
        document
        for setting in settings
        for seed in seeds
        for document in (
            setting.alone(startups(setting.users, SLOW_START, 0, seed), seed),
            *(setting.build(startups(setting.users, *case, seed), seed) for case in cases),
        )
    ]
    found = iter(lab.runs(documents, read))
    rows = []
    for setting in settings:
        runs = [[next(found) for _ in range(1 + len(cases))] for _ in seeds]
        alone, base, *_ = zip(*runs, strict=True)
        for i, (name, share) in enumerate(cases, 1):
            mixed = [each[i] for each in runs]
            row: dict[str, Any] = {**setting.name, "startup": name, "share": share}
            camps = [switched(setting.users, share, seed) for seed in seeds]
            masks = [np.array([user in camp for user in run["user"]], dtype=bool)
                     for camp, run in zip(camps, mixed, strict=True)]  # fmt: skip
            others = [~mask for mask in masks]
            if share > 0:
                row |= _camp("switched", masks, base, mixed)
            if share < 100:
                row |= _camp("stayed", others, base, mixed)
                row |= {"harm": _harm(others, alone, mixed),
                        "harm_by_slow_start": _harm(others, alone, base)}  # fmt: skip
            rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)


def _camp(
    name: str,
    masks: Sequence[npt.NDArray[np.bool_]],
    base: Sequence[Connections],
    mixed: Sequence[Connections],
) -> dict[str, float]:
    count = sum(int(mask.sum()) for mask in masks)
    sums = {
        column: sum(int(np.asarray(run[column])[mask].sum())
                    for mask, run in zip(masks, mixed, strict=True))
        for column in ("dropped", "sent", "timeouts", "approved")
    }  # fmt: skip
    found = {}
    for suffix, percent in (("", 50), ("_late", 90)):
        before, after = _quantiles(percent, masks, base), _quantiles(percent, masks, mixed)
        # The geometric mean of the seeds' ratios: noise moves it no more upwards than downwards.
        ratios = np.log(after / before)
        low, high = bootstrap_interval(ratios.tolist())
        for end, log in (("", float(ratios.mean())), ("_low", low), ("_high", high)):
            found[f"{name}{suffix}{end}"] = 100 * math.expm1(log)
        found[f"{name}{suffix}_s"] = float(after.mean())
    return found | {
        f"{name}_loss": 100 * sums["dropped"] / sums["sent"],
        f"{name}_timeouts": sums["timeouts"] / count,
        f"{name}_approved": 100 * sums["approved"] / count,
    }


def _harm(
    masks: Sequence[npt.NDArray[np.bool_]],
    alone: Sequence[Connections],
    runs: Sequence[Connections],
) -> float:
    return float((1 - _quantiles(50, masks, alone) / _quantiles(50, masks, runs)).mean())


def _quantiles(
    percent: int, masks: Sequence[npt.NDArray[np.bool_]], runs: Sequence[Connections]
) -> Values:
    """Of the durations of a camp, one for each seed."""
    return np.array([np.percentile(np.asarray(run["duration"])[mask], percent)
                     for mask, run in zip(masks, runs, strict=True)])  # fmt: skip
