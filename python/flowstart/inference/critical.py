"""How many standard deviations an interval must reach so that a whole table of them holds."""

import functools
from statistics import NormalDist

import numpy as np

from flowstart.inference.clusters import Floats

DRAWS = 9999
NORMAL = NormalDist()
STILL = 1e-12
"""A variance below this share of the largest is rounding."""


def simultaneous(covariance: Floats, level: float, seed: int, draws: int = DRAWS) -> float:
    """The `level` quantile of the largest |deviation| among the rows, in standard deviations.

    Each draw gives every cluster a standard normal weight (the multiplier bootstrap of clusters,
    van der Vaart and Wellner 1996, §2.9). Weighted sums over clusters are normal with the
    covariance of the sums themselves, so they are drawn from that. A row that does not vary in
    the sample counts as one that varies independently of all others.
    """
    rows = len(covariance)
    if not rows:
        return independent(1, level)
    scale = np.sqrt(np.clip(np.diag(covariance), 0, None))
    still = scale <= STILL * max(scale.max(), 1e-300)
    correlation = covariance / np.outer(np.where(still, 1, scale), np.where(still, 1, scale))
    correlation[still, :] = correlation[:, still] = 0
    np.fill_diagonal(correlation, 1)
    values, vectors = np.linalg.eigh(correlation)
    # The symmetric root: signs of eigenvectors, and their choice where eigenvalues are equal, are
    # the library's and differ between processors.
    root = vectors * np.sqrt(np.clip(values, 0, None)) @ vectors.T
    largest = np.abs(np.random.default_rng(seed).standard_normal((draws, rows)) @ root)
    return float(np.quantile(largest.max(axis=1), level))


def independent(rows: int, level: float) -> float:
    """The same for rows that vary independently."""
    return NORMAL.inv_cdf((1 + level ** (1 / max(rows, 1))) / 2)


def student(normal: float, freedom: float) -> float:
    """What a t distribution of `freedom` degrees reaches where a normal one reaches `normal`."""
    above = 1 - NORMAL.cdf(normal)
    tangents, beyond = _student_tail(max(1, round(freedom)))
    return float(np.interp(-np.log(above), beyond, tangents))


@functools.cache
def _student_tail(freedom: int) -> tuple[Floats, Floats]:
    """Values of a t distribution and −log of the probability beyond each, both rising.

    With t = √ν tan θ its density over θ is cos^(ν−1) θ.
    """
    angles = np.pi / 2 * (1 - np.geomspace(1, 1e-9, 20001))
    density = np.cos(angles) ** (freedom - 1)
    pieces = np.diff(angles) * (density[1:] + density[:-1]) / 2
    beyond = np.append(np.cumsum(pieces[::-1])[::-1], 0.0)
    kept = beyond > 0
    share = beyond[kept] / beyond[0] / 2
    return np.sqrt(freedom) * np.tan(angles[kept]), -np.log(share)
