"""The files of a replay: rows, figures and a page to read."""

import dataclasses
import pathlib

from flowstart.render import figure_files, html, interactive
from flowstart.render.files import Content, columns, encoded, streamed
from flowstart.replays import listed, sentences
from flowstart.replays import tables as grids
from flowstart.replays.further import further
from flowstart.replays.result import Replay

CAPTIONS = {
    "changes": "Typical changes by size class",
    "classes": "Completion as a multiple of an unhindered transfer on an empty path, and the share "
    "of transfers that take more than a tenth longer than under the baseline.",
}
"""Of the figures, by the name of their files."""


def tables(replay: Replay, *, rows: bool = False) -> dict[str, Content]:
    """The rows and intervals, and all else as JSON; with `rows` those as well.

    What takes longest comes last, and a replay that was stopped does without it.
    """
    kept = streamed(replay.store.scan(), "rows", "replay-rows")

    def result(file: pathlib.Path) -> None:
        file.write_bytes(encoded(replay.result(rows=rows)))

    found = {"rows.parquet": kept.pop("rows.parquet"), "result.json": result}
    found |= columns(replay.interval_frame, "intervals", "replay-intervals")
    return found if replay.interrupted else found | kept


def _further(replay: Replay) -> list[str]:
    """What was asked beyond the table, as far as it was."""
    found = []
    for grid in further(replay):
        found += [html.heading(grid.title), html.table(dataclasses.replace(grid, title=""))]
    for notes in replay.notes_to_deploy:
        title, *lines = notes.lines
        found += [html.heading(f"To deploy {title.rstrip(':')}"), html.code("\n".join(lines))]
    return found


def pictures(replay: Replay) -> dict[str, bytes]:
    """The figures, and the page that holds them."""
    drawn = {} if figure_files.wanting() else _drawn(replay)
    inside = {
        name: [interactive.picture(files.svg, CAPTIONS[name], f"{name}.svg")]
        for name, files in drawn.items()
    }
    parts = [
        html.paragraph(sentences.headline(replay)),
        *map(html.paragraph, sentences.verdict(replay)),
        *inside.get("changes", []),
        html.table(listed.traced_changes(replay)),
        html.table(listed.traced_times(replay)),
        html.paragraph(sentences.legend(replay)),
        interactive.CHARTS,
        *_further(replay),
        *inside.get("classes", []),
        *figure_files.apology(),
        html.heading("Paths"),
        html.table(grids.paths(replay.paths)),
        html.paragraph(sentences.sources(replay)),
        *map(html.paragraph, sentences.methods(replay)),
        html.heading("What is not in these numbers"),
        *map(html.paragraph, sentences.LIMITS),
        *map(html.paragraph, (*replay.capture.warnings, *replay.capture.notes)),
        html.heading("Again"),
        html.code(replay.command),
    ]
    page = interactive.page("Your transfers under other start-ups", parts, listed.rows(replay))
    contents = {name: content for f in drawn.values() for name, content in f.contents.items()}
    return contents | {"report.html": page.encode()}


def _drawn(replay: Replay) -> dict[str, figure_files.Files]:
    """The figures by the name of their files; of changes where there is more than one variant."""
    found = {"classes": figure_files.of("classes", replay.plot())}
    if len(replay.settings.names) > 1:
        found["changes"] = figure_files.of("changes", replay.plot_changes())
    return found
