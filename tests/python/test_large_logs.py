"""Replays of logs that are too large to be replayed as a whole."""

import io
import json
import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import flowstart as fs
import large_logs
from flowstart.captures import frames
from flowstart.captures.stretches import TRANSFERS, Stretches
from flowstart.cli.progress import Progress
from flowstart.replays import effort
from flowstart.replays.answer import Questions
from flowstart.replays.effort import affordable, work
from flowstart.replays.runner import Meter
from flowstart.replays.settings import Settings

Cli = Callable[..., Any]
STARTUPS = ("hystart", "jump-start")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    file = tmp_path_factory.mktemp("logs") / "skewed.csv"
    return large_logs.write_with_rates(large_logs.log(3000, 80, seed=2, span_s=3600), file)


@pytest.fixture(scope="module")
def capture(log: pathlib.Path) -> fs.Capture:
    return fs.read_capture(log)


@pytest.fixture(scope="module")
def stretches(capture: fs.Capture) -> Stretches:
    return Stretches(capture, work())


def test_the_same_arguments_give_the_same_log(tmp_path: pathlib.Path) -> None:
    files = [tmp_path / name for name in ("a.csv", "b.csv")]
    for file in files:
        large_logs.write(large_logs.log(200, 20), file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_networks_of_many_addresses_are_those_of_each() -> None:
    addresses = ["1.2.3.4", "01.2.3.4", "256.1.1.1", " 9.8.7.6 ", "2001:db8:1:2::3", None, "", "x"]
    each = [frames.network(address) for address in addresses]
    assert frames.networks(pl.Series(addresses)).to_list() == each


def test_a_capture_that_another_process_has_read_is_the_same(capture: fs.Capture) -> None:
    copy = pickle.loads(pickle.dumps(capture))
    assert copy.connections.equals(capture.connections)
    assert copy.connections.schema == capture.connections.schema
    assert copy.transfers.equals(capture.transfers)


def test_each_transfer_is_in_exactly_one_stretch_of_its_network(
    capture: fs.Capture, stretches: Stretches
) -> None:
    drawn = stretches.drawn(np.arange(len(stretches))).drawn
    assert drawn
    assert sorted(drawn.clusters["connection"]) == sorted(capture.connections["stream"])
    networks = drawn.clusters.join(
        capture.connections.select("network", connection=pl.col("stream").cast(pl.Int64)),
        on="connection",
    )
    sizes = networks.group_by("cluster").agg(pl.len(), pl.col("network").n_unique())
    assert sizes["network"].max() == 1
    assert sizes["len"].max() <= TRANSFERS + 1  # type: ignore[operator]


def test_each_transfer_has_the_same_probability(stretches: Stretches) -> None:
    number, draws = len(stretches) // 5, 400
    counts = np.zeros(len(stretches))
    for seed in range(draws):
        counts[stretches.draw(number, seed)] += 1
    expected = draws * number / len(stretches)
    # Four standard deviations of a binomial count, for about a hundred counts.
    assert np.abs(counts - expected).max() < 4 * np.sqrt(expected)


def test_connections_that_overlap_with_a_stretch_come_along_and_do_not_count(
    capture: fs.Capture, stretches: Stretches
) -> None:
    chosen = stretches.draw(5, 1)
    some = stretches.drawn(chosen)
    assert some.drawn
    known = capture.connections.with_columns(
        ends=pl.col("start") + pl.col("end_s"), connection=pl.col("stream").cast(pl.Int64)
    )
    counted = known.join(some.drawn.clusters, on="connection")
    wanted = set(counted["connection"])
    for _, part in counted.group_by("cluster"):
        begin, end = part["start"].min(), part["ends"].max()
        network = pl.col("network") == part["network"][0]
        overlaps = (pl.col("start") < end) & (pl.col("ends") > begin)
        wanted |= set(known.filter(network & overlaps)["connection"])
    assert set(some.connections["stream"]) == wanted
    assert some.drawn.transfers == (counted.height, capture.transfers.height)


def test_what_is_affordable_is_replayed_as_a_whole(capture: fs.Capture) -> None:
    few = dataclasses_of(capture, 200)
    assert affordable(few, Settings(startups=STARTUPS), Questions(), Meter()).drawn is None


def dataclasses_of(capture: fs.Capture, count: int) -> fs.Capture:
    """The first connections of a capture."""
    import dataclasses

    connections = capture.connections.head(count)
    transfers = capture.transfers.join(
        connections.select(connection="stream"), on="connection", how="semi"
    )
    return dataclasses.replace(capture, connections=connections, transfers=transfers)


def test_a_sample_is_drawn_where_the_whole_is_not_affordable(
    capture: fs.Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effort, "BUDGET", 5e6)
    monkeypatch.setattr(effort, "FEWEST", 5)
    settings, meter = Settings(startups=STARTUPS), Meter()
    some = affordable(capture, settings, Questions(), meter)
    assert some.drawn
    assert some.drawn.transfers[0] < some.drawn.transfers[1] == capture.transfers.height
    runs = effort.runs(settings, Questions())
    assert meter.total == runs * some.transfers.height
    assert runs * some.transfers.select(work().sum()).item() < 1.2 * effort.BUDGET


@pytest.mark.slow
def test_transfers_of_a_sample_take_as_long_as_in_the_whole(log: pathlib.Path) -> None:
    whole, some = (
        fs.replay(str(log), startups=STARTUPS, uncertainty=False, sample=sample)
        for sample in ("all", "20%")
    )
    keys = ["variant", "mode", "connection"]
    both = some.frame.select(*keys, "fct_s").join(
        whole.frame.select(*keys, whole_s="fct_s"), on=keys
    )
    assert both.height == some.frame.height
    off = (both["fct_s"] / both["whole_s"] - 1).abs()
    # What overlaps only with what overlaps is left out.
    assert (off < 1e-3).mean() > 0.99  # type: ignore[operator]


def test_the_summary_reports_what_was_drawn(cli: Cli, log: pathlib.Path) -> None:
    words = ("--startup", "hystart,slow-start", "--no-uncertainty", "--sample", "300")
    answer = cli("replay", str(log), *words)
    assert answer.status == 0, answer.err
    said = " ".join(answer.out.split())
    assert "of 3,000 transfers; --sample all replays everything." in said
    assert "--sample 300" in said
    found = json.loads(cli("replay", str(log), *words, "--json").out)["sample"]
    assert found["of_transfers"] == 3000
    assert 150 < found["transfers"] < 450


def test_a_network_that_was_not_drawn_has_no_verdict(cli: Cli, log: pathlib.Path) -> None:
    words = ("--startup", "hystart,slow-start", "--no-uncertainty", "--sample", "100")
    networks = {row["network"] for row in fs.read_capture(log).connections.to_dicts()}
    drawn = json.loads(cli("replay", str(log), *words, "--json").out)["paths"]
    missing = min(networks - {path["name"] for path in drawn})
    answer = cli("replay", str(log), *words, "--when", f"network={missing}")
    assert (answer.status, answer.out) == (2, "")
    assert f"--when: `{missing}` is not among the {len(drawn)} networks of the sample" in answer.err


def test_the_first_line_of_progress_comes_within_two_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.undo()  # the patience of tests
    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr("sys.stderr", lines := io.StringIO())
    progress = Progress("rows")
    for now in (1.0, 2.0, 5.0, 12.1, 12.2):
        progress(round(2 * now), 100)
    assert lines.getvalue().splitlines()[0] == "4 of 100 rows, 2/s, 48 s left"
    assert len(lines.getvalue().splitlines()) == 2
