"""What a packet costs the processor under gauge and under HyStart++, measured in alternation."""

import json
import math
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import flowstart as fs
from asking import GAUGE, HYSTART
from flowstart import _native
from results import Row

RATES, RTTS, SIZES = ("10Mbps", "100Mbps", "1Gbps"), ("20ms", "100ms"), ("1MB", "10MB")
ROUNDS = 15
LONG_ENOUGH_S = 0.05
"""A run is repeated until it takes at least so long."""


@dataclass(frozen=True)
class Costs:
    """Seconds of processor time per packet of one startup on one path, by round."""

    rounds: tuple[float, ...]

    @property
    def best(self) -> float:
        """The round that the machine disturbed least."""
        return min(self.rounds)


def scenario(rate: str, rtt: str, size: str, startup: str) -> dict[str, Any]:
    """A flow alone."""
    flow = {"startup": startup, "size": size}
    path = {"rate": rate, "rtt": rtt, "buffer": "1bdp"}
    return {"path": path, "stack": {"preset": "linux"}, "flows": [flow]}


class Contender:
    """A startup on a path."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.packets: int = fs.run(document).frame["packets_sent"][0]
        self.text = json.dumps(document)
        self.repeats = max(1, math.ceil(LONG_ENOUGH_S / max(self._seconds(1), 1e-6)))

    def cost(self) -> float:
        """Seconds of processor time per packet sent."""
        return self._seconds(self.repeats) / self.repeats / self.packets

    def _seconds(self, repeats: int) -> float:
        began = time.process_time()
        for _ in range(repeats):
            _native.run(self.text)
        return time.process_time() - began


def alternate(contenders: Sequence[Contender], rounds: int) -> list[Costs]:
    """Each once a round, and in the other order every other round."""
    taken: list[list[float]] = [[] for _ in contenders]
    for turn in range(rounds):
        places = range(len(contenders)) if turn % 2 == 0 else reversed(range(len(contenders)))
        for place in places:
            taken[place].append(contenders[place].cost())
    return [Costs(tuple(costs)) for costs in taken]


def processor(rounds: int = ROUNDS) -> Iterator[Row]:
    """The ratio of the best rounds on each path, and its geometric mean over them.

    The ends are not an interval: they are the minimum and the maximum ratio of single rounds.
    """
    best, all_rounds = [], []
    for rate, rtt, size in product(RATES, RTTS, SIZES):
        pair = [Contender(scenario(rate, rtt, size, name)) for name in (GAUGE, HYSTART)]
        own, other = alternate(pair, rounds)
        ratios = [one / two for one, two in zip(own.rounds, other.rounds, strict=True)]
        best.append(own.best / other.best)
        all_rounds.append(ratios)
        yield _row(f"{size} over {rate} × {rtt}", best[-1], ratios)
    together = [statistics.geometric_mean(column) for column in zip(*all_rounds, strict=True)]
    yield _row("all", statistics.geometric_mean(best), together)


def _row(setting: str, value: float, ratios: Sequence[float]) -> Row:
    low, high, count = min(ratios), max(ratios), len(ratios)
    return Row(
        "cpu", setting, GAUGE, "processor time ratio", "all", HYSTART, value, low, high, count
    )
