"""One transfer at a time: completion times and retransmissions by interface and path."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, cast

from flowstart.render import text
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.slow_start_high_speed import measures, statements
from flowstart_papers.slow_start_high_speed.measures import Transfer, Watched
from flowstart_papers.slow_start_high_speed.setups import PACED, RETRIES, SCHEMES, Path
from flowstart_papers.slow_start_high_speed.statements import (
    CAROLINA_EXPANSION,
    CAROLINA_REDUCTION,
    CAROLINA_SLOW,
    Case,
    of_schemes,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXPANSION = (Path(100, 1000), statements.EXPANSION, Path(10_000, 10_000))
CAROLINA = (CAROLINA_SLOW, CAROLINA_EXPANSION, CAROLINA_REDUCTION)
ALL = (*SCHEMES, PACED)

Found = dict[Case, list[Transfer]]
Field = Literal["seconds", "again"]

OWN_QUEUE = (
    "QS-app's window overflows the queue at its own interface, which it enters at once. The order"
    " holds where the window leaves no faster than the interface sends and Reno has a queue to"
    " fill, or where that queue never drops."
)


def times_expansion(lab: Lab) -> Findings:
    """CAV-2: completion times at Chicago where capacity expands."""
    found = _found(lab, EXPANSION)
    gains = {path.name: _gain(found, path) for path in EXPANSION}
    paced = {path.name: _gain(found, path, PACED) for path in EXPANSION}
    order = statements.measured("cav.chi.order.exp", found)
    return Findings(
        measured={"cav.chi.order.exp": replace(order, because=OWN_QUEUE, shown_by="CAV-BUFFER")},
        answers=[(f"QS-app takes {_changes(gains)} against Reno's time, paced {_changes(paced)}.")],
        tables=[_table("chicago-expansion", "seconds", found, EXPANSION)],
        pictures=[
            _bars("chicago-expansion", "Chicago, capacity expansion", "seconds", found, EXPANSION)
        ],
    )


def times_reduction(lab: Lab) -> Findings:
    """CAV-3: completion times at Chicago where it shrinks."""
    paths = statements.REDUCTIONS
    found = _found(lab, paths)
    judged = statements.REDUCTION
    took = statements.seconds(found, judged)
    slowest = [
        path.name
        for path in paths
        if statements.longest(statements.seconds(found, path)) == "QS-app"
    ]
    reset = statements.measured("cav.chi.reset", found)
    return Findings(
        measured={
            "cav.chi.time.red": statements.measured("cav.chi.time.red", found),
            "cav.chi.reset": replace(reset, because=_no_reset(found, paths), shown_by="CAV-RESET"),
        },
        answers=[
            (
                f"On {judged.name} QS-app takes {took['QS-app']:.0f} s, LSS {took['LSS']:.0f} s and"
                f" Reno {took['Reno']:.0f} s; QS-app is the slowest on"
                f" {', '.join(slowest) or 'none'} of {', '.join(path.name for path in paths)}, and"
                f" is reset on {reset.value}."
            )
        ],
        tables=[_table("chicago-reduction", "seconds", found, paths)],
        pictures=[
            _bars("chicago-reduction", "Chicago, capacity reduction", "seconds", found, paths)
        ],
    )


def again_expansion(lab: Lab) -> Findings:
    """CAV-4: retransmissions at Chicago where capacity expands."""
    found = _found(lab, EXPANSION)
    again = statements.again(found, statements.EXPANSION, ALL)
    most = statements.measured("cav.chi.rtx.exp", found)
    return Findings(
        measured={
            "cav.chi.rtx.exp": replace(
                most,
                because="QS-app's window overflows the queue at its own interface, which it enters"
                " at once. Where it leaves no faster than the interface sends, QS-app loses nothing"
                " and Reno most.",
                shown_by="CAV-BUFFER",
            )
        },
        answers=[
            (
                f"On {statements.EXPANSION.name} QS-app sends {again['QS-app']} packets again, Reno"
                f" {again['Reno']}, LSS {again['LSS']}, and QS-app's window {again[PACED]} where it"
                f" is paced."
            )
        ],
        tables=[_table("chicago-expansion-again", "again", found, EXPANSION)],
        pictures=[
            _bars(
                "chicago-expansion-again", "Chicago, capacity expansion", "again", found, EXPANSION
            )
        ],
    )


def again_reduction(lab: Lab) -> Findings:
    """CAV-5: retransmissions at Chicago where it shrinks."""
    paths = statements.REDUCTIONS
    found = _found(lab, paths)
    by_path = [statements.again(found, path) for path in paths]
    share = [of["QS-app"] / max(of["Reno"], 1) for of in by_path]
    judged = statements.again(found, statements.REDUCTION)
    return Findings(
        measured={"cav.chi.rtx.red": statements.measured("cav.chi.rtx.red", found)},
        answers=[
            (
                f"QS-app sends {min(share):.0f} to {max(share):.0f} times as much again as Reno; on"
                f" {statements.REDUCTION.name} that is {judged['QS-app']} packets, against"
                f" {judged['Reno']} of Reno and {judged['LSS']} of LSS."
            )
        ],
        tables=[_table("chicago-reduction-again", "again", found, paths)],
        pictures=[
            _bars("chicago-reduction-again", "Chicago, capacity reduction", "again", found, paths)
        ],
    )


def carolina(lab: Lab) -> Findings:
    """CAV-8: completion times at North Carolina."""
    found = _found(lab, CAROLINA)
    slow, shrinks = (
        statements.seconds(found, path, ALL) for path in (CAROLINA_SLOW, CAROLINA_REDUCTION)
    )
    alike = statements.measured("cav.nc.time.exp", found)
    slowest = statements.measured("cav.nc.time.red", found)
    return Findings(
        measured={
            "cav.nc.time.exp": replace(
                alike,
                because="QS-app's window overflows the interface's queue and is halved; one packet"
                " per round trip does not bring it back. With a queue that holds what the path does"
                " not, or with the window spread over the round trip, all are alike.",
                shown_by="CAV-READINGS",
            ),
            "cav.nc.time.red": replace(
                slowest,
                because="QS-app is the slowest, but not reset. "
                + _no_reset(found, [CAROLINA_REDUCTION]),
                shown_by="CAV-RESET",
            ),
        },
        answers=[
            (
                f"With a 100-Mbit/s interface QS-app takes {slow['QS-app']:.0f} s, LSS"
                f" {slow['LSS']:.0f} s, Reno {slow['Reno']:.0f} s and paced Quick Start"
                f" {slow[PACED]:.0f} s."
            ),
            (
                f"From 1 Gbit/s into 100 Mbit/s QS-app takes {shrinks['QS-app']:.0f} s, paced"
                f" {shrinks[PACED]:.0f} s, Reno {shrinks['Reno']:.0f} s and LSS"
                f" {shrinks['LSS']:.0f} s."
            ),
        ],
        tables=[_table("carolina", "seconds", found, CAROLINA)],
        pictures=[_bars("carolina", "North Carolina", "seconds", found, CAROLINA)],
    )


def _found(lab: Lab, paths: Sequence[Path]) -> Found:
    return statements.literally(lab, [case for path in paths for case in of_schemes(path, ALL)])


def _no_reset(found: Found, paths: Sequence[Path]) -> str:
    """For how long each scheme is silent, and whose patience would matter."""
    silent = {
        scheme: max(cast(Watched, found[Case(scheme, path)][0])["silent_s"] for path in paths)
        for scheme in SCHEMES
    }
    others = max(silent["Reno"], silent["LSS"])
    return (
        f"QS-app is silent for {silent['QS-app']:.1f} s at most: its timeouts come after ever"
        f" longer times, but with progress between them, and TCP gives up after {RETRIES} without."
        f" A client that gives up after more than {others:.2f} s of silence, and not more than"
        f" QS-app's, would reset QS-app and neither of the others."
    )


def _gain(found: Found, path: Path, scheme: str = "QS-app") -> float:
    of = statements.seconds(found, path, (scheme, "Reno"))
    return 100 * (1 - of[scheme] / of["Reno"])


def _changes(gains: Mapping[str, float]) -> str:
    return ", ".join(f"{text.percent(-gain / 100)} on {name}" for name, gain in gains.items())


WHAT: dict[Field, str] = {"seconds": "completion time, s", "again": "packets sent again"}


def _value(of: list[Transfer], field: Field) -> float:
    return round(of[0]["seconds"], 2) if field == "seconds" else measures.again(of)


def _table(name: str, field: Field, found: Found, paths: Sequence[Path]) -> Table:
    rows: list[dict[str, Cell]] = [
        {"interface - path": path.name}
        | {scheme: _value(found[Case(scheme, path)], field) for scheme in ALL}
        for path in paths
    ]
    return Table(name, f"1 GB, one transfer: {WHAT[field]}.", rows)


def _bars(name: str, where: str, field: Field, found: Found, paths: Sequence[Path]) -> Picture:
    def draw() -> "Figure":
        from flowstart_papers.drawing import Axis, bars

        heights: dict[str, Sequence[float | None]] = {
            scheme: [_value(found[Case(scheme, path)], field) or None for path in paths]
            for scheme in ALL
        }
        return bars(
            Axis(WHAT[field], "log" if field == "again" else "linear"),
            [path.name for path in paths],
            heights,
        )

    none = " No bar: none." if field == "again" else ""
    return Picture(name, f"{where}: {WHAT[field]}, one transfer of 1 GB.{none}", draw)


EXPERIMENTS = (
    Experiment(
        id="CAV-2",
        figure="Chicago, transaction time, expansion",
        question="Does a quick ramp-up shorten transfers where capacity expands?",
        run=times_expansion,
        quick=True,
    ),
    Experiment(
        id="CAV-3",
        figure="Chicago, transaction time, reduction",
        question="How long does a window for the interface take where capacity shrinks?",
        run=times_reduction,
        quick=True,
    ),
    Experiment(
        id="CAV-4",
        figure="Chicago, retransmissions, expansion",
        question="How much does each startup retransmit where capacity expands?",
        run=again_expansion,
    ),
    Experiment(
        id="CAV-5",
        figure="Chicago, retransmissions, reduction",
        question="How much does each startup retransmit where capacity shrinks?",
        run=again_reduction,
    ),
    Experiment(
        id="CAV-8",
        figure="North Carolina, transaction time",
        question="Are all alike where capacity expands, and QS-app the slowest where it shrinks?",
        run=carolina,
    ),
)
