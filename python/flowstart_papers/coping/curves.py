"""Estimates over a setting, a curve with its band for each name."""

from collections.abc import Mapping

from flowstart_papers.coping.effects import Estimate
from flowstart_papers.drawing import Axis, Panel

Lines = Mapping[str, Mapping[float, Estimate]]
"""By name and by setting."""


def panel(x: Axis, y: Axis, lines: Lines) -> Panel:
    """One panel with 95 % intervals."""
    curves = {
        name: (list(line), [found.mean for found in line.values()]) for name, line in lines.items()
    }
    bands = {
        name: (
            list(line),
            [found.low for found in line.values()],
            [found.high for found in line.values()],
        )
        for name, line in lines.items()
    }
    return Panel(x, y, curves, bands=bands)
