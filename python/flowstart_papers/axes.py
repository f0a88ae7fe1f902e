"""Axes and panels of a figure, without what draws them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Points = tuple[Sequence[float], Sequence[float | None]]
"""Abscissae and ordinates."""
Band = tuple[Sequence[float], Sequence[float], Sequence[float]]
"""Abscissae, lower and upper ends."""


@dataclass(frozen=True)
class Axis:
    """One axis of a figure."""

    label: str
    scale: Literal["linear", "log"] = "linear"
    limits: tuple[float | None, float | None] = (None, None)
    ticks: Sequence[float] | None = None
    """Where a logarithmic axis is marked; the numbers themselves are written."""


@dataclass(frozen=True)
class Panel:
    """One pair of axes with its curves."""

    x: Axis
    y: Axis
    curves: Mapping[str, Points]
    """By name, in the paper's order."""
    published: Mapping[str, Points] | None = None
    """Published points by the name of their curve."""
    title: str = ""
    steps: bool = False
    """Whether values hold until the next one, as a window over time does."""
    marks: bool = True
    """Whether the points of a curve are marked; not for curves of many points."""
    joined: bool = True
    """Whether a line joins the points."""
    ordered: bool = False
    """Whether the curves have an order, which shades show better than colours."""
    bands: Mapping[str, Band] | None = None
    """Confidence, by curve."""
    level: Mapping[str, float] | None = None
    """Horizontal lines with their names, such as the BDP."""
