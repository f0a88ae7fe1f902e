"""Senders that are granted a rate which they then cannot use, and what it costs others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart.simulation.series import EVENTS
from flowstart_papers.cases import by_case
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.measures import improvement, interval
from flowstart_papers.quick_start_low_latency.setups import (
    LITERAL,
    MSS,
    RATES,
    SLOW_START,
    TABLE1_KB,
    transfer,
)
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATE, DELAY = "100Mbps", 20
ROUND_TRIP = LITERAL.round_trip(DELAY)
QUICK_START = LITERAL.quick_start

READY = 3
"""Packets that the application has when the connection opens; slow start would send as many."""
WAITS = (0, 0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 5)
"""Round trips after the first packets left until the application has the rest of 120 kB."""
STREAMS = (1, 2, 5, 10, 20, 40)
"""Mbit/s that an application writes evenly."""
CHUNK_S = 0.01
STREAM_S = 1.0

ASKS = (0.05, 0.1, 0.2, 0.5, 1, 2)
"""Seconds from one request of a host to its next; it sends a packet on each approval."""
OFTEN = 0.2
BEGIN_S, JITTER_S = 3.0, 2.0
"""When somebody else opens a connection beside it."""
SEEDS = range(1, 41)
MUCH = 0.5
"""At most this share of the gain is left where others are denied service."""


def waiting(startup: str, wait: float) -> Document:
    """120 kB, of which the application has three packets at first and the rest later."""
    packets = LITERAL.packets(TABLE1_KB)
    first = {"size": f"{READY * MSS}B", "at": "0s"}
    # The first packets leave when the handshake is done.
    rest = {
        "size": f"{(packets - READY) * MSS}B",
        "at": f"{1000 * ROUND_TRIP * (1 + wait):g}ms",
    }
    return _writing(startup, [first, rest])


def streaming(startup: str, mbps: float) -> Document:
    """An application that writes evenly for a second, less than is granted."""
    size = round(mbps * 1e6 / 8 * CHUNK_S)
    chunks = round(STREAM_S / CHUNK_S)
    return _writing(
        startup,
        [{"size": f"{size}B", "at": f"{1000 * CHUNK_S * i:g}ms"} for i in range(chunks)],
    )


def _writing(startup: str, writes: list[dict[str, str]]) -> Document:
    found = transfer(LITERAL, RATE, DELAY, 1, startup)
    return found | {"flows": [{"startup": startup, "writes": writes}]}


def beside(startup: str, every: float | None, seed: int) -> Document:
    """Table I's transfer beside a host that asks over and over and sends little."""
    found = transfer(LITERAL, RATE, DELAY, LITERAL.packets(TABLE1_KB), startup)
    found["flows"][0] |= {"start": f"{BEGIN_S:g}s", "jitter": f"{JITTER_S:g}s"}
    if every:
        asking = {
            "startup": QUICK_START,
            "size": "1pkt",
            "count": round((BEGIN_S + JITTER_S) / every) + 1,
            "stagger": f"{1000 * every:g}ms",
        }
        found["flows"].append(asking)
    return found | {"seed": seed}


def last_write(run: Run) -> float:
    """Seconds from when the application had its last bytes until they were acknowledged."""
    write = run.transfers.to_dicts()[-1]
    return float(write["acked_s"] - write["available_s"])


def lateness(run: Run) -> float:
    """Mean seconds from writing to delivery."""
    writes = run.transfers.to_dicts()
    return float(np.mean([each["delivered_s"] - each["available_s"] for each in writes]))


class Served(TypedDict):
    """How the transfer beside fared."""

    seconds: float
    window: float
    """What it opened with, in packets."""


def served(run: Run) -> Served:
    """Reads the first flow's time and the window that it opened with."""
    samples = (run.outcome["trace"] or {})["flow_samples"]
    opened = (samples["flow"] == 0) & (samples["event"] == EVENTS.index("open"))
    return {
        "seconds": run.records[0]["duration_s"],
        "window": samples["cwnd"][opened][0].item(),
    }


@dataclass(frozen=True)
class Both:
    """A time with both startups, in seconds."""

    slow: float
    quick: float

    @property
    def improvement(self) -> float:
        """In percent."""
        return improvement(self.slow, self.quick)


@dataclass(frozen=True)
class Service:
    """What the transfers next to unused requests come to, by seed."""

    slow: Sequence[Served]
    quick: Sequence[Served]

    @property
    def improvements(self) -> list[float]:
        """In percent."""
        return [
            improvement(slow["seconds"], quick["seconds"])
            for slow, quick in zip(self.slow, self.quick, strict=True)
        ]

    @property
    def mean(self) -> float:
        """Of the improvements."""
        return float(np.mean(self.improvements))

    @property
    def refused(self) -> int:
        """Percent of the seeds in which nothing is approved."""
        same = [q["window"] == s["window"] for s, q in zip(self.slow, self.quick, strict=True)]
        return round(100 * sum(same) / len(same))


Waits = Mapping[float, Both]
Streams = Mapping[float, Both]
Services = Mapping[float | None, Service]


def run(lab: Lab) -> Findings:
    """Runs senders that wait, senders that stream, and transfers next to unused requests."""
    waits = _pairs(lab, WAITS, waiting, last_write)
    streams = _pairs(lab, STREAMS, streaming, lateness)
    services = _services(lab)
    return Findings(
        measured=_measured(services),
        answers=[_say_waits(waits), _say_streams(streams), _say_services(services)],
        tables=[_waits_table(waits), _streams_table(streams), _services_table(services)],
        pictures=[
            Picture(
                "limited",
                f"Grants that are not used, {RATES[RATE]} and {DELAY} ms. Left: what an "
                f"application gains whose rest comes later. Right: what a transfer of "
                f"{TABLE1_KB} kB gains next to a host that requests and sends a packet, with the "
                f"95 % interval",
                lambda: _draw(waits, services),
            )
        ],
    )


def _pairs(lab: Lab, values: Sequence[float], document: Any, read: Any) -> dict[float, Both]:
    found = lab.runs(
        [document(startup, value) for value in values for startup in (SLOW_START, QUICK_START)],
        read,
    )
    both = zip(found[::2], found[1::2], strict=True)
    return {value: Both(*each) for value, each in zip(values, both, strict=True)}


def _services(lab: Lab) -> Services:
    periods = (None, *ASKS)
    documents = {
        (every, startup): [beside(startup, every, seed) for seed in SEEDS]
        for every in periods
        for startup in (SLOW_START, QUICK_START)
    }
    found = by_case(lab, documents, served, trace=True)
    return {
        every: Service(found[every, SLOW_START], found[every, QUICK_START]) for every in periods
    }


def _measured(services: Services) -> dict[str, Measured]:
    often, nobody = services[OFTEN], services[None]
    return {
        "qs.unused.denies": Measured(
            round(often.mean, 1),
            holds=often.mean < MUCH * nobody.mean,
            interval=interval(often.improvements),
            seeds=len(SEEDS),
        )
    }


def _say_waits(waits: Waits) -> str:
    at_once, one = waits[0], waits[1]
    return (
        f"An application that has all but {READY} packets of {TABLE1_KB} kB a moment later gains "
        f"{at_once.improvement:.1f} % of the time for the rest, {one.improvement:.1f} % when the "
        f"rest comes a round trip later."
    )


def _say_streams(streams: Streams) -> str:
    least, most = streams[STREAMS[0]], streams[STREAMS[-1]]
    return (
        f"A stream of {STREAMS[0]} Mbit/s is delivered {1000 * least.slow:.1f} ms after it was "
        f"written with slow start and {1000 * least.quick:.1f} with Quick-Start, one of "
        f"{STREAMS[-1]} Mbit/s {1000 * most.slow:.0f} and {1000 * most.quick:.0f} (means over "
        f"the first second)."
    )


def _say_services(services: Services) -> str:
    nobody, often = services[None], services[OFTEN]
    low, high = interval(often.improvements)
    return (
        f"Next to a host that requests everything every {OFTEN:g} s and sends a packet, "
        f"{often.refused} % of the requests of others are refused and they gain {often.mean:.1f} % "
        f"({low:.1f} to {high:.1f}), where they gain {nobody.mean:.1f} % alone."
    )


def _waits_table(waits: Waits) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "rest comes after (round trips)": wait,
            "slow start (s)": round(both.slow, 4),
            "Quick-Start (s)": round(both.quick, 4),
            "improvement (%)": round(both.improvement, 1),
        }
        for wait, both in waits.items()
    ]
    return Table("limited-waits", f"Time for the rest of {TABLE1_KB} kB", rows)


def _streams_table(streams: Streams) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "written (Mbit/s)": mbps,
            "slow start (ms)": round(1000 * both.slow, 2),
            "Quick-Start (ms)": round(1000 * both.quick, 2),
            "improvement (%)": round(both.improvement, 1),
        }
        for mbps, both in streams.items()
    ]
    return Table("limited-streams", "From writing to delivery, mean over the first second", rows)


def _services_table(services: Services) -> Table:
    rows: list[dict[str, Cell]] = []
    for every, service in services.items():
        low, high = interval(service.improvements)
        rows.append(
            {
                "request every (s)": every if every else "no requests",
                "refused (% of seeds)": service.refused,
                "window, median (packets)": float(np.median([q["window"] for q in service.quick])),
                "improvement, mean (%)": round(service.mean, 1),
                "95 % from (%)": round(low, 1),
                "95 % to (%)": round(high, 1),
            }
        )
    return Table("limited-beside", "A transfer next to requests that are not used", rows)


def _draw(waits: Waits, services: Services) -> "Figure":
    from flowstart_papers import drawing

    name = f"next to unused requests, {len(SEEDS)} seeds"
    return drawing.panels(
        drawing.Panel(
            drawing.Axis("rest of the data comes after (round trips)"),
            drawing.Axis("improvement of the time for the rest (%)", limits=(-5, 80)),
            {"time for the rest": (WAITS, [both.improvement for both in waits.values()])},
        ),
        drawing.Panel(
            drawing.Axis("a host requests every (s)", "log", ticks=ASKS),
            drawing.Axis("improvement (%)", limits=(-5, 80)),
            {name: (ASKS, [services[every].mean for every in ASKS])},
            bands={name: drawing.band(ASKS, [interval(services[e].improvements) for e in ASKS])},
            level={"no requests": services[None].mean},
        ),
    )


EXPERIMENTS = (
    Experiment(
        id="QS-LIMITED",
        figure="Sec. IV",
        question="What does a grant do that its sender cannot use, for the sender and for others?",
        run=run,
    ),
)
