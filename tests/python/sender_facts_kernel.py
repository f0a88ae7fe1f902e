"""What captures measure of this machine's kernel as a sender, against how it is set.

A program for root on Linux, outside of CI, over the paths of `initial_windows_kernel.py`. The
server's namespace has a congestion control and `tcp_slow_start_after_idle`; it sends, pauses for
two seconds, and sends again.
"""

import collections
import pathlib
import sys
import tempfile
from dataclasses import dataclass

import polars as pl

from flowstart.captures import read_capture
from initial_windows_kernel import (
    CLIENT,
    CONNECTIONS,
    SERVER,
    Link,
    Relay,
    namespaces,
    recorded,
    run,
)

SERVE = """
import socket, sys, time
listener = socket.create_server((sys.argv[1], 80))
print(flush=True)
for _ in range(int(sys.argv[2])):
    peer, _ = listener.accept()
    with peer:
        peer.recv(1000)
        for size in sys.argv[3:]:
            peer.sendall(bytes(int(size)))
            time.sleep(2)
"""


@dataclass(frozen=True)
class Setting:
    """How the server's namespace is set, and what it sends over which path."""

    cc: str
    keeps: bool
    link: Link
    sizes: tuple[int, ...]


SMALL, LARGE = (150_000, 400_000), (3_000_000,)
SETTINGS = [
    *(Setting("cubic", keeps, Link(0.02, 40e6, 0), SMALL) for keeps in (False, True)),
    *(Setting("reno", keeps, Link(0.05, 40e6, 0), SMALL) for keeps in (False, True)),
    *(Setting(cc, False, Link(0.02, 30e6, 0.001), LARGE) for cc in ("cubic", "reno")),
    *(Setting(cc, False, Link(0.04, 30e6, 0.002), LARGE) for cc in ("cubic", "reno")),
    Setting("bbr", False, Link(0.03, 80e6, 0), SMALL),
]


def capture(setting: Setting, monitor: int) -> bytes:
    """The capture of connections at one of the ends."""
    with namespaces(10) as devices:
        server = ("ip", "netns", "exec", "flowstart-0")
        rules = {"congestion_control": setting.cc, "no_metrics_save": 1}
        rules["slow_start_after_idle"] = int(not setting.keeps)
        for name, value in rules.items():
            run(*server, "sysctl", "-qw", f"net.ipv4.tcp_{name}={value}")
        relay = Relay(devices, setting.link, monitor, seed=monitor)
        return recorded(relay, SERVE, CONNECTIONS, *setting.sizes)


def right(setting: Setting) -> dict[str, object]:
    """What is known of the sender. The kernel paces BBR only, at a rate instead of a window."""
    restart = "kept" if setting.keeps else "initial-window"
    if setting.cc == "bbr":
        return {"paced": True}
    facts: dict[str, object] = {"growth": 2.0, "paced": False}
    return facts | ({"cc": setting.cc} if setting.link.loss else {"idle_restart": restart})


def main() -> int:
    """Prints each fact of each setting."""
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "kernel.pcap"
        for number, setting in enumerate(SETTINGS):
            monitor = number // 2 % 2
            file.write_bytes(capture(setting, monitor))
            rows = read_capture(file).connections
            rows = rows.filter(server_ip=SERVER, client_ip=CLIENT).with_columns(
                pl.col("s2c_growth").round(1), s2c_paced=pl.col("s2c_pacing") > 0
            )
            for fact, known in right(setting).items():
                values = rows[f"s2c_{fact}"].to_list()
                for value in values:
                    verdict = "unknown" if value is None else "wrong"
                    counts[fact, "right" if value == known else verdict] += 1
                where = ("server", "client")[monitor]
                print(f"{setting}, at the {where}: {fact} {values}, known {known}", flush=True)
    for (fact, verdict), count in sorted(counts.items()):
        print(f"{fact:14}{verdict:10}{count:4}")
    return int(any(verdict == "wrong" for _, verdict in counts))


if __name__ == "__main__":
    sys.exit(main())
