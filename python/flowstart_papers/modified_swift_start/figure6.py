"""Figure 6: what is sent and what has arrived, the queue between, and the line's idle times."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flowstart_papers.experiment import Experiment, Findings, Picture
from flowstart_papers.modified_swift_start import curves, measures
from flowstart_papers.modified_swift_start.figure4 import DELAY_S
from flowstart_papers.modified_swift_start.hosts import HEADER, MSS, PROBE
from flowstart_papers.modified_swift_start.setups import (
    ACCESS_BPS,
    LITERAL,
    ROUTER_PPS,
    T1,
    Setup,
)
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.lab import Lab

MOST_WAITING = 2
ROUNDS = 5
IDLE_SHARE = 0.01
"""A line that is idle for less than this share of the time is not idle."""
SHOWN_S = 0.8


def tried(lab: "Lab", setup: Setup) -> dict[str, Measured]:
    """The queue and the idle time under a reading."""
    rtt_s = setup.rtt_s(T1, DELAY_S)
    documents = setup.both(T1, DELAY_S)
    seconds = lab.runs(documents, measures.second_round, trace=True)
    flights = curves.flights(lab, documents)
    waiting = {
        name: max(flight["waiting"][PROBE : PROBE + int(second["segments"])])
        for (name, flight), second in zip(flights.items(), seconds, strict=True)
    }
    idle = {name: _idle_s(flight, rtt_s) for name, flight in flights.items()}
    slow, modified = idle.values()
    allowed_s = IDLE_SHARE * (ROUNDS - 1) * rtt_s
    return {
        "mss.f6.noqueue": Measured(waiting, holds=waiting["modified Swift Start"] <= MOST_WAITING),
        "mss.f6.idle": Measured(idle, holds=slow > allowed_s >= modified),
    }


def _run(lab: "Lab") -> Findings:
    found = tried(lab, LITERAL)
    waiting, idle = (found[f"mss.f6.{name}"].value for name in ("noqueue", "idle"))
    if not isinstance(waiting, Mapping) or not isinstance(idle, Mapping):
        raise TypeError("both are by startup")
    slow, modified = idle.values()
    flights = curves.flights(lab, LITERAL.both(T1, DELAY_S))
    return Findings(
        measured=found,
        answers=[
            (
                "Maximum numbers of segments of the second round trip that wait before the line "
                f"are {waiting['modified Swift Start']} under modified Swift Start and "
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
    return round(measures.idle_s(flight, T1.bps, begin + rtt_s, begin + ROUNDS * rtt_s), 6)


def _draw(flights: Mapping[str, Any]) -> "Figure":
    from flowstart_papers import drawing

    # Over the line, the second router's turn, and the receiver's access link.
    bits = 8 * (MSS + HEADER)
    takes_s = bits / T1.bps + LITERAL.one_way_s(T1, DELAY_S) + 1 / ROUTER_PPS + bits / ACCESS_BPS
    panels = []
    for name, flight in flights.items():
        moments = {"sent": flight["sent_s"], "received": [t + takes_s for t in flight["began_s"]]}
        shown = {key: [t for t in times if t <= SHOWN_S] for key, times in moments.items()}
        panels.append(
            drawing.Panel(
                drawing.Axis("seconds since the connection opened", limits=(0, SHOWN_S)),
                drawing.Axis("sequence number (kB)", limits=(0, 180)),
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


EXPERIMENTS = (
    Experiment(
        id="MSS-F6",
        figure="Fig. 6",
        question="Does the paced round trip leave the routers' queue empty and the line busy?",
        run=_run,
        quick=True,
    ),
)
