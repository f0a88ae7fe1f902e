"""The congestion windows over time: Chicago (CAV-1) and North Carolina (CAV-7)."""

from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from flowstart.render.thinning import columns, thin
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.slow_start_high_speed import measures, statements
from flowstart_papers.slow_start_high_speed.setups import (
    LITERAL,
    SCHEMES,
    Handover,
    Path,
    Setup,
    transfer,
)
from flowstart_papers.slow_start_high_speed.statements import of_schemes
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 600
"""Pixels of a figure that a window's points are thinned to."""
HANDOVERS: dict[Handover, str] = {
    "at once": "all at once (literal)",
    "spread": "as fast as the interface sends",
}
"""The two ways of the first window that are drawn."""
OVERFLOWS = "The first window, handed to the interface's queue at once, loses most of itself there."
NO_RATIO = {
    "cav.chi.half": f"{OVERFLOWS} Half needs a window that leaves no faster than the interface"
    " sends, and a queue there that is neither too small nor too large for Reno.",
    "cav.chi.quarter": f"{OVERFLOWS} A quarter needs a window that leaves no faster than the"
    " interface sends, or a queue that never drops.",
}


class Window(TypedDict):
    """A window over time, thinned, and the transfer."""

    time_s: list[float]
    cwnd: list[float]
    largest: float
    seconds: float
    again: int


def chicago(lab: Lab) -> Findings:
    """CAV-1: one transfer, 1G-1G, 180 ms."""
    path = statements.EXPANSION
    curves = {how: _curves(lab, path, replace(LITERAL, handover=how)) for how in HANDOVERS}
    literal = curves["at once"]
    found = statements.literally(lab, of_schemes(path))
    took = statements.seconds(found, path)
    half, quarter = (
        replace(statements.measured(name, found), because=why, shown_by="CAV-BUFFER")
        for name, why in NO_RATIO.items()
    )
    sent = ", ".join(f"{scheme} {curve['again']}" for scheme, curve in literal.items())
    return Findings(
        measured={
            "cav.chi.half": half,
            "cav.chi.quarter": quarter,
            "cav.chi.qs.time": Measured(
                took["QS-app"],
                because=f"It was derived without loss. {OVERFLOWS}",
                shown_by="CAV-BUFFER",
            ),
        },
        answers=[
            (
                f"QS-app takes {took['QS-app']:.1f} s, {half.value:.2f} of Reno's"
                f" {took['Reno']:.1f} s and {quarter.value:.2f} of LSS's {took['LSS']:.1f} s."
                f" Sent again: {sent}."
            ),
            (
                f"With its window no faster than the interface sends it takes"
                f" {curves['spread']['QS-app']['seconds']:.1f} s, and the other two what they took."
            ),
        ],
        tables=[_times("chicago", curves)],
        pictures=[_picture("chicago", "Chicago, 1G-1G, 180 ms", path, curves)],
    )


def north_carolina(lab: Lab) -> Findings:
    """CAV-7: the same with 220 ms."""
    path = statements.CAROLINA_EXPANSION
    curves = {how: _curves(lab, path, replace(LITERAL, handover=how)) for how in HANDOVERS}
    found = statements.literally(lab, of_schemes(path))
    took = statements.seconds(found, path)
    return Findings(
        measured={
            "cav.nc.cwnd": replace(
                statements.measured("cav.nc.cwnd", found),
                because="QS-app does fall behind LSS, but the interface's queue slows Reno as much:"
                " it leaves slow start early and adds one packet per round trip. With a larger"
                " queue Reno is ahead of both.",
                shown_by="CAV-BUFFER",
            )
        },
        answers=[
            (
                f"On an idle 1G-1G path QS-app takes {took['QS-app']:.1f} s, Reno"
                f" {took['Reno']:.1f} s and LSS {took['LSS']:.1f} s; QS-app is"
                f" {'not ' if took['QS-app'] < took['Reno'] else ''}slower than Reno."
            )
        ],
        tables=[_times("north-carolina", curves)],
        pictures=[_picture("north-carolina", "North Carolina, 1G-1G, 220 ms", path, curves)],
    )


def window(run: Run) -> Window:
    """The window over time until the last byte arrives, and the transfer's end."""
    samples = measures.samples(run)
    # A drop is not at the sender and shows no window.
    at_sender = samples["event"] != measures.DROP
    times = samples["time_ns"][at_sender] / 1e9
    row = run.records[0]
    until = times < row["fct_s"]
    times, cwnd = times[until], samples["cwnd"][at_sender][until]
    kept = thin(columns(times, COLUMNS), cwnd)
    return {
        "time_s": np.round(times[kept], 4).tolist(),
        "cwnd": np.round(cwnd[kept], 1).tolist(),
        "largest": row["max_cwnd_segments"],
        "seconds": row["fct_s"],
        "again": row["packets_retransmitted"],
    }


Curves = dict[str, Window]
"""By scheme."""


def _curves(lab: Lab, path: Path, setup: Setup) -> Curves:
    documents = [transfer(scheme, path, setup) for scheme in SCHEMES]
    return dict(zip(SCHEMES, lab.runs(documents, window, trace=True), strict=True))


def _times(name: str, curves: dict[Handover, Curves]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "first window": HANDOVERS[how],
            "scheme": scheme,
            "completion, s": round(curve["seconds"], 2),
            "QS-app / scheme": round(of["QS-app"]["seconds"] / curve["seconds"], 3),
            "largest window, packets": round(curve["largest"]),
            "sent again, packets": curve["again"],
        }
        for how, of in curves.items()
        for scheme, curve in of.items()
    ]
    return Table(name, "One transfer of 1 GB, 1G-1G.", rows)


def _picture(name: str, caption: str, path: Path, curves: dict[Handover, Curves]) -> Picture:
    def draw() -> "Figure":
        from flowstart_papers.drawing import Axis, Panel, panels

        top = 1.15 * max(curve["largest"] for of in curves.values() for curve in of.values())
        return panels(
            *(
                Panel(
                    Axis("time, s"),
                    Axis("congestion window, packets", limits=(0, top)),
                    {scheme: (curve["time_s"], curve["cwnd"]) for scheme, curve in of.items()},
                    title=f"first window {HANDOVERS[how]}",
                    steps=True,
                    marks=False,
                    level={f"the path holds {path.holds:,.0f}": path.holds},
                )
                for how, of in curves.items()
            ),
        )

    return Picture(name, f"Windows over time until the last byte: {caption}.", draw)


EXPERIMENTS = (
    Experiment(
        id="CAV-1",
        figure="Chicago, cwnd dynamics",
        question="How do the windows of one transfer over 1G-1G develop, and when is it done?",
        run=chicago,
        quick=True,
    ),
    Experiment(
        id="CAV-7",
        figure="North Carolina, cwnd dynamics",
        question="Are QS-app and LSS the slowest at 220 ms?",
        run=north_carolina,
    ),
)
