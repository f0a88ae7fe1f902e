"""The files of a replay: rows, figures and a page to read."""

from typing import TYPE_CHECKING

from flowstart import plots, replay_grids, report
from flowstart.comparison_report import columns, encoded

if TYPE_CHECKING:
    from flowstart.replay import Replay


def tables(replay: "Replay") -> dict[str, bytes]:
    """The rows, and everything as JSON."""
    return {"result.json": encoded(replay.result())} | columns(replay.frame, "rows")


def pictures(replay: "Replay") -> dict[str, bytes]:
    """The figure, and the page that holds it."""
    svg = plots.svg(figure := replay.plot())
    parts = [
        report.paragraph(replay_grids.headline(replay)),
        *map(report.paragraph, replay_grids.verdict(replay)),
        report.table(replay_grids.classes(replay)),
        report.paragraph(replay_grids.legend(replay)),
        report.picture(
            svg,
            "Completion as a multiple of an unhindered transfer on an empty path, and the share "
            "of transfers that take more than a tenth longer than under the baseline.",
        ),
        report.heading("Paths"),
        report.table(replay_grids.roads(replay)),
        report.paragraph(replay_grids.sources(replay)),
        *map(report.paragraph, replay_grids.methods(replay)),
        report.heading("What is not in these numbers"),
        *map(report.paragraph, replay_grids.LIMITS),
        *map(report.paragraph, (*replay.capture.warnings, *replay.capture.notes)),
        report.heading("Again"),
        report.code(replay.command),
        report.made_by(),
    ]
    page = report.page("Your transfers under other start-ups", parts)
    return {
        "classes.svg": svg.encode(),
        "classes.png": plots.png(figure),
        "report.html": page.encode(),
    }
