"""Sec. I and IV: a request is approved, and a burst of somebody else's then takes its packets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart.simulation.series import EVENTS
from flowstart_papers.cases import by_case
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.measures import improvement, interval
from flowstart_papers.quick_start_low_latency.measures import PACKET_BITS
from flowstart_papers.quick_start_low_latency.setups import (
    LITERAL,
    RATES,
    SLOW_START,
    TABLE1_KB,
    transfer,
)
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATE, DELAY = "100Mbps", 20
APPROVED = 81.92e6
"""Bit/s: what the idle link approves, 90 % of it rounded down to a code."""
SIZES_KB = (TABLE1_KB, 1000)
BURSTS = (0, 50, 100, 150, 175, 200, 250, 300, 400, 500)
"""Packets that another host sends at its line's rate."""
QUEUE = 150
BEYOND = tuple(burst for burst in BURSTS if burst > QUEUE)
"""Bursts that the queue of 150 packets does not hold."""
SEEDS = range(1, 41)
MUCH = 0.5
"""At most this share of the gain is left where it is much lower."""


class Outcome(TypedDict):
    """How a transfer and the burst beside it ended."""

    seconds: float
    dropped: int
    timeouts: int
    window: float | None
    """With which the first lost packet was sent again, in packets."""
    burst_seconds: float | None
    burst_dropped: int


def document(kilobytes: int, startup: str, burst: int, seed: int) -> Document:
    """A transfer whose first flight meets a burst, somewhere in it."""
    packets = LITERAL.packets(kilobytes)
    found = transfer(LITERAL, RATE, DELAY, packets, startup)
    round_trip = LITERAL.round_trip(DELAY)
    flight = min(packets * PACKET_BITS / APPROVED, round_trip)
    other = {
        "startup": f"slow-start:iw={burst},ssthresh={burst}",
        "cc": "none",
        "size": f"{burst}pkt",
        "handshake": False,
        "start": f"{1000 * round_trip:g}ms",
        "jitter": f"{1000 * flight:g}ms",
    }
    return found | {"seed": seed, "flows": [*found["flows"], *([other] if burst else [])]}


def look(run: Run) -> Outcome:
    """Reads both transfers, and the window of the first retransmission from the trace."""
    mine, *other = run.records
    samples = (run.outcome["trace"] or {})["flow_samples"]
    again = (samples["flow"] == 0) & (samples["event"] == EVENTS.index("retransmit"))
    return {
        "seconds": mine["duration_s"],
        "dropped": mine["packets_dropped"],
        "timeouts": mine["timeouts"],
        "window": samples["cwnd"][again][0].item() if again.any() else None,
        "burst_seconds": other[0]["duration_s"] if other else None,
        "burst_dropped": other[0]["packets_dropped"] if other else 0,
    }


@dataclass(frozen=True)
class Met:
    """A transfer of one size and a burst of one size, with both startups, by seed."""

    slow: Sequence[Outcome]
    quick: Sequence[Outcome]

    @property
    def improvements(self) -> list[float]:
        """In percent."""
        return [
            improvement(slow["seconds"], quick["seconds"])
            for slow, quick in zip(self.slow, self.quick, strict=True)
        ]

    @property
    def median(self) -> float:
        """Of the improvements."""
        return float(np.median(self.improvements))

    @property
    def worse(self) -> int:
        """In how many percent of the seeds Quick-Start takes longer."""
        return _percent([each < 0 for each in self.improvements])


def _percent(which: Sequence[bool]) -> int:
    return round(100 * sum(which) / len(which))


Found = Mapping[tuple[int, int], Met]
"""By size in kB and burst."""


def run(lab: Lab) -> Findings:
    """Runs transfers that are approved, beside bursts of growing size."""
    keys = [(kb, burst) for kb in SIZES_KB for burst in BURSTS]
    startups = (SLOW_START, LITERAL.quick_start)
    documents = {
        (kb, burst, startup): [document(kb, startup, burst, seed) for seed in SEEDS]
        for kb, burst in keys
        for startup in startups
    }
    seen = by_case(lab, documents, look, trace=True)
    found = {key: Met(*(seen[*key, startup] for startup in startups)) for key in keys}
    return Findings(
        measured=_measured(found),
        answers=[_say(kb, found) for kb in SIZES_KB],
        tables=[_table(found)],
        pictures=[
            Picture(
                "lost",
                f"Improvement at {RATES[RATE]} and {DELAY} ms when a burst meets the first flight: "
                f"medians with 95 % intervals, and how often packets are lost",
                lambda: _draw(found),
            )
        ],
    )


def _measured(found: Found) -> dict[str, Measured]:
    # All of 120 kB leaves in the approved flight; more would lose packets of later flights too.
    windows = [
        each["window"]
        for burst in BURSTS
        for each in found[TABLE1_KB, burst].quick
        if each["window"] is not None
    ]
    ideal = found[TABLE1_KB, 0].median
    lossy = [value for burst in BEYOND for value in found[TABLE1_KB, burst].improvements]
    median = float(np.median(lossy))
    return {
        "qs.lost.revert": Measured(max(windows)),
        "qs.lost.lower": Measured(
            round(median, 1),
            holds=median < MUCH * ideal,
            interval=interval(lossy, np.median),
            seeds=len(SEEDS),
        ),
    }


def _say(kilobytes: int, found: Found) -> str:
    alone = found[kilobytes, 0].median
    held = max(burst for burst in BURSTS if not any(o["dropped"] for o in
                                                    found[kilobytes, burst].quick))  # fmt: skip
    at = found[kilobytes, 300]
    low, high = interval(at.improvements, np.median)
    return (
        f"With {kilobytes} kB Quick-Start saves {alone:.1f} % undisturbed, and loses nothing "
        f"next to bursts of up to {held} packets. Next to one of 300 it loses packets in "
        f"{_percent([each['dropped'] > 0 for each in at.quick])} % of the seeds (slow start in "
        f"{_percent([each['dropped'] > 0 for each in at.slow])} %), meets a timeout in "
        f"{_percent([each['timeouts'] > 0 for each in at.quick])} %, and its improvement is "
        f"{at.median:.1f} % ({low:.1f} to {high:.1f}); in {at.worse} % it takes longer than slow "
        f"start."
    )


def _table(found: Found) -> Table:
    rows: list[dict[str, Cell]] = []
    for (kb, burst), met in found.items():
        low, high = interval(met.improvements, np.median)
        row: dict[str, Cell] = {
            "kB": kb,
            "burst (packets)": burst,
            "improvement, median (%)": round(met.median, 1),
            "95 % from (%)": round(low, 1),
            "95 % to (%)": round(high, 1),
            "takes longer (% of seeds)": met.worse,
        }
        for name, each in (("slow start", met.slow), ("Quick-Start", met.quick)):
            row[f"{name}: loses packets (% of seeds)"] = _percent([o["dropped"] > 0 for o in each])
            row[f"{name}: meets a timeout (% of seeds)"] = _percent(
                [o["timeouts"] > 0 for o in each]
            )
            row[f"{name}: dropped of the burst (packets)"] = round(
                sum(o["burst_dropped"] for o in each) / len(each), 1
            )
        rows.append(row)
    return Table("lost", f"Transfers next to a burst, {len(SEEDS)} seeds", rows)


def _draw(found: Found) -> "Figure":
    from flowstart_papers import drawing

    burst = drawing.Axis("burst (packets)")
    intervals = {
        kb: [interval(found[kb, each].improvements, np.median) for each in BURSTS]
        for kb in SIZES_KB
    }
    shares = {
        f"{name}, {kb} kB": (
            BURSTS,
            [
                _percent([o["dropped"] > 0 for o in getattr(found[kb, each], startup)])
                for each in BURSTS
            ],
        )
        for kb in SIZES_KB
        for name, startup in (("slow start", "slow"), ("Quick-Start", "quick"))
    }
    return drawing.panels(
        drawing.Panel(
            burst,
            drawing.Axis("improvement (%)"),
            {f"{kb} kB": (BURSTS, [found[kb, each].median for each in BURSTS]) for kb in SIZES_KB},
            bands={f"{kb} kB": drawing.band(BURSTS, ends) for kb, ends in intervals.items()},
        ),
        drawing.Panel(burst, drawing.Axis("seeds in which packets are lost (%)"), shares),
    )


EXPERIMENTS = (
    Experiment(
        id="QS-LOST",
        figure="Sec. I and IV",
        question="What becomes of an approved transfer whose packets are then lost?",
        run=run,
    ),
)
