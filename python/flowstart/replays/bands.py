"""Buffers that are not known: whether the answer hangs on what is assumed of them."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from flowstart.replays.answer import Answer
from flowstart.replays.paths import BUFFERS, ReplayPath

FACTORS = (0.5, 4.0)
"""What assumed buffers are multiplied by, beside once."""


@dataclass(frozen=True)
class Band:
    """The answer with other buffers in the place of those assumed."""

    name: str
    answer: Answer


def bands(paths: Sequence[ReplayPath]) -> list[tuple[str, list[ReplayPath]]]:
    """The paths with other buffers where they are assumed, and what is assumed in words.

    No buffer is made smaller than is known; where something is known, that least is a band of its
    own. Empty where nothing is assumed.
    """
    if not any({*BUFFERS} & {*path.assumed} for path in paths):
        return []
    found = [
        (f"× {factor:g}", [_with(path, factor, least=False) for path in paths])
        for factor in FACTORS
    ]
    if any(path.least.get(name) for path in paths for name in BUFFERS if name in path.assumed):
        found.append(("the least that is known", [_with(path, 1.0, least=True) for path in paths]))
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
