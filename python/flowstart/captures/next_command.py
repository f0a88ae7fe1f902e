"""What to do with a capture next: the command that replays it, or that records what it lacks."""

import shlex
from typing import TYPE_CHECKING

from flowstart.captures import server_log
from flowstart.captures.contents import Capture
from flowstart.captures.summary import least_rtt_s

if TYPE_CHECKING:
    import polars as pl

RECORDING = "mine.pcap"
"""The file that a recording is written to."""
RTT, RATE = "40ms", "50Mbps"
"""A path in a command, to be replaced by the user's."""
SECONDS, PACKETS = 600, 1_000_000
"""How long a recording should be, and the packets after which it ends: 150 MB."""
ONE_DIRECTION = "one-direction"
"""The flag of connections of which one side was captured."""


def recording(capture: Capture, seconds: float = SECONDS) -> str:
    """The command that records packets of the same servers."""
    ports = []
    if "server_port" in capture.connections.columns:  # not in one that is anonymous
        ports = capture.connections["server_port"].drop_nulls().mode().sort().to_list()
    only = f"tcp port {ports[0]}" if ports else "tcp"
    packets = PACKETS * seconds / SECONDS
    return f"timeout {seconds:.0f} tcpdump -i any -s 128 -c {packets:.0f} -w {RECORDING} {only}"


def next_command(capture: Capture) -> tuple[str, str]:
    """The command, and what has to be known of it; both are empty where there is none.

    What came from the standard input cannot be read again.
    """
    if "-" in capture.files or capture.transfers.is_empty():
        return "", ""
    if is_one_direction(capture):
        return recording(capture), "A replay needs the packets of both directions: record them."
    options = missing_options(capture)
    words = ["flowstart", "replay", *capture.sources, *capture.options, *options]
    if set(capture.transfers["direction"]) == {"c2s"}:
        words += ["--direction", "client"]
    examples = " and ".join(value.rpartition("=")[2] for value in options[1::2])
    note = f"A replay needs what this does not show: put your path's values for {examples}."
    return shlex.join(words), note * bool(options)


def is_one_direction(capture: Capture) -> bool:
    """Whether only one side of each connection with data was captured."""
    flags = _with_data(capture, "flags")
    return bool(len(flags) and flags.str.contains(ONE_DIRECTION).all())


def missing_options(capture: Capture) -> list[str]:
    """The options without which nothing can be replayed, with examples as values."""
    options = [] if _with_data(capture, least_rtt_s()).count() else ["--rtt", RTT]
    ways = [way for group in capture.groups for way in group.ways]
    timed = server_log.is_log(capture) and bool((capture.transfers["end_s"] > 0).any())
    if timed or any(way.rate_bps for way in ways):
        return options
    networks = _with_data(capture, "network").n_unique()
    rate = ["--rate", RATE] if networks == 1 else ["--network", f"*:rate={RATE}"]
    return [*options, *rate]


def _with_data(capture: Capture, column: "str | pl.Expr") -> "pl.Series":
    """A column of the connections that have transfers."""
    values = capture.connections.select(connection="stream", value=column)
    return values.join(capture.transfers.select("connection"), "connection", how="semi")["value"]
