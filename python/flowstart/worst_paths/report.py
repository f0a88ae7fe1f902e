"""The files of a search for the worst: a table, scenarios, trajectories, and a page to read."""

import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

from flowstart import text
from flowstart.maps.worst_cells import in_words
from flowstart.render import figure_files, html
from flowstart.render.files import columns, encoded
from flowstart.render.grid import Column, Grid
from flowstart.render.summary import Summary
from flowstart.worst_paths.evaluate import NEVER
from flowstart.worst_paths.result import WorstPaths, score

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.worst_paths.result import Failing, WorstPaths


WIDEST = 48
"""Characters of a path in the table."""
MEASURED = {
    "regret": "takes up to {} the time of the fastest other",
    "loss": "retransmits up to {} more of its packets than the best other",
    "harm": "harms competing flows up to {} more than the best other",
}
"""The answer by measure."""


def summary(found: "WorstPaths", command: str = "", scenario: str = "") -> Summary:
    """By how much it fails at most, where and why, and the other findings.

    `scenario` is the file of the first one's, where it is kept.
    """
    others = found.variants[1:]
    against = f"{len(others)} others" if len(others) > 1 else others[0].name
    ran = (
        f"{found.startup} against {against} on {found.tries:,} paths, "
        f"{text.counted(found.evaluator.runs, 'run', 'runs')}, seed {found.evaluator.seed}."
    )
    if not found.failings:
        nowhere = f"{found.startup} is nowhere worse than the best of the others."
        return Summary(ran, [nowhere], command=command)
    first = found.failings[0]
    worst = MEASURED[found.measure].format(_score(found, first))
    notes = ["A transfer that never completes counts as 1,000 times."] * _never_done(found)
    hint = "Why on each path, and its command: --details. Figures: -o DIR"
    again = first.again(scenario) if first.command or scenario else ""
    answer = [f"{found.startup} {worst}: {first.where}.", f"{first.why}."]
    return Summary(ran, answer, _table(found), notes, command, again, hint)


def _never_done(found: "WorstPaths") -> bool:
    return found.measure == "regret" and found.failings[0].score >= NEVER


def _score(found: "WorstPaths", one: "Failing", times: str = " times") -> str:
    if found.measure == "regret":
        return ("1,000" if one.score >= NEVER else f"{one.score:.3g}") + times
    return f"{text.short_share(one.score).removesuffix(' %')} points"


def _table(found: "WorstPaths") -> Grid:
    grid = Grid(
        [Column("path"), Column(found.measure), Column("rate × RTT, buffer, size", number=False)]
    )
    grid.columns.append(Column("best there", number=False))
    for number, one in enumerate(found.failings, 1):
        where = in_words(one.evaluation.row, brief=True)
        cut = textwrap.shorten(where, WIDEST, placeholder=" …")
        grid.rows.append([str(number), _score(found, one, "×"), cut, one.best])
    return grid


def files(found: WorstPaths) -> dict[str, bytes]:
    """Everything as JSON, the rows as a table, and the scenario of each finding."""
    written = {"worst.json": encoded(found.to_dict())}
    if found.failings:
        written |= columns(found.frame, "worst", "worst-rows")
    for number, one in enumerate(found.failings, 1):
        written[scenario_file(number)] = encoded(one.scenario)
    return written


def scenario_file(number: int) -> str:
    """The scenario of a finding, counted from 1."""
    return f"worst-{number}.json"


def pictures(found: WorstPaths, progress: Callable[[int, int], object]) -> dict[str, bytes]:
    """The trajectory of each finding, and the page that holds them."""
    written: dict[str, bytes] = {}
    parts = [*summary(found, scenario=scenario_file(1)).html(), html.heading("Details")]
    parts += [html.paragraph(found.headline), html.table(found.table)]
    for number, one in enumerate(found.failings, 1):
        progress(number - 1, len(found.failings))
        parts += [html.heading(f"{number}. {one.where}"), html.paragraph(one.why)]
        parts.append(html.code(one.again(scenario_file(number))))
        if not figure_files.wanting():
            title = f"{found.startup}, {score(found.measure, one.score)}: {one.where}"
            files = figure_files.of(f"worst-{number}", _drawn(found, number, title))
            written |= files.contents
            parts.append(html.picture(files.svg, title))
    parts += figure_files.apology()
    page = html.page(f"The worst of {found.startup}", [*parts, html.made_by()])
    return written | {"report.html": page.encode()}


def _drawn(found: WorstPaths, number: int, title: str) -> "Figure":
    from flowstart.simulation import figures  # loads matplotlib

    return figures.over_time(found.series(number - 1), figures.About(title))
