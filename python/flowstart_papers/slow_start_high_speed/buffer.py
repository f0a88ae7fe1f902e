"""CAV-BUFFER: what the interface's queue and the hand-over make of half of Reno, and the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.slow_start_high_speed import statements
from flowstart_papers.slow_start_high_speed.published import PUBLISHED
from flowstart_papers.slow_start_high_speed.setups import (
    LITERAL,
    SCHEMES,
    Handover,
    Path,
)
from flowstart_papers.slow_start_high_speed.statements import (
    CAROLINA_EXPANSION,
    EXPANSION,
    Case,
    of_schemes,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.drawing import Panel

HIGHEST = 2.2
"""The ratio that the figure's axes end with; what is higher is said."""
QUEUES = (100, 500, 1000, 1500, 2000, 2700, 3000, 3750, 4500, 10_000, 22_500)
"""Packets; Chicago's path holds 15 000."""
LITERAL_QUEUE = 1000
HALF, QUARTER = (PUBLISHED.number(name) for name in ("cav.chi.half", "cav.chi.quarter"))

HANDOVERS: dict[Handover, str] = {
    "at once": "at once (literal)",
    "spread": "as fast as the interface sends",
    "never dropped": "at once, the queue never drops",
}
ACKS = {"delayed": "for every second packet", "every": "for every packet"}
DRAWN = "delayed"


@dataclass(frozen=True)
class Took:
    """Completion times with one queue, by scheme."""

    queue: int
    of: Mapping[str, float]

    @property
    def to_reno(self) -> float:
        """QS-app's time over Reno's."""
        return self.of["QS-app"] / self.of["Reno"]

    @property
    def to_lss(self) -> float:
        """QS-app's time over LSS's."""
        return self.of["QS-app"] / self.of["LSS"]

    @property
    def both(self) -> bool:
        """Whether it is half of the one and a quarter of the other."""
        return statements.holds("cav.chi.half", self.to_reno) and statements.holds(
            "cav.chi.quarter", self.to_lss
        )

    @property
    def in_order(self) -> bool:
        """Whether QS-app is before Reno and Reno before LSS."""
        return self.of["QS-app"] < self.of["Reno"] < self.of["LSS"]

    @property
    def reno_leads(self) -> bool:
        """Whether Quick Start and LSS take the longest, as the slides have it at 220 ms."""
        return self.of["Reno"] < min(self.of["QS-app"], self.of["LSS"])


Sweep = list[Took]
Key = tuple[Handover, str]
"""Hand-over and ACK policy."""


def run(lab: Lab) -> Findings:
    """Completion times by queue, for every hand-over and ACK policy."""
    keys: list[Key] = [(how, ack) for how in HANDOVERS for ack in ACKS]
    chicago = {key: _sweep(lab, EXPANSION, *key) for key in keys}
    carolina = {how: _sweep(lab, CAROLINA_EXPANSION, how, DRAWN) for how in HANDOVERS}
    return Findings(
        answers=[
            *(
                _on_half(how, {k[1]: s for k, s in chicago.items() if k[0] == how})
                for how in HANDOVERS
            ),
            _on_both_places(chicago, carolina),
        ],
        tables=[
            Table(
                "buffer",
                "Completion times by the queue at the interface, 1G-1G, 180 ms.",
                [row for key, sweep in chicago.items() for row in _rows(key, sweep)],
            ),
            _carolina_table(carolina),
        ],
        pictures=[_picture({how: chicago[how, DRAWN] for how in HANDOVERS}, carolina)],
    )


def _sweep(lab: Lab, path: Path, how: Handover, ack: str) -> Sweep:
    # A queue that never drops has no size.
    queues = QUEUES if how != "never dropped" else (LITERAL_QUEUE,)
    setups = {
        queue: replace(LITERAL, queue=f"{queue}pkt", handover=how, ack=ack) for queue in queues
    }
    found = statements.find(
        lab, [(setup, case) for setup in setups.values() for case in of_schemes(path)]
    )
    return [
        Took(queue, {s: found[setup, Case(s, path)][0]["seconds"] for s in SCHEMES})
        for queue, setup in setups.items()
    ]


def _on_half(how: Handover, by_ack: Mapping[str, Sweep]) -> str:
    if how == "never dropped":
        ratios = [
            f"{sweep[0].to_reno:.2f} with an ACK {ACKS[ack]}" for ack, sweep in by_ack.items()
        ]
        return f"Window {HANDOVERS[how]}: QS-app takes of Reno's time {', '.join(ratios)}."
    held = [
        f"with {_interval([at.both for at in sweep])} and an ACK {ACKS[ack]}"
        for ack, sweep in by_ack.items()
    ]
    return f"Window {HANDOVERS[how]}: half of Reno and a quarter of LSS hold {', '.join(held)}."


def _on_both_places(chicago: Mapping[Key, Sweep], carolina: Mapping[Handover, Sweep]) -> str:
    """With which set-up Chicago's order holds, and with which North Carolina's."""
    orders = [
        f"{_interval([at.in_order for at in chicago[how, DRAWN]])}, the window {HANDOVERS[how]}"
        for how in HANDOVERS
        if any(at.in_order for at in chicago[how, DRAWN])
    ]
    leads = [
        f"{_interval([at.reno_leads for at in carolina[how]])}, the window {HANDOVERS[how]}"
        for how in HANDOVERS
        if any(at.reno_leads for at in carolina[how])
    ]
    return (
        f"Chicago's order (QS-app before Reno before LSS) holds with: {'; '.join(orders)}."
        f" North Carolina's (QS-app and LSS after Reno) with: {'; '.join(leads)}."
    )


def _interval(hold: Sequence[bool]) -> str:
    """The queues for which something holds, as runs of neighbours among those tried."""
    if len(hold) == 1:
        return "any queue" if hold[0] else "no queue"
    runs: list[list[int]] = []
    for i, it in enumerate(hold):
        if it and i and hold[i - 1]:
            runs[-1].append(QUEUES[i])
        elif it:
            runs.append([QUEUES[i]])
    texts = [f"{r[0]} to {r[-1]}" if len(r) > 1 else f"{r[0]}" for r in runs]
    return f"{' and '.join(texts)} packets" if texts else "no queue tried"


def _rows(key: Key, sweep: Sweep) -> list[dict[str, Cell]]:
    how, ack = key
    return [
        {
            "first window": HANDOVERS[how],
            "ACK": ACKS[ack],
            "queue, packets": at.queue if how != "never dropped" else None,
            **{f"{scheme}, s": round(at.of[scheme], 2) for scheme in SCHEMES},
            "QS-app / Reno": round(at.to_reno, 2),
            "QS-app / LSS": round(at.to_lss, 2),
            "half and a quarter": at.both,
            "QS-app before Reno before LSS": at.in_order,
        }
        for at in sweep
    ]


def _carolina_table(by_handover: Mapping[Handover, Sweep]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "first window": HANDOVERS[how],
            "queue, packets": at.queue if how != "never dropped" else None,
            **{f"{scheme}, s": round(at.of[scheme], 2) for scheme in SCHEMES},
            "Reno before both": at.reno_leads,
        }
        for how, sweep in by_handover.items()
        for at in sweep
    ]
    return Table("buffer-carolina", "The same at 220 ms, an ACK for every second packet.", rows)


def _picture(chicago: Mapping[Handover, Sweep], carolina: Mapping[Handover, Sweep]) -> Picture:
    def draw() -> "Figure":
        from flowstart_papers.drawing import panels

        return panels(
            _panel("Chicago, 180 ms: over Reno", chicago, "to_reno", {"published: half": HALF}),
            _panel(
                "Chicago, 180 ms: over LSS", chicago, "to_lss", {"published: a quarter": QUARTER}
            ),
            _panel(
                "North Carolina, 220 ms: over Reno", carolina, "to_reno", {"as long as Reno": 1}
            ),
        )

    return Picture(
        "buffer",
        "1G-1G: QS-app's completion time over another's, by the queue at the interface and by how"
        " the first window enters it.",
        draw,
    )


def _panel(
    title: str, by_handover: Mapping[Handover, Sweep], ratio: str, level: Mapping[str, float]
) -> "Panel":
    from flowstart_papers.drawing import Axis, Panel

    # A queue that never drops has no size: its one result is drawn across.
    curves = {
        HANDOVERS[how]: (
            QUEUES,
            [getattr(at, ratio) for at in (sweep if len(sweep) > 1 else sweep * len(QUEUES))],
        )
        for how, sweep in by_handover.items()
    }
    x = Axis("queue at the interface, packets", "log", (80, 200_000), [100, 1000, 10_000])
    y = Axis("QS-app's time / the other's", limits=(0, HIGHEST))
    return Panel(x, y, curves, title=title, level=level)


EXPERIMENTS = (
    Experiment(
        id="CAV-BUFFER",
        figure="study",
        question="What do queue and hand-over at the interface make of the orders in expansion?",
        run=run,
    ),
)
