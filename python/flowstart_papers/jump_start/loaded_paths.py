"""A study: the same rates and round trips where others send, all in one startup."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import measures, paths, setups
from flowstart_papers.lab import Lab
from flowstart_papers.measures import improvement, interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (4, 16, 64, 256, 1024)
LOAD = 0.5
"""Of the link, by transfers of one size that open at random moments."""
TRANSFERS = 100
SEEDS = range(1, 7)

Case = tuple[int, int, int, int]
"""Rate, round trip, size, seed."""
Pairs = Sequence[tuple[dict[str, float], dict[str, float]]]
"""Slow start and Jump Start, by seed."""
Found = Mapping[paths.Path, Mapping[int, Pairs]]
"""By path and size."""


def scenario(startup: str, case: Case) -> Document:
    """Transfers of one size that keep the link half busy."""
    rate, rtt, size, seed = case
    apart_ms = size * setups.PACKET_BITS / (rate * 1e3) / LOAD
    path = {"rate": f"{rate}Mbps", "rtt": f"{rtt}ms"}
    document = setups.along(setups.single(startup, size), **path)
    opening = {
        "count": TRANSFERS,
        "stagger": f"{apart_ms:.4f}ms",
        "jitter": f"{4 * apart_ms:.4f}ms",
    }
    return document | {"seed": seed, "flows": [document["flows"][0] | opening]}


def run(lab: Lab) -> Findings:
    """Every path with every size."""
    ways = [(rate, rtt, paths.QUEUE) for rate in paths.RATES for rtt in paths.RTTS]
    cases = [(rate, rtt, size, seed) for rate, rtt, _ in ways for size in SIZES for seed in SEEDS]
    read = iter(measures.both(lab, scenario, cases, measures.crowd))
    found = {path: {size: [next(read) for _ in SEEDS] for size in SIZES} for path in ways}
    return Findings(
        answers=_say(found),
        tables=[
            Table(
                "loaded_paths",
                f"Gain of Jump Start in the median of {TRANSFERS} transfers on a link that they "
                f"keep {100 * LOAD:.0f} % busy, in percent (95 %), and loss of both",
                [_row(path, size, pairs) for path in ways for size, pairs in found[path].items()],
            )
        ],
        pictures=[
            Picture(
                "loaded_paths",
                "Jump Start's median over slow start's by size, as part of what path and queue "
                "hold; left of 1 they hold the flight",
                lambda: _draw(found),
            )
        ],
    )


def _gains(pairs: Pairs) -> list[float]:
    return [improvement(a["median_s"], b["median_s"]) for a, b in pairs]


def _times(pairs: Pairs) -> float:
    """How many times slow start's median Jump Start's is."""
    return 1 - float(np.mean(_gains(pairs))) / 100


def _say(found: Found) -> list[str]:
    fits = [_times(found[p][size]) for p in found for size in SIZES if size <= paths.holds(p)]
    over = [_times(found[p][size]) for p in found for size in SIZES if size > paths.holds(p)]
    worst = max(
        ((p, size) for p in found for size in SIZES), key=lambda one: _times(found[one[0]][one[1]])
    )
    lost = _losses(found[worst[0]][worst[1]])
    return [
        (
            f"Where path and queue hold a flight, Jump Start's median is shorter in "
            f"{sum(times < 1 for times in fits)} of {len(fits)} cases; where they do not, in "
            f"{sum(times < 1 for times in over)} of {len(over)}."
        ),
        (
            f"The best takes {min(fits):.2f} times slow start's time, the worst "
            f"{max(over):.0f} times ({_name(worst)}), where {lost[1]:.0f} % of what is sent is "
            f"lost, and {lost[0]:.0f} % in slow start."
        ),
    ]


def _name(case: tuple[paths.Path, int]) -> str:
    (rate, rtt, _), size = case
    return f"{size} packets, {rate} Mbit/s, {rtt} ms"


def _losses(pairs: Pairs) -> tuple[float, ...]:
    """In percent of what was sent: slow start's and Jump Start's."""
    return tuple(100 * float(np.mean([pair[i]["loss"] for pair in pairs])) for i in (0, 1))


def _row(path: paths.Path, size: int, pairs: Pairs) -> dict[str, str | float]:
    gains = _gains(pairs)
    low, high = interval(gains)
    losses = _losses(pairs)
    return {
        "rate, Mbit/s": path[0],
        "RTT, ms": path[1],
        "holds, packets": round(paths.holds(path)),
        "packets": size,
        "gain, %": round(float(np.mean(gains))),
        "from": round(low),
        "to": round(high),
        "slow start loses, %": round(losses[0], 1),
        "Jump Start loses, %": round(losses[1], 1),
    }


def _draw(found: Found) -> "Figure":
    from flowstart_papers import drawing

    def panel(rtt: int) -> drawing.Panel:
        mine = [path for path in found if path[1] == rtt]
        return drawing.Panel(
            drawing.Axis("size / what path and queue hold", "log", (0.001, 40)),
            drawing.Axis("median, Jump Start / slow start", "log", (0.15, 60)),
            {
                f"{path[0]} Mbit/s": (
                    [size / paths.holds(path) for size in SIZES],
                    [_times(found[path][size]) for size in SIZES],
                )
                for path in mine
            },
            title=f"{rtt} ms",
            level={"as slow start": 1},
        )

    return drawing.panels(*map(panel, paths.RTTS))


EXPERIMENTS = (
    Experiment(
        id="JS-PATHS-LOAD",
        figure="study",
        question="And where the link is half busy with transfers that start alike?",
        run=run,
    ),
)
