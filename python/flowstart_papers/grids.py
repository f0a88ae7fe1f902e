"""Targets and tables as cells of text, for the terminal and for pages alike."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence

from flowstart import text
from flowstart.render.grid import Column, Grid
from flowstart_papers import counting
from flowstart_papers.experiment import Cell, Paper, Table
from flowstart_papers.runner import Done, Judged
from flowstart_papers.target import Expected, Measured, Target, TargetClass, Value, Verdict

MOST_VALUES = 6
"""A longer list of values is shown by its smallest and largest."""
WIDEST_HEADING = 48
"""Characters in a line of a heading, which the first column is as wide as: the numbers beside it
must be shown whole."""


def targets(judged: Sequence[Judged], title: str = "") -> Grid:
    """Published next to measured, a row per target.

    The class stands where it is not "printed"; a target with an input fitted to it is marked, and
    so is a tolerance that was widened, since the terminal may have no room for tolerances.
    """
    columns = [
        Column("target", number=False),
        Column("class", number=False),
        Column("expected", number=False),
        Column("tolerance", number=False, spare=1),
        Column("measured", number=False),
        Column("verdict", number=False),
    ]
    grid = Grid(columns, title=title)
    above = ""
    for one in judged:
        heading = _heading(one.target)
        if heading != above:
            above = heading
            grid.groups[len(grid.rows)] = textwrap.fill(heading, WIDEST_HEADING)
        cells = [
            one.target.id,
            worth(one),
            expected(one.target.expected),
            one.target.tolerance(),
            measured(one.measured),
            str(one.verdict),
        ]
        grid.rows.append(cells)
    return grid


def worth(one: Judged) -> str:
    """What the verdict is worth, where it is less than a printed number that was met freely."""
    printed = one.target.target_class is TargetClass.PRINTED
    said = {
        str(one.target.target_class): not printed,
        "fitted": bool(one.fitted),
        "widened": bool(one.target.widened_from),
    }
    return ", ".join(word for word, so in said.items() if so)


def _heading(target: Target) -> str:
    """What several targets in a row have in common."""
    return f"{target.figure}: {target.what}" + (f", {target.unit}" if target.unit else "")


def misses(judged: Iterable[Judged]) -> Grid:
    """Why targets are missed or refuted, and which experiment shows it."""
    columns = [Column(t, number=False) for t in ("target", "verdict", "why", "shown by")]
    rows = [
        [one.target.id, str(one.verdict), why(one), one.measured.shown_by if one.measured else ""]
        for one in judged
        if not one.verdict.holds
    ]
    return Grid(columns, rows)


def why(one: Judged) -> str:
    """What a verdict rests on, beside the numbers."""
    says = f"The paper says: {one.target.says}." if one.target.says else ""
    because = one.measured.because if one.measured else one.target.reason
    reasons = [says, because, one.target.doubt]
    return " ".join(filter(None, reasons)) or text.ABSENT


def papers(known: Iterable[Paper]) -> Grid:
    """The papers and studies, with the number of published targets."""
    grid = Grid([Column("paper", number=False), Column("targets"), Column("title", number=False)])
    grid.rows = [[paper.name, str(len(paper.targets) or ""), paper.title] for paper in known]
    return grid


def overview(paper: Paper) -> Grid:
    """All experiments of a paper."""
    columns = [
        Column("experiment", number=False),
        Column("figure", number=False),
        Column("targets"),
        Column("quick", number=False),
        Column("question", number=False),
    ]
    grid = Grid(columns)
    for experiment in paper.experiments:
        count = sum(target.experiment == experiment.id for target in paper.targets)
        quick = "quick" if experiment.quick else ""
        cells = [experiment.id, experiment.figure, str(count or ""), quick, experiment.question]
        grid.rows.append(cells)
    return grid


def assumptions(paper: Paper) -> Grid:
    """The inputs that the paper does not print."""
    titles = ("input", "value", "why", "fitted to", "when it moves", "shown by")
    rows = [
        [c.what, c.value, c.why, ", ".join(c.fitted_to), c.sensitivity, c.shown_by]
        for c in paper.assumptions
    ]
    return Grid([Column(title, number=False) for title in titles], rows)


def verdicts(counted: Mapping[str, Mapping[str, int]], first: str) -> Grid:
    """How many targets have which verdict, a row for each of `counted`."""
    columns = [Column(first, number=False)] + [Column(str(verdict)) for verdict in Verdict]
    rows = [
        [name, *(str(counts.get(str(verdict), "")) for verdict in Verdict)]
        for name, counts in counted.items()
    ]
    return Grid(columns, rows)


def table(found: Table) -> Grid:
    """An experiment's own table."""
    titles = list(found.rows[0]) if found.rows else []
    columns = [
        Column(title, number=all(not isinstance(row[title], str) for row in found.rows))
        for title in titles
    ]
    rows = [[cell(row[title]) for title in titles] for row in found.rows]
    return Grid(columns, rows, title=found.caption)


def summary(done: Sequence[Done]) -> str:
    """All verdicts in one line, and a line for each grid of readings."""
    judged = [one for each in done for one in each.judged]
    grids = [
        f"{each.paper.name}, {each.experiment.id}: {each.findings.held}."
        for each in done
        if each.findings.held
    ]
    return "\n".join([counting.headline(one.counted() for one in judged), *grids])


def expected(value: Expected) -> str:
    """`71.4`, `9 to 45`, `at least 4`, or words."""
    if not isinstance(value, tuple):
        return cell(value)
    low, high = value
    if high is None:
        return f"at least {cell(low)}"
    return f"at most {cell(high)}" if low is None else f"{cell(low)} to {cell(high)}"


def measured(found: Measured | None) -> str:
    """A value with its confidence interval, if it has one."""
    if found is None:
        return text.ABSENT
    shown = _value(found.value)
    if found.interval and isinstance(found.value, int | float):
        low, high = found.interval
        return f"{shown} [{cell(low)}, {cell(high)}]"
    return shown


def _value(value: Value) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {cell(v)}" for name, v in value.items())
    if isinstance(value, list):
        if len(value) > MOST_VALUES:
            return f"{cell(min(value))} to {cell(max(value))}"
        return ", ".join(map(cell, value))
    return cell(value)


def cell(value: Cell) -> str:
    """A number in at most five significant digits, never in exponents below a billion; or words."""
    if value is None:
        return text.ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value)}".replace("-", "−")
    if abs(value) >= 10_000:
        return f"{value:.0f}".replace("-", "−")
    shown = f"{value:.4g}"
    if "e" in shown:
        shown = f"{value:.3g}"
    return shown.replace("-", "−") if "e" not in shown else shown
