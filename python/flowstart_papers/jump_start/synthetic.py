"""A capture whose connections follow a known law, and the answers that follow from it.

The trace of the paper is not public. This one is made so that what it says is known packet by
packet: sizes, round trips and windows are drawn, and so are the accidents that such a
computation must see through. Its shares are near the paper's because they were chosen so.
"""

import pathlib
import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass

MSS = 1460
SYN, FIN, PSH_ACK, ACK, RST_ACK, SYN_ACK = 0x02, 0x11, 0x18, 0x10, 0x14, 0x12
OPENING = 4380
"""RFC 3390's bytes; the paper's figures begin above."""

CONNECTIONS = 6000
COMPLETED = 0.39
"""Of all connections: 1.2 of the paper's 3.1 million."""
OVER = 0.074
"""Of all directions with data, above `OPENING`."""
EMPTY = 0.04
"""Of all directions."""
TAIL = 1.1
"""Shape of the Pareto law of sizes above `OPENING`."""
LARGEST = 3_000_000
FIRST_PORT = 1024
"""The client's port of connection 0; the others' follow."""
WINDOWS = ((0.3, 8192), (0.5, 16384), (0.7, 32768), (0.9, 65528), (1.0, 262144))
"""Cumulated shares of receivers by their window; the largest needs a scale."""
SCALE = 3
ACCIDENT = 0.05
"""How often a SYN, a SYN-ACK or data is seen twice, each by itself."""


@dataclass(frozen=True)
class Conversation:
    """One connection as the law draws it."""

    number: int
    ending: str
    """`complete`, or how its handshake ends: `syn-only`, `half-open`, `refused`."""
    start_us: int
    rtt_us: int
    sizes: tuple[int, int]
    """Bytes from the client and from the server."""
    windows: tuple[int, int]
    """What the client and the server advertise."""
    syns: int
    syn_acks: int
    data_again: bool

    def advertised(self, to: int) -> int:
        """What the receiver of a direction advertised before it had data; 0 is the client's.

        No SYN is scaled, and a server has said nothing more when the first data reaches it.
        """
        window = self.windows[1 - to]
        return min(window, 0xFFFF) if to == 0 else window


def draw(seed: int = 1, count: int = CONNECTIONS) -> list[Conversation]:
    """The connections, in order of their beginning."""
    dice = random.Random(seed)
    return [_conversation(number, dice) for number in range(count)]


def _conversation(number: int, dice: random.Random) -> Conversation:
    failed = dice.choices(("syn-only", "half-open", "refused"), (0.7, 0.1, 0.2))[0]
    complete = dice.random() < COMPLETED
    return Conversation(
        number=number,
        ending="complete" if complete else failed,
        start_us=1000 * number,
        rtt_us=round(1e6 * min(max(dice.lognormvariate(-2.8, 0.9), 0.001), 2.0)),
        sizes=(_size(dice), _size(dice)) if complete else (0, 0),
        windows=(_window(dice), _window(dice)),
        syns=1 + (dice.random() < ACCIDENT),
        syn_acks=1 + (dice.random() < ACCIDENT),
        data_again=dice.random() < ACCIDENT,
    )


def _size(dice: random.Random) -> int:
    if dice.random() < EMPTY:
        return 0
    if dice.random() < OVER:
        return min(1 + int(OPENING * dice.paretovariate(TAIL)), LARGEST)
    return dice.randint(1, OPENING)


def _window(dice: random.Random) -> int:
    chance = dice.random()
    return next(window for share, window in WINDOWS if chance < share)


def write(file: pathlib.Path, conversations: list[Conversation]) -> None:
    """The packets of the connections as a pcap file of raw IP, headers only."""
    packets = sorted(
        (packet for one in conversations for packet in _packets(one)), key=lambda p: p[0]
    )
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 128, 101)
    records = (
        struct.pack("<IIII", us // 10**6, us % 10**6, len(data), len(data) + payload) + data
        for us, data, payload in packets
    )
    file.write_bytes(header + b"".join(records))


Packet = tuple[int, bytes, int]
"""Microseconds, headers, and the length of what would follow them."""


def _packets(one: Conversation) -> Iterator[Packet]:
    """The monitor is a third of the way from the client to the server."""
    answered = one.start_us + 2 * one.rtt_us // 3
    # A SYN that is sent again comes long before: the last one counts.
    for again in reversed(range(one.syns)):
        yield _packet(one, one.start_us - again * 3_000_000, 0, SYN, 0, 0)
    if one.ending == "syn-only":
        return
    if one.ending == "refused":
        yield _packet(one, answered, 1, RST_ACK, 0, 1)
        return
    for again in reversed(range(one.syn_acks)):
        yield _packet(one, answered - 10 * again, 1, SYN_ACK, 0, 1)
    if one.ending == "complete":
        yield from _established(one)


def _established(one: Conversation) -> Iterator[Packet]:
    """The completing ACK, then what the client has to say, then what the server has."""
    now = one.start_us + one.rtt_us
    yield _packet(one, now, 0, ACK, 1, 1)
    heard = [1, 1]
    for sender in (0, 1):
        for offset in range(0, one.sizes[sender], MSS):
            length = min(MSS, one.sizes[sender] - offset)
            for _ in range(2 if one.data_again and offset == 0 else 1):
                now += 100
                yield _packet(one, now, sender, PSH_ACK, 1 + offset, heard[1 - sender], length)
            heard[sender] = 1 + offset + length
            now += 100
            yield _packet(one, now, 1 - sender, ACK, heard[1 - sender], heard[sender])
    for sender in (0, 1):
        now += 100
        yield _packet(one, now, sender, FIN, heard[sender], heard[1 - sender])


def _packet(
    one: Conversation, us: int, sender: int, flags: int, seq: int, ack: int, payload: int = 0
) -> Packet:
    """One packet; sequence numbers count from each side's SYN."""
    options = b""
    window = one.windows[sender]
    if flags in (SYN, SYN_ACK):
        options = struct.pack("!BBHBBBB", 2, 4, MSS, 3, 3, SCALE, 0)
        field = min(window, 0xFFFF)
    else:
        field = window >> SCALE
    client = bytes((198, 51, 100 + one.number % 100, 1 + one.number // 100 % 250))
    ends = ((client, FIRST_PORT + one.number), (bytes((192, 0, 2, 1)), 80))
    (source, source_port), (target, target_port) = ends[sender], ends[1 - sender]
    offset = (20 + len(options)) // 4 << 4
    tcp = struct.pack("!HHIIBBHHH", source_port, target_port, seq, ack, offset, flags, field, 0, 0)
    length = 20 + len(tcp) + len(options) + payload
    # Two packets of one number would be one packet captured twice.
    number = us & 0xFFFF
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, length, number, 0, 64, 6, 0, source, target)
    return us + 10_000_000, ip + tcp + options, payload
