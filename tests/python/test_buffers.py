"""The buffer that nobody gave, and the one that is smaller than it may have been meant."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs

Cli = Callable[..., Any]
NEIGHBOURS = ("compare", "--rate", "1Gbps", "--rtt", "60us", "--size", "45kB")


def buffer(path: fs.NetworkPath) -> str | None:
    return fs.compare(path, startups=["slow-start"], sizes=["10kB"]).buffer


def test_the_usual_buffer_is_1_bdp_but_at_least_what_the_help_says(cli: Cli) -> None:
    assert buffer(fs.NetworkPath(rate="50Mbps", rtt="80ms")) == "333pkt"
    assert buffer(fs.NetworkPath(rate="1Gbps", rtt="60us")) == "40pkt"
    words = cli("compare", "--help").out.split()
    assert "[1bdp, at least 40pkt]" in " ".join(words)


def test_the_usual_buffer_does_not_lose_what_neighbours_send_each_other(cli: Cli) -> None:
    rows = json.loads(cli(*NEIGHBOURS, "--json").out)["rows"]
    assert sum(row["packets_dropped"] for row in rows if row["startup"] == "slow-start") == 0


def test_a_bdp_that_is_a_handful_stays_and_is_warned_of(cli: Cli) -> None:
    answer = cli(*NEIGHBOURS, "--buffer", "1bdp", "--json")
    document = json.loads(answer.out)
    assert document["buffer"] == "5pkt"
    [warning] = document["warnings"]
    assert warning.startswith("buffer `1bdp` is 5 packets here, less than one initial window of 10")
    assert answer.err == f"flowstart: warning: {warning}\n"


@pytest.mark.parametrize("given", ["5pkt", "20bdp", "7500B"])
def test_a_small_buffer_in_packets_and_a_large_one_are_as_meant(cli: Cli, given: str) -> None:
    answer = cli(*NEIGHBOURS, "--buffer", given, "--json")
    assert (answer.err, json.loads(answer.out)["warnings"]) == ("", [])


@pytest.mark.parametrize("stack", [("--iw", "3"), ("--stack", "ns2:iw=3"), ("--stack", "ns2")])
def test_a_buffer_is_measured_by_the_initial_window_that_the_stack_has(
    cli: Cli, stack: tuple[str, str]
) -> None:
    line = ("compare", "--rate", "10Mbps", "--rtt", "5ms", "--size", "10kB")
    assert cli(*line, "--buffer", "1bdp", *stack).err == ""


def test_a_buffer_below_a_small_initial_window_is_warned_of_with_that(cli: Cli) -> None:
    line = ("compare", "--rate", "10Mbps", "--rtt", "5ms", "--size", "10kB", "--iw", "3")
    answer = cli(*line, "--buffer", "0.25bdp")
    assert "`0.25bdp` is one packet here, less than one initial window of 3, so" in answer.err


def test_the_way_back_and_each_hop_are_warned_of_by_name() -> None:
    back = fs.NetworkPath(rate="50Mbps", rtt="80ms", buffer="1bdp", reverse_rate="1Mbps")
    [warning] = fs.compare(back, startups=["slow-start"], sizes=["10kB"]).warnings
    assert warning.startswith(
        "reverse_buffer `1bdp` is 6 packets here, less than the acknowledgements of one initial "
        "window (up to 10), so losses of acknowledgements are"
    )
    hop = {"rate": "50Mbps", "delay": "100us"}
    chain = {"path": {"hops": [hop, hop | {"buffer": "1bdp"}]}, "flows": [{"size": "9kB"}]}
    [warning] = fs.compare(chain, startups=["slow-start"]).warnings
    assert warning.startswith("hops[1].buffer `1bdp` is one packet here")
