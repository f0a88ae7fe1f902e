"""The files of one run: tables, its trace, figures and a page to read."""

from typing import TYPE_CHECKING

from flowstart import grids, plots, report
from flowstart.comparison_report import columns, encoded
from flowstart.series import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.simulation import Run


def tables(result: "Run") -> dict[str, bytes]:
    """The tables, the trace where there is one, and everything else as JSON."""
    frames = {"rows": result.flows, "links": result.links}
    if result.transfers.height:
        frames["transfers"] = result.transfers
    if result.objects.height:
        frames["objects"] = result.objects
    traced = {
        "flow-samples": result.flow_samples,
        "queue-samples": result.queue_samples,
        "queue-departures": result.queue_departures,
    }
    frames |= {name: frame for name, frame in traced.items() if frame is not None}
    found = {"result.json": encoded(result.result())}
    for name, frame in frames.items():
        found |= columns(frame, name)
    return found


def pictures(result: "Run", title: str) -> dict[str, bytes]:
    """The page, and the figures over time where the run has a trace."""
    found: dict[str, bytes] = {}
    parts = [report.table(grid) for grid in grids.of_run(result)]
    if result.notes:
        parts.append(report.paragraph("\n".join(result.notes)))
    for name, (figure, caption) in _pictures(result).items():
        svg = plots.svg(figure)
        found |= {f"{name}.svg": svg.encode(), f"{name}.png": plots.png(figure)}
        parts.append(report.picture(svg, caption))
    found["report.html"] = report.page(title, [*parts, report.made_by()]).encode()
    return found


def _pictures(result: "Run") -> "dict[str, tuple[Figure, str]]":
    series = result.series()
    if not series:
        return {}
    some = shown(result)
    of = f", of {some}" if some else ""
    return {
        "over-time": (
            plots.over_time(series, some),
            f"Window, bytes in flight{of}; bottleneck queue.",
        ),
        "sequence": (
            plots.sequence(series, some),
            f"What was sent, sent again and acknowledged{of}.",
        ),
    }
