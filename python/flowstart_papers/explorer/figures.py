"""The papers' figures in the explorer: what was published, and what is measured when asked for."""

import functools
import pathlib
import threading
from typing import Any

import flowstart_papers as papers
from flowstart.errors import RequestError
from flowstart.explorer.jobs import BackgroundJob
from flowstart.render import figure_files
from flowstart.render.folder import check_writable
from flowstart_papers import grids, runner
from flowstart_papers.experiment import Experiment, Findings, Paper
from flowstart_papers.explorer.setups import Setups
from flowstart_papers.lab import Lab, default_cache
from flowstart_papers.target import Target

MOST_ROWS = 300
"""A longer table is cut, and said to be."""
_drawing = threading.Lock()
"""Figures share matplotlib's settings."""


@functools.cache
def _known() -> list[Paper]:
    """The papers that published something."""
    return [paper for paper in papers.load() if paper.targets]


def listed() -> list[dict[str, Any]]:
    """The papers, their figures and the values that they published, as JSON. Nothing is run."""
    return [
        {
            "name": paper.name,
            "title": paper.title,
            "source": paper.source,
            "figures": [_figure(paper, experiment) for experiment in paper.experiments],
            "assumptions": grids.assumptions(paper).document(),
        }
        for paper in _known()
    ]


def _figure(paper: Paper, experiment: Experiment) -> dict[str, Any]:
    targets = [target for target in paper.targets if target.experiment == experiment.id]
    return {
        "id": experiment.id,
        "figure": experiment.figure,
        "question": experiment.question,
        "quick": experiment.quick,
        "published": [_published(target) for target in targets],
    }


def _published(target: Target) -> dict[str, str]:
    """A published value in words."""
    return {
        "id": target.id,
        "figure": target.figure,
        "what": target.what,
        "unit": target.unit,
        "expected": grids.expected(target.expected),
        "tolerance": target.tolerance(),
        "class": str(target.target_class),
    }


def chosen(name: object) -> tuple[Paper, Experiment]:
    """The experiment of this ID. Raises RequestError where there is none."""
    for paper in _known():
        for experiment in paper.experiments:
            if experiment.id == name:
                return paper, experiment
    raise RequestError(f"id: `{str(name)[:60]}` is not an experiment, such as HY-F1")


def work(
    job: BackgroundJob,
    name: object,
    *,
    cache: pathlib.Path | None = None,
    workers: int | None = None,
) -> None:
    """Runs an experiment as a job: published beside measured, its tables, figures and set-ups.

    Runs are kept in `cache`, as `flowstart papers run` keeps them. Raises RequestError where there
    is no such experiment.
    """
    paper, experiment = chosen(name)
    job.begin("running")
    lab = _Noting(cache, workers, job)
    done = runner.run(paper, experiment, lab)
    job.begin("drawing")
    job.add("figure", _measured(done, lab.setups))


class _Noting(Lab):
    """A laboratory that notes which set-ups it was asked to run."""

    def __init__(self, cache: pathlib.Path | None, workers: int | None, job: BackgroundJob) -> None:
        super().__init__(cache, workers, job.report)
        self.setups = Setups()

    def runs(self, scenario_likes: Any, read: Any, *, trace: bool = False) -> Any:
        """As in any laboratory."""
        self.setups.note(scenario_likes)
        return super().runs(scenario_likes, read, trace=trace)


def kept() -> pathlib.Path | None:
    """Where runs are kept, if that can be written to."""
    place = default_cache()
    try:
        check_writable(place, str(place))
    except RequestError:
        return None
    return place


def _measured(done: runner.Done, setups: Setups) -> dict[str, Any]:
    found = done.findings
    why = figure_files.wanting() if found.pictures else None
    return {
        "id": done.experiment.id,
        "figure": done.experiment.figure,
        "question": done.experiment.question,
        "paper": done.paper.name,
        "answers": [*found.answers, *([f"Here {why}."] if why else [])],
        "readings": None if found.held is None else str(found.held),
        "targets": grids.targets(done.judged).document() if done.judged else None,
        "rows": [one.row() for one in done.judged],
        "misses": grids.misses(done.judged).document(),
        "tables": [
            grids.table(table).first(MOST_ROWS).document() | {"total": len(table.rows)}
            for table in found.tables
        ],
        "pictures": [] if why else _pictures(found),
        "seconds": round(done.seconds, 3),
        "command": f"flowstart papers run {done.experiment.id}",
        **setups.result(),
    }


def _pictures(found: Findings) -> list[dict[str, str]]:
    from flowstart.render import charts  # loads matplotlib

    with _drawing:
        return [
            {"name": one.name, "caption": one.caption, "svg": charts.svg(one.draw())}
            for one in found.pictures
        ]
