"""The command after `Next:` runs as it is printed, or the output shows what to record."""

import pathlib
import shlex
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart.captures.next_command import PIPED, next_command

Cli = Callable[..., Any]
DATA = pathlib.Path(__file__).parent.parent / "data"
QLOG = DATA / "logs/draft-00.qlog"
ONE_SIDE = DATA / "captures/field/client-side-only.pcap"


def next_of(output: str) -> list[str]:
    """The words of the command after `Next:`."""
    _, _, command = output.replace("\\\n", "").partition("\nNext: ")
    return shlex.split(command.splitlines()[0])


@pytest.fixture
def log(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "two networks.log"
    rows = (f'{peer} - - [16/Nov/2026:10:00:0{n} +0100] "GET / HTTP/1.1" 200 50000\n'
            for n, peer in enumerate(("192.0.2.1", "198.51.100.1")))  # fmt: skip
    path.write_text("".join(rows))
    return path


@pytest.mark.parametrize(
    ("file", "options"),
    [
        (DATA / "logs/zeek-folder", ["--rtt", "40ms", "--rate", "50Mbps"]),
        (QLOG, ["--rate", "50Mbps"]),
        (None, ["--rtt", "40ms", "--network", "*:rate=50Mbps"]),
    ],
)
def test_the_next_command_has_what_the_capture_does_not_show(
    cli: Cli, log: pathlib.Path, file: pathlib.Path | None, options: list[str]
) -> None:
    answer = cli("capture", file or log)
    words = next_of(answer.out)
    assert words[:2] == ["flowstart", "replay"]
    assert words[3:] == options
    assert "A replay needs what this does not show: put your path's values for" in answer.out
    replayed = cli(*words[1:], "--no-uncertainty")
    assert (replayed.status, replayed.err.count("warning: left out") <= 1) == (0, True)


def test_the_next_command_is_the_replay_alone_where_nothing_lacks(cli: Cli) -> None:
    file = DATA / "captures/small.pcap"
    assert next_of(cli("capture", file).out) == ["flowstart", "replay", str(file)]


def test_captures_of_one_side_are_to_be_recorded_anew(cli: Cli) -> None:
    answer = cli("capture", ONE_SIDE)
    assert next_of(answer.out)[:3] == ["timeout", "600", "tcpdump"]
    refused = cli("replay", ONE_SIDE)
    assert (refused.status, refused.out) == (2, "")
    assert "one side only, and a replay needs both; record them: timeout 600" in refused.err


def test_the_remedy_for_an_unknown_rate_can_be_pasted(cli: Cli) -> None:
    refused = cli("replay", QLOG)
    _, _, option = refused.err.partition("give one, such as ")
    assert (refused.status, shlex.split(option)[0]) == (2, "--network")
    assert cli("replay", QLOG, *shlex.split(option), "--no-uncertainty").status == 0


def test_what_settles_a_question_repeats_the_options(cli: Cli, log: pathlib.Path) -> None:
    given = ["--rtt", "40ms", "--network", "*:rate=50Mbps", "--ignore", "page"]
    answer = cli("replay", log, *given)
    _, _, settling = answer.out.partition("To settle it:\n")
    recorded, again = settling.replace("\\\n", "").splitlines()[:2]
    assert recorded.split()[:3] == ["timeout", "600", "tcpdump"]
    assert shlex.split(again) == [
        "flowstart",
        "replay",
        "mine.pcap",
        "--ignore",
        "page",
        "--seed",
        "1",
    ]


def test_quic_alone_needs_a_qlog(cli: Cli) -> None:
    file = DATA / "captures/field/quic-two-initials.pcap"
    shown = " ".join(cli("capture", file).out.split())
    assert "a qlog of an endpoint shows them" in shown
    assert "Next:" not in shown
    refused = cli("replay", file)
    assert (refused.status, refused.out) == (2, "")
    assert "there is no transfer to replay: QUIC encrypts its transfers" in refused.err


def test_a_pipe_is_replayed_as_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    with (DATA / "captures/small.pcap").open("rb") as stream:
        monkeypatch.setattr("flowstart.captures.standard_input.DESCRIPTOR", stream.fileno())
        capture = fs.read_capture("-")
    assert next_command(capture) == ("flowstart replay -", PIPED)


@pytest.mark.parametrize("command", ["capture", "replay"])
def test_a_command_without_files_names_the_standard_input(cli: Cli, command: str) -> None:
    answer = cli(command)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == (
        "flowstart: FILE is missing: name captures or logs, or - for the standard input\n"
    )


def test_each_direction_has_its_reason_for_no_rate(cli: Cli) -> None:
    answer = cli("replay", DATA / "captures/field/plain.pcap")
    assert (answer.status, answer.out) == (2, "")
    few = "too few bytes went this way"
    assert f"to 198.51.100.0/24 ({few}) or from it ({few}); give one" in answer.err
