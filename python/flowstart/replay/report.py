"""The files of a replay: rows, figures and a page to read."""

from flowstart.render import charts, html
from flowstart.render.files import columns, encoded
from flowstart.replay import sentences
from flowstart.replay import tables as grids
from flowstart.replay.result import Replay


def tables(replay: Replay) -> dict[str, bytes]:
    """The rows, and everything as JSON."""
    return {"result.json": encoded(replay.result())} | columns(replay.frame, "rows", "replay-rows")


def pictures(replay: Replay) -> dict[str, bytes]:
    """The figure, and the page that holds it."""
    svg = charts.svg(figure := replay.plot())
    parts = [
        html.paragraph(sentences.headline(replay)),
        *map(html.paragraph, sentences.verdict(replay)),
        html.table(grids.classes(replay.summaries)),
        html.paragraph(sentences.legend(replay)),
        html.picture(
            svg,
            "Completion as a multiple of an unhindered transfer on an empty path, and the share "
            "of transfers that take more than a tenth longer than under the baseline.",
        ),
        html.heading("Paths"),
        html.table(grids.paths(replay.paths)),
        html.paragraph(sentences.sources(replay)),
        *map(html.paragraph, sentences.methods(replay)),
        html.heading("What is not in these numbers"),
        *map(html.paragraph, sentences.LIMITS),
        *map(html.paragraph, (*replay.capture.warnings, *replay.capture.notes)),
        html.heading("Again"),
        html.code(replay.command),
        html.made_by(),
    ]
    page = html.page("Your transfers under other start-ups", parts)
    return {
        "classes.svg": svg.encode(),
        "classes.png": charts.png(figure),
        "report.html": page.encode(),
    }
