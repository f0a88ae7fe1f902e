"""CAV-BUFFER: which queue makes half of Reno and a quarter of LSS true, and what else must be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.slow_start_high_speed import outcomes
from flowstart.papers.slow_start_high_speed.setups import (
    INTERFACE_QUEUE,
    SCHEMES,
    Host,
    Path,
    transfer,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PATH = Path(1000, 1000)
BDP = 15_000
"""What the path holds, in packets."""
CHOSEN_QUEUE = INTERFACE_QUEUE[PATH.interface] / BDP

FINE = (0.02, 0.05, 0.1, 0.15, 0.18, 0.2, 0.22, 0.25, 0.28, 0.3, 0.35, 0.4, 0.5, 0.7, 1.0, 1.5)
COARSE = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 1.0)
"""Queues, as shares of the BDP."""

INTERFACES = (100, 1000, 10_000)
PACKETS = (1000, 3000, 10_000, 30_000)
"""Queues at an interface of any speed."""

HALF = (0.4, 0.6)
QUARTER = (0.175, 0.325)
"""What counts as half and as a quarter: 20 and 30 % around them."""

AS_CHOSEN = "as chosen"
POLICIES = {
    "ACK for every second packet": Host(),
    "ACK for every packet": Host(ack="every"),
    "ACK for 16 packets, then for every second": Host(ack="quick-then-delayed"),
}
MOVED = {
    "initial window 2": Host(iw="2"),
    "initial window 4": Host(iw="4"),
    "initial window 10": Host(iw="10"),
    "growth by bytes (ABC)": Host(growth="abc"),
    "max_ssthresh 50": Host(max_ssthresh=50),
    "max_ssthresh 200": Host(max_ssthresh=200),
    "NewReno without SACK": Host(recovery="newreno"),
    "SACK read in no time": Host(sack_us=0),
    "SACK block read in 20 us": Host(sack_us=20),
    "QS-app goes on in slow start": Host(after="slow-start"),
    "QS-app's window at once into the queue": Host(handover="at once"),
    "an interface queue that never drops": Host(handover="never dropped"),
}


@dataclass(frozen=True)
class Seconds:
    """Completion times with one queue."""

    queue: float
    """As a share of the BDP."""
    of: dict[str, float]
    """By scheme."""

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
        return _within(self.to_reno, HALF) and _within(self.to_lss, QUARTER)


Sweep = list[Seconds]


def run(lab: Lab) -> Findings:
    """Queue by ACK policy, then by every other input that was chosen."""
    cases: list[tuple[str, Host, Sequence[float]]]
    cases = [(name, host, FINE) for name, host in POLICIES.items()]
    cases += [(name, host, COARSE) for name, host in MOVED.items()]
    documents = [
        transfer(scheme, PATH, host, buffer=f"{round(queue * BDP)}pkt")
        for _, host, queues in cases
        for queue in queues
        for scheme in SCHEMES
    ]
    found = iter(each[0]["seconds"] for each in lab.runs(documents, outcomes.transfers))
    swept = {
        name: [Seconds(q, {scheme: next(found) for scheme in SCHEMES}) for q in queues]
        for name, _, queues in cases
    }
    policies = {name: swept[name] for name in POLICIES}
    never = [name for name in MOVED if not any(at.both for at in swept[name])]
    return Findings(
        answers=[
            *(f"{name}: both hold with a queue of {_interval(s)}." for name, s in policies.items()),
            f"No queue tried makes both true with: {'; '.join(never)}."
            if never
            else "With every other input there is a queue that makes both true.",
        ],
        tables=[
            Table(
                "buffer",
                "Completion times by the queue at the interface, 1G-1G, 180 ms.",
                _fine_rows(policies),
            ),
            Table(
                "inputs",
                f"One input moved at a time: with a queue of {CHOSEN_QUEUE:g} BDP, and the queues"
                " tried with which QS-app takes half of Reno's and a quarter of LSS's time.",
                [
                    _moved_row(AS_CHOSEN if i == 0 else n, s)
                    for i, (n, s) in enumerate(swept.items())
                ],
            ),
            _interface_table(lab),
        ],
        pictures=[_picture(policies)],
    )


def _within(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= value <= bounds[1]


def _interval(sweep: Sequence[Seconds]) -> str:
    """The queues with which both hold, as runs of neighbours among those tried."""
    runs: list[list[float]] = []
    for i, at in enumerate(sweep):
        if not at.both:
            continue
        if i and sweep[i - 1].both:
            runs[-1].append(at.queue)
        else:
            runs.append([at.queue])
    texts = [f"{r[0]:g} to {r[-1]:g}" if len(r) > 1 else f"{r[0]:g}" for r in runs]
    return f"{' and '.join(texts)} BDP" if texts else "none of those tried"


def _fine_rows(policies: dict[str, Sweep]) -> list[dict[str, Cell]]:
    return [
        {
            "ACKs": name,
            "queue, BDP": at.queue,
            **{f"{scheme}, s": round(at.of[scheme], 2) for scheme in SCHEMES},
            "QS-app / Reno": round(at.to_reno, 2),
            "QS-app / LSS": round(at.to_lss, 2),
            "both hold": at.both,
        }
        for name, sweep in policies.items()
        for at in sweep
    ]


def _moved_row(name: str, sweep: Sweep) -> dict[str, Cell]:
    at = next(at for at in sweep if at.queue == CHOSEN_QUEUE)
    return {
        "input": name,
        **{f"{scheme}, s": round(at.of[scheme], 2) for scheme in SCHEMES},
        "QS-app / Reno": round(at.to_reno, 2),
        "QS-app / LSS": round(at.to_lss, 2),
        "both hold with": _interval(sweep),
    }


def _interface_table(lab: Lab) -> Table:
    cases = [(mbps, packets) for mbps in INTERFACES for packets in PACKETS]
    documents = [
        transfer(scheme, Path(mbps, mbps), buffer=f"{packets}pkt")
        for mbps, packets in cases
        for scheme in SCHEMES
    ]
    found = iter(each[0]["seconds"] for each in lab.runs(documents, outcomes.transfers))
    rows: list[dict[str, Cell]] = [
        {
            "interface, Mbit/s": mbps,
            "queue, packets": packets,
            **{f"{scheme}, s": round(next(found), 2) for scheme in SCHEMES},
        }
        for mbps, packets in cases
    ]
    return Table("interface-queues", "Completion by interface and its queue, 180 ms.", rows)


def _picture(policies: dict[str, Sweep]) -> Picture:
    def draw() -> "Figure":
        from flowstart.papers.drawing import Axis, Panel, panels

        x = Axis("queue at the interface, BDP", "log", ticks=[0.02, 0.05, 0.1, 0.2, 0.5, 1])
        to_reno = {
            n: ([at.queue for at in s], [at.to_reno for at in s]) for n, s in policies.items()
        }
        to_lss = {n: ([at.queue for at in s], [at.to_lss for at in s]) for n, s in policies.items()}
        return panels(
            Panel(x, Axis("QS-app / Reno", limits=(0, 1)), to_reno, level={"half": 0.5}),
            Panel(x, Axis("QS-app / LSS", limits=(0, 1)), to_lss, level={"a quarter": 0.25}),
        )

    return Picture("buffer", "Ratios of completion times by queue and ACK policy, 1G-1G.", draw)
