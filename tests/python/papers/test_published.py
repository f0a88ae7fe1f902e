"""What the papers published is all here, and what is measured is what was recorded."""

import fnmatch
import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import pytest

import flowstart_papers as papers
import papers_record
from flowstart.errors import RequestError
from flowstart_papers import runner
from flowstart_papers.coping import copes
from flowstart_papers.cross import startups
from flowstart_papers.experiment import Experiment, Paper
from flowstart_papers.lab import Lab, default_cache
from flowstart_papers.target import TargetClass

ROOT = pathlib.Path(__file__).parents[3]
PAPERS = papers.load()
Rows: TypeAlias = Sequence[Mapping[str, Any]]


def test_every_target_is_there_once() -> None:
    ids = [target.id for paper in PAPERS for target in paper.targets]
    assert len(ids) == len(set(ids))
    assert set(ids) == set(papers_record.recorded())


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_a_paper_holds_together(paper: Paper) -> None:
    experiments = [experiment.id for experiment in paper.experiments]
    assert len(experiments) == len(set(experiments))
    for target in paper.targets:
        assert target.paper == paper.name
        assert target.experiment in experiments, target.id
        assert (target.kind == "not checkable") == bool(target.reason), target.id
        assert (target.target_class is TargetClass.REFUTATION) == bool(target.says), target.id
    for chosen in paper.assumptions:
        assert chosen.shown_by in experiments, chosen.what


def test_a_name_like_no_other_is_refused_in_a_short_line() -> None:
    with pytest.raises(RequestError) as refused:
        runner.choose(PAPERS, ["XYZXYZ"])
    assert str(refused.value) == ("no experiment is called `XYZXYZ`; `flowstart papers` lists all")


def test_every_paper_has_its_part_in_the_quick_set() -> None:
    for paper in PAPERS:
        assert any(experiment.quick for experiment in paper.experiments), paper.name


def test_experiments_have_names_of_their_own() -> None:
    ids = [experiment.id.lower() for paper in PAPERS for experiment in paper.experiments]
    assert len(ids) == len(set(ids))


QUICK = runner.choose(PAPERS, [], quick=True)
COSTLY = ("CAV-1", "CAV-3", "HY-F1", "HY-F2", "MSS-M", "MSS-RTO")
"""More than 3 s of CPU each; their papers have other experiments in the quick set."""
OTHERS = [pair for pair in runner.choose(PAPERS, [], everything=True) if pair not in QUICK]


def has_a_row_for_each_measure(tables: Mapping[str, Rows]) -> None:
    [rows] = tables.values()
    assert [row["measure"] for row in rows] == [measure.name for measure in copes.SHORT]


def has_every_startup_and_no_draws(tables: Mapping[str, Rows]) -> None:
    rows = tables["entries"]
    assert {row["startup"] for row in rows} == {each.name for each in startups.every()}
    assert {row["seeds"] for row in rows} == {1}
    assert {row["ratio"] for row in rows if row["startup"] == "slow-start"} == {1.0}


TABLES = {"COPE-SHORT": has_a_row_for_each_measure, "CROSS-SHORT": has_every_startup_and_no_draws}
"""What the tables of an experiment have, whatever was recorded."""


def check(paper: Paper, experiment: Experiment) -> None:
    """Runs an experiment and compares verdicts and values with what was recorded."""
    done = runner.run(paper, experiment, Lab(default_cache()))
    found = {one.target.id: papers_record.row(one) for one in done.judged}
    kept = papers_record.recorded()
    assert found == {name: kept[name] for name in found}
    if done.findings.held:
        literal = dict(done.findings.held.verdicts)
        assert literal == {name: kept[name][0] for name in literal}
        grid = papers_record.recorded_readings()[experiment.id]
        assert papers_record.counts(done.findings.held) == grid
    if experiment.id == "CROSS":
        assert papers_record.lines(done.findings.answers) == papers_record.CROSS.read_text("utf-8")
    if experiment.id in TABLES:
        TABLES[experiment.id]({table.name: table.rows for table in done.findings.tables})
    known = [each.id for each in paper.experiments]
    for judged in done.judged:
        if judged.measured and judged.measured.shown_by:
            assert judged.measured.shown_by in known
        if judged.verdict.missed:
            assert judged.measured is not None
            assert judged.measured.because, f"{judged.target.id}: nothing says why it is missed"
            if judged.target.target_class is TargetClass.PRINTED:
                assert judged.measured.shown_by, f"{judged.target.id}: nothing shows the cause"


@pytest.mark.parametrize(
    ("paper", "experiment"),
    [
        pytest.param(*pair, id=pair[1].id, marks=[pytest.mark.slow] * (pair[1].id in COSTLY))
        for pair in QUICK
    ],
)
def test_the_quick_set_comes_to_what_was_recorded(paper: Paper, experiment: Experiment) -> None:
    check(paper, experiment)


@pytest.mark.long
@pytest.mark.parametrize(("paper", "experiment"), OTHERS, ids=[e.id for _, e in OTHERS])
def test_all_others_come_to_what_was_recorded(paper: Paper, experiment: Experiment) -> None:
    check(paper, experiment)


def test_inputs_are_fitted_to_targets_that_there_are() -> None:
    for paper in PAPERS:
        for chosen in paper.assumptions:
            for name in chosen.fitted_to:
                assert any(fnmatch.fnmatchcase(target.id, name) for target in paper.targets), name


def test_the_pages_print_the_headline_that_was_recorded() -> None:
    text = " ".join((ROOT / "docs/reference/papers.md").read_text(encoding="utf-8").split())
    assert papers_record.headline() in text
    assert papers_record.readings() in text
    met, targets = re.findall(r"(\d+) of (\d+) hold", papers_record.headline())[0]
    row = f"| five papers, printed values and statements | {targets} | {met} |"
    assert row in (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_the_page_says_of_the_cross_table_is_what_it_says() -> None:
    said = papers_record.CROSS.read_text("utf-8")
    page = " ".join((ROOT / "docs/reference/papers.md").read_text(encoding="utf-8").split())
    part = page[page.index("What no single paper shows") : page.index("Routers, a peer, a memory")]
    numbers = re.findall(r"[−+×]?\d[\d.]*(?: %)?(?: \([^)]* to [^)]*\))", part)
    assert len(numbers) >= 8
    assert [number for number in numbers if number not in said] == []
    for words in (
        "Never badly wrong in 30 scenarios",
        "each of the other 25 is somewhere",
        "jump-start (−20 %; +40 % (+33 to +47))",
        "halfback (−25 %; +14 % (+6 to +23))",
        "−14 % alone and +47 % (+44 to +49) with competing flows",
        "hystart, in its own paper's scenarios −39 % alone",
        "of 26 others it is faster than slow start in 2 and",
    ):
        assert words in said


def test_the_readme_has_the_change_of_two_startups_alone_and_among_their_kind() -> None:
    said = papers_record.CROSS.read_text("utf-8")
    row = r"\| (Jump Start|Halfback) \| (\d+) % faster \| (\d+) % slower \((\d+)–(\d+) %\) \|"
    rows = re.findall(row, (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(rows) == 2
    for name, alone, among, low, high in rows:
        startup = name.lower().replace(" ", "-")
        assert f"{startup} (−{alone} %; +{among} % (+{low} to +{high}))" in said


def test_the_page_says_how_many_cells_of_table_1_come_out() -> None:
    kept = papers_record.recorded()
    cell = re.compile(r"qs[.](t1|decoded)[.](?:384k|100m|1g)[.]\d+ms")
    cells = [(found[1], kept[name][0]) for name in kept if (found := cell.fullmatch(name))]
    met = {kind: cells.count((kind, "met")) for kind in ("t1", "decoded")}
    assert len(cells) == 2 * 27
    page = " ".join((ROOT / "docs/reference/papers.md").read_text(encoding="utf-8").split())
    assert (
        f"of the 27 cells of Quick-Start's Table I {met['t1']} come out literally, and "
        f"{met['decoded']} with five inputs decoded from them"
    ) in page
