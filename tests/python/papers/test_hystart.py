"""What Hybrid Slow Start's experiments read from traces."""

import pytest

from flowstart.papers.hystart import setups, traces
from flowstart.simulation import frames
from flowstart.simulation import run as simulation


def test_rounds_double_in_one_train_with_an_ack_for_each_packet() -> None:
    ends = setups.stack(setups.EVERY)
    run = simulation.run(
        setups.one(setups.path(100, 100), setups.SLOW_START, "0.95s", ends=ends), trace=True
    )
    rounds = traces.rounds(run, 0, 0.95)
    assert [one["acks"] for one in rounds[:6]] == [2, 4, 8, 16, 32, 64]
    assert [one["cwnd"] for one in rounds[:6]] == [4, 8, 16, 32, 64, 128]
    assert all(one["trains"] == 1 for one in rounds)


def test_a_timer_for_odd_packets_cuts_rounds_into_trains() -> None:
    ends = setups.stack(setups.FREEBSD)
    run = simulation.run(
        setups.one(setups.path(100, 160), setups.SLOW_START, "2s", ends=ends), trace=True
    )
    rounds = traces.rounds(run, 0, 2.0)
    assert rounds[-2]["trains"] == 2
    assert rounds[-2]["length_s"] > 0.1


def test_the_first_loss_shows_what_the_path_holds() -> None:
    run = simulation.run(setups.one(setups.path(10, 100), setups.SLOW_START, "4s"), trace=True)
    held = traces.capacity(run)
    assert held["bdp"] == pytest.approx(83, abs=2)
    assert held["held"] - held["bdp"] == 83


def test_background_traffic_fills_about_what_it_is_asked_to() -> None:
    document = {
        "duration": "60s",
        "path": setups.path(100, 50),
        "stack": setups.stack(),
        "web": setups.background(20, 60),
    }
    forward, reverse = frames.rows(simulation.run(document).outcome["links"])[:2]
    for link in (forward, reverse):
        assert link["utilisation"] == pytest.approx(0.2, rel=0.35)
