"""Figures 1, 2 and 4: one transfer by size, many that contend, and a web load."""

from dataclasses import replace
from statistics import fmean, median
from typing import Any

import numpy as np
import polars as pl

from flowstart.model.document import Document
from flowstart_papers import published
from flowstart_papers.bootstrap import bootstrap_interval, sums_interval
from flowstart_papers.experiment import Findings, experiment, table
from flowstart_papers.frames import by_case, cell, gain, grid, versus
from flowstart_papers.jump_start import measures, setups
from flowstart_papers.jump_start.setups import BOTH, JUMP_START, NAMES, SLOW_START
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, lines, panel
from flowstart_papers.target import Measured

number = published.of("flowstart_papers.jump_start").number

# Figure 1.

SIZES = (1, 2, 4, 8, 16, 32, 64)
NEXT = 128
"""Where the footnote says that slow start is faster."""
FINE = range(1, 129)
TEETH = (3, 9, 10, 21, 22, 45, 46)
PACKETS = Axis("transfer size (packets)", "log", ticks=(*SIZES, NEXT))
GAIN = Axis("gain in duration (%)")
PRINTED: dict[str, Any] = {
    "published": {"Jump Start": ((1,), (0,))},
    "level": {"printed: from 10 %": 10, "to 40+ %": 40, "as slow start": 0},
}


def transfers(flows: pl.DataFrame) -> pl.DataFrame:
    """Jump Start beside slow start, by size."""
    return versus(flows, SLOW_START, ["packets"]).with_columns(gain("duration_s"))


def figure1(flows: pl.DataFrame) -> Findings:
    """What the paper prints of the figure."""
    found = transfers(flows)
    after = cell(found, "gain", packets=NEXT)
    shown = found.filter(pl.col("packets") <= max(SIZES))
    dropped = int(np.sum(shown.select("packets_dropped", "packets_dropped_base").to_numpy()))
    return Findings(
        values=found,
        measured={"js.f1.nodrop": dropped, "js.f1.next": Measured(after, holds=after < 0)},
    )


@experiment("JS-F1", "Fig. 1", quick=True)
def js_f1(lab: Lab) -> Findings:
    """How much faster is a transfer that is sent whole in the first round trip?"""
    cases = grid(packets=(*SIZES, NEXT), startup=BOTH)
    findings = figure1(flows := lab.frame(setups.single, cases, measures.transfer))
    found = transfers(flows)
    larger = found.filter(pl.col("packets").is_between(4, 64))["gain"].to_list()
    return replace(
        findings,
        answers=[
            f"From 4 to 64 packets Jump Start is {min(larger):.1f} to {max(larger):.1f} % faster; "
            f"at two packets pacing costs {-cell(found, 'gain', packets=2):.1f} %.",
            f"At {NEXT} packets it drops {cell(found, 'packets_dropped', packets=NEXT)}, and takes "
            f"{-cell(found, 'gain', packets=NEXT):.0f} % longer.",
        ],
        tables=[table("figure1", "Durations from the first SYN to the last ACK", found, {
            "packets": "packets", "duration_s_base": "slow start, s", "duration_s": "Jump Start, s",
            "gain": "gain, %", "packets_dropped": "dropped"})],
        pictures=[lines(
            "figure1",
            "Gain of Jump Start over slow start by size. Ring: published; between the dashed "
            "lines: what the paper prints from 4 packets on",
            panel(found.head(len(SIZES)), ("packets", replace(PACKETS, ticks=SIZES)),
                  ("gain", GAIN), name="Jump Start", **PRINTED))],
    )  # fmt: skip


@experiment("JS-F1s", "Fig. 1", quick=True)
def js_f1s(lab: Lab) -> Findings:
    """What does the figure look like between its powers of two?"""
    cases = grid(packets=FINE, startup=BOTH)
    found = transfers(lab.frame(setups.single, cases, measures.transfer))
    first = min(found.filter(pl.col("packets_dropped") > 0)["packets"])
    between = found.filter(pl.col("packets").is_between(3, 63)).sort("gain")
    (least, low), *_, (most, high) = between.select("packets", "gain").rows()
    return Findings(
        values=found,
        measured={"js.f1.firstdrop": first},
        answers=[
            f"Between 3 and 63 packets the gain goes from {low:.1f} % at {least} to {high:.1f} % "
            f"at {most}: the paper's 10 to 40+ % is that of powers of two. The curve is a saw, "
            f"which jumps where slow start needs a round more, until the first loss at {first} "
            "packets.",
        ],
        tables=[table("figure1_sizes", "Both sides of the teeth",
                      found.filter(pl.col("packets").is_in(TEETH)).select("packets", "gain"))],
        pictures=[lines("figure1_sizes", "Gain of Jump Start at every size", panel(
            found, ("packets", PACKETS), ("gain", GAIN), name="Jump Start", marks=False,
            **PRINTED))],
    )  # fmt: skip


# Figure 2.

INTERVALS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25, 1.5, 2.0)
"""In seconds; the paper's text names none but 1 s."""
STARTS = [{"jitter": "0ms", "seed": 1}, *grid(jitter=["10ms"], seed=range(1, 21))]
"""The paper's are periodic, and have one run; others are up to 10 ms late."""
FREE = (1.0, 1.5, 2.0)
CROWDED_TIME = (0.05, 0.1, 0.2, 0.25)
CROWDED_LOSS = (0.05, 0.1, 0.2, 0.25, 0.3)
FAR_APART = 2.0
SETTLED = 0.25
"""How far a median may be from that of connections far apart that do not contend."""
APART = ("interval", Axis("interval between starts (s)", limits=(0, 2.6)))
KINDS = {"0ms": "periodic starts", "10ms": "starts up to 10 ms late, mean"}


def crowd(startup: str, interval: float, seed: int = 1, **fields: Any) -> Document:
    """Connections that start at an interval in seconds."""
    return setups.contention(f"{interval}s", startup, seed, **fields)


def crowds(flows: pl.DataFrame) -> pl.DataFrame:
    """Jump Start beside slow start, by interval: means over the starts."""
    pairs = versus(flows, SLOW_START, ["interval", "jitter", "seed"])
    names = ("median_s", "loss", "dropped", "timeouts")
    columns = [name + end for name in names for end in ("", "_base")]
    gains = gain("median_s")
    return pairs.group_by(["jitter", "interval"], maintain_order=True).agg(
        pl.col(columns).mean(),
        gains.mean(),
        gains.max().alias("most"),
        times=1 - gains.mean() / 100,
        ratio=pl.when(pl.col("loss_base").mean() > 0)
        .then(pl.col("loss").mean() / pl.col("loss_base").mean())
        .otherwise(float("inf")),
    )


def knee(found: pl.DataFrame) -> float:
    """From which interval on both medians stay near those of connections far apart."""
    off = [
        (pl.col(name) / cell(found, name, interval=FAR_APART) - 1).abs() > SETTLED
        for name in ("median_s", "median_s_base")
    ]
    last = found.filter(off[0] | off[1])["interval"].max() or 0.0
    return float(min(found.filter(pl.col("interval") > last)["interval"]))


def figure2a(found: pl.DataFrame) -> Findings:
    """What the paper prints of figure 2a."""
    crowded = found.filter(pl.col("interval").is_in(CROWDED_TIME))
    gains = {f"{s:g} s": value for s, value in crowded.select("interval", "gain").rows()}
    return Findings(
        measured={
            "js.f2.free.time": fmean(found.filter(pl.col("interval").is_in(FREE))["gain"]),
            "js.f2.cont.time": Measured(gains, holds=bool((crowded["most"] < 0).all())),
            "js.f2.knee": knee(found),
        }
    )


def figure2b(found: pl.DataFrame) -> Findings:
    """What the paper prints of figure 2b."""
    apart = cell(found, "ratio", interval=FAR_APART)
    crowded = found.filter(pl.col("interval").is_in(CROWDED_LOSS))["ratio"].to_list()
    lossless = apart == float("inf")
    return Findings(
        measured={
            "js.f2.free.ratio": "slow start loses nothing" if lossless else apart,
            "js.f2.cont.ratio": crowded,
        }
    )


def _crowds(lab: Lab) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Every run, and the comparison."""
    cases = [
        {**start, **each} for start in STARTS for each in grid(interval=INTERVALS, startup=BOTH)
    ]
    flows = lab.frame(crowd, cases, measures.crowd)
    return flows, crowds(flows)


def _by_startup(flows: pl.DataFrame, column: str) -> pl.DataFrame:
    """A value by startup: the periodic starts', and the least and the largest of the late ones."""
    key, late = ["startup", "interval"], flows.filter(pl.col("jitter") != "0ms")
    bounds = late.group_by(key).agg(
        pl.col(column).min().alias(f"{column}_low"), pl.col(column).max().alias(f"{column}_high")
    )
    periodic = flows.filter(pl.col("jitter") == "0ms").sort("startup", descending=True)
    return periodic.join(bounds, on=key, maintain_order="left").with_columns(
        pl.col("startup").replace(NAMES)
    )


@experiment("JS-F2a", "Fig. 2a")
def js_f2a(lab: Lab) -> Findings:
    """How long do 200 connections take that start at an interval, all of one kind?"""
    flows, found = _crowds(lab)
    exact, late = (found.filter(jitter=jitter) for jitter in KINDS)
    apart = exact.row(-1, named=True)
    moved = (late["gain"] - exact["gain"]).abs()
    printed = [1 - number("js.f2.free.time") / 100] * 4
    both = exact.join(late.select("interval", late_gain="gain"), on="interval")
    return replace(
        figure2a(exact),
        answers=[
            f"From {knee(exact):g} s on the interval no longer matters. Then Jump Start takes "
            f"{-apart['gain']:.0f} % longer, where the paper has {number('js.f2.free.time'):g} % "
            f"less: its connections wait for the timer ({apart['timeouts']:.1f} timeouts each), "
            f"and slow start's do not ({apart['timeouts_base']:.1f}).",
            f"Starts up to 10 ms late move the gain by at most {moved.max():.0f} points on "
            "average.",
        ],
        tables=[table("figure2a", "Median durations", both, {
            "interval": "interval, s", "median_s_base": "slow start, s",
            "median_s": "Jump Start, s",
            "gain": "gain, %", "late_gain": "gain with late starts, %"})],
        pictures=[lines(
            "figure2a",
            "Left: median duration by interval between starts (lines: periodic starts; bands: all "
            "draws of starts up to 10 ms late). Right: Jump Start's over slow start's; rings: the "
            f"{number('js.f2.free.time'):g} % less that the paper prints from 1 s on",
            panel(_by_startup(flows, "median_s"), APART,
                  ("median_s", Axis("median duration (s)", "log")), "startup"),
            panel(found.with_columns(pl.col("jitter").replace(KINDS)), APART,
                  ("times", Axis("median duration, Jump Start / slow start", "log", (0.5, 10))),
                  "jitter", published={KINDS["0ms"]: (INTERVALS[-4:], printed)},
                  level={"as slow start": 1}))],
    )  # fmt: skip


@experiment("JS-F2b", "Fig. 2b")
def js_f2b(lab: Lab) -> Findings:
    """How much do they lose?"""
    flows, found = _crowds(lab)
    exact = found.filter(jitter="0ms")
    apart = exact.row(-1, named=True)
    findings = figure2b(exact)
    dropped = {"js.f2.free.ssdrop": apart["dropped_base"], "js.f2.free.jsdrop": apart["dropped"]}
    rings = [number("js.f2.cont.ratio")] * 5 + [number("js.f2.free.ratio")] * 4
    return replace(
        findings,
        measured={**findings.measured, **dropped},
        answers=[
            f"Without contention a Jump Start connection drops {apart['dropped']:.0f} packets and "
            f"one in slow start {apart['dropped_base']:.0f}: a loss rate {apart['ratio']:.1f} "
            "times as high (paper: over four times).",
        ],
        tables=[table("figure2b", "Drops per packet sent", exact, {
            "interval": "interval, s", "loss_base": "slow start", "loss": "Jump Start",
            "ratio": "ratio"})],
        pictures=[lines(
            "figure2b",
            "Left: loss rate by interval between starts (lines: periodic starts; bands: all draws "
            "of starts up to 10 ms late). Right: how many times slow start's; rings: roughly twice "
            "under contention, over four times without, as the paper prints",
            panel(_by_startup(flows, "loss"), APART,
                  ("loss", Axis("packets dropped per packet sent", limits=(0, None))), "startup"),
            panel(found.with_columns(pl.col("jitter").replace(KINDS)), APART,
                  ("ratio", Axis("loss rate, Jump Start / slow start", limits=(0, None))),
                  "jitter", published={KINDS["0ms"]: ((*CROWDED_LOSS, *INTERVALS[-4:]), rings)}))],
    )  # fmt: skip


# Figure 4.

DRAWS = range(1, 121)
CLASSES = (4, 10, 22, 46, 88)
"""Sizes from which on slow start needs a round more; the last one overflows the queue."""
AHEAD = 50
"""Packets of the paper's thought experiment: half of 100 get through at once."""
SHARE = Axis("share of connections", limits=(0, 1))


def webs(flows: pl.DataFrame) -> pl.DataFrame:
    """Jump Start beside slow start, a row for each draw of the load."""
    return versus(flows, SLOW_START, ["seed"]).with_columns(
        ratio=pl.col("p25_s_base") / pl.col("p25_s"), more=pl.col("free") - pl.col("free_base")
    )


def figure4a(draws: pl.DataFrame) -> Findings:
    """What the paper prints of figure 4a."""
    p25, seeds = fmean(ratios := draws["ratio"].to_list()), len(draws)
    around = bootstrap_interval(ratios)
    # Few connections of a draw take so long: all draws count together.
    longer = draws.select("late_base", "late").rows()
    tail = sum(draws["late"]) / sum(draws["late_base"])
    tail_around = sums_interval(longer, lambda sums: sums[1] / sums[0])
    return Findings(
        measured={
            "js.f4.p25": Measured(p25, interval=around, seeds=seeds),
            "js.f4.short": Measured(p25, around[0] > 1, around, seeds),
            "js.f4.tail": Measured(tail, 1 / 1.3 <= tail <= 1.3, tail_around, seeds),
        }
    )


def figure4b(draws: pl.DataFrame) -> Findings:
    """What the paper prints of figure 4b."""
    more, seeds = draws["more"].to_list(), len(draws)
    # A draw may have no connection that loses: losses and their number count over all draws.
    sums = draws.select("losses_base", "lossy_base", "losses", "lossy")

    def ratio(of: Any) -> Any:
        return of[2] / of[3] / (of[0] / of[1])

    mean = fmean(more)
    return Findings(
        measured={
            "js.f4.lossfree": Measured(mean, mean > 0, bootstrap_interval(more), seeds),
            "js.f4.lossratio": Measured(
                float(ratio(sums.to_numpy().sum(axis=0))),
                interval=sums_interval(sums.rows(), ratio),
                seeds=seeds,
            ),
        }
    )


def _draws(lab: Lab) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Every response of every draw, by startup, and the comparison of the draws."""
    cases = grid(seed=DRAWS, startup=BOTH)
    every = lab.frame(setups.web, cases, measures.responses)
    return every, webs(lab.frame(setups.web, cases, measures.web))


def _distribution(every: pl.DataFrame, column: str) -> pl.DataFrame:
    """The quantiles of a value over all draws together, by startup."""
    shares = np.linspace(0, 1, 401)
    return pl.concat(
        pl.DataFrame(
            {
                "startup": NAMES[startup],
                "share": shares,
                column: np.quantile(every.filter(startup=startup)[column].to_numpy(), shares),
            }
        )
        for startup in BOTH
    )


@experiment("JS-F4a", "Fig. 4a")
def js_f4a(lab: Lab) -> Findings:
    """How long do the connections of a web load take, those above an initial window?"""
    every, draws = _draws(lab)
    flat = every.select("startup", "duration_s").explode("duration_s")
    slow, jump = (flat.filter(startup=startup)["duration_s"] for startup in BOTH)
    findings = figure4a(draws)
    half = np.percentile(slow, 25) / number("js.f4.p25")
    percentiles = pl.DataFrame(
        {
            "percentile": p,
            "slow start, s": np.percentile(slow, p),
            "Jump Start, s": np.percentile(jump, p),
        }
        for p in (10, 25, 50, 75, 90, 95, 97, 98, 99)
    )
    return replace(
        findings,
        measured={**findings.measured, "js.f4.16rtt": 1 / min(every["min_rtt_s"])},
        answers=[
            f"At the 25th percentile slow start takes {draws['ratio'].mean():.2f} times as long as "
            f"Jump Start, {draws['ratio'].min():.2f} to {draws['ratio'].max():.2f} over "
            f"{len(draws)} draws of the load.",
            f"{100 * fmean(slow >= 1):.1f} % of slow start's connections and "
            f"{100 * fmean(jump >= 1):.1f} % of Jump Start's take longer than 1 s: a lost SYN "
            "waits 3 s.",
        ],
        tables=[table("figure4a", "Percentiles of duration, all draws together", percentiles)],
        pictures=[lines(
            "figure4a",
            "Distribution of durations, all draws together. Ring: where Jump Start's 25th "
            "percentile would be at most if slow start took twice as long, as the paper prints",
            panel(_distribution(flat, "duration_s"),
                  ("duration_s", Axis("connection duration (s)", "log", (0.06, 10),
                                      (0.1, 0.2, 0.5, 1, 2, 5))),
                  ("share", SHARE), "startup", marks=False,
                  published={NAMES[JUMP_START]: ((half,), (0.25,))}))],
    )  # fmt: skip


@experiment("JS-F4b", "Fig. 4b")
def js_f4b(lab: Lab) -> Findings:
    """How many of them lose packets, and how many packets?"""
    every, draws = _draws(lab)
    alone = lab.runs([setups.unhindered(AHEAD)], measures.transfer)[0]
    rounds = alone["duration_s"] / alone["min_rtt_s"] - 1
    flat = every.select("startup", "loss", "packets").explode("loss", "packets")
    flat = flat.with_columns(loss=100 * pl.col("loss"))
    lossy = flat.filter(pl.col("loss") > 0)
    free = by_case(
        flat.group_by("startup").agg((pl.col("loss") == 0).mean() * 100), "startup", "loss"
    )
    each = by_case(lossy.group_by("startup").agg(pl.col("loss").mean()), "startup", "loss")
    size = pl.col("packets").cut([each - 1 for each in CLASSES[1:]], labels=list(map(str, CLASSES)))
    lose = (100 * (pl.col("loss") > 0).mean()).alias("lose something, %")
    by_size = (
        flat.group_by(size, pl.col("startup").replace(NAMES)).agg(lose).sort("packets", "startup")
    )
    findings = figure4b(draws)
    twice = number("js.f4.lossratio") * median(lossy.filter(startup=SLOW_START)["loss"])
    fewer = (free[JUMP_START] - number("js.f4.lossfree")) / 100
    return replace(
        findings,
        measured={**findings.measured, "js.f4.ahead": rounds},
        answers=[
            f"{free[SLOW_START]:.1f} % of slow start's connections lose nothing and "
            f"{free[JUMP_START]:.1f} % of Jump Start's; those that lose lose "
            f"{each[SLOW_START]:.0f} and {each[JUMP_START]:.0f} % of their packets.",
            f"Slow start delivers {AHEAD} packets in {rounds:.1f} round trips on an empty path.",
        ],
        tables=[table("figure4b", "Connections that lose something, by size", by_size)],
        pictures=[lines(
            "figure4b",
            "Distribution of loss rates, all draws together. Left: all connections; ring: where "
            "slow start's share without loss would be, ten points below Jump Start's, as the paper "
            "prints. Right: those that lose; ring: where Jump Start's median would be, at twice "
            "slow start's",
            panel(_distribution(flat, "loss"),
                  ("loss", Axis("packets dropped per packet sent (%)", limits=(-2, None))),
                  ("share", SHARE), "startup", marks=False, title="all connections",
                  published={NAMES[SLOW_START]: ((0,), (fewer,))}),
            panel(_distribution(lossy, "loss"),
                  ("loss", Axis("packets dropped per packet sent (%)", "log",
                                ticks=(1, 3, 10, 30, 100))),
                  ("share", SHARE), "startup", marks=False, title="those that lose",
                  published={NAMES[JUMP_START]: ((twice,), (0.5,))}))],
    )  # fmt: skip
