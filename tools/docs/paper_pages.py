"""A page for each paper: what was found, and every published number beside the recorded one.

The numbers are those of `tests/data/papers/recorded.csv`, which `make papers-record` writes and
tests hold on to; nothing is run here.
"""

import csv
import importlib.resources
import json
import pathlib
from itertools import groupby

import flowstart_papers as papers
from flowstart_papers import counting, grids
from flowstart_papers.counting import Counted
from flowstart_papers.experiment import Paper
from flowstart_papers.runner import Judged, fitted
from flowstart_papers.target import Measured, Target, Verdict
from reference import cell

RECORDED = pathlib.Path(__file__).parents[2] / "tests" / "data" / "papers" / "recorded.csv"
HEAD = "<!-- Written by `make docs` from tests/data/papers; changes here are lost. -->\n\n"


def pages() -> dict[str, str]:
    """Every paper's page, by the file's name."""
    kept = recorded()
    return {f"{paper.name}.md": page(paper, kept) for paper in papers.load()}


def listed() -> str:
    """The table of all papers, for the page that leads to theirs."""
    rows = ["| paper | experiments | numbers and statements |", "| --- | ---: | ---: |"]
    rows += [
        f"| [{paper.title}](papers/{paper.name}.md) | {len(paper.experiments)} "
        f"| {len(paper.targets) or '–'} |"
        for paper in papers.load()
    ]
    return "\n".join(rows)


def recorded() -> dict[str, tuple[Verdict, str]]:
    """Verdict and value by target."""
    with RECORDED.open(encoding="utf-8") as file:
        return {
            row["target"]: (Verdict(row["verdict"]), row["value"]) for row in csv.DictReader(file)
        }


def page(paper: Paper, kept: dict[str, tuple[Verdict, str]]) -> str:
    """The page of a paper."""
    readme = importlib.resources.files(paper.package).joinpath("README.md").read_text("utf-8")
    _, _, found = readme.partition("\n")
    parts = [f"# {paper.title}", f"{paper.source.rstrip('.')}. [All papers](../papers.md)"]
    parts.append(found.strip())
    if paper.targets:
        judged = [_judged(paper, target, kept) for target in paper.targets]
        parts += [
            "## Published and measured values",
            _said(judged),
            _LEGEND,
            *_tables(paper, judged),
        ]
    else:
        parts += ["## Experiments", _experiments(paper)]
    if paper.assumptions:
        parts += ["## Inputs that the paper does not print", _assumptions(paper)]
    return HEAD + "\n\n".join(parts) + "\n"


_LEGEND = (
    "[Verdicts](../papers.md#verdicts) are defined on the page of all papers. *Worth* marks "
    "verdicts that count less than a printed number without a fitted input."
)


def _judged(paper: Paper, target: Target, kept: dict[str, tuple[Verdict, str]]) -> Judged:
    verdict, value = kept[target.id]
    measured = Measured(json.loads(value)) if value else None
    return Judged(target, measured, verdict, seconds=0, fitted=fitted(paper, target))


def _said(judged: list[Judged]) -> str:
    return counting.headline(Counted(one.target, one.verdict, bool(one.fitted)) for one in judged)


def _tables(paper: Paper, judged: list[Judged]) -> list[str]:
    """A table for each experiment."""
    parts = []
    known = {experiment.id: experiment for experiment in paper.experiments}
    ordered = sorted(judged, key=lambda one: list(known).index(one.target.experiment))
    for name, group in groupby(ordered, key=lambda one: one.target.experiment):
        experiment = known[name]
        parts += [f"### {name}: {experiment.figure}", f"*{experiment.question}*"]
        parts += [_table(list(group)), f"Again: `flowstart papers run {name}`"]
    return parts


def _table(judged: list[Judged]) -> str:
    rows = [
        "| target | what | published | here | verdict | worth |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one in judged:
        target = one.target
        unit = f", {target.unit}" if target.unit else ""
        within = f" ({target.tolerance()})" if target.tolerance() else ""
        cells = (
            f"`{target.id}`",
            f"{target.figure}: {target.what}{unit}",
            f"{grids.expected(target.expected)}{within}",
            grids.measured(one.measured),
            f"{one.verdict}" if not one.verdict.missed else f"**{one.verdict}**",
            grids.worth(one) or "",
        )
        rows.append(f"| {' | '.join(cell(each) for each in cells)} |")
    return "\n".join(rows)


def _experiments(paper: Paper) -> str:
    rows = ["| experiment | question |", "| --- | --- |"]
    rows += [f"| `{one.id}` | {cell(one.question)} |" for one in paper.experiments]
    return "\n".join(rows)


def _assumptions(paper: Paper) -> str:
    rows = [
        "| input | value | why | fitted to | when it moves |",
        "| --- | --- | --- | --- | --- |",
    ]
    rows += [
        f"| {cell(one.what)} | {cell(one.value)} | {cell(one.why)} "
        f"| {', '.join(f'`{name}`' for name in one.fitted_to) or '–'} | {cell(one.sensitivity)} |"
        for one in paper.assumptions
    ]
    return "\n".join(rows)
