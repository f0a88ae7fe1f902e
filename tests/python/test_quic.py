"""QUIC in packet captures: recognised, counted and said."""

import json
import pathlib
import struct
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import flowstart as fs

Cli = Callable[..., Any]
SMALL = pathlib.Path(__file__).parent.parent / "data" / "captures" / "small.pcap"
CLIENT, SERVER = ((192, 0, 2, 9), 40000), ((198, 51, 100, 1), 443)
INITIAL, HANDSHAKE, RETRY, SHORT = 0xC0, 0xE0, 0xF0, 0x40
V1, V2 = 1, 0x6B3343CF


def datagram(from_client: bool, first: int, size: int, version: int = V1) -> bytes:
    """An IPv4 packet with a QUIC packet of `size` bytes, of which only the header counts."""
    head = bytes([first]) + (struct.pack(">I", version) if first & 0x80 else b"") + bytes(40)
    ends = (CLIENT, SERVER) if from_client else (SERVER, CLIENT)
    (source, source_port), (target, target_port) = ends
    udp = struct.pack(">HHHH", source_port, target_port, 8 + size, 0) + head
    head_of_ip = struct.pack(">BBHHHBBH", 0x45, 0, 28 + size, 1, 0, 64, 17, 0)
    return head_of_ip + bytes(source) + bytes(target) + udp


def write(file: pathlib.Path, packets: Iterable[tuple[int, bytes]]) -> pathlib.Path:
    """A pcap of raw IP; times in microseconds."""
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    for time, packet in packets:
        length = int.from_bytes(packet[2:4], "big")
        content += struct.pack("<IIII", 1000, time, len(packet), length) + packet
    file.write_bytes(content)
    return file


TALK = [
    (0, datagram(True, INITIAL, 1200)),
    (20_000, datagram(False, INITIAL, 1200)),
    (20_100, datagram(False, HANDSHAKE, 900)),
    (40_000, datagram(True, INITIAL, 1200)),  # acknowledges, and proves nothing by itself
    (50_000, datagram(True, HANDSHAKE, 100)),
    (51_000, datagram(True, SHORT, 300)),
    (90_000, datagram(False, SHORT, 1300)),
]


def test_a_connection_is_counted_with_the_round_trip_of_its_handshake(
    tmp_path: pathlib.Path,
) -> None:
    found = fs.read_capture(write(tmp_path / "quic.pcap", TALK))
    assert found.quic is not None
    [row] = found.quic.to_dicts()
    assert (row["client_port"], row["server_port"], row["version"]) == (40000, 443, "v1")
    assert (row["c2s_bytes"], row["s2c_bytes"]) == (2800, 3400)
    assert (row["c2s_datagrams"], row["s2c_datagrams"]) == (4, 3)
    assert (row["rtt_s"], row["end_s"]) == (0.05, 0.09)
    assert len(found.connections) == len(found.transfers) == 0


def test_a_retry_is_no_answer(tmp_path: pathlib.Path) -> None:
    again = [(time + 30_000, packet) for time, packet in TALK]
    talk = [(0, datagram(True, INITIAL, 1200)), (15_000, datagram(False, RETRY, 80)), *again]
    found = fs.read_capture(write(tmp_path / "quic.pcap", talk))
    assert found.quic is not None
    assert found.quic["rtt_s"].to_list() == [0.05]


@pytest.mark.parametrize(
    ("first", "version", "name"),
    [(0xD0, V2, "v2"), (INITIAL, 0xFF00001D, "draft-29")],
)
def test_known_versions_are_told_apart(
    tmp_path: pathlib.Path, first: int, version: int, name: str
) -> None:
    talk = [(0, datagram(True, first, 1200, version))]
    found = fs.read_capture(write(tmp_path / "quic.pcap", talk))
    assert found.quic is not None
    assert found.quic["version"].to_list() == [name]


def test_other_datagrams_are_not_taken_for_quic(tmp_path: pathlib.Path) -> None:
    talk = [(0, datagram(True, INITIAL, 1200, 0x12345678)), (1, datagram(True, SHORT, 100))]
    found = fs.read_capture(write(tmp_path / "dns.pcap", talk))
    assert found.quic is not None
    assert found.quic.is_empty()


def test_quic_is_said_beside_the_rows(cli: Cli, tmp_path: pathlib.Path) -> None:
    file = write(tmp_path / "quic.pcap", TALK)
    answer = cli("capture", file, SMALL, "--details")
    assert answer.status == 0
    assert (
        "QUIC: 1 connection (v1), 2.8 kB to servers and 3.4 kB to clients; median RTT "
        "50.00 ms (1 handshake). The rest of it is encrypted; it is not among the rows."
    ) in answer.out
    assert "11 TCP connections" in answer.out
    document = json.loads(cli("capture", file, "--json").out)
    assert document["quic"]["connections"] == 1
    assert document["summary"]["tcp_connections"] == 0


def test_a_capture_of_quic_alone_has_nothing_to_replay(cli: Cli, tmp_path: pathlib.Path) -> None:
    answer = cli("replay", write(tmp_path / "quic.pcap", TALK))
    assert answer.status == 2
    assert answer.err.count("\n") == 1
    assert "there is no transfer to replay" in answer.err
