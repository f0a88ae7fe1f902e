"""The answer of a search on one screen: by how much a startup fails, where, and why."""

import textwrap
from typing import TYPE_CHECKING

from flowstart.maps.worst_cells import in_words
from flowstart.render import text
from flowstart.render.grid import Column, Grid
from flowstart.render.summary import Summary
from flowstart.worst_paths.evaluate import NEVER

if TYPE_CHECKING:
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
