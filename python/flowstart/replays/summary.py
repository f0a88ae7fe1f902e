"""A replay in few numbers: one summary per size class and variant."""

import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from flowstart import _native
from flowstart.inference import Row, Statistic
from flowstart.inference.data import HARM_THRESHOLD, OF_TRANSFERS, finite
from flowstart.render.columns import CLASSES
from flowstart.replays.answer import EVERYTHING, Answer, Floats, Numbers, Times, classes

if TYPE_CHECKING:
    import polars as pl


IN_MEMORY = 50_000
"""Rows that are kept in memory; beyond, they go to a temporary folder."""


class Rows:
    """Rows that come part by part. All parts have the same columns.

    The temporary folder goes with them.
    """

    def __init__(self) -> None:
        self.height = 0
        self._recent: list[pl.DataFrame] = []
        self._files: list[pathlib.Path] = []
        self._folder: pathlib.Path | None = None

    def add(self, frame: "pl.DataFrame") -> None:
        """Takes in a part."""
        self.height += frame.height
        self._recent.append(frame)
        if sum(part.height for part in self._recent) > IN_MEMORY:
            self._store()

    def scan(self) -> "pl.LazyFrame":
        """All rows in the order in which they came, read as far as needed."""
        import polars as pl

        parts = [pl.scan_parquet(file, glob=False) for file in self._files]
        parts += [part.lazy() for part in self._recent]
        return pl.concat(parts) if parts else pl.LazyFrame()

    def _store(self) -> None:
        import polars as pl

        if self._folder is None:
            self._folder = pathlib.Path(tempfile.mkdtemp(prefix="flowstart-rows-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        file = self._folder / f"{len(self._files):06}.parquet"
        pl.concat(self._recent).write_parquet(file)
        self._files.append(file)
        self._recent = []


__all__ = [
    "CLASSES",
    "ENOUGH",
    "EVERYTHING",
    "HARM_THRESHOLD",
    "ClassSummary",
    "percentile",
    "summarise",
]

ENOUGH = 10
"""Transfers that a network needs to be singled out among others."""


@dataclass(frozen=True)
class ClassSummary:
    """How the transfers of one size class fared under one variant, all running together."""

    size_class: str
    variant: str
    startup: str
    transfers: int
    complete: int
    fct_median_s: float | None
    fct_p95_s: float | None
    fct_p99_s: float | None
    geomean_ratio: Row | None
    """The geometric mean of the transfers' times against those under the baseline, less one, with
    its interval; None for the baseline."""
    p50: Row | None
    """The change of the median."""
    p95: Row | None
    """That of the 95th percentile."""
    p99: Row | None
    """That of the 99th."""
    median_ratio: Row | None
    """The median of the transfers' own changes."""
    harmed_share: Row | None
    """The share of transfers that take more than a tenth longer than under the baseline."""
    alone_median_s: float | None
    """The median completion time of the same transfers, each connection alone on its path."""
    slowdown_median: float | None
    slowdown_p95: float | None
    loss: float | None
    """Share of their packets that were lost."""
    timeouts: int
    worst_network: str | None
    """Where the largest share of transfers is harmed; None where none is.

    A network with fewer than `ENOUGH` transfers is named only where no other has harmed ones.
    """
    worst_share: float | None
    """That share."""
    limited_by: str | None
    """What kept senders from sending for the largest share of the transfers' time."""
    limited_share: float
    """That share."""
    window_share: float
    """The share of the receivers' windows."""
    best: bool = False
    """Whether the variant is recommended, for all traffic."""

    @property
    def change(self) -> float | None:
        """The geometric mean of ratios, less 1: −0.1 is 10 % faster; None for the baseline."""
        return estimate(self.geomean_ratio)

    @property
    def harmed(self) -> float | None:
        """The share of transfers that are harmed; None for the baseline."""
        return estimate(self.harmed_share)

    @property
    def numbers(self) -> dict[str, Any]:
        """The summary as JSON has it; intervals are a table of their own."""
        rows = {name: getattr(self, name) for name in map(str, OF_TRANSFERS)}
        estimates = {
            name if name == Statistic.HARMED_SHARE else f"{name}_change": estimate(row)
            for name, row in rows.items()
        }
        return {k: v for k, v in vars(self).items() if k not in rows} | estimates


def summarise(
    rows: "Rows",
    facts: "pl.DataFrame",
    together: Times,
    alone: Times,
    answer: Answer,
    startups: dict[str, str],
    recommended: str | None,
) -> list[ClassSummary]:
    """Summaries by size class and then in the order of the variants; all sizes last.

    `startups` has the variants and their startups. Variants are read one after the other, so that
    memory grows with the transfers and not with what is compared.
    """
    parts = classes(facts)
    # By number: names as objects of Python or texts of numpy take several times as much as rows.
    names = facts["network"].unique().sort().to_list()
    networks = facts["network"].rank("dense").to_numpy().astype(np.int64) - 1
    order = np.argsort(facts["transfer"].to_numpy(), kind="stable")
    by: dict[tuple[str, str], ClassSummary] = {}
    for variant, startup in startups.items():
        counts = _Counts.of(rows, variant)
        for name, transfers, _ in parts:
            base = together.of(answer.baseline, transfers)
            mine = together.of(variant, transfers)
            index = order[np.searchsorted(facts["transfer"].to_numpy()[order], transfers)]
            worst = _worst_network(mine, base, networks[index], names)
            by[name, variant] = ClassSummary(
                size_class=name,
                variant=variant,
                startup=startup,
                transfers=len(transfers),
                fct_median_s=percentile(_done(mine), 50),
                fct_p95_s=percentile(_done(mine), 95),
                fct_p99_s=percentile(_done(mine), 99),
                alone_median_s=percentile(_done(alone.of(variant, transfers)), 50),
                worst_network=worst[0],
                worst_share=worst[1],
                best=variant == recommended,
                geomean_ratio=answer.row(name, variant, Statistic.GEOMEAN_RATIO),
                p50=answer.row(name, variant, Statistic.P50),
                p95=answer.row(name, variant, Statistic.P95),
                p99=answer.row(name, variant, Statistic.P99),
                median_ratio=answer.row(name, variant, Statistic.MEDIAN_RATIO),
                harmed_share=answer.row(name, variant, Statistic.HARMED_SHARE),
                **counts.within(transfers),
            )
    return [by[name, variant] for name, _, _ in parts for variant in startups]


@dataclass(frozen=True)
class _Counts:
    """What is counted of the transfers under one variant, in the order of their numbers."""

    transfers: Numbers
    columns: dict[str, Floats]

    @classmethod
    def of(cls, rows: "Rows", variant: str) -> "_Counts":
        import polars as pl

        counts = ("slowdown", "packets_sent", "packets_dropped", "timeouts", "complete")
        names = (*counts, *LimitShares.COLUMNS)
        wanted = (pl.col("variant") == variant) & (pl.col("mode") == "together")
        frame = rows.scan().filter(wanted).select("transfer", *names).collect().sort("transfer")
        columns = {name: frame[name].cast(pl.Float64).to_numpy() for name in names}
        return cls(frame["transfer"].to_numpy(), columns)

    def within(self, transfers: Numbers) -> dict[str, Any]:
        """The numbers of some transfers, as far as they were run."""
        there = np.isin(self.transfers, transfers)
        mine = {name: values[there] for name, values in self.columns.items()}
        sent = float(mine["packets_sent"].sum())
        slowdowns = _done(mine["slowdown"])
        return {
            "complete": int(mine["complete"].sum()),
            "slowdown_median": percentile(slowdowns, 50),
            "slowdown_p95": percentile(slowdowns, 95),
            "loss": float(mine["packets_dropped"].sum()) / sent if sent else None,
            "timeouts": int(mine["timeouts"].sum()),
            **vars(LimitShares.mean(mine)),
        }


@dataclass(frozen=True)
class LimitShares:
    """What kept senders from sending, by the time of all transfers together."""

    limited_by: str | None
    limited_share: float
    window_share: float

    SHARES: ClassVar = {f"{name.replace('-', '_')}_share": name for name in _native.LIMITS}
    """The columns of shares, and what each is of."""
    COLUMNS: ClassVar = ("duration_s", *SHARES)

    @classmethod
    def of(cls, rows: Rows, variant: str) -> "LimitShares":
        """Those of all transfers under a variant."""
        return cls.mean(_Counts.of(rows, variant).columns)

    @classmethod
    def mean(cls, columns: Mapping[str, Floats]) -> "LimitShares":
        """Those of transfers with these columns; what was not completed does not count."""
        durations = columns["duration_s"]
        known = np.isfinite(durations) & np.isfinite(columns[next(iter(cls.SHARES))])
        total = float(durations[known].sum())
        if not total:
            return cls(None, 0.0, 0.0)
        shares = {
            name: float((columns[column] * durations)[known].sum()) / total
            for column, name in cls.SHARES.items()
        }
        limit = max(shares, key=lambda name: shares[name])
        return cls(limit, shares[limit], sum(shares[name] for name in _native.WINDOWS))


def _worst_network(
    mine: Floats, base: Floats, networks: Numbers, names: Sequence[str]
) -> tuple[str | None, float | None]:
    """The network with the largest share of transfers that are harmed, and that share.

    `networks` has the place of each transfer's network among the `names`.
    """
    known = np.isfinite(base) & ~np.isnan(mine)
    harmed = mine[known] / base[known] - 1 > HARM_THRESHOLD
    counts = np.bincount(networks[known], minlength=len(names))
    harms = np.bincount(networks[known], weights=harmed, minlength=len(names))
    shares = harms / np.maximum(counts, 1)
    able = shares > 0
    # A share of very few says little of their path.
    enough = able & (counts >= ENOUGH)
    chosen = enough if enough.any() else able
    if not chosen.any():
        return None, None
    first = int(np.argmax(np.where(chosen, shares, -1.0)))
    return names[first], float(shares[first])


def estimate(row: Row | None) -> float | None:
    """What a row tells, where that has an end."""
    return finite(row.estimate) if row else None


def _done(values: Floats) -> Floats:
    return values[np.isfinite(values)]


def percentile(values: Iterable[float] | Sequence[float] | Floats, p: float) -> float | None:
    """Nearest rank: the value number round(p(n−1)/100) of the sorted list."""
    ordered = np.sort(np.fromiter(values, dtype=np.float64))
    return float(ordered[round(p / 100 * (len(ordered) - 1))]) if len(ordered) else None
