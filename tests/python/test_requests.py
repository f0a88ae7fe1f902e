"""Requests on one connection: a row each, whose time counts from the request."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs

Cli = Callable[..., Any]
PATH = fs.NetworkPath(rate="20Mbps", rtt="60ms")
WARM = ["reset: startup=hystart", "kept: startup=hystart restart=keep"]


def compared(**options: object) -> fs.Comparison:
    arguments: dict[str, Any] = {
        "variants": WARM,
        "sizes": ["100kB"],
        "uncertainty": False,
    } | options
    result: fs.Comparison = fs.compare(PATH, **arguments)
    return result


def test_every_request_has_a_row_with_its_own_time() -> None:
    result = compared(requests=3, idle=10)
    rows = result.frame.filter(variant="reset").sort("request").to_dicts()
    assert [row["request"] for row in rows] == [1, 2, 3]
    assert {row["size_bytes"] for row in rows} == {100_000}
    # SYN, SYN/ACK, request, and three flights of the response; later ones need no handshake.
    assert rows[0]["fct_s"] == pytest.approx(0.265, abs=0.001)
    assert rows[1]["fct_s"] == pytest.approx(rows[0]["fct_s"] - 0.06, abs=0.001)
    assert rows[2]["fct_s"] == rows[1]["fct_s"]


def test_a_window_that_an_idle_time_does_not_shrink_saves_round_trips() -> None:
    result = compared(requests=2, idle=10)
    changes = {(s.startup, s.request): s.change for s in result.summaries}
    assert changes["kept", 1] == 0
    assert changes["kept", 2] == pytest.approx(-0.5, abs=0.02)


def test_requests_without_idle_time_keep_the_window_in_both() -> None:
    result = compared(requests=2)
    assert all(s.change == 0 for s in result.summaries)


def test_the_exit_is_in_the_row_of_the_request_in_which_it_happens() -> None:
    result = compared(requests=2, idle=10, sizes=["1MB"])
    rows = result.frame.filter(variant="reset").sort("request")
    assert rows["startup_exit_reason"].to_list() == ["ack-train", None]


def test_packets_of_the_requests_add_up_to_those_of_the_connection() -> None:
    result = compared(requests=2, idle=10, sizes=["1MB"])
    lost = result.frame.filter(variant="kept").sort("request")["packets_dropped"].to_list()
    assert lost[0] == 0
    assert lost[1] > 0


def test_a_scenario_with_dependent_writes_is_compared_with_ranges() -> None:
    scenario = {
        "path": {"rate": "20Mbps", "rtt": "60ms"},
        "flows": [
            {
                "startup": "slow-start",
                "direction": "reverse",
                "writes": [
                    {"size": "500B", "at": "0s"},
                    {"size": "500B", "after": {"flow": 1, "write": 0}},
                ],
            },
            {
                "handshake": False,
                "writes": [{"after": {"flow": 0, "write": n}} for n in range(2)],
            },
        ],
    }
    result = fs.compare(scenario, startups=["slow-start", "hystart"], sizes=["20kB"])
    assert [s.group.name for s in result.summaries][::2] == [
        "20 kB, request 1",
        "20 kB, request 2",
    ]
    assert result.frame["tested"].all()


def test_the_command_repeats_the_comparison(cli: Cli) -> None:
    text = "compare --rate 20Mbps --rtt 60ms --size 100kB --requests 2 --idle 10s"
    shown = cli(*text.split(), "--variant", WARM[0], "--variant", WARM[1])
    assert "Fastest for 100 kB, request 2: kept, 50 % faster than reset" in shown.out
    assert "--requests 2 --idle 10s" in " ".join(shown.out.split())
    listed = json.loads(cli(*text.split(), "--no-uncertainty", "--json").out)
    assert {row["request"] for row in listed["rows"]} == {1, 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--idle 10s", "--idle: `10s` changes nothing: a connection has one transfer; give"),
        ("--requests 2 --flows 3", "--flows: `3` changes nothing: the requests have one"),
        ("--requests 2 --idle 10", "--idle: `10` is not a time with a unit"),
        ("--requests 2 --size 10", "--size: `10` is not a size with a unit"),
        ("--requests 1", "--requests: `1` is not a whole number from 2 on"),
    ],
)
def test_requests_that_are_wrong_get_one_line(cli: Cli, options: str, message: str) -> None:
    found = cli(*["compare", "--rate", "20Mbps", "--rtt", "60ms"], *options.split())
    assert found.status == 2
    assert message in found.err
    assert found.err.count("\n") == 1
