"""A replay in few numbers: one summary per size class and start-up."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from flowstart.comparison.summary import BASELINE
from flowstart.render import marks

CLASSES = (
    ("below 10 kB", 0, 10_000),
    ("10 to 100 kB", 10_000, 100_000),
    ("100 kB to 1 MB", 100_000, 1_000_000),
    ("1 to 10 MB", 1_000_000, 10_000_000),
    ("above 10 MB", 10_000_000, None),
)
EVERYTHING = "all sizes"
ENOUGH = 10
"""Transfers that a network needs to be singled out among others."""
HURT = 0.1
"""A transfer is hurt where it takes this much longer than under the baseline."""


@dataclass(frozen=True)
class ClassSummary:
    """How the transfers of one size class fared under one start-up, all running together."""

    size_class: str
    startup: str
    transfers: int
    complete: int
    fct_median_s: float | None
    fct_p95_s: float | None
    alone_median_s: float | None
    """The median completion time of the same transfers, each alone on its path."""
    change: float | None
    """The median over transfers of their change against the baseline: −0.1 is 10 % sooner."""
    slowdown_median: float | None
    slowdown_p95: float | None
    loss: float | None
    """Share of their packets that were lost."""
    timeouts: int
    compared: int
    """Transfers that were completed under the baseline, so that they have a change."""
    hurt: float | None
    """Share of these that took more than a tenth longer than under it, or never ended."""
    worst_network: str | None
    """Where the largest share of transfers is hurt; None where none is.

    A network with fewer than `ENOUGH` transfers is named only where no other has one that is hurt.
    """
    worst_share: float | None
    """That share."""
    best: bool = False
    """Whether the row is marked, by the rule in `marks`."""


def baseline(startups: Sequence[str]) -> str:
    """Slow start, or the first where it does not take part."""
    return BASELINE if BASELINE in startups else startups[0]


def summarise(rows: Iterable[dict[str, Any]], startups: Sequence[str]) -> list[ClassSummary]:
    """Summaries by size class and then in the order of the start-ups; all sizes last."""
    reference = baseline(startups)
    by: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
    for row in rows:
        by.setdefault((row["startup"], row["mode"]), {})[row["transfer"]] = row
    found: list[ClassSummary] = []
    for name, least, below in (*CLASSES, (EVERYTHING, 0, None)):
        wanted = [
            number
            for number, row in by.get((reference, "together"), {}).items()
            if row["size_bytes"] >= least and (below is None or row["size_bytes"] < below)
        ]
        if wanted:
            group = [_summary(name, s, wanted, by, reference) for s in startups]
            found += _mark_best(group)
    return found


def _summary(
    name: str,
    startup: str,
    wanted: list[int],
    by: dict[tuple[str, str], dict[int, dict[str, Any]]],
    reference: str,
) -> ClassSummary:
    together = by.get((startup, "together"), {})
    alone = by.get((startup, "alone"), {})
    rows = [together[n] for n in wanted if n in together]
    base = by[(reference, "together")]
    changes = {n: _change(together.get(n), base[n]) for n in wanted}
    known = {n: change for n, change in changes.items() if change is not None}
    hurt = {n for n, change in known.items() if change > HURT}
    worst_network, worst_share = _worst_network(hurt, known, base)
    sent = sum(row["packets_sent"] for row in rows)
    times = _known(row["fct_s"] for row in rows)
    slowdowns = _known(row["slowdown"] for row in rows)
    return ClassSummary(
        size_class=name,
        startup=startup,
        transfers=len(wanted),
        complete=sum(row["complete"] for row in rows),
        fct_median_s=percentile(times, 50),
        fct_p95_s=percentile(times, 95),
        alone_median_s=percentile(_known(alone[n]["fct_s"] for n in wanted if n in alone), 50),
        change=_finite(percentile(known.values(), 50)),
        slowdown_median=percentile(slowdowns, 50),
        slowdown_p95=percentile(slowdowns, 95),
        loss=sum(row["packets_dropped"] for row in rows) / sent if sent else None,
        timeouts=sum(row["timeouts"] for row in rows),
        compared=len(known),
        hurt=len(hurt) / len(known) if known else None,
        worst_network=worst_network,
        worst_share=worst_share,
    )


def _worst_network(
    hurt: set[int], compared: Iterable[int], base: dict[int, dict[str, Any]]
) -> tuple[str | None, float | None]:
    """The network with the largest share of transfers that are hurt, and that share."""
    counts: dict[str, list[bool]] = {}
    for number in compared:
        counts.setdefault(base[number]["network"], []).append(number in hurt)
    counts = {network: marks for network, marks in counts.items() if any(marks)}
    # A share of very few says little of their path.
    enough = {n: marks for n, marks in counts.items() if len(marks) >= ENOUGH} or counts
    shares = {network: sum(marks) / len(marks) for network, marks in enough.items()}
    return max(shares.items(), key=lambda item: item[1], default=(None, None))


def _change(row: dict[str, Any] | None, base: dict[str, Any]) -> float | None:
    """None where either is not known; without end where only the baseline has ended."""
    if row is None or not base["fct_s"]:
        return None
    time: float = inf if row["fct_s"] is None else row["fct_s"]
    before: float = base["fct_s"]
    return time / before - 1


def _finite(value: float | None) -> float | None:
    return None if value is None or value == inf else value


def _mark_best(group: list[ClassSummary]) -> list[ClassSummary]:
    """The group with its best marked."""
    if group[0].size_class == EVERYTHING or group[0].transfers < marks.ENOUGH:
        return group
    times = [s.fct_median_s if s.complete == s.transfers else None for s in group]
    changes = [s.change for s in group]
    gain = min(_known(changes), default=0.0) + marks.TIE
    return [
        replace(s, best=first and (s.hurt or 0.0) <= marks.MOST_HURT and _at_most(s.change, gain))
        for s, first in zip(group, marks.soonest(times, changes), strict=True)
    ]


def _at_most(value: float | None, limit: float) -> bool:
    return value is not None and value <= limit


def percentile(values: Iterable[float], p: float) -> float | None:
    """Nearest rank: the value number round(p(n−1)/100) of the sorted list."""
    ordered = sorted(values)
    return ordered[round(p / 100 * (len(ordered) - 1))] if ordered else None


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
