"""The initial windows that captures measure, against those set in this machine's kernel.

A program for root on Linux, outside of CI. It opens TCP connections between two network namespaces,
whose packets it carries itself from one TUN device to the other: with a delay, at a rate, losing
some. The server's route has `initcwnd`; the packets at one of the ends are the capture.
"""

import collections
import fcntl
import heapq
import os
import pathlib
import random
import selectors
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from flowstart.captures import read_capture
from flowstart.captures.senders import senders

WINDOWS = (1, 2, 3, 4, 5, 7, 8, 10, 12, 16, 20, 24, 28, 32, 36, 40, 50, 64, 80, 100)
CONNECTIONS = 4
SERVER, CLIENT = "10.98.0.1", "10.98.0.2"
SEGMENT = 1448
SERVE = """
import socket, sys
listener = socket.create_server((sys.argv[1], 80))
print(flush=True)
for _ in range(int(sys.argv[3])):
    peer, _ = listener.accept()
    with peer:
        peer.recv(1000)
        peer.sendall(bytes(int(sys.argv[2])))
"""
FETCH = """
import socket, sys, time
for _ in range(int(sys.argv[2])):
    with socket.create_connection((sys.argv[1], 80)) as peer:
        peer.sendall(bytes(200))
        while peer.recv(1 << 16):
            pass
    time.sleep(0.1)
"""


@dataclass(frozen=True)
class Link:
    """What the packets meet on their way."""

    one_way_s: float
    rate_bps: float
    loss: float


class Relay(threading.Thread):
    """Carries packets between two devices, and keeps those at one end as a capture."""

    def __init__(self, devices: tuple[int, int], link: Link, monitor: int, seed: int) -> None:
        super().__init__(daemon=True)
        self.devices, self.link, self.monitor = devices, link, monitor
        self.draw = random.Random(seed)
        self.packets: list[tuple[float, bytes]] = []
        self.ended = threading.Event()

    def run(self) -> None:
        """Carries until `ended`."""
        waiting: list[tuple[float, int, int, bytes]] = []
        free, number = [0.0, 0.0], 0
        with selectors.DefaultSelector() as selector:
            for end, device in enumerate(self.devices):
                selector.register(device, selectors.EVENT_READ, end)
            while not self.ended.is_set():
                now = time.monotonic()
                while waiting and waiting[0][0] <= now:
                    _, _, end, packet = heapq.heappop(waiting)
                    self._keep(end, packet)
                    os.write(self.devices[end], packet)
                wait = min(waiting[0][0] - now, 0.01) if waiting else 0.01
                for key, _ in selector.select(max(wait, 0)):
                    packet, now = os.read(key.fd, 1 << 16), time.monotonic()
                    self._keep(key.data, packet)
                    # The rate and the losses are those of the server's direction.
                    forward = key.data == 0
                    sent = now
                    if forward:
                        sent = free[0] = max(free[0], now) + len(packet) * 8 / self.link.rate_bps
                    if not forward or self.draw.random() >= self.link.loss:
                        number += 1
                        due = sent + self.link.one_way_s
                        heapq.heappush(waiting, (due, number, 1 - key.data, packet))

    def _keep(self, end: int, packet: bytes) -> None:
        if end == self.monitor and packet[0] >> 4 == 4:
            self.packets.append((time.time(), packet))

    def pcap(self) -> bytes:
        """The capture: raw IP."""
        parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 16, 101)]
        for moment, packet in self.packets:
            seconds = int(moment)
            micros = int((moment - seconds) * 1e6)
            parts += [struct.pack("<IIII", seconds, micros, len(packet), len(packet)), packet]
        return b"".join(parts)


def run(*words: object) -> None:
    """Runs a command. Raises CalledProcessError where it fails."""
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


def tun(name: str) -> int:
    """A new TUN device (linux/if_tun.h)."""
    set_interface, tun_without_information = 0x400454CA, 0x1001
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, set_interface, struct.pack("16sH", name.encode(), tun_without_information))
    return device


@contextmanager
def namespaces(window: int) -> Iterator[tuple[int, int]]:
    """The devices of two namespaces `flowstart-0` and `-1`; the first sends with the window."""
    devices: list[int] = []
    try:
        for end, (mine, peer) in enumerate([(SERVER, CLIENT), (CLIENT, SERVER)]):
            space, name = f"flowstart-{end}", f"flowstart{end}"
            run("ip", "netns", "add", space)
            devices.append(tun(name))
            run("ip", "link", "set", name, "netns", space)
            ip = ("ip", "-n", space)
            run(*ip, "address", "add", mine, "dev", name)
            run(*ip, "link", "set", name, "up")
            # Without this the window of 64 kB would be the limit.
            limits = "net.ipv4.tcp_rmem=4096 2000000 6000000"
            run("ip", "netns", "exec", space, "sysctl", "-qw", limits)
            metrics = ("initcwnd", window) if end == 0 else ("initrwnd", 2 * window + 20)
            run(*ip, "route", "add", peer, "dev", name, *metrics)
        yield devices[0], devices[1]
    finally:
        for device in devices:
            os.close(device)
        for end in (0, 1):
            with suppress(subprocess.CalledProcessError):
                run("ip", "netns", "delete", f"flowstart-{end}")


def recorded(relay: Relay, program: str, *words: object) -> bytes:
    """What a relay records of connections to this program of the server, with these arguments."""
    relay.start()
    python = (sys.executable, "-c")
    serve = ("ip", "netns", "exec", "flowstart-0", *python, program, SERVER)
    with subprocess.Popen([*serve, *map(str, words)], stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout
            server.stdout.readline()
            run("ip", "netns", "exec", "flowstart-1", *python, FETCH, SERVER, CONNECTIONS)
        finally:
            server.kill()
    time.sleep(2 * relay.link.one_way_s)
    relay.ended.set()
    relay.join()
    return relay.pcap()


def transfer(window: int, link: Link, monitor: int, size: int) -> bytes:
    """The capture of connections that each transfer so many bytes."""
    with namespaces(window) as devices:
        relay = Relay(devices, link, monitor, seed=window)
        return recorded(relay, SERVE, size, CONNECTIONS)


def main() -> int:
    """Prints each run's window; 1 where one is wrong."""
    counts: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number, window in enumerate(WINDOWS):
            rtt_ms = (10, 30, 60, 100)[number % 4]
            # The window fills a third of the path, as the relay's own speed allows.
            rate_mbps = max(10.0, 3 * window * 1500 * 8 / (rtt_ms * 1e3))
            loss = (0.0, 0.0, 0.01)[number % 3]
            link = Link(rtt_ms / 2e3, rate_mbps * 1e6, loss)
            file = pathlib.Path(folder) / f"{window}.pcap"
            monitor = number // 4 % 2
            file.write_bytes(transfer(window, link, monitor, (3 * window + 5) * SEGMENT))
            rows = senders(read_capture(file).connections).filter(direction="s2c")
            measured, flights = rows.select("initial_window", "initial_window_count").row(0)
            verdict = "unknown" if measured is None else "right" if measured == window else "wrong"
            counts[verdict] += 1
            where = ("server", "client")[monitor]
            print(
                f"initcwnd {window}, {rtt_ms} ms, {rate_mbps:.0f} Mbit/s, loss {loss:.0%}, "
                f"at the {where}: {measured} from {flights} of {CONNECTIONS} flights: {verdict}",
                flush=True,
            )
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
