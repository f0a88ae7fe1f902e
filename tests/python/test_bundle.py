"""`flowstart doctor --bundle`: what a report of a defect needs, without anything private."""

import json
import pathlib
import socket
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from flowstart import _native
from flowstart.cli import bundle, doctor, main

Cli = Callable[..., Any]
PRIVATE = ("alice", "web-7", "example.org", "192.0.2.7", "2001:db8::7", "02:00:5e:00:00:07")
SCENARIO = """# alice@web-7.example.org captured it on 192.0.2.7 and 2001:db8::7, 02:00:5e:00:00:07
[path]
rate = "10Mbps"
rtt = "40ms"
"""


@pytest.fixture
def alice(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The home folder of a user on a host."""
    home = tmp_path / "home" / "alice"
    home.mkdir(parents=True)
    for name, value in {"HOME": home, "USER": "alice", "LOGNAME": "alice"}.items():
        monkeypatch.setenv(name, str(value))
    for name in ("FLOWSTART_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(socket, "gethostname", lambda: "web-7.example.org")
    monkeypatch.chdir(home)
    return home


def contents(file: pathlib.Path) -> dict[str, str]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_a_bundle_has_versions_limits_settings_error_and_scenario(
    cli: Cli, alice: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError(f"{alice}/mine.pcap of 192.0.2.7")

    monkeypatch.setenv("FLOWSTART_DEBUG", "1")
    with monkeypatch.context() as patch:
        patch.setattr(doctor, "build", fail)
        with pytest.raises(ZeroDivisionError):
            main(["doctor", "--details"])
    (alice / "web.toml").write_text(SCENARIO)
    answer = cli("doctor", "--bundle", "report.zip", "--scenario", "web.toml")
    assert answer.status == 0
    assert "report.zip has report.json, last-error.txt, scenario.toml: read them" in answer.err
    found = contents(alice / "report.zip")
    report = json.loads(found["report.json"])
    assert report["build"]["version"] == _native.version()
    assert report["platform"]["python"] == "CPython"
    assert report["settings"]["FLOWSTART_DEBUG"] == "1"
    assert len(report["limits"]["NOFILE"]) == 2
    assert "flowstart doctor --details\n" in found["last-error.txt"]
    assert "ZeroDivisionError: ~/mine.pcap of ADDRESS" in found["last-error.txt"]
    assert 'rate = "10Mbps"' in found["scenario.toml"]


def test_a_bundle_has_nothing_private(
    cli: Cli, alice: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOWSTART_CACHE", f"{alice}/cache")
    monkeypatch.setenv("FLOWSTART_STATE", " ".join(PRIVATE))
    (alice / "alice.toml").write_text(SCENARIO)
    cli("doctor", "--bundle", "report.zip", "--scenario", "alice.toml")
    found = contents(alice / "report.zip")
    text = "\n".join([*found, *found.values()])
    assert [word for word in (*PRIVATE, str(alice)) if word in text] == []
    assert json.loads(found["report.json"])["settings"]["FLOWSTART_CACHE"] == "~/cache"


@pytest.mark.usefixtures("alice")
@pytest.mark.parametrize(
    "text",
    [
        "flowstart 0.1.0, polars 2.1.0, glibc 2.36, 1.2.3.4567",
        "12:30:45 took 1:02:03",
        "flowstart::sim::run at sim.rs:12:5",
        "/homes and /usr/lib/python3.11, malice",
    ],
)
def test_versions_times_and_names_of_code_are_kept(text: str) -> None:
    assert bundle.redacted(text) == text


@pytest.mark.usefixtures("alice")
@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("10.0.0.1:443, 10.0.0.2/24.", "ADDRESS:443, ADDRESS/24."),
        ("[2001:db8::1]:443 fe80::1%eth0", "[ADDRESS]:443 ADDRESS%eth0"),
        ("2001:db8:1:2:3:4:5:6 and 2001:db8::/32", "ADDRESS and ADDRESS/32"),
        ("/home/bob/x C:\\Users\\Bob\\x", "~/x C:~\\x"),
        ("WEB-7 and web-7.example.org", "HOST and HOST"),
    ],
)
def test_addresses_hosts_and_home_folders_are_replaced(text: str, redacted: str) -> None:
    assert bundle.redacted(text) == redacted


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--bundle", "report.txt"), "--bundle: `report.txt`: a name that ends in .zip is needed"),
        (("--bundle", "a.zip", "--scenario", "no.toml"), "no.toml: there is no such file"),
        (("--bundle", "/dev/null/a.zip"), "--bundle: /dev/null is a file, and a folder is needed"),
        (("--scenario", "a.toml"), "--scenario: it has no meaning without --bundle"),
    ],
)
def test_a_bundle_that_cannot_be_made_is_refused_before_any_output(
    cli: Cli, alice: pathlib.Path, words: tuple[str, ...], message: str
) -> None:
    answer = cli("doctor", *words)
    assert (answer.status, answer.out, answer.err) == (2, "", f"flowstart: {message}\n")
    assert [*alice.iterdir()] == []
