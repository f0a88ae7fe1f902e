"""CAV-DETECT: a startup that detects expansion or reduction and acts on it.

CAV-TELL measures what distinguishes them; here a startup that is judged by what it does with it
is compared with those of the slides: alone on their paths, and with other traffic that makes it
err.
"""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flowstart.model.document import Document
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval
from flowstart_papers.slow_start_high_speed import competing_flows, detecting_start, statements
from flowstart_papers.slow_start_high_speed.competing_flows import INTERFACE, LOADS, NARROWEST
from flowstart_papers.slow_start_high_speed.detection import EXPANDS, SHRINKS, Detection, detection
from flowstart_papers.slow_start_high_speed.setups import (
    PACED,
    SCHEMES,
    Path,
    startup,
    transfer,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DETECTING = f"{pathlib.Path(detecting_start.__file__)}:DetectingStart"
"""The startup, as a scenario names it."""
VARIANTS = {
    "detecting, opens with the window": "opening=window",
    "detecting, opens with the window, paced": "opening=window,paced=true",
    "detecting, opens by slow start": "opening=slow-start",
    "detecting, opens by slow start, paced": "opening=slow-start,paced=true",
    "detecting, opens by slow start, paced, else Reno": (
        "opening=slow-start,paced=true,fallback=slow-start"
    ),
}
"""What each does; all judge 16 gaps between ACKs."""
COMPARED = (*SCHEMES, PACED)
PATHS = (Path(100, 1000), statements.EXPANSION, Path(10_000, 10_000), *statements.REDUCTIONS)

BUSY = ("detecting, opens with the window, paced", "detecting, opens by slow start, paced")
"""Those that are tried with other traffic."""
AMID = (*SCHEMES, *BUSY)
SEEDS = range(1, 6)
SECONDS = 8
"""What is transferred would take so long alone at the narrowest link's rate or the interface's."""


@dataclass(frozen=True)
class Case:
    """A transfer with other traffic."""

    variant: str
    narrowest: int
    load: float
    seed: int

    @property
    def shrinks(self) -> bool:
        """Whether the path is narrower than the interface."""
        return self.narrowest < INTERFACE


def run(lab: Lab) -> Findings:
    """Alone on the slides' paths, then with other traffic."""
    alone = _alone(lab)
    busy = _busy(lab)
    return Findings(
        answers=[*_on_alone(alone), *(_on_busy(variant, busy) for variant in BUSY)],
        tables=[
            _alone_table("detect", "seconds", alone),
            _alone_table("detect-again", "again", alone),
            _alarm_table(busy),
            _busy_table(busy),
        ],
        pictures=[_picture(alone), _busy_picture(busy)],
    )


Alone = Mapping[tuple[Path, str], Detection]


def _alone(lab: Lab) -> Alone:
    keys = [(path, name) for path in PATHS for name in (*COMPARED, *VARIANTS)]
    documents = [_spoken(transfer("QS-app", path), path, name) for path, name in keys]
    return dict(zip(keys, lab.runs(documents, detection, trace=True), strict=True))


def _spoken(document: Document, path: Path, name: str) -> Document:
    """The scenario with another startup of the first flow."""
    (flow,) = document["flows"]
    return document | {"flows": [flow | {"startup": _startup(path, name)}]}


def _startup(path: Path, name: str) -> str:
    return f"{DETECTING}:{VARIANTS[name]}" if name in VARIANTS else startup(name, path)


Busy = Mapping[Case, Detection]


def _busy(lab: Lab) -> Busy:
    cases = [
        Case(variant, narrowest, load, seed)
        for variant in AMID
        for narrowest in NARROWEST
        for load in LOADS
        for seed in SEEDS
    ]
    found = lab.runs([_with_others(case) for case in cases], detection, trace=True)
    return dict(zip(cases, found, strict=True))


def _with_others(case: Case) -> Document:
    path = Path(INTERFACE, case.narrowest)
    size = f"{SECONDS * 125 * min(path.interface, path.narrowest)}kB"
    document = competing_flows.scenario(
        path, case.load, case.seed, _startup(path, case.variant), size
    )
    return document | {"end_after": {"flow": 0}}


def _on_alone(alone: Alone) -> list[str]:
    best = "detecting, opens by slow start, paced"
    wide = "detecting, opens with the window"
    right = sum(
        (one["detected"] == EXPANDS) is path.expands
        for (path, name), one in alone.items()
        if name in VARIANTS
    )
    of = len(PATHS) * len(VARIANTS)
    times = ", ".join(f"{path.name} {alone[path, best]['seconds']:.1f} s" for path in PATHS)
    least = ", ".join(
        f"{min(alone[path, other]['seconds'] for other in ('Reno', 'LSS')):.0f}" for path in PATHS
    )
    judged = statements.REDUCTION
    repair, lost = alone[judged, wide], alone[judged, "QS-app"]
    return [
        f"Alone on the slides' paths {right} of {of} starts are classified correctly.",
        f"{best}: {times}; the better of Reno and LSS takes {least} s.",
        (
            f"On {judged.name} a window that is sent at once and then repaired at the rate that the"
            f" ACKs show takes {repair['seconds']:.1f} s and {repair['again']} retransmissions;"
            f" QS-app takes {lost['seconds']:.1f} s and {lost['again']}."
        ),
    ]


def _on_busy(variant: str, busy: Busy) -> str:
    missed, alarmed, even = (_wrong(variant, busy, kind) for kind in ("missed", "alarmed", "even"))
    return (
        f"{variant}, with other traffic: {missed} reductions are missed; {alarmed} paths with more"
        f" capacity than the interface are taken for reductions, and {even} paths just as fast. Its"
        f" mean time is below those of QS-app, Reno and LSS in {_ahead(variant, busy)} places."
    )


def _ahead(variant: str, busy: Busy) -> str:
    """In how many places it is ahead of all of the slides' schemes."""
    places = [(narrowest, load) for narrowest in NARROWEST for load in LOADS]
    ahead = [
        _mean(busy, variant, *place) < min(_mean(busy, other, *place) for other in SCHEMES)
        for place in places
    ]
    return f"{sum(ahead)} of {len(ahead)}"


def _mean(busy: Busy, variant: str, narrowest: int, load: float) -> float:
    return float(np.mean([one["seconds"] for one in _here(busy, variant, narrowest, load)]))


def _wrong(variant: str, busy: Busy, kind: str) -> str:
    """The share of wrong judgements of one kind, in words."""
    mine = [
        (one["detected"] == SHRINKS) is not case.shrinks
        for case, one in busy.items()
        if case.variant == variant and _kind(case) == kind
    ]
    return f"{sum(mine)} of {len(mine)}"


def _kind(case: Case) -> str:
    if case.shrinks:
        return "missed"
    return "even" if case.narrowest == INTERFACE else "alarmed"


def _alone_table(name: str, field: str, alone: Alone) -> Table:
    rows: list[dict[str, Cell]] = [
        {"startup": start} | {path.name: _cell(alone[path, start], field) for path in PATHS}
        for start in (*COMPARED, *VARIANTS)
    ]
    what = "completion time, s" if field == "seconds" else "packets sent again"
    return Table(name, f"1 GB alone, 180 ms: {what}.", rows)


def _cell(one: Detection, field: str) -> float:
    return round(one["seconds"], 1) if field == "seconds" else one["again"]


def _alarm_table(busy: Busy) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "startup": variant,
            "narrowest / interface": narrowest / INTERFACE,
            "load": load,
            "detected expansion": _said(busy, variant, narrowest, load, EXPANDS),
            "detected reduction": _said(busy, variant, narrowest, load, SHRINKS),
            "detected nothing": _said(busy, variant, narrowest, load, 0.0),
        }
        for variant in BUSY
        for narrowest in NARROWEST
        for load in LOADS
    ]
    return Table("detect-alarms", f"What it detected, of {len(SEEDS)} seeds.", rows)


def _said(busy: Busy, variant: str, narrowest: int, load: float, what: float) -> int:
    return sum(one["detected"] == what for one in _here(busy, variant, narrowest, load))


def _here(busy: Busy, variant: str, narrowest: int, load: float) -> list[Detection]:
    return [busy[Case(variant, narrowest, load, seed)] for seed in SEEDS]


def _busy_table(busy: Busy) -> Table:
    rows: list[dict[str, Cell]] = []
    for narrowest in NARROWEST:
        for load in LOADS:
            for variant in AMID:
                here = _here(busy, variant, narrowest, load)
                seconds = [one["seconds"] for one in here]
                low, high = interval(seconds)
                rows.append(
                    {
                        "narrowest / interface": narrowest / INTERFACE,
                        "load": load,
                        "startup": variant,
                        "completion, s": round(float(np.mean(seconds)), 2),
                        "from": round(low, 2),
                        "to": round(high, 2),
                        "sent again": round(float(np.mean([one["again"] for one in here])), 1),
                    }
                )
    caption = (
        f"{SECONDS} s of data from a 100-Mbit/s interface with other traffic: means of"
        f" {len(SEEDS)} seeds, 95 %."
    )
    return Table("detect-busy", caption, rows)


def _picture(alone: Alone) -> Picture:
    def draw() -> "Figure":
        from flowstart_papers.drawing import Axis, bars

        heights: dict[str, Sequence[float | None]] = {
            name: [alone[path, name]["seconds"] for path in PATHS] for name in AMID
        }
        return bars(
            Axis("completion time, s", "log", limits=(1, 5000)),
            [path.name for path in PATHS],
            heights,
        )

    return Picture("detect", "1 GB alone, 180 ms: completion times.", draw)


def _busy_picture(busy: Busy) -> Picture:
    def draw() -> "Figure":
        from flowstart_papers.drawing import Axis, Panel, panels

        ratios = [narrowest / INTERFACE for narrowest in NARROWEST]
        x = Axis("narrowest link / interface", "log", ticks=[0.1, 0.5, 1, 2, 4])
        return panels(
            *(
                Panel(
                    x,
                    Axis("completion time, s", limits=(0, None)),
                    {
                        name: (
                            ratios,
                            [_mean(busy, name, narrowest, load) for narrowest in NARROWEST],
                        )
                        for name in AMID
                    },
                    title=f"other traffic on {load:.0%} of the narrowest link",
                )
                for load in (LOADS[0], LOADS[-1])
            )
        )

    caption = (
        f"{SECONDS} s of data from a 100-Mbit/s interface with other traffic: mean completion times"
        f" of {len(SEEDS)} seeds."
    )
    return Picture("detect-busy", caption, draw)


EXPERIMENTS = (
    Experiment(
        id="CAV-DETECT",
        figure="study",
        question="What does a startup gain by detecting expansion and reduction, and how often does"
        " it err?",
        run=run,
    ),
)
