"""Bottleneck rates for a server's log, fitted to the durations of its transfers.

A log has no packets: of a transfer it has the size, the round trip and the duration, most of which
may be startup. So the simulator replays a network's transfers as recorded at one rate after
another. The rate is that at which its times agree best with the log's; the buffer is unknown as
well, so each rate is judged with the buffer that suits it best.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from flowstart import text
from flowstart.captures import server_log
from flowstart.captures.contents import Capture, RemoteNetwork
from flowstart.captures.durations import DurationKind
from flowstart.errors import SimulationError
from flowstart.model import quantities
from flowstart.model.document import Document, encode
from flowstart.replays.paths import ReplayPath, path_of
from flowstart.replays.runner import OVERHEAD, PACKET_BYTES, TOGETHER, job
from flowstart.replays.settings import Settings
from flowstart.replays.traffic import Section, Traffic, conversations
from flowstart.simulation import frames
from flowstart.simulation.batch import run_many

Floats = NDArray[np.float64]

FEWEST_TO_COMPARE = 30
"""With fewer transfers, durations are taken to have the first span of their kind."""


def best(kind: DurationKind, simulated_s: Floats, recorded_s: Floats, rtt_s: Floats) -> float:
    """The span with which most simulated times, of the data alone, agree with the recorded ones."""
    if len(recorded_s) < FEWEST_TO_COMPARE or not kind.gives_rates:
        return next(iter(kind.spans), 0.0)

    def difference(span: float) -> float:
        times_s = np.maximum(simulated_s + span * rtt_s, 1e-6)
        return float(np.abs(np.log(times_s / recorded_s)).mean())

    return min(kind.spans, key=difference)


BUFFERS = (0.25, 0.5, 1.0, 3.0)
"""Buffers that are tried, as multiples of a BDP of at least 40 packets."""
LEAST_BUFFER, PACKET_BITS = 40, 12_000
COARSE, UPWARD, HIGHEST = 2.0, 6, 18
"""The first rates that are tried: their ratio, and how many at once and at most."""
FINER = ((1.08, 5), (1.025, 3))
"""Those around the best so far: their ratio, and how many to both sides."""
BETWEEN = 6
"""Into so many steps the times of two neighbours are interpolated."""
START = 0.8
"""Of the fastest transfers' bytes over duration: rates begin there."""
MOST, LEAST, MOST_BYTES = 100, 20, 20_000_000
"""Transfers of a network that are replayed: at most, and at least however large they are."""
ELSEWHERE = '"elsewhere"'
"""Stands for the path in the text of a scenario, of which only the path differs."""
FEWEST = 10
"""With fewer transfers no rate counts as known."""
PRECISION = 0.01
"""Times that agree so closely are taken for equal: clocks and round trips are no better."""
RUNS = len(BUFFERS) * (2 * UPWARD + sum(2 * around + 1 for _, around in FINER))
"""How many times each transfer of a network is simulated, about."""
CAP = 1.0
"""No transfer counts more than one whose log time is off by this."""
DRAWS, SIGNIFICANCE, EQUAL = 200, 0.025, 1e-9
"""Resamples; a rate is outside of the interval where it agrees less well than the best one in all
but this share of them; sums of differences that are equal."""
MODEL = 0.0025
"""Rates agree equally well where mean differences of log times differ by less. Fitted: with it,
intervals contain the rate of 101 of 102 simulated networks, and of 36 of 36 to which it was not
fitted; without it, of 30 of 42."""
KNOWN, POOR = 1.5, 0.1
"""A rate is measured where the ends of its interval have at most this ratio. Where times disagree
by more in the median, durations are not what the simulator models, and the rate is unknown."""


def fitted(
    capture: Capture,
    settings: Settings,
    *,
    workers: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Capture:
    """The capture with rates for the networks of which a log has durations and no rates.

    A rate is measured, bounded or unknown: with an interval within a factor, with one that is wider
    or has one end only, or with none. The two latter are assumed. Others are returned as they are.
    `progress` is told of the share that is done.
    """
    wanted = [group for group in capture.groups if group.to_remote.rate_bps is None]
    if not server_log.is_log(capture) or settings.rate or not wanted:
        return capture
    kind = server_log.kind_of(capture)
    if not kind.gives_rates:
        rates = _throughputs(capture)
        groups = [_with_throughput(group, rates) for group in capture.groups]
        return dataclasses.replace(capture, groups=groups)
    as_recorded = settings.as_recorded()
    sections = Traffic.of(capture, as_recorded, {}).by_network()
    networks = [
        _Network(group, sections[group.network], kind, as_recorded)
        for group in wanted
        if group.network in sections
    ]
    networks = [network for network in networks if network.counted.any()]
    meter = _Meter(progress, 2 * sum(network.work for network in networks))
    for network in networks:
        network.search(workers)
        meter.add(network.work)
    span, fits = _span(kind, networks), {}
    for network in networks:
        fits[network.group.network] = network.fit(span, workers)
        meter.add(network.work)
    groups = [_with_rate(group, fits) for group in capture.groups]
    notes = [note for note in capture.notes if note != server_log.NO_RATES]
    if fits:
        notes.append(f"durations agree best with times {kind.spans[span]}")
    return dataclasses.replace(capture, groups=groups, notes=notes)


@dataclass
class _Meter:
    """How far the fits have come."""

    progress: Callable[[float], object] | None
    total: float
    done: float = 0.0

    def add(self, work: float) -> None:
        """Counts some work as done, and reports the share that is."""
        self.done += work
        if self.progress:
            self.progress(self.done / self.total)


@dataclass(frozen=True)
class RateFit:
    """The rate of a network's bottleneck, from the durations of its transfers."""

    rate_bps: float
    low_bps: float
    high_bps: float | None
    """The 95 % interval; no high end where no rate that was tried is too high."""
    transfers: int
    error: float
    """The median relative difference between simulated and recorded times."""

    @property
    def bounded(self) -> bool:
        """Whether the interval means anything."""
        return self.transfers >= FEWEST and self.error <= POOR

    @property
    def known(self) -> bool:
        """Whether the rate is measured."""
        return self.bounded and self.high_bps is not None and self.high_bps <= KNOWN * self.low_bps

    @property
    def text(self) -> str:
        """What was found, in words."""
        high = "more" if self.high_bps is None else text.rate(self.high_bps)
        interval = f"{text.rate(self.low_bps)} to {high}, " if self.bounded else ""
        return (
            f"fitted to the durations of {self.transfers} transfers, {interval}"
            f"median error {self.error:.1%}"
        )


LARGEST = 0.9
"""The responses whose throughput is assumed as a rate: those from this quantile of sizes on."""


def _throughputs(capture: Capture) -> dict[str, float]:
    """Bytes over duration of the largest responses of each network, in bits a second.

    It is no bound of the path's rate where durations end in the send buffer.
    """
    import polars as pl

    connections = capture.connections.select("network", connection="stream")
    rows = capture.transfers.filter(pl.col("end_s") > 0).join(connections, on="connection")
    largest = pl.col("bytes") >= pl.col("bytes").quantile(LARGEST)
    sums = pl.col("bytes", "end_s").filter(largest).sum()
    rates = rows.group_by("network").agg(sums)
    return dict(rates.select("network", 8.0 * pl.col("bytes") / pl.col("end_s")).iter_rows())


def _with_throughput(group: RemoteNetwork, rates: dict[str, float]) -> RemoteNetwork:
    """A group without a rate with its throughput in the place of it, as an assumption."""
    way = group.to_remote
    if way.rate_bps is not None or group.network not in rates:
        return group
    rate = max(rates[group.network], way.rate_low_bps or 0.0)
    least = f", at least {text.rate(way.rate_low_bps)}" if way.rate_low_bps else ""
    method = f"unknown{least}, assumed the throughput of the largest responses: {way.rate_method}"
    way = dataclasses.replace(way, rate_bps=rate, rate_method=method, rate_assumed=True)
    return dataclasses.replace(group, to_remote=way)


def _with_rate(group: RemoteNetwork, fits: dict[str, RateFit]) -> RemoteNetwork:
    """A group with the rate that was found, or with one that is assumed."""
    fit = fits.get(group.network)
    if fit is None:
        return group
    rate, method = fit.rate_bps, fit.text
    if not fit.known:
        known = [other.rate_bps for other in fits.values() if other.known]
        assumed = "what fits best"
        if fit.high_bps is None and known:
            rate = max(median(known), fit.low_bps)
            assumed = "the median of the other networks', but no less than fits"
        method = f"unknown, assumed {assumed}: {method}"
    way = dataclasses.replace(
        group.to_remote,
        rate_bps=rate,
        rate_method=method,
        rate_low_bps=fit.low_bps if fit.bounded else None,
        rate_high_bps=fit.high_bps if fit.bounded else None,
        rate_assumed=not fit.known,
    )
    return dataclasses.replace(group, to_remote=way)


def _span(kind: DurationKind, networks: Sequence["_Network"]) -> float:
    """What the log's durations span: that with which all networks together agree best."""
    if sum(network.counted.sum() for network in networks) < FEWEST_TO_COMPARE:
        return next(iter(kind.spans))
    return min(kind.spans, key=lambda span: sum(network.best(span)[1] for network in networks))


class _Network:
    """The first transfers of a network, and their simulated times at rates and buffers."""

    def __init__(
        self, group: RemoteNetwork, section: Section, kind: DurationKind, settings: Settings
    ) -> None:
        import polars as pl

        self.group, self.kind, self.settings = group, kind, settings
        part = _first(section.traffic)
        self.path = path_of({"rate": "1Mbps"}, settings, part)
        replayed = ReplayPath(group.network, self.path, "", "", section)
        run = job(replayed, settings.recorded, TOGETHER, conversations(part), settings)
        self.text = encode(run.scenario | {"path": "elsewhere"})
        labels = pl.DataFrame(vars(run.labels)).select("flow", "write", "transfer", "connection")
        rows = (
            labels.join(part.transfers.drop("connection"), on="transfer")
            .join(part.connections.select("connection", "least_rtt_s"), on="connection")
            .sort("flow", "write")
        )
        self.recorded_s = (rows["end_s"] - rows["start_s"]).to_numpy()
        self.rtts_s = rows["least_rtt_s"].to_numpy()
        self.bits = 8.0 * rows["bytes"].to_numpy()
        self.counted = self.recorded_s > 0
        self.rates: Floats = np.empty(0)
        self.times_s: Floats = np.empty((len(BUFFERS), 0, len(rows)))
        """Simulated times: buffers × rates × transfers."""

    @property
    def work(self) -> float:
        """What it costs to simulate the transfers once, in packets."""
        return float((OVERHEAD + self.bits / (8 * PACKET_BYTES)).sum())

    @property
    def seen_bps(self) -> float:
        """Bytes over duration of the fastest transfers.

        The path has at least that, since the bytes have left it when such a duration ends.
        """
        return float(np.quantile(self.bits[self.counted] / self.recorded_s[self.counted], 0.9))

    def search(self, workers: int | None) -> None:
        """Simulates the transfers at rates far apart, upward until none agrees better."""
        first = START * self.seen_bps
        for begin in range(0, HIGHEST, UPWARD):
            steps = range(begin, begin + UPWARD)
            self._run([first * COARSE**step for step in steps], workers)
            if max(self.best(span)[0] for span in self.kind.spans) < self.rates[-UPWARD // 2]:
                break

    def fit(self, span: float, workers: int | None) -> RateFit:
        """The rate that agrees best, once those around the best so far have been simulated."""
        for ratio, around in FINER:
            middle = self.best(span)[0]
            self._run([middle * ratio**step for step in range(-around, around + 1)], workers)
        rates, off = self._off(span)
        costs = _costs(off)
        number = costs.shape[-1]
        draws = np.random.default_rng(self.settings.seed).multinomial(
            number, np.full(number, 1 / number), size=DRAWS
        )
        totals = (costs @ draws.T).min(axis=0)
        total = costs.sum(axis=-1).min(axis=0)
        more = np.quantile(totals - totals[np.argmin(total)], SIGNIFICANCE, axis=1)
        accepted = np.flatnonzero(more <= MODEL * number + EQUAL)
        ends = accepted[0] - 1, accepted[-1] + 1  # the first that are not
        fits = rates[total <= total.min() + EQUAL]
        best = np.unravel_index(np.argmin(costs.sum(axis=-1)), costs.shape[:2])
        return RateFit(
            rate_bps=float(np.sqrt(fits[0] * fits[-1])),
            low_bps=float(rates[max(ends[0], 0)]),
            high_bps=float(rates[ends[1]]) if ends[1] < len(rates) else None,
            transfers=number,
            error=float(np.median(np.abs(off[best]))),
        )

    def best(self, span: float) -> tuple[float, float]:
        """The rate with the smallest sum of differences, and that sum."""
        rates, off = self._off(span)
        total = _costs(off).sum(axis=-1).min(axis=0)
        return float(rates[np.argmin(total)]), float(total.min())

    def _run(self, rates: Sequence[float], workers: int | None) -> None:
        """Simulates the transfers at each of these rates with every buffer."""
        paths = [self._at(rate, factor) for factor in BUFFERS for rate in rates]
        begin, end = self.text.split(ELSEWHERE)
        scenarios = [f"{begin}{encode(path)}{end}" for path in paths]
        batch = run_many(scenarios, workers, None, self.settings.custom)
        if batch["interrupted"]:
            raise KeyboardInterrupt
        for run in frames.rows(batch["runs"]):
            if run["error"]:
                raise SimulationError(f"{self.group.network}: {run['error']}")
        transfers = frames.frame(batch["transfers"]).sort("run", "flow", "transfer")
        lasts_s = (transfers["acked_s"] - transfers["sent_s"]).to_numpy()
        times_s = lasts_s.reshape(len(BUFFERS), len(rates), -1)
        both = np.append(self.rates, rates)
        order = np.argsort(both)
        self.rates = both[order]
        self.times_s = np.concatenate([self.times_s, times_s], axis=1)[:, order]

    def _at(self, rate: float, factor: float) -> Document:
        """The path at a rate, with a buffer unless one is given."""
        rtt_s = quantities.read_seconds(self.path["rtt"]) or 0.0
        bdp = max(rate * rtt_s / PACKET_BITS, LEAST_BUFFER)
        buffer = self.settings.buffer or f"{max(round(factor * bdp), 1)}pkt"
        written = f"{rate:.0f}bps"
        return self.path | {"rate": written, "reverse_rate": written, "buffer": buffer}

    def _off(self, span: float) -> tuple[Floats, Floats]:
        """Rates, finely spaced, and by how much log times differ: buffers × rates × transfers."""
        times_s = self.times_s[..., self.counted] + span * self.rtts_s[self.counted]
        off = np.log(np.maximum(times_s, 1e-6) / self.recorded_s[self.counted])
        at = np.linspace(0, len(self.rates) - 1, BETWEEN * (len(self.rates) - 1) + 1)
        below = np.minimum(at.astype(np.int64), len(self.rates) - 2)
        part = at - below
        rates = self.rates[below] * (self.rates[below + 1] / self.rates[below]) ** part
        return rates, off[:, below] + part[:, None] * (off[:, below + 1] - off[:, below])


def _costs(off: Floats) -> Floats:
    """What differences count; a transfer that is not done is as far off as can be."""
    return np.nan_to_num(np.clip(np.abs(off) - PRECISION, 0, CAP), nan=CAP)


def _first(traffic: Traffic) -> Traffic:
    """As many of the first connections as are replayed."""
    import polars as pl

    sizes = traffic.transfers.group_by("connection").agg(moved=pl.col("bytes").sum())
    ordered = traffic.connections.join(sizes, on="connection", maintain_order="left")
    count, moved = pl.col("transfers").cum_sum(), pl.col("moved").cum_sum()
    wanted = ((count <= MOST) & (moved <= MOST_BYTES)) | (count <= LEAST)
    kept = ordered.filter(wanted) if ordered.select(wanted.any()).item() else ordered.head(1)
    transfers = traffic.transfers.join(kept.select("connection"), on="connection", how="semi")
    return Traffic(kept.drop("moved"), transfers)
