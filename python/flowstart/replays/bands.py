"""Buffers and rates that are uncertain: whether the answer depends on what is taken for them."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from flowstart.replays.answer import Answer
from flowstart.replays.paths import BUFFERS, ReplayPath

FACTORS = (0.5, 4.0)
"""What assumed buffers are multiplied by, beside once."""
UNBOUNDED = 4.0
"""What a rate is multiplied by at the high end of its interval, where that has none."""


@dataclass(frozen=True)
class Band:
    """The answer with other buffers or rates."""

    name: str
    answer: Answer


def bands(paths: Sequence[ReplayPath]) -> list[tuple[str, list[ReplayPath]]]:
    """The paths with other buffers where they are assumed and other rates where they are fitted.

    No buffer is made smaller than is known; where something is known, that least is a band of its
    own. Rates go to both ends of their intervals. Empty where nothing is uncertain.
    """
    return _buffers(paths) + _rates(paths)


def _rates(paths: Sequence[ReplayPath]) -> list[tuple[str, list[ReplayPath]]]:
    if not any(path.rate_range for path in paths):
        return []
    return [
        ("lowest rates", [_at_end(path, 0) for path in paths]),
        ("highest rates", [_at_end(path, 1) for path in paths]),
    ]


def _at_end(replayed: ReplayPath, end: int) -> ReplayPath:
    if replayed.rate_range is None:
        return replayed
    rate = replayed.rate_range[end] or UNBOUNDED * replayed.rates_bps[0]
    written = dict.fromkeys(("rate", "reverse_rate"), f"{rate:.0f}bps")
    return dataclasses.replace(replayed, path=replayed.path | written)


def _buffers(paths: Sequence[ReplayPath]) -> list[tuple[str, list[ReplayPath]]]:
    if not any({*BUFFERS} & {*path.assumed} for path in paths):
        return []
    found = [
        (f"buffers × {factor:g}", [_with(path, factor, least=False) for path in paths])
        for factor in FACTORS
    ]
    if any(path.least.get(name) for path in paths for name in BUFFERS if name in path.assumed):
        found.append(("smallest known buffers", [_with(path, 1.0, least=True) for path in paths]))
    return found


def _with(replayed: ReplayPath, factor: float, *, least: bool) -> ReplayPath:
    path = dict(replayed.path)
    for name in BUFFERS:
        if name not in replayed.assumed:
            continue
        packets = int(str(path[name]).removesuffix("pkt"))
        known = replayed.least.get(name, 0)
        new = known if least and known else max(round(factor * packets), known, 1)
        path[name] = f"{new}pkt"
    return dataclasses.replace(replayed, path=path)
