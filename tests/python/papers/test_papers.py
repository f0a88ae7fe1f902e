"""The command `papers`, on a paper of the tests' own."""

import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import pytest

import flowstart_papers as papers
from flowstart.errors import RequestError
from flowstart.render import summary
from flowstart_papers import grids, runner
from flowstart_papers.experiment import Assumption, Experiment, Findings, Paper, Table
from flowstart_papers.lab import Lab
from flowstart_papers.measures import first
from flowstart_papers.plot import Axis, Panel, lines
from flowstart_papers.runner import Judged
from flowstart_papers.target import Kind, Measured, Target, Verdict
from screen import on_one_screen

Cli = Callable[..., Any]
SIZES = (10, 20)


def transfers(lab: Lab) -> Findings:
    path = {"rate": "5Mbps", "rtt": "64ms"}
    documents = [
        {"path": path, "flows": [{"startup": "slow-start", "size": f"{n}pkt"}]} for n in SIZES
    ]
    rows = lab.runs(documents, first)
    durations = [row["duration_s"] for row in rows]
    return Findings(
        measured={
            "toy.sent": Measured(rows[0]["packets_sent"]),
            "toy.longer": Measured(durations[1] / durations[0], holds=durations[1] < durations[0],
                                   because="More packets take longer.", shown_by="TOY-1"),
        },
        answers=[f"Twenty packets take {durations[1]:.3f} s."],
        tables=[Table("times", "Times", [{"packets": n} for n in SIZES])],
        pictures=[
            lines("times", "Duration over size",
                  Panel(Axis("packets"), Axis("s"), {"slow start": (SIZES, durations)})),
        ],
    )  # fmt: skip


def target(name: str, kind: Kind, **fields: Any) -> Target:
    fields = {"figure": "Fig. 1", "what": "w", "unit": "", "expected": 10, **fields}
    return Target(id=name, paper="toy", experiment="TOY-1", kind=kind, **fields)


TOY = Paper(
    name="toy",
    title="A toy",
    source="The tests",
    package="toy",
    targets=[
        target("toy.sent", "value"),
        target("toy.longer", "trend", expected="longer is shorter"),
        target("toy.lost", "not checkable", reason="The data are gone."),
    ],
    experiments=[
        Experiment(id="TOY-1", figure="Figure 1", question="How long?", run=transfers, quick=True),
        Experiment(id="TOY-2", figure="study", question="And why?", run=lambda _: Findings()),
    ],
    assumptions=[
        Assumption("rate", "5 Mbit/s", "it is round", "all else moves", "TOY-1", ("toy.s*",))
    ],
)


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    package = tmp_path / "packages" / "toy"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "README.md").write_text("# A toy\n\nIt *plays*.\n\n| a |\n| - |\n| 1 |\n")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.setattr(papers, "load", lambda: [TOY])
    monkeypatch.setenv("FLOWSTART_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("words", [(), ("list",)])
def test_the_experiments_are_listed(cli: Cli, words: tuple[str, ...]) -> None:
    answer = cli("papers", *words)
    assert answer.status == 0
    assert "A toy" in answer.out
    listed = cli("papers", "list", "--details").out
    for shown in ("toy: A toy", "TOY-1", "How long?"):
        assert shown in listed


def test_the_list_as_json(cli: Cli) -> None:
    found = json.loads(cli("papers", "list", "--json").out)
    assert [each["id"] for each in found] == ["TOY-1", "TOY-2"]
    assert found[0]["targets"] == ["toy.sent", "toy.longer", "toy.lost"]


def test_run_answers_how_many_targets_are_reproduced(cli: Cli) -> None:
    lines = on_one_screen(
        cli("papers", "run", "TOY-1"),
        "1 of 2 targets reproduced; 1 missed: toy.longer; 1 not checkable. Twenty packets take",
    )
    assert lines[-1] == "Reproduce: flowstart papers run TOY-1"


def test_run_of_several_experiments_counts_by_paper(cli: Cli) -> None:
    on_one_screen(cli("papers", "run", "--all"), "1 of 2 targets reproduced; 1 missed: toy.longer")


def test_run_shows_published_beside_measured(cli: Cli) -> None:
    answer = cli("papers", "run", "TOY-1", "--details")
    assert answer.status == 0
    assert answer.err == ""
    assert "Twenty packets take" in answer.out
    assert "toy.longer: More packets take longer." in answer.out
    assert re.search(r"toy[.]lost .* not checkable", answer.out)
    assert answer.out.endswith(
        "Printed, and could have come out otherwise: 1 of 2 hold (numbers 1 of 1, statements "
        "0 of 1); 1 of them with an input fitted to them. Besides these: not checkable 1.\n"
    )


def test_a_cache_that_cannot_be_written_to_is_refused_in_a_line(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOWSTART_CACHE", "/dev/null/runs")
    answer = cli("papers", "run", "TOY-1")
    assert answer.status == 2
    assert answer.err == (
        "flowstart: the cache /dev/null/runs: /dev/null is a file, and a folder is needed\n"
    )
    assert cli("papers", "run", "TOY-1", "--fresh").status == 0


def test_numbers_stay_whole_beside_what_it_takes_long_to_say() -> None:
    long = target("toy.sent", "value", what="packets sent " * 20, expected=163840000)
    judged = Judged(long, Measured(163840000), Verdict.MET, 0.0)
    shown = summary.plain(grids.targets([judged]), 100)
    assert shown.count("163840000") == 2
    assert "…" not in shown


def test_what_a_verdict_is_worth_stands_beside_it() -> None:
    widened = target("toy.sent", "value", widened_from="± 1")
    judged = Judged(widened, Measured(10), Verdict.MET, 0.0, ["rate: 5 Mbit/s"])
    assert grids.worth(judged) == "fitted, widened"


def test_run_as_json(cli: Cli) -> None:
    found = json.loads(cli("papers", "run", "--all", "--json").out)
    assert found["headline"].startswith("Printed, and could have come out otherwise: 1 of 2 hold")
    assert found["verdicts"] == {"met": 1, "trend missed": 1, "not checkable": 1}
    sent = found["targets"][0]
    fields = ("id", "paper", "figure", "expected", "tolerance", "measured", "verdict")
    assert [sent[name] for name in fields] == ["toy.sent", "toy", "Fig. 1", 10, "exact", 10, "met"]
    assert (sent["class"], sent["fitted"]) == ("printed", ["rate: 5 Mbit/s"])
    assert 0 <= sent["seconds"] < 60
    assert [each["id"] for each in found["experiments"]] == ["TOY-1", "TOY-2"]


def test_a_second_run_gives_the_same_bytes(cli: Cli, tmp_path: pathlib.Path) -> None:
    outs = [tmp_path / name for name in ("a", "b")]
    for out in outs:
        assert cli("papers", "run", "--all", "-o", str(out)).status == 0
    names = sorted(file.name for file in outs[0].iterdir() if file.name != "manifest.json")
    assert names == [
        "index.html",
        "result.json",
        "targets.csv",
        "toy-1-times.csv",
        "toy-1-times.png",
        "toy-1-times.svg",
        "toy.html",
    ]
    for name in names:
        assert (outs[0] / name).read_bytes() == (outs[1] / name).read_bytes()


def test_pages_need_nothing_but_themselves(cli: Cli, tmp_path: pathlib.Path) -> None:
    cli("papers", "run", "toy", "-o", str(tmp_path / "out"))
    page = (tmp_path / "out" / "toy.html").read_text()
    assert "It <em>plays</em>." in page
    assert "<svg" in page
    assert "More packets take longer." in page
    assert "Inputs that the paper does not print" in page
    assert "src=" not in page
    index = (tmp_path / "out" / "index.html").read_text()
    assert 'href="toy.html#toy-1"' in index


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("TOY-22",), "no experiment is called `TOY-22`; did you mean `TOY-2`?"),
        (("XYZ",), "no experiment is called `XYZ`; there are TOY-1, TOY-2, toy"),
        ((), "name experiments or papers to run, or give one of --all and --subset quick"),
        (
            ("TOY-1", "--all"),
            "name experiments or papers to run, or give one of --all and --subset quick",
        ),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(
    cli: Cli, words: tuple[str, ...], message: str
) -> None:
    assert cli("papers", "run", *words) == (2, "", f"flowstart: {message}\n")


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["toy"], ["TOY-1", "TOY-2"]),
        (["toy-2"], ["TOY-2"]),
        (["toy.sent"], ["TOY-1"]),
        (["TOY-2", "toy"], ["TOY-2", "TOY-1"]),
    ],
)
def test_experiments_are_named_by_id_paper_or_target(names: list[str], ids: list[str]) -> None:
    assert [experiment.id for _, experiment in runner.choose([TOY], names)] == ids


def test_the_quick_set_and_everything() -> None:
    assert [e.id for _, e in runner.choose([TOY], [], quick=True)] == ["TOY-1"]
    assert [e.id for _, e in runner.choose([TOY], [], everything=True)] == ["TOY-1", "TOY-2"]
    with pytest.raises(RequestError, match=r"no experiment is called `toy[.]nothing`"):
        runner.choose([TOY], ["toy.nothing"])


def test_an_experiment_measures_exactly_its_targets() -> None:
    with pytest.raises(ValueError, match=r"TOY-1: measured and published differ in toy[.]longer"):
        runner.judge(TOY, TOY.experiments[0], Findings(measured={"toy.sent": Measured(1)}), 0)


def test_ctrl_c_keeps_what_is_done(
    cli: Cli, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(_: Lab) -> Findings:
        raise KeyboardInterrupt

    cut = Experiment(id="TOY-2", figure="study", question="And why?", run=stopped)
    paper = Paper(name="toy", title="A toy", source="", package="toy", targets=TOY.targets,
                  experiments=[TOY.experiments[0], cut])  # fmt: skip
    monkeypatch.setattr(papers, "load", lambda: [paper])
    answer = cli("papers", "run", "--all", "-o", str(tmp_path / "out"))
    assert answer.status == 130
    assert answer.err == (
        "flowstart: stopped by Ctrl-C after 1 of 2 experiments; the same command resumes here\n"
    )
    assert json.loads((tmp_path / "out" / "result.json").read_text())["verdicts"]["met"] == 1
