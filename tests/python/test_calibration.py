"""How well the replay of what was recorded agrees with the recording."""

import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import pytest

from flowstart import captures
from flowstart.captures.contents import Capture
from flowstart.replays.calibration import Calibration, calibrate, legend, table
from flowstart.replays.settings import Settings

Cli = Callable[..., Any]
ROOT = pathlib.Path(__file__).parent.parent.parent
CAPTURES = ROOT / "tests" / "data" / "captures"
ENOUGH = 20
"""Transfers of a class of which a spread is asked."""


@pytest.fixture(scope="module")
def web_mix() -> Capture:
    return captures.read_capture(CAPTURES / "web-mix.pcap.gz")


@pytest.fixture(scope="module")
def calibrated(web_mix: Capture) -> Calibration:
    return calibrate(web_mix)


def test_nine_in_ten_times_of_each_class_are_within_a_fifth_or_a_quarter(
    calibrated: Calibration,
) -> None:
    asked = [found for found in calibrated.classes if found.transfers >= ENOUGH]
    assert len(asked) == 4
    for found in asked:
        assert found.p5 is not None
        assert found.p95 is not None
        assert 0.8 <= found.p5 <= found.p95 <= 1.25


def test_the_page_has_the_table(calibrated: Calibration) -> None:
    page = (ROOT / "docs" / "guides" / "captures.md").read_text()
    rows = [re.split(r"\s*\|\s*", line.strip("| ")) for line in page.splitlines()]
    grid = table(calibrated)
    assert [row for row in grid.rows if row not in rows] == []
    head = [column.title for column in grid.columns]
    assert head in rows
    said = [int(count) for count in re.findall(r"(\d+) transfers are not compared", page)]
    assert said == list(calibrated.left_out.values())


def test_who_stopped_reading_is_left_out_and_said(
    web_mix: Capture, calibrated: Calibration
) -> None:
    why = "their receiver stopped reading"
    assert calibrated.left_out[why] > 0
    assert f"transfers are not compared: {why}." in "\n".join(legend(calibrated))
    ways = calibrated.frame.select("connection", "capture_direction").rows()
    closings = {
        (row["stream"], way): row[f"{way}_zero_windows"]
        for row in web_mix.connections.iter_rows(named=True)
        for way in ("c2s", "s2c")
    }
    assert not any(closings[pair] for pair in ways)


@pytest.mark.parametrize("file", ["small.pcap", "small-client-raw.pcap.gz"])
def test_the_place_of_the_monitor_does_not_matter(file: str) -> None:
    [*_, whole] = calibrate(captures.read_capture(CAPTURES / file)).classes
    assert whole.transfers >= ENOUGH
    assert whole.p5 is not None
    assert whole.p95 is not None
    assert 0.95 <= whole.p5 <= whole.p95 <= 1.06


@pytest.mark.parametrize("part", ["warm", "windows"])
def test_what_is_left_out_shows(web_mix: Capture, calibrated: Calibration, part: str) -> None:
    """A warm window saves round trips, and a small receive window costs some."""

    def off(found: Calibration) -> int:
        return found.frame.filter((found.frame["ratio"] - 1).abs() > 0.25).height

    without = calibrate(web_mix, Settings(ignore=frozenset({part})))
    assert off(without) > 1.2 * off(calibrated)
    assert legend(without)[-1] == f"Not replayed: {part}."


def test_the_workers_do_not_change_it(web_mix: Capture, calibrated: Calibration) -> None:
    assert calibrate(web_mix, workers=1).frame.equals(calibrated.frame)


def test_the_command_prints_the_table(cli: Cli) -> None:
    answer = cli("capture", CAPTURES / "small.pcap", "--calibrate")
    assert answer.status == 0
    assert "Replayed as recorded (recorded: cc=cubic startup=hystart" in answer.out
    assert "all sizes" in answer.out
    assert "transfers are not compared: they took less than a millisecond" in answer.out
    document = json.loads(cli("capture", CAPTURES / "small.pcap", "--calibrate", "--json").out)
    assert document["classes"][-1]["size_class"] == "all sizes"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--calibrate", "-o", "out"), "--calibrate and -o"),
        (("--workers", "2"), "--workers: reading takes one; it is for --calibrate"),
    ],
)
def test_contradictions_are_refused(
    cli: Cli,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = cli("capture", CAPTURES / "small.pcap", *words)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err


LOG_ROW = {
    "ts": 1.0,
    "uid": "C1",
    "proto": "tcp",
    "duration": 1.0,
    "conn_state": "SF",
    "id.orig_h": "10.0.0.1",
    "id.orig_p": 4000,
    "id.resp_h": "10.1.0.2",
    "id.resp_p": 80,
    "orig_bytes": 100,
    "resp_bytes": 9000,
    "missed_bytes": 0,
    "history": "ShADadFf",
}


def test_a_log_without_round_trips_cannot_be_calibrated(cli: Cli, tmp_path: pathlib.Path) -> None:
    log = tmp_path / "conn.log"
    log.write_text(json.dumps(LOG_ROW))
    answer = cli("capture", log, "--calibrate")
    assert answer.status == 2
    assert "it has no round-trip times" in answer.err
