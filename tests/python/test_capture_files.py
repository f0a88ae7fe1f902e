"""Several files in one answer: rotated captures, folders, the standard input."""

import gzip
import pathlib
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import flowstart as fs

Cli = Callable[..., Any]
CAPTURES = pathlib.Path(__file__).parent.parent / "data" / "captures"
SMALL = (CAPTURES / "small.pcap").read_bytes()
HEADER, PACKETS = SMALL[:24], SMALL[24:]


def records(packets: bytes = PACKETS) -> list[bytes]:
    """The packets of a capture, each with its header."""
    found, at = [], 0
    while at < len(packets):
        end = at + 16 + struct.unpack_from("<I", packets, at + 8)[0]
        found.append(packets[at:end])
        at = end
    return found


def rotated(folder: pathlib.Path, parts: int) -> list[pathlib.Path]:
    """`small` as rotation leaves it: in files that follow on each other."""
    packets = records()
    cuts = [len(packets) * part // parts for part in range(parts + 1)]
    files = [folder / f"trace.pcap{part:02}" for part in range(parts)]
    for file, begin, end in zip(files, cuts, cuts[1:], strict=False):
        file.write_bytes(HEADER + b"".join(packets[begin:end]))
    return files


def told(found: fs.Capture) -> tuple[object, ...]:
    """Everything that does not name a file."""
    document = found.to_dict()
    rows = [{k: v for k, v in row.items() if k != "file"} for row in document["connections"]]
    return rows, document["transfers"], document["groups"], document["summary"]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (2, 0, 3, 1)])
def test_files_that_follow_on_each_other_are_one_capture(
    tmp_path: pathlib.Path, order: Sequence[int]
) -> None:
    files = rotated(tmp_path, 4)
    found = fs.read_capture(*(files[i] for i in order))
    assert told(found) == told(fs.read_capture(CAPTURES / "small.pcap"))
    assert set(found.connections["file"]) <= {str(file) for file in files}
    assert found.connections["file"][0] == str(files[0])


def test_files_of_the_same_time_are_captures_of_their_own() -> None:
    found = fs.read_capture(CAPTURES / "small.pcap", CAPTURES / "small-client-raw.pcap.gz")
    assert found.connections["stream"].to_list() == list(range(22))
    assert found.connections["file"].value_counts()["count"].to_list() == [11, 11]
    assert found.summary["by_handshake"]["complete"] == 20


def test_a_file_out_of_order_among_others_is_sorted(tmp_path: pathlib.Path) -> None:
    content = gzip.decompress((CAPTURES / "web-mix.pcap.gz").read_bytes())
    packets = records(content[24:])
    half = len(packets) // 2
    turned = tmp_path / "turned.pcap"
    turned.write_bytes(content[:24] + b"".join(packets[half:] + packets[:half]))
    found = fs.read_capture(CAPTURES / "small.pcap", turned)
    assert found.summary["by_handshake"]["complete"] == 10 + 278
    assert "its 2 pieces were merged in order of time" in found.warnings[0]


def test_a_folder_stands_for_the_files_in_it(cli: Cli, tmp_path: pathlib.Path) -> None:
    rotated(tmp_path, 3)
    answer = cli("capture", tmp_path, "--details")
    assert answer.status == 0
    assert "trace.pcap00 and 2 more: pcap" in answer.out
    assert "11 TCP connections (10 complete, 1 refused)" in answer.out


def test_captures_are_replayed_as_one(cli: Cli, tmp_path: pathlib.Path) -> None:
    first, second = rotated(tmp_path, 2)
    words = ("--startup", "slow-start", "--network", "*:rate=20Mbps,buffer=100pkt")
    answer = cli("replay", first, second, *words)
    assert answer.status == 0, answer.err
    assert "19 transfers from servers, 2 networks" in answer.out


def test_an_empty_folder_is_refused(cli: Cli, tmp_path: pathlib.Path) -> None:
    answer = cli("capture", tmp_path)
    assert answer.status == 2
    assert "the folder holds no files" in answer.err


def test_a_file_given_twice_is_refused(cli: Cli) -> None:
    answer = cli("capture", CAPTURES / "small.pcap", CAPTURES / "small.pcap")
    assert answer.status == 2
    assert "is given twice; its connections would count double" in answer.err


def test_the_standard_input_is_read_alone(cli: Cli) -> None:
    answer = cli("capture", CAPTURES / "small.pcap", "-")
    assert answer.status == 2
    assert answer.err.count("\n") == 1
    assert "the standard input is read alone" in answer.err


def test_the_standard_input_is_read_as_it_comes() -> None:
    command = [sys.executable, "-m", "flowstart", "capture", "-"]
    done = subprocess.run(command, input=SMALL, capture_output=True, check=True)
    assert done.stdout.decode().startswith("standard input: pcap, 833 packets")
