"""Replaying a capture's transfers under each startup."""

import dataclasses
import json
import pathlib
import struct
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import flowstart as fs
from flowstart.captures.contents import Capture, PathEstimate, RemoteNetwork
from flowstart.captures.reading import read_capture
from flowstart.errors import RequestError
from flowstart.model.catalog import list_algorithms
from flowstart.render import footnotes
from flowstart.replays import execute, overview, runner, tables
from flowstart.replays.answer import ONCE
from flowstart.replays.execute import study
from flowstart.replays.paths import build
from flowstart.replays.result import Replay
from flowstart.replays.settings import Settings
from flowstart.replays.summary import EVERYTHING

Cli = Callable[..., Any]
CAPTURES = pathlib.Path(__file__).parent.parent / "data" / "captures"
STARTUPS = ("slow-start", "jump-start")
CONTRACT = {
    *("startup", "cc", "stack", "size_bytes", "seed", "flow", "fct_s", "duration_s"),
    *("ideal_fct_s", "slowdown", "bytes_delivered", "packets_sent", "packets_dropped"),
    *("packets_retransmitted", "timeouts", "startup_exit_s", "startup_exit_cwnd_segments"),
    *("startup_exit_reason", "max_cwnd_segments", "max_queue_pkts"),
}


def replay(capture: Capture, settings: Settings, workers: int | None = None) -> Replay:
    """The replay alone, without repeats, other buffers and calibration."""
    return study(capture, settings, ONCE, workers=workers)


@pytest.fixture(scope="module")
def small() -> Capture:
    return read_capture(CAPTURES / "small.pcap")


@pytest.fixture(scope="module")
def replayed(small: Capture) -> Replay:
    return replay(small, Settings(STARTUPS, direction="both"))


@pytest.mark.parametrize("name", ["cross_traffic", "rollout", "max_harm"])
@pytest.mark.parametrize("value", ["x", "10", [], True])
def test_a_share_that_is_none_is_refused_in_a_line(name: str, value: Any) -> None:
    with pytest.raises(RequestError, match=rf"^{name}: .*: a share is needed, such as 10%$"):
        fs.replay(CAPTURES / "small.pcap", **{name: value})


def test_a_memory_that_no_startup_uses_is_refused() -> None:
    with pytest.raises(RequestError, match=r"^cached_cwnd: `9pkt` changes nothing"):
        fs.replay(CAPTURES / "small.pcap", startups=STARTUPS, cached_cwnd="9pkt")


def test_every_transfer_runs_alone_and_together_under_each_startup(replayed: Replay) -> None:
    transfers = len(replayed.capture.transfers)
    assert replayed.frame.height == transfers * len(STARTUPS) * 2
    assert {*replayed.frame.columns} >= CONTRACT
    assert (replayed.frame["bytes_delivered"] == replayed.frame["size_bytes"]).all()


def test_sizes_are_the_captures(replayed: Replay) -> None:
    sizes = replayed.capture.transfers["bytes"]
    assert all(sizes[n] == size for n, size in replayed.frame[["transfer", "size_bytes"]].rows())


def test_the_path_is_the_one_the_capture_came_over(replayed: Replay) -> None:
    # Configured: 20 Mbit/s, 100 ms.
    busiest = max(replayed.paths, key=lambda replayed: replayed.traffic.transfers["bytes"].sum())
    assert float(str(busiest.path["rate"]).removesuffix("bps")) == pytest.approx(20e6, rel=0.05)
    assert 100_000 <= int(str(busiest.path["rtt"]).removesuffix("us")) < 101_000


def test_a_given_rate_and_buffer_put_all_on_one_path(small: Capture) -> None:
    found = replay(small, Settings(STARTUPS, rate="5Mbps", buffer="20pkt"))
    assert [replayed.name for replayed in found.paths] == ["all"]
    assert {*found.frame["bdp_pkts"]} == {41}


def test_it_is_said_why_transfers_are_left_out(replayed: Replay) -> None:
    some = dataclasses.replace(replayed, left_out={"round trip not known": 8})
    assert " 38 transfers (8 left out, round trip not known) over" in overview.headline(some)
    assert "left out" not in overview.headline(replayed)


ASSUMED = "≈: assumed, a buffer of 1 BDP, but at least 40 packets (--buffer gives another)."


@pytest.mark.parametrize(
    ("given", "sources"),
    [
        ({"rate": "5Mbps"}, f"Rates: as given. Buffers: assumed. {ASSUMED}"),
        ({"rate": "5Mbps", "buffer": "20pkt"}, "Rates: as given. Buffers: as given."),
        (
            {"rate": "5Mbps", "reverse_buffer": "20pkt"},
            f"Rates: as given. Buffers: there: assumed; back: as given. {ASSUMED}",
        ),
    ],
)
def test_what_is_assumed_is_not_said_to_be_given(
    small: Capture, replayed: Replay, given: dict[str, str], sources: str
) -> None:
    settings = Settings(STARTUPS, **given)  # type: ignore[arg-type]
    found = dataclasses.replace(replayed, settings=settings, paths=build(small, settings, {}))
    assert overview.sources(found) == sources
    cells = [cell for row in tables.paths(found.paths).rows for cell in row]
    assert any(cell.startswith("≈") for cell in cells) == ("≈" in sources)


def test_given_buffers_are_not_said_to_be_estimated(small: Capture, replayed: Replay) -> None:
    settings = Settings(STARTUPS, buffer="20pkt")
    found = dataclasses.replace(replayed, settings=settings, paths=build(small, settings, {}))
    assert "Buffers: as given." in overview.sources(found)


def test_the_workers_do_not_change_the_answer(small: Capture, replayed: Replay) -> None:
    assert replay(small, replayed.settings, workers=1).frame.equals(replayed.frame)


def test_the_classes_add_up(replayed: Replay) -> None:
    found = replayed.summaries
    for startup in STARTUPS:
        mine = [s for s in found if s.variant == startup]
        whole = next(s for s in mine if s.size_class == EVERYTHING)
        assert sum(s.transfers for s in mine) == 2 * whole.transfers


def test_harmed_counts_transfers_a_tenth_slower_than_under_slow_start(replayed: Replay) -> None:
    together = replayed.frame.filter(pl.col("mode") == "together")
    base, jump = (
        together.filter(pl.col("variant") == name).sort("transfer")["fct_s"] for name in STARTUPS
    )
    whole = next(
        s for s in replayed.summaries if (s.size_class, s.variant) == (EVERYTHING, "jump-start")
    )
    assert whole.harmed == pytest.approx((jump > 1.1 * base).mean())


def test_a_startup_that_is_not_in_the_catalog_is_refused(small: Capture) -> None:
    with pytest.raises(RequestError, match="slow-start"):
        replay(small, Settings(("slow-strat",)))


def test_the_command_prints_a_table_to_decide_from(cli: Cli) -> None:
    words = ("--startup", ",".join(STARTUPS))
    answer = cli("replay", CAPTURES / "small.pcap", *words, "--details")
    assert answer.status == 0
    for expected in ("below 10 kB", "all sizes", "harmed", "alone", "from…to", "below 10 kB: "):
        assert expected in answer.out
    assert answer.out.strip().splitlines()[-1].startswith("Reproduce: flowstart replay")


def test_json_and_parquet_hold_the_same_rows(cli: Cli, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    words = ("--startup", "slow-start", "--json", "--full-json", "-o", str(out))
    document = json.loads(cli("replay", CAPTURES / "small.pcap", *words).out)
    assert pl.read_parquet(out / "rows.parquet").height == len(document["rows"])
    names = {file.name for file in out.iterdir()}
    assert names >= {"rows.csv", "result.json", "report.html", "classes.png", "classes.svg"}
    assert document["paths"][0]["rate_method"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--size", "10kB"), "--size: a replay has the recorded transfers"),
        (("--within", "10s"), "of the recorded sizes; `flowstart compare` has --within\n"),
        (("--speed-test", "ndt7"), "`flowstart compare` has --speed-test\n"),
        (("--writes", "every=33ms,size=50kB"), "`flowstart compare` has --writes\n"),
        (("--repeat", "2"), "--repeat: there is no such option"),
        (("--cached-cwnd", "9pkt"), "--cached-cwnd: `9pkt` changes nothing"),
        (
            ("--cached-cwnd", "5", "--startup", "careful-resume"),
            "--cached-cwnd: `5` is not a size with a unit",
        ),
        (("--reverse-rate", "1Mbps"), "the forward rate is missing"),
        (("--rate", "5"), "rate"),
        (("--rate", "0Mbps"), "rate"),
        (("--startup", "hystrat"), "hystart"),
        (("--stack", "windows"), "stack"),
    ],
)
def test_contradictions_are_refused(cli: Cli, words: tuple[str, ...], message: str) -> None:
    answer = cli("replay", CAPTURES / "small.pcap", *words)
    assert answer.status == 2
    assert answer.out == ""
    assert message in answer.err
    assert answer.err.count("\n") == 1


MEMORY = ("careful-resume", "fast-start", "stateful-tcp")


def times(replayed: Replay) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for startup, time in replayed.frame[["startup", "fct_s"]].rows():
        found.setdefault(startup, []).append(time)
    return found


def test_startups_that_use_a_memory_are_slow_start_where_it_does_not_last(small: Capture) -> None:
    users = [a.name for a in list_algorithms("startup") if "cache" in a.needs]
    found = times(
        replay(
            small,
            Settings(("slow-start", *users), memory_lifetime="0s", ignore=frozenset({"warm"})),
        )
    )
    idle = [name for name in users if found[name] == found["slow-start"]]
    setting = footnotes.Setting(users, [None], "`cached_cwnd`", [], {}, [], 1, "")
    assert footnotes.footnotes(setting)[-1].endswith(f"slow start without it: {', '.join(idle)}.")


def test_what_is_remembered_comes_from_earlier_connections_with_the_network(
    small: Capture,
) -> None:
    def found(lifetime: str) -> dict[tuple[str, int], float]:
        settings = Settings(("fast-start",), memory_lifetime=lifetime)
        rows = replay(small, settings).frame[["mode", "transfer", "fct_s"]].rows()
        return {(mode, transfer): time for mode, transfer, time in rows}

    without, lasting = found("0s"), found("600s")
    assert {mode for (mode, n) in without if without[mode, n] != lasting[mode, n]} == {"together"}


@pytest.mark.parametrize("window", ["1bdp", "60pkt"])
def test_what_is_remembered_is_used(small: Capture, window: str) -> None:
    found = times(replay(small, Settings(("slow-start", *MEMORY), cached_cwnd=window)))
    assert all(sum(found[name]) < sum(found["slow-start"]) for name in MEMORY)


def test_a_remembered_bdp_is_that_of_the_path_and_the_direction() -> None:
    path = {"rate": "80Mbps", "reverse_rate": "8Mbps", "rtt": "60ms"}
    flow = {"startup": "fast-start", "size": "2MB", "cached_cwnd": "1bdp"}
    for direction, packets in (("forward", 400), ("reverse", 40)):
        flows = [flow | {"direction": direction}]
        [there] = fs.run({"path": path, "flows": flows}).records
        [told] = fs.run(
            {"path": path, "flows": [flows[0] | {"cached_cwnd": f"{packets}pkt"}]}
        ).records
        assert there == told


@pytest.mark.slow
def test_all_startups_are_compared_those_that_use_a_memory_too(cli: Cli) -> None:
    words = (
        "replay",
        CAPTURES / "small.pcap",
        "--no-uncertainty",
        "--json",
        "--full-json",
        "--startup",
    )
    everybody = {a.name for a in list_algorithms("startup")}

    def startups(*more: str) -> tuple[set[str], str]:
        document = json.loads(cli(*words, *more).out)
        return {row["startup"] for row in document["rows"]}, "\n".join(document["notes"])

    names, notes = startups("all,-bbr-startup")
    assert names == everybody - {"bbr-startup"}
    assert "cached state: what earlier connections with the same network have left" in notes
    names, notes = startups("all", "--cached-cwnd", "1bdp")
    assert names == everybody
    assert "cached state of an earlier connection: a cwnd of 1bdp." in notes


def test_a_startup_with_a_memory_is_marked(cli: Cli) -> None:
    words = ("--startup", "slow-start,careful-resume")
    out = cli("replay", CAPTURES / "small.pcap", *words).out
    assert " careful-resume* " in out
    assert "cached state: what earlier connections with the same network have left" in out


def test_the_table_has_the_footnotes_of_a_paths_table(cli: Cli) -> None:
    words = ("--startup", "slow-start,xcp,quick-start,smooth-start", "--loss", "1%")
    replayed = cli("replay", CAPTURES / "small.pcap", *words).out
    compared = cli("compare", "--rate", "9Mbps", "--rtt", "60ms", "--size", "9kB", *words).out
    for line in compared.splitlines():
        if line.startswith(("* ", "† ", "queues: ")):
            assert line in replayed.splitlines()
    assert "\n* needs more" in replayed
    assert "\n† in parts" in replayed
    assert "\nqueues: drop-tail; xcp under xcp." in replayed
    assert "\ndrawn at random: loss. Another seed may give another answer: --seed 2." in replayed


def test_where_no_transfer_is_completed_the_command_fails(cli: Cli) -> None:
    words = ("--startup", "slow-start", "--loss", "100%")
    answer = cli("replay", CAPTURES / "small.pcap", *words)
    assert answer.status == 1
    assert "No transfer was completed." in answer.out
    assert "flowstart: no transfer was completed" in answer.err


HOSTS = (b"\x0a\x00\x01\x01", b"\x0a\x00\x02\x01")


WHOLE = 300
"""Packets of a flight that came through whole."""


def between_neighbours(file: pathlib.Path, flight: bool = False) -> Capture:
    """Writes what a veth pair sees: sixty transfers of 45 kB at 1 Gbit/s, 62 us away.

    Acknowledgements come 60 to 80 us after their data, and one packet of 1860 is sent again. A
    `flight` of 300 packets passes at once and is acknowledged, fifty at a time, in less than 1 ms.
    """
    packets: list[tuple[int, bytes]] = []

    def send(at: int, side: int, port: int, seq: int, ack: int, flags: int, size: int) -> None:
        ends = ((HOSTS[0], port), (HOSTS[1], 443))
        (source, sport), (target, dport) = ends if side == 0 else ends[::-1]
        tcp = struct.pack(">HHIIBBHHH", sport, dport, seq, ack, 5 << 4, flags, 65535, 0, 0)
        head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + size, 0, 0, 64, 6, 0, source, target)
        packets.append((at, struct.pack("<I", 40 + size) + head + tcp))

    for number in range(60):
        at, port = number * 5_000_000, 40_000 + number
        send(at, 0, port, 0, 0, 2, 0)
        send(at + 2_000, 1, port, 0, 1, 18, 0)
        send(at + 62_000, 0, port, 1, 1, 16, 0)
        send(at + 63_000, 0, port, 1, 1, 24, 100)
        for i in range(31):
            passes = at + 100_000 + 12_000 * i
            send(passes, 1, port, 1 + 1460 * i, 101, 16, 1460)
            if i % 2:
                wait = 60_000 + 1_000 * (i * 7 % 20)
                send(passes + wait, 0, port, 101, 1 + 1460 * (i + 1), 16, 0)
        if number == 30:
            send(at + 2_000_000, 1, port, 1 + 1460 * 30, 101, 16, 1460)
        send(at + 3_000_000, 0, port, 101, 1 + 1460 * 31, 16, 0)
    if flight:
        at, port = 400_000_000, 41_000
        send(at, 0, port, 0, 0, 2, 0)
        send(at + 2_000, 1, port, 0, 1, 18, 0)
        send(at + 62_000, 0, port, 1, 1, 16, 0)
        send(at + 63_000, 0, port, 1, 1, 24, 100)
        for i in range(WHOLE):
            send(at + 100_000 + 100 * i, 1, port, 1 + 1460 * i, 101, 16, 1460)
        for i in range(50, WHOLE + 1, 50):
            send(at + 100_000 + 3_000 * i, 0, port, 101, 1 + 1460 * i, 16, 0)
    head = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101)
    records = [
        struct.pack("<III", 1_700_000_000, at, 40) + packet for at, packet in sorted(packets)
    ]
    file.write_bytes(head + b"".join(records))
    return read_capture(file)


def test_an_assumed_buffer_invents_no_losses_between_neighbours(tmp_path: pathlib.Path) -> None:
    found = between_neighbours(tmp_path / "veth.pcap")
    [group] = found.groups
    assert (group.min_rtt_s, group.to_remote.buffer_at_least) == (62e-6, True)
    assert found.connections["s2c_retransmissions"].sum() == 1
    replayed = replay(found, Settings(("slow-start",)))
    [path] = replayed.paths
    assert (path.path["buffer"], path.assumed[-2:]) == (
        "40pkt",
        ("buffer", "reverse_buffer"),
    )
    assert replayed.frame["packets_dropped"].sum() == 0
    exact = replay(found, Settings(("slow-start",), buffer="1bdp"))
    assert exact.frame["packets_dropped"].sum() > 500
    assert "buffer `1bdp` is one packet here on 10.0.1.0/24" in exact.warnings[0]
    assert exact.to_dict()["warnings"] == exact.warnings
    assert "the replay loses more than the capture did" in exact.notes[-1]
    assert "; 0.05% were retransmitted in the capture." in exact.notes[-1]
    assert not any("loses more" in note for note in replayed.notes)


BEYOND_WINDOWS = frozenset({"windows"})
"""That capture's flight is larger than the windows in it."""


def test_a_flight_that_the_capture_lost_nothing_of_is_not_lost_in_the_replay(
    tmp_path: pathlib.Path,
) -> None:
    found = between_neighbours(tmp_path / "veth.pcap", flight=True)
    assert found.transfers["bytes"].max() == WHOLE * 1460
    replayed = replay(found, Settings(("slow-start",), ignore=BEYOND_WINDOWS))
    [path] = replayed.paths
    held = int(path.path["buffer"].removesuffix("pkt"))
    # The rate is a lower bound, so less than a BDP is taken from the flight.
    assert abs(held - WHOLE) < 10
    assert "buffer" in path.assumed
    assert "assumed no larger than is known: at least the largest flight" in path.buffer_method
    assert replayed.frame["packets_dropped"].sum() == 0
    smaller = replay(found, Settings(("slow-start",), buffer="40pkt", ignore=BEYOND_WINDOWS))
    assert smaller.frame["packets_dropped"].sum() > 0


CONNECTION = {
    "stream": 0,
    "start": 0.0,
    "end_s": 1.0,
    "handshake": "complete",
    "flags": "",
    "client_ip": "10.0.1.1",
    "ip_version": 4,
    "server_ip": "10.0.2.1",
    "network": "10.0.1.0/24",
    "opener": "remote",
    "rtt_s": 0.06,
    "server_rtt_s": 0.0,
    **dict.fromkeys(("client_mss", "server_mss", "timestamps", "sack", "syns", "syn_acks")),
    **{
        f"{way}_{name}": None
        for way in ("c2s", "s2c")
        for name in ("window", "handshake_window", "widest_window", "zero_windows")
    },
}
TRANSFER = {
    "connection": 0,
    "direction": "s2c",
    "start": 0.0,
    "bytes": 9000,
    "end_s": 0.5,
    "acked_s": 0.6,
}


def group(**fields: Any) -> Capture:
    """A capture of one transfer to a network, whose two ways are alike but for `fields`."""
    way: dict[str, Any] = {
        "bytes": 9000,
        "data_packets": 7,
        "retransmitted_packets": 0,
        "rate_bps": 8e6,
        "rate_method": "",
        "queueing_s": 0.1,
        "buffer_packets": 70,
        "buffer_at_least": False,
        "buffer_method": "seen",
    }
    network = "10.0.1.0/24"
    return Capture(
        files=("made up",),
        connections=pl.DataFrame([CONNECTION]),
        transfers=pl.DataFrame([TRANSFER]),
        groups=[RemoteNetwork(network, 1, 0.06, PathEstimate(**way | fields), PathEstimate(**way))],
        about={},
        warnings=[],
        notes=[],
    )


@pytest.mark.parametrize(
    ("way", "buffer", "assumed"),
    [
        ({}, "70pkt", False),
        ({"buffer_packets": 12}, "12pkt", False),
        ({"buffer_packets": 12, "buffer_at_least": True}, "40pkt", True),
        ({"buffer_packets": 55, "buffer_at_least": True}, "55pkt", True),
        ({"buffer_packets": 3, "buffer_at_least": True, "queueing_s": 5e-5}, "40pkt", True),
        ({"buffer_packets": None, "queueing_s": None}, "40pkt", True),
        ({"rate_bps": 40e6, "buffer_packets": None, "queueing_s": None}, "200pkt", True),
    ],
    ids=["full", "small", "bounded below", "bounded above", "too short", "unknown", "wide"],
)
def test_a_measured_buffer_is_kept_and_an_assumed_one_has_room(
    way: dict[str, Any], buffer: str, assumed: bool
) -> None:
    [replayed] = build(group(**way), Settings(("slow-start",)), {})
    assert (replayed.path["buffer"], "buffer" in replayed.assumed) == (buffer, assumed)
    assert (replayed.path["reverse_buffer"], "reverse_buffer" in replayed.assumed) == (
        "70pkt",
        False,
    )


def test_connections_of_ipv6_have_its_header_though_their_addresses_are_hidden() -> None:
    found = group()
    hidden = found.connections.with_columns(ip_version=pl.lit(6), client_ip=pl.lit("host 1"))
    replayed = replay(dataclasses.replace(found, connections=hidden), Settings(("slow-start",)))
    flow = next(iter(replayed.resolved.values()))["flows"][0]
    assert flow["stack"]["header"] == "72B"  # with timestamps


@pytest.mark.parametrize("place", ["jobs", "rows", "answer"])
def test_ctrl_c_in_any_phase_keeps_the_rows_that_are_finished(
    small: Capture, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    module = execute if place == "answer" else runner
    real, calls = getattr(module, place), [0]

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        calls[0] += 1
        if place == "answer" or calls[0] > 1:
            raise KeyboardInterrupt
        return real(*args, **kwargs)

    monkeypatch.setattr(module, place, interrupted)
    found = replay(small, Settings(startups=("slow-start", "hystart")))
    assert found.interrupted
    assert found.store.height > 0
    assert found.interval_frame.is_empty()
    files = next(found.files())
    assert "rows.parquet" in files
    assert "rows.csv" not in files  # of many rows it takes seconds
    assert overview.verdict(found) == []


def test_ctrl_c_before_any_row_leaves_nothing(
    small: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replay(small, Settings(startups=("slow-start",)))
