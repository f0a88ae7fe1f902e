"""One transfer at a time: completion times and retransmissions by interface and path."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.slow_start_high_speed import outcomes
from flowstart.papers.slow_start_high_speed.outcomes import Transfer
from flowstart.papers.slow_start_high_speed.setups import (
    ALIKE,
    NORTH_CAROLINA,
    PACED,
    SCHEMES,
    Path,
    transfer,
)
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXPANSION = (Path(100, 1000), Path(1000, 1000), Path(10_000, 10_000))
REDUCTION = (Path(1000, 100), Path(10_000, 100), Path(10_000, 1000))
CAROLINA = (
    Path(100, 1000, NORTH_CAROLINA),
    Path(1000, 1000, NORTH_CAROLINA),
    Path(1000, 100, NORTH_CAROLINA),
)
JUDGED_EXPANSION = "1G-1G"
JUDGED_REDUCTION = "10G-1G"

Found = dict[str, dict[str, Transfer]]
"""By path, then by scheme."""

NO_RESET = (
    "With SACK and a timer that backs off a transfer always moves on after a few seconds; on 10G-1G"
    " it is silent for 60 s only where a host takes more than a millisecond to read a SACK block."
)


def times_expansion(lab: Lab) -> Findings:
    """CAV-2: completion times at Chicago where capacity expands."""
    found = _found(lab, EXPANSION)
    seconds = _seconds(found[JUDGED_EXPANSION])
    holds = seconds["QS-app"] < seconds["Reno"] < seconds["LSS"]
    gains = {name: 1 - _seconds(f)["QS-app"] / _seconds(f)["Reno"] for name, f in found.items()}
    return Findings(
        measured={"cav.chi.order.exp": Measured(seconds, holds=holds)},
        answers=[
            "QS-app is done sooner than Reno by "
            + ", ".join(f"{100 * gain:.0f} % on {name}" for name, gain in gains.items())
            + "."
        ],
        tables=[_table("chicago-expansion", "seconds", found)],
        pictures=[_bars("chicago-expansion", "Chicago, capacity expansion", "seconds", found)],
    )


def times_reduction(lab: Lab) -> Findings:
    """CAV-3: completion times at Chicago where it shrinks."""
    found = _found(lab, REDUCTION)
    seconds = _seconds(found[JUDGED_REDUCTION])
    resets = sum(one["reset"] for each in found.values() for one in each.values())
    slowest = [name for name, each in found.items() if _slowest(each) == "QS-app"]
    return Findings(
        measured={
            "cav.chi.time.red": Measured(
                seconds, holds=_slowest(found[JUDGED_REDUCTION]) == "QS-app"
            ),
            "cav.chi.reset": Measured(
                f"{resets} resets", holds=resets > 0, because=NO_RESET, shown_by="CAV-HOST"
            ),
        },
        answers=[
            (
                f"On {JUDGED_REDUCTION} QS-app takes {seconds['QS-app']:.0f} s, LSS"
                f" {seconds['LSS']:.0f} s and Reno {seconds['Reno']:.0f} s;"
                f" QS-app is the slowest on {', '.join(slowest) or 'none'} of"
                f" {', '.join(found)}, and {resets} transfers are reset."
            )
        ],
        tables=[_table("chicago-reduction", "seconds", found)],
        pictures=[_bars("chicago-reduction", "Chicago, capacity reduction", "seconds", found)],
    )


def again_expansion(lab: Lab) -> Findings:
    """CAV-4: retransmissions at Chicago where capacity expands."""
    found = _found(lab, EXPANSION)
    again = _again(found[JUDGED_EXPANSION])
    holds = again["Reno"] > max(again["LSS"], again["QS-app"])
    return Findings(
        measured={"cav.chi.rtx.exp": Measured(again, holds=holds)},
        answers=[
            (
                f"On {JUDGED_EXPANSION} Reno sends {again['Reno']} packets again, LSS"
                f" {again['LSS']} and QS-app {again['QS-app']}: only slow start outgrows the"
                f" interface's queue."
            )
        ],
        tables=[_table("chicago-expansion-again", "again", found)],
        pictures=[_bars("chicago-expansion-again", "Chicago, capacity expansion", "again", found)],
    )


def again_reduction(lab: Lab) -> Findings:
    """CAV-5: retransmissions at Chicago where it shrinks."""
    found = _found(lab, REDUCTION)
    again = _again(found[JUDGED_REDUCTION])
    most = again["QS-app"] > max(again["Reno"], again["LSS"])
    least = again["LSS"] < min(again["Reno"], again["QS-app"])
    share = {
        name: each["QS-app"]["again"] / max(each["Reno"]["again"], 1)
        for name, each in found.items()
    }
    return Findings(
        measured={"cav.chi.rtx.red": Measured(again, holds=most and least)},
        answers=[
            (
                f"QS-app sends {min(share.values()):.0f} to {max(share.values()):.0f} times as much"
                f" again as Reno; on {JUDGED_REDUCTION} that is {again['QS-app']} packets, against"
                f" {again['Reno']} of Reno and {again['LSS']} of LSS."
            )
        ],
        tables=[_table("chicago-reduction-again", "again", found)],
        pictures=[_bars("chicago-reduction-again", "Chicago, capacity reduction", "again", found)],
    )


def carolina(lab: Lab) -> Findings:
    """CAV-8: completion times at North Carolina."""
    found = _found(lab, CAROLINA, (*SCHEMES, PACED))
    narrow, wide, shrinks = (_seconds(found[path.name]) for path in CAROLINA)
    apart = outcomes.spread(list(narrow.values()))
    slowest = _slowest(found["1G-100M"]) == "QS-app"
    reset = found["1G-100M"]["QS-app"]["reset"]
    return Findings(
        measured={
            "cav.nc.time.exp": Measured(narrow, holds=apart <= ALIKE),
            "cav.nc.time.red": Measured(
                shrinks,
                holds=slowest and reset,
                because="QS-app is the slowest, but never reset. " + NO_RESET
                if slowest
                else "QS-app is not the slowest.",
                shown_by="CAV-HOST",
            ),
        },
        answers=[
            (
                f"With a 100-Mbit/s interface all take {min(narrow.values()):.0f} to"
                f" {max(narrow.values()):.0f} s, {apart:.0f} % apart; with 1 Gbit/s it is"
                f" {min(wide.values()):.0f} to {max(wide.values()):.0f} s."
            ),
            (
                f"From 1 Gbit/s into 100 Mbit/s QS-app takes {shrinks['QS-app']:.0f} s, Reno"
                f" {shrinks['Reno']:.0f} s and LSS {shrinks['LSS']:.0f} s."
            ),
        ],
        tables=[_table("carolina", "seconds", found)],
        pictures=[_bars("carolina", "North Carolina", "seconds", found)],
    )


def _found(lab: Lab, paths: Sequence[Path], schemes: Sequence[str] = SCHEMES) -> Found:
    documents = [transfer(scheme, path) for path in paths for scheme in schemes]
    found = iter(lab.runs(documents, outcomes.transfers))
    return {path.name: {scheme: next(found)[0] for scheme in schemes} for path in paths}


def _seconds(found: dict[str, Transfer]) -> dict[str, float]:
    return {scheme: one["seconds"] for scheme, one in found.items()}


def _again(found: dict[str, Transfer]) -> dict[str, int]:
    return {scheme: one["again"] for scheme, one in found.items()}


def _slowest(found: dict[str, Transfer]) -> str:
    return max(SCHEMES, key=lambda scheme: found[scheme]["seconds"])


WHAT = {"seconds": "completion time, s", "again": "packets sent again"}


def _value(one: Transfer, field: str) -> float:
    return round(one["seconds"], 2) if field == "seconds" else one["again"]


def _table(name: str, field: str, found: Found) -> Table:
    rows: list[dict[str, Cell]] = [
        {"interface - path": path} | {scheme: _value(one, field) for scheme, one in each.items()}
        for path, each in found.items()
    ]
    return Table(name, f"1 GB, one transfer: {WHAT[field]}.", rows)


def _bars(name: str, where: str, field: str, found: Found) -> Picture:
    def draw() -> "Figure":
        from flowstart.papers.drawing import Axis, bars

        schemes = list(next(iter(found.values())))
        heights: dict[str, Sequence[float | None]] = {
            scheme: [_value(each[scheme], field) or None for each in found.values()]
            for scheme in schemes
        }
        return bars(
            Axis(WHAT[field], "log" if field == "again" else "linear"), list(found), heights
        )

    none = " No bar: none." if field == "again" else ""
    return Picture(name, f"{where}: {WHAT[field]}, one transfer of 1 GB.{none}", draw)
