"""Log completion times without what explains them besides the setting.

Times differ by the size of a transfer far more than by a setting, and so do networks. Neither
depends on the setting, so a regression on them changes no effect and makes intervals narrower:
CUPED (Deng, Xu, Kohavi and Walker 2013). Covariates are the size and, where there are measurements
from before the rollout, the mean of the network in these.
"""

import numpy as np

from flowstart.replays.answer import in_classes
from flowstart.rollouts.measurements import Chosen, Floats, Numbers, Transfers


def residuals(transfers: Transfers, before: Floats | None = None) -> Floats:
    """Log times less what size class, size and history predict; infinite where one was not done.

    `before` has a value for each network. The prediction is that of the control; a residual of 0.1
    is a time that is 11 % longer.
    """
    logs = np.log(transfers.times_s)
    covariates = [np.log(transfers.sizes)]
    if before is not None:
        covariates.append(before[transfers.networks])
    for chosen in in_classes(transfers.sizes).values():
        mine = np.flatnonzero(chosen)
        if not mine.size:
            continue
        columns = np.column_stack([column[mine] for column in covariates])
        logs[mine] = _without(logs[mine], columns, transfers.treated[mine])
    return logs


def _without(values: Floats, columns: Floats, treated: Chosen) -> Floats:
    """Values less their regression on the columns within each set, and the control's mean."""
    done = np.isfinite(values)
    centred_values, centred = values.copy(), columns.copy()
    for chosen in (treated & done, ~treated & done):
        if chosen.any():
            centred_values[chosen] -= values[chosen].mean()
            centred[chosen] -= columns[chosen].mean(axis=0)
    slopes = np.linalg.lstsq(centred[done], centred_values[done], rcond=None)[0]
    rest = values - columns @ slopes
    base = rest[~treated & done]
    middle = base if base.size else rest[done]
    return np.asarray(rest - (middle.mean() if middle.size else 0.0))


def of_networks(before: Transfers, names: tuple[str, ...]) -> Floats:
    """The mean residual of each network before the rollout; 0 where nothing is known of it."""
    values, done = residuals(before), before.done
    sums = np.bincount(before.networks[done], values[done], len(before.names))
    counts = np.bincount(before.networks[done], minlength=len(before.names))
    known: Numbers = np.flatnonzero(counts)
    means = {before.names[network]: sums[network] / counts[network] for network in known}
    return np.array([means.get(name, 0.0) for name in names])
