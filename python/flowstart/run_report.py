"""The files of one run: tables, its trace, figures and a page to read."""

from typing import TYPE_CHECKING

from flowstart import grids, plots, report
from flowstart.comparison_report import dump, tables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.simulation import Run


def files(result: "Run", title: str) -> dict[str, bytes]:
    """Every file by its name; traces and figures over time where the run has a trace."""
    found = {"result.json": dump(result.result())}
    found |= tables(result.flows) | tables(result.links, "links")
    parts = [report.table(grids.flows(result))]
    if result.transfers.height:
        found |= tables(result.transfers, "transfers")
        parts.append(report.table(grids.transfers(result)))
    parts.append(report.table(grids.links(result)))
    if result.flow_samples is not None and result.queue_samples is not None:
        found |= tables(result.flow_samples, "flow-samples")
        found |= tables(result.queue_samples, "queue-samples")
        for name, figure in _pictures(result).items():
            svg = plots.svg(figure)
            found |= {f"{name}.svg": svg.encode(), f"{name}.png": plots.png(figure)}
            parts.append(report.picture(svg, name.replace("-", " ").capitalize()))
    found["report.html"] = report.page(title, [*parts, report.made_by()]).encode()
    return found


def _pictures(result: "Run") -> "dict[str, Figure]":
    series = result.series()
    if not series:
        return {}
    return {"over-time": plots.over_time(series), "sequence": plots.sequence(series)}
