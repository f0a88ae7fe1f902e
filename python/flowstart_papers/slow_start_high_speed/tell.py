"""CAV-TELL: what shows a sender in its first round trips whether capacity shrinks.

The slides end with asking. Three things that a sender sees are measured on paths of both kinds
with other traffic on them: how fast ACKs come against its own interface, how much of what it
sent was lost, and by how much the round trip grew. One threshold is laid on each by half of
the seeds and tried on the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.slow_start_high_speed import competing_flows, measures
from flowstart_papers.slow_start_high_speed.competing_flows import (
    BEGIN_S,
    INTERFACE,
    LOADS,
    MSS,
    NARROWEST,
)
from flowstart_papers.slow_start_high_speed.setups import PACED, Path, startup

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

Kind = tuple[str, str]
"""How a connection begins, and how its ACKs come back."""

RTT_S = 0.18
SEEDS = range(1, 9)
STARTS = {"QS-app": 2, PACED: 2, "Reno": 5}
"""How a connection begins, and the round trips after the handshake in which it is watched."""
ACKS: dict[str, dict[str, str]] = {
    "undisturbed": {},
    "disturbed": {"interrupt_min": "60us", "interrupt_max": "100us"},
}
"""How ACKs come back: other traffic goes forward only and hosts see packets at once; or as much
goes back as forth, and hosts see packets at interrupts."""
SIGNS = {"rate": "ACK rate / interface", "loss": "share lost", "growth": "RTT growth"}
SHRINKS_BELOW = {"rate": True, "loss": False, "growth": False}
"""Whether low values speak for capacity reduction."""

DRAWN: Kind = ("QS-app", "undisturbed")


@dataclass(frozen=True)
class Case:
    """One path with its traffic and one way to begin."""

    start: str
    acks: str
    narrowest: int
    load: float
    seed: int

    @property
    def kind(self) -> Kind:
        """What a threshold is laid for."""
        return self.start, self.acks

    @property
    def shrinks(self) -> bool:
        """Whether the path is narrower than the interface."""
        return self.narrowest < INTERFACE


@dataclass(frozen=True)
class Threshold:
    """A threshold on one sign, and how it does on seeds that it was not made from."""

    at: float
    missed: float
    """Share of reductions taken for expansions."""
    alarmed: float
    """Share of expansions taken for reductions."""


Seen = dict[Case, dict[str, float]]
Thresholds = dict[tuple[Kind, str], Threshold]
"""By kind and sign."""


def run(lab: Lab) -> Findings:
    """The three signs on paths of both kinds, and one threshold on each."""
    kinds = [(start, acks) for start in STARTS for acks in ACKS]
    cases = [
        Case(start, acks, narrowest, load, seed)
        for start, acks in kinds
        for narrowest in NARROWEST
        for load in LOADS
        for seed in SEEDS
    ]
    found = lab.runs([_scenario(case) for case in cases], signs, trace=True)
    seen = {case: one for case, one in zip(cases, found, strict=True) if one}
    thresholds = {(kind, sign): _threshold(seen, kind, sign) for kind in kinds for sign in SIGNS}
    return Findings(
        answers=[*(_says(start, thresholds) for start in STARTS), _mistaken(seen, thresholds)],
        tables=[_threshold_table(thresholds), _sign_table(seen)],
        pictures=[_picture(seen, thresholds)],
    )


def _scenario(case: Case) -> Document:
    path = Path(INTERFACE, case.narrowest)
    end = BEGIN_S + (STARTS[case.start] + 1.5) * RTT_S
    document = competing_flows.scenario(
        path,
        case.load,
        case.seed,
        startup(case.start, path),
        "1GB",
        lasts_s=end,
        both_ways=case.acks == "disturbed",
    )
    return document | {"duration": f"{end:.3f}s", "stack": document["stack"] | ACKS[case.acks]}


def signs(run: Run) -> dict[str, float]:
    """What the first flow's sender saw; nothing if its SYN was lost."""
    samples = measures.samples(run)
    mine = samples["flow"] == 0
    time, event, seq = (samples[name][mine] for name in ("time_ns", "event", "seq_bytes"))
    if measures.OPEN not in event:
        return {}
    time = time / 1e9
    rtt = time[event == measures.OPEN][0] - BEGIN_S
    again = np.append(time[event == measures.RETRANSMIT], np.inf)[0]
    sent = time[event == measures.SEND]
    acks, ack_times = seq[event == measures.ACK].astype(np.int64), time[event == measures.ACK]
    return {
        "rate": _ack_rate(acks, ack_times, rtt),
        "loss": float(len(np.unique(seq[event == measures.DROP])) / len(sent)),
        "growth": _growth(acks[ack_times < again], ack_times[ack_times < again], sent, rtt),
    }


def _ack_rate(acks: "NDArray[Any]", times: "NDArray[Any]", rtt: float) -> float:
    """The median rate between neighbouring ACKs, as a share of the interface's."""
    gaps = np.diff(times)
    # An ACK that does not advance reports one segment beyond a hole.
    covered = np.maximum(np.diff(acks), MSS) * (MSS + 40) / MSS
    train = (gaps > 0) & (gaps < rtt / 4)
    if not train.any():
        return 0.0
    return float(np.median(8 * covered[train] / gaps[train]) / (INTERFACE * 1e6))


def _growth(acks: "NDArray[Any]", times: "NDArray[Any]", sent: "NDArray[Any]", rtt: float) -> float:
    """The longest round trip over the handshake's, less one; before anything is sent again."""
    advances = np.diff(acks, prepend=0) > 0
    newest = np.minimum(np.ceil(acks[advances] / MSS).astype(int), len(sent)) - 1
    trips = times[advances] - sent[newest]
    return float(trips.max() / rtt - 1) if len(trips) else 0.0


def _threshold(seen: Seen, kind: Kind, sign: str) -> Threshold:
    """The threshold that separates the odd seeds best, tried on the even ones."""
    odd, even = (
        [(c.shrinks, s[sign]) for c, s in seen.items() if c.kind == kind and c.seed % 2 == part]
        for part in (1, 0)
    )
    values = sorted({value for _, value in odd})
    between = [(a + b) / 2 for a, b in pairwise(values)] or values
    best = min(between, key=lambda at: sum(_errors(odd, at, sign)))
    return Threshold(best, *_errors(even, best, sign))


def _errors(known: Sequence[tuple[bool, float]], at: float, sign: str) -> tuple[float, float]:
    """The shares of reductions and of expansions that are taken for the other."""
    reductions = [value for shrinks, value in known if shrinks]
    expansions = [value for shrinks, value in known if not shrinks]
    below = SHRINKS_BELOW[sign]
    missed = sum((value < at) != below for value in reductions) / len(reductions)
    alarmed = sum((value < at) == below for value in expansions) / len(expansions)
    return missed, alarmed


def _says(start: str, thresholds: Thresholds) -> str:
    rights = [
        f"{SIGNS[sign]} is right in"
        f" {' and '.join(_right(thresholds[(start, acks), sign]) for acks in ACKS)}"
        for sign in SIGNS
    ]
    return (
        f"{start}, watched for {STARTS[start]} round trips, ACKs {' and '.join(ACKS)}: with one"
        f" threshold {', '.join(rights)}; guessing is right in 50 %."
    )


def _right(threshold: Threshold) -> str:
    return f"{100 * (1 - (threshold.missed + threshold.alarmed) / 2):.0f} %"


def _mistaken(seen: Seen, thresholds: Thresholds) -> str:
    """Which expansions are taken for reductions."""
    alarms = [
        case.narrowest
        for case, one in seen.items()
        for sign in SIGNS
        if not case.shrinks and case.seed % 2 == 0
        if (one[sign] < thresholds[case.kind, sign].at) == SHRINKS_BELOW[sign]
    ]
    return (
        f"Of {len(alarms)} expansions taken for reductions {alarms.count(INTERFACE)} were on a path"
        f" just as fast as the interface, where other traffic leaves less than the interface sends."
    )


def _threshold_table(thresholds: Thresholds) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "start": start,
            "ACKs": acks,
            "sign": SIGNS[sign],
            "threshold": round(t.at, 4),
            "reductions missed, %": round(100 * t.missed, 1),
            "expansions taken for reductions, %": round(100 * t.alarmed, 1),
        }
        for ((start, acks), sign), t in thresholds.items()
    ]
    caption = "One threshold per sign, laid by the odd seeds and tried on the even ones."
    return Table("thresholds", caption, rows)


def _sign_table(seen: Seen) -> Table:
    groups = dict.fromkeys((c.start, c.acks, c.narrowest, c.load) for c in seen)
    rows: list[dict[str, Cell]] = []
    for start, acks, narrowest, load in groups:
        here = _here(seen, (start, acks), narrowest, load)
        rows.append(
            {
                "start": start,
                "ACKs": acks,
                "narrowest / interface": narrowest / INTERFACE,
                "load": load,
                **{SIGNS[s]: round(float(np.median([h[s] for h in here])), 3) for s in SIGNS},
            }
        )
    caption = f"What the sender sees, medians of {len(SEEDS)} seeds (fewer where SYNs were lost)."
    return Table("signs", caption, rows)


def _picture(seen: Seen, thresholds: Thresholds) -> Picture:
    def draw() -> "Figure":
        from flowstart_papers.drawing import Axis, Panel, panels

        ratios = [narrowest / INTERFACE for narrowest in NARROWEST]
        x = Axis("narrowest link / interface", "log", ticks=[0.1, 0.5, 1, 2, 4])
        return panels(
            *(
                Panel(
                    x,
                    Axis(SIGNS[sign], limits=(0, None)),
                    {f"load {load:.0%}": (ratios, _medians(seen, load, sign)) for load in LOADS},
                    bands={
                        f"load {load:.0%}": (ratios, *_ends(seen, load, sign)) for load in LOADS
                    },
                    level={"threshold": thresholds[DRAWN, sign].at},
                )
                for sign in SIGNS
            ),
        )

    caption = (
        f"{PACED}, ACKs undisturbed: what the sender sees of its first flight, medians and ends"
        f" of {len(SEEDS)} seeds."
    )
    return Picture("signs", caption, draw)


def _values(seen: Seen, narrowest: int, load: float, sign: str) -> list[float]:
    return [one[sign] for one in _here(seen, DRAWN, narrowest, load)]


def _here(seen: Seen, kind: Kind, narrowest: int, load: float) -> list[dict[str, float]]:
    """What all seeds saw in one place."""
    cases = [Case(*kind, narrowest, load, seed) for seed in SEEDS]
    return [seen[case] for case in cases if case in seen]


def _medians(seen: Seen, load: float, sign: str) -> list[float | None]:
    return [float(np.median(_values(seen, narrowest, load, sign))) for narrowest in NARROWEST]


def _ends(seen: Seen, load: float, sign: str) -> tuple[list[float], list[float]]:
    each = [_values(seen, narrowest, load, sign) for narrowest in NARROWEST]
    return [min(values) for values in each], [max(values) for values in each]


EXPERIMENTS = (
    Experiment(
        id="CAV-TELL",
        figure="study",
        question="Which signals show a sender early whether capacity expands or shrinks?",
        run=run,
    ),
)
