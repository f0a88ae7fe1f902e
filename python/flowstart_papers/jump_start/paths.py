"""A study: one transfer over other rates, round trips and queues than the paper's (Sec. III.D)."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import measures, setups
from flowstart_papers.lab import Lab
from flowstart_papers.measures import improvement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.drawing import Panel

SIZES = tuple(2**k for k in range(1, 12))
RATES = (1, 5, 20, 100)
"""Mbit/s."""
RTTS = (16, 64, 256)
"""Milliseconds."""
QUEUES = (15, 60, 240)
"""Packets."""
RATE, RTT, QUEUE = 5, 64, 60
"""The paper's."""
RULES = ("ns-2's Sack1", "RFC endpoints")
"""The recovery that the paper names, and one that hardly ever needs the timer."""
INITIAL_WINDOW = 3
"""A transfer that fits it can only lose by being paced."""

Path = tuple[int, int, int]
"""Rate, round trip, queue."""
Case = tuple[str, Path, int]
"""Recovery, path, size."""
PATHS: tuple[Path, ...] = tuple((r, t, q) for r in RATES for t in RTTS for q in QUEUES)


def _scenario(startup: str, case: Case) -> Document:
    rule, (rate, rtt, queue), size = case
    document = setups.single(startup, size, **setups.RECOVERIES[rule])
    return setups.along(document, rate=f"{rate}Mbps", rtt=f"{rtt}ms", buffer=f"{queue}pkt")


def holds(path: Path) -> float:
    """Packets that the path and its queue can take in the first round trip."""
    rate, rtt, queue = path
    return rate * rtt * 1e3 / setups.PACKET_BITS + queue


def run(lab: Lab) -> Findings:
    """Every path with every size, under both recoveries."""
    cases = [(rule, path, size) for rule in RULES for path in PATHS for size in SIZES]
    pairs = dict(zip(cases, measures.both(lab, _scenario, cases, measures.transfer), strict=True))
    gains = {
        case: improvement(slow["duration_s"], jump["duration_s"])
        for case, (slow, jump) in pairs.items()
    }
    return Findings(
        answers=_say(gains),
        tables=[
            Table(
                f"paths_{i}",
                f"Gain of Jump Start in percent by path and packets; {rule}",
                [_row(rule, path, gains) for path in PATHS],
            )
            for i, rule in enumerate(RULES, 1)
        ],
        pictures=[
            Picture(
                "paths",
                f"Jump Start's time over slow start's by size, {RULES[0]}; below 1 it is faster. "
                f"What is not varied is the paper's: {RATE} Mbit/s, {RTT} ms, {QUEUE} packets",
                lambda: _draw(gains),
            )
        ],
    )


Gains = Mapping[Case, float]


def _say(gains: Gains) -> list[str]:
    said = []
    for rule in RULES:
        mine = {c: gain for c, gain in gains.items() if c[0] == rule and c[2] > INITIAL_WINDOW}
        fits = [gain for case, gain in mine.items() if _fits(case)]
        over = [gain for case, gain in mine.items() if not _fits(case)]
        said.append(
            f"{rule}, from {min(SIZES[1:])} packets on: where path and queue hold the flight, "
            f"Jump Start is faster in "
            f"{sum(gain > 0 for gain in fits)} of {len(fits)} cases and slower in "
            f"{sum(gain < 0 for gain in fits)}, by up to {max(fits):.0f} %; "
            f"where they do not, in {sum(gain > 0 for gain in over)} of {len(over)}, and the "
            f"longest takes {1 - min(over) / 100:.0f} times slow start's time."
        )
    longest = max((c for c in gains if c[0] == RULES[0]), key=gains.__getitem__)
    rate, rtt, queue = longest[1]
    said.append(
        f"It helps most, {gains[longest]:.0f} %, with {longest[2]} packets over {rate} Mbit/s and "
        f"{rtt} ms with a queue of {queue}: the longer the path, the more rounds it saves."
    )
    return said


def _fits(case: Case) -> bool:
    return case[2] <= holds(case[1])


def _row(rule: str, path: Path, gains: Gains) -> dict[str, str | float]:
    rate, rtt, queue = path
    row: dict[str, str | float] = {
        "rate, Mbit/s": rate,
        "RTT, ms": rtt,
        "queue": queue,
        "holds, packets": round(holds(path)),
    }
    return row | {f"{size}": round(gains[rule, path, size]) for size in SIZES}


def _draw(gains: Gains) -> "Figure":
    from flowstart_papers import drawing

    return drawing.panels(
        _panel(gains, "by rate", RATES, lambda rate: (rate, RTT, QUEUE), "Mbit/s"),
        _panel(gains, "by round trip", RTTS, lambda rtt: (RATE, rtt, QUEUE), "ms"),
        _panel(gains, "by queue", QUEUES, lambda queue: (RATE, RTT, queue), "packets"),
    )


def _panel(
    gains: Gains, title: str, varied: Sequence[int], path: Callable[[int], Path], unit: str
) -> "Panel":
    from flowstart_papers import drawing

    return drawing.Panel(
        drawing.Axis("transfer size (packets)", "log", (1.6, 9000), SIZES[::2]),
        drawing.Axis("time, Jump Start / slow start", limits=(0, 3)),
        {
            f"{value} {unit}": (
                SIZES,
                [1 - gains[RULES[0], path(value), size] / 100 for size in SIZES],
            )
            for value in varied
        },
        title=title,
        level={"as slow start": 1},
    )


EXPERIMENTS = (
    Experiment(
        id="JS-PATHS",
        figure="study",
        question="At which rates, round trips and queues does a jump help, and where does it harm?",
        run=run,
    ),
)
