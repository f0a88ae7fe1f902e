"""Comparisons of rates: goodput within a time, and what speed tests report."""

import json
import pathlib
from typing import Any

import pytest

import flowstart as fs
from flowstart.cli import main
from flowstart.comparison.result import Comparison

PATH = fs.NetworkPath(rate="20Mbps", rtt="40ms")
TWO = ["slow-start", "jump-start"]


def compared(**keywords: Any) -> Comparison:
    chosen: dict[str, Any] = {"startups": TWO, "uncertainty": False} | keywords
    found: Comparison = fs.compare(PATH, **chosen)
    return found


def test_without_sizes_flows_have_no_end_and_their_goodput_is_compared() -> None:
    found = compared(within="2s")
    assert found.frame["size_bytes"].null_count() == 2
    assert found.frame["measure"].to_list() == ["goodput"] * 2
    assert found.frame["within_s"].to_list() == [2.0, 2.0]
    rates = found.frame["goodput_bps"] / 1e6
    assert (rates > 10).all()
    assert (rates < 20).all()
    bytes_of = found.frame["within_bytes"] * 8 / 2 / 1e6
    assert bytes_of.to_list() == pytest.approx(rates.to_list())


def test_a_change_of_goodput_is_of_the_rate_and_higher_is_better() -> None:
    base, jump = compared(within="500ms").summaries
    assert base.goodput_bps
    assert jump.goodput_bps
    assert jump.goodput_bps > base.goodput_bps
    assert jump.change == pytest.approx(jump.goodput_bps / base.goodput_bps - 1)
    assert jump.best
    assert not base.best


def test_an_interval_of_a_rate_is_the_inverse_of_that_of_the_time_of_a_bit() -> None:
    found = compared(within="500ms", uncertainty=True)
    row = found.interval_frame.row(0, named=True)
    assert row["measure"] == "goodput in 500 ms"
    assert 0 < row["low"] <= row["estimate"] <= row["high"]
    assert row["status"] == "recommended"
    _, jump = found.summaries
    assert row["estimate"] == pytest.approx(jump.change)


def test_several_times_are_of_one_startup_whose_losses_count_until_the_longest() -> None:
    found = compared(startups=["slow-start"], within=["500ms", 2])
    assert [s.measure for s in found.summaries] == ["goodput in 500 ms", "goodput in 2 s"]
    assert " --rtt 40ms --within 500ms,2s " in str(found.command)
    with pytest.raises(fs.RequestError, match="losses count until the longest"):
        compared(within=["500ms", 2])


def test_flows_with_sizes_keep_their_completion_times() -> None:
    found = compared(sizes=["1MB"], within="300ms")
    groups = [(s.group.name, s.fct_s is None) for s in found.summaries[::2]]
    assert groups == [("1 MB", False), ("1 MB, goodput in 300 ms", True)]


def test_a_run_ends_with_the_time_of_its_rate() -> None:
    scenario = {"path": {"rate": "20Mbps", "rtt": "40ms"}, "duration": "9s", "flows": [{}]}
    long = fs.compare(scenario, within="1s", startups=["slow-start"], uncertainty=False)
    short = compared(startups=["slow-start"], within="1s")
    assert long.frame["packets_sent"].to_list() == short.frame["packets_sent"].to_list()


def test_a_speed_test_of_flows_with_sizes_is_refused() -> None:
    with pytest.raises(fs.RequestError, match="a speed test has no end; leave out the sizes"):
        compared(sizes=["1MB"], speed_tests=["ndt7"])


def test_speed_tests_disagree_on_one_run() -> None:
    found = compared(startups=["slow-start"], speed_tests=["iperf3", "iperf3:omit=1s", "ndt7"])
    whole, omitted, ndt7 = found.frame["goodput_bps"]
    assert whole < ndt7 < omitted


def test_the_first_bytes_have_times() -> None:
    row = compared(within="10s").frame.row(0, named=True)
    assert 0 < row["to_100kb_s"] < row["to_1mb_s"] < row["to_10mb_s"] < 10
    assert compared(within=1).frame["to_10mb_s"].null_count() == 2


def test_a_flow_without_an_end_is_measured_within_the_duration() -> None:
    scenario = {"path": {"rate": "20Mbps", "rtt": "40ms"}, "duration": "2s", "flows": [{}]}
    found = fs.compare(scenario, startups=TWO, uncertainty=False)
    assert found.frame["within_s"].to_list() == [2.0, 2.0]
    assert found.plan.sizes == (None,)


def test_a_run_has_the_rates_that_its_scenario_names() -> None:
    flow = fs.Flow(startup="slow-start")
    scenario = fs.Scenario(path=PATH, flows=[flow], duration="2s", within=["1s", "2s"])
    run = fs.run(scenario)
    assert run.goodputs["within_s"].to_list() == [1.0, 2.0]
    document = json.loads(json.dumps(run.to_dict()))
    assert [row["within_s"] for row in document["goodputs"]] == [1.0, 2.0]


def test_a_run_without_rates_has_no_table_of_them() -> None:
    scenario = fs.Scenario(path=PATH, flows=[fs.Flow(size="10kB")])
    run = fs.run(scenario)
    assert run.goodputs.is_empty()
    assert "goodputs" not in run.to_dict()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--within", "7"], "within"),
        (["--within", "0s"], "--within: `0s` is out of range"),
        (["--within", "1s,1s"], "--within: `1s` is given twice"),
        (["--speed-test", "fast"], "`fast` is not a speed test"),
    ],
)
def test_what_is_no_time_or_test_is_refused(
    options: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["compare", "--rate", "20Mbps", "--rtt", "40ms", *options]
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert problem in shown.err
    assert not shown.out


def test_a_report_shows_the_rates(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["compare", "--rate", "20Mbps", "--rtt", "40ms", "--within", "1s"]
    arguments += ["--startup", ",".join(TWO), "--no-uncertainty", "-o", str(tmp_path)]
    assert main(arguments) == 0
    assert "Highest goodput in 1 s: jump-start" in capsys.readouterr().out
    page = (tmp_path / "report.html").read_text()
    assert "Goodput in 1 s" in page
