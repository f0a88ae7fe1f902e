"""Networks whose addresses overlap: VLANs, and networks in tunnels, by their identifiers."""

import pathlib
import struct
from collections.abc import Callable, Iterator

import pytest

import flowstart as fs

PLAIN = pathlib.Path(__file__).parent.parent / "data/captures/field/plain.pcap"
HEADER, ETHERNET, IP = 24, 14, 20
CLIENT = bytes([192, 0, 2, 10])
Packet = tuple[int, bytes]
Wrap = Callable[[bytes, int], bytes]


def packets() -> Iterator[Packet]:
    """The frames of a connection, with their times in microseconds."""
    content, place = PLAIN.read_bytes(), HEADER
    while place < len(content):
        seconds, micros, size, _ = struct.unpack_from("<IIII", content, place)
        yield seconds * 10**6 + micros, content[place + 16 : place + 16 + size]
        place += 16 + size


def from_client(frame: bytes) -> bool:
    return frame[ETHERNET + 12 : ETHERNET + 16] == CLIENT


def shifted(frame: bytes, by: int) -> bytes:
    """The same segment of a connection with other sequence numbers."""
    tcp = ETHERNET + IP
    number, ack = struct.unpack_from(">II", frame, tcp + 4)
    has_ack = frame[tcp + 13] & 0x10
    numbers = ((number + by) % 2**32, (ack + by) % 2**32 if has_ack else 0)
    return frame[: tcp + 4] + struct.pack(">II", *numbers) + frame[tcp + 12 :]


def outer(payload: bytes, protocol: int) -> bytes:
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 7, 0, 64, protocol, 0)
    return bytes(12) + b"\x08\x00" + ip + bytes([10, 1, 1, 1, 10, 1, 1, 2]) + payload


def vxlan(frame: bytes, number: int) -> bytes:
    content = struct.pack(">II", 0x08000000, number << 8) + frame
    return outer(struct.pack(">HHHH", 50000, 4789, 8 + len(content), 0) + content, 17)


def gre(frame: bytes, number: int) -> bytes:
    return outer(struct.pack(">HHI", 0x2000, 0x6558, number) + frame, 47)


def gtp(frame: bytes, number: int) -> bytes:
    """Each direction has an identifier of its own."""
    packet, end = frame[ETHERNET:], number + 1000 * from_client(frame)
    content = struct.pack(">BBHI", 0x30, 255, len(packet), end) + packet
    return outer(struct.pack(">HHHH", 2152, 2152, 8 + len(content), 0) + content, 17)


def vlan(frame: bytes, number: int) -> bytes:
    return frame[:12] + struct.pack(">HH", 0x8100, number) + frame[12:]


WRAPS = pytest.mark.parametrize("wrap", [vxlan, gre, gtp, vlan])


def capture(tmp_path: pathlib.Path, found: list[Packet]) -> fs.Capture:
    path = tmp_path / "mine.pcap"
    content = PLAIN.read_bytes()[:HEADER]
    for time, frame in sorted(found):
        content += struct.pack("<IIII", *divmod(time, 10**6), len(frame), len(frame)) + frame
    path.write_bytes(content)
    return fs.read_capture(path)


@WRAPS
def test_the_same_ends_in_two_networks_are_two_connections(
    tmp_path: pathlib.Path, wrap: Wrap
) -> None:
    first = [(time, wrap(frame, 42)) for time, frame in packets()]
    second = [(time + 3000, wrap(shifted(frame, 10**9), 43)) for time, frame in packets()]
    rows = capture(tmp_path, first + second).connections
    assert rows["handshake"].to_list() == ["complete"] * 2
    assert rows["s2c_bytes"].to_list() == [5000] * 2
    assert rows["rtt_s"].to_list() == pytest.approx([0.0401] * 2)
    assert rows["flags"].to_list() == [""] * 2


@WRAPS
def test_a_connection_after_another_in_a_further_network_is_its_own(
    tmp_path: pathlib.Path, wrap: Wrap
) -> None:
    first = [(time, wrap(frame, 42)) for time, frame in packets()]
    later = [(time + 10**7, wrap(frame, 43)) for time, frame in packets()]
    rows = capture(tmp_path, first + later).connections
    assert rows["s2c_bytes"].to_list() == [5000] * 2


@WRAPS
def test_copies_from_two_networks_are_one_connection(tmp_path: pathlib.Path, wrap: Wrap) -> None:
    once = [(time, frame) for time, frame in packets()]
    again = [(time + 5, wrap(frame, 42)) for time, frame in packets()]
    rows = capture(tmp_path, once + again).connections
    assert rows["s2c_bytes"].to_list() == [5000]
    assert rows["flags"].to_list() == ["seen-twice"]
