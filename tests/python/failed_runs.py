"""Runs that fail: no scenario is known with which the simulator does."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart import _native

if TYPE_CHECKING:
    from flowstart._native import Arrays, Batch


def failing(number: int, error: str) -> "Callable[..., Batch]":
    """What `_native.run_many` would be if a scenario failed."""
    real = _native.run_many

    def run_many(scenarios: list[str], *others: Any) -> "Batch":
        rest = [text for place, text in enumerate(scenarios) if place != number]
        numbers = [place for place in range(len(scenarios)) if place != number]
        found = real(rest, *others)
        for name in ("runs", "flows", "transfers", "objects", "links", "startups"):
            parts = [(numbers, found[name])]
            if name == "runs":
                parts.append(([number], failure(error)))
            found[name] = _native.Table.joined(name, parts)
        return found

    return run_many


def failure(error: str) -> _native.Table:
    """The row of a run that has failed."""
    nowhere = np.array([False])
    columns: dict[str, Arrays] = {
        "run": (np.array([0]), None, None),
        "error": (np.array([0], np.uint32), None, [error]),
        "simulated_s": (np.array([0.0]), nowhere, None),
        "events": (np.array([0]), nowhere, None),
        "buffer": (np.array([0], np.uint32), nowhere, [""]),
        "buffer_accounting": (np.array([0], np.uint32), nowhere, [""]),
    }
    return _native.Table("runs", columns)
