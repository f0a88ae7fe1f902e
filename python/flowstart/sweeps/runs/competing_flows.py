"""Who is beside the flow under test: a long flow, a short one, a call, people who read the web.

Each kind is run with the flow under test and without it. What is beside it never depends on the
startup, so all startups meet the same competing at the same moment.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model import quantities
from flowstart.model.document import Document
from flowstart.model.variants import OWN, USUAL_STARTUP, Variant
from flowstart.replays.competing_flows import PROBE_EVERY_S, call
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.language import expressions

FULL_SIZE = 1500
"""Bytes of a full-size packet."""
PARAMETERS = frozenset(
    {
        *("rate", "rtt", "buffer", "queue", "loss", "buffer_accounting"),
        *("reverse_rate", "reverse_buffer", "reverse_queue", "reverse_loss"),
    }
)
"""Fields of a path that have a column of their own, or follow one that has."""


@dataclass(frozen=True)
class Facts:
    """A path's parameters, of its bottleneck where it has several hops."""

    rate_bps: float | None
    """None where the rate follows a trace or steps."""
    rtt_s: float
    buffer_pkts: int | None
    """None where the queue has no limit."""
    queue: str
    loss: float
    reverse_rate_bps: float | None
    impairments: str
    """The path's other fields that are set, joined by `+`."""
    size_bytes: int
    """Bytes of the flow under test."""

    @classmethod
    def of(cls, resolved: Document, written: Document, size: str) -> "Facts":
        """Those of a resolved scenario, `written` being the path as it was written."""
        path = resolved["path"]
        mss = resolved["stack"]["mss"]
        hops = path.get("hops") or [path]
        slowest = min(hops, key=lambda hop: _rate(hop.get("rate")) or float("inf"))
        rtt = path.get("rtt") or resolved["flows"][0]["rtt"]
        return cls(
            rate_bps=_long_run_rate(slowest),
            rtt_s=_quantity(rtt).base / quantities.NS_PER_S,
            buffer_pkts=_packets(slowest.get("buffer")),
            queue=slowest["queue"],
            loss=_share(slowest.get("loss")),
            reverse_rate_bps=_rate(slowest.get("reverse_rate")),
            impairments="+".join(sorted(written.keys() - PARAMETERS)),
            size_bytes=_native.size_bytes(size, mss) or 0,
        )

    @property
    def bdp_pkts(self) -> float:
        """The bandwidth-delay product in full-size packets; 10 where the rate varies."""
        rate = self.rate_bps
        return 10.0 if rate is None else rate * self.rtt_s / 8 / FULL_SIZE


def _quantity(text: str) -> quantities.Quantity:
    """A quantity that the simulator has written."""
    quantity = quantities.read(text)
    assert quantity is not None
    return quantity


def _rate(text: str | None) -> float | None:
    return None if text is None else float(_native.rate_bps(text))


def _long_run_rate(hop: Document) -> float | None:
    """What passes a hop in the long run; none where the line's rate varies."""
    line, shaper = _rate(hop.get("rate")), _rate(hop.get("shaper_rate"))
    return line if line is None or shaper is None else min(line, shaper)


def _packets(text: str | None) -> int | None:
    if text is None:
        return None
    size = _quantity(text)
    return int(size.number if size.unit == quantities.PACKETS else size.base / FULL_SIZE)


def _share(text: str | None) -> float:
    return 0.0 if text is None else _quantity(str(text)).base


SHORT_FLOW = "50kB"
SHORT_AFTER_RTTS = 2.5
"""When the short flow opens: the handshake is over, and the startup has begun."""
WARM_RTTS = 4
"""So long after a long flow has left its startup is it warm: a first loss is repaired then."""
AFTERWARDS_RTTS = 10
"""Competing flows is watched so long after the flow under test is done, since its losses last."""
PROBE_RUNS_AHEAD = 10
"""A probe's packets that are sent before the flow under test opens."""
MOST_PROBES = 3000
WEB_LOAD = 0.5
WEB_SIZES = "pareto2:mean=26,shape=1.5"
"""The packets of objects: 37 kB on average, as 2652 kB in 71 requests (HTTP Archive, 2024)."""
WEB_LARGEST_PKTS = 1000
WEB_MEAN_PKTS = 26 * (1 - (1 + WEB_LARGEST_PKTS / 13) ** -0.5) + 0.5
"""The mean of what is cut there and rounded up; 13 is the law's scale."""
WEB_RUNS_AHEAD = 30
"""Sessions that begin before the flow under test opens, on average."""
LONGEST_S = 60.0
LONGEST_RTTS = 200
LONGEST_TRANSFERS = 50
"""A run is cut after all three together, the last being the time that the bytes alone take."""


@dataclass(frozen=True)
class CompetingFlows:
    """The rest of a scenario around the flow under test, which is left open."""

    before: tuple[Document, ...] = ()
    """Flows that stand before it in the scenario."""
    after: tuple[Document, ...] = ()
    """Flows that stand behind it; one that names no startup is the variant under test as well."""
    web: tuple[Document, ...] = ()
    tested: Document | None = None
    """What the flow under test says because of its competing flows: when it opens."""
    opens_s: float = 0.0
    """How long competing runs ahead of it, by a clock."""
    end_rtts: float | None = None
    """The run ends so many round trips after the flow under test is done; otherwise with all."""
    share: float = 1.0
    """The part of the bottleneck's rate that is there for it."""
    watched: int | None = None
    """The flow that is harmed, by its place in the scenario; none of `web`."""

    @property
    def place(self) -> int:
        """That of the flow under test among the flows."""
        return len(self.before)

    @property
    def under_test(self) -> list[int]:
        """The places of all flows that are the variant under test."""
        behind = range(self.place + 1, self.place + 1 + len(self.after))
        siblings = [n for n, flow in zip(behind, self.after, strict=True) if "startup" not in flow]
        return [self.place, *siblings]

    def scenario(self, base: Document, tested: Document, facts: Facts) -> Document:
        """The scenario with the flow under test; `base` has path, stack and seed."""
        flow = tested | (self.tested or {})
        document = base | {"flows": [*self.before, flow, *self._behind(tested)]}
        if self.web:
            document["web"] = list(self.web)
        if self.end_rtts is not None:
            pause = _time(self.end_rtts * facts.rtt_s)
            document["end_after"] = {"flow": self.place, "pause": pause}
            document["duration"] = _time(self.opens_s + longest_s(facts))
        return document

    def alone(self, base: Document, own: Document, lasts_s: float) -> Document | None:
        """The scenario without the flow under test; None where nobody is beside it.

        `own` is a flow under test without its competing flows, for a sibling of its.
        """
        if self.watched is None and not self.web:
            return None
        document = base | {"flows": [*self.before, *self._behind(own)]}
        if self.web:
            document["web"] = list(self.web)
        if self.end_rtts is not None:
            document["duration"] = _time(lasts_s)
        return document

    def _behind(self, tested: Document) -> list[Document]:
        """The flows behind the flow under test, which is `tested`."""
        variant = {name: tested[name] for name in OWN if name in tested}
        return [other if "startup" in other else other | variant for other in self.after]


def competing(kind: str, facts: Facts, tested: Document, stack: str) -> CompetingFlows:
    """The competing of this kind on a path; `stack` is the preset of all hosts."""
    return KINDS[kind](facts, tested, stack)


def _alone(_facts: Facts, _tested: Document, _stack: str) -> CompetingFlows:
    return CompetingFlows()


def _long(facts: Facts, _tested: Document, stack: str) -> CompetingFlows:
    return _warm(facts, {"startup": _usual(stack), "cc": "cubic"})


def _bbr(facts: Facts, _tested: Document, _stack: str) -> CompetingFlows:
    return _warm(facts, {"startup": USUAL_STARTUP["bbr"], "cc": "bbr"})


def _warm(facts: Facts, flow: Document) -> CompetingFlows:
    pause = _time(WARM_RTTS * facts.rtt_s)
    return CompetingFlows(
        before=(flow,),
        tested={"start_after": {"flow": 0, "pause": pause}},
        end_rtts=AFTERWARDS_RTTS,
        share=0.5,
        watched=0,
    )


def _short(facts: Facts, _tested: Document, stack: str) -> CompetingFlows:
    opens = _time(SHORT_AFTER_RTTS * facts.rtt_s)
    flow = {"startup": _usual(stack), "size": SHORT_FLOW, "start": opens}
    return CompetingFlows(after=(flow,), watched=1)


def _same(facts: Facts, tested: Document, _stack: str) -> CompetingFlows:
    flow = {name: value for name, value in tested.items() if name != "startup"}
    flow["start"] = _time(facts.rtt_s / 2)
    return CompetingFlows(after=(flow,), share=0.5, watched=1)


def _probe(facts: Facts, _tested: Document, _stack: str) -> CompetingFlows:
    ahead = PROBE_RUNS_AHEAD * PROBE_EVERY_S
    lasts_s = ahead + 20 * facts.rtt_s + 4 * _transmission_s(facts)
    count = min(int(lasts_s / PROBE_EVERY_S), MOST_PROBES)
    flow = call([number * PROBE_EVERY_S for number in range(count)])
    return CompetingFlows(before=(flow,), tested={"start": _time(ahead)}, end_rtts=1, watched=0)


def _web(facts: Facts, _tested: Document, stack: str) -> CompetingFlows:
    if facts.rate_bps is None:
        raise RequestError(
            "competing `web`: half of the rate is not known where it is not a single one"
        )
    every_s = WEB_MEAN_PKTS * FULL_SIZE * 8 / (WEB_LOAD * facts.rate_bps)
    opens_s = WEB_RUNS_AHEAD * every_s + 4 * facts.rtt_s
    sessions = int((opens_s + longest_s(facts)) / every_s) + 1
    web = {
        "startup": _usual(stack),
        "sessions": min(sessions, 1_000_000),
        "interval": f"exponential:mean={_time(every_s)}",
        "size": WEB_SIZES,
        "max_size": WEB_LARGEST_PKTS,
        "single_connection": True,
    }
    tested = {"start": _time(opens_s)}
    return CompetingFlows(
        web=(web,),
        tested=tested,
        opens_s=opens_s,
        end_rtts=AFTERWARDS_RTTS,
        share=1 - WEB_LOAD,
    )


KINDS: dict[str, Callable[[Facts, Document, str], CompetingFlows]] = {
    "alone": _alone,
    "long": _long,
    "bbr": _bbr,
    "short": _short,
    "same": _same,
    "probe": _probe,
    "web": _web,
}
"""Those of `cell.COMPETING`, by name."""


def longest_s(facts: Facts) -> float:
    """A run with competing flows is cut so long after what runs ahead by a clock."""
    return LONGEST_S + LONGEST_RTTS * facts.rtt_s + LONGEST_TRANSFERS * _transmission_s(facts)


def _transmission_s(facts: Facts) -> float:
    """How long the bytes under test take at the bottleneck, at least."""
    rate = facts.rate_bps or facts.bdp_pkts * FULL_SIZE * 8 / facts.rtt_s
    return facts.size_bytes * 8 / rate


def _usual(stack: str) -> str:
    """The startup of others: what the stack's hosts do by default."""
    return "hystart" if stack == "linux" else "slow-start"


def _time(seconds: float) -> str:
    return expressions.time(seconds * quantities.NS_PER_S)


PER_RUN = 60
"""What a run takes beside its packets, in packets."""
UNKNOWN_BDP = 100.0
"""Packets, where the rate or the round trip is no single number."""
BESIDE_BDPS = {"long": 40.0, "bbr": 120.0, "web": 12.0}
"""What long flows and web load send in a run, in bandwidth-delay products: before the flow under
test, beside it, and afterwards."""


def cost(cell: Cell, variants: Sequence[Variant]) -> float:
    """Packets under all variants, roughly: a fixed function of the cell."""
    size = _native.size_bytes(str(cell.flow.get("size", "1MB")), "1460B") or 1_000_000
    own = size / FULL_SIZE + PER_RUN
    return len(variants) * (own + _beside(cell, own))


def _beside(cell: Cell, own: float) -> float:
    """What the competing flows sends in a run; `own` packets are of the flow under test."""
    rate, rtt = (_base(cell, name) for name in ("rate", "rtt"))
    bdp = rate * rtt / 8 / FULL_SIZE if rate and rtt else UNKNOWN_BDP
    if cell.competing in BESIDE_BDPS:
        return own + BESIDE_BDPS[cell.competing] * bdp
    if cell.competing == "probe":
        lasts_s = 20 * rtt + 4 * own * FULL_SIZE * 8 / rate if rate else 10.0
        return 10 * min(lasts_s / PROBE_EVERY_S, MOST_PROBES)
    return {"alone": 0.0, "short": 2 * PER_RUN, "same": 2 * own}[cell.competing]


def _base(cell: Cell, name: str) -> float:
    """A field of the path in bits per second or seconds; 0 where it is no single number."""
    quantity = quantities.read(str(cell.path.get(name, "")))
    return quantity.base / (1.0 if name == "rate" else quantities.NS_PER_S) if quantity else 0.0
