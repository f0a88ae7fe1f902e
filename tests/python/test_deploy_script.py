"""The script of `flowstart deploy`: how it edits routes, by what a real `ip` has printed.

The recordings are made by `test_deploy_linux.py`, which runs the same in network namespaces.
"""

import os
import pathlib
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

import pytest

import route_host
from flowstart.deployment.script import file_name, script
from flowstart.errors import RequestError
from route_host import DATA, KINDS

ROUTE = "route default initcwnd 30"


def run(
    text: str, *words: str, folder: pathlib.Path, path: str = os.environ["PATH"]
) -> "subprocess.CompletedProcess[str]":
    file = folder / "script.sh"
    file.write_text(text)
    variables = os.environ | {"FLOWSTART_STATE": str(folder / "state"), "PATH": path}
    command = ["sh", str(file), *words]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", KINDS)
def test_the_script_runs_the_commands_that_set_and_restored_real_routes(
    kind: str, tmp_path: pathlib.Path
) -> None:
    recording = DATA / f"{kind}.jsonl"
    path = route_host.playing_ip(tmp_path, recording)
    for name, prints in (("ss", ""), ("id", "echo 0")):
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\n{prints}\n")
        program.chmod(0o755)
    flags = str(DATA / f"{kind}.proc")
    text = script("IW30", [], [ROUTE]).replace("/proc/net/ipv6_route", flags)
    runs = [("check", 1), ("set", 0), ("set", 0), ("check", 0), ("revert", 0), ("revert", 0)]
    for command, status in runs:
        found = run(text, command, folder=tmp_path, path=path)
        assert (found.stderr, found.returncode) == ("", status), command
    played = int((tmp_path / "played").read_text())
    assert played == len(recording.read_text().splitlines())


def function(words: Sequence[str], folder: pathlib.Path) -> Any:
    """What a function of the script prints for some words."""
    text = script("IW30", [], [ROUTE])
    functions = text[: text.index("set -uf")]
    calls = f'set -uf\nattribute=initcwnd\n{words[0]} "$@"\n'
    return run(functions + calls, *words[1:], folder=folder).stdout.rstrip("\n")


@pytest.mark.parametrize(
    ("value", "route", "expected"),
    [
        ("30", "default via A", "default via A initcwnd 30"),
        ("30", "default via A initcwnd 20 mtu 9", "default via A mtu 9 initcwnd 30"),
        ("", "default via A initcwnd 30 mtu 9", "default via A mtu 9"),
        ("", "default initcwnd lock 20 via A", "default via A"),
        ("lock 20", "default via A", "default via A initcwnd lock 20"),
        (
            "30",
            "default nexthop via A nexthop via B",
            "default initcwnd 30 nexthop via A nexthop via B",
        ),
        ("", "default initcwnd 30 nexthop via A", "default nexthop via A"),
    ],
)
def test_the_attribute_is_set_and_removed_before_next_hops(
    value: str, route: str, expected: str, tmp_path: pathlib.Path
) -> None:
    assert function(["with", "initcwnd", value, *route.split()], tmp_path) == expected


@pytest.mark.parametrize(
    ("route", "expected"),
    [
        ("default via A initcwnd 20", "20"),
        ("default via A initcwnd lock 20", "lock 20"),
        ("default via A", ""),
    ],
)
def test_the_value_of_an_attribute_is_read_with_its_lock(
    route: str, expected: str, tmp_path: pathlib.Path
) -> None:
    assert function(["value_of", "initcwnd", *route.split()], tmp_path) == expected


def test_a_lifetime_that_counts_down_and_the_attribute_do_not_make_another_route(
    tmp_path: pathlib.Path,
) -> None:
    first = "default via A proto ra expires 1700 pref medium"
    later = "default via A proto ra pref medium expires 1600 initcwnd 30"
    keys = {function(["key", *route.split()], tmp_path) for route in (first, later)}
    assert len(keys) == 1
    assert function(["key", "default", "via", "B"], tmp_path) not in keys


@pytest.mark.parametrize(
    "step",
    [
        "route default initcwnd 30; reboot",
        "route $(reboot) initcwnd 30",
        "route default initcwnd 0",
        "value /etc/passwd x",
        "value /proc/sys/net/ipv4/../../kernel/x 1",
        "qdisc fq\nreboot",
        "reboot",
    ],
)
def test_a_step_that_is_none_is_refused(step: str) -> None:
    with pytest.raises(RequestError, match="is not a step of a script"):
        script("IW30", [], [step])


def test_text_of_a_result_stays_a_comment() -> None:
    lines = script("x", ["a\nreboot\r\nreboot", "b" * 200], [ROUTE]).splitlines()
    assert lines[1] == "# a reboot reboot"
    assert all(line.startswith("#") for line in lines[: lines.index("")])


def test_a_name_is_fit_for_files_and_units() -> None:
    assert file_name("my $(x) iw=30") == "my-x-iw-30"
    assert file_name("++") == "setting"


def test_a_command_that_is_none_is_refused_with_those_that_are(tmp_path: pathlib.Path) -> None:
    found = run(script("IW30", [], [ROUTE]), "start", folder=tmp_path)
    assert found.returncode == 2
    assert "check|set|revert|persist" in found.stderr
    assert found.stdout == ""


def test_an_ip_that_drops_attributes_is_refused(tmp_path: pathlib.Path) -> None:
    other = tmp_path / "bin" / "ip"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho BusyBox v1.35.0 >&2\nexit 1\n")
    other.chmod(0o755)
    path = f"{other.parent}:{os.environ['PATH']}"
    found = run(script("IW30", [], [ROUTE]), "check", folder=tmp_path, path=path)
    assert (found.returncode, found.stdout) == (1, "")
    assert "IW30: `ip` of iproute2 is needed" in found.stderr


@pytest.mark.parametrize(
    ("steps", "scope"),
    [
        (["route default initcwnd 30"], "open ones keep what they have"),
        (["value /proc/sys/net/ipv4/tcp_congestion_control bbr"], "open ones keep what they have"),
        (["value /sys/module/tcp_cubic/parameters/hystart 0"], "holds for open connections too"),
        (["qdisc fq"], "holds for open connections too"),
        (["qdisc fq", "route default initcwnd 30"], "open ones have a part of it"),
    ],
)
def test_the_script_states_which_connections_have_the_setting(
    steps: Sequence[str], scope: str
) -> None:
    assert scope in script("x", [], steps)


def test_a_script_has_the_parts_of_its_steps_only() -> None:
    bbr = script("BBR", [], ["value /proc/sys/net/ipv4/tcp_congestion_control bbr"])
    assert "set_value()" in bbr
    assert "ip route change" not in bbr


@pytest.mark.parametrize("shell", [["sh", "-n"], ["shellcheck", "-s", "sh", "-e", "SC2046,SC2086"]])
def test_the_script_is_portable_shell_of_80_columns(
    shell: Sequence[str], tmp_path: pathlib.Path
) -> None:
    if not shutil.which(shell[0]):
        pytest.skip(f"{shell[0]} is not here")
    steps = [ROUTE, "qdisc fq", "value /proc/sys/net/ipv4/tcp_congestion_control bbr"]
    file = tmp_path / "script.sh"
    file.write_text(script("all", ["About it."], steps))
    found = subprocess.run([*shell, str(file)], capture_output=True, text=True, check=False)
    assert (found.stdout + found.stderr, found.returncode) == ("", 0)
    assert max(map(len, file.read_text().splitlines())) <= 80
