"""A client that makes several servers start fast at it, again and again, and bystanders."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flowstart.model.document import Document, encode
from flowstart.simulation import frames
from flowstart.simulation.run import Run
from flowstart_papers.coping.countermeasures import NOTHING, PACKET_KBIT, Line, Measure
from flowstart_papers.coping.effects import Estimate, estimate, longer, longer_tail
from flowstart_papers.jump_start.setups import QUEUE, stack
from flowstart_papers.lab import Lab

LINK = Line(mbps=10, rtt_ms=64)
"""What the pulses cross together with everybody else."""
FROM_S = 2
UNTIL_S = 32
LONG = 4
"""Bystanders that send all the time."""
SHORT = 48
SHORT_PACKETS = 20
NEIGHBOURS = 24
"""Transfers of as many packets behind the client's own access line."""

SLOW = Measure("servers use slow start", "none", "slow-start")


@dataclass(frozen=True)
class Pulses:
    """What the client asks for; without servers it asks for nothing."""

    period_s: float = 2
    packets: int = 60
    servers: int = 8
    measure: Measure = NOTHING
    access_mbps: float = 100
    """The client's own line, which comes after the link."""
    rto_min: str = ""
    """The least timeout, where it is not the stack's own."""
    recovery: str = "ns2-sack"

    @property
    def asked_mbps(self) -> float:
        """On average."""
        return self.servers * self.packets * PACKET_KBIT / self.period_s / 1000

    def silent(self) -> "Pulses":
        """The same network without the client."""
        # Of a measure only what is in routers and receivers is left.
        measure = replace(self.measure, startup=SLOW.startup)
        return replace(self, period_s=2, packets=60, servers=0, measure=measure)

    def document(self, seed: int) -> Document:
        """One run."""
        queue = {"buffer": QUEUE} | self.measure.path()
        hops = [
            {"rate": f"{LINK.mbps:g}Mbps", "delay": "31ms"} | queue,
            {"rate": f"{self.access_mbps:g}Mbps", "delay": "1ms"} | queue,
        ]
        timeout = {"rto_min": self.rto_min} if self.rto_min else {}
        fields = self.measure.stack(LINK) | timeout | {"recovery": self.recovery}
        document: Document = {
            "seed": seed,
            "duration": f"{UNTIL_S}s",
            "path": {"hops": hops},
            "stack": stack(**fields),
            "flows": [_long(), _short(SHORT, 0), _short(NEIGHBOURS, 1)],
        }
        return document | ({"web": [self._requests()]} if self.servers else {})

    def _requests(self) -> dict[str, Any]:
        return {
            "startup": self.measure.starts(LINK),
            "start": f"{FROM_S}s",
            "sessions": self.servers,
            "interval": "0s",
            "pages": max(1, int((UNTIL_S - FROM_S) / self.period_s)),
            "page_pause": f"{self.period_s:g}s",
            "page_pause_from": "start",
            "objects": 1,
            "size": self.packets,
            "clients": 1,
            "servers": self.servers,
        }


def _long() -> dict[str, Any]:
    return {"startup": "slow-start", "count": LONG, "jitter": "1s", "to_hop": 0}


def _short(count: int, to_hop: int) -> dict[str, Any]:
    spacing = f"{0.8 * (UNTIL_S - FROM_S) / count:g}s"
    return {
        "startup": "slow-start",
        "size": f"{SHORT_PACKETS}pkt",
        "start": f"{FROM_S}s",
        "count": count,
        "stagger": spacing,
        "jitter": spacing,
        "to_hop": to_hop,
    }


def read(run: Run) -> dict[str, Any]:
    """What the long ones and the client got, in Mbit, and how long the short ones took."""
    columns = run.outcome["flows"].lists()
    short, neighbours, client = LONG, LONG + SHORT, LONG + SHORT + NEIGHBOURS
    delivered = columns["bytes_delivered"]
    # What was not done in the end has lasted until then.
    durations = [
        UNTIL_S - opened if duration is None else duration
        for opened, duration in zip(columns["opened_s"], columns["duration_s"], strict=True)
    ]
    dropped, sent = (
        sum(columns[name][short:neighbours]) for name in ("packets_dropped", "packets_sent")
    )
    answers = zip(delivered[client:], columns["direction"][client:], strict=True)
    return {
        "long": sum(delivered[:LONG]) * 8e-6,
        "short": durations[short:neighbours],
        "neighbours": durations[neighbours:client],
        "loss": 100 * dropped / sent,
        "client": sum(size for size, way in answers if way == "forward") * 8e-6,
        "busy": 100 * frames.rows(run.outcome["links"])[0]["utilisation"],
    }


@dataclass(frozen=True)
class Damage:
    """Pulses against the same network without the client."""

    alone_mbps: Estimate
    """The long bystanders' goodput without the client."""
    alone_short_s: Estimate
    """What the short ones take without the client, in the geometric mean."""
    goodput: Estimate
    """What is left of the long bystanders' goodput, percent."""
    short: Estimate
    """By how many percent the short bystanders are later."""
    short_tail: Estimate
    """Their 95th percentile."""
    neighbours: Estimate
    """By how many percent those behind the client's line are later."""
    loss: Estimate
    """What the short bystanders lose, percent."""
    client_mbps: Estimate
    """What the client gets."""
    price: Estimate
    """Bits that the long bystanders lose for each that the client gets."""
    busy: Estimate
    """How busy the link is, percent."""


def damages(lab: Lab, cases: Sequence[Pulses], seeds: Sequence[int]) -> list[Damage]:
    """Of each case, all runs at one go."""
    wanted = dict.fromkeys(p for case in cases for p in (case.silent(), case))
    documents = {encode(p.document(seed)): p.document(seed) for p in wanted for seed in seeds}
    found = dict(zip(documents, lab.runs(list(documents.values()), read), strict=True))

    def over_seeds(pulses: Pulses) -> list[dict[str, Any]]:
        return [found[encode(pulses.document(seed))] for seed in seeds]

    return [_damage(over_seeds(case.silent()), over_seeds(case)) for case in cases]


def _damage(silent: Sequence[dict[str, Any]], pulses: Sequence[dict[str, Any]]) -> Damage:
    pairs = list(zip(silent, pulses, strict=True))
    return Damage(
        alone_mbps=estimate([a["long"] / UNTIL_S for a, _ in pairs]),
        alone_short_s=estimate([statistics.geometric_mean(a["short"]) for a, _ in pairs]),
        goodput=estimate([100 * b["long"] / a["long"] for a, b in pairs]),
        short=estimate([longer(a["short"], b["short"]) for a, b in pairs]),
        short_tail=estimate([longer_tail(a["short"], b["short"]) for a, b in pairs]),
        neighbours=estimate([longer(a["neighbours"], b["neighbours"]) for a, b in pairs]),
        loss=estimate([b["loss"] for _, b in pairs]),
        client_mbps=estimate([b["client"] / (UNTIL_S - FROM_S) for _, b in pairs]),
        price=estimate([(a["long"] - b["long"]) / b["client"] for a, b in pairs]),
        busy=estimate([b["busy"] for _, b in pairs]),
    )
