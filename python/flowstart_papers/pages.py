"""What a folder of results holds: a page per paper, an index, and tables for scripts."""

import csv
import importlib.resources
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby

from flowstart.render import figure_files, html, interactive
from flowstart.render.grid import Grid
from flowstart_papers import grids
from flowstart_papers.experiment import Experiment, Paper, Table
from flowstart_papers.runner import Done, result
from flowstart_papers.summary import summary

LONG = 30
"""Tables of more rows are folded away until somebody opens them."""


def tables(done: Sequence[Done]) -> dict[str, bytes]:
    """Everything as JSON, and the experiments' tables as CSV."""
    document = json.dumps(result(done), indent=1, allow_nan=False, ensure_ascii=False)
    files = {"result.json": document.encode() + b"\n"}
    judged = [one.row() for each in done for one in each.judged]
    if judged:
        files["targets.csv"] = _csv([_flat(row) for row in judged])
    for each in done:
        for table in each.findings.tables:
            files[f"{_file(each.experiment)}-{table.name}.csv"] = _csv(table.rows)
    return files


def pictures(done: Sequence[Done]) -> Iterator[dict[str, bytes]]:
    """The pages, paper by paper, with their figures; the index last."""
    papers = [(paper, list(group)) for paper, group in groupby(done, key=lambda each: each.paper)]
    for paper, mine in papers:
        yield _paper_files(paper, mine)
    yield {"index.html": _index(papers).encode()}


def _paper_files(paper: Paper, done: Sequence[Done]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    parts = [*summary(done).html()] if paper.targets else []
    parts += [html.paragraph(paper.source), _readme(paper)]
    for each in done:
        drawn = []
        for picture in each.findings.pictures:
            name = f"{_file(each.experiment)}-{picture.name}"
            kept = figure_files.of(name, picture.draw())
            files |= kept.contents
            drawn.append(interactive.picture(kept.svg, picture.caption, f"{name}.svg"))
        parts += _experiment(each, drawn)
    parts += _rest(paper, done)
    back = '<p><a href="index.html">All papers</a></p>'
    files[f"{paper.name}.html"] = interactive.page(paper.title, [back, *parts]).encode()
    return files


def _experiment(each: Done, drawn: Sequence[str]) -> list[str]:
    """The part of a page that shows one experiment."""
    experiment = each.experiment
    parts = [
        f'<h2 id="{_file(experiment)}">{escape(experiment.id)} · {escape(experiment.figure)}</h2>',
        f"<p><em>{escape(experiment.question)}</em></p>",
        *map(html.paragraph, each.findings.answers),
        *drawn,
        *map(_table, each.findings.tables),
    ]
    if each.judged:
        verdicts = ", ".join(f"{count} {name}" for name, count in each.counts().items())
        count = f"{len(each.judged)} targets: {verdicts}"
        parts.append(_folded(grids.targets(each.judged, "Published and measured"), count))
        missed = grids.misses(each.judged)
        parts += [html.table(missed)] if missed.rows else []
    parts.append(html.code(f"flowstart papers run {experiment.id}"))
    return parts


def _rest(paper: Paper, done: Sequence[Done]) -> list[str]:
    """What comes after the experiments: chosen inputs, and the count."""
    parts = []
    if paper.assumptions:
        parts += [html.heading("Inputs that the paper does not print")]
        parts += [html.table(grids.assumptions(paper))]
    if paper.targets:
        counted = {each.experiment.id: each.counts() for each in done if each.judged}
        parts += [html.heading("Verdicts"), html.paragraph(grids.summary(done))]
        parts += [html.table(grids.verdicts(counted, "experiment"))]
    return parts


def _index(papers: Sequence[tuple[Paper, Sequence[Done]]]) -> str:
    counted: dict[str, Counter[str]] = {}
    parts = []
    for paper, done in papers:
        counts = sum((each.counts() for each in done), Counter[str]())
        counted |= {paper.name: counts} if counts else {}
        parts += [f'<h2><a href="{paper.name}.html">{escape(paper.title)}</a></h2>']
        parts += [html.paragraph(paper.source), "<ul>"]
        for each in done:
            link = f'<a href="{paper.name}.html#{_file(each.experiment)}">{each.experiment.id}</a>'
            said = " ".join(each.findings.answers) or each.experiment.question
            parts.append(f"<li>{link} {escape(said)}</li>")
        parts.append("</ul>")
    every = [each for _, done in papers for each in done]
    head = summary(every).html()
    head += [html.paragraph(line) for line in grids.summary(every).splitlines()]
    head += [html.table(grids.verdicts(counted, "paper"))]
    return interactive.page("How a connection starts: the papers, measured again", [*head, *parts])


def _readme(paper: Paper) -> str:
    """The paper's `README.md` without its first heading, which is the page's own."""
    text = importlib.resources.files(paper.package).joinpath("README.md").read_text("utf-8")
    first, _, rest = text.partition("\n")
    words = rest if first.startswith("# ") else text
    from markdown_it import MarkdownIt  # of the extra `papers`

    rendered: str = MarkdownIt("commonmark").enable("table").render(words)
    return rendered


def _table(table: Table) -> str:
    return _folded(grids.table(table), f"{len(table.rows)} rows")


def _folded(grid: Grid, count: str) -> str:
    """A table, folded away where it is long."""
    if len(grid.rows) <= LONG:
        return html.table(grid)
    told = f"{escape(grid.title)} ({count})"
    return f"<details><summary>{told}</summary>{html.table(grid)}</details>"


def _file(experiment: Experiment) -> str:
    """An experiment's name as that of a file."""
    return experiment.id.lower().replace("/", "-")


def _flat(row: Mapping[str, object]) -> dict[str, object]:
    """A row whose lists and mappings are JSON text, as a CSV file needs them."""
    return {
        name: json.dumps(value, ensure_ascii=False)
        if isinstance(value, list | tuple | dict)
        else value
        for name, value in row.items()
    }


def _csv(rows: Sequence[Mapping[str, object]]) -> bytes:
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode()
