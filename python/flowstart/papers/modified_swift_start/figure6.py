"""Figure 6: what is sent and what has arrived, the queue between, and the line's idle times."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flowstart.papers.experiment import Findings, Picture
from flowstart.papers.modified_swift_start import curves, published, traces
from flowstart.papers.modified_swift_start.figure4 import DELAY_S
from flowstart.papers.modified_swift_start.line import idle_s
from flowstart.papers.modified_swift_start.setups import HEADER, MSS, ROUTER_PPS, T1
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.papers.lab import Lab

MOST_WAITING = 2
ROUNDS = 5
IDLE_SHARE = 0.01
"""A line that is idle for less than this share of the time is not idle."""
SHOWN_S = 0.8


def run(lab: "Lab") -> Findings:
    """Runs the experiment."""
    rtt_s = published.rtt_s(T1.key, DELAY_S)
    documents = curves.both(T1, DELAY_S, rtt_s)
    sizes = lab.runs(documents, traces.second_round, trace=True)
    flights = curves.flights(lab, documents)
    waiting = {
        name: max(flight["waiting"][traces.PROBE : traces.PROBE + size])
        for (name, flight), size in zip(flights.items(), sizes, strict=True)
    }
    idle = {name: _idle_s(flight, rtt_s) for name, flight in flights.items()}
    slow, modified = idle.values()
    allowed_s = IDLE_SHARE * (ROUNDS - 1) * rtt_s
    return Findings(
        measured={
            "mss.f6.noqueue": Measured(
                waiting, holds=waiting["modified Swift Start"] <= MOST_WAITING
            ),
            "mss.f6.idle": Measured(idle, holds=slow > allowed_s >= modified),
        },
        answers=[
            (
                "The most segments of the second round trip that ever wait before the line are "
                f"{waiting['modified Swift Start']} under modified Swift Start and "
                f"{waiting['slow start']} under slow start."
            ),
            (
                f"From the second to the fifth round trip the line is idle for {1000 * slow:.0f} "
                f"ms under slow start and for {1000 * modified:.0f} ms under modified Swift Start."
            ),
        ],
        pictures=[
            Picture(
                "figure6",
                "Sent and received sequence numbers over T1.",
                lambda: _draw(flights),
            )
        ],
    )


def _idle_s(flight: Mapping[str, Any], rtt_s: float) -> float:
    """The line's idle time from the second round trip to the fifth, as the line sees them."""
    begin = flight["began_s"][0]
    return round(idle_s(flight, T1, begin + rtt_s, begin + ROUNDS * rtt_s), 6)


def _draw(flights: Mapping[str, Any]) -> "Figure":
    from flowstart.papers import drawing

    takes_s = 8 * (MSS + HEADER) / T1.bps + DELAY_S + 1 / ROUTER_PPS
    panels = []
    for name, flight in flights.items():
        moments = {"sent": flight["sent_s"], "received": [t + takes_s for t in flight["began_s"]]}
        shown = {key: [t for t in times if t <= SHOWN_S] for key, times in moments.items()}
        panels.append(
            drawing.Panel(
                drawing.Axis("seconds since the connection opened", limits=(0, SHOWN_S)),
                drawing.Axis("sequence number (kB)", limits=(0, 160)),
                {
                    key: (t, [i * MSS / curves.KB for i in range(len(t))])
                    for key, t in shown.items()
                },
                title=name,
                steps=True,
                marks=False,
            )
        )
    return drawing.panels(*panels)
