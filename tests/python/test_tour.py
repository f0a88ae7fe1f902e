"""The tour's sentences with numbers or relations, against the runs that its steps open."""

import pathlib
import re
from typing import Any

import polars as pl
import pytest

import flowstart as fs
from shown_texts import unchecked_numbers

TOUR = pathlib.Path(__file__).parents[2] / "web" / "src" / "explorer" / "tour.ts"
PATH = {"rate": "50Mbps", "rtt": "80ms"}
LINK_BPS, RTT_NS = 50e6, 80_000_000
SENT, ACK, DROP = 0, 2, 6


def texts() -> dict[str, str]:
    """Question and answer of each step, by its title."""
    source = TOUR.read_text(encoding="utf-8").split("STEPS:")[1].split("];\n")[0]
    found = {}
    for step in source.split("title:")[1:]:
        strings = re.findall(r'"([^"]*)"', step)
        title, rest = strings[0], step[step.index("question:") : step.index("cells:")]
        found[title] = "".join(re.findall(r'"([^"]*)"', rest))
    return found


def traced(size: str, startup: str, **flow: Any) -> fs.Run:
    flows = [{"size": size, "startup": startup, **flow}]
    return fs.run({"path": PATH, "flows": flows}, trace=True)


def samples(run: fs.Run, event: int, flow: int = 0) -> pl.DataFrame:
    assert run.flow_samples is not None
    return run.flow_samples.filter(pl.col("event") == event, pl.col("flow") == flow)


def forward_queue(run: fs.Run) -> pl.DataFrame:
    assert run.queue_samples is not None
    return run.queue_samples.filter(pl.col("direction") == 0).cast(pl.Int64)


def window() -> list[str]:
    run = traced("1MB", "slow-start")
    rounds = samples(run, SENT).group_by(pl.col("time_ns") // RTT_NS).len().sort("time_ns")
    first = rounds["len"].to_list()[:6]
    assert first == [10 * 2**number for number in range(6)]
    (link, _) = run.links.rows(named=True)
    return [
        f"{first[0]} packets, then {', '.join(map(str, first[1:5]))} and {first[5]}",
        f"1 MB takes {1e3 * run.records[0]['fct_s']:.1f} ms",
        f"needs {8e3 * link['bytes'] / LINK_BPS:.0f} ms of them",
    ]


def queue() -> list[str]:
    run = traced("1MB", "slow-start")
    rounds = samples(run, SENT).group_by(pl.col("time_ns") // RTT_NS).len()
    row, largest = run.records[0], max(rounds["len"].to_list())
    assert row["max_queue_pkts"] == pytest.approx(largest / 2, rel=0.01)
    return [
        f"more than {largest} packets, less than the BDP of {row['bdp_pkts']}",
        f"Up to {row['max_queue_pkts']} packets wait, half of the largest round",
    ]


def loss() -> list[str]:
    run = traced("10MB", "slow-start")
    (row,) = run.records
    first = samples(run, DROP)["time_ns"][0]
    before = samples(run, ACK).filter(pl.col("time_ns") <= first)["cwnd"][-1]
    assert row["startup_exit_cwnd_segments"] == pytest.approx(2 * before, rel=0.01)
    assert row["packets_retransmitted"] == row["packets_dropped"]
    return [f"{row['packets_dropped']}. The sender learns of the first drop a round trip later"]


def startup_exit() -> list[str]:
    runs = [traced("10MB", name) for name in ("slow-start", "hystart")]
    slow, hystart = (run.records[0] for run in runs)
    assert hystart["startup_exit_reason"] == "ack-train"
    end = round(1e9 * hystart["startup_exit_s"])
    acks = samples(runs[1], ACK).filter(pl.col("time_ns") <= end)["time_ns"]
    begin = acks.filter(acks.diff().fill_null(0) > RTT_NS // 8)[-1]
    assert (end - begin) / RTT_NS == pytest.approx(0.5, abs=0.02)
    for run in runs:
        held = forward_queue(run).filter(pl.col("time_ns") > end)
        assert ((held["time_ns"].shift(-1) - held["empty_ns"]).drop_nulls() <= 0).all()
    times = {f"{row['fct_s']:.3f}" for row in (slow, hystart)}
    assert len(times) == 1
    return [
        f"at {hystart['startup_exit_cwnd_segments']:.0f} packets",
        f"loses {hystart['packets_dropped']} packets, slow start {slow['packets_dropped']}",
        f"Both take {times.pop()} s",
    ]


def competing_flow() -> list[str]:
    run = traced("10MB", "slow-start", count=2, stagger="1s")
    first, second = run.records
    acks = samples(run, ACK, flow=1)
    alone_s = second["opened_s"] + second["fct_s"] - first["fct_s"]
    before = acks.filter(pl.col("time_ns") <= 1e9 * first["fct_s"])["seq_bytes"].max()
    used = 8 * (10e6 - before) * 1500 / 1448 / alone_s / LINK_BPS  # type: ignore[operator]
    mean_s = (first["fct_s"] + second["fct_s"]) / 2
    return [
        f"with a window of {second['startup_exit_cwnd_segments']:.0f}",
        f"complete after {first['fct_s']:.3f} s",
        f"uses {100 * used:.0f} % of the link. It takes {second['fct_s']:.2f} s",
        f"the mean of both is {mean_s:.3f} s",
    ]


STEPS = {
    "Window": window,
    "Queue": queue,
    "Loss": loss,
    "Exit": startup_exit,
    "Competing flow": competing_flow,
}


def test_each_step_is_checked() -> None:
    assert list(texts()) == list(STEPS)


@pytest.mark.parametrize("title", STEPS)
def test_sentences_of_the_tour_have_the_numbers_of_its_runs(title: str) -> None:
    text, facts = texts()[title], STEPS[title]()
    assert unchecked_numbers(text, facts) == []
