"""Startups in this machine's kernel without an agent: load, status, unload, and what they leave.

Needs a build with the feature `linux`, and root: `make live-linux`. The BPF file system is one of a
mount namespace that the test makes, so that nothing of the machine changes.
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
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from flowstart import _native
from flowstart.deployment import kernel
from leftovers import left, quiet, settled

ROOT = pathlib.Path(__file__).parents[2]
STARTUPS = tuple(_native.KERNEL_STARTUPS)
PORT = 8443
ALL = ("--port", str(PORT), "--share", "100%")
"""Nothing else on the machine is touched."""
TCP_CONGESTION = 13

built = pytest.mark.skipif(not STARTUPS, reason="this build has no `linux`: make live-linux")


def _missing() -> str | None:
    return _native.live_prohibition("linux", True) if STARTUPS else "this build has no `linux`"


permitted = pytest.mark.skipif(_missing() is not None, reason=str(_missing()))

Kernel = Callable[..., subprocess.CompletedProcess[str]]


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "flowstart", "kernel", *words]


@pytest.fixture(scope="module")
def inside() -> Iterator[list[str]]:
    """The words with which a command runs in a mount namespace with a separate BPF file system."""
    script = "mount -t bpf bpf /sys/fs/bpf && echo ready && exec sleep 3600"
    with subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", script], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield ["nsenter", "--mount", "--target", str(process.pid)]
        finally:
            process.kill()


@pytest.fixture(scope="module")
def before(inside: list[str]) -> dict[str, Any]:
    """What the kernel has before the first load."""
    assert inside
    return quiet()


@pytest.fixture
def run(inside: list[str], before: dict[str, Any]) -> Iterator[Kernel]:
    assert before, "it is measured before the first load"

    def flowstart_kernel(*words: str) -> subprocess.CompletedProcess[str]:
        command = [*inside, *_command(*words)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    yield flowstart_kernel
    flowstart_kernel("unload")


def _status(run: Kernel) -> dict[str, object]:
    found: dict[str, object] = json.loads(run("status", "--json").stdout)
    return found


def _control_of_a_connection(address: str = "127.0.0.1") -> str:
    """The congestion control of an accepted connection; the server listens for both families."""
    with (
        socket.create_server(("::", PORT), family=socket.AF_INET6, dualstack_ipv6=True) as server,
        socket.create_connection((address, PORT)),
        server.accept()[0] as accepted,
    ):
        found = accepted.getsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, 16)
        return found.rstrip(b"\0").decode()


def test_harm_figures_are_those_of_the_page_of_the_grid() -> None:
    page = (ROOT / "docs" / "reference" / "grid.md").read_text("utf-8")
    file = ROOT / "python" / "flowstart" / "deployment" / "harm.toml"
    for name, figures in tomllib.loads(file.read_text("utf-8")).items():
        (row,) = re.findall(rf"^\| `{re.escape(name)}` \|(.*)\|.*\|$", page, re.MULTILINE)[:1]
        *_, again, long, bbr, web = (cell.strip() for cell in row.split("|"))
        assert figures == {"retransmitted": again, "long": long, "bbr": bbr, "web": web}


def test_every_startup_that_can_be_loaded_has_harm_figures() -> None:
    for name in STARTUPS:
        assert kernel.harm_of(name).startswith(f"{name} in the kernel is experimental.")


@built
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("hystart",), "`hystart` cannot be loaded into the kernel"),
        (("hystart-plus-plus", "--port", "0"), "--port = 0: a port from 1 to 65535"),
        (("hystart-plus-plus", "--network", "10.0.0.1/8"), "--network = 10.0.0.1/8: a network"),
        (("hystart-plus-plus", "--share", "0%"), "--share = 0: above 0 % and at most 100 %"),
        (("hystart-plus-plus", "--for", "1ms"), "--for = 1ms: at least 1s"),
        (("hystart-plus-plus", "--for", "10m"), "--for = 10m: a time above 0, such as 10min,"),
        (("hystart-plus-plus", "--seed", "4294967296"), "--seed = 4294967296: a number from 0"),
        (("hystart-plus-plus", "--cgroup", "/none"), "--cgroup = /none: "),
    ],
)
@permitted
def test_a_wrong_value_is_refused_in_one_line_and_loads_nothing(
    run: Kernel, words: tuple[str, ...], line: str
) -> None:
    answer = run("load", *words)
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"flowstart: {line}")
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    assert run("status").stdout == "No startup is loaded.\n"


@permitted
def test_without_a_bpf_file_system_one_line_has_the_command_that_mounts_it() -> None:
    script = 'umount -l /sys/fs/bpf 2>/dev/null; exec "$@"'
    words = _command("load", "hystart-plus-plus")
    answer = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (answer.returncode, answer.stdout) == (2, "")
    why = "/sys/fs/bpf is no BPF file system; `mount -t bpf bpf /sys/fs/bpf` makes it one"
    assert answer.stderr == f"flowstart: {why}\n"


@permitted
def test_without_capabilities_one_line_refuses(inside: list[str]) -> None:
    words = [*inside, "setpriv", "--bounding-set", "-all", *_command("load", STARTUPS[0])]
    answer = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.count("\n") == 1
    assert "not permitted" in answer.stderr


@permitted
def test_connections_in_the_share_have_the_startup_and_are_counted(run: Kernel) -> None:
    before = _control_of_a_connection()
    loaded = run("load", "hystart-plus-plus", "--port", f"{PORT},443", "--share", "50%")
    assert loaded.returncode == 0, loaded.stderr
    assert loaded.stdout.startswith("hystart-plus-plus in the kernel is experimental.")
    found = [_control_of_a_connection() for _ in range(100)]
    counts = {name: found.count(name) for name in set(found)}
    assert set(counts) == {before, "fs_hystartpp"}
    status = _status(run)
    assert status["with_startup"] == counts["fs_hystartpp"]
    assert status["without_startup"] == counts[before]
    assert status["ports"] == [PORT, 443]


@permitted
@pytest.mark.parametrize(
    ("words", "has_it"),
    [
        (("--port", f"443,{PORT}"), True),
        (("--port", "443"), False),
        (("--port", f"{PORT}", "--network", "127.0.0.0/8"), True),
        (("--port", f"{PORT}", "--network", "192.0.2.0/24", "--network", "2001:db8::/32"), False),
    ],
)
def test_port_and_network_limit_the_startup(
    run: Kernel, words: tuple[str, ...], has_it: bool
) -> None:
    assert run("load", "hystart-plus-plus", "--share", "100%", *words).returncode == 0
    assert (_control_of_a_connection() == "fs_hystartpp") == has_it


@permitted
@pytest.mark.parametrize(("address", "network"), [("127.0.0.1", "127.0.0.0/8"), ("::1", "::1")])
def test_a_network_of_either_family_is_met_by_a_socket_for_both(
    run: Kernel, address: str, network: str
) -> None:
    assert run("load", "search", *ALL, "--network", network).returncode == 0
    other = {"127.0.0.1": "::1", "::1": "127.0.0.1"}[address]
    assert _control_of_a_connection(address) == "fs_search"
    assert _control_of_a_connection(other) != "fs_search"


@permitted
@pytest.mark.parametrize("startup", STARTUPS)
def test_every_startup_sends_through_an_accepted_connection(run: Kernel, startup: str) -> None:
    assert run("load", startup, *ALL).returncode == 0
    sent = bytes(range(256)) * 8192
    with (
        socket.create_server(("127.0.0.1", PORT)) as server,
        socket.create_connection(("127.0.0.1", PORT)) as client,
        server.accept()[0] as accepted,
    ):
        control = accepted.getsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, 16)
        threading.Thread(target=accepted.sendall, args=(sent,)).start()
        received = client.makefile("rb").read(len(sent))
    assert control.rstrip(b"\0").decode() == _native.KERNEL_STARTUPS[startup]
    assert received == sent


@permitted
def test_a_choice_of_the_application_stays(run: Kernel) -> None:
    assert run("load", "hystart-plus-plus", *ALL).returncode == 0
    with socket.create_server(("127.0.0.1", PORT)) as server:
        server.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, b"reno")
        with (
            socket.create_connection(("127.0.0.1", PORT)),
            server.accept()[0] as accepted,
        ):
            found = accepted.getsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, 16)
    assert found.startswith(b"reno\0")
    assert _status(run)["application_choice"] == 1


@permitted
def test_the_commands_of_the_page_run(run: Kernel) -> None:
    page = (ROOT / "docs" / "guides" / "kernel.md").read_text("utf-8")
    lines = re.findall(r"^    flowstart kernel (.*)$", page, re.MULTILINE)
    assert [line.split()[0] for line in lines] == ["load", "status", "unload"]
    answers = [run(*line.split()) for line in lines]
    assert [answer.returncode for answer in answers] == [0, 0, 0]
    assert "for 10 % of accepted connections to port 443" in " ".join(answers[1].stdout.split())


@permitted
def test_a_second_load_is_refused_and_the_first_stays(run: Kernel) -> None:
    assert run("load", "hystart-plus-plus", "--port", str(PORT), "--share", "20%").returncode == 0
    again = run("load", "hystart-plus-plus", "--share", "30%")
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == (
        "flowstart: a startup is loaded already; `flowstart kernel unload` removes it\n"
    )
    assert _status(run)["share"] == pytest.approx(0.2)


@permitted
def test_a_startup_that_a_container_has_loaded_is_refused_outside_of_it(run: Kernel) -> None:
    assert run("load", "hystart-plus-plus", "--port", str(PORT)).returncode == 0
    script = 'mount -t bpf bpf /sys/fs/bpf && exec "$@"'
    words = ["unshare", "--mount", "sh", "-c", script, "sh", *_command("load", "hystart-plus-plus")]
    other = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (other.returncode, other.stdout) == (2, "")
    assert other.stderr == (
        "flowstart: the startup is loaded from another BPF file system, such as a container's; "
        "`flowstart kernel unload` there removes it\n"
    )


@permitted
def test_unload_removes_all_of_it_from_another_process(run: Kernel, before: dict[str, Any]) -> None:
    assert run("load", "hystart-plus-plus", *ALL, "--for", "1h").returncode == 0
    assert "fs_hystartpp" in str(left()["controls"])
    assert run("unload").stdout == "Unloaded.\n"
    assert settled(before) == before
    assert run("unload").stdout == "No startup was loaded.\n"


@permitted
@pytest.mark.real_time
def test_the_watchdog_removes_all_of_it_when_its_time_is_over(
    run: Kernel, before: dict[str, Any]
) -> None:
    assert run("load", "hystart-plus-plus", *ALL, "--for", "2s").returncode == 0
    time.sleep(2)
    assert settled(before) == before


@permitted
@pytest.mark.real_time
def test_without_its_watchdog_no_connection_has_the_startup_after_its_time(
    run: Kernel, before: dict[str, Any]
) -> None:
    assert run("load", "hystart-plus-plus", *ALL, "--for", "3s").returncode == 0
    assert _control_of_a_connection() == "fs_hystartpp"
    for process in _watchdogs():
        os.kill(process, signal.SIGKILL)
    assert "its watchdog is gone" in " ".join(run("status").stdout.split())
    time.sleep(3)
    assert _control_of_a_connection() != "fs_hystartpp"
    assert "Its time is over" in " ".join(run("status").stdout.split())
    assert run("unload").stdout == "Unloaded.\n"
    assert settled(before) == before


def _watchdogs() -> list[int]:
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"flowstart-watchdog" in (process / "cmdline").read_bytes().split(b"\0"):
                found.append(int(process.name))
    return found


@permitted
@pytest.mark.long
def test_a_hundred_loads_of_which_twenty_are_killed_leave_nothing_after_unload(
    run: Kernel, inside: list[str], before: dict[str, Any]
) -> None:
    draw = random.Random(1)
    words = [*inside, *_command("load", "hystart-plus-plus", *ALL, "--for", "1h")]
    for load in range(100):
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            if load % 5 == 0:
                time.sleep(draw.uniform(0.2, 0.8))
                process.kill()
                process.communicate()
            else:
                _, err = process.communicate(timeout=60)
                assert process.returncode == 0, err
        assert run("unload").returncode == 0
    assert settled(before) == before
