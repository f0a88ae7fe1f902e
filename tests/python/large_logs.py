"""Servers' logs of many transfers over many networks, with the skew of real ones.

Networks are as popular as their rank (Zipf), sizes log-normal, round trips and rates those of a
network. A duration is that of a fluid slow start: the window doubles each round trip until it is
the path's BDP, then the rest leaves at the path's rate. So a log of a million rows takes seconds,
where `made_up_logs` simulates every transfer.
"""

import argparse
import json
import pathlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PACKET = 1448
WINDOW = 10
"""Packets of the initial window."""
ZIPF = 1.0
MEDIAN_BYTES, DEVIATION = 30e3, 1.5
"""Of the sizes: the median, and the standard deviation of their logarithm."""
RTT_S, RTT_DEVIATION = 0.045, 0.7
RATE_BPS, RATE_DEVIATION = 40e6, 1.2
JITTER = 0.1
"""The standard deviation of a round trip's logarithm around its network's."""
EPOCH_S = 1_700_000_000


@dataclass(frozen=True)
class Log:
    """The rows of a log, by start."""

    starts_s: Floats
    networks: NDArray[np.int64]
    hosts: NDArray[np.int64]
    sizes: Floats
    rtts_s: Floats
    durations_s: Floats
    rates_bps: Floats
    """Of each row's network."""

    @property
    def peers(self) -> list[str]:
        """The address of each row's client."""
        high, low = np.divmod(self.networks, 250)
        return [
            f"10.{a}.{b}.{h}"
            for a, b, h in zip(high.tolist(), low.tolist(), self.hosts.tolist(), strict=True)
        ]


def log(rows: int, networks: int, *, seed: int = 1, span_s: float = 86_400.0) -> Log:
    """A day of a server's transfers; the same ones for the same arguments."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, networks + 1) ** ZIPF
    place = rng.choice(networks, rows, p=weights / weights.sum())
    rtt_s = RTT_S * np.exp(rng.normal(0, RTT_DEVIATION, networks)).clip(0.1, 8)
    rate_bps = RATE_BPS * np.exp(rng.normal(0, RATE_DEVIATION, networks)).clip(0.02, 20)
    sizes = np.exp(rng.normal(np.log(MEDIAN_BYTES), DEVIATION, rows)).clip(200, 50e6).round()
    rtts_s = rtt_s[place] * np.exp(np.abs(rng.normal(0, JITTER, rows)))
    return Log(
        starts_s=EPOCH_S + np.sort(rng.uniform(0, span_s, rows)),
        networks=place,
        hosts=1 + rng.integers(0, 20, rows),
        sizes=sizes,
        rtts_s=rtts_s,
        durations_s=durations(sizes, rtts_s, rate_bps[place]),
        rates_bps=rate_bps[place],
    )


def durations(sizes: Floats, rtts_s: Floats, rates_bps: Floats) -> Floats:
    """Seconds from the first packet to the acknowledgement of the last byte."""
    packets = np.ceil(sizes / PACKET)
    packets_s = rates_bps / (8 * (PACKET + 52))
    bdp = np.maximum(packets_s * rtts_s, WINDOW)
    rounds = np.log2(bdp / WINDOW)
    needed = np.ceil(np.log2(packets / WINDOW + 1))
    last = packets - WINDOW * (2 ** (needed - 1) - 1)
    short = rtts_s * needed + last / packets_s
    grown = WINDOW * (2**rounds - 1)
    long = rtts_s * (rounds + 1) + (packets - grown) / packets_s
    found: Floats = np.where(needed <= rounds, short, np.maximum(long, short))
    return found


def write_with_rates(found: Log, file: pathlib.Path) -> pathlib.Path:
    """CSV with the rate of each network, which a replay then does not fit."""
    columns = (found.starts_s, found.peers, found.sizes, found.rtts_s, found.rates_bps)
    with file.open("w", encoding="ascii") as stream:
        stream.write("ts,client_ip,bytes,rtt_s,rate_bps,duration_s\n")
        for t, p, b, r, c, d in zip(*columns, found.durations_s, strict=True):
            stream.write(f"{t:.3f},{p},{b:.0f},{r:.6f},{c:.0f},{d:.6f}\n")
    return file


def write(found: Log, file: pathlib.Path) -> pathlib.Path:
    """JSON lines with nginx's names where the file is `.json`, else CSV."""
    columns = zip(
        found.starts_s.tolist(),
        found.peers,
        found.sizes.astype(int).tolist(),
        (1e6 * found.rtts_s).round().astype(int).tolist(),
        found.durations_s.tolist(),
        strict=True,
    )
    with file.open("w", encoding="ascii") as stream:
        if file.suffix != ".json":
            stream.write("ts,client_ip,bytes,rtt_us,duration_s\n")
            stream.writelines(f"{t:.3f},{p},{b},{r},{d:.6f}\n" for t, p, b, r, d in columns)
            return file
        for t, p, b, r, d in columns:
            row = {
                "msec": f"{t + d:.3f}",
                "remote_addr": p,
                "request": "GET /static/page HTTP/1.1",
                "status": 200,
                "bytes_sent": b,
                "tcpinfo_rtt": r,
                "request_time": f"{d:.3f}",
            }
            stream.write(json.dumps(row) + "\n")
    return file


def main() -> None:
    """Writes one, for measurements by hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--networks", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=float, default=1.0)
    given = parser.parse_args()
    span_s = 86_400 * given.days
    write(log(given.rows, given.networks, seed=given.seed, span_s=span_s), given.file)


if __name__ == "__main__":
    main()
