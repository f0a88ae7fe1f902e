"""What a replay costs, and the sample that is affordable.

Costs are counted in packets and not in seconds, so that the same capture has the same sample on
every machine.
"""

import dataclasses
from typing import TYPE_CHECKING

from flowstart.captures import server_log
from flowstart.captures.contents import Capture
from flowstart.captures.sampling import SampleSize
from flowstart.captures.stretches import Numbers, Stretches
from flowstart.replays import rate_fit
from flowstart.replays.answer import Questions
from flowstart.replays.runner import OVERHEAD, PACKET_BYTES, Meter
from flowstart.replays.settings import Settings

if TYPE_CHECKING:
    import polars as pl

BUDGET = 4e8
"""Packets that a replay without `--sample` may take: about four minutes of a core of 2023."""
ALTERNATIVES = 7 * 2 * 2
"""Runs with other buffers, rates, queues and windows, under the baseline and the setting that
decides; half of them are repeated, about."""
FEWEST = 100
"""Stretches of a sample, at least: with fewer, intervals are wide."""
FIT_COST = 0.7
"""What it costs to simulate a transfer for a fit, which has one scenario for many rates, as a share
of what it costs in a pass (measured)."""
ROUNDS = 4
"""How often the number of stretches is reduced until they are affordable."""


def work() -> "pl.Expr":
    """What it costs to simulate a transfer of `bytes` once, in packets."""
    import polars as pl

    return OVERHEAD + pl.col("bytes") / PACKET_BYTES


def runs(settings: Settings, questions: Questions) -> int:
    """How many times a replay simulates each transfer, at most."""
    variants = len(settings.compared)
    passes = 2 + (questions.repeats if variants > 1 else 0)
    passes += (questions.rollout is not None) + bool(settings.competing)
    return passes * variants + ALTERNATIVES * questions.buffers + questions.calibrate


def affordable(
    capture: Capture,
    settings: Settings,
    questions: Questions,
    meter: Meter,
    *,
    workers: int | None = None,
) -> Capture:
    """The part of a capture that is replayed, with rates fitted to the durations of a log.

    All of it, if that is affordable or requested. `meter` is told of all that is to be done.
    """
    each = runs(settings, questions)
    share = SampleSize.parse(questions.sample).share if questions.sample else None
    cost = float(capture.transfers.select(work().sum()).item() or 0)
    heads = drawn = capture
    if share != 1.0 and (questions.sample is not None or each * cost > BUDGET):
        stretches = Stretches(capture, work())
        chosen = _chosen(
            stretches, questions.sample, each, settings.seed, fits=_fits(capture, settings)
        )
        if len(chosen) < len(stretches):
            heads, drawn = stretches.heads(chosen, rate_fit.MOST), stretches.drawn(chosen)
    fits = FIT_COST * rate_fit.RUNS * _heads(heads) if _fits(capture, settings) else 0.0
    meter.total = fits + each * drawn.transfers.height
    fit = rate_fit.fitted(
        heads, settings, workers=workers, progress=lambda share: meter.report(share * fits)
    )
    meter.add(fits)
    return dataclasses.replace(drawn, groups=fit.groups, notes=fit.notes)


def _heads(capture: Capture) -> int:
    """How many transfers rates are fitted to, about."""
    import polars as pl

    counts = capture.connections.group_by("network").len()
    return int(counts.select(pl.col("len").clip(upper_bound=rate_fit.MOST).sum()).item())


def _fits(capture: Capture, settings: Settings) -> bool:
    """Whether rates are fitted."""
    unknown = any(group.to_remote.rate_bps is None for group in capture.groups)
    return (
        unknown
        and server_log.is_log(capture)
        and server_log.kind_of(capture).gives_rates
        and not settings.rate
    )


def _chosen(
    stretches: Stretches, sample: str | None, each: int, seed: int, *, fits: bool
) -> Numbers:
    """The stretches to replay."""
    if sample is not None:
        drawn = SampleSize.parse(sample)
        share = drawn.share or (drawn.count or 0) / len(stretches.streams)
        return stretches.draw(min(max(round(share * len(stretches)), 1), len(stretches)), seed)
    least = min(FEWEST, len(stretches))
    number = max(int(len(stretches) * BUDGET / (each * stretches.work)), least)
    for _ in range(ROUNDS):
        # Fits and what runs next to stretches do not grow with the number of stretches alone.
        chosen = stretches.draw(number, seed)
        cost = each * stretches.cost(*stretches.rows(chosen))
        if fits:
            fitted = stretches.first_rows(chosen, rate_fit.MOST)
            cost += FIT_COST * rate_fit.RUNS * stretches.cost(fitted)
        if cost <= BUDGET:
            break
        number = max(int(number * BUDGET / cost), least)
    return stretches.draw(number, seed)
