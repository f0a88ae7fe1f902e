"""Quantiles of the beta distribution: the posterior of a share."""

import math

import numpy as np

STEPS = 4001
REACH = 12.0
"""Standard deviations around the mean beyond which nothing is left to count."""


def beta_quantile(p: float, a: float, b: float) -> float:
    """The value that a share of Beta(a, b) is below with probability `p`; a and b at least 0.5.

    With x = sin² θ the density over θ is sin^(2a−1) θ cos^(2b−1) θ, which has no poles.
    """
    mean = a / (a + b)
    middle, spread = math.asin(math.sqrt(mean)), 0.5 / math.sqrt(a + b)
    ends = max(middle - REACH * spread, 0.0), min(middle + REACH * spread, math.pi / 2)
    angles = np.linspace(*ends, STEPS)
    with np.errstate(divide="ignore", invalid="ignore"):
        heights = (2 * a - 1) * np.log(np.sin(angles)) + (2 * b - 1) * np.log(np.cos(angles))
    heights = np.nan_to_num(heights, nan=0.0, neginf=-np.inf)  # 0 · log 0
    density = np.exp(heights - heights.max())
    below = np.append(0.0, np.cumsum((density[1:] + density[:-1]) / 2))
    return float(np.sin(np.interp(p, below / below[-1], angles)) ** 2)
