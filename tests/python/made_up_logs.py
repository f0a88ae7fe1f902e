"""Servers' logs of simulated transfers, of whose paths everything is known."""

import pathlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document, encode
from flowstart.simulation import frames
from flowstart.simulation.batch import run_many

PACKET_BITS = 12_000
LOAD = 0.2
"""The share of a bottleneck's rate that its transfers take on average."""
DURATIONS = {"duration_s": "acked", "fct_s": "received"}
"""What a log's durations are, by its number: until the last byte is acknowledged or received."""


def columns(number: int) -> str:
    """The option that names them."""
    kind = list(DURATIONS.values())[number % len(DURATIONS)]
    return f"duration=duration_s:s:{kind}"


@dataclass(frozen=True)
class Network:
    """One path of a log, and its transfers."""

    name: str
    rate_bps: float
    rtt_s: float
    buffer_packets: int
    sizes: Sequence[int]
    starts_s: Sequence[float]

    @property
    def scenario(self) -> Document:
        """Its transfers as clients of a Linux server have them."""
        return {
            "seed": 1,
            "duration": f"{self.starts_s[-1] + 3600:.3f}s",
            "path": {
                "rate": f"{self.rate_bps:.0f}bps",
                "rtt": f"{1e6 * self.rtt_s:.0f}us",
                "buffer": f"{self.buffer_packets}pkt",
            },
            "stack": {"preset": "linux"},
            "flows": [
                {
                    "size": f"{size}B",
                    "start": f"{start:.6f}s",
                    "startup": "hystart",
                    "cc": "cubic",
                    "opener": "receiver",
                }
                for size, start in zip(self.sizes, self.starts_s, strict=True)
            ],
        }


def networks(
    number: int,
    *,
    count: int = 6,
    transfers: tuple[int, int] = (30, 60),
    rates_bps: tuple[float, float] = (2e6, 200e6),
    rtts_s: tuple[float, float] = (0.01, 0.2),
    sizes: tuple[float, float] = (100e3, 1.5),
) -> list[Network]:
    """The networks of one mix; sizes are log-normal, by their median and the log's deviation."""
    rng = np.random.default_rng(number)
    found = []
    for place in range(count):
        rate, rtt = (np.exp(rng.uniform(*np.log(ends))) for ends in (rates_bps, rtts_s))
        buffer = max(round(rate * rtt / PACKET_BITS * rng.choice([0.5, 1, 2])), 20)
        each = int(rng.integers(*transfers, endpoint=True))
        bytes_ = np.clip(np.exp(rng.normal(np.log(sizes[0]), sizes[1], each)), 2e3, 20e6)
        starts = np.sort(rng.uniform(0, bytes_.sum() * 8 / rate / LOAD, each))
        name = f"10.{number}.{place}.0/24"
        found.append(Network(name, rate, rtt, buffer, bytes_.astype(int).tolist(), starts.tolist()))
    return found


def write(found: Sequence[Network], number: int, file: pathlib.Path) -> pathlib.Path:
    """Simulates the transfers of a mix, and writes what its server logs."""
    batch = run_many([encode(one.scenario) for one in found], 2, None, CustomStartups())
    rows = frames.frame(batch["flows"]).sort("run", "flow")
    lasts_s = rows[list(DURATIONS)[number % len(DURATIONS)]].to_list()
    lines, place = [], 0
    for one in found:
        peer = one.name.removesuffix("0/24")
        for size, start in zip(one.sizes, one.starts_s, strict=True):
            cells = f"{peer}{1 + place % 20},{size},{1e6 * one.rtt_s:.0f},{lasts_s[place]:.6f}"
            lines.append(f"{1_700_000_000 + start:.6f},{cells}")
            place += 1
    file.write_text("\n".join(["ts,client_ip,bytes,rtt_us,duration_s", *sorted(lines), ""]))
    return file
