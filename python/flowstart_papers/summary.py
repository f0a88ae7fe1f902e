"""The answer of experiments on one screen: how many targets are reproduced, and which are not."""

import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from flowstart import text
from flowstart.render.grid import Column, Grid
from flowstart.render.summary import WIDTH, SummaryPage, folded
from flowstart_papers import grids
from flowstart_papers.counting import tally
from flowstart_papers.runner import Done, Judged
from flowstart_papers.target import TargetClass, Verdict

NAMED = 3
"""So many missed targets are named in the answer."""
ANSWERED = 6
"""Lines of an experiment's own answers."""
VERDICT = 16
"""Characters of a verdict, and between columns."""


def summary(done: Sequence[Done], command: str = "") -> SummaryPage:
    """How many targets are reproduced."""
    judged = [one for each in done for one in each.judged]
    answer = [_counts(judged)] if judged else []
    if len(done) == 1:
        answer += _answers(done[0], len(judged) > 0)
    hint = "All tables and the reason of each verdict: --details. Figures: -o DIR"
    return SummaryPage(_ran(done), answer, _table(done), command=command, hint=hint)


def _ran(done: Sequence[Done]) -> str:
    if len(done) == 1:
        each = done[0]
        return f"{each.experiment.id}, {each.experiment.figure}: {each.experiment.question}"
    papers = {each.paper.name for each in done}
    experiments = text.counted(len(done), "experiment", "experiments")
    of = f"of {text.counted(len(papers), 'paper', 'papers and studies')}" if papers else "finished"
    return f"{experiments} {of}."


def _counts(judged: Sequence[Judged]) -> str:
    """How many are reproduced, which are missed, and what else there is."""
    missed = [one.target.id for one in judged if one.verdict.missed]
    counts = Counter(one.verdict for one in judged)
    holds = sum(one.verdict.holds for one in judged)
    checked = holds + len(missed)
    said = f"{holds} of {text.counted(checked, 'target', 'targets')} reproduced"
    if missed:
        more = f" and {len(missed) - NAMED} more" if len(missed) > NAMED else ""
        said += f"; {len(missed)} missed: {', '.join(missed[:NAMED])}{more}"
    for verdict in (Verdict.REFUTED, Verdict.NOT_CHECKABLE):
        said += f"; {counts[verdict]} {verdict}" if counts[verdict] else ""
    printed = [
        one
        for one in judged
        if one.target.target_class is TargetClass.PRINTED and one.target.kind != "not checkable"
    ]
    if 0 < len(printed) < checked:
        said += f". Of what the papers print: {tally(one.counted() for one in printed)}"
    return f"{said}."


def _answers(each: Done, has_targets: bool) -> list[str]:
    """An experiment's own answers, as far as there is room."""
    found: list[str] = []
    for answer in each.findings.answers:
        lines = sum(len(folded(one)) for one in [*found, answer])
        if lines > ANSWERED and (found or has_targets):
            break
        found.append(textwrap.shorten(answer, ANSWERED * 78, placeholder=" …"))
    return found


def _table(done: Sequence[Done]) -> Grid:
    """Targets of one experiment; of several, their counts by experiment or by paper."""
    if len(done) == 1:
        return _targets(done[0].judged)
    papers = {each.paper.name for each in done}
    if len(papers) == 1:
        named = {each.experiment.id: list(each.judged) for each in done if each.judged}
        return _counted("experiment", named)
    by_paper = {
        paper: [one for each in group for one in each.judged]
        for paper, group in groupby(done, key=lambda each: each.paper.name)
    }
    return _counted("paper", {paper: judged for paper, judged in by_paper.items() if judged})


def _targets(judged: Sequence[Judged]) -> Grid:
    """Published and measured, what was missed first."""
    titles = ("target", "published", "measured", "verdict")
    grid = Grid([Column(title, number=False) for title in titles])
    names = max((len(one.target.id) for one in judged), default=0)
    widest = (WIDTH - names - VERDICT) // 2 - 4
    for one in sorted(judged, key=lambda one: one.verdict.holds):
        tolerance = one.target.tolerance().partition(" (")[0]
        words = (grids.expected(one.target.expected), tolerance, one.target.unit)
        published = " ".join(word for word in words if word and word != "exact")
        cells = [
            textwrap.shorten(cell, widest, placeholder=" …")
            for cell in (published, grids.measured(one.measured))
        ]
        grid.rows.append([one.target.id, *cells, str(one.verdict)])
    return grid


def _counted(first: str, named: "dict[str, list[Judged]]") -> Grid:
    """How many targets are reproduced, missed and refuted, those with most misses first."""
    titles = ("reproduced", "of", "missed", "refuted")
    grid = Grid([Column(first, number=False), *map(Column, titles)])
    rows = []
    for name, judged in named.items():
        missed = sum(one.verdict.missed for one in judged)
        holds = sum(one.verdict.holds for one in judged)
        refuted = sum(one.verdict is Verdict.REFUTED for one in judged)
        rows.append((name, holds, holds + missed, missed, refuted))
    rows.sort(key=lambda row: -row[3])
    grid.rows = [[row[0], *(str(count or "") for count in row[1:])] for row in rows]
    return grid
