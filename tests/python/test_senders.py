"""What captures measure of senders and paths, and what follows from it for a replay."""

import collections
import dataclasses
import pathlib
from collections.abc import Callable
from typing import Any, Literal

import polars as pl
import pytest

import flowstart as fs
import sender_facts
from flowstart.captures import read_capture
from flowstart.captures.contents import Capture, PathEstimate, RemoteNetwork
from flowstart.captures.senders import initial_windows, senders
from flowstart.model.variants import Variant
from flowstart.questions.replay import ReplayQuestion
from flowstart.replays import overview
from flowstart.replays.paths import build, passed_rates
from flowstart.replays.request import settings_of
from initial_windows import judge, measure, sender

Cli = Callable[..., Any]
WEB_MIX = pathlib.Path(__file__).parent.parent / "data" / "captures" / "web-mix.pcap.gz"


def captured(
    cli: Cli, folder: pathlib.Path, stack: str, size: str = "120kB", count: int = 4
) -> Capture:
    """What transfers of a server look like."""
    scenario = folder / "scenario.toml"
    scenario.write_text(
        f"""path = {{ rate = "50Mbps", rtt = "80ms", buffer = "300pkt" }}
stack = {stack}
flows = [{{ size = "{size}", count = {count}, stagger = "3s", opener = "receiver" }}]
"""
    )
    answer = cli("run", scenario, "--pcap", ",".join(map(str, range(count))), "-o", folder / "out")
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
    settings = settings_of(ReplayQuestion("mine.pcap"), capture)
    assert settings.reference.fields["iw"] == "24"
    # IW 20 would be a step back.
    assert settings.names[:3] == ("current", "IW30", "paced")
    given = settings_of(ReplayQuestion("mine.pcap", stack="linux:iw=10"), capture)
    assert given.recorded.fields.get("iw") is None


def windows_of(capture: Capture, windows: dict[int, int]) -> Capture:
    """A capture of connections with these initial windows, each of an address of its own."""
    rows = [
        capture.connections[:1].with_columns(
            s2c_initial_window=pl.lit(window, pl.UInt32), server_ip=pl.lit(f"192.0.2.{window}")
        )
        for window, count in windows.items()
        for _ in range(count)
    ]
    return dataclasses.replace(capture, connections=pl.concat(rows))


def test_windows_of_senders_that_differ_are_named_with_their_shares() -> None:
    capture = windows_of(read_capture(WEB_MIX), {10: 50, 32: 10, 4: 2})
    hosts = settings_of(ReplayQuestion("mine.pcap"), capture).hosts
    shares = {one.segments: (round(one.share, 2), one.addresses) for one in hosts.windows}
    # Those of fewer than 5 % are within the limit of harm.
    assert shares == {10: (0.81, ("192.0.2.10",)), 32: (0.16, ("192.0.2.32",))}


@pytest.mark.parametrize(("window", "back"), [(30, 32), (32, 32), (33, None)])
def test_a_window_no_larger_than_one_in_use_is_a_step_back(window: int, back: int | None) -> None:
    capture = windows_of(read_capture(WEB_MIX), {10: 50, 32: 10})
    hosts = settings_of(ReplayQuestion("mine.pcap"), capture).hosts
    found = hosts.step_back(Variant.parse(f"new: startup=hystart iw={window}"))
    assert (found and found.segments) == back
    assert hosts.step_back(Variant.parse("new: cc=bbr")) is None


def test_no_setting_is_recommended_that_reduces_the_window_of_some_senders(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    capture = captured(cli, tmp_path, "{ preset = 'linux' }", size="60kB", count=60)
    options: Any = {"networks": ["*:rate=50Mbps,buffer=300pkt"], "seed": 1}
    options |= {"variants": ["IW30: startup=hystart iw=30"]}
    assert fs.replay(capture, **options).verdict.recommended == "IW30"
    rows = pl.int_range(pl.len())
    mixed = capture.connections.with_columns(
        s2c_initial_window=pl.when(rows < 6).then(32).otherwise(10).cast(pl.UInt32),
        server_ip=pl.when(rows < 6).then(pl.lit("192.0.2.2")).otherwise("server_ip"),
    )
    replay = fs.replay(dataclasses.replace(capture, connections=mixed), **options)
    assert replay.verdict.recommended is None
    judged = replay.verdict.of("IW30")
    assert judged and judged.cause == "inconclusive: senders"
    assert judged.reason.endswith("but 10 % of connections have IW 32 already")
    objection = replay.verdict.objection
    assert objection and objection.remedy[0].endswith("-w mine.pcap host 192.0.2.1")
    (line,) = overview.initial_windows(replay)
    assert "10 for 90 % of connections (192.0.2.1)" in line


def test_a_capture_of_ten_segments_leaves_the_settings_as_they_are() -> None:
    settings = settings_of(ReplayQuestion("mine.pcap"), read_capture(WEB_MIX))
    assert settings.hosts.facts == {"iw": "10"}
    assert settings.compared == settings_of(ReplayQuestion("mine.pcap")).compared


PATH = {"rtt": "40ms", "rate": "50Mbps", "buffer": "100pkt"}
FREEBSD = {"stack": {"preset": "freebsd-14"}}


def transfers(
    folder: pathlib.Path,
    flow: dict[str, Any],
    side: Literal["sender", "receiver"] = "sender",
    *,
    stack: dict[str, Any] | None = None,
    path: dict[str, Any] | None = None,
) -> Capture:
    """A capture of three connections over a path of 167 packets."""
    flow = {"opener": "receiver", "count": 3, "stagger": "60s"} | flow
    scenario = {"path": PATH | (path or {}), "stack": {"preset": "linux"} | (stack or {})}
    run = fs.run(scenario | {"flows": [flow]}, packets=range(3))
    files = [folder / f"{number}.pcap" for number in range(3)]
    for number, file in enumerate(files):
        file.write_bytes(run.pcap(number, side))
    return read_capture(*files)


def fact(capture: Capture, name: str) -> Any:
    """A fact of the server."""
    return capture.senders.filter(direction="s2c")[name][0]


@pytest.mark.parametrize("side", ["sender", "receiver"])
@pytest.mark.parametrize(
    ("flow", "fields", "growth", "exit_", "segments"),
    [
        ({}, {}, 2.0, "loss", 521),
        ({"startup": "slow-start:growth=per-ack"}, FREEBSD, 1.5, "loss", 402),
        ({"size": "200kB"}, {}, 2.0, "end-of-data", None),
        ({}, {"stack": {"window": "60pkt"}}, 2.0, "receiver-window", 60),
    ],
)
def test_growth_and_the_end_of_slow_start_are_measured_at_both_ends(
    tmp_path: pathlib.Path,
    side: Literal["sender", "receiver"],
    flow: dict[str, Any],
    fields: dict[str, Any],
    growth: float,
    exit_: str,
    segments: int | None,
) -> None:
    capture = transfers(tmp_path, {"size": "3MB"} | flow, side, **fields)
    assert fact(capture, "growth") == pytest.approx(growth, rel=0.02)
    assert fact(capture, "exit") == exit_
    window = segments and pytest.approx(segments * 1448, rel=0.05)
    assert fact(capture, "exit_window") == window


def test_an_exit_without_a_loss_shows_near_the_sender(tmp_path: pathlib.Path) -> None:
    flow = {"size": "3MB", "startup": "hystart"}
    assert fact(transfers(tmp_path, flow), "exit") == "no-loss"
    assert fact(transfers(tmp_path, flow, "receiver"), "exit") is None


@pytest.mark.parametrize(
    ("flow", "fields"),
    [
        ({}, {"stack": {"send_buffer": "100kB", "pacing": "internal"}}),
        ({}, {"stack": {"window": "100pkt", "send_buffer": "100kB", "pacing": "internal"}}),
        ({"startup": "bbr-startup", "cc": "bbr"}, {}),
    ],
    ids=["send buffer", "send buffer within the window", "bbr"],
)
def test_an_exit_that_has_several_possible_causes_is_unknown(
    tmp_path: pathlib.Path, flow: dict[str, Any], fields: dict[str, Any]
) -> None:
    assert fact(transfers(tmp_path, {"size": "3MB"} | flow, **fields), "exit") is None


def test_acks_that_are_stretched_show_no_exit_without_a_loss(tmp_path: pathlib.Path) -> None:
    stack = {"ack_every": 16, "ack_timer": "25ms", "preset": "freebsd-14", "iw": 32}
    path = {"ack_batch": "5ms", "ack_thinning": True, "rate": "77Mbps"}
    capture = transfers(tmp_path, {"size": "3MB"}, stack=stack, path=path)
    assert fact(capture, "exit") != "no-loss"


def test_a_loss_within_the_first_round_shows_no_exit_under_reordering(
    tmp_path: pathlib.Path,
) -> None:
    path = {"jitter": "exponential:mean=0.8ms", "reordering": True, "rate": "22.8Mbps"}
    stack = {"preset": "freebsd-14", "iw": 3}
    capture = transfers(tmp_path, {"size": "1300kB"}, "receiver", path=path, stack=stack)
    windows = capture.connections["s2c_exit_window"].drop_nulls()
    assert not (windows <= 2 * 1448).any()


def test_a_mark_ends_slow_start(tmp_path: pathlib.Path) -> None:
    path = {"queue": "codel:ecn=true", "buffer": "1000pkt"}
    capture = transfers(tmp_path, {"size": "3MB"}, path=path, stack={"ecn": "classic"})
    assert fact(capture, "exit") == "ecn-mark"


def test_pacing_shows_near_the_sender(tmp_path: pathlib.Path) -> None:
    paced = {"pacing": "internal"}
    capture = transfers(tmp_path, {"size": "1MB"}, stack=paced)
    # Linux paces slow start at two windows per round trip (tcp_pacing_ss_ratio).
    assert fact(capture, "pacing") == pytest.approx(2.0, rel=0.05)
    assert fact(capture, "paced_share") == 1.0
    assert fact(transfers(tmp_path, {"size": "1MB"}), "paced_share") == 0.0
    far = transfers(tmp_path, {"size": "1MB"}, "receiver", stack=paced)
    assert fact(far, "paced_share") is None


def test_a_token_bucket_of_the_sender_is_not_taken_for_no_pacing(tmp_path: pathlib.Path) -> None:
    bucket = {"pacing": "token-bucket"}
    assert fact(transfers(tmp_path, {"size": "2MB"}, stack=bucket), "paced_share") in (None, 1.0)


def forward(capture: Capture) -> PathEstimate:
    """The path of the server's data."""
    (group,) = capture.groups
    return max(group.ways, key=lambda way: way.bytes)


@pytest.mark.parametrize("side", ["sender", "receiver"])
@pytest.mark.parametrize(
    ("fields", "bound_mbps"),
    [
        ({"stack": {"pacing": "internal", "pacing_max": "20Mbps"}}, 12),
        ({"stack": {"window": "20pkt", "preset": "rfc"}, "path": {"jitter": "1ms"}}, 3),
        ({"path": {"aggregation": "4ms"}}, 20),
        ({"path": {"aggregation": "exponential:mean=4ms"}}, 10),
    ],
    ids=["pacing_max", "window", "wi-fi", "wi-fi, irregular"],
)
def test_a_rate_that_no_queue_shows_is_a_lower_bound(
    tmp_path: pathlib.Path,
    side: Literal["sender", "receiver"],
    fields: dict[str, Any],
    bound_mbps: float,
) -> None:
    path = forward(transfers(tmp_path, {"size": "3MB"}, side, **fields))
    assert path.rate_bps is None
    assert path.rate_low_bps
    assert bound_mbps * 1e6 <= path.rate_low_bps <= 50e6 * 1.01
    assert path.rate_method.startswith("at least")


@pytest.mark.parametrize(
    ("fields", "mbps"),
    [
        ({}, 50),
        ({"stack": {"pacing": "internal"}}, 50),
        ({"stack": {"pacing": "token-bucket"}}, 50),
        ({"path": {"shaper_rate": "20Mbps", "shaper_burst": "100kB"}}, 20),
        ({"path": {"loss": "0.3%"}}, 50),
        ({"stack": {"window": "250pkt"}}, 50),
    ],
    ids=["plain", "paced", "token bucket", "shaper", "losses", "window"],
)
def test_a_rate_at_which_packets_left_a_queue_is_the_paths(
    tmp_path: pathlib.Path, fields: dict[str, Any], mbps: float
) -> None:
    path = forward(transfers(tmp_path, {"size": "3MB"}, **fields))
    assert path.rate_bps == pytest.approx(mbps * 1e6, rel=0.03)


@pytest.mark.parametrize(
    ("flow", "path", "least"),
    [
        ({"startup": "bbr-startup", "cc": "bbr"}, {}, True),
        ({}, {"loss": "1%", "buffer": "800pkt"}, True),
        ({}, {}, False),
    ],
    ids=["bbr", "random losses", "overflow"],
)
def test_a_buffer_is_measured_where_a_full_queue_lost_packets(
    tmp_path: pathlib.Path, flow: dict[str, Any], path: dict[str, Any], *, least: bool
) -> None:
    measured = forward(transfers(tmp_path, {"size": "3MB"} | flow, path=path))
    assert measured.buffer_packets
    assert measured.buffer_at_least == least
    assert measured.buffer_packets <= 1.1 * 100
    if not least:
        assert measured.buffer_packets >= 0.85 * 100


@pytest.mark.parametrize("side", ["sender", "receiver"])
@pytest.mark.parametrize("restart", ["initial-window", "keep"])
def test_the_window_after_idle_time_is_measured(
    tmp_path: pathlib.Path, side: Literal["sender", "receiver"], restart: str
) -> None:
    writes = [{"size": "150kB", "at": "0s"}, {"size": "450kB", "at": "5s"}]
    fields = {"stack": {"restart": restart}, "path": {"buffer": "300pkt"}}
    capture = transfers(tmp_path, {"writes": writes}, side, **fields)
    expected = {"initial-window": "initial-window", "keep": "kept"}[restart]
    assert fact(capture, "idle_restart") == expected


@pytest.mark.parametrize(
    ("cc", "measured"), [("reno", "reno"), ("cubic", "cubic"), ("westwood", None), ("bic", None)]
)
def test_reno_and_cubic_are_known_by_their_reduction_and_curve(
    tmp_path: pathlib.Path, cc: str, measured: str | None
) -> None:
    assert fact(transfers(tmp_path, {"size": "6MB", "cc": cc}), "cc") == measured


def test_the_baseline_of_a_replay_has_pacing_cc_and_restart_of_the_capture(
    tmp_path: pathlib.Path,
) -> None:
    capture = transfers(tmp_path, {"size": "6MB", "cc": "reno"}, stack={"pacing": "internal"})
    settings = settings_of(ReplayQuestion("mine.pcap"), capture)
    base = settings.reference
    assert (base.startup, base.cc, base.fields["pacing"]) == ("slow-start", "reno", "internal")
    assert "paced" not in settings.names
    writes = [{"size": "150kB", "at": "0s"}, {"size": "450kB", "at": "5s"}]
    capture = transfers(tmp_path, {"writes": writes}, stack={"restart": "keep"})
    assert settings_of(ReplayQuestion("mine.pcap"), capture).reference.fields["restart"] == "keep"


def test_a_paced_baseline_has_no_candidate_that_is_it(tmp_path: pathlib.Path) -> None:
    capture = transfers(tmp_path, {"size": "1MB"}, stack={"pacing": "internal"})
    settings = settings_of(ReplayQuestion("mine.pcap"), capture)
    assert "paced" not in settings.names


def test_an_option_that_contradicts_the_capture_is_reported(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    transfers(tmp_path, {"size": "6MB", "cc": "reno"}, stack={"pacing": "internal", "iw": 20})
    files = sorted(tmp_path.glob("*.pcap"))
    options = ("--stack", "linux:iw=10", "--cc", "cubic", "--rate", "50Mbps", "--no-uncertainty")
    answer = cli("replay", *files, *options)
    assert "The capture shows an initial window of 20 segments; the baseline has 10." in answer.out
    assert "The capture shows cc reno; the baseline has cubic." in answer.out


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

    def unknown(group: RemoteNetwork) -> RemoteNetwork:
        ways = [dataclasses.replace(way, rate_bps=None) for way in group.ways]
        return dataclasses.replace(group, to_remote=ways[0], from_remote=ways[1])

    name = "10.9.3.0/24"
    groups = [unknown(group) if group.network == name else group for group in capture.groups]
    capture = dataclasses.replace(capture, groups=groups)
    [path] = [
        p for p in build(capture, settings_of(ReplayQuestion("mine.pcap")), {}) if p.name == name
    ]
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


@pytest.mark.slow
def test_facts_of_simulated_senders_are_right_or_unknown(tmp_path: pathlib.Path) -> None:
    # All kinds of senders, but not those of which a loss and another end coincide.
    counts: collections.Counter[str] = collections.Counter()
    for number in range(36):
        for _, _, verdict, _, _ in sender_facts.measure(sender_facts.sender(number), tmp_path):
            counts[verdict] += 1
    assert counts["wrong"] == 0
    assert counts["right"] > counts["unknown"]
