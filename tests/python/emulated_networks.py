"""A server and clients in many networks, in two network namespaces, with known paths between.

    python emulated_networks.py SERVER CLIENT NETWORKS

makes a TUN device in both namespaces and prints `ready`. It passes packets on until it ends. To
each network leads a drop-tail link of `RATE_BPS` and `BUFFER_PACKETS`; `RTT_S` is without queue.
"""

import contextlib
import ctypes
import fcntl
import heapq
import itertools
import os
import pathlib
import select
import struct
import subprocess
import sys
import time

RATE_BPS = 10e6
RTT_S = 0.06
BUFFER_PACKETS = 150
SERVER = "10.65.0.1"
CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
TUN_NO_PI = 0x1001
"""IFF_TUN and IFF_NO_PI of include/uapi/linux/if_tun.h."""


def client(network: int) -> str:
    """The client's address in a network."""
    return f"10.66.{network}.2"


def enter(namespace: str) -> None:
    """Brings this thread into a namespace."""
    with pathlib.Path("/run/netns", namespace).open() as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), namespace)


def device(namespace: str, *addresses: str, route: str) -> int:
    """A TUN device in a namespace, which this thread is in afterwards."""
    enter(namespace)
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH14x", b"path", TUN_NO_PI))
    lines = [
        *(f"addr add {address}/32 dev path" for address in addresses),
        *("link set lo up", "link set path up txqueuelen 10000", f"route add {route} dev path"),
    ]
    subprocess.run(["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True)
    return tun


class Relay:
    """What is on its way, and when each network's link is free again."""

    def __init__(self, server: int, client: int) -> None:
        self.other = {server: client, client: server}
        self.server = server
        self.due: list[tuple[float, int, int, bytes]] = []
        self.free: dict[int, float] = {}
        self.number = itertools.count()

    def take(self, device: int) -> None:
        """Takes what a device has."""
        with contextlib.suppress(BlockingIOError):
            while packet := os.read(device, 2000):
                now = time.monotonic()
                leaves = self.leaves(packet, now) if device == self.server else now
                if leaves is not None:
                    entry = leaves + RTT_S / 2, next(self.number), self.other[device], packet
                    heapq.heappush(self.due, entry)

    def leaves(self, packet: bytes, now: float) -> float | None:
        """When the link of its network has sent a packet; None where the buffer is full."""
        network, lasts = packet[18], 8 * len(packet) / RATE_BPS
        start = max(now, self.free.get(network, 0.0))
        if start - now > BUFFER_PACKETS * 8 * 1500 / RATE_BPS:
            return None
        self.free[network] = start + lasts
        return start + lasts

    def run(self) -> None:
        """Passes packets on without an end."""
        while True:
            now = time.monotonic()
            while self.due and self.due[0][0] <= now:
                _, _, device, packet = heapq.heappop(self.due)
                os.write(device, packet)
            wait = max(0.0, self.due[0][0] - now) if self.due else 1.0
            for readable in select.select([*self.other], [], [], wait)[0]:
                self.take(readable)


if __name__ == "__main__":
    server, clients, networks = sys.argv[1:]
    addresses = [client(network) for network in range(int(networks))]
    relay = Relay(
        device(server, SERVER, route="10.66.0.0/16"),
        device(clients, *addresses, route="10.65.0.0/16"),
    )
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    print("ready", flush=True)
    relay.run()
