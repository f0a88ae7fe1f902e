"""From the times of a group to the statistics of one variant against another."""

import numpy as np

from flowstart.inference.changes import (
    Change,
    GeomeanRatio,
    HarmedShare,
    MedianRatio,
    QuantileChange,
)
from flowstart.inference.clusters import Floats
from flowstart.inference.components import Chosen, Components
from flowstart.inference.data import HARM_THRESHOLD, Statistic


def measure(
    components: Components, variant: int, base: int, statistic: Statistic
) -> tuple[Change | None, bool]:
    """A statistic, or None where no transfer was run both ways; and whether no transfer differs."""
    times = components.group.times
    new, old = times[:, variant], times[:, base]
    compared = ~(np.isnan(new) | np.isnan(old))
    if not statistic.quantile:
        compared &= np.isfinite(old)  # otherwise there is nothing to be later than
    if not compared.any():
        return None, False
    same = bool(np.array_equal(new[compared], old[compared]))
    if statistic.quantile:
        return _quantile(components, (variant, base), statistic, compared), same
    if statistic == Statistic.GEOMEAN_RATIO:
        return _geomean(components, new, old, compared & np.isfinite(new)), same
    changes = new / np.where(compared, old, 1) - 1
    if statistic == Statistic.HARMED_SHARE:
        return _harmed(components, changes > HARM_THRESHOLD, compared), same
    key = ("median_ratio", variant, base)
    ranked = components.ranked(key, changes, compared)
    return MedianRatio(ranked, (components.below(key, 0.5),)), same


def _geomean(components: Components, new: Floats, old: Floats, done: Chosen) -> GeomeanRatio | None:
    if not done.any():
        return None
    logs = np.log(np.where(done, new, 1.0) / np.where(done, old, 1.0))
    column = components.values(logs, done)
    return GeomeanRatio(float(logs[done].mean()), int(done.sum()), (column,))


def _quantile(
    components: Components, pair: tuple[int, int], statistic: Statistic, compared: Chosen
) -> QuantileChange:
    p = statistic.quantile
    assert p
    # The order of a variant's times serves all contrasts with the same transfers.
    of = None if compared.all() else pair
    times = components.group.times
    ranked = [components.ranked((v, of), times[:, v], compared) for v in pair]
    columns = (components.below((pair[0], of), p), components.below((pair[1], of), p))
    return QuantileChange(statistic, ranked[0], ranked[1], columns)


def _harmed(components: Components, harmed: Chosen, compared: Chosen) -> HarmedShare:
    harmed = harmed & compared
    return HarmedShare(
        estimate=float(harmed.sum() / compared.sum()),
        transfers=int(compared.sum()),
        harmed_clusters=len(np.unique(components.group.clusters[harmed])),
        columns=(components.where(harmed, compared),),
    )
