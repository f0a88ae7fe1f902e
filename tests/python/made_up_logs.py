"""Servers' logs of simulated transfers, of whose paths everything is known."""

import pathlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import flowstart as fs
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


ACK = 2
"""The event of an acknowledgement in the samples of a flow."""
TRUESIZE, WINDOWS, GSO_BYTES = 2304, 2, 65536
"""What Linux counts for a segment; windows in a send buffer (`tcp_sndbuf_expand`); and its excess.
"""
NGINX = (
    *("msec", "remote_addr", "bytes_sent", "request_time", "tcpinfo_rtt", "tcpinfo_rttvar"),
    *("tcpinfo_snd_cwnd", "connection"),
)
"""The variables of nginx in such a log."""


def write_nginx(
    file: pathlib.Path, seed: int, count: int, initial_window: int = 10
) -> dict[str, float]:
    """Writes what nginx logs of a few connections on each of `count` paths; returns their rates.

    A row's time is when its last byte is in the send buffer, which grows with the window.
    """
    rng = np.random.default_rng(seed)
    rates: dict[str, float] = {}
    rows: list[tuple[object, ...]] = []
    for place in range(count):
        rate, rtt = np.exp(rng.uniform(np.log([2e6, 0.01]), np.log([80e6, 0.15])))
        buffer = max(int(rate * rtt / PACKET_BITS * rng.choice([0.3, 1, 3])), 12)
        flows = _keep_alive(rng, rate, initial_window)
        path = {"rate": f"{rate:.0f}bps", "rtt": f"{1e6 * rtt:.0f}us", "buffer": f"{buffer}pkt"}
        document = {"path": path, "stack": {"preset": "linux"}, "flows": flows}
        run = fs.run({"seed": 1, "duration": "3600s"} | document, trace=True, max_time="10h")
        rates[f"10.0.{place}.0/24"] = rate
        for flow in range(len(flows)):
            rows += _nginx_rows(run, flow, f"10.0.{place}.{flow + 1}", 100 * place + flow)
    lines = [",".join(map(str, row)) for row in sorted(rows)]
    file.write_text("\n".join([",".join(NGINX), *lines, ""]))
    return rates


def _keep_alive(
    rng: np.random.Generator, rate_bps: float, initial_window: int
) -> list[dict[str, Any]]:
    """Connections with one to five responses each, most of them after the former is done."""
    flows, start = [], 0.0
    for _ in range(rng.integers(4, 9)):
        start, at, writes = start + rng.exponential(4), 0.0, []
        for _ in range(rng.integers(1, 6)):
            size = int(np.clip(np.exp(rng.normal(np.log(120e3), 1.6)), 1500, 8e6))
            writes.append({"size": f"{size}B", "at": f"{at:.6f}s"})
            at += 8 * size / rate_bps + 0.3 + rng.exponential(1.5)
        flows.append(
            {
                "opener": "receiver",
                "startup": "hystart",
                "cc": "cubic",
                "start": f"{start:.6f}s",
                "writes": writes,
                "stack": {"preset": "linux", "iw": f"{initial_window}pkt"},
            }
        )
    return flows


def _nginx_rows(run: fs.Run, flow: int, peer: str, number: int) -> Iterator[tuple[object, ...]]:
    """The rows of one connection."""
    assert run.flow_samples is not None
    samples = run.flow_samples.filter(flow=flow).drop_nulls(["cwnd", "srtt_s"])
    samples = samples.sort("time_ns", maintain_order=True)
    times_s, window = samples["time_ns"].to_numpy() / 1e9, samples["cwnd"].to_numpy()
    acked = samples.select(pl.when(event=ACK).then("seq_bytes").cum_max().fill_null(0))
    room = WINDOWS * np.maximum.accumulate(np.maximum(window, 10)) * TRUESIZE + GSO_BYTES
    taken = acked.to_series().to_numpy() + room
    srtt_s = samples["srtt_s"].to_numpy()
    total = 0
    for response in run.transfers.filter(flow=flow).sort("transfer").iter_rows(named=True):
        total += response["bytes"]
        begin_s = max(response["available_s"], response["sent_s"])
        done = int(np.argmax((times_s >= begin_s) & (taken >= total)))
        end_s = max(begin_s, times_s[done])
        at = int(np.searchsorted(times_s, end_s, side="right")) - 1
        near = srtt_s[max(at - 12, 0) : at + 1]
        yield (
            *(f"{1_700_000_000 + end_s:.3f}", peer, response["bytes"], f"{end_s - begin_s:.3f}"),
            *(int(1e6 * srtt_s[at]), int(5e5 * np.ptp(near)), int(window[at]), number),
        )
