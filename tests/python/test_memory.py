"""Memory, of captures of any length."""

import pathlib
import subprocess
import sys

import polars as pl
import pytest

import peak
from flowstart.captures import read_capture
from flowstart.replays import Settings
from flowstart.replays.traffic import Traffic

pytestmark = pytest.mark.slow

HERE = pathlib.Path(__file__)
LONG_CAPTURE = HERE.parents[2] / "benches/long_capture.py"
WEB_MIX = HERE.parents[1] / "data/captures/web-mix.pcap.gz"
READ = f"""
import flowstart as fs
fs.read_capture("-").summary
{peak.PRINT}"""
TIMES = 10, 50
LONGER_BYTES = 5_125_965 * (TIMES[1] - TIMES[0])
"""By so much the second capture is longer than the first."""


def peak_bytes(times: int) -> int:
    """The most memory that it took to read and count a capture that is repeated so often."""
    source = [sys.executable, str(LONG_CAPTURE), "--times", str(times)]
    with subprocess.Popen(source, stdout=subprocess.PIPE) as packets:
        read = subprocess.run(
            [sys.executable, "-c", READ], stdin=packets.stdout, capture_output=True, check=True
        )
    return int(read.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_memory_grows_with_connections_and_not_with_packets() -> None:
    """40 repetitions more are 28 880 transfers and 205 MB; their rows take 7 MB."""
    less, more = map(peak_bytes, TIMES)
    assert more - less < LONGER_BYTES / 5


def test_the_traffic_of_networks_shares_the_memory_of_the_whole() -> None:
    """And each has its own rows, in the order in which the whole has them."""
    traffic = Traffic.of(read_capture(WEB_MIX), Settings(), {})
    sections = traffic.by_network()
    assert len({id(section.whole) for section in sections.values()}) == 1
    assert list(sections) == traffic.connections["network"].unique(maintain_order=True).to_list()
    for network, section in sections.items():
        own = traffic.connections.filter(network=network)
        moved = traffic.transfers.filter(pl.col("connection").is_in(own["connection"].to_list()))
        assert section.traffic.connections.equals(own)
        assert section.traffic.transfers.equals(moved)
        assert section.height == moved.height
