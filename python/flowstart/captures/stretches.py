"""A sample of a capture that keeps the competition on each path.

What is drawn are stretches: consecutive connections of one network, with about `TRANSFERS`
transfers. A small network is one stretch, a large one has many. Each stretch has the same
probability, so each transfer has it, and statistics of the sample need no weights. Stretches are
drawn systematically (Cochran 1977, chapter 8): sorted by the network's round trip and the mean size
of transfers, every n-th is taken. So each class of both has its share.

Connections of the same network that were open at the same time come along. They are replayed, and
do not count.
"""

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from flowstart.captures.contents import Capture
from flowstart.captures.sampling import Sampled
from flowstart.captures.summary import least_rtt_s

if TYPE_CHECKING:
    import polars as pl

Numbers = NDArray[np.int64]

TRANSFERS = 50
"""Transfers of a stretch, about. More would keep more of the competition; fewer show more
networks, whose differences are the larger part of an interval."""
RTTS_S = (0.01, 0.02, 0.04, 0.08, 0.16)
"""Between classes of round trips."""


class Stretches:
    """The stretches of a capture."""

    def __init__(self, capture: Capture, work: "pl.Expr") -> None:
        """`work` is what it costs to simulate a transfer, from its `bytes`."""
        import polars as pl

        self.capture = capture
        known = capture.connections.with_columns(least_rtt_s=least_rtt_s())
        self.known = known.select("stream", "least_rtt_s")
        rows = _by_stretch(known, capture.transfers, work)
        self.streams = rows["stream"].to_numpy()
        self.works = rows["work"].to_numpy().astype(np.float64)
        self.counts = rows["count"].to_numpy().astype(np.int64)
        self.starts = rows["start"].to_numpy()
        self.ends = self.starts + rows["end_s"].fill_null(0.0).to_numpy()
        networks = rows["network"].rle_id().to_numpy().astype(np.int64)
        self.first = _firsts(rows["stretch"].to_numpy())
        self.of_network = _firsts(networks)
        self.network = networks[self.first[:-1]]
        self.rtts_s = dict(rows.select("network", "rtt_s").unique().iter_rows())
        means = rows.group_by("stretch", maintain_order=True).agg(
            pl.col("rtt_s").first(), size=pl.col("bytes").sum() / pl.col("count").sum()
        )
        classes = np.searchsorted(RTTS_S, means["rtt_s"].to_numpy())
        self.order = np.lexsort((means["size"].to_numpy(), classes))

    def __len__(self) -> int:
        return len(self.order)

    @property
    def work(self) -> float:
        """What all connections cost."""
        return float(self.works.sum())

    def draw(self, number: int, seed: int) -> Numbers:
        """This many stretches, each with the same probability."""
        start = np.random.default_rng(seed).uniform()
        places = np.floor((np.arange(number) + start) * len(self) / number)
        return np.sort(self.order[places.astype(np.int64)])

    def rows(self, chosen: Numbers) -> tuple[Numbers, Numbers]:
        """The connections of stretches and their stretches; and those open at the same time."""
        counted = [np.arange(self.first[stretch], self.first[stretch + 1]) for stretch in chosen]
        beside = [self._beside(rows) for rows in counted]
        inside = np.concatenate(counted)
        return inside, np.setdiff1d(np.concatenate(beside), inside)

    def _beside(self, rows: Numbers) -> Numbers:
        """The connections of the network that overlap with consecutive ones."""
        number = np.searchsorted(self.of_network, rows[0], "right") - 1
        first, behind = self.of_network[number], self.of_network[number + 1]
        begin, end = self.starts[rows[0]], self.ends[rows].max()
        before = first + np.flatnonzero(self.ends[first : rows[0]] > begin)
        after = rows[-1] + 1 + np.searchsorted(self.starts[rows[-1] + 1 : behind], end)
        return np.concatenate([before, np.arange(rows[-1] + 1, after)])

    def drawn(self, chosen: Numbers) -> Capture:
        """The capture with the connections of some stretches, and what ran next to them."""
        import polars as pl

        inside, beside = self.rows(chosen)
        stretch = np.repeat(chosen, np.diff(self.first)[chosen])
        clusters = pl.DataFrame({"connection": self.streams[inside], "cluster": stretch})
        of = Sampled(
            clusters.cast(pl.Int64),
            self.rtts_s,
            (len(np.unique(self.network[chosen])), len(self.of_network) - 1),
            (int(self.counts[inside].sum()), int(self.counts.sum())),
        )
        kept = self._only(np.concatenate([inside, beside]))
        return dataclasses.replace(kept, drawn=of)

    def cost(self, *rows: Numbers) -> float:
        """What connections cost."""
        return float(sum(self.works[some].sum() for some in rows))

    def heads(self, chosen: Numbers, most: int) -> Capture:
        """The capture with the first connections of the networks that stretches are of."""
        return self._only(self.first_rows(chosen, most))

    def first_rows(self, chosen: Numbers, most: int) -> Numbers:
        """These connections."""
        networks = np.unique(self.network[chosen])
        begins, ends = self.of_network[networks], self.of_network[networks + 1]
        rows = [np.arange(a, min(a + most, b)) for a, b in zip(begins, ends, strict=True)]
        return np.concatenate(rows)

    def _only(self, rows: Numbers) -> Capture:
        import polars as pl

        capture, numbers = self.capture, pl.DataFrame({"stream": self.streams[rows]})
        connections = capture.connections.join(numbers, on="stream", how="semi")
        known = connections.join(self.known, on="stream", maintain_order="left")
        return dataclasses.replace(
            capture,
            # That of a host, which few of its connections do not show.
            connections=known.with_columns(rtt_s="least_rtt_s").drop("least_rtt_s"),
            transfers=capture.transfers.join(
                numbers, left_on="connection", right_on="stream", how="semi"
            ),
        )


def _by_stretch(
    connections: "pl.DataFrame", transfers: "pl.DataFrame", work: "pl.Expr"
) -> "pl.DataFrame":
    """The connections that have transfers by network and start, with the number of their stretch.

    The stretches of a network have about the same number of transfers.
    """
    import polars as pl

    of = transfers.group_by("connection").agg(
        pl.len().alias("count"), work.sum().alias("work"), pl.col("bytes").log().sum()
    )
    rows = connections.select("stream", "network", "start", "end_s", rtt_s="least_rtt_s")
    rows = rows.join(of, left_on="stream", right_on="connection").sort("network", "start", "stream")
    count, total = pl.col("count"), pl.col("count").sum()
    before, pieces = count.cum_sum() - count, (total / TRANSFERS).ceil()
    rows = rows.with_columns(
        place=(before * pieces / total).floor().over("network"),
        rtt_s=pl.col("rtt_s").min().over("network").fill_null(0.0),
    )
    return rows.with_columns(stretch=pl.struct("network", "place").rle_id().cast(pl.Int64))


def _firsts(numbers: Numbers) -> Numbers:
    """Where each number of a rising sequence begins, and where the last one ends."""
    return np.append(np.flatnonzero(np.diff(numbers, prepend=-1)), len(numbers))
