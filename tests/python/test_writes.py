"""Applications that write by a clock, at random or as recorded: the delays of their writes."""

import pathlib

import polars as pl
import pytest

import flowstart as fs
from flowstart.cli import main

PATH = fs.NetworkPath(rate="20Mbps", rtt="40ms")
TWO = ["slow-start", "jump-start"]
GAME = "every=20ms,size=40kB,deadline=40ms,count=100"


def test_writes_are_compared_by_the_95th_percentile_of_their_delays() -> None:
    found = fs.compare(PATH, startups=TWO, writes=GAME, uncertainty=False)
    base, jump = found.summaries
    assert (base.measure, base.is_rate) == ("delay of writes", False)
    rows = found.frame
    assert rows["writes"].to_list() == [100, 100]
    assert base.fct_s == rows["delay_p95_s"][0]
    assert jump.fct_s is not None
    assert base.fct_s is not None
    assert jump.change == pytest.approx(jump.fct_s / base.fct_s - 1)
    assert (rows["delay_p50_s"] <= rows["delay_p95_s"]).all()
    assert (rows["delay_p99_s"] <= rows["delay_max_s"]).all()


def test_a_verdict_is_on_the_delays() -> None:
    found = fs.compare(PATH, startups=TWO, writes=GAME)
    row = found.interval_frame.row(0, named=True)
    assert row["group"] == "delay of writes"
    assert row["low"] <= row["estimate"] <= row["high"]
    assert str(found.command).startswith(
        f"flowstart compare --rate 20Mbps --rtt 40ms --writes {GAME} "
    )


def test_each_write_has_a_row() -> None:
    flow = fs.Flow(startup="hystart", source="every=10ms,rate=8Mbps,count=5")
    run = fs.run(fs.Scenario(path=PATH, flows=[flow]))
    assert run.transfers["bytes"].to_list() == [10_000] * 5
    delay = (run.transfers["delivered_s"] - run.transfers["available_s"]).max()
    assert run.delays["delay_max_s"].to_list() == [pytest.approx(delay)]
    assert "delays" in run.to_dict()


def test_another_seed_draws_other_writes_and_another_startup_the_same() -> None:
    source = "random:size=exponential:mean=9000,every=exponential:mean=10ms,count=50"

    def sizes(seed: int, startup: str) -> list[int]:
        flow = fs.Flow(startup=startup, source=source)
        run = fs.run(fs.Scenario(path=PATH, flows=[flow], seed=seed))
        return run.transfers["bytes"].to_list()

    assert sizes(1, "hystart") == sizes(1, "slow-start")
    assert sizes(1, "hystart") != sizes(2, "hystart")


def test_recorded_writes_are_found_beside_their_scenario(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "frames.csv").write_text("bytes,time_s\n3000,7.5\n4000,7.6\n")
    scenario = tmp_path / "mine.toml"
    scenario.write_text(
        'path = { rate = "20Mbps", rtt = "40ms" }\n[[flows]]\nsource = "trace:frames.csv"\n'
    )
    found = fs.compare(str(scenario), startups=TWO, uncertainty=False)
    assert found.frame["writes"].to_list() == [2, 2]
    (tmp_path / "frames.csv").write_text("bytes,time_s\n3000,7.5\n0,7.6\n")
    assert main(["run", str(scenario)]) == 2
    shown = capsys.readouterr()
    assert "flows[0].source: " in shown.err
    assert "line 3: `0,7.6` has no time and bytes from 1 on" in shown.err


@pytest.mark.parametrize(
    ("writes", "problem"),
    [
        ("every=33", "--writes: every: `33` is not a time with a unit"),
        ("every=1s", "--writes: a `periodic` source needs one of `size` and `rate`"),
        ("pulse:every=1s", "`pulse` is not a kind of source; known are periodic, on-off, random"),
        ("trace:none.csv", "`none.csv` does not exist"),
        ("every=1s,size=1kB --requests 2", "--writes = every=1s,size=1kB: contradicts `requests`"),
    ],
)
def test_what_is_no_source_is_refused(
    writes: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["compare", "--rate", "20Mbps", "--rtt", "40ms", "--writes", *writes.split()]
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert problem in shown.err
    assert not shown.out


def test_a_sweep_has_the_delays_and_the_goodput_of_each_cell(tmp_path: pathlib.Path) -> None:
    sweep = {
        "startups": TWO,
        "path": {"rate": ["5Mbps", "20Mbps"], "rtt": "40ms"},
        "flow": {"source": GAME, "within": "1s"},
    }
    rows = fs.sweep(sweep, tmp_path / "out").frame
    assert rows["error"].null_count() == 4
    assert rows["within_s"].to_list() == [1.0] * 4
    assert (rows["goodput_bps"] > 1e6).all()
    late = rows.filter(pl.col("rate_bps") == 5e6)["late_share"]
    assert (late > 0.9).all()
