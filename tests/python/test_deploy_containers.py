"""The table's commands for one container and one socket of Linux, in network namespaces.

Needs root.
"""

import json
import pathlib
import socket
import subprocess
from collections.abc import Iterator

import pytest

import route_host
from flowstart.deployment.script import script
from flowstart.deployment.stacks import Knob, offer

_MISSING = route_host.missing()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_MISSING is not None, reason=str(_MISSING)),
]
HOST = pathlib.Path("/proc/sys/net/ipv4/tcp_congestion_control")


@pytest.fixture
def container() -> Iterator[str]:
    """The process of a network namespace with a default route."""
    script = (
        "ip link set lo up && ip link add d0 type veth peer d1 && ip link set d1 up && "
        "ip addr add 10.0.0.2/24 dev d0 && ip link set d0 up && "
        "ip route add default via 10.0.0.1 dev d0 mtu 1400 && echo ready && exec sleep 600"
    )
    with subprocess.Popen(
        ["unshare", "--net", "sh", "-c", script], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield str(process.pid)
        finally:
            process.kill()


def knob(kind: str, name: str, stack: str) -> Knob:
    found = offer(kind, name)  # type: ignore[arg-type]
    assert found is not None
    return next(knob for knob in found.knobs if knob.stack == stack)


def in_container(container: str, *words: str) -> str:
    command = ["nsenter", "--net", "--target", container, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_container_has_a_congestion_control_and_the_host_keeps_its_own(container: str) -> None:
    before = HOST.read_text()
    command = knob("cc", "reno", "Linux, per container").write.partition(",")[0]
    subprocess.run(command.replace("PID", container).split(), check=True, capture_output=True)
    assert in_container(container, "cat", str(HOST)) == "reno"
    assert HOST.read_text() == before


def test_a_container_has_a_window_and_then_its_route_again(
    container: str, tmp_path: pathlib.Path
) -> None:
    def default_route() -> dict[str, object]:
        [route] = json.loads(in_container(container, "ip", "-j", "route", "show", "default"))
        found: dict[str, object] = route
        return found

    before = default_route()
    (tmp_path / "IW30.sh").write_text(script("IW30", ["A test."], ["route default initcwnd 30"]))
    write = knob("setting", "iw", "Linux, per container").filled(iw=30).write.partition(",")[0]
    command = write.replace("/var/lib/flowstart", str(tmp_path)).replace("PID", container)
    subprocess.run(command, shell=True, check=True, cwd=tmp_path, capture_output=True)
    assert default_route()["metrics"] == [{"mtu": 1400, "initcwnd": 30}]
    revert = command.removesuffix("set") + "revert"
    subprocess.run(revert, shell=True, check=True, cwd=tmp_path, capture_output=True)
    assert default_route() == before


def test_an_accepted_socket_has_the_congestion_control_of_the_listening_one() -> None:
    assert "TCP_CONGESTION" in knob("cc", "reno", "Linux, per socket").write
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
        with socket.create_connection(server.getsockname()), server.accept()[0] as accepted:
            found = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
    assert found.rstrip(b"\0") == b"reno"
