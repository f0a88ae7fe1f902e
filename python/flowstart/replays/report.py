"""The files of a replay: rows, figures and a page to read."""

import dataclasses
import pathlib

from flowstart.render import figure_files, html, interactive
from flowstart.render.files import Content, columns, encoded, streamed
from flowstart.replays import listed, overview, sentences
from flowstart.replays import tables as grids
from flowstart.replays.further import further
from flowstart.replays.result import Replay

CAPTIONS = {
    "changes": "Change of completion times by size class, with 95 % intervals",
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
        file.write_bytes(encoded(replay.to_dict(rows=rows)))

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
        found += [html.heading(title), html.code("\n".join(lines))]
    return found


def _summary(replay: Replay, figure: list[str]) -> list[str]:
    """What a reader needs who decides: verdict, gain and cost, risk, and the next step."""
    return [
        *map(html.paragraph, overview.opening(replay)),
        *map(html.headline, sentences.verdict(replay)),
        html.heading("Gain and cost"),
        html.table(overview.table(replay)),
        *figure,
        html.heading("Risk"),
        *map(html.paragraph, overview.risk(replay) or ["No assumption was varied."]),
        html.heading("Next"),
        *map(html.paragraph, [*overview.next_steps(replay), *overview.partial(replay)]),
    ]


def pictures(replay: Replay) -> dict[str, bytes]:
    """The figures, and the page that holds them."""
    drawn = {} if figure_files.wanting() else _drawn(replay)
    inside = {
        # Whole, and not for the script to draw: so they are on paper too.
        name: [html.picture(files.svg, CAPTIONS[name])]
        for name, files in drawn.items()
    }
    parts = [
        html.first_page(_summary(replay, inside.get("changes", []))),
        html.heading("Size classes"),
        html.paragraph(sentences.headline(replay)),
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
        html.heading("Reproduce"),
        html.code(replay.command),
    ]
    page = interactive.page("Your transfers under other settings", parts, listed.rows(replay))
    contents = {name: content for f in drawn.values() for name, content in f.contents.items()}
    return contents | {"report.html": page.encode()}


def _drawn(replay: Replay) -> dict[str, figure_files.Files]:
    """The figures by the name of their files; of changes where there is more than one variant."""
    found = {"classes": figure_files.of("classes", replay.plot())}
    if len(replay.settings.names) > 1:
        found["changes"] = figure_files.of("changes", replay.plot_changes())
    return found
