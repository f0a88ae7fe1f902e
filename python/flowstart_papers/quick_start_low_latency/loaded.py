"""Section IV: what routers approve while others use the link."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart.simulation.series import EVENTS
from flowstart_papers import measures
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency.measures import PACKET_BITS, granted
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
LINK = 100e6
THRESHOLD = 90
"""The share of a link, in percent, above which its router approves nothing."""
CONNECTIONS = (0, 5, 10, 20, 30, 40, 50, 52, 54, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 70)
FLIGHT = 10
"""Packets in flight, always, of each of the connections that load the link."""
BEGIN = 5
"""When the transfer begins, in seconds: the load is steady and the routers have seen it."""
END = 8


class Sight(TypedDict):
    """What a run shows of the link and of the transfer."""

    load: float
    """What the others delivered in the second before, in bit/s."""
    window: float
    """What the transfer opens with, in packets."""
    handshake: float
    """In seconds."""
    seconds: float


def document(connections: int, startup: str) -> Document:
    """A transfer beside so many connections of a constant flight."""
    alone = transfer(LITERAL, RATE, DELAY, LITERAL.packets(TABLE1_KB), startup)
    alone["flows"][0]["start"] = f"{BEGIN}s"
    if connections:
        spread = 1000 * LITERAL.round_trip(DELAY) / connections
        others = {
            "startup": f"slow-start:iw={FLIGHT},ssthresh={FLIGHT}",
            "cc": "none",
            "count": connections,
            "stagger": f"{spread:.3f}ms",
        }
        alone["flows"].append(others)
    return alone | {"duration": f"{END}s"}


def look(run: Run) -> Sight:
    """Reads the load before, the opening and the time of the first flow."""
    samples = (run.outcome["trace"] or {})["flow_samples"]
    mine, event, at = samples["flow"] == 0, samples["event"], samples["time_ns"] / 1e9
    opened = np.flatnonzero(mine & (event == EVENTS.index("open")))[0]
    before = (at >= BEGIN - 1) & (at < BEGIN)
    delivered = np.count_nonzero(~mine & before & (event == EVENTS.index("ack")))
    return {
        "load": float(delivered * PACKET_BITS),
        "window": samples["cwnd"][opened].item(),
        "handshake": at[opened].item() - BEGIN,
        "seconds": measures.first(run)["duration_s"],
    }


@dataclass(frozen=True)
class Beside:
    """The transfer with both startups beside the same load."""

    slow: Sight
    quick: Sight

    @property
    def load(self) -> float:
        """In percent of the link."""
        return 100 * self.slow["load"] / LINK

    @property
    def approved(self) -> float:
        """In Mbit/s; a refusal leaves slow start's window."""
        if self.quick["window"] == self.slow["window"]:
            return 0.0
        return granted(self.quick["window"], self.quick["handshake"]) / 1e6

    @property
    def improvement(self) -> float:
        """In percent."""
        return measures.improvement(self.slow["seconds"], self.quick["seconds"])


def run(lab: Lab) -> Findings:
    """Runs the transfer with both startups beside a growing load."""
    startups = (SLOW_START, LITERAL.quick_start)
    seen = lab.runs(
        [document(n, startup) for n in CONNECTIONS for startup in startups], look, trace=True
    )
    found = [Beside(slow, quick) for slow, quick in zip(seen[::2], seen[1::2], strict=True)]
    above = [each for each in found if each.load >= THRESHOLD]
    granted_above = sum(each.approved > 0 for each in above)
    return Findings(
        measured={
            "qs.deny.threshold": Measured(
                f"{granted_above} of {len(above)} approved", holds=bool(above) and not granted_above
            )
        },
        answers=[_sentence(found)],
        tables=[_table(found)],
        pictures=[
            Picture("loaded", "What is approved, and gained, next to a load", lambda: _draw(found))
        ],
    )


def _sentence(found: Sequence[Beside]) -> str:
    last = max((each for each in found if each.approved), key=lambda each: each.load)
    first = min((each for each in found if not each.approved), key=lambda each: each.load)
    return (
        f"The router approves {found[0].approved:.0f} Mbit/s of its {RATES[RATE]} without other "
        f"users and {last.approved:.2f} Mbit/s at a load of {last.load:.1f} %, with a gain of "
        f"{found[0].improvement:.0f} and {last.improvement:.0f} %; from {first.load:.1f} % on it "
        f"approves nothing."
    )


def _table(found: Sequence[Beside]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "load (%)": round(each.load, 1),
            "approved (Mbit/s)": each.approved,
            "window (packets)": each.quick["window"],
            "slow start (s)": round(each.slow["seconds"], 4),
            "Quick-Start (s)": round(each.quick["seconds"], 4),
            "improvement (%)": round(each.improvement, 1),
        }
        for each in found
    ]
    return Table("loaded", f"{TABLE1_KB} kB over {RATES[RATE]} at {DELAY} ms next to a load", rows)


def _draw(found: Sequence[Beside]) -> "Figure":
    from flowstart_papers import drawing

    load = drawing.Axis("load by others (% of the link)", limits=(0, 100))
    loads = [each.load for each in found]
    figure = drawing.panels(
        drawing.Panel(
            load,
            drawing.Axis("approved (Mbit/s)", "linear"),
            {"approved": (loads, [each.approved for each in found])},
        ),
        drawing.Panel(
            load,
            drawing.Axis("improvement (%)"),
            {"improvement": (loads, [each.improvement for each in found])},
        ),
    )
    for axis in figure.axes:
        axis.axvline(THRESHOLD, color="0.3", linewidth=1, linestyle=":")
        axis.annotate(
            "paper: nothing\nfrom here on",
            (THRESHOLD, 0.97),
            (-4, 0),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=8,
        )
    return figure


EXPERIMENTS = (
    Experiment(
        id="QS-D2",
        figure="Sec. IV",
        question="What does a router approve while others use its link?",
        run=run,
    ),
)
