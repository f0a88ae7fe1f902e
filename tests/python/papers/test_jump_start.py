"""The Jump Start paper: its set-ups and how they are read, and the made capture."""

import pathlib
from typing import Any

import polars as pl
import pytest

from flowstart.captures.reading import read_capture
from flowstart.model.document import Document
from flowstart.simulation.run import run
from flowstart_papers import runner
from flowstart_papers.experiment import Experiment
from flowstart_papers.jump_start import (
    PAPER,
    figures,
    measures,
    readings,
    setups,
    studies,
    synthetic,
)
from flowstart_papers.lab import Lab
from flowstart_papers.readings import alone

QUICK = [experiment for experiment in PAPER.experiments if experiment.quick]
SET_UPS: dict[readings.SetUp, Document] = {
    "single": setups.single(setups.JUMP_START, 64),
    "crowd": setups.contention("1s", setups.JUMP_START),
    "web": setups.web(setups.JUMP_START, 1),
}
LITERAL, *OTHERS = alone(readings.INPUTS)


@pytest.mark.parametrize("experiment", QUICK, ids=lambda experiment: experiment.id)
def test_what_takes_no_time_misses_nothing(experiment: Experiment) -> None:
    done = runner.run(PAPER, experiment, Lab(None))
    assert [judged.target.id for judged in done.judged if judged.verdict.missed] == []


@pytest.mark.parametrize("name", SET_UPS)
def test_read_literally_a_set_up_is_that_of_the_figures(name: readings.SetUp) -> None:
    fields = setups.RECOVERIES["ns-2's Sack1"]
    literal = readings.read_as(SET_UPS[name], name, LITERAL)
    assert literal == SET_UPS[name] | {"stack": SET_UPS[name]["stack"] | fields}
    assert flows(literal) == flows(SET_UPS[name])


def flows(document: Document) -> list[dict[str, Any]]:
    return run(document | {"duration": "5s"}).records


@pytest.mark.parametrize(
    "cell", OTHERS, ids=lambda cell: str(set(cell.items()) - set(LITERAL.items()))
)
def test_every_other_reading_changes_a_set_up(cell: dict[str, str]) -> None:
    assert any(
        readings.read_as(document, name, cell) != readings.read_as(document, name, LITERAL)
        for name, document in SET_UPS.items()
    )


def test_slow_start_keeps_its_name_where_the_gap_is_read_otherwise() -> None:
    cell = {**LITERAL, readings.GAP: "RTT/(D-1)"}
    slow = readings.read_as(setups.single(setups.SLOW_START, 8), "single", cell)
    jump = readings.read_as(setups.single(setups.JUMP_START, 8), "single", cell)
    assert slow["flows"][0]["startup"] == setups.SLOW_START
    assert jump["flows"][0]["startup"] == f"{setups.JUMP_START}:gap=rtt/(d-1)"


def test_the_tool_sees_every_direction_of_the_made_capture_as_its_law_does(
    tmp_path: pathlib.Path,
) -> None:
    conversations = synthetic.draw(seed=7, count=500)
    synthetic.write(tmp_path / "made.pcap", conversations)
    found = read_capture(tmp_path / "made.pcap").to_dict()
    by_port = {row["client_port"]: row for row in found["connections"]}
    for one in conversations:
        row = by_port[synthetic.FIRST_PORT + one.number]
        assert row["handshake"] == one.ending
        assert (row["c2s_bytes"], row["s2c_bytes"]) == one.sizes
        if one.ending == "complete":
            assert row["rtt_s"] == pytest.approx(one.rtt_us / 1e6, rel=1e-9)
            assert (row["syns"], row["syn_acks"]) == (one.syns, one.syn_acks)
    assert len(found["demands"]) == sum(size > 0 for one in conversations for size in one.sizes)


def crowds(medians: dict[float, tuple[float, float]], slow_loss: float = 0.1) -> pl.DataFrame:
    """Slow start's and Jump Start's median durations, by interval."""
    rows = [
        {"startup": startup, "interval": interval, "jitter": "0ms", "seed": 1, "median_s": median,
         "loss": loss, "dropped": 1.0, "timeouts": 0.0}
        for interval, pair in medians.items()
        for startup, median, loss in zip(setups.BOTH, pair, (slow_loss, 0.3), strict=True)
    ]  # fmt: skip
    return figures.crowds(pl.DataFrame(rows))


def test_the_knee_lies_behind_the_last_interval_at_which_a_median_is_off() -> None:
    medians = {0.1: (5.0, 9.0), 0.5: (1.0, 1.0), 0.9: (1.0, 1.5), 1.0: (1.0, 1.1), 2.0: (1.0, 1.0)}
    assert figures.knee(crowds(medians)) == 1.0


def test_no_loss_rate_is_a_multiple_of_none() -> None:
    found = crowds(dict.fromkeys(figures.INTERVALS, (1.0, 1.0)), slow_loss=0.0)
    assert figures.figure2b(found).measured["js.f2.free.ratio"] == "slow start loses nothing"


@pytest.mark.parametrize("path", [(5, 64, 60), (20, 64, 15), (1, 256, 60)])
def test_a_flight_that_path_and_queue_hold_loses_nothing_and_a_larger_one_does(
    path: tuple[int, int, int],
) -> None:
    rate, rtt, queue = path
    frame = pl.DataFrame([{"rate": rate, "rtt": rtt, "queue": queue}])
    holds = frame.select(studies.HOLDS).item()

    def dropped(packets: float) -> float:
        document = setups.single(setups.JUMP_START, round(packets))
        fields = {"rate": f"{rate}Mbps", "rtt": f"{rtt}ms", "buffer": f"{queue}pkt"}
        return measures.transfer(run(setups.along(document, **fields)))["packets_dropped"]

    assert dropped(holds - 2) == 0
    assert dropped(holds + 4) > 0


def test_each_gateway_has_transfers_of_its_own_and_the_same_round_trip() -> None:
    rows = run(studies.over_gateways(setups.SLOW_START, 3, 16, 0.3, 1)).records
    through, others = rows[: measures.THROUGH], rows[measures.THROUGH :]
    each = len(others) // 3
    assert each * 3 == len(others) > 0
    for group in (through, others[:each], others[each : 2 * each], others[2 * each :]):
        assert 0.064 <= min(row["min_rtt_s"] for row in group) <= 0.075


def test_an_object_is_whole_however_it_is_split() -> None:
    for connections in studies.SPLIT:
        flows = studies.split(setups.JUMP_START, 200, connections, 1)["flows"]
        assert len(flows) == connections
        assert sum(int(flow["size"].removesuffix("pkt")) for flow in flows) == 200


def test_jains_index_is_1_for_equal_shares_and_1_of_n_where_one_has_all() -> None:
    assert studies.jain([0.25] * 4) == pytest.approx(1)
    assert studies.jain([0, 0, 1, 0]) == pytest.approx(0.25)
