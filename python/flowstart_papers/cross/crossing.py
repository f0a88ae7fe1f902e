"""CROSS: every startup of the catalog on the ground of every paper."""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flowstart_papers.cross import scenarios, startups, tables, words
from flowstart_papers.cross.scenarios import Scenario
from flowstart_papers.cross.table import CrossTable, measure
from flowstart_papers.experiment import Experiment, Findings, Picture
from flowstart_papers.lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT_PAPERS = (scenarios.QUICK_START, scenarios.SWIFT_START, scenarios.JUMP_START)
"""Whose single transfers are so small that all startups run them in a second."""


def table(lab: Lab) -> CrossTable:
    """Every startup in every scenario."""
    return measure(lab, scenarios.every(), startups.every())


def findings(found: CrossTable) -> Findings:
    """What a cross-table shows."""
    return Findings(
        answers=words.all_of_them(found),
        tables=tables.every(found),
        pictures=[
            Picture(
                "cross",
                "Change of the median completion against slow start, startups with the largest "
                "mean gain first; what bystanders' medians change at the right. Letters behind "
                "names: R routers take part, P the peer answers, M a memory of the path, I the "
                "rate of the host's interface.",
                functools.partial(_draw, found),
            )
        ],
    )


def _draw(found: CrossTable) -> "Figure":
    from flowstart_papers.cross import heatmap

    return heatmap.draw(found)


def run(lab: Lab) -> Findings:
    """The whole table."""
    return findings(table(lab))


def run_short(lab: Lab) -> Findings:
    """The single transfers of three papers."""
    return findings(measure(lab, _short(), startups.every()))


def _short() -> Sequence[Scenario]:
    return [each for each in scenarios.every() if each.paper in SHORT_PAPERS and not each.drawn]


WHOLE = Experiment(
    id="CROSS",
    figure="study",
    question="Every startup on the headline scenarios of every paper, and on their web and "
    "contention loads: which is never badly wrong, which wins where, and which scheme loses in "
    "another paper's scenarios?",
    run=run,
)
EXPERIMENTS = (
    Experiment(
        id="CROSS-SHORT",
        figure="study",
        question="In short: every startup on the single transfers of three papers.",
        run=run_short,
        quick=True,
    ),
    WHOLE,
)
