"""The size of an A/B test that shows a predicted gain and harm at the limits, by simulation.

A test assigns client networks, or connections, to one of two arms at random. The arms are
independent: the pairing that makes a replay precise is missing, and a test needs far more transfers
than a replay. Its analysis compares means over the transfers, or packets, of both arms. Transfers
of a client network depend on each other, so the standard error is that of the sums over networks
(cluster-robust: Liang and Zeger 1986), the distribution Student's t.

Tests are drawn from the replayed transfers with replacement, whole networks at a time. One arm has
the times under the baseline. For the gain the other has those under the variant; for each guardrail
it has the baseline's with harm of the limit's size. So the population is what the capture has: its
mix of sizes and round trips, and as much traffic from each network.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flowstart import text
from flowstart.deployment.guardrails import GAIN, Measure, Packets, gain, guardrails
from flowstart.errors import RequestError
from flowstart.inference.clusters import NORMAL, Floats, student
from flowstart.inference.gates import Limits

LEVEL, POWER = 0.95, 0.8
FEWEST = 10
"""With fewer clusters than these in the capture, their spread is unknown; each arm has as many."""
UNITS = {
    "network": "route",
    "connection": "socket, or server behind a load balancer",
}
"""What can be assigned to an arm as a whole, and what of Linux that splits: `ip route` has initcwnd
and congctl, a socket TCP_CONGESTION and BPF programs, a server its sysctls."""
RESAMPLES = 2000
"""Simulated tests of one size: their power has a standard error of 0.009."""
OFTEN = 10
"""Where each cluster is drawn so many times, sums are normal (central limit theorem)."""
NEAR = 0.02
"""A size is accepted where the simulated power is this near."""
ROUNDS = 6
VERSIONS, ROWS = 20, 10_000
"""Random assignments of each cluster that are drawn from; fewer for so many rows of all."""
BLOCK = 2**21
"""Numbers that are drawn at once."""
DAY_S = 86_400.0
LEAST_DAYS = 1.0
"""Load and users differ by the hour, so a test lasts for whole days."""
MOST_DAYS = 28.0
"""What takes longer at the capture's rate is not watched by a test."""


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
    packets: Packets | None = None
    """None where they are not known: loss is not watched then."""
    decides: NDArray[np.bool_] | None = None
    """Which transfers are of the size class that decides; None for all."""
    size_class: str = "all sizes"
    """Its name."""


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
    days: float
    """How long both arms take together at the capture's rate, at least `LEAST_DAYS`."""
    power: float
    """The share of simulated tests of this size that show what needs most."""

    @property
    def text(self) -> str:
        """The size in a sentence."""
        clients = [] if self.clients is None else [f"{self.clients:,} clients"]
        parts = ", ".join([f"{self.units:,} {self.unit}s", *clients])
        days = "one full day" if self.days <= 1 else f"{math.ceil(self.days)} full days"
        shown = f"{parts}, {self.transfers:,} transfers in each arm; {days} at least"
        return f"By {self.unit} ({UNITS[self.unit]}): {shown}."


@dataclass(frozen=True)
class Need:
    """The size that shows one quantity."""

    quantity: str
    size: TestSize


@dataclass(frozen=True)
class TestPlan:
    """An A/B test of one variant against the baseline."""

    __test__ = False

    effect: float
    """The relative change of the geometric mean that it would show."""
    level: float
    power: float
    needs: tuple[Need, ...]
    """The size that each quantity needs, by unit of assignment."""
    measures: tuple[Measure, ...]
    """What a test of these sizes shows: the gain first, then the guardrails."""
    unseen: tuple[str, ...] = ()
    """Guardrails that would take longer than `MOST_DAYS`."""
    by_network: bool = True
    """Whether the capture has enough networks to assign them, and to cluster errors by them."""

    @property
    def sizes(self) -> tuple[TestSize, ...]:
        """By unit of assignment, what shows the gain and every guardrail."""
        units = dict.fromkeys(need.size.unit for need in self.needs)
        return tuple(
            max((n.size for n in self.needs if n.size.unit == unit), key=lambda size: size.units)
            for unit in units
        )

    @property
    def guardrails(self) -> tuple[Measure, ...]:
        """The harm that a test of these sizes shows."""
        return self.measures[1:]

    @property
    def lines(self) -> list[str]:
        """The plan in words."""
        shown = f"A/B test for a change of {text.percent(self.effect)} in the geometric mean"
        few = "  By network: the capture has too few networks to simulate it."
        cluster = "client network" if self.by_network else "connection"
        return [
            f"{shown} and for harm at the limits, with a power of {self.power:.0%}:",
            *([] if self.by_network else [few]),
            *(f"  {size.text}" for size in self.sizes),
            f"  Compare mean log completion times at {1 - self.level:.0%}, two-sided.",
            f"  Cluster standard errors by {cluster}.",
            *(f"  Guardrail, one-sided: {guardrail.text}." for guardrail in self.guardrails),
            *(f"  Not visible in {MOST_DAYS:.0f} days: {name}." for name in self.unseen),
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
            "clustered_by": "network" if self.by_network else "connection",
            "sizes": [dict(vars(size)) for size in self.sizes],
            "needs": [{"quantity": n.quantity, **vars(n.size)} for n in self.needs],
            "guardrails": [guardrail.document for guardrail in self.guardrails],
            "unseen": list(self.unseen),
        }


def plan(
    population: Population,
    *,
    limits: Limits | None = None,
    level: float = LEVEL,
    power: float = POWER,
    seed: int = 1,
) -> TestPlan | None:
    """A test of the population's variant against its baseline, and of harm at the limits.

    Transfers that are not done under both are left out, as the geometric mean leaves them out. None
    without an effect, or with too few connections. Raises RequestError for a level or a power that
    is no probability.
    """
    for name, value in (("level", level), ("power", power)):
        if not 0 < value < 1:
            raise RequestError("more than 0 and less than 1 is needed", (name,), f"{value:g}")
    done = np.isfinite(population.base_s) & np.isfinite(population.variant_s)
    effect = gain(population.base_s, population.variant_s, done, level)
    decides = done if population.decides is None else done & population.decides
    if effect is None:
        return None
    times = population.base_s, population.variant_s
    watched = guardrails(
        *times, population.packets, decides, population.size_class, limits or Limits(), level
    )
    planned, unseen = [], []
    needs: list[Need] = []
    for measure in (effect, *watched):
        needed = list(_needs(population, measure, done, power, seed))
        if measure is not effect and (not needed or needed[-1].size.days > MOST_DAYS):
            unseen.append(measure.name)
            continue
        planned.append(measure)
        needs += needed
    few = _numbered(population.networks[done]).max() + 1 < FEWEST
    if not any(need.quantity == GAIN for need in needs):
        return None
    change = math.expm1(effect.difference)
    return TestPlan(change, level, power, tuple(needs), tuple(planned), tuple(unseen), not few)


def _needs(
    population: Population, measure: Measure, done: NDArray[np.bool_], power: float, seed: int
) -> Iterator[Need]:
    """The size that a measure needs, by unit of assignment."""
    networks, connections = _numbered(population.networks), _numbered(population.connections)
    few = len(np.unique(networks[done])) < FEWEST
    clusters = connections if few else networks
    number = len(np.unique(clusters[done]))
    if number < FEWEST:
        return
    known = population.clients
    for unit, assigned in (("network", networks), ("connection", connections)):
        if few and unit == "network":
            continue
        tests = _Tests.of(measure, clusters, assigned, seed)
        size = tests.size(power, seed)
        if size is None:
            return
        drawn, actual = size
        captures = drawn / tests.number
        yield Need(
            measure.quantity,
            TestSize(
                unit,
                math.ceil(captures * len(np.unique(assigned[done])) / 2),
                math.ceil(captures * int(done.sum()) / 2),
                None if known is None else math.ceil(captures * len(np.unique(known[done])) / 2),
                max(captures * population.lasts_s / DAY_S, LEAST_DAYS),
                actual,
            ),
        )


def _numbered(names: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


PAIRS = tuple((first, second) for first in range(4) for second in range(first, 4))


@dataclass(frozen=True)
class _Tests:
    """Sums over each cluster as it may be assigned, of which a test's statistic is made.

    A row has the baseline arm's count n and sum s and the other arm's, and their products `PAIRS`.
    """

    rows: Floats
    number: int
    """How many clusters the population has."""
    normal: float
    """What a normal variable must reach to be significant."""
    sign: float

    @classmethod
    def of(
        cls,
        measure: Measure,
        clusters: NDArray[np.int64],
        assigned: NDArray[np.int64],
        seed: int,
    ) -> "_Tests":
        """Assigned at random, each time also the other way round; harm hits others each time."""
        clusters, number = _numbered(clusters), len(np.unique(clusters))
        random = np.random.default_rng([seed, 7])
        parts = []
        places = random.random(len(clusters))
        for version in range(min(max(ROWS // number, 2), VERSIONS)):
            harmed = measure.version(version, places)
            coins = random.random(int(assigned.max()) + 1) < 0.5
            for treated in (coins[assigned], ~coins[assigned]):
                columns = (
                    measure.count * ~treated,
                    measure.base * ~treated,
                    measure.count * treated,
                    harmed * treated,
                )
                parts.append(np.column_stack([np.bincount(clusters, c, number) for c in columns]))
        sums = np.concatenate(parts)
        products = [sums[:, a] * sums[:, b] for a, b in PAIRS]
        rows = np.column_stack([sums, *products])
        return cls(rows[rows[:, [0, 2]].any(axis=1)], number, measure.normal, measure.sign)

    def size(self, power: float, seed: int) -> tuple[int, float] | None:
        """Clusters in both arms for a test of such power, and the power that it was found to have.

        The first guess is that of normal means; the next ones correct it by the power of simulated
        tests. None where there is no effect in the direction that is looked for.
        """
        wanted = self.normal + NORMAL.inv_cdf(power)
        effect, variance = _compared(self.rows.mean(axis=0)[None, :])
        if not self.sign * effect[0] > 0:
            return None
        units = max(2 * FEWEST, math.ceil(wanted**2 * variance[0] / effect[0] ** 2))
        for attempt in range(ROUNDS):
            actual = self.power(units, np.random.default_rng([seed, attempt]))
            if abs(actual - power) <= NEAR or (actual > power and units == 2 * FEWEST):
                break
            reached = NORMAL.inv_cdf(min(max(actual, 0.01), 0.99))
            step = min(max(wanted / max(self.normal + reached, 0.1), 0.5), 2.0)
            units = max(2 * FEWEST, math.ceil(units * step**2))
        return units, actual

    def power(self, units: int, rng: np.random.Generator) -> float:
        """The share of simulated tests with so many clusters in both arms that show the effect."""
        difference, variance = _compared(self._drawn(units, rng))
        # Each arm's variance misses one degree of freedom.
        error = np.sqrt(variance * units / (units - 2))
        reach = student(self.normal, units - 2)
        return float(np.mean(self.sign * difference > reach * error))

    def _drawn(self, units: int, rng: np.random.Generator) -> Floats:
        """The sums of each of the simulated tests, which have so many clusters."""
        rows = self.rows
        if units >= OFTEN * self.number:
            middle, root = units * rows.mean(axis=0), _root(units * np.cov(rows.T, bias=True))
            return np.asarray(middle + rng.standard_normal((RESAMPLES, len(root))) @ root)
        block = max(1, BLOCK // units)
        sums = []
        for first in range(0, RESAMPLES, block):
            tests = min(block, RESAMPLES - first)
            sums.append(rows[rng.integers(len(rows), size=(tests, units))].sum(axis=1))
        return np.concatenate(sums)


def _compared(sums: Floats) -> tuple[Floats, Floats]:
    """The difference of both arms' means in each test, and its cluster-robust variance.

    NaN where an arm is empty: such a test shows nothing.
    """
    counts = np.where(sums[:, [0, 2]] > 0, sums[:, [0, 2]], np.nan)
    means = sums[:, [1, 3]] / counts
    # A cluster adds this much to the difference, for its n and s in both arms.
    of_n = means / counts * [1, -1]
    of_s = 1 / counts * [-1, 1]
    weights = np.column_stack([of_n[:, 0], of_s[:, 0], of_n[:, 1], of_s[:, 1]])
    variance = np.zeros(len(sums))
    for column, (a, b) in enumerate(PAIRS):
        twice = 1 if a == b else 2
        variance += twice * weights[:, a] * weights[:, b] * sums[:, 4 + column]
    return means[:, 1] - means[:, 0], np.maximum(variance, 0.0)


def _root(covariance: Floats) -> Floats:
    """The symmetric root: signs of eigenvectors differ between processors."""
    scale = np.sqrt(np.maximum(covariance.diagonal(), 1e-300))
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    return np.asarray(vectors * np.sqrt(np.clip(values, 0, None)) @ vectors.T * scale)
