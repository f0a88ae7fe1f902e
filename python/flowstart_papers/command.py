"""`flowstart papers`: the figures and tables of five papers, published next to measured."""

import pathlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import flowstart_papers as package
from flowstart import extras
from flowstart.cli import console, flags
from flowstart.cli.command import CommandGroup
from flowstart.errors import RequestError
from flowstart.questions.common import Bounded
from flowstart.questions.option import Argument, Given, Option, of

if TYPE_CHECKING:
    from flowstart.render.summary import SummaryPage
    from flowstart_papers.cross.table import CrossTable
    from flowstart_papers.experiment import Experiment, Paper
    from flowstart_papers.lab import Lab
    from flowstart_papers.runner import Done

app = CommandGroup(
    "Reproduce the figures and tables of five papers.",
    {
        "list": "flowstart_papers.command:show",
        "run": "flowstart_papers.command:run",
        "cross": "flowstart_papers.command:cross",
    },
    usual="list",
)

Cache: TypeAlias = Annotated[
    str | None,
    Option("Folder of cached runs. [FLOWSTART_CACHE, or the user's cache folder]", "DIR"),
]
Fresh: TypeAlias = Annotated[bool, Option("New runs, without reading or writing the cache.")]
QUICK = "quick"
"""The subset of every paper that takes under a minute."""
MOST_ROWS = 60
"""A longer table is not printed; `-o` and `--json` have it."""


def _names() -> list[str]:
    """Papers and their experiments, for the shell."""
    known = package.load()
    return [
        *(paper.name for paper in known),
        *(one.id for each in known for one in each.experiments),
    ]


def show(details: flags.Details = False, json: flags.Json = False) -> None:
    """List the papers, or with --details the experiments of each."""
    from flowstart_papers import grids

    known = package.load()
    if json:
        console.show_json([_listed(paper, one) for paper in known for one in paper.experiments])
    elif details:
        for paper in known:
            # Not a heading within one table, whose first column would be as wide as a title.
            console.show_text(f"{paper.name}: {paper.title}")
            console.show_grid(grids.overview(paper))
    else:
        console.show_grid(grids.papers(known), console.PLAIN_LINE)
        console.say("All experiments: flowstart papers list --details")
        console.say("Run one, or all of a paper: flowstart papers run QS-T1")


def _listed(paper: "Paper", experiment: "Experiment") -> dict[str, Any]:
    """An experiment as the JSON list has it."""
    return {
        "id": experiment.id,
        "paper": paper.name,
        "figure": experiment.figure,
        "question": experiment.question,
        "quick": experiment.quick,
        "targets": [t.id for t in paper.targets if t.experiment == experiment.id],
    }


def run(
    limits: Annotated[Given, of(Bounded)],  # noqa: ARG001 # they hold for the whole command
    names: Annotated[
        list[str],
        Argument(
            "Experiments (QS-T1), papers (jump-start) or targets (hy.f1.peak).",
            "ID...",
            names=_names,
        ),
    ] = [],  # noqa: B006 # it is read only
    everything: Annotated[bool, Option("All experiments.", flag="all")] = False,
    subset: Annotated[
        str | None, Option("Subset of each paper, in under a minute.", "quick")
    ] = None,
    workers: flags.Workers = None,
    cache: Cache = None,
    fresh: Fresh = False,
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Run experiments and compare published with measured values.

    After Ctrl-C the same command resumes the work.
    """
    from flowstart.simulation import bounds
    from flowstart_papers import runner

    if subset not in (None, QUICK):
        raise RequestError(f"--subset: `{subset}` is unknown; there is {QUICK}")
    if bool(names) + everything + bool(subset) != 1:
        raise RequestError(
            "name experiments or papers to run, or give one of --all and --subset quick"
        )
    if output:
        extras.require("papers", "papers run -o")
    known = package.load()
    chosen = runner.choose(known, names, everything=everything, quick=bool(subset))
    folder = flags.folder(output)
    kept = _kept(cache, fresh=fresh)
    done: list[Done] = []
    stopped = False
    try:
        for i, (paper, experiment) in enumerate(chosen, 1):
            with _laboratory(experiment, kept, workers, f"{i} of {len(chosen)}") as lab:
                done.append(runner.run(paper, experiment, lab))
            if details and not json:
                _show(done[-1], whole=bool(names))
    except KeyboardInterrupt:
        stopped = True
    console.deliver(
        lambda: _close(done, json=json, details=details),
        folder,
        _files(done, whole=not stopped),
        interrupted=stopped,
    )
    if stopped:
        raise bounds.current().stopped(
            f" after {len(done)} of {len(chosen)} experiments; the same command resumes here"
        )


def cross(
    limits: Annotated[Given, of(Bounded)],  # noqa: ARG001 # they hold for the whole command
    workers: flags.Workers = None,
    cache: Cache = None,
    fresh: Fresh = False,
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Run every startup in the scenario of every paper.

    After Ctrl-C the same command resumes the work.
    """
    from flowstart.simulation import bounds
    from flowstart_papers import runner
    from flowstart_papers.cross import PAPER, studies, tables

    if output:
        extras.require("papers", "papers cross -o")
    folder = flags.folder(output)
    kept = _kept(cache, fresh=fresh)
    try:
        with _laboratory(studies.whole, kept, workers, "all of it") as lab:
            table = studies.table(lab)
    except KeyboardInterrupt:
        raise bounds.current().stopped("; the same command resumes here") from None
    findings = studies.findings(table)
    done = [runner.Done(PAPER, studies.whole, findings, [], lab.seconds)]

    def display() -> None:
        if json:
            console.show_json(runner.result(done))
            return
        if not details:
            console.show_summary(_crossed(table, findings.answers))
            return
        console.show_grid(tables.grid(table))
        for said in (tables.legend(table), *findings.answers):
            console.show_text(said)

    console.deliver(display, folder, _files(done, whole=True))


def _crossed(table: "CrossTable", answers: Sequence[str]) -> "SummaryPage":
    """The first answer and the mean changes, on one screen."""
    from flowstart.render.summary import SummaryPage
    from flowstart_papers.cross import tables

    ran = f"{len(table.startups)} startups in {len(table.scenarios)} scenarios of five papers."
    notes = ["bystanders: flows in slow start next to those under test."]
    hint = "All: --details"
    command = console.command_line()
    return SummaryPage(ran, answers[:1], tables.means(table), notes, command, hint=hint)


def _kept(cache: str | None, *, fresh: bool) -> pathlib.Path | None:
    """Where runs are kept, if they are."""
    from flowstart.render.folder import check_writable
    from flowstart_papers.lab import default_cache

    if cache is None and fresh:
        return None
    place = pathlib.Path(cache) if cache else default_cache()
    check_writable(place, f"--cache {cache}" if cache else f"the cache {place}")
    return None if fresh else place


@contextmanager
def _laboratory(
    experiment: "Experiment", cache: pathlib.Path | None, workers: int | None, place: str
) -> "Iterator[Lab]":
    """An experiment's laboratory, with its progress; `place` is `3 of 40`."""
    from flowstart.cli.progress import Progress
    from flowstart_papers.lab import Lab

    with Progress(f"runs of {experiment.id}, {place}") as progress:
        yield Lab(cache, workers, progress)


def _show(each: "Done", *, whole: bool) -> None:
    """An experiment on the terminal; its own tables only where it was asked for by name."""
    from flowstart_papers import grids

    console.say(f"{each.experiment.id} · {each.experiment.figure}: {each.experiment.question}")
    for said in each.findings.answers:
        console.say(f"  {said}")
    for table in each.findings.tables if whole else ():
        if len(table.rows) > MOST_ROWS:
            console.say(
                f"{table.caption}: {len(table.rows)} rows, in {table.name} of --json and -o."
            )
        else:
            console.show_grid(grids.table(table))
    if each.judged:
        console.show_grid(grids.targets(each.judged))
    for one in each.judged:
        if one.verdict.missed or one.target.says:
            console.say(f"  {one.target.id}: {grids.why(one)}")
    console.say()


def _close(done: "Sequence[Done]", *, json: bool, details: bool) -> None:
    from flowstart_papers import grids, runner
    from flowstart_papers.summary import summary

    if json:
        console.show_json(runner.result(done))
        return
    if not details:
        console.show_summary(summary(done, console.command_line()))
        return
    console.say(grids.summary(done))


def _files(done: "Sequence[Done]", *, whole: bool) -> Iterator[Mapping[str, bytes]]:
    """What a folder keeps: tables, then pages; only tables of what Ctrl-C has cut short."""
    from flowstart_papers import pages

    yield pages.tables(done)
    if whole:
        yield from pages.pictures(done)
