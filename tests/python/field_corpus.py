"""Reads a folder of captures as they come from the field, and prints what is wrong, by kind.

A program, outside of CI: `make field DIR=captures`. Packet counts are compared with capinfos, the
number of TCP connections and their handshake RTTs with tshark, where these are installed. Nothing
of a corpus belongs in the repository.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import flowstart as fs
from flowstart.captures import Capture, sources

MAGIC = (
    *(b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x4d\x3c\xb2\xa1"),
    b"\x0a\x0d\x0d\x0a",
)
"""First bytes of pcap in both orders and units, and of pcapng."""
FAULTS = ("crash", "library warning", "packets", "connections", "handshake RTT")
"""Differences for which the program's exit status is 1."""
CLOCK_S = 2e-6
"""RTTs within this are equal: times in microseconds are rounded twice."""
TIMEOUT_S = 600
CAPTURED_TWICE, PARTLY_CAPTURED = ", captured twice", ", partly captured"
Ends = tuple[str, str]


@dataclass
class Corpus:
    """What has been read, and the differences."""

    differences: dict[str, list[str]] = field(default_factory=lambda: collections.defaultdict(list))
    compared: collections.Counter[str] = field(default_factory=collections.Counter)
    processor_s: float = 0.0
    size: int = 0

    def note(self, kind: str, file: pathlib.Path, what: object) -> None:
        """Notes a difference."""
        self.differences[kind].append(f"{file}: {what}")

    def compare(self, kind: str, file: pathlib.Path, ours: object, theirs: object) -> None:
        """Counts a comparison, and notes where the values differ."""
        self.compared[kind] += 1
        if ours != theirs:
            self.note(kind, file, f"{ours}, expected {theirs}")


def read(corpus: Corpus, file: pathlib.Path) -> Capture | None:
    """The file as flowstart reads it; None where it is refused or the reader fails."""
    began = time.process_time()
    try:
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            capture = fs.read_capture(file)
    except fs.RequestError as error:
        corpus.note("refused", file, str(error).removeprefix(str(file)).lstrip(": "))
        return None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of the reader is no Exception
        corpus.note("crash", file, f"{type(error).__name__}: {error}")
        return None
    finally:
        corpus.processor_s += time.process_time() - began
        corpus.size += file.stat().st_size
    for warning in shown:
        corpus.note("library warning", file, warning.message)
    for text in capture.warnings:
        corpus.note("warning", file, text)
    return capture


def is_capture(file: pathlib.Path) -> bool:
    """Whether a file is pcap or pcapng, also in gzip or xz."""
    return sources.start_of(str(file)).startswith(MAGIC)


def output(program: str, *words: str) -> str | None:
    """What a program of Wireshark prints; None where it fails. Of a cut file it prints the rest."""
    done = subprocess.run(
        [program, *words],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIMEOUT_S,
        check=False,
    )
    return done.stdout or None


def check_packets(corpus: Corpus, file: pathlib.Path, capture: Capture) -> None:
    """Compares the number of packets with that of capinfos."""
    told = output("capinfos", "-Mrc", "-T", str(file))
    known = re.search(r"\t(\d+)\s*$", told or "")
    if known:
        corpus.compare("packets", file, capture.about["packets"], int(known[1]))


def check_handshakes(corpus: Corpus, file: pathlib.Path, capture: Capture) -> None:
    """Compares TCP connections and their handshake RTTs with those of tshark."""
    theirs = list(streams(file))
    corpus.compare("connections", file, len(capture.connections), len(theirs))
    ours: dict[Ends, list[dict[str, Any]]] = collections.defaultdict(list)
    for row in capture.connections.iter_rows(named=True):
        client, server = (
            (row["client_ip"], row["client_port"]),
            (row["server_ip"], row["server_port"]),
        )
        ours[sorted_ends(client, server)].append(row)
    for candidates, expected in theirs:
        known = next((ends for ends in candidates if ours[ends]), candidates[0])
        mine = ours[known].pop(0) if ours[known] else None
        # tshark has an RTT of refused connections also, and negative ones.
        if expected is None or expected < 0 or (mine and mine["handshake"] == "refused"):
            continue
        kind = f"handshake RTT{exempt(mine)}"
        rtt_s = mine["rtt_s"] if mine else None
        corpus.compared[kind] += 1
        if rtt_s is None or abs(rtt_s - expected) > CLOCK_S:
            corpus.note(kind, file, f"{known}: {rtt_s} s, expected {expected} s")


def exempt(row: dict[str, Any] | None) -> str:
    """Why a connection's RTT may differ: of what was captured twice or partly, the rules differ."""
    if row is None:
        return ""
    if row["copies"]:
        return CAPTURED_TWICE
    return PARTLY_CAPTURED if "partly-captured" in row["flags"] else ""


def streams(file: pathlib.Path) -> Iterator[tuple[list[Ends], float | None]]:
    """The ends and the RTT of each of tshark's TCP streams, in their order.

    In a tunnel between versions of IP either pair of addresses may be the inner one.
    """
    names = ("tcp.stream", "tcp.srcport", "tcp.dstport", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst")
    fields = [word for name in (*names, "tcp.analysis.initial_rtt") for word in ("-e", name)]
    # The innermost headers; no reassembly, which costs most of the time.
    fast = ("-n", "-o", "tcp.desegment_tcp_streams:FALSE", "-r", str(file), "-Y", "tcp")
    printed = output("tshark", *fast, "-T", "fields", "-E", "occurrence=l", *fields) or ""
    found: dict[str, tuple[list[Ends], float | None]] = {}
    for line in printed.splitlines():
        cells = line.split("\t")
        if len(cells) != len(names) + 1 or not cells[0]:
            continue
        stream, port, peer_port, *addresses, rtt = cells
        pairs = [pair for pair in (addresses[2:], addresses[:2]) if all(pair)]
        ends = [sorted_ends((mine, port), (peer, peer_port)) for mine, peer in pairs]
        known = found.setdefault(stream, (ends, None))
        if rtt and known[1] is None:
            found[stream] = (known[0], float(rtt))
    yield from (known for known in found.values() if known[0])


def sorted_ends(first: tuple[Any, Any], second: tuple[Any, Any]) -> Ends:
    """Both ends of a connection, in one order."""
    ends = sorted([f"{first[0]} {first[1]}", f"{second[0]} {second[1]}"])
    return ends[0], ends[1]


def summary(corpus: Corpus, most: int) -> Iterator[str]:
    """The result by kind, with the commonest texts of each."""
    for kind, count in sorted(corpus.compared.items()):
        wrong = len(corpus.differences.get(kind, ()))
        yield f"{kind}: {count - wrong} of {count} equal"
    for kind, lines in sorted(corpus.differences.items()):
        yield f"\n{kind}: {len(lines)}"
        yield from (f"  {line}" for line in lines[:most])
        if len(lines) > most:
            yield f"  {len(lines) - most} more; --most shows more"
    rate = corpus.size / 1e6 / corpus.processor_s if corpus.processor_s else 0.0
    yield f"\n{corpus.size / 1e6:.1f} MB, {corpus.processor_s:.1f} CPU s, {rate:.0f} MB/s"


def main() -> int:
    """Reads the files and prints the differences; 1 where some are faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=20, help="differences of a kind that are shown")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"folder: {options.folder} is not a folder of captures")
    checks: dict[str, Callable[[Corpus, pathlib.Path, Capture], None]]
    checks = {"capinfos": check_packets, "tshark": check_handshakes}
    for program in [name for name in checks if not shutil.which(name)]:
        print(f"{program} is not installed: not compared with it", file=sys.stderr)
        del checks[program]
    corpus, files = Corpus(), sorted(f for f in options.folder.rglob("*") if f.is_file())
    for file in files:
        capture = read(corpus, file)
        if capture and is_capture(file):
            for check in checks.values():
                check(corpus, file, capture)
    print(f"{len(files)} files")
    print("\n".join(summary(corpus, options.most)))
    return int(any(kind in FAULTS for kind in corpus.differences))


if __name__ == "__main__":
    sys.exit(main())
