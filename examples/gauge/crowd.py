"""When everybody uses it: many flows in contention, and web load, on one bottleneck."""

import json
import math
import pathlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import flowstart as fs
from asking import COMPARED, same_build
from flowstart.maps.outcomes import Floats
from flowstart.sweeps.runs.competing_flows import (
    FULL_SIZE,
    WEB_LARGEST_PKTS,
    WEB_MEAN_PKTS,
    WEB_SIZES,
)
from resampling import Estimate, Paths
from results import Place, Row

FLOWS = 200
SIZES = {"15kB": 40, "100kB": 30, "1MB": 25, "10MB": 5}
"""What flows in contention transfer, by weight."""
BYTES = {"15kB": 15e3, "100kB": 100e3, "1MB": 1e6, "10MB": 10e6}
ARRIVE = 0.5
"""All open within this share of the time that their bytes take at the bottleneck."""
RTTS = (0.02, 0.2)
"""The bounds of their round trips, drawn uniformly in the logarithm, in seconds."""
OBJECTS = 1000
"""Responses in a run of web load, each of a separate session."""
LOADS = (20, 50, 80)
PERCENTILE = 0.95
FIRST_SEED = 10_001
"""Lower ones are for tuning."""


@dataclass(frozen=True)
class Bottleneck:
    """What all share; its buffer is one bandwidth-delay product of `rtt_s`, or a part of it."""

    rate_bps: float
    rtt_s: float
    buffer_bdp: float

    @property
    def path(self) -> dict[str, str]:
        """As a scenario has it; the flows have separate round trips, none below the minimum."""
        bdp = self.rate_bps * self.rtt_s / 8 / FULL_SIZE
        buffer = max(10, round(self.buffer_bdp * bdp))
        return {"rate": _rate(self.rate_bps), "rtt": _time(RTTS[0]), "buffer": f"{buffer}pkt"}


BOTTLENECKS = (
    Bottleneck(20e6, 0.08, 1),
    Bottleneck(50e6, 0.03, 0.5),
    Bottleneck(100e6, 0.05, 0.5),
    Bottleneck(100e6, 0.1, 2),
    Bottleneck(300e6, 0.03, 2),
    Bottleneck(300e6, 0.06, 0.5),
)


def contention(
    bottleneck: Bottleneck, startup: str, seed: int, flows: int = FLOWS
) -> dict[str, Any]:
    """Flows of mixed sizes and round trips, which open soon after one another."""
    drawn = random.Random(seed)
    sizes = drawn.choices(list(SIZES), list(SIZES.values()), k=flows)
    arrive = ARRIVE * 8 * sum(BYTES[size] for size in sizes) / bottleneck.rate_bps
    documents = [
        {
            "startup": startup,
            "size": size,
            "start": _time(drawn.uniform(0, arrive)),
            "rtt": _time(math.exp(drawn.uniform(*map(math.log, RTTS)))),
        }
        for size in sizes
    ]
    return _scenario(bottleneck.path, seed) | {"flows": documents}


def web(bottleneck: Bottleneck, startup: str, seed: int, load: float) -> dict[str, Any]:
    """Web sessions with responses of this share of the bottleneck's rate."""
    every = WEB_MEAN_PKTS * FULL_SIZE * 8 / (load * bottleneck.rate_bps)
    sessions = {
        "startup": startup,
        "sessions": OBJECTS,
        "interval": f"exponential:mean={_time(every)}",
        "size": WEB_SIZES,
        "max_size": WEB_LARGEST_PKTS,
        "single_connection": True,
    }
    path = bottleneck.path | {"rtt": _time(bottleneck.rtt_s)}
    return _scenario(path, seed) | {"web": [sessions]}


def _scenario(path: dict[str, str], seed: int) -> dict[str, Any]:
    return {"path": path, "stack": {"preset": "linux"}, "seed": seed}


def _rate(bps: float) -> str:
    return f"{round(bps)}bps"


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:.0f}us"


def settings() -> Iterator[tuple[str, float | None]]:
    """The names of all settings, with the load where it is the web's."""
    yield "contention", None
    for load in LOADS:
        yield f"web {load} %", load / 100


def crowd(folder: pathlib.Path, seeds: int, workers: int | None) -> list[Row]:
    """Every setting; what is in the folder already is not run again."""
    same_build(folder)
    rows: list[Row] = []
    for name, load in settings():
        file = folder / f"{name.replace(' %', '').replace(' ', '-')}-{seeds}.parquet"
        if not file.exists():
            runs = pl.DataFrame(list(_runs(load, seeds, workers)))
            part = file.with_suffix(".part")
            runs.write_parquet(part)
            part.replace(file)
        rows += told(pl.read_parquet(file), name)
    return rows


def _runs(load: float | None, seeds: int, workers: int | None) -> Iterator[dict[str, Any]]:
    """A row per startup, bottleneck and seed: packets, losses, and the completion times' p95."""
    asked = [
        (bottleneck, startup, FIRST_SEED + seed)
        for bottleneck in range(len(BOTTLENECKS))
        for seed in range(seeds)
        for startup in COMPARED
    ]
    scenarios = [
        contention(BOTTLENECKS[b], n, s) if load is None else web(BOTTLENECKS[b], n, s, load)
        for b, n, s in asked
    ]
    batch = fs.run_many(scenarios, workers=workers)
    failed = batch.runs.filter(pl.col("error").is_not_null())
    if len(failed):
        raise fs.SimulationError(
            f"{json.dumps(asked[failed['run'][0]], default=vars)}: {failed['error'][0]}"
        )
    for row in of_runs(batch, load is None).iter_rows(named=True):
        bottleneck, startup, seed = asked[row.pop("run")]
        yield {"bottleneck": bottleneck, "startup": startup, "seed": seed} | row


def of_runs(batch: "fs.RunBatch", of_flows: bool) -> pl.DataFrame:
    """Packets sent and dropped in each run, and the p95 of its completion times.

    What was never done counts as longest.
    """
    table, time = (batch.frame, "fct_s") if of_flows else (batch.objects, "response_s")
    longest = pl.col(time).fill_null(float("inf"))
    times = table.group_by("run").agg(p95=longest.quantile(PERCENTILE, "nearest"))
    packets = batch.frame.group_by("run").agg(pl.col("packets_sent", "packets_dropped").sum())
    return packets.join(times, on="run").sort("run")


def told(runs: pl.DataFrame, setting: str) -> list[Row]:
    """The rows of one setting; runs of one bottleneck and seed are a cluster of the bootstrap."""
    wide = {
        name: runs.filter(pl.col("startup") == name).sort("bottleneck", "seed") for name in COMPARED
    }

    def matrix(column: str) -> Floats:
        columns = [frame[column].to_numpy().astype(np.float64) for frame in wide.values()]
        return np.column_stack(columns)

    p95, sent, dropped = matrix("p95"), matrix("packets_sent"), matrix("packets_dropped")
    paths, every = Paths(np.arange(len(p95))), np.ones(len(p95), dtype=np.bool_)
    place = Place("crowd", setting, COMPARED)
    lost, of = paths.means(dropped, every), paths.means(sent, every)
    loss = Estimate(lost.value / of.value, lost.draws / of.draws, lost.paths)
    times = paths.means(np.log(p95), every).exp()
    rows = [*place.rows("loss", "all", loss, len(p95)), *place.rows("p95", "all", times, len(p95))]
    for at, against in enumerate(COMPARED[1:], 1):
        less = Estimate(loss.value - loss.value[at], loss.draws - loss.draws[:, [at]], loss.paths)
        rows += place.rows("loss difference", "all", less, len(p95), against)
        rows += place.rows("p95 ratio", "all", times.over(at), len(p95), against)
    return rows
