"""How Hybrid Slow Start's experiments set up their runs, and what they read from them."""

import pathlib

import pytest

from flowstart.simulation import frames
from flowstart.simulation import run as simulation
from flowstart_papers.hystart import measures, readings, setups, studies, utilisation
from flowstart_papers.lab import Lab


def test_rounds_double_in_one_train_with_an_ack_for_each_packet() -> None:
    ends = setups.stack(setups.EVERY)
    run = simulation.run(
        setups.one(setups.path(100, 100), setups.SLOW_START, "0.95s", ends=ends), trace=True
    )
    rounds = measures.rounds(run, 0, 0.95)
    assert [one["acks"] for one in rounds[:6]] == [3, 6, 12, 24, 48, 96]
    assert [one["cwnd"] for one in rounds[:6]] == [6, 12, 24, 48, 96, 192]
    assert all(one["trains"] == 1 for one in rounds)


def test_a_timer_for_odd_packets_cuts_rounds_into_trains() -> None:
    ends = setups.stack(setups.FREEBSD)
    run = simulation.run(
        setups.one(setups.path(100, 160), setups.SLOW_START, "2s", ends=ends), trace=True
    )
    rounds = measures.rounds(run, 0, 2.0)
    assert rounds[-2]["trains"] == 2
    assert rounds[-2]["length_s"] > 0.1


def test_the_first_loss_shows_what_the_path_holds() -> None:
    run = simulation.run(setups.one(setups.path(10, 100), setups.SLOW_START, "4s"), trace=True)
    held = measures.capacity(run)
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


def test_every_reading_changes_what_is_run() -> None:
    for each in readings.INPUTS:
        for reading in each.readings:
            moved = readings.setup({each.name: reading})
            assert (moved == setups.LITERAL) == (reading == each.literal), (each.name, reading)


def test_the_timer_waits_as_linux_does_for_200_ms_beyond_the_round_trip() -> None:
    flow = setups.one(setups.path(10, 100), setups.SLOW_START, "3s", size="4pkt")
    # The last packet: nothing but the timer tells of its loss.
    flow["flows"][0]["forced_drops"] = [4]
    run = simulation.run(flow, trace=True)
    trace = measures.columns(run)
    sent = trace["time"][
        (trace["event"] == measures.SEND) & (trace["seq_bytes"] == 3 * measures.MSS)
    ]
    expired = trace["time"][trace["event"] == 3]
    assert 0.3 <= expired[0] - sent[0] <= 0.45


def test_a_window_that_never_falls_below_its_share_has_recovered_at_once() -> None:
    link = setups.path(10, 100, buffer=2)
    run = simulation.run(setups.one(link, setups.SLOW_START, "6s"), trace=True)
    found = measures.overshoot(run)
    assert found["small_s"] == 0
    assert found["peak"] > 2 * 83


def test_losses_of_flows_that_are_there_are_told_from_the_newcomers_own() -> None:
    slow = studies.arrivals("SACK", 2, "slow start", 1)
    found = studies.together(simulation.run(slow, trace=True))
    assert found["packets"] > 0
    assert found["own"] > 0
    assert found["hit"] == len(found["shares"])
    hybrid = studies.arrivals("SACK", 2, "Hybrid Slow Start", 1)
    calm = studies.together(simulation.run(hybrid, trace=True))
    assert calm["packets"] == calm["hit"] == 0


def test_a_link_without_others_has_no_queue_before_a_newcomer() -> None:
    quiet = setups.one(setups.path(400, 160), setups.SLOW_START, "2s", size="1pkt")
    assert studies.queued(simulation.run(quiet, trace=True)) == 0


@pytest.mark.slow
def test_utilisation_counts_what_is_sent_from_the_first_start_on_alone(
    tmp_path: pathlib.Path,
) -> None:
    run = studies.with_share(0.4, "slow start", 1)
    (used,) = utilisation.uses_from_start(Lab(tmp_path, 1), [run])
    total = utilisation.busy_s(simulation.run(run))
    earlier = utilisation.busy_s(simulation.run(utilisation.before(run)))
    assert used["use"] == pytest.approx(100 * (total - earlier) / 60, abs=0.01)
    assert earlier > 2
