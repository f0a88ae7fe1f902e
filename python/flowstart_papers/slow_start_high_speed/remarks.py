"""CAV-10: what the final slide remarks on pacing, fast interfaces and slow paths."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.slow_start_high_speed import measures, statements
from flowstart_papers.slow_start_high_speed.measures import Transfer
from flowstart_papers.slow_start_high_speed.setups import (
    LITERAL,
    PACED,
    SCHEMES,
    TWIN,
    Path,
    Setup,
    transfer,
)
from flowstart_papers.slow_start_high_speed.statements import BEHIND_INTERFACES, REDUCTION, Case
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WINDOWS = (500, 1000, 1500, 2000, 3000, 5000, 7000, 10_000)
"""The rates that a window is made for, in Mbit/s; the last one is the interface's."""
SLOW = Path(100, 100)
FAST = Path(10_000, 10_000)
MODELLED = {"QS-app": 1.2, "Reno": 3.8, "LSS": 30.6}
"""Seconds at 10 Gbit/s without loss, as a model has them."""
MODELLED_WITHIN = 15.0
"""Percent."""
WITHOUT_LOSS = replace(LITERAL, ack="every", handover="never dropped")
"""The model behind the expected times has an ACK for each packet and no loss."""


def run(lab: Lab) -> Findings:
    """Pacing, interface speed, and how much the ramp matters at 100 Mbit/s and 10 Gbit/s."""
    flights = iter(lab.runs(_paced_and_not(), first_flight, trace=True))
    windows = [(mbps, next(flights), next(flights)) for mbps in WINDOWS]
    found = statements.literally(
        lab, [*statements.BY_TARGET["cav.b2b"].cases, *statements.BY_TARGET["cav.nic"].cases]
    )
    ramps = {
        (path, setup): _seconds(lab, path, setup)
        for path, setup in ((SLOW, LITERAL), (SLOW, WITHOUT_LOSS), (FAST, WITHOUT_LOSS))
    }
    fast = ramps[FAST, WITHOUT_LOSS]
    spread, lossless = (
        measures.spread(list(ramps[SLOW, s].values())) for s in (LITERAL, WITHOUT_LOSS)
    )
    return Findings(
        measured={
            "cav.b2b": statements.measured("cav.b2b", found),
            "cav.nic": statements.measured("cav.nic", found),
            "cav.100m.flat": Measured(
                spread,
                because="The 6 % were derived without loss, where the starts are"
                f" {lossless:.1f} % apart. QS-app's window loses part of itself in the interface's"
                " queue, and the others overshoot it.",
                shown_by="CAV-10",
            ),
            "cav.10g.spread": Measured(fast, holds=_as_modelled(fast)),
        },
        answers=[
            _on_pacing(windows),
            "Over a fixed 100-Mbit/s path QS-app takes"
            + ",".join(
                f" {found[Case('QS-app', path)][0]['seconds']:.0f} s" for path in BEHIND_INTERFACES
            )
            + " with an interface of 100 Mbit/s, 1 and 10 Gbit/s.",
            (
                f"The starts are {spread:.0f} % apart at 100 Mbit/s, {lossless:.1f} % without loss;"
                f" at 10 Gbit/s without loss by a factor of"
                f" {max(fast.values()) / min(fast.values()):.0f}."
            ),
        ],
        tables=[_window_table(windows), _interface_table(found), _ramp_table(ramps)],
        pictures=[_window_picture(windows)],
    )


def _paced_and_not() -> list[Document]:
    return [
        transfer(scheme, REDUCTION, window_mbps=mbps)
        for mbps in WINDOWS
        for scheme in (TWIN, PACED)
    ]


def _seconds(lab: Lab, path: Path, setup: Setup) -> dict[str, float]:
    documents = [transfer(scheme, path, setup) for scheme in SCHEMES]
    found = lab.runs(documents, measures.transfers)
    return {scheme: of[0]["seconds"] for scheme, of in zip(SCHEMES, found, strict=True)}


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
    samples = measures.samples(run)
    event, seq = samples["event"], samples["seq_bytes"]
    flight = seq[: (event == measures.ACK).argmax()].max()
    again = (event == measures.RETRANSMIT).argmax() or len(event)
    dropped = seq[:again][event[:again] == measures.DROP]
    row = run.records[0]
    return {
        "seconds": row["fct_s"],
        "first": int(np.count_nonzero(dropped <= flight)),
        "lost": row["packets_dropped"],
    }


def _as_modelled(fast: dict[str, float]) -> bool:
    ordered = fast["QS-app"] < fast["Reno"] < fast["LSS"]
    return ordered and all(
        abs(fast[s] - expected) <= MODELLED_WITHIN / 100 * expected
        for s, expected in MODELLED.items()
    )


def _on_pacing(windows: Windows) -> str:
    mbps, at_once, paced = next(each for each in windows if each[0] == REDUCTION.narrowest)
    _, whole, same = windows[-1]
    return (
        f"Of a window for {mbps / 1000:g} Gbit/s that a 10-Gbit/s interface sends at once"
        f" {at_once['first']} packets are lost, paced {paced['first']}"
        f" ({at_once['seconds']:.0f} against {paced['seconds']:.1f} s); of a window for the whole"
        f" interface {whole['first']} and {same['first']} ({whole['seconds']:.0f} against"
        f" {same['seconds']:.0f} s)."
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


def _interface_table(found: Mapping[Case, list[Transfer]]) -> Table:
    of = {path: found[Case("QS-app", path)][0] for path in BEHIND_INTERFACES}
    rows: list[dict[str, Cell]] = [
        {
            "interface, Mbit/s": path.interface,
            "completion, s": round(one["seconds"], 2),
            "lost, packets": one["lost"],
            "sent again, packets": one["again"],
        }
        for path, one in of.items()
    ]
    return Table("interfaces", "QS-app over a 100-Mbit/s path.", rows)


def _ramp_table(ramps: Mapping[tuple[Path, Setup], Mapping[str, float]]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "scheme": scheme,
            "100 Mbit/s, s": round(ramps[SLOW, LITERAL][scheme], 2),
            "100 Mbit/s without loss, s": round(ramps[SLOW, WITHOUT_LOSS][scheme], 2),
            "10 Gbit/s without loss, s": round(ramps[FAST, WITHOUT_LOSS][scheme], 2),
            "modelled, s": MODELLED[scheme],
        }
        for scheme in SCHEMES
    ]
    return Table("ramp", "1 GB over a path as fast as the interface, 180 ms.", rows)


def _window_picture(windows: Windows) -> Picture:
    def draw() -> "Figure":
        from flowstart_papers.drawing import Axis, Panel, panels

        rates = [mbps / 1000 for mbps, _, _ in windows]
        ways = {
            "at once": [at_once for _, at_once, _ in windows],
            "paced": [paced for _, _, paced in windows],
        }
        x = Axis("first window made for, Gbit/s", "log", ticks=[0.5, 1, 2, 3, 5, 10])
        lost = {n: (rates, [each["first"] / 1000 for each in way]) for n, way in ways.items()}
        took = {n: (rates, [each["seconds"] for each in way]) for n, way in ways.items()}
        return panels(
            Panel(x, Axis("lost of the first flight, thousand packets", limits=(0, None)), lost),
            Panel(x, Axis("completion time, s", limits=(0, None)), took),
        )

    return Picture("pacing", "10G-1G: what pacing the first window saves.", draw)


EXPERIMENTS = (
    Experiment(
        id="CAV-10",
        figure="final slide",
        question="Do bursts cause loss, can a faster interface be slower, does the ramp matter?",
        run=run,
    ),
)
