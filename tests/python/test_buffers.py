"""The buffer that nobody gave, and the one that is smaller than it may have been meant."""

import json
from collections.abc import Callable
from typing import Any

import flowstart as fs

Cli = Callable[..., Any]
NEIGHBOURS = ("compare", "--rate", "1Gbps", "--rtt", "60us", "--size", "45kB")


def buffer(path: fs.Path) -> str | None:
    return fs.compare(path, startups=["slow-start"], sizes=["10kB"]).buffer


def test_the_usual_buffer_is_1_bdp_but_at_least_what_the_help_says(cli: Cli) -> None:
    assert buffer(fs.Path(rate="50Mbps", rtt="80ms")) == "333pkt"
    assert buffer(fs.Path(rate="1Gbps", rtt="60us")) == "40pkt"
    assert "[1bdp, at least 40pkt]" in " ".join(cli("compare", "--help").out.split())


def test_the_usual_buffer_does_not_lose_what_neighbours_send_each_other(cli: Cli) -> None:
    rows = json.loads(cli(*NEIGHBOURS, "--json").out)["rows"]
    assert sum(row["packets_dropped"] for row in rows if row["startup"] == "slow-start") == 0
