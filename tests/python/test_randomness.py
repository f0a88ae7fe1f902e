"""What is drawn at random, and what that means for seeds."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart.model.document import resolve
from flowstart.model.perturbation import drawn

Cli = Callable[..., Any]
LINE = ("compare", "--rate", "5Mbps", "--rtt", "64ms", "--size", "200kB", "--startup", "slow-start")

PLAIN: dict[str, Any] = {"path": {"rate": "5Mbps", "rtt": "60ms"}, "flows": [{"size": "300kB"}]}


def but(**parts: Any) -> dict[str, Any]:
    """The plain scenario with other parts; those of the path beside its rate and round trip."""
    path = PLAIN["path"] | parts.pop("path", {})
    return PLAIN | {"path": path} | parts


RANDOM = {
    "loss": but(path={"loss": "1%"}),
    "loss back": but(path={"reverse_loss": "3%"}),
    "loss of a hop": but() | {"path": {"hops": [{"rate": "5Mbps", "delay": "9ms", "loss": "2%"}]}},
    "red": but(path={"queue": "red"}),
    "choke": but(path={"queue": "choke"}, flows=[{"size": "1MB", "count": 2}]),
    "pie": but(path={"queue": "pie", "buffer": "200pkt"}, flows=[{"size": "9MB"}]),
    "rate": but(path={"rate_variation": "wander:sigma=0.4"}),
    "aggregation": but(path={"aggregation": "exponential:mean=4ms"}),
    "jitter": but(path={"jitter": "uniform:most=5ms"}),
    "interrupts": but(stack={"interrupt_max": "900us"}),
    "openings": but(flows=[{"size": "30kB", "jitter": "1s"}]),
    "web": but(web=[{"size": "exponential:mean=9"}]),
}
"""Scenarios of which two seeds tell different things."""
FIXED = {
    "plain": but(),
    "codel": but(path={"queue": "codel"}),
    "marked-first": but(path={"queue": "marked-first"}),
    "constant laws": but(path={"aggregation": "4ms", "jitter": "constant:2ms"}),
    "everything lost": but(path={"loss": "100%"}),
    "ripple": but(path={"ripple": "9ms", "ripple_period": "2s"}),
    "web of constants": but(web=[{"size": "9", "sessions": 2, "interval": "50ms"}]),
    "batches": but(path={"ack_batch": "2ms", "router_pps": 900}),
    "routers": but(path={}, flows=[{"size": "90kB", "startup": "quick-start"}]),
}


def outcome(document: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    rows = fs.run(document | {"seed": seed}).records
    return [row | {"seed": None} for row in rows]


@pytest.mark.parametrize("document", RANDOM.values(), ids=RANDOM.keys())
def test_what_is_drawn_is_named_where_seeds_differ(document: dict[str, Any]) -> None:
    assert drawn(resolve(document))
    assert any(outcome(document, seed) != outcome(document, 1) for seed in (2, 3, 4))


@pytest.mark.parametrize("document", FIXED.values(), ids=FIXED.keys())
def test_nothing_is_named_where_all_seeds_agree(document: dict[str, Any]) -> None:
    assert drawn(resolve(document)) == []
    assert all(outcome(document, seed) == outcome(document, 1) for seed in (2, 3))


def test_one_seed_of_a_random_path_is_said_to_be_one(cli: Cli) -> None:
    note = "drawn at random: loss. Another seed may give another answer: --repeat 20"
    words = (*LINE, "--loss", "1%", "--no-uncertainty")
    assert note in cli(*words).out.replace("\n", " ")
    document = json.loads(cli(*words, "--json").out)
    assert document["drawn"] == ["loss"]
    assert any("--repeat 20" in note for note in document["notes"])


def test_several_seeds_and_a_path_without_randomness_need_no_warning(cli: Cli) -> None:
    assert "drawn at random" not in cli(*LINE, "--loss", "1%", "--repeat", "2").out
    assert "drawn at random" not in cli(*LINE).out


def test_equal_repeats_are_run_once_and_not_counted(cli: Cli) -> None:
    answer = cli(*LINE, "--repeat", "5", "--json")
    document = json.loads(answer.out)
    assert len(document["rows"]) == 1
    assert document["seeds"] == [1]
    assert "it was run once, not 5 times" in document["notes"][-1]
    assert document["rows"] == json.loads(cli(*LINE, "--json").out)["rows"]
    assert "nothing here is drawn at random" in cli(*LINE, "--repeat", "5").out


def test_repeats_of_a_random_path_are_all_counted() -> None:
    found = fs.compare(
        fs.NetworkPath(rate="5Mbps", rtt="64ms", queue="red"), sizes=["1MB"], repeat=3
    )
    assert found.plan.seeds == (1, 2, 3)
    assert found.summaries[0].flows == 3


def test_where_no_transfer_is_completed_the_command_fails(cli: Cli) -> None:
    answer = cli(*LINE, "--loss", "100%")
    assert answer.status == 1
    assert "200 kB: no transfer was completed" in answer.out
    assert answer.err == ("flowstart: no transfer was completed; what became of them is above\n")


def test_a_run_that_its_duration_cuts_short_has_not_failed() -> None:
    document = but(duration="1s", flows=[{"size": "100MB"}])
    found = fs.compare(document, startups=["slow-start"])
    assert not found.records[0]["complete"]
    assert not found.all_failed
