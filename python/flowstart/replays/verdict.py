"""The verdict of a replay: every variant judged on all traffic, by size class and by network."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from flowstart.inference import Group, Row, Statistic, Verdict
from flowstart.inference.data import LEVEL
from flowstart.inference.gates import Gate, Limits, Part, Runs, gates
from flowstart.inference.intervals import Contrast, contrasted
from flowstart.inference.verdict import judge
from flowstart.render.size_classes import CLASSES
from flowstart.replays.times import EVERYTHING, Numbers, Times

if TYPE_CHECKING:
    import polars as pl

GATE_RUNS = 5
"""How many runs gates rest on: the exact one and four repeats. More would settle nothing that the
few clusters of small parts leave open, and cost memory."""

FOR_A_VERDICT = (Statistic.GEOMEAN_RATIO,)
"""The statistics of which it needs intervals."""


@dataclass(frozen=True)
class Criteria:
    """What a variant must do to be recommended."""

    limits: Limits = field(default_factory=Limits)
    offered: Collection[str] | None = None
    """The variants that the stack offers; None for all."""


def verdict(
    facts: "pl.DataFrame",
    runs: Sequence[Times],
    order: Sequence[str],
    found: Sequence[Group],
    rows: Mapping[tuple[str, str, Statistic], Row],
    criteria: Criteria,
    *,
    seed: int = 1,
) -> Verdict:
    """The verdict on `order`, whose first is the baseline.

    `runs` are the exact one and its repeats, `rows` have the intervals of the groups `found`.
    """
    baseline, *variants = order
    if not variants or facts.is_empty():
        return Verdict(baseline, ())
    transfers = facts["transfer"].to_numpy().astype(np.int64)
    clusters = facts["connection"].to_numpy().astype(np.int64)
    split = parts(facts)
    base = _runs(runs, baseline, transfers)
    gated: dict[str, list[Gate]] = {
        name: gates(base, _runs(runs, name, transfers), split, clusters, criteria.limits, seed=seed)
        for name in variants
    }
    gains = {name: rows[EVERYTHING, name, Statistic.GEOMEAN_RATIO] for name in variants}
    offered = variants if criteria.offered is None else criteria.offered
    slower = _slower(found, order, [name for name in variants if gains[name].gains], seed)
    return judge(baseline, gains, gated, offered, slower)


def parts(facts: "pl.DataFrame") -> list[Part]:
    """All traffic, the size classes, and the networks."""
    sizes, networks = facts["size_bytes"].to_numpy(), facts["network"].to_numpy()
    found = [Part("all", EVERYTHING, np.ones(len(sizes), dtype=np.bool_))]
    for name, least, below in CLASSES:
        found.append(Part("size class", name, (sizes >= least) & (sizes < (below or np.inf))))
    names = facts["network"].unique(maintain_order=True).to_list()
    return [*found, *(Part("network", name, networks == name) for name in names)]


def _runs(runs: Sequence[Times], variant: str, transfers: Numbers) -> Runs:
    whole = np.stack([one.columns(variant, transfers) for one in runs[:GATE_RUNS]])
    return Runs(*(whole[:, :, column] for column in range(whole.shape[2])))


def _slower(
    found: Sequence[Group], order: Sequence[str], gaining: Sequence[str], seed: int
) -> set[tuple[str, str]]:
    """Pairs of variants that gain of which the first is significantly slower."""
    groups = [group for group in found if group.name == EVERYTHING]
    place = {name: index for index, name in enumerate(order)}
    pairs = [(a, b) for a in gaining for b in gaining if a != b]
    contrasts = [Contrast(0, place[a], place[b]) for a, b in pairs]
    if not contrasts:
        return set()
    rows = contrasted(groups, order, contrasts, statistics=FOR_A_VERDICT, level=LEVEL, seed=seed)
    return {pair for pair, row in zip(pairs, rows, strict=True) if row.loses}
