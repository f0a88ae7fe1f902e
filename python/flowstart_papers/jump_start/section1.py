"""Section I: what slow start costs on a fast long path, from the packets of such a path."""

from typing import Any

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Experiment, Findings, Table
from flowstart_papers.jump_start import setups
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured

BORDER_LINK = 100e6
"""Bits per second between the authors' site and its provider (Sec. IV.C)."""
SHARE = 0.005


def _scenario() -> Document:
    """A transfer that lasts until the path has been full for a while."""
    return {
        "path": {"rate": "10Gbps", "rtt": "100ms", "buffer": "1bdp"},
        "stack": setups.stack(iw="1", window="1000000pkt"),
        "flows": [{"startup": setups.SLOW_START, "size": "300000pkt"}],
    }


def filling(run: Run) -> dict[str, Any]:
    """The window that keeps the path full, and when it was open."""
    series = run.series()[0]
    times, opened = series.time_s, series.time_s[series.of("open")[0]]
    acks = times[series.of("ack")]
    # One ACK for each packet: at the end the path is full, and a round trip is a window.
    round_trip = opened - times[0]
    window = int((acks > acks[-1] - round_trip).sum())
    sends = series.of("send")
    mss = run.records[0]["size_bytes"] // run.records[0]["packets_sent"]
    reached = sends[np.argmax(series.flight_bytes[sends] >= window * mss)]
    return {
        "window": window,
        "after_s": float(times[reached] - opened),
        "sent_bytes": int(series.seq_bytes[reached]),
    }


def run(lab: Lab) -> Findings:
    """The numbers of the introduction, and the cap of Sec. IV.D."""
    found = lab.runs([_scenario()], filling, trace=True)[0]
    return Findings(
        measured={
            "js.intro.bdp": Measured(found["window"]),
            "js.intro.time": Measured(found["after_s"]),
            "js.intro.data": Measured(found["sent_bytes"]),
            "js.policy": Measured(SHARE * BORDER_LINK),
        },
        answers=[
            (
                f"At 10 Gbit/s and 100 ms {found['window']} packets fill the path. Slow start from "
                f"one packet has them in flight {found['after_s']:.2f} s after the handshake and "
                f"{found['sent_bytes'] / 1e6:.0f} MB."
            ),
        ],
        tables=[
            Table(
                "introduction",
                "Slow start at 10 Gbit/s and 100 ms",
                [
                    {"what": "packets that fill the path", "published": "over 83,000",
                     "measured": found["window"]},
                    {"what": "time until then, s", "published": "over 1.5",
                     "measured": round(found["after_s"], 2)},
                    {"what": "sent until then, MB", "published": "over 100",
                     "measured": round(found["sent_bytes"] / 1e6)},
                ],
            )
        ],
    )  # fmt: skip


EXPERIMENTS = (
    Experiment(
        id="JS-IN",
        figure="Sec. I",
        question="How long does slow start take to fill a fast long path?",
        run=run,
        quick=True,
    ),
)
