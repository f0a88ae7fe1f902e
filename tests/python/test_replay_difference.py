"""Causes of recordings that a replay does not reproduce, in captures of a simulated server."""

import pathlib
from collections.abc import Callable
from typing import Any

import flowstart as fs
from flowstart.captures import read_capture
from flowstart.replays.answer import Questions
from flowstart.replays.calibration import calibrate
from flowstart.replays.command import Invocation
from flowstart.replays.paths import build, facts
from flowstart.replays.request import settings_of
from flowstart.replays.validity import examine

Cli = Callable[..., Any]
FIELD = pathlib.Path(__file__).parent.parent / "data" / "captures" / "field"
COUNT = 8
PATH = {"rate": "50Mbps", "rtt": "80ms", "buffer": "300pkt"}


RATE = {"network": ["*:rate=50Mbps"]}


def examined(
    folder: pathlib.Path, size: str, options: dict[str, Any], **scenario: Any
) -> tuple[str, tuple[str, ...]]:
    """The probable cause that a replay of a server's transfers finds, and the remedies."""
    flows = [{"size": size, "count": COUNT, "stagger": "9s", "opener": "receiver"}]
    usual = {"path": PATH, "stack": {"preset": "linux"}, "flows": flows}
    run = fs.run(usual | scenario, packets=range(COUNT))
    for flow in range(COUNT):
        (folder / f"{flow}.pcap").write_bytes(run.pcap(flow))
    capture = read_capture(folder)
    settings = settings_of(options, startups=None, capture=capture)
    paths = build(capture, settings, {})
    invocation = Invocation(capture, settings, Questions())
    calibration = calibrate(capture, settings)
    check = examine(invocation, paths, facts(paths, settings), 0, calibration).checks[1]
    assert check.holds is False
    return check.cause, check.remedy


def test_a_first_flight_larger_than_the_assumed_window_is_named(tmp_path: pathlib.Path) -> None:
    stack = {"preset": "linux", "iw": 32}
    cause, remedy = examined(tmp_path, "40kB", RATE, stack=stack)
    assert cause == (
        f"window: {COUNT} of {COUNT} transfers passed in one flight, of 28 segments; the simulated "
        "initial window is 10"
    )
    assert "initcwnd" in remedy[0]
    assert remedy[1].endswith("--variant now:iw=28 --baseline now")
    assert f"flowstart replay {tmp_path} " in remedy[1], "a folder stands for its files"


def test_losses_of_the_recording_that_the_simulation_lacks_are_named(
    tmp_path: pathlib.Path,
) -> None:
    cause, remedy = examined(tmp_path, "400kB", RATE, path=PATH | {"loss": "3%"})
    assert cause.startswith(("losses: 2.", "losses: 3."))
    assert cause.endswith("of packets were sent again, and 0 % are dropped in the simulation")
    assert "--loss " in remedy[0]


def test_a_send_buffer_is_named_with_the_data_under_way(tmp_path: pathlib.Path) -> None:
    stack = {"preset": "linux", "send_buffer": "64kB"}
    cause, remedy = examined(tmp_path, "1MB", RATE, stack=stack)
    assert cause.startswith(f"application or send buffer: {COUNT} of {COUNT} transfers had no loss")
    assert cause.endswith("with about 41 kB under way")
    assert "sndbuf_limited" in remedy[0]


def test_a_rate_below_what_passed_is_named(tmp_path: pathlib.Path) -> None:
    cause, remedy = examined(tmp_path, "3MB", {"network": ["*:rate=3Mbps"]})
    assert cause.startswith(f"rate: {COUNT} of {COUNT} transfers passed at more than the simulated")
    assert "of 3 Mbps" in cause
    assert "--network 198.51.100.0/24:rate=" in remedy[0]


def test_a_buffer_that_is_too_small_is_named(tmp_path: pathlib.Path) -> None:
    given = {"network": ["*:rate=50Mbps,buffer=5pkt"]}
    cause, remedy = examined(tmp_path, "600kB", given)
    assert cause.startswith("buffer: ")
    assert cause.endswith("in the simulation, and 0 % were sent again")
    assert ":buffer=" in remedy[0]


def test_a_transfer_without_a_handshake_has_no_more_under_way_than_its_size(cli: Cli) -> None:
    options = ("--rtt", "40ms", "--rate", "50Mbps")
    out = " ".join(cli("replay", FIELD / "clock-set-back.pcap", *options).out.split())
    assert (
        "1 of 1 transfer had no losses and took longer than rate and windows allow, with about "
        "5 kB under way." in out
    )
