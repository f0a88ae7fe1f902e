"""Tables of transfers from servers' logs."""

import gzip
import json
import lzma
import pathlib
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flowstart as fs
from fuzz_readers import captured

Cli = Callable[..., Any]
STARTS = (
    *(b"ts,bytes\n1,2\n", b'{"ts":1,"bytes":2}\n', b"PAR1", b"#Fields: date time sc-bytes\n"),
    b'192.0.2.1 - - [16/Nov/2026:10:00:00 +0100] "GET / HTTP/1.1" 200 5\n',
)
NGINX = """msec,remote_addr,body_bytes_sent,tcpinfo_rtt,request_time
1700000003.5,192.0.2.8,1500,39000,0.5
1700000001.5,192.0.2.7,250000,41000,0.9
1700000004.0,2001:db8::1,9000,12000,0.1
"""


@pytest.fixture
def log(tmp_path: pathlib.Path) -> Callable[[str | bytes], pathlib.Path]:
    def write(content: str | bytes) -> pathlib.Path:
        file = tmp_path / "access.log"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return write


Log = Callable[[str | bytes], pathlib.Path]


def test_rows_become_transfers_in_order_of_time(log: Log) -> None:
    found = fs.read_capture(log(NGINX))
    assert found.transfers["bytes"].to_list() == [250_000, 1500, 9000]
    # nginx writes a row when the request is done.
    assert found.transfers["start"].to_list() == pytest.approx(
        [1_700_000_000.6, 1_700_000_003.0, 1_700_000_003.9]
    )
    assert found.connections["rtt_s"].to_list() == pytest.approx([0.041, 0.039, 0.012])
    assert [group.network for group in found.groups] == ["192.0.2.0/24", "2001:db8::/48"]
    assert found.groups[0].min_rtt_s == 0.039
    assert found.groups[0].to_remote.rate_bps is None
    assert "the last byte is in the socket's send buffer" in found.groups[0].to_remote.rate_method
    assert found.summary["by_handshake"]["complete"] == 3


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_compression_changes_nothing(log: Log, pack: Callable[[bytes], bytes]) -> None:
    found = fs.read_capture(log(pack(NGINX.encode())))
    assert found.transfers["bytes"].to_list() == [250_000, 1500, 9000]


def test_json_lines_and_parquet_are_read_as_csv_is(log: Log, tmp_path: pathlib.Path) -> None:
    plain = fs.read_capture(log(NGINX))
    table = pl.read_csv(NGINX.encode())
    table.write_parquet(tmp_path / "log.parquet")
    table.write_ndjson(tmp_path / "log.jsonl")
    for name in ("log.parquet", "log.jsonl"):
        assert fs.read_capture(tmp_path / name).transfers.equals(plain.transfers)


def test_a_mapping_names_columns_and_units(log: Log) -> None:
    file = log("when;who;size;trip;took\n5000;192.0.2.1;2;41;1500\n")
    columns = "time=when:ms,peer=who,bytes=size:kB,rtt=trip:ms,duration=took:ms"
    found = fs.read_capture(file, columns=columns)
    [row] = found.transfers.to_dicts()
    assert (row["start"], row["bytes"], row["end_s"]) == (5.0, 2000, 1.5)
    assert found.connections["rtt_s"].to_list() == pytest.approx([0.041])


def test_rows_of_one_connection_belong_together(log: Log) -> None:
    file = log("ts,client_ip,bytes,connection\n3,192.0.2.1,5,b\n1,192.0.2.1,6,a\n2,192.0.2.1,7,a\n")
    found = fs.read_capture(file)
    assert found.transfers["connection"].to_list() == [0, 0, 1]
    assert found.connections["s2c_bytes"].to_list() == [13, 5]


def test_times_may_be_dates(log: Log) -> None:
    rows = "time_local,bytes_sent\n16/Nov/2026:10:00:00 +0100,5\n2026-11-16T09:00:01Z,6\n"
    starts = fs.read_capture(log(rows)).transfers["start"].to_list()
    assert starts == [1_794_819_600.0, 1_794_819_601.0]


def test_bad_rows_are_counted_by_reason(cli: Cli, log: Log) -> None:
    bad = [
        *("x,192.0.2.8,1,1,1", "y,192.0.2.8,1,1,1", "1,nobody,1,1,1", "1,192.0.2.8,0,1,1"),
        *("1,192.0.2.8,1,-1,1", "1,192.0.2.8,1,1,-1"),
    ]
    answer = cli("capture", log(NGINX + "\n".join(bad)))
    assert answer.status == 0
    lines = [line.removeprefix("flowstart: warning: ") for line in answer.err.splitlines()]
    assert lines == [
        "1 row was left out: bytes are missing or not above zero",
        "1 row was left out: duration is below zero",
        "1 row was left out: rtt is not above zero",
        "1 row was left out: the peer is not an address",
        "2 rows were left out: time is missing or no time",
    ]


def test_what_is_not_told_is_assumed_and_said(cli: Cli, log: Log) -> None:
    file = log("ts,bytes\n1,5000\n2,6000\n")
    answer = cli("capture", file)
    assert "no column has the peer: all transfers share one path" in answer.out
    assert "no column has round-trip times: a replay needs --rtt" in answer.out
    answer = cli("replay", file)
    assert answer.status == 2
    assert "give them, such as --rtt 40ms --rate 50Mbps" in answer.err


def test_a_log_is_replayed(cli: Cli, log: Log) -> None:
    words = ("--startup", "slow-start", "--json", "--full-json")
    answer = cli("replay", log(NGINX), *words)
    assert answer.status == 0, answer.err
    document = json.loads(answer.out)
    assert {row["size_bytes"] for row in document["rows"]} == {250_000, 1500, 9000}
    # One transfer is too little to know the rate, but not to assume one.
    assert document["paths"][0]["assumed"] == ["rate", "reverse_rate", "buffer", "reverse_buffer"]
    assert "unknown, assumed" in document["paths"][0]["rate_method"]


def test_columns_used_and_ignored_are_listed(log: Log) -> None:
    file = log("ts,status,bytes,rtt_us,agent\n1,200,5000,40000,x\n")
    notes = fs.read_capture(file).notes
    assert "columns used: time from ts (s), bytes from bytes (B), rtt from rtt_us (us)" in notes
    assert "columns ignored: status, agent" in notes


def test_a_column_without_a_unit_is_warned_of_with_what_to_write(cli: Cli, log: Log) -> None:
    answer = cli("capture", log("ts,bytes,rtt,duration\n1,5000,40,3\n"))
    assert answer.status == 0
    assert answer.err.splitlines() == [
        f"flowstart: warning: column `{name}` is ignored: its unit is not known; name it, such as "
        f"--columns {name}={name}:s (s, ms, us, ns)"
        for name in ("rtt", "duration")
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("bytes=nope", "has no column `nope`; there is a, b"),
        ("bytes=a,rtt=b", "--columns rtt=b: its unit is not known; write rtt=b:s (s, ms, us, ns)"),
        ("bytes=a,rtt=b:kB", "the unit `kB` is not known; it may be s, ms, us, ns"),
        ("size=a", "--columns: `size` is none of time, end, rtt"),
        ("bytes=a,duration=b:ms:acke", "the kind `acke` is not known; it may be written, acked"),
        ("bytes=a,duration=b:acked", "its unit is not known; write duration=b:s (s, ms, us, ns)"),
        ("bytes=a,bytes=b", "--columns: `bytes` is given twice"),
        ("bytes", "--columns `bytes`: NAME=COLUMN is needed, such as time=ts"),
        (None, "none of its 2 columns is known; if it is a log of transfers, name them"),
        ("bytes=a", "no column is known to be `time`"),
    ],
)
def test_wrong_columns_are_refused_and_those_there_are_named(
    cli: Cli, log: Log, columns: str | None, message: str
) -> None:
    words = ["--columns", columns] if columns else []
    answer = cli("capture", log("a,b\n1,2\n"), *words)
    assert answer.status == 2
    assert answer.out == ""
    assert answer.err.count("\n") == 1
    assert message in answer.err


def test_columns_of_what_is_no_table_are_refused(cli: Cli) -> None:
    small = pathlib.Path(__file__).parent.parent / "data" / "captures" / "small.pcap"
    answer = cli("capture", small, "--columns", "bytes=a")
    assert answer.status == 2
    assert "small.pcap is not a table of transfers" in answer.err


def test_a_table_without_usable_rows_is_refused(cli: Cli, log: Log) -> None:
    answer = cli("capture", log("ts,bytes\nx,1\n"))
    assert answer.status == 2
    assert "holds no transfers: 1 row was left out: time is missing or no time" in answer.err


@pytest.mark.parametrize(
    ("header", "row", "kind", "duration_s"),
    [
        ("msec,bytes_sent,request_time", "9,5000,0.25", "written", 0.25),
        ("ts,%O,%D", "9,5000,250000", "written", 0.25),
        ("ts,bytes,Ta,Tr", "9,5000,250,100", "written", 0.15),
        ("ts,bytes,Ta,Tr", "9,5000,250,-1", "written", 0.25),
        ("ts,%BYTES_SENT%,%DURATION%,%RESPONSE_DURATION%", "9,5000,250,50", "written", 0.2),
        ("ts,sc-bytes,time-taken", "9,5000,250", "acked", 0.25),
        ("ts,sc-bytes,time-taken,x-edge-location", "9,5000,0.25,x", "written", 0.25),
        ("ts,bytes,duration_s", "9,5000,0.25", "unknown", 0.25),
    ],
)
def test_durations_have_the_kind_of_their_server(
    log: Log, header: str, row: str, kind: str, duration_s: float
) -> None:
    found = fs.read_capture(log(f"{header}\n{row}\n"))
    assert found.about["durations"] == kind
    assert found.transfers["end_s"].to_list() == pytest.approx([duration_s])


def test_a_kind_may_be_named(log: Log) -> None:
    file = log("ts,bytes,took\n9,5000,250\n")
    found = fs.read_capture(file, columns="duration=took:ms:received")
    assert found.about["durations"] == "received"
    assert found.transfers["end_s"].to_list() == [0.25]


def test_durations_of_unknown_end_are_warned_of_with_what_to_write(cli: Cli, log: Log) -> None:
    answer = cli("capture", log("ts,bytes,duration_s\n9,5000,0.25\n"))
    assert answer.err.count("\n") == 1
    assert "name it, such as --columns duration=duration_s:s:written" in answer.err


@pytest.mark.parametrize(
    ("upstream", "waited_s"), [("0.100", 0.1), ("0.010, 0.020 : 0.030", 0.06), ("-", 0.0), ("9", 1)]
)
def test_the_time_of_the_backend_is_taken_from_start_and_duration(
    log: Log, upstream: str, waited_s: float
) -> None:
    rows = f'msec,bytes_sent,request_time,upstream_response_time\n50,5000,1,"{upstream}"\n'
    [row] = fs.read_capture(log(rows)).transfers.to_dicts()
    assert row["end_s"] == pytest.approx(1 - waited_s)
    assert row["start"] == pytest.approx(49 + waited_s)


def test_a_connection_number_belongs_to_its_peer_and_server(cli: Cli, log: Log) -> None:
    header = "ts,bytes,remote_addr,connection,host"
    rows = ["1,5,192.0.2.1,7,a", "2,6,192.0.2.1,7,a", "3,7,203.0.113.1,7,a", "4,8,192.0.2.1,7,b"]
    file = log("\n".join([header, *rows, ""]))
    found = fs.read_capture(file)
    assert found.connections["s2c_bytes"].to_list() == [19, 7]
    assert found.connections["network"].to_list() == ["192.0.2.0/24", "203.0.113.0/24"]
    assert "1 connection number has several peers" in cli("capture", file).err
    known = fs.read_capture(file, columns="server=host")
    assert known.connections["s2c_bytes"].to_list() == [11, 7, 8]


FEW = "ts,client_ip,bytes,rtt_us,duration_s"


def rows_of(times: range, row: str) -> str:
    return "\n".join([FEW, *(f"{1_700_000_000.25 + t},192.0.2.{t},{row}" for t in times), ""])


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ("ts,bytes\n1700000000123,5\n", "", "its unit is another: --columns time=ts:ms"),
        (rows_of(range(9), "5000,40000,1"), "rtt=rtt_us:ms", "another: --columns rtt=rtt_us:us"),
    ],
)
def test_units_that_cannot_be_right_are_refused_with_the_right_one(
    cli: Cli, log: Log, rows: str, columns: str, message: str
) -> None:
    answer = cli("capture", log(rows), *(["--columns", columns] if columns else []))
    assert answer.status == 2
    assert answer.err.count("\n") == 1
    assert message in answer.err


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (rows_of(range(9), "5000,40,1"), "duration=duration_s:s:written", "rtt=rtt_us:ms"),
        (rows_of(range(9), "5000,40000,300"), "duration=duration_s:s:written", "duration_s:ms"),
        (
            rows_of(range(9), "5000,40000,0.05"),
            "duration=duration_s:ms:acked",
            "duration_s:s:acked",
        ),
        (
            rows_of(range(9), "5000,40000,0.01"),
            "duration=duration_s:s:acked",
            "duration_s:s:written",
        ),
        ("time_local,bytes\n2026-11-16T10:00:00,5\n", "", "without a zone are read as UTC"),
    ],
)
def test_what_is_probably_wrong_is_warned_of_with_the_remedy(
    cli: Cli, log: Log, rows: str, columns: str, message: str
) -> None:
    answer = cli("capture", log(rows), *(["--columns", columns] if columns else []))
    assert answer.status == 0
    assert answer.err.count("\n") == 1
    assert message in answer.err


def rated(rate: int) -> str:
    """Megabytes of which each takes half a second, with a rate."""
    rows = (f"{1_700_000_000.25 + 9 * t},192.0.2.{t},1250000,40000,0.5,{rate}" for t in range(9))
    return "\n".join([f"{FEW},rate", *rows, ""])


@pytest.mark.parametrize(
    ("rate", "columns", "known", "message"),
    [
        (20_000, "rate=rate:bps,duration=duration_s:s:acked", False, "20 kbps, passed 20 Mbps"),
        (20_000, "rate=rate:bps,duration=duration_s:s:acked", False, "--columns rate=rate:kbps"),
        (20_000, "rate=rate:bps,duration=duration_s:s:written", False, "rate=rate:kbps"),
        (20_000, "rate=rate:bps", False, "in 1 of 1 network and not used there"),
        (19_000, "rate=rate:kbps,duration=duration_s:s:acked", False, "19 Mbps, passed 20 Mbps)"),
        (20_000, "rate=rate:Mbps", True, "at least 1000 times what passed"),
        (20_000, "rate=rate:Mbps", True, "--columns rate=rate:kbps"),
        (3_000_000, "rate=rate:kbps", True, "at least 100 times what passed"),
        (20_000, "rate=rate:kbps,duration=duration_s:s:acked", True, ""),
        (900_000, "rate=rate:kbps,duration=duration_s:s:written", True, ""),
    ],
)
def test_a_rate_that_contradicts_what_passed_is_not_used_and_its_unit_doubted(
    cli: Cli, log: Log, rate: int, columns: str, known: bool, message: str
) -> None:
    file = log(rated(rate))
    answer = cli("capture", file, "--columns", columns)
    assert answer.status == 0
    assert answer.err.count("\n") == bool(message)
    assert message in answer.err
    way = fs.read_capture(file, columns=columns).groups[0].to_remote
    assert (way.rate_bps is not None) == known


def test_no_unit_is_suggested_where_a_rate_is_little_below_what_passed(log: Log) -> None:
    columns = "rate=rate:kbps,duration=duration_s:s:acked"
    found = fs.read_capture(log(rated(19_000)), columns=columns)
    assert "--columns" not in found.warnings[0]
    assert found.other_units == ""


def test_a_remedy_of_a_duration_s_unit_keeps_its_kind(log: Log) -> None:
    file = log(rows_of(range(9), "5000,40000,300"))
    found = fs.read_capture(file, columns="duration=duration_s:s:acked")
    assert found.other_units == "duration=duration_s:ms:acked"


def test_durations_below_the_round_trip_give_no_rates(log: Log) -> None:
    file = log(rows_of(range(9), "5000,40000,0.01"))
    found = fs.read_capture(file, columns="duration=duration_s:s:acked")
    assert found.about["durations"] == "unknown"


def test_copies_of_rows_are_left_out_and_counted(cli: Cli, log: Log) -> None:
    header, *rows = rows_of(range(9), "5000,40000,1").split()
    file = log("\n".join([header, *rows, *rows, ""]))
    answer = cli("capture", file, "--columns", "duration=duration_s:s:written")
    assert fs.read_capture(file).transfers.height == 9
    assert "9 of 18 rows are copies of others" in answer.err
    assert "they were left out" in answer.err


def test_equal_rows_of_a_busy_proxy_are_kept(cli: Cli, log: Log) -> None:
    lines = [f"{1_700_000_000 + t // 4 / 1000:.3f},192.0.2.1,180" for t in range(400)]
    lines = [line if n % 4 < 2 else f"{line}{n}" for n, line in enumerate(lines)]
    file = log("\n".join(["ts,client_ip,bytes", *lines, ""]))
    assert fs.read_capture(file).transfers.height == 400
    assert cli("capture", file).err == ""


def test_an_honest_log_of_nginx_has_no_warning(cli: Cli, log: Log) -> None:
    # Responses that fit into the send buffer take 0.000 s; some end in the same millisecond.
    lines = [f"{1_700_000_000 + t / 40:.3f},192.0.2.{t % 50},5000,40000,0.000" for t in range(200)]
    header = "msec,remote_addr,bytes_sent,tcpinfo_rtt,request_time"
    answer = cli("capture", log("\n".join([header, lines[0], *lines, ""])))
    assert answer.status == 0
    assert answer.err == ""


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(STARTS))
def test_no_bytes_raise_anything_but_a_refusal(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, start: bytes
) -> None:
    file = tmp_path_factory.mktemp("noise") / "log"
    file.write_bytes(start + noise)
    try:
        captured(file)
    except fs.RequestError as error:
        assert "\n" not in str(error)
