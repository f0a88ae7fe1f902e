"""Measurements of rollouts whose truth is known, as logs of a server.

Networks are as popular as a power of their rank, and their times differ. A time is that of
the network, times the round trips that the size takes in slow start, times noise, and what the
setting makes of it. Connections are assigned at random.
"""

import argparse
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CLASSES = {"below 10 kB": 4e3, "10 to 100 kB": 35e3, "100 kB to 1 MB": 300e3}
"""The median size in each class that has traffic."""
SHARES = (0.45, 0.35, 0.2)
WINDOW = 14_480
LEVELS, NOISE = 0.5, 0.3
"""Standard deviations of log times: of networks' levels, and of a transfer."""
EPOCH_S, DAY_S = 1_700_000_000.0, 86_400.0
COLUMNS = "time=ts,peer=client_ip,bytes=size,duration=took:s:acked"


@dataclass(frozen=True)
class Truth:
    """What the setting makes of a transfer's time."""

    factor: float = 1.0
    """Of all transfers."""
    classes: Mapping[str, float] = field(default_factory=dict)
    """Of those of a size class in its place."""
    networks: Mapping[int, float] = field(default_factory=dict)
    """Of those of a network in its place, by rank."""
    share: float = 0.5
    """Of the connections that have the setting."""
    kept: float = 1.0
    """The share of the treatment's connections that are measured."""


def measurements(
    truth: Truth, rows: int, seed: int, *, networks: int = 150, begin: float = EPOCH_S
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of both sets; networks have the same level for every seed."""
    random, levels = np.random.default_rng(seed), np.random.default_rng(0)
    level = np.exp(levels.normal(np.log(0.04), LEVELS, networks))
    weights = np.arange(1, networks + 1) ** -0.6
    place = random.choice(networks, rows, p=weights / weights.sum())
    kind = random.choice(len(CLASSES), rows, p=SHARES)
    least = np.array([1e3, 10e3, 100e3])[kind]
    median = np.array([*CLASSES.values()])[kind]
    sizes = (median * np.exp(random.normal(0, 0.4, rows))).clip(least, 9.9 * least).round()
    times = level[place] * np.log2(2 + sizes / WINDOW) * np.exp(random.normal(0, NOISE, rows))
    treated = random.random(rows) < truth.share
    factors = np.full(rows, truth.factor)
    for name, factor in truth.classes.items():
        factors[kind == [*CLASSES].index(name)] = factor
    for network, factor in truth.networks.items():
        factors[place == network] = factor
    times = np.where(treated, times * factors, times)
    measured = ~treated | (random.random(rows) < truth.kept)
    high, low = np.divmod(place, 250)
    hosts = random.integers(1, 250, rows)
    frame = pl.DataFrame(
        {
            "ts": begin + np.sort(random.uniform(0, DAY_S, rows)),
            "client_ip": [f"10.{a}.{b}.{c}" for a, b, c in zip(high, low, hosts, strict=True)],
            "size": sizes.astype(np.int64),
            "took": times,
        }
    )
    return frame.filter(measured & ~treated), frame.filter(measured & treated)


def by_network(
    control: pl.DataFrame, treatment: pl.DataFrame, *files: pathlib.Path, seed: int = 5
) -> None:
    """Writes both sets as if networks had been assigned as a whole; there is no effect."""
    rows = pl.concat([control, treatment]).sort("ts")
    network = pl.col("client_ip").str.extract(r"^(.*)\.")
    names = rows.select(network.unique().sort()).to_series()
    drawn = np.random.default_rng(seed).random(len(names)) < 0.5
    treated = rows.select(network.is_in(names.filter(pl.Series(drawn)).implode())).to_series()
    for file, chosen in zip(files, (~treated, treated), strict=True):
        rows.filter(chosen).write_csv(file, float_precision=6)


def write(
    folder: pathlib.Path, truth: Truth, rows: int, seed: int, **more: float
) -> tuple[pathlib.Path, pathlib.Path]:
    """Both sets as CSV."""
    files = folder / "control.csv", folder / "treatment.csv"
    for file, frame in zip(files, measurements(truth, rows, seed, **more), strict=True):  # type: ignore[arg-type]
        frame.write_csv(file, float_precision=6)
    return files


def write_small(folder: pathlib.Path, truth: Truth, rows: int, seed: int, networks: int) -> None:
    """Both sets as small files of Parquet, in whole milliseconds and kilobytes."""
    sets = measurements(truth, rows, seed, networks=networks)
    for name, frame in zip(("control", "iw30"), sets, strict=True):
        small = frame.select(
            ts=pl.col("ts").round(),
            client_ip=pl.col("client_ip").str.replace(r"\.\d+$", ".1"),
            bytes=1000 * (pl.col("size") / 1000).ceil().cast(pl.Int32),
            duration_ms=(1000 * pl.col("took")).ceil().cast(pl.Int32),
        )
        small.write_parquet(folder / f"{name}.parquet", compression_level=19)


def main() -> None:
    """Writes them, for measurements by hand; small ones are those of tests/data/rollouts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=70_000)
    parser.add_argument("--factor", type=float, default=0.92)
    parser.add_argument("--networks", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    write_set = write_small if given.small else write
    write_set(given.folder, Truth(given.factor), given.rows, given.seed, networks=given.networks)


if __name__ == "__main__":
    main()
