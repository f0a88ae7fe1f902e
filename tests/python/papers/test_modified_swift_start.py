"""What the experiments on Modified Swift Start rest on."""

import pathlib

import pytest

from flowstart.papers.lab import Lab
from flowstart.papers.modified_swift_start import line, setups, traces, transfers
from flowstart.simulation import run as simulation

PAUSED = {"began_s": [0.0, 0.01, 0.05]}
TAKES_S = 12_000 / setups.T1.bps


def test_the_line_is_idle_between_packets() -> None:
    assert line.busy_from_s(PAUSED, setups.T1) == 0.05
    assert line.idle_s(PAUSED, setups.T1, 0.02, 0.03) == pytest.approx(0.01)
    assert line.idle_s(PAUSED, setups.T1, 0, 1) == pytest.approx(0.05 - 2 * TAKES_S)


@pytest.mark.parametrize("header", ["40B", "27B"])
def test_the_first_pair_measures_the_round_trip_that_was_asked_for(header: str) -> None:
    document = setups.transfer(
        setups.T1, 0.1, setups.MODIFIED, rtt_s=0.3, size="40pkt", header=header
    )
    first, second = traces.pairs(simulation.run(document, trace=True))
    assert first["rtt_s"] == pytest.approx(0.3, abs=2e-9)
    assert second["rtt_s"] > first["rtt_s"]


def threshold_after_timeout(startup: str) -> float:
    document = setups.transfer(setups.T1, 0.5, startup, size="40pkt")
    trace = simulation.run(document, trace=True).outcome["trace"]
    assert trace is not None
    return float(trace["flow_samples"]["ssthresh"][-1])


def test_each_timeout_halves_the_papers_threshold() -> None:
    paper = transfers.PAPER_SLOW_START
    assert threshold_after_timeout(paper) == pytest.approx(65_535 / 1460 / 4)
    assert threshold_after_timeout(f"{paper}:syn=False") == pytest.approx(65_535 / 1460 / 2)
    assert threshold_after_timeout(setups.SLOW_START) == 2


def test_without_a_timeout_the_papers_slow_start_is_the_catalogs(tmp_path: pathlib.Path) -> None:
    documents = [
        setups.transfer(setups.OC1, 0.1, startup)
        for startup in (transfers.PAPER_SLOW_START, setups.SLOW_START)
    ]
    papers, catalogs = transfers.connections(Lab(tmp_path, 2), documents)
    assert papers == catalogs
