"""The congestion windows over time: Chicago (CAV-1) and North Carolina (CAV-7)."""

from typing import TYPE_CHECKING, TypedDict

import numpy as np

from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.slow_start_high_speed import outcomes, traces
from flowstart.papers.slow_start_high_speed.setups import (
    CHICAGO,
    NORTH_CAROLINA,
    SCHEMES,
    Path,
    transfer,
)
from flowstart.papers.target import Measured
from flowstart.render.thinning import columns, thin
from flowstart.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 600
"""Pixels of a figure that a window's points are thinned to."""
NARROWER = (1000, 900, 800, 700, 500, 300)
"""What the narrowest link of North Carolina might have been, in Mbit/s."""


class Window(TypedDict):
    """A window over time, thinned."""

    time_s: list[float]
    cwnd: list[float]
    largest: float
    seconds: float
    again: int
    bdp: float


def chicago(lab: Lab) -> Findings:
    """CAV-1: one transfer, 1G-1G, 180 ms."""
    curves = _curves(lab, Path(1000, 1000, CHICAGO))
    seconds = {scheme: curve["seconds"] for scheme, curve in curves.items()}
    half, quarter = (seconds["QS-app"] / seconds[other] for other in ("Reno", "LSS"))
    return Findings(
        measured={
            "cav.chi.half": Measured(half),
            "cav.chi.quarter": Measured(quarter),
            "cav.chi.qs.time": Measured(seconds["QS-app"]),
        },
        answers=[
            (
                f"QS-app takes {seconds['QS-app']:.1f} s, {half:.2f} of Reno's"
                f" {seconds['Reno']:.1f} s and {quarter:.2f} of LSS's {seconds['LSS']:.1f} s."
            ),
            (
                f"Reno overshoots once, sends {curves['Reno']['again']} packets again, and one"
                f" packet per round trip does not bring its window back in time."
            ),
        ],
        tables=[_times("chicago", curves, {"QS-app": None, "Reno": 0.5, "LSS": 0.25})],
        pictures=[_picture("chicago", "Chicago, 1G-1G, 180 ms", curves)],
    )


def north_carolina(lab: Lab) -> Findings:
    """CAV-7: the same with 220 ms, and with a path that is narrower than was thought."""
    curves = _curves(lab, Path(1000, 1000, NORTH_CAROLINA))
    seconds = {scheme: curve["seconds"] for scheme, curve in curves.items()}
    narrower = _narrower(lab)
    as_stated = [mbps for mbps, of in narrower.items() if of["QS-app"] > of["Reno"]]
    holds = seconds["Reno"] < min(seconds["QS-app"], seconds["LSS"])
    return Findings(
        measured={
            "cav.nc.cwnd": Measured(
                seconds,
                holds=holds,
                because="On a path that carries what the interface sends, the interface's window"
                " loses nothing. QS-app falls behind Reno only where the path carries about half"
                " of it or less, which would be capacity reduction.",
                shown_by="CAV-7",
            )
        },
        answers=[
            (
                f"On an idle 1G-1G path QS-app takes {seconds['QS-app']:.1f} s, Reno"
                f" {seconds['Reno']:.1f} s and LSS {seconds['LSS']:.1f} s: LSS is the slowest,"
                f" QS-app the fastest."
            ),
            f"QS-app is slower than Reno where the narrowest link has"
            f" {_listed(as_stated)} Mbit/s instead of 1000."
            if as_stated
            else "QS-app is faster than Reno on every narrower path tried.",
        ],
        tables=[
            _times("north-carolina", curves, {}),
            _narrower_table(narrower),
        ],
        pictures=[_picture("north-carolina", "North Carolina, 1G-1G, 220 ms", curves)],
    )


def window(run: Run) -> Window:
    """The window over time until the last byte arrives, and the transfer's end."""
    samples = traces.samples(run)
    # A drop is not at the sender and tells no window.
    told = samples["event"] != traces.DROP
    times = samples["time_ns"][told] / 1e9
    row = run.rows[0]
    until = times < row["fct_s"]
    times, cwnd = times[until], samples["cwnd"][told][until]
    kept = thin(columns(times, COLUMNS), cwnd)
    return {
        "time_s": np.round(times[kept], 4).tolist(),
        "cwnd": np.round(cwnd[kept], 1).tolist(),
        "largest": row["max_cwnd_pkts"],
        "seconds": row["fct_s"],
        "again": row["packets_retransmitted"],
        "bdp": row["bdp_pkts"],
    }


def _narrower(lab: Lab) -> dict[int, dict[str, float]]:
    """Completion times by scheme where the path is narrower than was thought."""
    documents = [
        transfer(scheme, Path(1000, mbps, NORTH_CAROLINA))
        for mbps in NARROWER
        for scheme in SCHEMES
    ]
    found = iter(each[0]["seconds"] for each in lab.runs(documents, outcomes.transfers))
    return {mbps: {scheme: next(found) for scheme in SCHEMES} for mbps in NARROWER}


def _narrower_table(narrower: dict[int, dict[str, float]]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "narrowest link, Mbit/s": mbps,
            **{f"{scheme}, s": round(seconds, 2) for scheme, seconds in of.items()},
        }
        for mbps, of in narrower.items()
    ]
    caption = "Completion times where the path is narrower than the 1-Gbit/s interface."
    return Table("north-carolina-narrower", caption, rows)


def _curves(lab: Lab, path: Path) -> dict[str, Window]:
    documents = [transfer(scheme, path) for scheme in SCHEMES]
    return dict(zip(SCHEMES, lab.runs(documents, window, trace=True), strict=True))


def _times(name: str, curves: dict[str, Window], published: dict[str, float | None]) -> Table:
    fastest = curves["QS-app"]["seconds"]
    rows: list[dict[str, Cell]] = []
    for scheme, curve in curves.items():
        row: dict[str, Cell] = {
            "scheme": scheme,
            "completion, s": round(curve["seconds"], 2),
            "QS-app / scheme": round(fastest / curve["seconds"], 3),
            "largest window, packets": curve["largest"],
            "sent again, packets": curve["again"],
        }
        if published:
            row["published ratio"] = published[scheme]
        rows.append(row)
    return Table(name, "One transfer of 1 GB, 1G-1G.", rows)


def _picture(name: str, caption: str, curves: dict[str, Window]) -> Picture:
    def draw() -> "Figure":
        from flowstart.papers.drawing import Axis, single

        return single(
            Axis("time, s"),
            Axis("congestion window, packets", limits=(0, None)),
            {scheme: (curve["time_s"], curve["cwnd"]) for scheme, curve in curves.items()},
            steps=True,
            marks=False,
            level={"what the path holds": curves["QS-app"]["bdp"]},
        )

    return Picture(name, f"Windows over time until the last byte: {caption}.", draw)


def _listed(numbers: list[int]) -> str:
    *most, last = map(str, numbers)
    return f"{', '.join(most)} or {last}" if most else last
