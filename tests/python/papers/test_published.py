"""What the papers published is all here, and the quick set comes to what was recorded."""

import csv
import pathlib

import pytest

from flowstart import papers
from flowstart.papers import runner
from flowstart.papers.experiment import Experiment, Paper
from flowstart.papers.lab import Lab, default_cache

RECORDED = pathlib.Path(__file__).parents[2] / "data" / "papers" / "verdicts.csv"
PAPERS = papers.load()
PUBLISHED = 340


def recorded() -> dict[str, str]:
    with RECORDED.open(encoding="utf-8") as file:
        return {row["target"]: row["verdict"] for row in csv.DictReader(file)}


def test_every_target_is_there_once() -> None:
    ids = [target.id for paper in PAPERS for target in paper.targets]
    assert len(ids) == len(set(ids)) == PUBLISHED
    assert set(ids) == set(recorded())


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_a_paper_holds_together(paper: Paper) -> None:
    experiments = [experiment.id for experiment in paper.experiments]
    assert len(experiments) == len(set(experiments))
    for target in paper.targets:
        assert target.paper == paper.name
        if not target.experiment:
            assert target.kind == "not checkable"
            continue
        assert target.experiment in experiments, target.id
        assert (target.kind == "not checkable") == bool(target.reason), target.id
    for chosen in paper.assumptions:
        assert chosen.shown_by in experiments, chosen.what


def test_every_paper_has_its_part_in_the_quick_set() -> None:
    for paper in PAPERS:
        assert any(experiment.quick for experiment in paper.experiments), paper.name


def test_experiments_have_names_of_their_own() -> None:
    ids = [experiment.id.lower() for paper in PAPERS for experiment in paper.experiments]
    assert len(ids) == len(set(ids))


QUICK = runner.choose(PAPERS, [], quick=True)


@pytest.mark.parametrize(("paper", "experiment"), QUICK, ids=[e.id for _, e in QUICK])
def test_the_quick_sets_verdicts_are_those_recorded(paper: Paper, experiment: Experiment) -> None:
    done = runner.run(paper, experiment, Lab(default_cache()))
    expected = recorded()
    wrong = {
        judged.target.id: (str(judged.verdict), expected[judged.target.id])
        for judged in done.judged
        if str(judged.verdict) != expected[judged.target.id]
    }
    assert wrong == {}
    known = [each.id for each in paper.experiments]
    for judged in done.judged:
        if judged.measured and judged.measured.shown_by:
            assert judged.measured.shown_by in known
