"""What the paper leaves to others, from loss recovery to parallel connections."""

import itertools
from typing import Any

import polars as pl

from flowstart.model.document import Document
from flowstart_papers.experiment import Findings, experiment, table
from flowstart_papers.frames import by_case, cell, gain, grid, means, versus
from flowstart_papers.jump_start import figures, measures, setups
from flowstart_papers.jump_start.figures import number
from flowstart_papers.jump_start.setups import BOTH, JUMP_START, NAMES, RECOVERIES, SLOW_START
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, lines, panel, panels_by

TIMES = ("times", Axis("time, Jump Start / slow start", limits=(0, 3)))
AS_SLOW = {"as slow start": 1.0}

# Loss recovery.

INTERVALS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, 1.5, 2.0)
FOOTNOTE = 128
WITHOUT_SACK = ("NewReno", "Reno", "Tahoe", "timer only")


@experiment("JS-RECOVERY", "study")
def js_recovery(lab: Lab) -> Findings:
    """Under which rule of loss recovery does figure 2 come out as printed?"""
    single = versus(
        lab.frame(
            lambda rule, startup: setups.single(startup, FOOTNOTE, **RECOVERIES[rule]),
            grid(rule=RECOVERIES, startup=BOTH),
            measures.transfer,
        ),
        SLOW_START,
        ["rule"],
    ).select("rule", gain("duration_s").alias("footnote"))
    crowds = versus(
        lab.frame(
            lambda rule, interval, startup: figures.crowd(startup, interval, **RECOVERIES[rule]),
            grid(rule=RECOVERIES, interval=INTERVALS, startup=BOTH),
            measures.crowd,
        ),
        SLOW_START,
        ["rule", "interval"],
    ).with_columns(gain("median_s"), times=pl.col("median_s") / pl.col("median_s_base"))
    free = crowds.filter(pl.col("interval").is_in(figures.FREE)).group_by(
        "rule", maintain_order=True
    )
    found = single.join(
        free.agg(pl.col("gain").mean(), pl.col("gain").min().alias("least")), on="rule"
    )
    fitting = found.filter((pl.col("footnote") < 0) & (pl.col("least") > 0))
    named = found.row(0, named=True)
    names = [f"{one['rule']} ({one['gain']:+.0f} %)" for one in fitting.rows(named=True)]
    is_sack = ~pl.col("rule").is_in(WITHOUT_SACK)
    axis = ("times", Axis("median duration, Jump Start / slow start", "log", (0.3, 12)))
    level = {"paper, from 1 s": 1 - number("js.f2.free.time") / 100}
    return Findings(
        answers=[
            f"Jump Start is faster at every interval from 1 s on and slower at {FOOTNOTE} packets, "
            f"as the paper has both, under: {', '.join(names) or 'none'}.",
            f"Under {named['rule']}, which the paper names, it is {named['footnote']:+.0f} % at "
            f"{FOOTNOTE} packets and {named['gain']:+.0f} % from 1 s on; the paper has "
            f"{number('js.f2.free.time'):+g} %.",
        ],
        tables=[
            table("recovery", "Gains of Jump Start over slow start in percent: mean and least from "
                  f"1 s on, and at {FOOTNOTE} packets", found),
            table("recovery_intervals", "Jump Start over slow start by interval", crowds.select(
                "rule", "interval", "gain", "loss", "loss_base", "timeouts", "timeouts_base")),
        ],
        pictures=[lines(
            "recovery", "Jump Start's median duration over slow start's by interval between starts",
            *(panel(crowds.filter(which), figures.APART, axis, "rule", title=title, level=level)
              for title, which in {"selective acknowledgements": is_sack,
                                   "no selective acknowledgements": ~is_sack}.items()))],
    )  # fmt: skip


# Heavier loads.

LOADS = [
    *grid(rate=(10.0, 7.5, 5.0), pause=("end", "start"), sessions=(50, 100, 200, 400)),
    *grid(rate=(2.5,), pause=("end",), sessions=(800, 1600)),
]
"""Mbit/s, from where in a page the pause counts, and sessions. The last two are far outside the
paper's load, to see where both statements go."""
P25, FREE = number("js.f4.p25"), number("js.f4.lossfree")
"""What the paper states: slow start takes so many times as long at the 25th percentile, and so
many points more of Jump Start's connections lose nothing."""


@experiment("JS-LOAD", "study")
def js_load(lab: Lab) -> Findings:
    """At which load, if any, do the two statements about figure 4 hold?"""
    flows = lab.frame(
        lambda rate, pause, sessions, startup, seed: setups.web(
            startup, seed, sessions=sessions, rate=f"{rate:g}Mbps", page_pause_from=pause
        ),
        [{**load, **each} for load in LOADS for each in grid(startup=BOTH, seed=range(1, 21))],
        measures.web,
    )
    draws = versus(flows, SLOW_START, ["rate", "pause", "sessions", "seed"]).with_columns(
        ratio=pl.col("p25_s_base") / pl.col("p25_s"), points=pl.col("free") - pl.col("free_base")
    )
    found = means(draws, ["rate", "pause", "sessions"], "ratio", "points", "free_base")
    words = "{} sessions at {} Mbit/s, pauses from a page's {}"
    found = found.with_columns(name=pl.format(words, "sessions", "rate", "pause"))
    reached = found.filter(pl.col("ratio") > P25)["name"].to_list()
    fastest, freest = (found.sort(by).row(-1, named=True) for by in ("ratio", "points"))
    curves = found.with_columns(curve=pl.format("{} Mbit/s, from {}", "rate", "pause"))
    x = ("sessions", Axis("sessions", "log", ticks=(50, 100, 200, 400, 800, 1600)))
    ratio = ("ratio", Axis("25th percentile, slow start / Jump Start"))
    points = ("points", Axis("without loss, difference (points)"))
    return Findings(
        answers=[
            f"Slow start's 25th percentile is more than {P25:g} times Jump Start's here: "
            f"{'; '.join(reached) or 'nowhere'}. The largest is {fastest['ratio']:.2f}.",
            f"The difference in connections without loss is highest, {freest['points']:+.1f} "
            f"points, with {freest['name']}; the paper has {FREE:+g}.",
        ],
        tables=[table("load", "Figure 4's two statements by load", found.drop("name"))],
        pictures=[lines(
            "load",
            "The two statements by number of sessions; the paper's load is 50 sessions at 10 "
            "Mbit/s",
            panel(curves, x, ratio, "curve", level={"paper: above": P25}, bands=None),
            panel(curves, x, points, "curve", level={"paper": FREE}, bands=None))],
    )  # fmt: skip


# Footnote 3: no pacing where the flight fits the initial window.

BURST = f"{JUMP_START}:iw_refinement=true"
BURST_NAMES = NAMES | {BURST: "Jump Start with footnote 3"}


@experiment("JS-BURST", "footnote 3")
def js_burst(lab: Lab) -> Findings:
    """What does it change not to pace a flight that fits the initial window?"""
    sizes = grid(packets=(1, 2, 3, 4, 5, 6, 8, 10), startup=BURST_NAMES)
    single = versus(lab.frame(setups.single, sizes, measures.transfer), SLOW_START, ["packets"])
    single = single.select(pl.col("startup").replace(BURST_NAMES), "packets", gain("duration_s"))
    webs = versus(
        lab.frame(
            setups.web, grid(startup=BURST_NAMES, seed=range(1, 61)), measures.small_responses
        ),
        SLOW_START,
        ["seed", "packets"],
    ).with_columns(gain("median_s"), gain("mean_s").alias("mean_gain"))
    found = means(webs, ["packets", "startup"], "gain", "mean_gain", "responses", "lossy")

    def gains(packets: str, startup: str, column: str = "gain") -> str:
        one = found.filter(packets=packets, startup=startup).row(0, named=True)
        return f"{one[column]:.0f} % ({one[f'{column}_low']:.0f} to {one[f'{column}_high']:.0f})"

    return Findings(
        answers=[
            f"Responses of 2 to 3 packets gain {gains('2 to 3', JUMP_START)} in the median without "
            f"footnote 3 and {gains('2 to 3', BURST)} with it; all responses together "
            f"{gains('all', JUMP_START)} and {gains('all', BURST)}. In the mean, where lost SYNs "
            f"count, all gain {gains('all', JUMP_START, 'mean_gain')} without and "
            f"{gains('all', BURST, 'mean_gain')} with it.",
        ],
        tables=[
            table("burst", "Gain over slow start of a single transfer, in percent", single),
            table("burst_web", "Responses of the web load: gain in the median and in the mean, and "
                  "those that lose packets, in percent", found),
        ],
        pictures=[lines(
            "burst", "Gain of a single transfer over slow start by size, with footnote 3 and "
                     "without",
            panel(single, ("packets", Axis("transfer size (packets)")), ("gain", figures.GAIN),
                  "startup", level={"as slow start": 0}))],
    )  # fmt: skip


# Paths.

SIZES = tuple(2**k for k in range(1, 12))
RATES, RTTS, QUEUES = (1, 5, 20, 100), (16, 64, 256), (15, 60, 240)
"""Mbit/s, milliseconds, packets."""
RATE, RTT, QUEUE = 5, 64, 60
"""The paper's."""
RULES = ("ns-2's Sack1", "RFC endpoints")
"""The recovery that the paper names, and one that hardly ever needs the timer."""
HOLDS = pl.col("rate") * pl.col("rtt") * 1e3 / setups.PACKET_BITS + pl.col("queue")
"""Packets that the path and its queue can take in the first round trip."""


@experiment("JS-PATHS", "study")
def js_paths(lab: Lab) -> Findings:
    """At which rates, round trips and queues does a jump help, and where does it harm?"""
    flows = lab.frame(
        lambda rule, rate, rtt, queue, packets, startup: setups.along(
            setups.single(startup, packets, **RECOVERIES[rule]),
            rate=f"{rate}Mbps", rtt=f"{rtt}ms", buffer=f"{queue}pkt"),
        grid(rule=RULES, rate=RATES, rtt=RTTS, queue=QUEUES, packets=SIZES, startup=BOTH),
        measures.transfer,
    )  # fmt: skip
    found = versus(flows, SLOW_START, ["rule", "rate", "rtt", "queue", "packets"]).with_columns(
        gain("duration_s"), fits=pl.col("packets") <= HOLDS, holds=HOLDS.round()
    ).with_columns(times=1 - pl.col("gain") / 100)  # fmt: skip
    # A transfer that fits the initial window can only lose by being paced.
    larger = found.filter(pl.col("packets") > 3)
    said = larger.group_by("rule", "fits", maintain_order=True).agg(
        cases=pl.len(), faster=(pl.col("gain") > 0).sum(), slower=(pl.col("gain") < 0).sum(),
        best=pl.col("gain").max(), longest=pl.col("times").max())  # fmt: skip
    said = said.sort("rule", "fits", descending=[False, True])
    named = found.filter(rule=RULES[0])
    x = ("packets", Axis("transfer size (packets)", "log", (1.6, 9000), SIZES[::2]))
    facets = {
        "rate": ("{} Mbit/s", (pl.col("rtt") == RTT) & (pl.col("queue") == QUEUE)),
        "rtt": ("{} ms", (pl.col("rate") == RATE) & (pl.col("queue") == QUEUE)),
        "queue": ("{} packets", (pl.col("rate") == RATE) & (pl.col("rtt") == RTT)),
    }
    by_path = found.pivot("packets", index=["rule", "rate", "rtt", "queue", "holds"], values="gain")
    return Findings(
        answers=[
            f"{one['rule']}, from 4 packets on, where path and queue "
            f"{'hold' if one['fits'] else 'do not hold'} the flight: Jump Start is faster in "
            f"{one['faster']} of {one['cases']} cases, by up to {one['best']:.0f} %, and slower in "
            f"{one['slower']}; the longest takes {one['longest']:.1f} times slow start's time."
            for one in said.rows(named=True)
        ],
        tables=[table("paths", "Gain of Jump Start in percent by path and packets", by_path)],
        pictures=[lines(
            "paths",
            f"Jump Start's time over slow start's by size, {RULES[0]}; below 1 it is faster. What "
            f"is not varied is the paper's: {RATE} Mbit/s, {RTT} ms, {QUEUE} packets",
            *(panel(named.filter(which), x, TIMES, by, name=name, title=f"by {by}", level=AS_SLOW)
              for by, (name, which) in facets.items()))],
    )  # fmt: skip


LOAD = 0.5
"""Of the link, by transfers of one size that open at random moments."""
TRANSFERS = 100


def loaded(startup: str, rate: int, rtt: int, packets: int, seed: int) -> Document:
    """Transfers of one size that keep the link half busy."""
    apart_ms = packets * setups.PACKET_BITS / (rate * 1e3) / LOAD
    document = setups.along(setups.single(startup, packets), rate=f"{rate}Mbps", rtt=f"{rtt}ms")
    opening = {
        "count": TRANSFERS,
        "stagger": f"{apart_ms:.4f}ms",
        "jitter": f"{4 * apart_ms:.4f}ms",
    }
    return document | {"seed": seed, "flows": [document["flows"][0] | opening]}


@experiment("JS-PATHS-LOAD", "study")
def js_paths_load(lab: Lab) -> Findings:
    """And where the link is half busy with transfers that start alike?"""
    axes = {"rate": RATES, "rtt": RTTS, "packets": (4, 16, 64, 256, 1024), "seed": range(1, 7)}
    flows = lab.frame(loaded, grid(**axes, startup=BOTH), measures.crowd)
    pairs = versus(flows, SLOW_START, list(axes)).with_columns(
        gain("median_s"), queue=pl.lit(QUEUE)
    )
    found = means(pairs, ["rtt", "rate", "packets", "queue"], "gain", "loss", "loss_base")
    found = found.with_columns(times=1 - pl.col("gain") / 100, part=pl.col("packets") / HOLDS)
    fits, over = (
        found.filter(pl.col("part") <= 1)["times"],
        found.filter(pl.col("part") > 1)["times"],
    )
    worst = found.sort("times").row(-1, named=True)
    return Findings(
        answers=[
            f"Where path and queue hold a flight, Jump Start's median is shorter in "
            f"{(fits < 1).sum()} of {len(fits)} cases; where they do not, in {(over < 1).sum()} of "
            f"{len(over)}. The best takes {fits.min():.2f} times slow start's time, the worst "
            f"{over.max():.0f} times ({worst['packets']} packets, {worst['rate']} Mbit/s, "
            f"{worst['rtt']} ms), where {100 * worst['loss']:.0f} % of what is sent is lost.",
        ],
        tables=[table("loaded_paths", f"Gain of Jump Start in the median of {TRANSFERS} transfers "
                      "on a link that they keep half busy, in percent, and loss of both", found)],
        pictures=[lines(
            "loaded_paths",
            "Jump Start's median over slow start's by size, as part of what path and queue hold; "
            "left of 1 they hold the flight",
            *panels_by(found, "rtt", "{} ms",
                       ("part", Axis("size / what path and queue hold", "log", (0.001, 40))),
                       ("times", Axis("median, Jump Start / slow start", "log", (0.15, 60))),
                       "rate", name="{} Mbit/s", level=AS_SLOW))],
    )  # fmt: skip


# Several congested gateways.

GATEWAYS = (1, 2, 3, 5)
CROSS_PACKETS = 20
ONE_WAY_MS = 32.0
RATE_BPS = 5e6


def over_gateways(startup: str, gateways: int, packets: int, load: float, seed: int) -> Document:
    """Transfers over all gateways, and others in slow start over one each, 64 ms apart as well."""
    gap_s = CROSS_PACKETS * setups.PACKET_BITS / RATE_BPS / load
    delay = f"{ONE_WAY_MS / gateways:.6f}ms"
    hop = {"rate": setups.BOTTLENECK, "delay": delay, "buffer": setups.QUEUE}
    through = {"startup": startup, "size": f"{packets}pkt", "count": measures.THROUGH}
    cross = {
        "startup": SLOW_START,
        "size": f"{CROSS_PACKETS}pkt",
        "count": round((2 * measures.THROUGH + 4) / gap_s),
        "stagger": f"{1e3 * gap_s:.3f}ms",
        "jitter": f"{4e3 * gap_s:.3f}ms",
        "rtt": setups.RTT,
    }
    return {
        "seed": seed,
        "path": {"hops": [hop] * gateways},
        "stack": setups.stack(),
        "flows": [
            through | {"stagger": "2s", "start": "2s", "jitter": "2s"},
            *(cross | {"from_hop": at, "to_hop": at} for at in range(gateways)),
        ],
    }


@experiment("JS-GATEWAYS", "study")
def js_gateways(lab: Lab) -> Findings:
    """What do several consecutive congested gateways change?"""
    axes = {"load": (0.3, 0.6), "packets": (16, 64, 200), "gateways": GATEWAYS}
    cases = grid(**axes, seed=range(1, 9), startup=BOTH)
    flows = lab.frame(over_gateways, cases, measures.gateways)
    pairs = versus(flows, SLOW_START, [*axes, "seed"]).with_columns(
        gain("median_s"),
        *((pl.col(name) - pl.col(f"{name}_base")).alias(f"added_{name}")
          for name in ("others_loss", "first_loss", "last_loss")))  # fmt: skip
    found = means(pairs, list(axes), "gain", "loss", "loss_base", *(
        f"added_{name}" for name in ("others_loss", "first_loss", "last_loss")))  # fmt: skip
    few, many = (found.filter(load=0.6, packets=200, gateways=n).row(0, named=True) for n in (1, 5))
    return Findings(
        answers=[
            f"At 60 % load and 200 packets Jump Start's gain is {few['gain']:.0f} % with one "
            f"gateway and {many['gain']:.0f} % with five. Losses do not add up: it loses "
            f"{few['loss']:.0f} and {many['loss']:.0f} %. The first gateway takes the burst and "
            f"sends it on at its rate: it adds {many['added_first_loss']:.1f} points to the loss "
            f"of those that cross there, the last one {many['added_last_loss']:.1f}.",
        ],
        tables=[table("gateways", "Transfers over all gateways: gain and losses in percent, and "
                      "points of loss added to those in slow start over one each", found)],
        pictures=[lines(
            "gateways", "Gain of Jump Start by number of congested gateways; bands: 95 % intervals",
            *panels_by(found.with_columns(percent=(100 * pl.col("load")).round().cast(int)),
                       "percent", "each {} % busy with others",
                       ("gateways", Axis("congested gateways", ticks=GATEWAYS)),
                       ("gain", Axis("gain in median duration (%)")), "packets",
                       name="{} packets", level={"as slow start": 0}))],
    )  # fmt: skip


# Fairness of long transfers, which Sec. V leaves to others.

FLOWS = 4
FLIGHTS = (64, 200, 10_000)
"""Packets of the first flight; an endless source sends all of the paper's window, the last."""
BOTH_RULES = ("ns-2's Sack1", "RFC 6675")
SEEDS = range(1, 9)
UNTIL = (10, 60, 120)
"""Ends of the spans over which shares are taken, in seconds."""
JOINS = 30
"""When a newcomer joins three that are long under way."""
AFTER = (0, 1, 5, 30, 120)
"""Seconds since then."""


def endless(
    rule: str, flight: int, jumping: int, until: int, seed: int, joins: int = 0
) -> Document:
    """Endless transfers of which some jump, opened within a second, the last perhaps later."""
    startups = [SLOW_START] * (FLOWS - jumping) + [f"{JUMP_START}:max_d={flight}"] * jumping
    flows = [{"startup": startup, "jitter": "1s"} for startup in startups]
    if joins:
        flows[-1] = {"startup": startups[-1], "start": f"{joins}s"}
    path = {"rate": setups.BOTTLENECK, "rtt": setups.RTT, "buffer": setups.QUEUE}
    stack = setups.stack(window=f"{max(FLIGHTS)}pkt", **RECOVERIES[rule])
    return {"seed": seed, "duration": f"{until}s", "path": path, "stack": stack, "flows": flows}


def jain(shares: list[float]) -> float:
    """Jain's index: 1 where all have the same, 1/n where one has everything."""
    return sum(shares) ** 2 / (len(shares) * sum(share**2 for share in shares))


def _spans(ends: pl.DataFrame, key: list[str], first: list[int] | None) -> pl.DataFrame:
    """What each flow had of a span, from one end to the next; `first` begins the first."""
    rows = []
    for case, part in ends.group_by(key, maintain_order=True):
        counts = ([first] if first else []) + part["bytes"].to_list()
        for until, (before, after) in zip(part["until"].to_list()[0 if first else 1 :],
                                          itertools.pairwise(counts), strict=True):  # fmt: skip
            gone = [b - a for a, b in zip(before, after, strict=True)]
            shares = [one / sum(gone) for one in gone]
            rows.append({**dict(zip(key, case, strict=True)), "until": until, "shares": shares})
    return pl.DataFrame(rows)


def _fairness(lab: Lab) -> pl.DataFrame:
    """Flows that begin together: Jain's index, and the share of those that jump of a fair one."""
    key = ["rule", "flight", "jumping", "seed"]
    cases = grid(rule=BOTH_RULES, flight=FLIGHTS, jumping=(0, 1, 2, 4), seed=SEEDS, until=UNTIL)
    spans = _spans(lab.frame(endless, cases, measures.delivered), key, [0] * FLOWS)
    rows = [
        {**row, "jain": jain(row["shares"]),
         "part": 100 * sum(row["shares"][FLOWS - row["jumping"] :]) * FLOWS / (row["jumping"] or 1)}
        for row in spans.rows(named=True)
    ]  # fmt: skip
    return means(pl.DataFrame(rows), ["rule", "flight", "jumping", "until"], "jain", "part")


def _joining(lab: Lab) -> pl.DataFrame:
    """One that joins the others: the part of a fair share that it has in each span."""
    kinds = [*grid(rule=BOTH_RULES, flight=(0,), jumping=(0,)),
             *grid(rule=BOTH_RULES, flight=FLIGHTS, jumping=(1,))]  # fmt: skip
    ends = grid(seed=SEEDS, until=[JOINS + after for after in AFTER])
    flows = lab.frame(
        lambda **case: endless(**case, joins=JOINS),
        [{**kind, **end} for kind in kinds for end in ends],
        measures.delivered,
    )
    spans = _spans(flows, ["rule", "flight", "seed"], None).with_columns(
        after=pl.col("until") - JOINS, part=FLOWS * pl.col("shares").list.last()
    )
    counts = ("timeouts", "fast_retransmits")
    last = flows.filter(pl.col("until") == JOINS + AFTER[-1]).group_by("rule", "flight")
    return means(spans, ["rule", "flight", "after"], "part").join(
        last.agg(pl.col(counts).mean()), on=["rule", "flight"], maintain_order="left"
    )


@experiment("JS-FAIR", "Sec. V (ii)")
def js_fair(lab: Lab) -> Findings:
    """Do long transfers share a link fairly when some of them begin with a jump?"""
    together, joining = _fairness(lab), _joining(lab)
    named, today = BOTH_RULES
    fitting, large, whole = FLIGHTS
    part = {key: 100 * value for key, value in
            by_case(joining, ("rule", "flight", "after"), "part").items()}  # fmt: skip
    index = by_case(together.filter(until=UNTIL[-1], jumping=2, rule=named), "flight", "jain")
    late = joining.filter(rule=named, flight=whole).row(-1, named=True)
    kinds = joining.with_columns(
        newcomer=pl.when(pl.col("flight") == 0)
        .then(pl.lit("slow start"))
        .otherwise(pl.format("Jump Start, {} packets", "flight"))
    )
    return Findings(
        answers=[
            f"Where two of {FLOWS} jump, Jain's index from {UNTIL[-2]} to {UNTIL[-1]} s is "
            f"{index[fitting]:.2f} with flights of {fitting} packets, {index[large]:.2f} with "
            f"{large} and {index[whole]:.2f} with the whole window of {whole}.",
            f"One that joins has in its first second {part[named, fitting, 1]:.0f} % of a fair "
            f"share with a flight of {fitting} packets, {part[named, large, 1]:.0f} % with "
            f"{large}, and {part[named, 0, 1]:.0f} % in slow start. With the window of {whole} it "
            f"has {part[named, whole, 120]:.0f} % from 30 to 120 s: until its flight is repaired "
            f"ns-2's Sack1 begins no second fast retransmit ({late['fast_retransmits']:.0f} in 120 "
            f"s), and every further loss waits for a timer ({late['timeouts']:.0f} timeouts). With "
            f"{today} it is {part[today, whole, 120]:.0f} %.",
        ],
        tables=[
            table("fairness", f"{FLOWS} endless transfers that begin within a second, some of them "
                  "with a jump: Jain's index, and their part of a fair share in %", together),
            table("fairness_joining", f"One that joins {FLOWS - 1} in slow start after {JOINS} s: "
                  "its part of a fair share until so many seconds later", joining),
        ],
        pictures=[lines(
            "fairness",
            f"Share of one that joins {FLOWS - 1} long transfers, as a part of a fair one, by time "
            "since then; bands: 95 % intervals",
            *panels_by(kinds, "rule", "{}",
                       ("after", Axis("end of the span, since it joined (s)", "log", (0.8, 300),
                                      AFTER[1:])),
                       ("part", Axis("share in the span / fair share", limits=(0, None))),
                       "newcomer", level={"fair": 1}))],
    )  # fmt: skip


# Parallel and consecutive connections between the same hosts (Sec. I).

SPLIT = (1, 2, 4, 8, 16)
"""Connections that carry an object."""
SHARERS: dict[str, tuple[str, dict[str, Any]]] = {
    "slow start": (SLOW_START, {}),
    "slow start, sharing": (SLOW_START, {"sharing": "temporal"}),
    "Jump Start": (JUMP_START, {}),
    "Jump Start, sharing": (JUMP_START, {"sharing": "temporal"}),
}
"""Startup and stack. One that shares opens with the window and the threshold that the connection
before has left behind (RFC 9040); a jump takes its flight from the data all the same."""


def split(startup: str, packets: int, connections: int, seed: int) -> Document:
    """An object on several connections between two hosts that open within 10 ms."""
    each, more = divmod(packets, connections)
    flows = [
        {"startup": startup, "size": f"{each + (i < more)}pkt", "jitter": "10ms"}
        for i in range(connections)
    ]
    document = setups.along(setups.single(startup, packets), hosts=1)
    return document | {"seed": seed, "flows": flows}


def in_turn(sharer: str, packets: int) -> Document:
    """Six objects between two hosts, each on a separate connection when the one before is done."""
    startup, stack = SHARERS[sharer]
    document = setups.along(setups.single(startup, packets, **stack), hosts=1)
    return document | {"flows": [document["flows"][0] | {"count": 6, "stagger": "10s"}]}


@experiment("JS-PARALLEL", "Sec. I")
def js_parallel(lab: Lab) -> Findings:
    """How does a jump compare with parallel connections, and with those that share?"""
    axes = {"packets": (64, 200), "connections": SPLIT, "startup": BOTH}
    flows = lab.frame(split, grid(**axes, seed=range(1, 21)), measures.whole)
    found = means(flows, list(axes), "duration_s", "dropped", "timeouts")
    turns = lab.frame(in_turn, grid(sharer=SHARERS, packets=(64, 200)), measures.in_turn)
    times = by_case(found, ("packets", "startup", "connections"), "duration_s")
    slow, parallel, jump = (
        times[64, SLOW_START, 1],
        times[64, SLOW_START, 16],
        times[64, JUMP_START, 1],
    )
    share = 100 * (slow - parallel) / (slow - jump)
    sharing = turns.filter(sharer="slow start, sharing")
    return Findings(
        answers=[
            f"64 packets take slow start {slow:.2f} s on one and {parallel:.2f} s on 16 "
            f"connections, Jump Start {jump:.2f} s on one: parallel connections bring {share:.0f} "
            "% of what a jump brings.",
            f"In turn, slow start that shares takes {cell(sharing, 'others_s', packets=64):.2f} s "
            f"for 64 packets after the first connection, and "
            f"{cell(sharing, 'others_s', packets=200):.2f} s for 200, where Jump Start takes "
            f"{cell(turns, 'others_s', packets=200, sharer='Jump Start'):.2f} s.",
        ],
        tables=[
            table("parallel", "An object split on connections that open within 10 ms", found),
            table("in_turn", "Objects in turn between two hosts, each when the one before is done",
                  turns),
        ],
        pictures=[lines(
            "parallel",
            "Time of an object over the number of connections that carry it; bands: 95 % intervals",
            *panels_by(found.with_columns(pl.col("startup").replace(NAMES)), "packets", "{} "
                                                                                        "packets",
                       ("connections", Axis("connections", "log", ticks=SPLIT)),
                       ("duration_s", Axis("time until all is delivered (s)", limits=(0, None))),
                       "startup"))],
    )  # fmt: skip
