"""The script of `flowstart deploy` on a host in a network namespace: what it sets and restores.

Needs root. With FLOWSTART_RECORD=1 it records the answers of `ip` for `test_deploy_script.py`.
"""

import contextlib
import ctypes
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest

import route_host
from flowstart.deployment.script import script
from route_host import DATA, KINDS, Host

_MISSING = route_host.missing()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_MISSING is not None, reason=str(_MISSING)),
]


@pytest.fixture
def host(tmp_path: pathlib.Path) -> Iterator[Host]:
    with route_host.host(tmp_path) as made:
        yield made


def written(folder: pathlib.Path, *steps: str) -> pathlib.Path:
    file = folder / "script.sh"
    file.write_text(script("IW30", ["A test."], steps))
    return file


def without_lifetimes(routes: str) -> tuple[str, list[int]]:
    """Routes as JSON, and what is left of their lifetimes in seconds."""
    lifetimes = [int(found) for found in re.findall(r'"expires":(\d+)', routes)]
    return re.sub(r'"expires":\d+', '"expires":0', routes), lifetimes


def assert_same(after: str, before: str) -> None:
    """Lifetimes go on; all else is the same, byte for byte."""
    kept, left = without_lifetimes(after)
    was, had = without_lifetimes(before)
    assert kept == was
    assert all(0 <= old - new <= 60 for new, old in zip(left, had, strict=True))


def recording(host: Host, kind: str) -> dict[str, str]:
    """The variables under which the script's `ip` is recorded; empty where none is wanted."""
    if "FLOWSTART_RECORD" not in os.environ:
        return {}
    file = DATA / f"{kind}.jsonl"
    file.unlink(missing_ok=True)
    flags = subprocess.run(
        host.command("cat", "/proc/net/ipv6_route"), capture_output=True, check=True
    )
    (DATA / f"{kind}.proc").write_bytes(flags.stdout)
    return {"PATH": route_host.recording_ip(host.folder, file)}


@pytest.mark.parametrize("kind", KINDS)
def test_a_route_has_the_window_and_then_is_what_it_was(
    host: Host, tmp_path: pathlib.Path, kind: str
) -> None:
    host.make(kind)
    file, recorded = written(tmp_path, "route default initcwnd 30"), recording(host, kind)
    before = host.routes()
    assert host.script(file, "check", **recorded).returncode == 1
    assert_same(host.routes(), before)
    first = host.script(file, "set", **recorded)
    assert first.returncode == 0, first.stdout + first.stderr
    once = host.routes()
    assert host.script(file, "set", **recorded).returncode == 0
    assert_same(host.routes(), once)
    assert "not set" not in host.script(file, "check", **recorded).stdout
    assert host.script(file, "revert", **recorded).returncode == 0
    assert_same(host.routes(), before)
    assert "Nothing is set" in host.script(file, "revert", **recorded).stdout
    assert_same(host.routes(), before)
    assert not list((tmp_path / "state").iterdir())


def taken(host: Host, address: str) -> str:
    return host.ip(f"-j route get {address}")


def test_the_route_that_is_taken_has_the_window_under_each_kind(
    host: Host, tmp_path: pathlib.Path
) -> None:
    host.make("attributes")
    host.make("advertised")
    assert host.script(written(tmp_path, "route default initcwnd 30"), "set").returncode == 0
    for address in ("192.0.2.1", "2001:db8::1"):
        [route] = json.loads(taken(host, address))
        assert {"initcwnd": 30}.items() <= route["metrics"][0].items()
    [route] = json.loads(taken(host, "192.0.2.1"))
    assert (route["prefsrc"], route["metrics"][0]["mtu"]) == ("10.0.0.2", 1400)


def test_a_new_connection_begins_with_the_window_and_an_open_one_stays(
    host: Host, tmp_path: pathlib.Path
) -> None:
    host.make("plain")
    own = [host.routers, "addr", "add", "192.0.2.1/32", "dev", "lo"]
    subprocess.run([route_host.REAL, "-n", *own], check=True)
    subprocess.run([route_host.REAL, "-n", host.routers, "link", "set", "lo", "up"], check=True)
    file = written(tmp_path, "route default initcwnd 30")
    with contextlib.ExitStack() as opened:
        listening = opened.enter_context(inside(host.name, lambda: socket.create_server(("", 80))))

        def connected() -> socket.socket:
            def client() -> socket.socket:
                source = ("192.0.2.1", 0)
                return socket.create_connection(("10.0.0.2", 80), source_address=source)

            opened.enter_context(inside(host.routers, client))
            return opened.enter_context(listening.accept()[0])

        old = connected()
        assert windows(host) == [10]
        found = host.script(file, "set")
        assert "0 of 1 connections: cwnd:30" in found.stdout
        connected()
        assert sorted(windows(host)) == [10, 30]
        assert "1 of 2 connections: cwnd:30" in host.script(file, "check").stdout
        assert host.script(file, "revert").returncode == 0
        connected()
        assert sorted(windows(host)) == [10, 10, 30]
        assert old.send(b"still open") == 10


def windows(host: Host) -> list[int]:
    command = host.command("ss", "-Htni", "state", "established", "sport", "=", ":80")
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [int(found) for found in re.findall(r" cwnd:(\d+)", printed)]


@contextlib.contextmanager
def inside(name: str, made: Callable[[], socket.socket]) -> Iterator[socket.socket]:
    """A socket that is made in a namespace, where it stays."""
    libc = ctypes.CDLL(None, use_errno=True)
    own, its = pathlib.Path("/proc/self/ns/net"), pathlib.Path("/run/netns", name)
    with own.open() as back, its.open() as there:
        assert libc.setns(there.fileno(), 0) == 0
        try:
            made_there = made()
        finally:
            assert libc.setns(back.fileno(), 0) == 0
    with made_there:
        yield made_there


def test_a_network_has_a_copy_of_the_route_that_covers_it_until_the_revert(
    host: Host, tmp_path: pathlib.Path
) -> None:
    host.make("next-hops")
    host.ip("-4 route add 10.8.0.0/13 via 10.0.1.1 dev h1 src 10.0.1.2 metric 5 mtu 1300")
    host.ip("-4 route add 10.12.0.0/16 via 10.0.1.1 dev h1 metric 9")
    before = host.ip("-j route show") + host.ip("-6 -j route show")
    networks = ("10.9.3.0/24", "10.12.0.0/16", "192.0.2.0/24", "2001:db8:9::/48")
    file = written(tmp_path, *(f"route {network} initcwnd 30" for network in networks))
    found = host.script(file, "set")
    assert found.returncode == 0, found.stdout + found.stderr
    routes = host.ip("-o -4 route show") + host.ip("-o -6 route show")
    lines = [" ".join(line.replace("\\", " ").split()) for line in routes.splitlines()]
    hops = "nexthop via 10.0.0.1 dev h0 weight 2 nexthop via 10.0.1.1 dev h1 weight 1"
    assert [line for line in lines if "initcwnd" in line] == [
        "10.9.3.0/24 via 10.0.1.1 dev h1 src 10.0.1.2 metric 5 mtu 1300 initcwnd 30",
        "10.12.0.0/16 via 10.0.1.1 dev h1 metric 9 initcwnd 30",
        f"192.0.2.0/24 metric 300 initcwnd 30 {hops}",
        (
            "2001:db8:9::/48 metric 300 initcwnd 30 pref medium nexthop via fe80::a dev h0 "
            "weight 1 nexthop via fe80::b dev h1 weight 1"
        ),
    ]
    assert host.script(file, "revert").returncode == 0
    assert host.ip("-j route show") + host.ip("-6 -j route show") == before


def test_what_is_already_changed_is_restored_where_a_step_fails(
    host: Host, tmp_path: pathlib.Path
) -> None:
    host.make("plain")
    before = host.routes()
    file = written(
        tmp_path,
        "value /proc/sys/net/ipv4/tcp_slow_start_after_idle 0",
        "route default initcwnd 30",
        "value /proc/sys/net/ipv4/tcp_congestion_control none_such",
    )
    found = host.script(file, "set")
    assert found.returncode == 1
    assert "this kernel does not take none_such" in found.stderr
    assert host.routes() == before
    assert value(host, "tcp_slow_start_after_idle") == "1"
    assert not list((tmp_path / "state").iterdir())


def test_a_signal_at_any_time_leaves_the_routes_as_they_were(
    host: Host, tmp_path: pathlib.Path
) -> None:
    host.make("metric")
    host.make("next-hops")
    before = host.routes()
    file = written(tmp_path, "route default initcwnd 30")
    variables = os.environ | {"FLOWSTART_STATE": str(tmp_path / "state")}
    stopped = 0
    for number in range(25):
        setting = subprocess.Popen(
            host.command("sh", str(file), "set"),
            env=variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(0.02 * number)
        setting.terminate()
        if setting.wait():
            stopped += 1
        else:
            assert host.script(file, "revert").returncode == 0
        assert host.routes() == before
    assert stopped


def value(host: Host, name: str) -> str:
    command = host.command("cat", f"/proc/sys/net/ipv4/{name}")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_congestion_control_returns_to_the_one_that_was_there(
    host: Host, tmp_path: pathlib.Path
) -> None:
    new, old = value(host, "tcp_available_congestion_control").split()[:2]
    name = "/proc/sys/net/ipv4/tcp_congestion_control"
    subprocess.run(host.command("sh", "-c", f"echo {old} >{name}"), check=True)
    file = written(tmp_path, f"value {name} {new}")
    assert host.script(file, "set").returncode == 0
    assert value(host, "tcp_congestion_control") == new
    assert host.script(file, "set").returncode == 0
    assert host.script(file, "revert").returncode == 0
    assert value(host, "tcp_congestion_control") == old


def test_a_queue_discipline_is_replaced_only_where_the_kernel_chose_it(
    host: Host, tmp_path: pathlib.Path
) -> None:
    host.make("next-hops")

    def shown() -> str:
        return subprocess.run(
            host.command("tc", "qdisc", "show"), capture_output=True, text=True, check=True
        ).stdout

    before = shown()
    file = written(tmp_path, "qdisc pfifo")
    assert host.script(file, "set").returncode == 0
    assert len(re.findall(r"qdisc pfifo \S+ dev h[01] root", shown())) == 2
    assert host.script(file, "set").returncode == 0
    assert host.script(file, "revert").returncode == 0
    assert shown() == before
    subprocess.run(host.command(*["tc", "qdisc", "add", "dev", "h1", "root", "bfifo"]), check=True)
    before = shown()
    found = host.script(file, "set")
    assert found.returncode == 1
    assert "h1 has a configured discipline (bfifo" in found.stderr
    assert shown() == before


@pytest.mark.parametrize(
    ("words", "twins"),
    [
        ("-4 route append default via 10.0.1.1 dev h1", "IPv4 has two routes `default`"),
        ("-6 route append default dev h0 metric 1024", "IPv6 has two routes `default metric 1024`"),
        ("-6 route add default dev h0 metric 1023", "IPv6 has two routes `default metric 1023`"),
    ],
)
def test_two_routes_of_one_metric_are_refused_and_left_alone(
    host: Host, tmp_path: pathlib.Path, words: str, twins: str
) -> None:
    host.make("plain")
    host.make("advertised")
    host.ip(words)
    before = host.routes()
    found = host.script(written(tmp_path, "route default initcwnd 30"), "set")
    assert found.returncode == 1
    assert f"{twins}; give them different metrics" in found.stderr
    assert_same(host.routes(), before)


def test_a_route_that_ip_cannot_write_again_is_refused_and_left_alone(
    host: Host, tmp_path: pathlib.Path
) -> None:
    host.make("plain")
    host.ip("-6 route add default encap seg6 mode encap segs fc00::1,fc00::2 dev h0 metric 40")
    before = host.routes()
    found = host.script(written(tmp_path, "route default initcwnd 30"), "set")
    assert found.returncode == 1
    assert "`ip` cannot write this route: default encap seg6" in found.stderr
    assert host.routes() == before


def test_a_watching_script_sets_a_route_again_that_a_manager_has_written(
    host: Host, tmp_path: pathlib.Path
) -> None:
    host.make("plain")
    host.make("advertised")
    file = written(tmp_path, "route default initcwnd 30")
    variables = os.environ | {"FLOWSTART_STATE": str(tmp_path / "state")}
    watching = subprocess.Popen(
        host.command("sh", str(file), "watch"), env=variables, start_new_session=True
    )
    try:
        route_host.until(lambda: host.ip("route show default").count("initcwnd 30") == 1)
        route_host.until(lambda: host.ip("-6 route show default").count("initcwnd 30") == 1)
        host.ip("-4 route replace default via 10.0.0.1 dev h0 proto dhcp src 10.0.0.2")
        expected = "default via 10.0.0.1 dev h0 proto dhcp src 10.0.0.2 initcwnd 30"
        route_host.until(lambda: host.ip("-4 route show default").strip() == expected)
        host.advertise(0)  # the router leaves
        route_host.until(lambda: not host.ip("-6 route show default"))
        host.advertise(600)
        route_host.until(lambda: host.ip("-6 route show default").count("initcwnd 30") == 1)
    finally:
        os.killpg(watching.pid, signal.SIGTERM)
        watching.wait()


def installed(host: Host, manager: str) -> tuple[pathlib.Path, pathlib.Path]:
    """A script that installs into the test's folder under a manager, and what it installs."""
    file, root = written(host.folder, "route default initcwnd 30"), host.folder / "root"
    for folder in ("/usr/local/sbin", "/etc/systemd/system", manager):
        (root / folder[1:]).mkdir(parents=True, exist_ok=True)
    text = file.read_text()
    for folder in ("/usr/local/sbin", "/etc/systemd/system", "/run/systemd", "/etc/network"):
        text = text.replace(folder, f"{root}{folder}")
    file.write_text(text)
    (root / "bin").mkdir()
    systemctl = root / "bin" / "systemctl"
    systemctl.write_text(f'#!/bin/sh\necho "$*" >>{root}/called\n')
    systemctl.chmod(0o755)
    return file, root


def test_persist_leaves_a_unit_to_systemd_until_the_revert(host: Host) -> None:
    host.make("metric")
    before = host.routes()
    file, root = installed(host, "/run/systemd/system")
    path = f"{root / 'bin'}:{os.environ['PATH']}"
    found = host.script(file, "persist", PATH=path)
    assert found.returncode == 0, found.stderr
    unit = root / "etc/systemd/system/flowstart-IW30.service"
    program = root / "usr/local/sbin/flowstart-IW30"
    assert f"ExecStart={program} watch\n" in unit.read_text()
    assert program.read_text() == file.read_text()
    assert host.script(program, "revert", PATH=path).returncode == 0
    assert (root / "called").read_text().splitlines() == [
        "daemon-reload",
        "enable --now flowstart-IW30.service",
        "disable --now flowstart-IW30.service",
        "daemon-reload",
    ]
    assert not unit.exists()
    assert not program.exists()
    assert host.routes() == before


def test_persist_leaves_a_hook_to_ifupdown_that_sets_and_never_fails(host: Host) -> None:
    host.make("metric")
    file, root = installed(host, "/etc/network/if-up.d")
    assert host.script(file, "persist").returncode == 0
    hook = root / "etc/network/if-up.d/flowstart-IW30"
    host.ip("-4 route del default metric 100")
    assert host.script(hook, "").returncode == 0
    host.make("metric")
    assert host.script(hook, "").returncode == 0
    assert "initcwnd 30" in host.ip("route show default")
    assert host.script(file, "revert").returncode == 0
    assert not hook.exists()
    assert "initcwnd" not in host.ip("route show default")


def test_persist_is_refused_where_nothing_would_run_it(host: Host) -> None:
    host.make("metric")
    file, _ = installed(host, "/etc")
    found = host.script(file, "persist")
    assert found.returncode == 1
    assert "no systemd, no ifupdown: run" in found.stderr
