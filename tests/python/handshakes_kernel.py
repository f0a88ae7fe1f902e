"""TLS handshakes as messages over TCP of this machine's kernel: tests/data/linux/handshakes.csv.

PYTHONPATH=tools/docs python tests/python/handshakes_kernel.py    # some ten minutes

A program for root on Linux, outside of CI, over the namespaces of `initial_windows_kernel.py`.
Plain sockets write messages of the sizes of a handshake. The relay loses one named packet.
"""

import csv
import heapq
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

from initial_windows_kernel import SERVER, Link, Relay, namespaces, run
from kernel_handshakes import LOST, RECORD

PATHS = ((10, 40), (100, 100), (20, 300), (1000, 20))
"""Rate in Mbit/s and round trip in ms."""
FLIGHTS = (3000, 15_000, 44_000)
HELLO, FINISHED, RESPONSE = 300, 280, 5000
"""Bytes of the ClientHello, of Finished with the request, of the response."""
SETTINGS = ("net.ipv4.tcp_congestion_control=cubic", "net.ipv4.tcp_no_metrics_save=1")
RUNS = 5
LATE_S = 1e-3
"""A run in which a packet was later is made again."""
ATTEMPTS = 40

ENDS = """
import socket, sys, time
def read(peer, size):
    while size:
        size -= len(peer.recv(min(size, 1 << 16)))
end, address, hello, flight, finished, response = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
if end == "server":
    listener = socket.create_server((address, 80))
    print(flush=True)
    peer, _ = listener.accept()
else:
    peer = socket.socket()
    begun = time.monotonic()
    peer.connect((address, 80))
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
if end == "server":
    for request, answer in ((hello, flight), (finished, response)):
        read(peer, request)
        peer.sendall(bytes(answer))
    peer.recv(1)
else:
    for request, answer in ((hello, flight), (finished, response)):
        peer.sendall(bytes(request))
        read(peer, answer)
    print(time.monotonic() - begun)
"""


def kind(end: int, packet: bytes) -> str:
    """What a packet of the server (0) or the client is called in `handshake_drops`."""
    words = 4 * (packet[0] & 15)
    flags, data = packet[words + 13], len(packet) - words - 4 * (packet[words + 12] >> 4)
    if flags & 2:
        return "synack" if end == 0 else "syn"
    if end == 0:
        return "flight" if data else ""
    return {0: "ack", HELLO: "hello", FINISHED: "finished"}[data]


class Losing(Relay):
    """Has the rate in both directions, and loses one packet."""

    def __init__(self, devices: tuple[int, int], link: Link, lost: str) -> None:
        super().__init__(devices, link, monitor=0, seed=0)
        self.lost, _, number = lost.partition(":")
        self.left = int(number or 1)
        self.late_s = 0.0

    def run(self) -> None:
        """Carries until `ended`, as a thread that comes before programs."""
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
        waiting: list[tuple[float, int, int, bytes]] = []
        free, number = [0.0, 0.0], 0
        while not self.ended.is_set():
            while waiting and waiting[0][0] <= (now := time.monotonic()):
                due, _, end, packet = heapq.heappop(waiting)
                self.late_s = max(self.late_s, now - due)
                os.write(self.devices[end], packet)
            idle = True
            for end, device in enumerate(self.devices):
                try:
                    packet, now = os.read(device, 1 << 16), time.monotonic()
                except BlockingIOError:
                    continue
                idle = False
                if packet[0] >> 4 != 4 or self._loses(kind(end, packet)):
                    continue
                sent = free[end] = max(free[end], now) + len(packet) * 8 / self.link.rate_bps
                number += 1
                entry = (sent + self.link.one_way_s, number, 1 - end, packet)
                heapq.heappush(waiting, entry)
            if idle:
                time.sleep(30e-6)

    def _loses(self, name: str) -> bool:
        self.left -= bool(name) and name == self.lost
        return bool(name) and name == self.lost and self.left == 0


def took(devices: tuple[int, int], link: Link, flight: int, lost: str) -> tuple[float, float]:
    """Seconds from the SYN to the last byte of the response, and how late the relay was."""
    relay = Losing(devices, link, lost)
    relay.start()
    sizes = [str(size) for size in (HELLO, flight, FINISHED, RESPONSE)]

    def words(end: int, name: str) -> list[str]:
        space = ["ip", "netns", "exec", f"flowstart-{end}", "chrt", "-f", "20"]
        return [*space, sys.executable, "-c", ENDS, name, SERVER, *sizes]

    with subprocess.Popen(words(0, "server"), stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout
            server.stdout.readline()
            client = subprocess.run(words(1, "client"), check=True, capture_output=True, timeout=60)
        finally:
            server.kill()
    relay.ended.set()
    relay.join()
    return float(client.stdout), relay.late_s


def times(link: Link, flight: int, lost: str) -> Iterator[float]:
    """Times of runs in which the relay was not late."""
    attempts = 0
    count = 0
    while count < RUNS:
        attempts += 1
        assert attempts <= ATTEMPTS, "the machine is too busy"
        with namespaces(10) as devices:
            for end in (0, 1):
                run("ip", "netns", "exec", f"flowstart-{end}", "sysctl", "-qw", *SETTINGS)
            seconds, late_s = took(devices, link, flight, lost)
        if late_s <= LATE_S:
            count += 1
            yield seconds


def main() -> None:
    """Writes a row for each case, with the least, median and most of its runs in ms."""
    with RECORD.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["rate_mbps", "rtt_ms", "flight", "lost", "least_ms", "median_ms", "most_ms"])
        for rate, rtt in PATHS:
            for flight in FLIGHTS:
                for lost in LOST:
                    link = Link(rtt / 2e3, rate * 1e6, 0)
                    found = [1e3 * second for second in times(link, flight, lost)]
                    of_runs = (min(found), statistics.median(found), max(found))
                    row = [rate, rtt, flight, lost, *(f"{ms:.1f}" for ms in of_runs)]
                    rows.writerow(row)
                    file.flush()
                    print(*row, file=sys.stderr)


if __name__ == "__main__":
    main()
