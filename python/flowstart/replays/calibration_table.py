"""A calibration as a table of text, and what stands beside it."""

from flowstart.render import text
from flowstart.render.grid import Column, Grid
from flowstart.replays.calibration import Calibration


def table(found: Calibration) -> Grid:
    """Simulated over recorded time by size class."""
    titles = ["transfers", "p5", "median", "p95"]
    grid = Grid([Column("size class", number=False), *(Column(title) for title in titles)])
    grid.rows = [
        [one.size_class, text.count(one.transfers), *map(_ratio, (one.p5, one.median, one.p95))]
        for one in found.classes
    ]
    return grid


def _ratio(value: float | None) -> str:
    return text.ABSENT if value is None else f"{value:.3f}"


def headline(found: Calibration) -> str:
    """What was replayed, and what is compared."""
    return (
        f"Replayed as recorded ({found.settings.recorded.written}): simulated over recorded time"
        + " at the monitor" * (not found.of_log)
    )


def legend(found: Calibration) -> list[str]:
    """What is not in the table, line by line."""
    lines = [f"{count} transfers are not compared: {why}." for why, count in found.left_out.items()]
    parts = ", ".join(sorted(found.settings.ignore))
    return [*lines, f"Not replayed: {parts}."] if parts else lines
