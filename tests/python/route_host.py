"""A host with two routers in network namespaces, and the kinds of routes that it may have.

As a program it stands for `ip`, and records what the real one prints.
"""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

DATA = pathlib.Path(__file__).parents[1] / "data" / "routes"
REAL = "/usr/sbin/ip"

GATEWAY = "via 10.0.0.1 dev h0"
KINDS = {
    "plain": [f"-4 route add default {GATEWAY}"],
    "metric": [f"-4 route add default {GATEWAY} metric 100"],
    "attributes": [
        (
            f"-4 route add default {GATEWAY} proto dhcp src 10.0.0.2 metric 200 mtu 1400 "
            "advmss 1300 rto_min 300ms features ecn"
        ),
    ],
    "next-hops": [
        (
            "-4 route add default proto static metric 300 nexthop via 10.0.0.1 dev h0 weight 2 "
            "nexthop via 10.0.1.1 dev h1 weight 1"
        ),
        "-6 route add default metric 300 nexthop via fe80::a dev h0 nexthop via fe80::b dev h1",
    ],
    "advertised": [],
    "other": [
        (
            f"-4 route add default {GATEWAY} metric 10 initcwnd 20 rtt 300ms hoplimit lock 60 "
            "quickack 1 congctl cubic initrwnd 20 window 70000 ssthresh 100 cwnd lock 40"
        ),
        "-4 route add default via 10.0.1.1 dev h1 metric 20 table 77 onlink",
        "-4 route add default tos 0x10 via 10.0.1.1 dev h1",
        "nexthop add id 5 via 10.0.0.1 dev h0",
        "nexthop add id 6 via 10.0.1.1 dev h1",
        "nexthop add id 7 group 5/6",
        "-4 route add default nhid 5 metric 400 mtu lock 1300",
        "-4 route add default nhid 7 metric 410",
        "-4 route add default via inet6 fe80::a dev h0 metric 510",
        "-4 route add unreachable default metric 900",
        "-6 route add default via fe80::a dev h0 expires 600 proto ra metric 3000",
    ],
}
"""What `ip` is run with to make a host's routes; `advertised` is one that a router advertises."""


@dataclass(frozen=True)
class Host:
    """A host in a namespace, next to the namespace of its routers."""

    name: str
    routers: str
    folder: pathlib.Path

    def ip(self, words: str) -> str:
        """What `ip` prints there. Raises CalledProcessError where it fails."""
        command = [REAL, "-n", self.name, *words.split()]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def routes(self) -> str:
        """All default routes of both families as JSON."""
        words = "-j route show table all exact default"
        return self.ip(f"-4 {words}") + self.ip(f"-6 {words}")

    def command(self, *words: str) -> list[str]:
        """A command in the namespace."""
        return [REAL, "netns", "exec", self.name, *words]

    def script(self, file: pathlib.Path, command: str, **variables: str) -> Any:
        """Runs a script of `flowstart deploy`."""
        variables = {"FLOWSTART_STATE": str(self.folder / "state"), **variables}
        return subprocess.run(
            self.command("sh", str(file), command),
            env=os.environ | variables,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def advertise(self, lifetime_s: int) -> None:
        """Lets the first router advertise itself (RFC 4861, section 4.2)."""
        own = [sys.executable, __file__, "advertise", str(lifetime_s)]
        subprocess.run([REAL, "netns", "exec", self.routers, *own], check=True)
        until(lambda: ("proto ra" in self.ip("-6 route show default")) == (lifetime_s > 0))

    def make(self, kind: str) -> None:
        """Gives the host the routes of a kind."""
        for words in KINDS[kind]:
            self.ip(words)
        if kind == "advertised":
            self.advertise(1800)


def until(reached: Any, limit_s: float = 10.0) -> None:
    """Waits for a condition. Raises AssertionError where it is not reached."""
    end = time.monotonic() + limit_s
    while not reached():
        assert time.monotonic() < end, "not reached in time"
        time.sleep(0.05)


def recording_ip(folder: pathlib.Path, recording: pathlib.Path) -> str:
    """A PATH whose `ip` is this program, which records."""
    return _instead_of_ip(folder, f'exec {sys.executable} {__file__} {recording} "$@"')


def playing_ip(folder: pathlib.Path, recording: pathlib.Path) -> str:
    """A PATH whose `ip` prints the next answer of a recording; another request is an error.

    `played` counts them. A shell starts faster than Python.
    """
    for number, line in enumerate(recording.read_text().splitlines()):
        words, printed, status = json.loads(line)
        (folder / f"{number}.words").write_text(f"{words}\n")
        (folder / f"{number}.printed").write_text(printed)
        (folder / f"{number}.status").write_text(f"{status}\n")
    (folder / "played").write_text("0\n")
    return _instead_of_ip(
        folder,
        f"""cd {folder}
read -r number < played
echo $((number + 1)) > played
IFS= read -r words < $number.words
[ "$words" = "$*" ] || {{ echo "$number: recorded is: ip $words; run is: ip $*" >&2; exit 1; }}
cat $number.printed
read -r status < $number.status
exit $status""",
    )


def _instead_of_ip(folder: pathlib.Path, script: str) -> str:
    bin_ = folder / "bin"
    bin_.mkdir()
    program = bin_ / "ip"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return f"{bin_}:{os.environ['PATH']}"


def missing() -> str | None:
    """Why there can be no such host here; None where there can."""
    if os.geteuid() or not pathlib.Path(REAL).exists() or not shutil.which("ss"):
        return "it needs root and iproute2"
    name = f"flowstart-test-{os.getpid()}"
    if subprocess.run([REAL, "netns", "add", name], check=False, capture_output=True).returncode:
        return "no network namespace can be made here"
    subprocess.run([REAL, "netns", "del", name], check=True)
    return None


@contextlib.contextmanager
def host(folder: pathlib.Path) -> Iterator[Host]:
    """A host with the devices h0 and h1, each with a router at its other end."""
    made = Host(f"flowstart-h{os.getpid()}", f"flowstart-r{os.getpid()}", folder)
    try:
        for name in (made.name, made.routers):
            subprocess.run([REAL, "netns", "add", name], check=True)
            # Addresses are usable at once, without the detection of duplicates.
            accept = ["net.ipv6.conf.default.accept_dad=0", "net.ipv4.ip_forward=0"]
            sysctl = [REAL, "netns", "exec", name, "sysctl", "-qw", *accept]
            subprocess.run(sysctl, check=True)
        for i in range(2):
            devices = f"link add h{i} address 02:00:00:00:00:0{i} type veth peer r{i}"
            made.ip(f"{devices} address 02:00:00:00:01:0{i} netns {made.routers}")
            made.ip(f"link set h{i} up")
            subprocess.run([REAL, "-n", made.routers, "link", "set", f"r{i}", "up"], check=True)
            made.ip(f"addr add 10.0.{i}.2/24 dev h{i}")
            own = [REAL, "-n", made.routers, "addr", "add", f"10.0.{i}.1/24", "dev", f"r{i}"]
            subprocess.run(own, check=True)
        made.ip("link set lo up")
        until(lambda: "tentative" not in made.ip("-6 addr"))
        yield made
    finally:
        for name in (made.name, made.routers):
            subprocess.run([REAL, "netns", "del", name], check=False, capture_output=True)


def _advertise(lifetime_s: int) -> None:
    """Sends a Router Advertisement from r0, with a prefix of which no address is made."""
    with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as sending:
        sending.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
        head = struct.pack("!BBHBBHII", 134, 0, 0, 64, 0, lifetime_s, 0, 0)
        index = socket.if_nametoindex("r0")
        sending.sendto(head, ("ff02::1", 0, 0, index))


def _record(file: pathlib.Path, words: list[str]) -> int:
    done = subprocess.run([REAL, *words], capture_output=True, text=True, check=False)
    with file.open("a") as kept:
        kept.write(json.dumps([" ".join(words), done.stdout, done.returncode]) + "\n")
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    if sys.argv[1] == "advertise":
        _advertise(int(sys.argv[2]))
    else:
        sys.exit(_record(pathlib.Path(sys.argv[1]), sys.argv[2:]))
