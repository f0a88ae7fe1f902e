"""What `flowstart collect` reports of real connections, and what it leaves behind: nothing.

Needs a build with the feature `linux`, and root: `make live-linux`.
"""

import contextlib
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import polars as pl
import pytest

import bpf_names
import commands
import flowstart as fs
import tcp_host
import test_live_linux
from flowstart.collection import collect

pytestmark = test_live_linux.pytestmark
PORT = 8065
ADDRESS = "10.65.0.1"
LIMIT = "tc -n {server} qdisc replace dev veth0 root tbf rate 20mbit burst 10kb limit 60kb"
HOST = str(pathlib.Path(tcp_host.__file__))
Fetch = Callable[..., dict[str, int]]
Collect = Callable[..., "Collected"]


@pytest.fixture
def cgroup() -> Iterator[str]:
    """The name of a cgroup in which this process and its children are."""
    name = f"flowstart-{os.getpid()}"
    folder = collect.cgroup(None) / name
    folder.mkdir()
    (folder / "cgroup.procs").write_text(str(os.getpid()))
    yield name
    (folder.parent / "cgroup.procs").write_text(str(os.getpid()))
    for _ in range(50):  # children that were ended are in it until they are gone
        with contextlib.suppress(OSError):
            folder.rmdir()
            return
        time.sleep(0.1)


class Collected:
    """A collection as a command, and its rows when it is ended."""

    def __init__(self, file: pathlib.Path, *words: str) -> None:
        self.file = file
        command = [sys.executable, "-m", "flowstart", "collect", str(file), *words]
        before = running()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(100):
            if running() > before or self.process.poll() is not None:
                break
            time.sleep(0.1)

    def rows(self, number: int = signal.SIGTERM) -> pl.DataFrame:
        """Ends it; the rows in the order in which they ended."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=20)
        assert self.process.returncode == 0, err
        assert b"Traceback" not in err
        self.said = out.decode()
        has_lines = self.file.is_file() and self.file.stat().st_size
        return pl.read_ndjson(self.file) if has_lines else pl.DataFrame()


@pytest.fixture
def collecting(cgroup: str, tmp_path: pathlib.Path) -> Iterator[Collect]:
    """Collects from this cgroup, until the test ends it."""
    every: list[Collected] = []

    def started(*words: str, output: str = "rows.jsonl") -> Collected:
        every.append(Collected(tmp_path / output, "--cgroup", cgroup, *words))
        return every[-1]

    yield started
    for one in every:
        one.process.kill()
        one.process.communicate()


def running() -> int:
    """Collectors in the kernel."""
    return bpf_names.names().count("fs_collect")


@pytest.fixture
def fetch(cgroup: str) -> Iterator[Fetch]:
    """Fetches responses of a server of this cgroup over a bottleneck; returns its TCP_INFO."""
    names = [cgroup.replace("flowstart", side) for side in ("server", "client")]
    server, client = names
    run(f"ip netns add {server}")
    run(f"ip netns add {client}")
    run(f"ip -n {server} link add veth0 type veth peer name veth1 netns {client}")
    for name, link, address in ((server, "veth0", ADDRESS), (client, "veth1", "10.65.0.2")):
        run(f"ip -n {name} addr add {address}/24 dev {link}")
        run(f"ip -n {name} link set {link} up")
    run(LIMIT.format(server=server))
    command = ["ip", "netns", "exec", server, sys.executable, HOST, "serve", ADDRESS, str(PORT)]
    serving = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert serving.stdout is not None
    assert serving.stdout.readline() == "ready\n"

    def answered(*responses: str, cc: str = "cubic", during: str = "") -> dict[str, int]:
        asking = ["ip", "netns", "exec", client, sys.executable, HOST, "fetch", ADDRESS, str(PORT)]
        with subprocess.Popen([*asking, cc, *responses]) as process:
            for line in filter(None, during.split(";")):
                time.sleep(0.5)
                run(line.format(server=server))
            assert process.wait(timeout=30) == 0
        assert serving.stdout is not None
        found: dict[str, int] = json.loads(serving.stdout.readline())
        return found

    yield answered
    serving.kill()
    serving.communicate()
    for name in names:
        run(f"ip netns del {name}")


def exchange(connections: int) -> None:
    """Opens connections to a server one after the other, each with a response."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        for _ in range(connections):
            with socket.create_connection(server.getsockname()) as client:
                connection, _ = server.accept()
                with connection:
                    connection.sendall(b"x")
                    client.recv(1)


def run(line: str) -> None:
    subprocess.run(line.split(), check=True)


def test_rows_add_up_to_tcp_info_before_the_close(fetch: Fetch, collecting: Collect) -> None:
    collected = collecting()
    infos = [fetch("0:1000", "0.3:50000", "0.3:2000000"), fetch("0:300000"), fetch("0:4000000")]
    rows = collected.rows()
    assert rows["bytes"].to_list() == [1000, 50_000, 2_000_000, 300_000, 4_000_000]
    assert rows["connection"].rle_id().to_list() == [0, 0, 0, 1, 2]
    assert sum(info["total_retrans"] for info in infos) > 0
    for info, (_, own) in zip(infos, rows.group_by("connection", maintain_order=True), strict=True):
        assert own["bytes"].sum() == info["bytes_acked"]
        assert own["data_packets"].sum() == info["data_segs_out"]
        assert own["retransmitted_packets"].sum() == info["total_retrans"]
        limited = ("busy_us", "rwnd_limited_us", "sndbuf_limited_us")
        assert [own[name].sum() for name in limited] == [
            info[name] for name in ("busy_time", "rwnd_limited", "sndbuf_limited")
        ]
        last = own.row(-1, named=True)
        assert last["rtt_us"] == info["min_rtt"]
        assert (last["mss"], last["initial_window_segments"]) == (info["mss"], 10)


def test_a_duration_lasts_as_long_as_the_bottleneck_needs(
    fetch: Fetch, collecting: Collect
) -> None:
    collected = collecting()
    fetch("0:4000000")
    (row,) = collected.rows().to_dicts()
    at_20mbit_s = row["data_packets"] * 1514 * 8 / 20e6
    assert at_20mbit_s * 0.97 < row["acked_us"] / 1e6 < at_20mbit_s * 1.2
    assert row["time"] == pytest.approx(time.time(), abs=60)
    assert (row["peer"], row["port"]) == ("10.65.0.0", PORT)


def test_causes_of_the_end_of_slow_start(fetch: Fetch, collecting: Collect) -> None:
    collected = collecting()
    fetch("0:30000", "2:30000", cc="reno")
    fetch("0:4000000")
    client = "10.65.0.2 dev veth0"
    deaf = f"ip -n {{server}} neigh replace {client} lladdr 02:00:00:00:00:01"
    heard = f"ip -n {{server}} neigh del {client}"
    fetch("0:1000", "2:30000", during=f"true;true;{deaf};{4 * 'true;'}{heard}")
    reasons = collected.rows()["startup_exit_reason"].to_list()
    assert reasons[:2] == [None, "idle"]
    assert reasons[2] in ("hystart", "loss")
    assert reasons[3:] == [None, "timeout"]


@pytest.mark.parametrize("startup", ["slow-start", "hystart", "search"])
def test_slow_start_ends_at_the_window_that_the_agent_saw(
    startup: str, collecting: Collect
) -> None:
    collected = collecting()
    flow = {"startup": startup, "cc": "cubic", "size": "3MB", "opener": "receiver"}
    path = {"rate": "20Mbps", "rtt": "40ms", "buffer": "50pkt"}
    load = fs.live_load({"path": path, "stack": {"preset": "linux"}, "flows": [flow]}, repeat=1)
    agent = load.frame.filter(pl.col("transport") != "simulated").row(0, named=True)
    row = collected.rows().row(-1, named=True)
    assert row["retransmitted_packets"] == agent["packets_retransmitted"]
    seen = agent["startup_exit_cwnd_segments"]
    assert row["startup_exit_cwnd_segments"] == pytest.approx(seen, abs=1)
    is_loss = agent["startup_exit_reason"] == "loss"
    assert row["startup_exit_reason"] == ("loss" if is_loss else "no-loss")


def test_a_mark_ends_slow_start(collecting: Collect) -> None:
    collected = collecting()
    flow = {"startup": "slow-start", "cc": "reno", "size": "3MB", "opener": "receiver"}
    path = {"rate": "20Mbps", "rtt": "40ms", "buffer": "1000pkt", "queue": "codel:ecn=true"}
    stack = {"preset": "linux", "ecn": "classic"}
    fs.live_load({"path": path, "stack": stack, "flows": [flow]}, kernel="reno", repeat=1)
    assert collected.rows().row(-1, named=True)["startup_exit_reason"] == "ecn"


def test_connections_above_the_limit_take_no_memory(collecting: Collect) -> None:
    collected = collecting("--max-connections", "10")
    for _ in range(2):
        with contextlib.ExitStack() as open_ones:
            server = open_ones.enter_context(socket.create_server(("127.0.0.1", 0), backlog=64))
            for _ in range(30):
                client = socket.create_connection(server.getsockname())
                open_ones.enter_context(client)
                connection, _ = server.accept()
                connection.sendall(b"x")
                client.recv(1)
                open_ones.enter_context(connection)
    rows = collected.rows()
    assert len(rows) == 20
    assert "40 connections were skipped" in collected.said


def test_a_sample_has_some_connections_and_a_port_only_its_own(collecting: Collect) -> None:
    sampled = collecting("--sample", "1/2", output="half.jsonl")
    other = collecting("--port", "1", output="none.jsonl")
    exchange(100)
    assert 20 < len(sampled.rows()) < 80
    assert other.rows().is_empty()


def test_networks_can_be_hashed_with_a_key(collecting: Collect) -> None:
    keys = ("first", "second")
    first, second = (collecting("--hash-addresses", key, output=f"{key}.jsonl") for key in keys)
    exchange(1)
    peers = [one.rows()["peer"].to_list() for one in (first, second)]
    assert peers[0] != peers[1]
    assert all(peer.startswith("fd") for (peer,) in peers)


def test_ctrl_c_ends_it_with_all_rows_in_the_folder(fetch: Fetch, collecting: Collect) -> None:
    collected = collecting(output="rows")
    folder = collected.file
    fetch("0:30000")
    collected.rows(signal.SIGINT)
    assert "1 response of 1 connection" in collected.said
    assert fs.read_capture(folder).transfers["bytes"].to_list() == [30_000]
    assert [file.suffix for file in folder.glob("*/*")] == [".parquet"]


def test_the_command_of_the_page_runs() -> None:
    page = commands.ROOT / "docs" / "guides" / "collect.md"
    (line,) = [c.line for c in commands.commands(page.read_text()) if " collect " in c.line]
    with commands.folder(page.read_text()):
        assert commands.run(line.replace("10min", "1s")).status == 0


UNIT = pathlib.Path(__file__).parents[2] / "packaging" / "flowstart-collect.service"


def test_the_capabilities_of_the_unit_are_enough(tmp_path: pathlib.Path) -> None:
    named = re.search("^CapabilityBoundingSet=(.*)$", UNIT.read_text(), re.MULTILINE)
    assert named
    kept = named[1].lower().replace("cap_", "+").replace(" ", ",")
    command = [sys.executable, "-m", "flowstart", "collect", str(tmp_path / "rows")]
    run(" ".join(["setpriv", f"--bounding-set=-all,{kept}", *command, "--for", "1s"]))


def test_where_it_is_not_permitted_one_line_says_what_is_missing(tmp_path: pathlib.Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "flowstart", "collect", str(tmp_path / "rows")],
        preexec_fn=test_live_linux._without_capabilities,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.count("\n") == 1
    assert "CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN" in answer.stderr
    assert not (tmp_path / "rows").exists()


@pytest.mark.slow
def test_twenty_kills_leave_nothing(collecting: Collect) -> None:
    draw = random.Random(1)
    for _ in range(20):
        collected = collecting(output="rows")
        time.sleep(draw.uniform(0.0, 0.3))
        collected.process.kill()
        collected.process.communicate()
        assert collected.process.returncode == -signal.SIGKILL
    for _ in range(100):  # the kernel takes things down a little later
        left = {"fs_collect", "fs_connections"} & set(bpf_names.names())
        if not left:
            break
        time.sleep(0.1)
    assert not left
