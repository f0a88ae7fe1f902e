"""The settings of servers on the page of `flowstart collect`: the real servers' logs are read."""

import contextlib
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator

import pytest

import flowstart as fs

PAGE = pathlib.Path(__file__).parents[2] / "docs/guides/collect.md"
LOG = "/var/log/flowstart.jsonl"
SIZES = [1000, 300_000]


def recipe(server: str) -> str:
    """The block below a line that begins with the name of a server."""
    found = re.search(rf"^{server}\b.*:\n\n((?:    .*\n)+)", PAGE.read_text(), re.MULTILINE)
    assert found, server
    return re.sub("^    ", "", found[1], flags=re.MULTILINE)


def needs(program: str) -> str:
    path = shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin")
    return path or pytest.skip(f"{program} is not installed")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextlib.contextmanager
def serving(port: int, *command: str, log: pathlib.Path | None = None) -> Iterator[None]:
    """A server until the block is done; its standard output goes to `log`."""
    with log.open("wb") if log else contextlib.nullcontext(subprocess.DEVNULL) as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(timeout=10)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with files to serve, which any user may read."""
    files = tmp_path / "www"
    files.mkdir()
    for size in SIZES:
        (files / str(size)).write_bytes(bytes(size))
    for above in (files, *files.parents):
        if above.is_relative_to(tempfile.gettempdir()) and "pytest" in str(above):
            above.chmod(0o755)
    return tmp_path


def fetch(port: int) -> None:
    for size in SIZES:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{size}", timeout=10) as answer:
            assert len(answer.read()) == size


def check(log: pathlib.Path, *, rtt: bool) -> fs.Capture:
    """The log has both responses, with their sizes, times, peers and RTTs."""
    found = fs.read_capture(log)
    for size, counted in zip(SIZES, sorted(found.transfers["bytes"]), strict=True):
        assert size <= counted < size + 500
    assert found.connections["network"].unique().to_list() == ["127.0.0.0/24"]
    assert found.transfers["start"].to_list() == pytest.approx(2 * [time.time()], abs=100)
    assert found.about["durations"] == "written"
    assert found.connections["rtt_s"].is_not_null().all() == rtt
    return found


def nginx(folder: pathlib.Path, port: int, recipe: str) -> list[str]:
    settings = folder / "nginx.conf"
    settings.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error; events {{ }}\n"
        f"http {{ {recipe}\n server {{ listen 127.0.0.1:{port}; root {folder}/www; }} }}\n"
    )
    return [needs("nginx"), "-c", str(settings)]


def test_nginx(folder: pathlib.Path) -> None:
    port, log = free_port(), folder / "log.jsonl"
    with serving(port, *nginx(folder, port, recipe("nginx").replace(LOG, str(log)))):
        fetch(port)
    check(log, rtt=True)


def test_haproxy(folder: pathlib.Path) -> None:
    port, behind, log = free_port(), free_port(), folder / "log.jsonl"
    settings = folder / "haproxy.cfg"
    settings.write_text(
        "defaults\n mode http\n timeout client 5s\n timeout server 5s\n timeout connect 5s\n"
        f"frontend f\n bind 127.0.0.1:{port}\n log stdout format raw daemon\n {recipe('HAProxy')}"
        f" default_backend b\nbackend b\n server s 127.0.0.1:{behind}\n"
    )
    haproxy = needs("haproxy")
    with (
        serving(behind, *nginx(folder, behind, "access_log off;")),
        serving(port, haproxy, "-f", str(settings), log=log),
    ):
        fetch(port)
    lines = [line for line in log.read_text().splitlines() if '"bytes_read":0' not in line]
    log.write_text("\n".join(line for line in lines if line.startswith("{")) + "\n")
    check(log, rtt=True)


def test_apache(folder: pathlib.Path) -> None:
    port, log = free_port(), folder / "log.jsonl"
    settings = folder / "apache.conf"
    modules = "/usr/lib/apache2/modules"
    settings.write_text(
        f"ServerRoot {folder}\nPidFile {folder}/pid\nListen 127.0.0.1:{port}\nServerName x\n"
        f"LoadModule mpm_event_module {modules}/mod_mpm_event.so\n"
        f"LoadModule authz_core_module {modules}/mod_authz_core.so\n"
        f"ErrorLog {folder}/error\nDocumentRoot {folder}/www\n"
        + recipe("Apache").replace(LOG, str(log))
    )
    with serving(port, needs("apache2"), "-X", "-f", str(settings)):
        fetch(port)
    check(log, rtt=False)


def test_caddy(folder: pathlib.Path) -> None:
    port, log = free_port(), folder / "log.jsonl"
    settings = folder / "Caddyfile"
    settings.write_text(
        f"{{\n admin off\n auto_https off\n}}\nhttp://127.0.0.1:{port} {{\n root * {folder}/www\n"
        f" file_server\n log {{\n  output file {log}\n }}\n}}\n"
    )
    command = (needs("caddy"), "run", "--config", str(settings), "--adapter", "caddyfile")
    with serving(port, *command):
        fetch(port)
    check(log, rtt=False)


def test_polling_with_ss(folder: pathlib.Path) -> None:
    needs("ss")
    port = free_port()
    with (
        serving(port, *nginx(folder, port, "access_log off;")),
        socket.create_connection(("127.0.0.1", port), timeout=10) as client,
    ):
        client.sendall(b"GET /300000 HTTP/1.1\r\nHost: x\r\n\r\n")
        read = 0
        while read < SIZES[1]:
            read += len(client.recv(1 << 20))
        commands = recipe("Polling").replace(":443", f":{port}")
        subprocess.run(["sh", "-ec", commands], cwd=folder, check=True, timeout=20)
    found = fs.read_capture(folder / "polled.csv")
    assert SIZES[1] < found.transfers["bytes"].item() < SIZES[1] + 500
    assert found.connections["network"].item() == "127.0.0.0/24"
    assert 0 < found.connections["rtt_s"].item() < 1
