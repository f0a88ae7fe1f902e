"""Reading captures: what the Python side and the command add to the reader in Rust."""

import csv
import gzip
import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart import text
from flowstart.captures import contents
from flowstart.captures.contents import Capture

Cli = Callable[..., Any]
SMALL_BYTES = 807_010
"""Bytes of all packets of `small.pcap`, as capinfos counts them."""
CAPTURES = pathlib.Path(__file__).parent.parent / "data" / "captures"


@pytest.fixture(scope="module")
def small() -> Capture:
    return fs.read_capture(CAPTURES / "small.pcap")


def without_files(found: Capture) -> dict[str, Any]:
    """Everything that a reading tells but for the names of files."""
    document = found.to_dict()
    rows = [{**row, "file": None} for row in document["connections"]]
    return {**document, "files": None, "connections": rows}


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("small.pcap", "small"),
        ("small-big-endian.pcapng.gz", "small"),
        ("small-sll.pcap.gz", "small"),
        ("small-time-backwards.pcap.gz", "small"),
        ("web-mix.pcap.gz", "web-mix"),
    ],
)
def test_the_summary_has_the_names_and_values_of_the_reference(file: str, expected: str) -> None:
    reference = json.loads((CAPTURES / f"{expected}.expected.json").read_text())
    assert fs.read_capture(CAPTURES / file).summary == reference


def test_directions_whose_window_is_not_known_are_counted_apart() -> None:
    found = fs.read_capture(CAPTURES / "small-snap68.pcap.gz")
    assert found.summary["reduction_by_widest_window"]["window_unknown"] == 3


def test_connections_are_grouped_by_the_network_of_the_far_side(small: Capture) -> None:
    assert set(small.connections["network"]) == {"10.9.1.0/24", "fd09:1::/48"}
    assert set(small.connections["opener"]) == {"remote"}
    counts = dict(small.connections["network"].value_counts().iter_rows())
    assert {group.network: group.connections for group in small.groups} == counts


def test_every_connection_has_the_bytes_that_its_programs_counted(small: Capture) -> None:
    with (CAPTURES / "small.truth.csv").open() as file:
        truth = {(row["client_ip"], int(row["client_port"])): row for row in csv.DictReader(file)}
    rows = small.connections.to_dicts()
    assert len(rows) == len(truth)
    for row in rows:
        expected = truth[row["client_ip"], row["client_port"]]
        assert row["c2s_bytes"] == int(expected["c2s_bytes"])
        assert row["s2c_bytes"] == int(expected["s2c_bytes"])


def test_frames_are_flat(small: Capture) -> None:
    assert len(small.connections) == 11
    assert small.transfers["bytes"].sum() == small.summary["bytes"]["sum"]
    assert {"bytes", "rtt_s", "rate_bytes_per_s"} <= set(small.demands.columns)


def test_the_command_shows_counts_networks_and_connections(cli: Cli) -> None:
    answer = cli("capture", CAPTURES / "small.pcap", "--details")
    assert answer.status == 0
    assert answer.err == ""
    assert "11 TCP connections (10 complete, 1 refused)" in answer.out
    assert "10.9.1.0/24" in answer.out


def test_json_is_one_document(cli: Cli) -> None:
    document = json.loads(cli("capture", CAPTURES / "small.pcap", "--json").out)
    assert document["summary"]["tcp_connections"] == 11


def test_a_folder_holds_rows_figures_and_a_page(cli: Cli, tmp_path: pathlib.Path) -> None:
    assert cli("capture", CAPTURES / "small.pcap", "-o", tmp_path / "out").status == 0
    names = {file.name for file in (tmp_path / "out").iterdir()}
    document = json.loads((tmp_path / "out" / "capture.json").read_text())
    assert document["summary"]["tcp_connections"] == 11
    assert "connections" not in document
    assert {"capture.json", "connections.csv", "transfers.parquet", "report.html"} <= names
    assert "needed-rates.png" in names


def test_json_in_a_folder_has_rows_where_they_are_asked_for(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    assert (
        cli("capture", CAPTURES / "small.pcap", "--full-json", "-o", tmp_path / "out").status == 0
    )
    document = json.loads((tmp_path / "out" / "capture.json").read_text())
    assert len(document["connections"]) == 11
    answer = cli("capture", CAPTURES / "small.pcap", "--full-json")
    assert answer.status == 2
    assert "--full-json: it is for capture.json, and needs -o DIR" in answer.err


def test_a_cut_off_capture_gives_what_could_be_read_and_a_warning(cli: Cli) -> None:
    answer = cli("capture", CAPTURES / "small-gzip-cut.pcap.gz")
    assert answer.status == 0
    assert "432" in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x93random bytes that are no capture" * 20, "is not a capture"),
        (bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000"), "holds no packets"),
    ],
)
def test_what_is_no_capture_is_refused_in_one_line(
    cli: Cli, tmp_path: pathlib.Path, content: bytes, message: str
) -> None:
    file = tmp_path / "file.pcap"
    file.write_bytes(content)
    for command in (("capture", file), ("replay", file)):
        answer = cli(*command)
        assert answer.status == 2
        assert answer.out == ""
        assert message in answer.err
        assert answer.err.count("\n") == 1


def test_a_file_of_no_known_format_is_answered_with_all_that_are_read(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "bad.pcap"
    file.write_bytes(b"\x93random bytes" * 20)
    error = cli("capture", file).err
    for name in (
        "pcap, pcapng",
        "Zeek conn.log as TSV or JSON",
        "qlog",
        "text, CSV, JSON lines or Parquet",
    ):
        assert name in error


def test_a_missing_file_is_named(cli: Cli, tmp_path: pathlib.Path) -> None:
    answer = cli("capture", tmp_path / "nowhere.pcap")
    assert answer.status == 2
    assert "nowhere.pcap" in answer.err


def test_an_unwritable_folder_is_refused_before_reading(cli: Cli, tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    answer = cli("capture", CAPTURES / "small.pcap", "-o", tmp_path / "file")
    assert answer.status == 2
    assert answer.out == ""


LOG = (
    "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n"
    "#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tduration\torig_bytes\t"
    "resp_bytes\tconn_state\tmissed_bytes\thistory\n"
    "#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tinterval\tcount\tcount\tstring\tcount\t"
    "string\n"
    "10.0\tC1\t192.0.2.7\t50000\t198.51.100.1\t443\ttcp\t1.5\t900\t250000\tSF\t0\tShADadFf\n"
    "11.0\tC2\t192.0.2.7\t50001\t198.51.100.1\t443\ttcp\t0.5\t700\t9000\tSF\t0\tShADadFf\n"
    "12.0\tC3\t192.0.2.7\t50002\t198.51.100.1\t443\ttcp\t0.5\t-\t-\tS0\t0\tS\n"
)


@pytest.fixture
def log(tmp_path: pathlib.Path) -> pathlib.Path:
    file = tmp_path / "conn.log"
    file.write_text(LOG)
    return file


def test_a_conn_log_gives_bytes_and_says_what_it_cannot_tell(log: pathlib.Path) -> None:
    found = fs.read_capture(log)
    assert [c["s2c_bytes"] for c in found.connections.to_dicts()[:2]] == [250_000, 9_000]
    assert found.connections["rtt_s"].null_count() == 3
    assert any("round trip" in note.lower() or "rtt" in note.lower() for note in found.notes)


def test_a_conn_log_needs_a_round_trip_to_be_replayed(cli: Cli, log: pathlib.Path) -> None:
    answer = cli("replay", log)
    assert answer.status == 2
    assert "--rtt" in answer.err
    path = ("--rtt", "40ms", "--rate", "20Mbps", "--direction", "both")
    words = (*path, "--startup", "slow-start", "--json", "--full-json")
    rows = json.loads(cli("replay", log, *words).out)["rows"]
    assert {row["size_bytes"] for row in rows} == {900, 700, 250_000, 9_000}


def test_a_compressed_capture_is_the_same_capture(tmp_path: pathlib.Path) -> None:
    packed = tmp_path / "small.gz"
    packed.write_bytes(gzip.compress((CAPTURES / "small.pcap").read_bytes()))
    assert without_files(fs.read_capture(packed)) == without_files(
        fs.read_capture(CAPTURES / "small.pcap")
    )


def test_the_python_face_raises_what_the_command_prints() -> None:
    with pytest.raises(fs.RequestError, match="cannot open"):
        fs.read_capture("/nonexistent/capture")


def test_the_table_of_networks_counts_bytes_as_connections_do() -> None:
    found = fs.read_capture(CAPTURES / "web-mix.pcap.gz")
    group = next(group for group in found.groups if group.to_remote.retransmitted_packets)
    own = found.connections.filter(network=group.network)
    assert own["opener"].unique().to_list() == ["remote"]
    row = next(row for row in contents.networks(found).rows if row[0] == group.network)
    assert row[3] == text.size(float(own["s2c_bytes"].sum()))
    assert own["s2c_bytes"].sum() < group.to_remote.bytes


def test_other_traffic_is_named_from_a_twentieth_of_the_bytes_on(tmp_path: pathlib.Path) -> None:
    content = (CAPTURES / "small.pcap").read_bytes()
    file = tmp_path / "mixed.pcap"
    ports = (50_000).to_bytes(2, "big") + (5004).to_bytes(2, "big")
    ip = bytes.fromhex("4500001c00000000401100000a0901010a096401") + ports + bytes(4)
    frame = bytes(12) + b"\x08\x00" + ip
    record = content[24:32] + len(frame).to_bytes(4, "little")
    for size, named in ((30_000, False), (60_000, True)):
        file.write_bytes(content + record + size.to_bytes(4, "little") + frame)
        share = round(100 * size / (size + SMALL_BYTES))
        line = (
            f"10 of 834 packets ({share} % of bytes) are neither TCP nor known QUIC: 7 ICMPv6, "
            "2 ARP, 1 UDP to port 5004"
        )
        found = fs.read_capture(file)
        lines = found.warnings if named else found.notes
        assert line in lines
