"""Passes over a capture's traffic: who is switched, and what repeats perturb."""

from typing import Any

from flowstart.replays.runner import TOGETHER, Round

CONNECTIONS = range(10_000)


def switched(one: Round) -> set[int]:
    return {number for number in CONNECTIONS if one.is_switched(number)}


def test_who_is_switched_depends_on_the_connection_and_the_seed_alone() -> None:
    assert switched(Round("rollout", share=0.1)) == switched(
        Round("competing", share=0.1, repeat=3)
    )
    assert switched(Round(share=0.1, seed=1)) != switched(Round(share=0.1, seed=2))


def test_the_share_that_is_asked_for_is_switched() -> None:
    # 4 standard deviations of 10 000 draws.
    assert abs(len(switched(Round(share=0.1))) - 1000) < 120


def test_a_larger_share_switches_the_same_connections_and_more() -> None:
    assert switched(Round(share=0.1)) < switched(Round(share=0.3))


def test_with_no_share_everybody_is_switched() -> None:
    assert switched(TOGETHER) == {*CONNECTIONS}


def scenario() -> dict[str, Any]:
    """A flow that begins at a time, and one that waits for its data."""
    waiting = {"writes": [{"after": {"flow": 0, "write": 0}, "size": "2kB"}]}
    flows = [{"start": "1s", "writes": [{"at": "0s", "size": "1kB"}]}, waiting]
    return {"seed": 1, "path": {"rate": "5Mbps", "rtt": "60ms"}, "flows": flows}


def test_a_flow_that_waits_gets_no_start_in_a_repeat() -> None:
    begins, waits = Round(repeat=1).applied(scenario())["flows"]
    assert waits == scenario()["flows"][1]
    assert begins["start"] != "1s"


def test_a_repeat_differs_in_its_round_trip_and_seed() -> None:
    found = Round(repeat=1).applied(scenario())
    assert found["path"]["rtt"] != "60ms"
    assert found["seed"] != 1


def test_what_is_no_repeat_runs_as_it_is() -> None:
    assert TOGETHER.applied(scenario()) == scenario()
