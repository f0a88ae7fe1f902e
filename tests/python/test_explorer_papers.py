"""The explorer's papers: published beside measured as in `papers run`, and set-ups that open."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart.errors import RequestError
from flowstart.explorer.jobs import BackgroundJob, Ended
from flowstart.model.path import NetworkPath
from flowstart_papers.explorer import figures, setups
from flowstart_papers.explorer.setups import Setups

Cli = Callable[..., Any]


@pytest.fixture(scope="module")
def figure() -> dict[str, Any]:
    """Jump Start's figure 1, measured."""
    job = BackgroundJob("one")
    figures.work(job, "JS-F1")
    found: dict[str, Any] = json.loads(json.dumps(job.found["figure"], allow_nan=False))
    return found


def test_the_five_papers_are_listed_with_their_published_values_and_nothing_is_run() -> None:
    found = figures.listed()
    assert [paper["name"] for paper in found] == [
        "quick-start-low-latency",
        "modified-swift-start",
        "slow-start-high-speed",
        "jump-start",
        "hystart",
    ]
    of_each = {figure["id"]: figure for paper in found for figure in paper["figures"]}
    peak = next(one for one in of_each["HY-F1"]["published"] if one["id"] == "hy.f1.peak")
    assert (peak["expected"], peak["unit"]) == ("37000", "packets")
    assert peak["tolerance"] == "± 1.5 %"


def test_measured_values_and_verdicts_are_those_of_papers_run(
    figure: dict[str, Any], cli: Cli
) -> None:
    printed = json.loads(cli("papers", "run", "JS-F1", "--fresh", "--json").out)
    without_time = [
        [{k: v for k, v in row.items() if k != "seconds"} for row in rows]
        for rows in (
            figure["rows"],
            [one for one in printed["targets"] if one["experiment"] == "JS-F1"],
        )
    ]
    assert without_time[0] == without_time[1]
    assert figure["answers"] == printed["experiments"][0]["answers"]
    assert figure["targets"]["rows"]
    assert figure["pictures"][0]["svg"].startswith("<svg")


def test_a_set_up_on_one_path_opens_as_a_state_that_runs_the_same(figure: dict[str, Any]) -> None:
    assert figure["total_setups"] == 8
    one = figure["setups"][-1]
    given = one["given"]
    found = fs.compare(
        NetworkPath(rate=given["rate"], rtt=given["rtt"], buffer=given["buffer"]),
        startups=given["startup"],
        sizes=[given["size"]],
        stack=given["stack"],
    )
    ours = [
        fs.run(
            {
                "path": {"rate": given["rate"], "rtt": given["rtt"], "buffer": given["buffer"]},
                "stack": {"preset": "ns2", "iw": "3"},
                "flows": [{"startup": startup, "size": given["size"]}],
            }
        ).frame["fct_s"][0]
        for startup in given["startup"]
    ]
    assert [s.fct_s for s in found.summaries] == ours


def test_a_flow_without_end_opens_with_a_size_that_does_the_same_while_it_is_watched() -> None:
    document: dict[str, Any] = {
        "duration": "3s",
        "path": {"rate": "20Mbps", "rtt": "100ms", "buffer": "100pkt"},
        "flows": [{"cc": "cubic"}],
    }
    given, until_s = setups.state(document, ["slow-start"])
    assert until_s == 3
    flow = {"startup": "slow-start", "cc": "cubic"}
    watched = fs.run(document | {"flows": [flow]}).frame
    opened = fs.run(document | {"flows": [flow | {"size": given["size"]}]}).frame
    for column in (
        "startup_exit_s",
        "startup_exit_cwnd_segments",
        "packets_sent",
        "packets_dropped",
    ):
        assert watched[column][0] == opened[column][0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"path": {"hops": [{"rate": "1Mbps"}, {"rate": "2Mbps"}]}}, r"link by link \(2\)"),
        ({"flows": [{"size": "1MB"}, {"size": "2MB"}]}, "2 kinds of flows"),
        ({"flows": [{"size": "1MB", "start": "1s"}]}, "`start`"),
        ({"web": [{}]}, "web sessions"),
        ({"flows": [{}]}, "no end"),
    ],
)
def test_what_no_state_can_say_has_a_reason(change: dict[str, Any], says: str) -> None:
    document = {"path": {"rate": "1Mbps", "rtt": "10ms"}, "flows": [{"size": "1MB"}]} | change
    with pytest.raises(RequestError, match=says):
        setups.state(document, ["slow-start"])


def test_a_startup_that_would_get_a_memory_is_not_opened() -> None:
    document = {"path": {"rate": "1Mbps", "rtt": "10ms"}, "flows": [{"size": "1MB"}]}
    with pytest.raises(RequestError, match="memory"):
        setups.state(document, ["careful-resume"])


def test_startups_and_seeds_on_one_set_up_stand_together() -> None:
    found = Setups()
    for seed in (1, 2):
        for startup in ("slow-start", "hystart"):
            flow = {"startup": startup, "size": "1MB"}
            path = {"rate": "1Mbps", "rtt": "10ms"}
            found.note([{"path": path, "flows": [flow], "seed": seed}])
    told = found.result()
    assert told["total_setups"] == 1
    assert told["setups"][0]["given"]["startup"] == ["slow-start", "hystart"]


@pytest.mark.parametrize("name", ["", "HY-F99", None, 7, {}, "../x"])
def test_a_name_of_no_experiment_is_refused(name: object) -> None:
    with pytest.raises(RequestError, match=r"^id: [^\n]+ is not an experiment"):
        figures.chosen(name)


def test_a_cancelled_experiment_ends() -> None:
    job = BackgroundJob("one")
    job.cancel()
    with pytest.raises(Ended):
        figures.work(job, "JS-F1")
