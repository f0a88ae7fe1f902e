"""Who else is on the paths of a replay: traffic of others, long transfers, a call's packets."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.model import quantities
from flowstart.model.document import Document
from flowstart.model.variants import USUAL_STARTUP
from flowstart.replays.settings import Settings
from flowstart.replays.traffic import TIME_DIGITS, Conversation
from flowstart.simulation import frames

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import Batch

LEAD_S = 2.0
"""Competing flows is there so long before a connection opens, so that it finds a path in use."""
PROBE_EVERY_S = 0.02
PROBE_BYTES = 160
"""A call's packets: 20 ms of sound at 64 kbit/s (RFC 3551, section 4.5.14)."""
MOST_PROBES = 30_000
"""A probe ends after so many packets, ten minutes of a call."""
LONG_BYTES = 1 << 40
"""More than a long transfer can send while it is watched."""


@dataclass(frozen=True)
class Busy:
    """Times during which connections are open, from the beginning of a part of the traffic."""

    spans: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, talks: Sequence[Conversation], begin_s: float) -> "Busy":
        """When any of these is open, and a little before."""
        spans: list[tuple[float, float]] = []
        ends = sorted((t.opens_s - begin_s, t.connection["close_s"] - begin_s) for t in talks)
        for start, end in ends:
            start = max(start - LEAD_S, 0.0)
            end = max(start, end)
            if spans and start <= spans[-1][1]:
                spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            else:
                spans.append((start, end))
        return cls(tuple(spans))

    @property
    def last_s(self) -> float:
        """When the last of them ends."""
        return self.spans[-1][1]


def cross_traffic(
    talks: Sequence[Conversation], busy: Busy, rate_bps: float, way: Document, settings: Settings
) -> list[Document]:
    """Traffic of others that takes its share of a rate, the `way` of most data under test."""
    own = settings.recorded.flow()
    return [own | way | flow for flow in _cross(talks, busy, rate_bps, settings)]


def companions(busy: Busy, way: Document, settings: Settings) -> dict[str, Document]:
    """The flows of those who are beside the transfers, by their names."""
    own = settings.recorded.flow()
    return {
        name: way | (_probe(busy) if name == "probe" else _long(name, busy, own))
        for name in settings.competing
    }


def _cross(
    talks: Sequence[Conversation], busy: Busy, rate_bps: float, settings: Settings
) -> list[Document]:
    """Transfers of others, which begin as a Poisson process that fills the share of the rate.

    Their sizes are drawn from those of the part itself.
    """
    if not settings.cross_traffic:
        return []
    drawn = random.Random(f"{settings.seed}/cross/{talks[0].connection['connection']}")
    sizes = [turn.size_bytes for talk in talks for turn in talk.turns]
    every_s = sum(sizes) / len(sizes) * 8 / (settings.cross_traffic * rate_bps)
    flows = []
    for start, end in busy.spans:
        at = start + drawn.expovariate(1 / every_s)
        while at < end:
            size = quantities.octets(drawn.choice(sizes))
            flows.append(
                {"size": size, "start": quantities.seconds(at, TIME_DIGITS), "handshake": False}
            )
            at += drawn.expovariate(1 / every_s)
    return flows


def _long(cc: str, busy: Busy, own: Document) -> Document:
    """A transfer that lasts as long as anything is open."""
    startup = USUAL_STARTUP.get(cc, own["startup"])
    start = quantities.seconds(busy.spans[0][0], TIME_DIGITS)
    return own | {
        "cc": cc,
        "startup": startup,
        "size": quantities.octets(LONG_BYTES),
        "start": start,
    }


def _probe(busy: Busy) -> Document:
    """Packets at equal distances while anything is open."""
    times: list[float] = []
    for start, end in busy.spans:
        count = min(int((end - start) / PROBE_EVERY_S) + 1, MOST_PROBES - len(times))
        times += [start + number * PROBE_EVERY_S for number in range(count)]
    return call(times)


def call(times: Sequence[float]) -> Document:
    """A call that sends a packet at each of these times, in seconds, whatever becomes of others."""
    size = quantities.octets(PROBE_BYTES)
    writes = [{"at": quantities.seconds(at, TIME_DIGITS), "size": size} for at in times]
    stack = {"preset": "rfc", "iw": 1000, "restart": "keep"}
    return {"startup": "slow-start", "stack": stack, "handshake": False, "writes": writes}


@dataclass(frozen=True)
class Member:
    """One flow of the competing in one run."""

    run: int
    flow: int
    name: str
    variant: str
    network: str


def seen(members: Sequence[Member], batch: "Batch") -> "pl.DataFrame":
    """What competing flows have come to: a row per run and member.

    `delivered_bytes` of a long transfer; `delay_p50_s` and its like of a probe's packets, from
    when the application had each until it was delivered.
    """
    import polars as pl

    if not members:
        return pl.DataFrame()
    who = pl.DataFrame([vars(member) for member in members])
    flows = frames.frame(batch["flows"]).select("run", "flow", "bytes_delivered")
    delays = pl.DataFrame(schema={"run": pl.Int64, "flow": pl.Int64, "delay_s": pl.Float64})
    if len(batch["transfers"]):
        delays = frames.frame(batch["transfers"]).select(
            "run", "flow", delay_s=pl.col("delivered_s") - pl.col("available_s")
        )
    delay = pl.col("delay_s")
    probes = (
        delays.join(who.filter(pl.col("name") == "probe"), on=["run", "flow"], how="semi")
        .group_by("run", "flow")
        .agg(
            delay_p50_s=delay.quantile(0.5),
            delay_p95_s=delay.quantile(0.95),
            delay_p99_s=delay.quantile(0.99),
        )
    )
    return (
        who.join(flows, on=["run", "flow"])
        .join(probes, on=["run", "flow"], how="left")
        .rename({"bytes_delivered": "delivered_bytes"})
        .sort("run", "flow")
    )
