"""The size of an A/B test that shows a predicted effect, by simulation of its analysis.

A test assigns each network, or each connection, to one of two arms at random. The arms are
independent: the pairing that makes a replay precise is missing, and a test needs far more transfers
than a replay. Its analysis compares the arms' mean log completion times, whose difference is the
log of the geometric mean of ratios that the recommendation rests on. The standard error is
cluster-robust (Liang and Zeger 1986), the distribution Student's t.

Arms are drawn from the replayed transfers with replacement, whole clusters at a time. One arm has
the times under the baseline, the other those under the variant. So the population is what the
capture has: its mix of sizes and round trips, and as much traffic from each network.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flowstart import text
from flowstart.errors import RequestError
from flowstart.inference.clusters import NORMAL, Floats, student

LEVEL, POWER = 0.95, 0.8
FEWEST = 10
"""With fewer clusters than these in the capture, their spread is unknown; each arm has as many."""
UNITS = ("network", "connection")
"""What can be assigned to an arm as a whole."""
RESAMPLES = 2000
"""Simulated tests of one size: their power has a standard error of 0.009."""
NEAR = 0.01
"""A size is found where the simulated power is this near."""
ROUNDS = 8
BLOCK = 2**21
"""Numbers that are drawn at once."""
DAY_S = 86_400.0


@dataclass(frozen=True)
class Population:
    """Replayed transfers of one group, from which arms are drawn: an entry for each transfer."""

    base_s: Floats
    """Completion times under the baseline; `inf` where one is never done."""
    variant_s: Floats
    networks: NDArray[np.int64]
    connections: NDArray[np.int64]
    clients: NDArray[np.int64] | None
    """None where the capture names none."""
    lasts_s: float
    """How long the capture lasts."""


@dataclass(frozen=True)
class TestSize:
    """What each of two arms needs where units of one kind are assigned to them."""

    __test__ = False  # no test of pytest's

    unit: str
    """What is assigned to an arm as a whole, of `UNITS`."""
    units: int
    transfers: int
    clients: int | None
    """As many as the capture has for so many transfers; None where it names none."""
    days: float | None
    """How long both arms take together at the capture's rate; None for an instant."""
    power: float
    """The share of simulated tests of this size that show the effect."""

    @property
    def text(self) -> str:
        """The size in a sentence."""
        clients = [] if self.clients is None else [f"{self.clients:,} clients"]
        parts = ", ".join([f"{self.units:,} {self.unit}s", *clients])
        days = "" if self.days is None else f"; {_days(self.days)} at the capture's rate"
        return f"By {self.unit}: {parts}, {self.transfers:,} transfers in each arm{days}."


@dataclass(frozen=True)
class TestPlan:
    """An A/B test of one variant against the baseline."""

    __test__ = False

    effect: float
    """The relative change of the geometric mean that it would show."""
    level: float
    power: float
    sizes: tuple[TestSize, ...]
    """By unit of assignment: networks, where the capture has enough of them, and connections."""

    @property
    def lines(self) -> list[str]:
        """The plan in words."""
        shown = f"A/B test for a change of {text.percent(self.effect)} in the geometric mean"
        few = "  By network: the capture has too few networks to simulate it."
        return [
            f"{shown}, with a power of {self.power:.0%} at {1 - self.level:.0%} two-sided:",
            *([few] if len(self.sizes) < len(UNITS) else []),
            *(f"  {one.text}" for one in self.sizes),
            "  Assign whole networks if a route or a prefix selects the setting.",
            "  Compare mean log completion times; cluster standard errors by what is assigned.",
            "  The sizes are simulated from the replay; they assume that other days are like it.",
        ]

    @property
    def document(self) -> dict[str, Any]:
        """The plan as JSON types."""
        return {
            "statistic": "log completion time",
            "effect": self.effect,
            "level": self.level,
            "power": self.power,
            "sizes": [dict(vars(one)) for one in self.sizes],
        }


def plan(
    population: Population, *, level: float = LEVEL, power: float = POWER, seed: int = 1
) -> TestPlan | None:
    """A test of the population's variant against its baseline.

    Transfers that are not done under both are left out, as the geometric mean leaves them out. None
    without an effect, or with too few connections. Raises RequestError for a level or a power that
    is no probability.
    """
    for name, value in (("level", level), ("power", power)):
        if not 0 < value < 1:
            raise RequestError("more than 0 and less than 1 is needed", (name,), f"{value:g}")
    done = np.isfinite(population.base_s) & np.isfinite(population.variant_s)
    logs = [np.log(times[done]) for times in (population.base_s, population.variant_s)]
    if not done.any() or np.allclose(logs[0], logs[1], rtol=0, atol=1e-12):
        return None
    effect = float(np.mean(logs[1] - logs[0]))
    sizes = []
    for unit, clusters in zip(UNITS, (population.networks, population.connections), strict=True):
        drawn = _Clusters.of(logs, clusters[done])
        if drawn.number >= FEWEST and effect:
            units, found = drawn.size(effect, level, power, seed)
            sizes.append(_size(population, done, unit, units / drawn.number, units, found))
    return TestPlan(math.expm1(effect), level, power, tuple(sizes)) if sizes else None


def _size(
    population: Population,
    done: NDArray[np.bool_],
    unit: str,
    captures: float,
    units: int,
    power: float,
) -> TestSize:
    """A size in transfers, clients and days; an arm has as much as so many captures."""
    known = population.clients
    clients = None if known is None else math.ceil(captures * len(np.unique(known[done])))
    days = 2 * captures * population.lasts_s / DAY_S
    transfers = math.ceil(captures * int(done.sum()))
    return TestSize(unit, units, transfers, clients, days or None, power)


@dataclass(frozen=True)
class _Clusters:
    """Sums over each cluster of the population, of which an arm's statistic is made.

    For n transfers with the sum s of log times: n, s, s², s·n, n², a row for each cluster.
    """

    base: Floats
    variant: Floats

    @classmethod
    def of(cls, logs: Sequence[Floats], clusters: NDArray[np.int64]) -> "_Clusters":
        _, numbers = np.unique(clusters, return_inverse=True)
        count = np.bincount(numbers).astype(np.float64)
        middle = logs[0].mean()  # so that squares lose no digits
        totals = [np.bincount(numbers, weights=values - middle) for values in logs]
        return cls(*(_sums(count, total.astype(np.float64)) for total in totals))

    @property
    def number(self) -> int:
        """How many clusters the population has."""
        return len(self.base)

    def size(self, effect: float, level: float, power: float, seed: int) -> tuple[int, float]:
        """Clusters in each arm for a test of such power, and the power that it was found to have.

        The first guess is that of normal means; the next ones correct it by the power of simulated
        tests.
        """
        wanted = NORMAL.inv_cdf((1 + level) / 2) + NORMAL.inv_cdf(power)
        spread = _variance(self.base.sum(axis=0)) + _variance(self.variant.sum(axis=0))
        units = max(FEWEST, math.ceil(wanted**2 * spread * self.number / effect**2))
        for attempt in range(ROUNDS):
            found = self.power(units, effect, level, np.random.default_rng([seed, attempt]))
            if abs(found - power) <= NEAR or (found > power and units == FEWEST):
                break
            reached = min(max(found, 0.01), 0.99)
            reach = NORMAL.inv_cdf((1 + level) / 2) + NORMAL.inv_cdf(reached)
            step = min(max(wanted / max(reach, 0.1), 0.5), 2.0)
            units = max(FEWEST, math.ceil(units * step**2))
        return units, found

    def power(self, units: int, effect: float, level: float, rng: np.random.Generator) -> float:
        """The share of simulated tests, with so many clusters in each arm, that show the effect."""
        base, variant = (_drawn(arm, units, rng) for arm in (self.base, self.variant))
        difference = variant[:, 1] / variant[:, 0] - base[:, 1] / base[:, 0]
        # Each arm's variance misses one degree of freedom.
        error = np.sqrt((_variance(base.T) + _variance(variant.T)) * units / (units - 1))
        reach = student(NORMAL.inv_cdf((1 + level) / 2), 2 * (units - 1))
        return float(np.mean(np.sign(effect) * difference > reach * error))


def _sums(count: Floats, total: Floats) -> Floats:
    return np.column_stack([count, total, total**2, total * count, count**2])


def _variance(sums: Floats) -> Floats:
    """The cluster-robust variance of a mean over transfers, from the sums over its clusters."""
    count, total, squares, products, counts = sums
    mean = total / count
    spread = squares - 2 * mean * products + mean**2 * counts
    return np.asarray(np.maximum(spread, 0.0) / count**2)  # equal times differ by rounding


def _drawn(clusters: Floats, units: int, rng: np.random.Generator) -> Floats:
    """The sums of each of the simulated arms, which have so many clusters."""
    number = len(clusters)
    block = max(1, BLOCK // min(units, number))
    found = []
    for first in range(0, RESAMPLES, block):
        arms = min(block, RESAMPLES - first)
        if units < number:
            found.append(clusters[rng.integers(number, size=(arms, units))].sum(axis=1))
        else:  # how often each is drawn says the same in fewer numbers
            found.append(rng.multinomial(units, np.full(number, 1 / number), size=arms) @ clusters)
    return np.concatenate(found)


def _days(days: float) -> str:
    """A time that is planned for, in minutes, hours or days."""
    if days < 1 / 12:
        return f"{math.ceil(24 * 60 * days)} min"
    if days < 1:
        return f"{24 * days:.0f} h"
    return f"{days:,.1f} days" if days < 10 else f"{days:,.0f} days"
