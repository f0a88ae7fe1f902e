"""Paths written as for `tc`."""

from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart import _native
from flowstart.model.path import named_fields, named_paths

Cli = Callable[..., Any]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            "netem delay 40ms loss 1% rate 20mbit",
            # 1000 packets, less 40 ms of 1500 bytes at 20 Mbit/s.
            {"rtt": "40ms", "rate": "20Mbps", "loss": "1%", "buffer": "933pkt"},
        ),
        (
            "tc qdisc add dev eth0 root netem delay 300ms 30ms rate 144mbit limit 8000",
            {
                "rtt": "270ms",
                "rate": "144Mbps",
                "jitter": "uniform:most=60ms",
                "buffer": "4400pkt",
            },
        ),
        (
            "netem delay 40ms 5ms distribution normal; tbf rate 20mbit burst 10kb latency 50ms",
            {
                "rtt": "25ms",
                "rate": "20Mbps",
                "jitter": "normal:mean=15ms,sd=5ms",
                "buffer": "135240B",
            },
        ),
        (
            "tbf rate 1mbps burst 2kb limit 30000",
            {"rtt": "0s", "rate": "8Mbps", "buffer": "30000B"},
        ),
    ],
)
def test_the_words_of_tc_are_a_path(text: str, fields: dict[str, str]) -> None:
    assert named_fields(text) == fields
    assert fs.NetworkPath.named(text).rate == fields["rate"]


def test_no_named_path_is_read_as_words_of_tc() -> None:
    assert not any(map(_native.netem, named_paths()))


def test_a_comparison_runs_on_it_and_can_be_repeated(cli: Cli) -> None:
    text = "netem delay 40ms rate 20mbit"
    shown = cli("compare", "--path", text, "--size", "10kB", "--no-uncertainty").out
    assert shown.startswith("20Mbps, 40ms, BDP 66 packets, buffer 933pkt")
    assert f"Reproduce: flowstart compare --path '{text}'" in shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("netem delay 300ms rate 144mbit limit 1000", "limit of 1,000 packets includes the 3,600"),
        ("netem delay 40ms corrupt 1%", "netem `corrupt`: delay, distribution, loss, rate and"),
        ("netem delay 40ms 5ms 25%", "`25%`: correlated delays are not simulated"),
        ("netem delay 4ms 5ms rate 1mbit", "a delay of `4ms` with more jitter"),
        ("netem delay 40ms 5ms distribution pareto", "distribution `pareto`: `normal` and"),
        ("netem loss state 1%", "loss `state`: a share is needed, such as `1%`"),
        ("netem rate 5", "`5`: a rate, such as `20mbit` is needed"),
        ("netem delay", "a time, such as `40ms` is missing at the end"),
        ("tbf rate 20mbit burst 10kb", "tbf: `latency` or `limit` is missing"),
        ("netem rate 1mbit; tbf rate 2mbit latency 5ms", "`rate` is given twice"),
    ],
)
def test_words_that_are_wrong_get_one_line(cli: Cli, text: str, message: str) -> None:
    found = cli("compare", "--path", text)
    assert found.status == 2
    assert message in found.err
    assert found.err.startswith("flowstart: --path: ")
    assert found.err.count("\n") == 1
