"""The page of the loop with nginx: collect, replay, load, collect, verify.

Needs a build with the feature `linux`, nginx, and root: `make live-linux`.
"""

import contextlib
import http.client
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence

import polars as pl
import pytest

import commands
import emulated_networks
import flowstart as fs
import test_live_linux

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin") or ""
pytestmark = [
    pytest.mark.skipif(not NGINX, reason="nginx is not installed"),
    test_live_linux.pytestmark,
    pytest.mark.long,
    pytest.mark.real_time,
]
PAGE = commands.ROOT / "docs/guides/loop.md"
NETWORKS = 50
SIZES = (60_000, 200_000)
REPEATS = {"before": 20, "rollout": 60}
"""Responses of each size and network that a collection has."""
CONFIGURATION = """daemon off; pid {0}/pid; error_log {0}/error.log;
events {{ worker_connections 1000; }}
http {{ access_log off; server {{ listen {1}:443; root {0}; }} }}"""


@pytest.fixture(scope="module")
def namespaces() -> Iterator[list[str]]:
    """Those of server and clients, and the relay between."""
    names = [f"flowstart-{side}-{os.getpid()}" for side in ("server", "client")]
    for name in names:
        subprocess.run(["ip", "netns", "add", name], check=True)
    words = [sys.executable, emulated_networks.__file__, *names, str(NETWORKS)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as relay:
        assert relay.stdout is not None
        assert relay.stdout.readline() == "ready\n"
        # A namespace cannot choose its default where the machine has another.
        route = "route replace 10.66.0.0/16 dev path congctl cubic"
        subprocess.run(["ip", "-n", names[0], *route.split()], check=True)
        yield names
        relay.kill()
    for name in names:
        subprocess.run(["ip", "netns", "del", name], check=True)


@pytest.fixture(scope="module")
def served() -> Iterator[pathlib.Path]:
    """A folder that nginx's user may read, which those of pytest are not."""
    with tempfile.TemporaryDirectory() as name:
        pathlib.Path(name).chmod(0o755)
        yield pathlib.Path(name)


@pytest.fixture(scope="module")
def inside(namespaces: list[str], served: pathlib.Path) -> Iterator[tuple[str, ...]]:
    """The words before a command of the server's operator; nginx serves meanwhile."""
    for size in SIZES:
        (served / str(size)).write_bytes(bytes(size))
    configuration = served / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(served, emulated_networks.SERVER))
    script = f"mount -t bpf bpf /sys/fs/bpf && echo ready && exec {NGINX} -c {configuration}"
    enter = ["nsenter", f"--net=/run/netns/{namespaces[0]}", "unshare", "--mount", "sh", "-c"]
    with subprocess.Popen([*enter, script], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        yield ("nsenter", "--mount", "--net", "--target", str(server.pid), "env", "-C")
        server.terminate()


def fetch(namespace: str, network: int, repeats: int) -> None:
    """Fetches responses of each size, each over a new connection."""
    emulated_networks.enter(namespace)
    source = emulated_networks.client(network), 0
    for size in repeats * SIZES:
        with contextlib.closing(
            http.client.HTTPConnection(emulated_networks.SERVER, 443, 30, source)
        ) as connection:
            connection.request("GET", f"/{size}")
            assert len(connection.getresponse().read()) == size


def load(namespace: str, repeats: int) -> None:
    """Clients of all networks fetch at the same time, each over its link."""
    clients = [
        threading.Thread(target=fetch, args=(namespace, network, repeats))
        for network in range(NETWORKS)
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()


class Operator:
    """Runs the page's commands, and has the clients fetch during a collection."""

    def __init__(self, inside: Sequence[str], folder: pathlib.Path, clients: str) -> None:
        self.enter = [*inside, str(folder), sys.executable, "-m"]
        self.clients = clients

    def run(self, line: str) -> str:
        """What a command prints."""
        words = line.replace(" --for 10min", "").split()
        process = subprocess.Popen(
            [*self.enter, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if words[1] == "collect":
            time.sleep(2)
            load(self.clients, REPEATS[words[2]])
            time.sleep(1)
            process.terminate()
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        return " ".join(out.split())


def truth() -> dict[str, float]:
    """The change of responses that the simulator has on the emulated path, by size class."""
    path = fs.NetworkPath(
        rate=emulated_networks.RATE_BPS,
        rtt=emulated_networks.RTT_S,
        buffer=f"{emulated_networks.BUFFER_PACKETS}pkt",
    )
    sizes = [size + 243 for size in SIZES]  # with nginx's header
    found = fs.compare(path, startups=["hystart", "jump-start"], sizes=sizes).frame
    # From the first data to its last acknowledgement: without the way of the handshake.
    seconds = {
        (row["variant"], row["size_bytes"]): row["fct_s"] - emulated_networks.RTT_S / 2
        for row in found.iter_rows(named=True)
    }
    logs = [math.log(seconds["jump-start", n] / seconds["hystart", n]) for n in sizes]
    names = ("10 to 100 kB", "100 kB to 1 MB")
    changes = {name: math.expm1(log) for name, log in zip(names, logs, strict=True)}
    return {**changes, "all sizes": math.expm1(sum(logs) / len(logs))}


def test_the_commands_of_the_page_lead_to_the_answer_that_the_path_implies(
    inside: tuple[str, ...], namespaces: list[str], tmp_path: pathlib.Path
) -> None:
    operator = Operator(inside, tmp_path, namespaces[1])
    lines = [c.line for c in commands.commands(PAGE.read_text()) if c.line.startswith("flowstart")]
    before, replay, kernel_load, rollout, verify, unload = lines
    try:
        assert f"{NETWORKS * 2 * REPEATS['before']:,} responses" in operator.run(before)
        assert "Path known: yes" in operator.run(replay)
        loaded = operator.run(kernel_load)
        assert "loaded as fs_jump_start, for 50 % of accepted connections to port 443" in loaded
        assert "It is removed in 3,600 s." in loaded
        operator.run(rollout)
        rows = pl.read_parquet(tmp_path / "rollout" / "*" / "*.parquet")
        assert set(rows["congestion_control"]) == {"cubic", "fs_jump_start"}
        answer = operator.run(f"{verify} --json")
    finally:
        operator.run(unload)
    document = json.loads(answer)
    assert document["answer"] == "roll out"
    found = {row["size_class"]: row for row in document["classes"]}
    for name, change in truth().items():
        assert found[name]["change"] == pytest.approx(change, abs=0.03)
        assert found[name]["predicted"] == pytest.approx(change, abs=0.03)
