"""CAV-10: what the final slide remarks on pacing, fast interfaces and slow paths."""

from itertools import pairwise
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from flowstart.model.document import Document
from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.slow_start_high_speed import outcomes, traces
from flowstart.papers.slow_start_high_speed.outcomes import Transfer
from flowstart.papers.slow_start_high_speed.setups import (
    PACED,
    SCHEMES,
    Host,
    Path,
    transfer,
)
from flowstart.papers.target import Measured
from flowstart.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REDUCTION = Path(10_000, 1000)
WINDOWS = (1000, 1500, 2000, 3000, 5000, 7000, 10_000)
"""The rates that a window is made for, in Mbit/s; the last one is the interface's."""
INTERFACES = (100, 1000, 10_000)
FIXED = 100
"""The path behind them, in Mbit/s."""
FAST = {"QS-app": 1.2, "Reno": 3.8, "LSS": 30.6}
"""Seconds at 10 Gbit/s without loss, as a model has them."""
FAST_WITHIN = 15.0
"""Percent."""


def run(lab: Lab) -> Findings:
    """Pacing, interface speed, and how much the ramp matters at 100 Mbit/s and 10 Gbit/s."""
    flights = iter(lab.runs(_paced_and_not(), first_flight, trace=True))
    windows = [(mbps, next(flights), next(flights)) for mbps in WINDOWS]
    documents = [*_interfaces(), *_slow(), *_fast()]
    found = iter(each[0] for each in lab.runs(documents, outcomes.transfers))
    interfaces = {mbps: next(found) for mbps in INTERFACES}
    slow = {scheme: next(found)["seconds"] for scheme in SCHEMES}
    fast = {scheme: next(found)["seconds"] for scheme in SCHEMES}
    ramp = outcomes.spread(list(slow.values()))
    return Findings(
        measured={
            "cav.b2b": _unpaced_costs(windows),
            "cav.nic": _faster_is_slower(interfaces),
            "cav.100m.flat": Measured(ramp),
            "cav.10g.spread": Measured(fast, holds=_as_modelled(fast)),
        },
        answers=[
            _on_pacing(windows),
            "Over a fixed 100-Mbit/s path QS-app takes"
            + ",".join(f" {one['seconds']:.0f} s" for one in interfaces.values())
            + " with an interface of 100 Mbit/s, 1 and 10 Gbit/s.",
            (
                f"The ramp changes completion by {ramp:.0f} % at 100 Mbit/s and by a factor of"
                f" {max(fast.values()) / min(fast.values()):.0f} at 10 Gbit/s."
            ),
        ],
        tables=[_window_table(windows), _interface_table(interfaces), _ramp_table(slow, fast)],
        pictures=[_window_picture(windows)],
    )


def _paced_and_not() -> list[Document]:
    return [
        transfer(scheme, REDUCTION, window_mbps=mbps)
        for mbps in WINDOWS
        for scheme in ("QS-app", PACED)
    ]


def _interfaces() -> list[Document]:
    return [transfer("QS-app", Path(mbps, FIXED)) for mbps in INTERFACES]


def _slow() -> list[Document]:
    return [transfer(scheme, Path(FIXED, FIXED)) for scheme in SCHEMES]


def _fast() -> list[Document]:
    # The model behind the expected times has an ACK for each packet and no loss.
    host = Host(ack="every", handover="never dropped")
    return [transfer(scheme, Path(10_000, 10_000), host) for scheme in SCHEMES]


class Flight(TypedDict):
    """A transfer and what its first flight lost."""

    seconds: float
    first: int
    """Packets of the first flight that were lost."""
    lost: int
    """Of the whole transfer, some of them more than once."""


Windows = list[tuple[int, Flight, Flight]]
"""Rate of the window, at once, paced."""


def first_flight(run: Run) -> Flight:
    """What was lost of what left before the first ACK came."""
    samples = traces.samples(run)
    event, seq = samples["event"], samples["seq"]
    flight = seq[: (event == traces.ACK).argmax()].max()
    again = (event == traces.RETRANSMIT).argmax() or len(event)
    dropped = seq[:again][event[:again] == traces.DROP]
    row = run.rows[0]
    return {
        "seconds": row["fct_s"],
        "first": int(np.count_nonzero(dropped <= flight)),
        "lost": row["packets_dropped"],
    }


def _unpaced_costs(windows: Windows) -> Measured:
    """Judged where pacing means something: below the interface's own speed."""
    below = [pair for pair in windows if pair[0] < REDUCTION.interface]
    holds = all(
        at_once["first"] > paced["first"] and at_once["seconds"] >= paced["seconds"]
        for _, at_once, paced in below
    )
    return Measured(
        {f"{mbps} Mbit/s": at_once["first"] - paced["first"] for mbps, at_once, paced in windows},
        holds=holds,
        because="Pacing does not help at every window.",
        shown_by="CAV-10",
    )


def _faster_is_slower(interfaces: dict[int, Transfer]) -> Measured:
    seconds = [one["seconds"] for one in interfaces.values()]
    holds = any(later > earlier for earlier, later in pairwise(seconds))
    return Measured(
        {f"{mbps} Mbit/s": one["seconds"] for mbps, one in interfaces.items()}, holds=holds
    )


def _as_modelled(fast: dict[str, float]) -> bool:
    ordered = fast["QS-app"] < fast["Reno"] < fast["LSS"]
    return ordered and all(
        abs(fast[s] - expected) <= FAST_WITHIN / 100 * expected for s, expected in FAST.items()
    )


def _on_pacing(windows: Windows) -> str:
    mbps, at_once, paced = windows[0]
    _, whole, same = windows[-1]
    return (
        f"Of a window for {mbps / 1000:g} Gbit/s that a 10-Gbit/s interface sends at once"
        f" {at_once['first']} packets are lost, paced {paced['first']}"
        f" ({at_once['seconds']:.0f} against {paced['seconds']:.1f} s); of a window for the whole"
        f" interface {whole['first']} and {same['first']}, for over one round trip it leaves at"
        f" the interface's speed anyway."
    )


def _window_table(windows: Windows) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "window for, Mbit/s": mbps,
            "first flight at once, lost": at_once["first"],
            "first flight paced, lost": paced["first"],
            "transfer at once, lost": at_once["lost"],
            "transfer paced, lost": paced["lost"],
            "completion at once, s": round(at_once["seconds"], 2),
            "completion paced, s": round(paced["seconds"], 2),
        }
        for mbps, at_once, paced in windows
    ]
    caption = "10G-1G, 180 ms: the same first window at once and paced."
    return Table("pacing", caption, rows)


def _interface_table(interfaces: dict[int, Transfer]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "interface, Mbit/s": mbps,
            "completion, s": round(one["seconds"], 2),
            "lost, packets": one["lost"],
            "sent again, packets": one["again"],
        }
        for mbps, one in interfaces.items()
    ]
    return Table("interfaces", "QS-app over a 100-Mbit/s path.", rows)


def _ramp_table(slow: dict[str, float], fast: dict[str, float]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "scheme": scheme,
            "100 Mbit/s, s": round(slow[scheme], 2),
            "10 Gbit/s without loss, s": round(fast[scheme], 2),
            "modelled, s": FAST[scheme],
        }
        for scheme in SCHEMES
    ]
    return Table("ramp", "1 GB over a path as fast as the interface, 180 ms.", rows)


def _window_picture(windows: Windows) -> Picture:
    def draw() -> "Figure":
        from flowstart.papers.drawing import Axis, Panel, panels

        rates = [mbps / 1000 for mbps, _, _ in windows]
        ways = {
            "at once": [at_once for _, at_once, _ in windows],
            "paced": [paced for _, _, paced in windows],
        }
        x = Axis("first window made for, Gbit/s", "log", ticks=[1, 2, 3, 5, 10])
        lost = {n: (rates, [each["first"] / 1000 for each in way]) for n, way in ways.items()}
        took = {n: (rates, [each["seconds"] for each in way]) for n, way in ways.items()}
        return panels(
            Panel(x, Axis("lost of the first flight, thousand packets", limits=(0, None)), lost),
            Panel(x, Axis("completion time, s", limits=(0, None)), took),
        )

    return Picture("pacing", "10G-1G: what pacing the first window saves.", draw)
