"""`flowstart collect` without a kernel: refusals, rows as tables, and what a replay reads."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import flowstart as fs
from flowstart import _native
from flowstart.collection import collect, outputs, rows
from flowstart.render.columns import types
from flowstart.replays.settings import measured_facts

Cli = Callable[..., Any]
needs_build = pytest.mark.skipif(
    not hasattr(_native, "Collector"), reason="this build has no `linux`: make live-linux"
)
ROW = {
    "start_us": 5_000_000,
    "end_us": 5_200_000,
    "exit_us": 5_050_000,
    "bytes": 100_000,
    "connection": 7,
    "network": 0x0A090300 << 32,
    "family": 4,
    "port": 443,
    "mss": 1448,
    "min_rtt_us": 40_000,
    "packets": 72,
    "retransmissions": 2,
    "initial_window": 10,
    "cwnd": 40,
    "exit": 1,
    "exit_cwnd": 31,
    "exit_ssthresh": 30,
    "cc": b"cubic",
}


def table(*changes: dict[str, Any], key: str | None = None) -> pl.DataFrame:
    """Rows of the kernel with these values."""
    block = np.zeros(len(changes), np.dtype(_native.COLLECTED))
    for place, change in enumerate(changes):
        for name, value in (ROW | change).items():
            block[name][place] = value
    return rows.table(block.tobytes(), key)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--for", "10m"), "--for = 10m: a time above 0, such as 10min, is needed"),
        (("--for", "0s"), "--for = 0s: a time above 0, such as 10min, is needed"),
        (("--port", "80,0"), "--port = 0: a port from 1 to 65535 is needed"),
        (("--sample", "2/3"), "--sample = 2/3: 1/N is needed, such as 1/100"),
        (("--max-connections", "0"), "--max-connections: `0` is not a whole number from 1 on"),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(cli: Cli, words: tuple[str, ...], said: str) -> None:
    answer = cli("collect", *words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == f"flowstart: {said}\n"


def test_a_build_without_the_program_says_what_adds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(_native, "Collector", raising=False)
    with pytest.raises(fs.RequestError, match="make live-linux"):
        fs.collect("rows", duration="1s")


def test_a_machine_without_cgroups_of_version_2_is_refused(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("cgroup /sys/fs/cgroup/cpu cgroup rw 0 0\n")
    monkeypatch.setattr(collect, "MOUNTS", mounts)
    with pytest.raises(fs.RequestError, match="cgroups of version 2 are needed"):
        collect.cgroup(None)


def test_a_cgroup_that_is_not_there_is_refused(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mounts").write_text(f"none {tmp_path} cgroup2 rw 0 0\n")
    (tmp_path / "nginx").mkdir()
    (tmp_path / "nginx/cgroup.controllers").touch()
    monkeypatch.setattr(collect, "MOUNTS", tmp_path / "mounts")
    assert collect.cgroup("nginx") == tmp_path / "nginx"
    with pytest.raises(fs.RequestError, match=r"cgroup = apache: a cgroup below .* is needed"):
        collect.cgroup("apache")


@needs_build
def test_a_row_has_the_units_of_its_columns() -> None:
    (row,) = table({}).to_dicts()
    assert list(row) == list(types("collected-rows"))
    expected = {
        "peer": "10.9.3.0",
        "acked_us": 200_000,
        "startup_exit_us": 50_000,
        "startup_exit_reason": "hystart",
        "startup_exit_cwnd_segments": 30,
        "delivery_rate_bps": None,
    }
    assert {name: row[name] for name in expected} == expected


@needs_build
def test_what_did_not_happen_is_null() -> None:
    (row,) = table({"end_us": 0, "exit": 0, "exit_us": 0}).to_dicts()
    names = ("acked_us", "startup_exit_reason", "startup_exit_cwnd_segments", "startup_exit_us")
    assert [row[name] for name in names] == 4 * [None]


@needs_build
def test_an_end_without_a_loss_is_named_after_the_congestion_control() -> None:
    found = table({"cc": b"bbr"}, {"cc": b"mine"}, {"exit": 3})
    assert found["startup_exit_reason"].to_list() == ["full-pipe", "no-loss", "loss"]
    assert found["startup_exit_cwnd_segments"].to_list() == [31, 31, 31]


@needs_build
def test_a_network_of_ipv6_is_a_48_and_a_key_hides_it() -> None:
    network = {"family": 6, "network": 0x20010DB8_00070000}
    assert table(network)["peer"].item() == "2001:db8:7::"
    hidden = [table(network, key=key)["peer"].item() for key in ("a", "a", "b")]
    assert hidden[0] == hidden[1] != hidden[2]
    assert all(peer.startswith("fd") for peer in hidden)


@needs_build
def test_a_folder_and_lines_are_read_as_the_same_log(tmp_path: pathlib.Path) -> None:
    found = table({}, {"start_us": 6_000_000, "end_us": 6_100_000, "exit": 0})
    for name in ("rows", "rows.jsonl"):
        outputs.opened(str(tmp_path / name)).write(found)
    captures = [fs.read_capture(tmp_path / name) for name in ("rows", "rows.jsonl")]
    for name in ("transfers", "senders"):
        assert getattr(captures[0], name).equals(getattr(captures[1], name))


def log(folder: pathlib.Path, *rows: dict[str, Any]) -> fs.Capture:
    """Rows as `flowstart collect` writes them."""
    usual = {
        "time": 1.7e9,
        "peer": "10.9.3.0",
        "server": "www",
        "connection": 1,
        "bytes": 100_000,
        "acked_us": 200_000,
        "rtt_us": 40_000,
        "data_packets": 70,
        "retransmitted_packets": 0,
        "mss": 1448,
        "initial_window_segments": 10,
        "handshake_window": 64_000,
        "widest_window": 640_000,
        "congestion_control": "cubic",
        "startup_exit_reason": None,
        "startup_exit_cwnd_segments": None,
    }
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(usual | row) + "\n" for row in rows))
    return fs.read_capture(file)


def test_rows_have_what_a_capture_measures_of_a_sender(tmp_path: pathlib.Path) -> None:
    exits = {"startup_exit_reason": "loss", "startup_exit_cwnd_segments": 20}
    found = log(
        tmp_path,
        {"retransmitted_packets": 3},
        {"time": 1.7e9 + 1, **exits},
        {"connection": 2, "congestion_control": "fs_mine"},
    )
    first, second = found.connections.to_dicts()
    assert found.about["durations"] == "acked"
    expected = {
        "server_ip": "www",
        "s2c_packets": 140,
        "s2c_retransmissions": 3,
        "s2c_initial_window": 10,
        "s2c_window": 64_000,
        "s2c_widest_window": 640_000,
        "s2c_cc": "cubic",
        "s2c_exit": "loss",
        "s2c_exit_window": 20 * 1448,
    }
    assert {name: first[name] for name in expected} == expected
    assert (second["s2c_cc"], second["s2c_exit"]) == (None, None)
    assert found.retransmitted_share == pytest.approx(3 / 210)


def test_a_replay_has_the_window_that_was_measured(tmp_path: pathlib.Path) -> None:
    rows = [
        {"connection": number, "time": 1.7e9 + number, "initial_window_segments": 30}
        for number in range(20)
    ]
    assert measured_facts(log(tmp_path, *rows), "server") == {"iw": "30", "cc": "cubic"}


def test_other_logs_have_no_columns_of_a_sender(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "access.csv"
    file.write_text("time,peer,bytes,rtt_ms,cc\n1700000000,10.9.3.1,1000,20,DE\n")
    found = fs.read_capture(file)
    assert found.connections["s2c_cc"].item() is None
