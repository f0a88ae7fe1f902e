"""Causes of recordings that a replay does not reproduce, in captures of a simulated server."""

import pathlib
from collections.abc import Callable
from typing import Any

import flowstart as fs
from flowstart.captures import read_capture
from flowstart.inference import Check
from flowstart.questions.replay import ReplayQuestion
from flowstart.replays.answer import Questions
from flowstart.replays.calibration import calibrate
from flowstart.replays.command import Invocation
from flowstart.replays.paths import build, facts
from flowstart.replays.request import question_of, settings_of
from flowstart.replays.validity import examine

Cli = Callable[..., Any]
FIELD = pathlib.Path(__file__).parent.parent / "data" / "captures" / "field"
COUNT = 8
PATH = {"rate": "50Mbps", "rtt": "80ms", "buffer": "300pkt"}


RATE = {"networks": ["*:rate=50Mbps"]}


def examined(
    folder: pathlib.Path, size: str, options: dict[str, Any], **scenario: Any
) -> tuple[str, tuple[str, ...]]:
    """The probable cause that a replay of a server's transfers finds, and the remedies."""
    check = check_of(folder, size, options, **scenario)
    return check.cause, check.remedy


def check_of(folder: pathlib.Path, size: str, options: dict[str, Any], **scenario: Any) -> Check:
    """The failing answer of a replay of a server's transfers."""
    flows = [{"size": size, "count": COUNT, "stagger": "9s", "opener": "receiver"}]
    usual = {"path": PATH, "stack": {"preset": "linux"}, "flows": flows}
    run = fs.run(usual | scenario, packets=range(COUNT))
    for flow in range(COUNT):
        (folder / f"{flow}.pcap").write_bytes(run.pcap(flow))
    capture = read_capture(folder)
    settings = settings_of(ReplayQuestion("mine.pcap", **question_of(options)), capture)
    paths = build(capture, settings, {})
    invocation = Invocation(capture, settings, Questions())
    calibration = calibrate(capture, settings)
    check = examine(invocation, paths, facts(paths, settings), 0, calibration).checks[1]
    assert check.holds is False
    return check


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
    stack = {"preset": "freebsd-14", "send_buffer": "64kB"}
    cause, remedy = examined(tmp_path, "1MB", RATE, stack=stack)
    assert cause.startswith(f"application, send buffer or pacing: {COUNT} of {COUNT} transfers had")
    assert cause.endswith("with about 40 kB under way")
    assert "sndbuf_limited" in remedy[0]


def test_the_pacing_of_senders_is_named(tmp_path: pathlib.Path) -> None:
    stack = {"preset": "linux", "pacing": "internal", "pacing_max": "20Mbps"}
    cause, remedy = examined(tmp_path, "1MB", RATE, stack=stack)
    assert cause.startswith(
        f"pacing of the sender: {COUNT} of {COUNT} transfers had no losses and were paced, at about"
    )
    assert "pacing_rate" in remedy[0]


def test_a_receive_window_below_what_the_path_holds_is_named(tmp_path: pathlib.Path) -> None:
    stack = {"preset": "linux", "window": "45pkt"}
    path = {"rate": "100Mbps", "rtt": "60ms", "buffer": "150pkt"}
    cause, remedy = examined(tmp_path, "600kB", {}, path=path, stack=stack)
    assert cause.startswith(
        f"receive window: {COUNT} of {COUNT} transfers had less than rate × round trip on offer"
    )
    assert cause.endswith("down to 49 kB of 750 kB")
    assert "tcp_rmem" in remedy[0]


def test_a_rate_below_what_passed_is_named(tmp_path: pathlib.Path) -> None:
    cause, remedy = examined(tmp_path, "3MB", {"networks": ["*:rate=3Mbps"]})
    assert cause.startswith(f"rate: {COUNT} of {COUNT} transfers passed at more than the simulated")
    assert "of 3 Mbps" in cause
    assert "--network 198.51.100.0/24:rate=" in remedy[0]


def test_a_buffer_that_is_too_small_is_named(tmp_path: pathlib.Path) -> None:
    given = {"networks": ["*:rate=50Mbps,buffer=5pkt"]}
    cause, remedy = examined(tmp_path, "600kB", given)
    assert cause.startswith("buffer: 0 % of packets were sent again, and ")
    assert cause.endswith(" are dropped in the simulation")
    assert ":buffer=" in remedy[0]


def test_losses_that_the_simulation_lacks_are_not_reproduced_although_times_agree(
    tmp_path: pathlib.Path,
) -> None:
    shallow = {"rate": "10Mbps", "rtt": "60ms", "buffer": "12pkt"}
    check = check_of(tmp_path, "300kB", {}, path=shallow)
    assert "median error 10 %" in check.finding, "the limit is 15 %"
    assert check.reason.endswith(
        "198.51.100.0/24: 10 % of packets were sent again, and 0 % are dropped in the simulation "
        "(limit: 2 times, and 1 % of packets)"
    )
    assert check.cause.startswith("a policer, or a buffer smaller than simulated: 10 % of packets")


def test_an_application_that_writes_slowly_is_not_reproduced_although_times_agree(
    tmp_path: pathlib.Path,
) -> None:
    path = {"rate": "50Mbps", "rtt": "60ms", "buffer": "150pkt"}
    writes = [{"size": "4kB", "at": f"{4 * number}ms"} for number in range(100)]
    flows = [{"writes": writes, "count": COUNT, "stagger": "9s", "opener": "receiver"}]
    check = check_of(tmp_path, "400kB", {}, path=path, flows=flows)
    assert check.reason.endswith(
        "100 % of transfers lack losses and took over 5 % longer than in the simulation "
        "(limit 20 %)"
    )
    assert check.cause.startswith(
        "application, send buffer or pacing: 8 of 8 transfers had no loss"
    )


def test_losses_of_a_policer_are_not_replayed_as_losses_by_chance(tmp_path: pathlib.Path) -> None:
    policed = {"rate": "100Mbps", "policer_rate": "10Mbps", "policer_burst": "100kB"}
    path = PATH | {"rtt": "60ms", "buffer": "150pkt"} | policed
    cause, remedy = examined(tmp_path, "800kB", {}, path=path)
    assert cause.startswith("a policer, or a buffer smaller than simulated: 26 % of packets were")
    assert not any("--loss" in command for command in remedy)
    assert remedy[0].endswith(":buffer=100pkt")
    assert ":rate=8." in remedy[1], "the sustained rate, not that of the burst"


def test_a_transfer_without_a_handshake_has_no_more_under_way_than_its_size(cli: Cli) -> None:
    options = ("--rtt", "40ms", "--rate", "50Mbps")
    out = " ".join(cli("replay", FIELD / "clock-set-back.pcap", *options).out.split())
    assert (
        "1 of 1 transfer had no losses and took longer than rate and windows allow, with about "
        "5 kB under way." in out
    )
