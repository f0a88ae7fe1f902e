"""Many rows in few numbers: one summary per size and startup, over flows and seeds."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from flowstart import _native, text
from flowstart.model import variants

Rows: TypeAlias = list[dict[str, Any]]


class Group(NamedTuple):
    """What the transfers of several summaries have in common."""

    web: bool
    size_bytes: int
    """Zero for objects of web sessions, whose sizes differ."""
    request: int = 0
    """Which request on its connection, from 1; zero where a connection has one transfer."""

    @property
    def name(self) -> str:
        """In words."""
        if self.web:
            return "objects of web sessions"
        request = f", request {self.request}" if self.request else ""
        return text.size(self.size_bytes) + request


@dataclass(frozen=True)
class Summary:
    """How one startup did with one size. Counts and windows are means per flow."""

    startup: str
    size_bytes: int
    request: int | None
    """Which request on its connection, from 1; None where a connection has one transfer."""
    seeds: int
    """With how many seeds its runs are finished."""
    planned_seeds: int
    flows: int
    complete: int
    """How many of the flows were done; times are means over these, None without any."""
    reset: int
    """How many were given up."""
    fct_s: float | None
    duration_s: float | None
    least_fct_s: float | None
    worst_fct_s: float | None
    slowest_flow_s: float | None
    """The completion time of the slowest flow, as a mean over seeds; None if one was not done."""
    fairness: float | None
    """Jain's index of the flows' rates, as a mean over seeds; None if one was not done."""
    slowdown: float | None
    loss: float
    """The share of packets that were dropped."""
    dropped: float
    retransmitted: float
    timeouts: float
    exit_reason: str | None
    """Why most flows left startup; None where most did not."""
    exit_share: float
    """The share of the flows that left startup for this reason."""
    min_exit_cwnd_segments: float | None
    """The smallest window with which a flow left startup for this reason."""
    max_exit_cwnd_segments: float | None
    """The largest one."""
    min_exit_bdp: float | None
    """The smallest such window as a multiple of its own flow's bandwidth-delay product."""
    max_exit_bdp: float | None
    """The largest multiple."""
    max_queue_pkts: int
    change: float | None = None
    """The completion time against the baseline's: −0.1 is 10 % faster.

    It is the change of the mean, over seeds that both have; with intervals, their estimate.
    """
    duration_change: float | None = None
    """The same for the time until the sender had everything acknowledged."""
    background_change: float | None = None
    """The same for the completion times of the background flows, where there are any."""
    best: bool = False
    """Whether the row is marked."""
    web: bool = False
    """Whether these are the objects of web sessions, whose size is then the mean."""

    @property
    def has_flows(self) -> bool:
        """Whether each run has several flows of it."""
        return self.flows > self.seeds and not self.web

    @property
    def group(self) -> Group:
        """The section of a table that it belongs to."""
        return Group(self.web, 0 if self.web else self.size_bytes, self.request or 0)


def summarise(
    rows: Iterable[dict[str, Any]],
    startups: Sequence[str],
    seeds: Mapping[str | None, int] | int = 1,
    baseline: str | None = None,
) -> list[Summary]:
    """Summaries by size and, within a size, in the order of `startups`.

    Objects of web sessions stand together whatever their size. `seeds` are how many were to be
    run, of all sizes or of each; a startup of which runs are missing has fewer. Changes are against
    `baseline`: slow start, or the first, where none is named.
    """
    rows = list(rows)
    sizes = [row["size_bytes"] for row in rows if row["tested"] and _is_object(row)]
    mean_size = round(fmean(sizes)) if sizes else 0
    tested: dict[Group, dict[str, Rows]] = {}
    background: dict[tuple[str | None, str], Rows] = {}
    for row in rows:
        if row["tested"]:
            tested.setdefault(group_of(row), {}).setdefault(row["variant"], []).append(row)
        else:
            background.setdefault((row["size"], row["variant"]), []).append(row)
    baseline = variants.baseline(baseline, startups)
    found = []
    for key in sorted(tested):
        group = {s: tested[key][s] for s in startups if s in tested[key]}
        base = group.get(baseline, [])
        asked = next(iter(group.values()))[0]["size"]
        planned = seeds if isinstance(seeds, int) else seeds[asked]
        beside = {s: background.get((asked, s), []) for s in (*group, baseline)}
        summaries = [
            replace(
                _summary(rows, planned),
                web=key.web,
                size_bytes=mean_size if key.web else key.size_bytes,
                change=_change(rows, base, "fct_s"),
                duration_change=_change(rows, base, "duration_s"),
                background_change=_change(beside[startup], beside[baseline], "fct_s"),
            )
            for startup, rows in group.items()
        ]
        found += _mark_best(summaries, len(startups))
    return found


def group_of(row: Mapping[str, Any]) -> Group:
    """The group of a row."""
    web = _is_object(row)
    return Group(web, 0 if web else row["size_bytes"], row.get("request") or 0)


def _is_object(row: Mapping[str, Any]) -> bool:
    """Whether a row is that of a web session's response."""
    return row.get("object") is not None


def _summary(rows: Rows, planned_seeds: int) -> Summary:
    done = [row for row in rows if row["complete"]]
    reason, times = Counter(row["startup_exit_reason"] for row in rows).most_common(1)[0]
    first = rows[0]
    fct = [row["fct_s"] for row in done]
    exits = [
        (row["startup_exit_cwnd_segments"], row["bdp_pkts"])
        for row in rows
        if row["startup_exit_reason"] == reason and row["startup_exit_cwnd_segments"] is not None
    ]
    windows = [window for window, _ in exits]
    bdps = [window / bdp for window, bdp in exits if bdp]
    by_seed: dict[int, list[float | None]] = {}
    for row in rows:
        by_seed.setdefault(row["seed"], []).append(row["fct_s"] if row["complete"] else None)
    return Summary(
        startup=first["variant"],
        size_bytes=first["size_bytes"],
        request=first.get("request"),
        seeds=len(_seeds(rows)),
        planned_seeds=planned_seeds,
        flows=len(rows),
        complete=len(done),
        reset=sum(1 for row in rows if row["reset"]),
        fct_s=_mean(fct),
        duration_s=_mean(row["duration_s"] for row in done),
        least_fct_s=min(fct, default=None),
        worst_fct_s=max(fct, default=None),
        slowest_flow_s=_of_flows(max, by_seed.values()),
        fairness=None if _is_object(first) else _of_flows(_jain, by_seed.values()),
        slowdown=_mean(row["slowdown"] for row in done),
        loss=sum(row["packets_dropped"] for row in rows)
        / max(1, sum(row["packets_sent"] for row in rows)),
        dropped=fmean(row["packets_dropped"] for row in rows),
        retransmitted=fmean(row["packets_retransmitted"] for row in rows),
        timeouts=fmean(row["timeouts"] for row in rows),
        exit_reason=reason,
        exit_share=times / len(rows),
        min_exit_cwnd_segments=min(windows, default=None),
        max_exit_cwnd_segments=max(windows, default=None),
        min_exit_bdp=min(bdps, default=None),
        max_exit_bdp=max(bdps, default=None),
        max_queue_pkts=max(row["max_queue_pkts"] for row in rows),
    )


def _of_flows(
    measure: Callable[[list[float]], float], times: Iterable[Sequence[float | None]]
) -> float | None:
    """The mean over seeds of a measure of all flows' times."""
    values = []
    for of_seed in times:
        known = [time for time in of_seed if time is not None]
        if len(known) < len(of_seed):
            return None
        values.append(measure(known))
    return _mean(values)


def _jain(times: list[float]) -> float:
    """Jain's index of the mean rates with which flows of one size were done (Jain 1984)."""
    rates = [1 / time for time in times]
    return sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates))


def _mark_best(group: list[Summary], startups: int) -> list[Summary]:
    """The group with its best marked, unless runs of it are missing."""
    if len(group) < startups or any(s.seeds < s.planned_seeds for s in group):
        return group
    best = _native.fastest(
        [(s.fct_s if s.complete == s.flows else None, s.change, s.worst_fct_s) for s in group]
    )
    return [replace(s, best=is_best) for s, is_best in zip(group, best, strict=True)]


def _change(rows: Rows, base: Rows, time: str) -> float | None:
    """The change of a mean time over the seeds that both have."""
    common = _seeds(rows) & _seeds(base)
    mean, before = (
        _mean(row[time] for row in part if row["complete"] and row["seed"] in common)
        for part in (rows, base)
    )
    return None if mean is None or not before else mean / before - 1


def _seeds(rows: Rows) -> set[int]:
    return {row["seed"] for row in rows}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return fmean(known) if known else None


MANY = 8
"""With more startups than these, the order in which they were named is no help."""


def ordered(found: Sequence[Summary], startups: Sequence[str]) -> list[str]:
    """The startups as they were named; many of them by their average slowdown.

    One that did not finish everything is no match for those that did.
    """
    if len(startups) <= MANY:
        return list(startups)

    def rank(name: str) -> tuple[bool, float]:
        mine = [s for s in found if s.startup == name]
        unfinished = not mine or any(s.complete < s.flows for s in mine)
        return unfinished, average_slowdown(mine)

    return sorted(startups, key=rank)


def average_slowdown(found: Sequence[Summary]) -> float:
    """The geometric mean over sizes of a startup's slowdown; infinite where none is known."""
    known = [s.slowdown for s in found if s.slowdown is not None]
    return exp(fmean(map(log, known))) if known else inf
