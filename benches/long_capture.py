"""A capture of any length, on stdout: a small one again and again, later and from other networks.

    python benches/long_capture.py --times 1400 | flowstart capture -

Each time the clock goes on behind the last packet, and the clients come from networks of their
own (the second and third byte of IPv4, the third group of IPv6). `web-mix`, which is repeated, has
714 transfers in 87 s; its server keeps its addresses. Checksums are left as they are: the reader
does not look at them.
"""

import argparse
import gzip
import pathlib
import sys

import numpy as np
from numpy.typing import NDArray

CAPTURE = pathlib.Path(__file__).parent.parent / "tests/data/captures/web-mix.pcap.gz"
HEADER, RECORD, ETHERNET = 24, 16, 14
SERVER_V4 = bytes([10, 9, 100, 1])
SERVER_V6 = bytes.fromhex("fd090100") + bytes(11) + b"\x01"
Bytes = NDArray[np.uint8]


class Template:
    """The packets of a little-endian pcap, and where their times and clients' addresses stand."""

    def __init__(self, content: bytes) -> None:
        self.header = content[:HEADER]
        self.packets: Bytes = np.frombuffer(content[HEADER:], np.uint8).copy()
        self.seconds, self.v4, self.v6 = self._places(content[HEADER:])
        times = self._times()
        self.span = int(times.max() - times.min()) + 2

    def _places(self, packets: bytes) -> tuple[NDArray[np.int64], ...]:
        seconds, v4, v6, at = [], [], [], 0
        while at < len(packets):
            seconds.append(at)
            ip = at + RECORD + ETHERNET
            kind = packets[ip - 2 : ip]
            if kind == b"\x08\x00":
                v4 += [p for p in (ip + 12, ip + 16) if packets[p : p + 4] != SERVER_V4]
            elif kind == b"\x86\xdd":
                v6 += [p for p in (ip + 8, ip + 24) if packets[p : p + 16] != SERVER_V6]
            at += RECORD + int.from_bytes(packets[at + 8 : at + 12], "little")
        return tuple(np.array(places) for places in (seconds, v4, v6))

    def _times(self) -> NDArray[np.int64]:
        octets = [self.packets[self.seconds + i].astype(np.int64) << 8 * i for i in range(4)]
        times: NDArray[np.int64] = np.sum(octets, axis=0)
        return times

    def again(self, number: int) -> bytes:
        """The packets once more, for the `number`-th time."""
        packets = self.packets.copy()
        times = self._times() + number * self.span
        for i in range(4):
            packets[self.seconds + i] = times >> 8 * i & 0xFF
        # 10.9.x.y becomes (10 + high).(low).x.y, and fd09:x:: becomes fd09:x:number::.
        high, low = divmod(number, 200)
        packets[self.v4], packets[self.v4 + 1] = 10 + high, 9 + low
        packets[self.v6 + 4], packets[self.v6 + 5] = number >> 8 & 0xFF, number & 0xFF
        return packets.tobytes()


def main() -> None:
    """Writes the capture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=1400, help="how often it is repeated")
    times = parser.parse_args().times
    template = Template(gzip.decompress(CAPTURE.read_bytes()))
    sys.stdout.buffer.write(template.header)
    for number in range(times):
        sys.stdout.buffer.write(template.again(number))


if __name__ == "__main__":
    main()
