"""How large an A/B test must be to show a predicted effect.

A test splits connections between two arms, so its arms are independent: the pairing that makes a
replay precise is not there, and a test needs far more transfers than a replay.
"""

import math
from dataclasses import dataclass

import numpy as np

from flowstart.errors import RequestError
from flowstart.inference.changes import QuantileChange, Spread
from flowstart.inference.clusters import Sums, effective
from flowstart.inference.components import Components
from flowstart.inference.critical import NORMAL
from flowstart.inference.data import Group, Statistic
from flowstart.inference.measures import measure
from flowstart.render import text

LEVEL, POWER = 0.95, 0.8
SLOPE_REACH = 2.0
"""Over how many standard deviations of its rank a quantile's slope is taken."""


@dataclass(frozen=True)
class TestSize:
    """How many transfers and connections each arm of a test needs."""

    __test__ = False  # no test of pytest's

    transfers: int
    clusters: int
    """Connections, or whatever the clusters of the transfers are."""
    effect: float
    """The relative change that it would show."""
    statistic: Statistic
    level: float
    power: float

    @property
    def text(self) -> str:
        """The size in a sentence."""
        return (
            f"A/B test: {self.transfers:,} transfers ({self.clusters:,} connections) in each arm "
            f"show a change of {text.percent(self.effect)} in {self.statistic} with a power of "
            f"{self.power:.0%} at {1 - self.level:.0%} two-sided; split by connection, not by "
            "transfer."
        )


def size(
    group: Group,
    variant: int,
    base: int,
    *,
    statistic: Statistic = Statistic.P50,
    level: float = LEVEL,
    power: float = POWER,
) -> TestSize | None:
    """The size of a test of `variant` against `base` (columns of the group's times).

    The spread of each arm is that of its quantile in the group, clusters included, and falls with
    the root of the number of transfers. None where there is no effect to show, or the group is too
    small to tell. Raises RequestError for a level or a power that is no probability.
    """
    for name, value in (("level", level), ("power", power)):
        if not 0 < value < 1:
            raise RequestError(f"{name} = {value:g}: more than 0 and less than 1 is needed")
    if statistic.quantile is None:
        raise RequestError(f"statistic = {statistic}: a quantile is needed, such as p50")
    order = np.argsort(group.clusters, kind="stable")
    _, numbers = np.unique(group.clusters[order], return_inverse=True)
    components = Components(Group(group.name, group.times[order], numbers), np.arange(len(order)))
    change, _ = measure(components, variant, base, statistic)
    if not isinstance(change, QuantileChange) or not math.isfinite(change.estimate):
        return None
    covariance, _ = Sums((components.part(),)).spread()
    covariance = covariance[np.ix_(change.columns, change.columns)]
    slopes = change.slopes(Spread(covariance, SLOPE_REACH, SLOPE_REACH, effective(numbers)))
    least = change.p * (1 - change.p) / change.transfers
    spread = float((slopes**2 * np.maximum(covariance.diagonal(), least)).sum())
    distance = math.log1p(change.estimate)
    if distance == 0 or spread == 0:
        return None
    reach = NORMAL.inv_cdf((1 + level) / 2) + NORMAL.inv_cdf(power)
    transfers = math.ceil(change.transfers * spread * (reach / distance) ** 2)
    clusters = math.ceil(transfers * len(np.unique(numbers)) / len(numbers))
    return TestSize(transfers, clusters, change.estimate, statistic, level, power)
