"""What captures measure of senders and paths, and what follows from it for a replay."""

import dataclasses
import pathlib
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from flowstart.captures import read_capture
from flowstart.captures.contents import Capture, Group
from flowstart.captures.senders import initial_windows, senders
from flowstart.replays.paths import build, passed_rates
from flowstart.replays.request import settings_of
from initial_windows import judge, measure, sender

Cli = Callable[..., Any]
WEB_MIX = pathlib.Path(__file__).parent.parent / "data" / "captures" / "web-mix.pcap.gz"


def captured(cli: Cli, folder: pathlib.Path, stack: str, size: str = "120kB") -> Capture:
    """What four transfers of a server look like."""
    scenario = folder / "scenario.toml"
    scenario.write_text(
        f"""path = {{ rate = "50Mbps", rtt = "80ms", buffer = "300pkt" }}
stack = {stack}
flows = [{{ size = "{size}", count = 4, stagger = "3s", opener = "receiver" }}]
"""
    )
    answer = cli("run", scenario, "--pcap", "0,1,2,3", "-o", folder / "out")
    assert answer.status == 0, answer.err
    return read_capture(*sorted((folder / "out").glob("*.pcap")))


@pytest.mark.parametrize(
    ("stack", "window"),
    [
        ("{ preset = 'linux' }", 10),
        ("{ preset = 'linux', iw = 32 }", 32),
        ("{ preset = 'linux', iw = 1 }", 1),
        ("{ preset = 'rfc', iw = 4 }", 4),
        ("{ preset = 'linux', iw = 24, pacing = 'internal' }", 24),
    ],
)
def test_the_initial_window_is_measured(
    cli: Cli, tmp_path: pathlib.Path, stack: str, window: int
) -> None:
    capture = captured(cli, tmp_path, stack)
    assert initial_windows(capture.connections, "s2c") == {window: 4}


def test_transfers_within_the_window_do_not_show_it(cli: Cli, tmp_path: pathlib.Path) -> None:
    capture = captured(cli, tmp_path, "{ preset = 'linux' }", size="10kB")
    row = senders(capture.connections).filter(direction="s2c").row(0, named=True)
    assert (row["initial_window_count"], row["initial_window"]) == (0, None)


def test_the_baseline_of_a_replay_has_the_measured_window(cli: Cli, tmp_path: pathlib.Path) -> None:
    capture = captured(cli, tmp_path, "{ preset = 'linux', iw = 24 }")
    settings = settings_of({}, startups=None, capture=capture)
    assert settings.reference.fields["iw"] == "24"
    # IW 20 would be a step back.
    assert settings.names[:3] == ("current", "IW30", "paced")
    given = settings_of({"stack": "linux:iw=10"}, startups=None, capture=capture)
    assert given.recorded.fields.get("iw") is None


def test_a_capture_of_ten_segments_leaves_the_settings_as_they_are() -> None:
    settings = settings_of({}, startups=None, capture=read_capture(WEB_MIX))
    assert settings.hosts.facts == {"iw": "10"}
    assert settings.compared == settings_of({}, startups=None).compared


TRUE_BPS = {"1": 5e6, "2": 20e6, "3": 100e6, "4": 50e6, "5": 10e6}
"""The rates of web-mix's paths, by the number in the network's name."""


def test_no_transfer_passes_faster_than_its_path() -> None:
    passed = passed_rates(read_capture(WEB_MIX))
    assert len(passed) > 10
    for (network, _), bps in passed.items():
        number = network.split(".")[2] if "." in network else network.split(":")[1]
        assert 0 < bps <= TRUE_BPS[number]


def test_a_borrowed_rate_is_no_lower_than_what_has_passed() -> None:
    capture = read_capture(WEB_MIX)

    def unknown(group: Group) -> Group:
        ways = [dataclasses.replace(way, rate_bps=None) for way in group.ways]
        return dataclasses.replace(group, to_remote=ways[0], from_remote=ways[1])

    name = "10.9.3.0/24"
    groups = [unknown(group) if group.network == name else group for group in capture.groups]
    capture = dataclasses.replace(capture, groups=groups)
    [path] = [p for p in build(capture, settings_of({}, startups=None), {}) if p.name == name]
    # The median of the other networks' is 19.9 Mbit/s.
    assert path.rates_bps[0] == pytest.approx(61.2e6, rel=0.01)
    assert "what has passed" in path.rate_method
    assert "rate" in path.assumed


@pytest.mark.slow
def test_windows_of_simulated_senders_are_right_or_unknown(tmp_path: pathlib.Path) -> None:
    drawn = [sender(number) for number in range(200)]
    verdicts = [judge(one, measure(one, tmp_path)) for one in drawn]
    wrong = [one for one, verdict in zip(drawn, verdicts, strict=True) if verdict == "wrong"]
    assert not wrong
    # Where a jitter or a slow path hides the ends of flights, nothing is measured.
    hidden = ("jitter", "slow path")
    clear = [v for one, v in zip(drawn, verdicts, strict=True) if one.kind not in hidden]
    assert clear.count("right") / len(clear) >= 0.95


def test_flights_of_a_kernel_are_ten_segments_unless_the_handshake_was_repeated() -> None:
    # With TCP Fast Open the first flight precedes the RTT. Linux begins with one segment where it
    # repeated its SYN-ACK more than once.
    rows = read_capture(WEB_MIX).connections.filter(pl.col("s2c_initial_window").is_not_null())
    plain = rows.filter(pl.col("syn_acks") <= 2)["s2c_initial_window"]
    assert len(plain) >= 80
    assert set(plain) == {10}
    assert set(rows.filter(pl.col("syn_acks") > 2)["s2c_initial_window"]) == {1}
