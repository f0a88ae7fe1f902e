"""qlogs of QUIC endpoints, read as captures."""

import itertools
import json
import pathlib
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flowstart as fs
from flowstart.replays.traffic import SILENCE_S

Cli = Callable[..., Any]
Event = dict[str, Any]


def packet(time: float, kind: str, *frames: tuple[int, int, int], prefix: str = "quic") -> Event:
    """A packet with stream frames: (stream, offset, length)."""
    described = [
        {"frame_type": "stream", "stream_id": number, "offset": offset, "length": length}
        for number, offset, length in frames
    ]
    data = {"raw": {"length": 1252}, "frames": [{"frame_type": "ack"}, *described]}
    return {"time": time, "name": f"{prefix}:packet_{kind}", "data": data}


EVENTS = [
    {
        "time": 0.0,
        "name": "transport:connection_started",
        "data": {"src_ip": "198.51.100.1", "src_port": 443, "dst_ip": "192.0.2.9", "dst_port": 5},
    },
    packet(1.0, "received", (0, 0, 300)),
    packet(3.0, "sent", (0, 0, 1200)),
    packet(3.5, "sent", (0, 1200, 1200)),
    {
        "time": 40.0,
        "name": "recovery:metrics_updated",
        "data": {"latest_rtt": 36.5, "min_rtt": 36.5, "congestion_window": 12_000},
    },
    packet(41.0, "sent", (0, 1200, 1200), prefix="transport"),
    packet(42.0, "received", (4, 0, 200)),
    packet(44.0, "sent", (4, 0, 1000)),
    {"time": 45.0, "name": "recovery:packet_lost", "data": {}},
    {
        "time": 90.0,
        "name": "quic:recovery_metrics_updated",
        "data": {"latest_rtt": 35.0, "congestion_window": 24_000},
    },
]
TRACE = {
    "vantage_point": {"type": "server"},
    "common_fields": {"ODCID": "ab12", "time_format": "relative", "reference_time": 5000.0},
}


def sequence(events: Iterable[Event], trace: Event = TRACE) -> bytes:
    header = {"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": trace}
    return b"".join(b"\x1e" + json.dumps(r).encode() + b"\n" for r in (header, *events))


def contained(events: Iterable[Event], trace: Event = TRACE) -> bytes:
    whole = {"qlog_version": "0.3", "traces": [trace | {"events": list(events)}]}
    return json.dumps(whole).encode()


@pytest.fixture
def qlog(tmp_path: pathlib.Path) -> Callable[[bytes], pathlib.Path]:
    def write(content: bytes) -> pathlib.Path:
        file = tmp_path / "connection.qlog"
        file.write_bytes(content)
        return file

    return write


Write = Callable[[bytes], pathlib.Path]


@pytest.mark.parametrize("form", [sequence, contained])
def test_a_stream_in_one_direction_is_a_transfer(
    qlog: Write, form: Callable[[Iterable[Event]], bytes]
) -> None:
    found = fs.read_capture(qlog(form(EVENTS)))
    rows = found.transfers.select("direction", "bytes", "start", "end_s").rows()
    assert rows == [
        ("c2s", 300, 5.001, 0.0),
        ("s2c", 2400, 5.003, pytest.approx(0.0005)),  # what is sent again does not count
        ("c2s", 200, 5.042, 0.0),
        ("s2c", 1000, 5.044, 0.0),
    ]
    [row] = found.connections.to_dicts()
    assert (row["c2s_bytes"], row["s2c_bytes"], row["s2c_packets"]) == (500, 3400, 4)
    assert (row["rtt_s"], row["network"], row["opener"]) == (0.0365, "192.0.2.0/24", "remote")
    assert found.groups[0].min_rtt_s == 0.035
    assert found.about["recovery"][0]["max_cwnd_bytes"] == 24_000


FIELD = {
    "event_fields": ["relative_time", "category", "event", "data"],
    "configuration": {"time_units": "us"},
}


def drafted(writer: str) -> bytes:
    """The connection of EVENTS's first round trip, in the form of a writer of early drafts."""
    upper = writer == "picoquic"
    stream = "id" if upper else "stream_id"
    case = str.upper if upper else str.lower

    def sent_or_received(us: int, kind: str, size: int) -> list[Any]:
        frames = [
            {"frame_type": "ack", "ack_delay": 3},
            {"frame_type": "stream", stream: 0 if upper else "0", "offset": 0, "length": size},
        ]
        data = {"packet_type": "1RTT", "header": {"packet_size": size + 50}, "frames": frames}
        return [us if upper else str(us), case("transport"), case(kind), data]

    window = "cwnd" if upper else "current_cwnd"
    metrics = "metrics_updated" if upper else "metric_update"
    congestion = "metrics_updated" if upper else "congestion_metric_update"
    losses: list[Any] = [45_000, "RECOVERY", "PACKET_LOST", {"packet_type": "1RTT"}]
    if not upper:
        losses = ["45000", "loss", "packets_lost", {"lost_packets": 3, "lost_bytes": 3600}]
    peer = {"ip_v4": "192.0.2.9", "port_v4": 4433}
    events = [
        [0, "TRANSPORT", "DATAGRAM_RECEIVED", {"byte_length": 350, "addr_from": peer}],
        sent_or_received(1000, "packet_received", 300),
        sent_or_received(3000, "packet_sent", 1200),
        [40_000, "recovery", metrics, {"latest_rtt": 36_500, "min_rtt": 36_500}],
        [40_000, "recovery", congestion, {window: 12_000, "bytes_in_flight": 1250}],
        losses,
    ]
    fields = [
        name.upper() if upper and name != "relative_time" else name
        for name in FIELD["event_fields"]
    ]
    trace = FIELD | {
        "vantage_point": {"type": "server"},
        "event_fields": fields,
        "common_fields": {"reference_time": "5000000" if upper else "0"},
    }
    # mvfst's keys have no order.
    return json.dumps({"traces": [trace | {"events": events}], "qlog_version": "draft-00"}).encode()


@pytest.mark.parametrize(("writer", "start", "lost"), [("picoquic", 5.0, 1), ("mvfst", 0.0, 3)])
def test_events_of_early_drafts_are_arrays(
    qlog: Write, writer: str, start: float, lost: int
) -> None:
    found = fs.read_capture(qlog(drafted(writer)))
    rows = found.transfers.select("direction", "bytes", "start").rows()
    assert rows == [("c2s", 300, start + 0.001), ("s2c", 1200, start + 0.003)]
    [row] = found.connections.to_dicts()
    assert (row["handshake"], row["rtt_s"], row["network"]) == ("complete", 0.0365, "192.0.2.0/24")
    assert (row["c2s_packets"], row["s2c_packets"], row["s2c_retransmissions"]) == (1, 1, lost)
    [recovery] = found.about["recovery"]
    assert (recovery["max_cwnd_bytes"], recovery["max_bytes_in_flight"]) == (12_000, 1250)


@pytest.mark.parametrize(
    ("key", "times"), [("time", (5001, 5003)), ("relative_time", (1, 3)), ("delta_time", (1, 2))]
)
def test_times_of_early_drafts_have_the_form_that_their_field_names(
    qlog: Write, key: str, times: tuple[int, int]
) -> None:
    # draft-02 of quic-go and aioquic: milliseconds by default.
    data = [
        {
            "header": {"packet_type": "1RTT"},
            "frames": [{"frame_type": "stream", "id": 0, "length": 9}],
        }
    ] * 2
    rows = [[time, "transport", "packet_received", d] for time, d in zip(times, data, strict=True)]
    trace = {
        "vantage_point": {"type": "server"},
        "event_fields": [key, "category", "event_type", "data"],
        "common_fields": {"reference_time": 5000},
        "events": rows,
    }
    content = json.dumps({"qlog_version": "draft-01", "traces": [trace]}).encode()
    row = fs.read_capture(qlog(content)).connections.row(0, named=True)
    assert (row["start"], row["end_s"]) == (5.001, pytest.approx(0.002))


def typed(kind: str, form: str, *frames: Event) -> Event:
    header = {"packet_type": form}
    data = {"header": header, "raw": {"length": 1200}, "frames": list(frames)}
    return {"time": 1.0, "name": f"quic:packet_{kind}", "data": data}


HANDSHAKE = [typed("received", "initial"), typed("sent", "initial"), typed("sent", "handshake")]
DONE = {"name": "quic:connection_state_updated", "time": 1, "data": {"new": "handshake_complete"}}


@pytest.mark.parametrize(
    ("last", "handshake"),
    [
        (typed("received", "1RTT"), "complete"),
        (typed("sent", "1RTT"), "incomplete"),  # the server's keys are ready before the client
        (typed("sent", "handshake", {"frame_type": "handshake_done"}), "complete"),
        (typed("received", "handshake", {"frame_type": "connection_close"}), "incomplete"),
        (DONE, "complete"),
    ],
)
def test_a_handshake_is_complete_where_something_proves_it(
    qlog: Write, last: Event, handshake: str
) -> None:
    found = fs.read_capture(qlog(sequence([*HANDSHAKE, last])))
    assert found.connections["handshake"].to_list() == [handshake]
    assert len(found.transfers) == (2 if handshake == "complete" else 0)
    assert bool(found.warnings) == (handshake == "incomplete")


def test_a_failed_handshake_is_shown_with_its_window(cli: Cli, qlog: Write) -> None:
    # aioquic's name of the window.
    metrics = {"time": 2, "name": "recovery:metrics_updated", "data": {"cwnd": 12_000}}
    file = qlog(sequence([*HANDSHAKE, metrics]))
    assert fs.read_capture(file).about["recovery"][0]["first_cwnd_bytes"] == 12_000
    answer = cli("capture", file, "--details")
    assert answer.status == 0
    assert "1 of 1 handshakes are not complete: they carry no transfers" in answer.err


@pytest.mark.parametrize(
    ("startup", "exit_"), [("slow-start", "loss"), ("hystart-plus-plus", "loss"), ("hystart", None)]
)
def test_window_and_exit_of_slow_start_are_those_that_the_endpoint_reports(
    tmp_path: pathlib.Path, startup: str, exit_: str | None
) -> None:
    path = {"rtt": "40ms", "rate": "20Mbps", "buffer": "60pkt"}
    flow = {"size": "1MB", "startup": startup}
    run = fs.run({"path": path, "stack": {"preset": "neqo"}, "flows": [flow]}, packets=[0])
    file = tmp_path / "sender.sqlog"
    file.write_bytes(run.qlog(0))
    row = fs.read_capture(file).connections.row(0, named=True)
    assert row["c2s_initial_window"] == 10
    left = run.frame["startup_exit_cwnd_segments"][0]
    assert row["c2s_exit"] == (exit_ or "no-loss")
    assert row["c2s_exit_window"] == pytest.approx(left * 1219, rel=0.01)


def test_the_pacing_rate_is_in_windows_per_round_trip(qlog: Write) -> None:
    rate = 1.25 * 24_000 * 8 / 0.04
    data = {"congestion_window": 24_000, "smoothed_rtt": 40.0, "pacing_rate": rate}
    metrics = {"time": 41.0, "name": "recovery:metrics_updated", "data": data}
    row = fs.read_capture(qlog(sequence([*EVENTS, metrics]))).connections.row(0, named=True)
    assert row["s2c_pacing"] == pytest.approx(1.25)


def test_addresses_of_0_4_are_local_and_remote(qlog: Write) -> None:
    ends = {"local": {"ip_v4": "198.51.100.1", "port_v4": 443}, "remote": {"ip_v6": "2001:db8::9"}}
    started = {"time": 0, "name": "quic:connection_started", "data": ends}
    [row] = fs.read_capture(qlog(sequence([started, *EVENTS[1:]]))).connections.to_dicts()
    assert (row["server_ip"], row["server_port"]) == ("198.51.100.1", 443)
    assert (row["client_ip"], row["network"]) == ("2001:db8::9", "2001:db8::/48")


def test_times_of_every_form_are_the_same(qlog: Write) -> None:
    plain = fs.read_capture(qlog(sequence(EVENTS))).transfers
    before = [0.0, *(event["time"] for event in EVENTS)]
    delta = [e | {"time": e["time"] - b} for e, b in zip(EVENTS, before, strict=False)]
    common = {"time_format": "delta", "reference_time": 5000.0}
    deltas = fs.read_capture(qlog(sequence(delta, TRACE | {"common_fields": common}))).transfers
    assert deltas["start"].to_list() == pytest.approx(plain["start"].to_list())
    clock = {"clock_type": "system", "wall_clock_time": "1970-01-01T00:00:05Z"}
    later = {"time_format": "relative_to_epoch", "reference_time": clock}
    newer = fs.read_capture(qlog(sequence(EVENTS, TRACE | {"common_fields": later}))).transfers
    assert newer["start"].to_list() == plain["start"].to_list()


def test_traces_without_a_reference_time_do_not_overlap(cli: Cli, tmp_path: pathlib.Path) -> None:
    # As quiche writes them: times since the connection began, and no clock.
    trace = TRACE | {"common_fields": {"time_format": "relative"}}
    for name in ("a.sqlog", "b.sqlog", "c.sqlog"):
        (tmp_path / name).write_bytes(sequence(EVENTS, trace))
    found = fs.read_capture(tmp_path)
    starts = found.connections["start"].to_list()
    assert min(after - before for before, after in itertools.pairwise(starts)) > SILENCE_S
    answer = cli("capture", tmp_path)
    assert "3 of 3 traces have no reference_time" in answer.err
    assert "each is replayed alone" in answer.err


def test_one_trace_without_a_reference_time_needs_none(cli: Cli, qlog: Write) -> None:
    answer = cli("capture", qlog(sequence(EVENTS, TRACE | {"common_fields": {}})))
    assert answer.err == ""


def test_without_stream_frames_packets_are_counted(qlog: Write) -> None:
    events = [packet(1, "received"), packet(2, "sent"), packet(3, "sent")]
    found = fs.read_capture(qlog(sequence(events)))
    assert found.transfers["bytes"].to_list() == [1252, 2504]
    assert found.connections["network"].to_list() == ["peer of ab12"]


def test_several_qlogs_are_one_answer(cli: Cli, tmp_path: pathlib.Path) -> None:
    for name in ("a.sqlog", "b.sqlog"):
        (tmp_path / name).write_bytes(sequence(EVENTS))
    answer = cli("capture", tmp_path, "--details")
    assert "a.sqlog and 1 more: qlog, 12 packets, 2 QUIC connections" in answer.out


def test_a_qlog_is_replayed_where_a_rate_is_given(cli: Cli, qlog: Write) -> None:
    file = qlog(sequence(EVENTS))
    answer = cli("replay", file)
    assert answer.status == 2
    assert "no bottleneck rate can be estimated" in answer.err
    words = ("--rate", "20Mbps", "--direction", "both", "--startup", "slow-start")
    rows = json.loads(cli("replay", file, *words, "--json", "--full-json").out)["rows"]
    assert {row["size_bytes"] for row in rows} == {300, 2400, 200, 1000}
    assert {row["rtt"] for row in rows} == {"36500us"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (sequence([]), "holds no data: no packets were sent or received in it"),
        (contained(EVENTS)[:-5], "is cut or damaged: it is not a JSON object"),
        (b'\x1e{"qlog_version": 3\n', "is not a qlog: its first record is not a JSON object"),
    ],
)
def test_what_cannot_be_read_is_refused(
    cli: Cli, qlog: Write, content: bytes, message: str
) -> None:
    answer = cli("capture", qlog(content))
    assert answer.status == 2
    assert answer.err.count("\n") == 1
    assert message in answer.err


def test_a_cut_record_is_left_out_and_said(cli: Cli, qlog: Write) -> None:
    answer = cli("capture", qlog(sequence(EVENTS)[:-20]))
    assert answer.status == 0
    assert "1 record is not a JSON object and was left out" in answer.err


def test_a_qlog_beside_a_capture_is_refused(cli: Cli, qlog: Write) -> None:
    small = pathlib.Path(__file__).parent.parent / "data" / "captures" / "small.pcap"
    answer = cli("capture", small, qlog(sequence(EVENTS)))
    assert answer.status == 2
    assert "connection.qlog is a qlog: read them separately" in answer.err


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
NAMES = st.sampled_from(["quic:packet_sent", "packet_received", "recovery:metrics_updated"])
FIELDS = st.sampled_from(["raw", "frames", "header", "latest_rtt", "congestion_window", "length"])


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"time": ANYTHING, "name": NAMES, "data": st.dictionaries(FIELDS, ANYTHING)}
        ),
        max_size=6,
    )
)
def test_no_event_raises_anything_but_a_refusal(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event]
) -> None:
    file = tmp_path_factory.mktemp("qlog") / "any.sqlog"
    file.write_bytes(sequence(events))
    try:
        fs.read_capture(file)
    except fs.RequestError as error:
        assert "\n" not in str(error)
