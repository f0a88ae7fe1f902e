"""Many rows in few numbers: one summary per size and startup, over flows and seeds."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from flowstart import text

if TYPE_CHECKING:
    from flowstart._native import ComparisonRows


class Group(NamedTuple):
    """What the transfers of several summaries have in common."""

    web: bool
    size_bytes: int
    """Zero for objects of web sessions, whose sizes differ."""
    request: int = 0
    """Which request on its connection, from 1; zero where a connection has one transfer."""
    place: int = 0
    """Which of the flows' measures, from 1; zero for completion times."""
    measure: str = ""
    """That measure in words."""
    is_rate: bool = False
    """Whether it is a rate, of which more is better."""

    @property
    def name(self) -> str:
        """In words."""
        if self.web:
            return "objects of web sessions"
        size = text.size(self.size_bytes)
        if self.measure:
            return f"{size}, {self.measure}" if self.size_bytes else self.measure
        return size + (f", request {self.request}" if self.request else "")


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
    limited_by: str | None
    """What kept flows from sending for the largest share of their time; None where not recorded."""
    limited_share: float
    """That share, as a mean over flows."""
    window_share: float
    """The share of the receiver's windows: that of TCP, and those of streams and connections."""
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
    place: int = 0
    """Which of the flows' measures this is, from 1, instead of completion times; zero for these."""
    measure: str | None = None
    """That measure in words, such as `goodput in 10 s`."""
    is_rate: bool = False
    """Whether it is a rate. Of delays of writes `fct_s` is the mean of the 95th percentiles."""
    goodput_bps: float | None = None
    """Its mean; `change` is then that of the rate: 0.1 is 10 % higher."""
    least_goodput_bps: float | None = None
    """The smallest rate of a flow."""
    goodput_share: float | None = None
    """The mean share of the narrowest link."""
    to_100kb_s: float | None = None
    """Mean time until the first 100 kB were delivered; None where one flow did not deliver them."""
    to_1mb_s: float | None = None
    to_10mb_s: float | None = None
    delay_p50_s: float | None = None
    """Median delay of writes, as a mean over flows."""
    delay_p99_s: float | None = None
    delay_max_s: float | None = None
    """The longest delay; None where a write was not delivered."""
    late_share: float | None = None
    """Mean share of writes that miss the deadline."""

    @property
    def time(self) -> float:
        """What is compared, of which less is better: the time of a transfer, or of a bit."""
        if self.is_rate:
            return 1 / self.goodput_bps if self.goodput_bps else inf
        return self.fct_s or 0.0

    @property
    def slower(self) -> float:
        """The change of that: −0.1 takes 10 % less time."""
        change = self.change or 0.0
        return inverse(change) if self.is_rate else change

    @property
    def has_flows(self) -> bool:
        """Whether each run has several flows of it."""
        return self.flows > self.seeds and not self.web

    @property
    def group(self) -> Group:
        """The section of a table that it belongs to."""
        size = 0 if self.web else self.size_bytes
        if self.measure and not self.is_rate:
            size = 0
        measure = self.measure or ""
        return Group(self.web, size, self.request or 0, self.place, measure, self.is_rate)


def summarised(rows: "ComparisonRows", planned: Sequence[int]) -> tuple[list[Summary], list[str]]:
    """Summaries by size and, within a size, in the order of the plan; the order of tables.

    `planned` are how many seeds of each size were to be run; a startup of which runs are missing
    has fewer.
    """
    summaries, order = rows.summaries([*planned])
    return [Summary(**fields) for fields in json.loads(summaries)], order


def inverse(change: float) -> float:
    """The change of a rate from that of the time of a bit, or the reverse."""
    return -change / (1 + change)


def average_slowdown(summaries: Sequence[Summary]) -> float:
    """The geometric mean over sizes of a startup's slowdown; infinite where none is known."""
    known = [s.slowdown for s in summaries if s.slowdown is not None]
    return exp(fmean(map(log, known))) if known else inf
