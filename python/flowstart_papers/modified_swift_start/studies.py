"""Sec. 2.3, and studies: timeouts, the routers' processors, clocks, the divisor, other schemes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from statistics import fmean
from typing import Any

import polars as pl

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.bootstrap import bootstrap_interval
from flowstart_papers.experiment import Findings, experiment, table
from flowstart_papers.frames import BASE, Case, by_case, grid, means, versus
from flowstart_papers.lab import Lab
from flowstart_papers.modified_swift_start import measures
from flowstart_papers.modified_swift_start.hosts import HEADER, MSS
from flowstart_papers.modified_swift_start.setups import (
    AVOIDANCE,
    DELAYS_S,
    DIRECT,
    LINES,
    LITERAL,
    NO_QUEUE_LIMIT,
    OC1,
    ROUTER_PPS,
    T1,
    THRESHOLD,
    Line,
    Setup,
    number,
    transfer,
)
from flowstart_papers.modified_swift_start.slow_start import PAPER_SLOW_START
from flowstart_papers.modified_swift_start.tables import LATE_S
from flowstart_papers.plot import Axis, lines, panel, panels_by
from flowstart_papers.target import Measured

BY_KEY = {line.key: line for line in LINES}
MODIFIED = "modified Swift Start"
DELAY_S = 0.1
RTT_S = T1.rtt_s(DELAY_S)
WIDE: Mapping[str, Any] = {"window": "16MB", "window_scaling": True}
"""A window that no path here fills."""
SEEDS = range(1, 21)
DELAY_AXIS = Axis("delay of the line (s)", "log", ticks=(0.0001, 0.001, 0.01, 0.1, 0.8))

# Sec. 2.3: what delayed, queued and thinned acknowledgements do to either estimate.
#
# Swift Start reads the capacity from the spacing of ACKs, its modification from the receiver's own
# measurement. Both use their whole estimate here (`alpha` is 1) and a receiver's window that does
# not cut it off; the receiver acknowledges every segment where delaying is not the question.

SWIFT, PER_SEGMENT = "Swift Start", "Swift Start, per segment"
ESTIMATORS = {
    SWIFT: "swift-start:alpha=1,growth=per-ack",
    PER_SEGMENT: "swift-start:alpha=1,growth=per-ack,ack_spacing=per-segment",
    MODIFIED: LITERAL.modified,
}
"""The second divides any spacing by the segments that the later ACK covers."""
PACKET_S = 8 * (MSS + HEADER) / T1.bps
WRONG = 5.0
"""An estimate that is off by more percent is wrong."""
LOADS = (20, 40, 60, 80)
"""Percent of the ACKs' way that other data takes."""
BATCHES_MS = (2, 5, 10, 15, 20, 30, 50)
"""For how long a router gathers ACKs; of each batch it forwards the newest."""
PHASE_S = 0.0017
"""By so much the round trip differs from one phase to the next, and when ACKs meet a batch."""


def estimate(run: Run) -> float | None:
    """By how many percent the capacity that the window stands for is off."""
    row = run.records[0]
    if row["startup_exit_reason"] != "estimate":
        return None
    if row["startup"] == LITERAL.modified:
        pps = 1 / measures.pairs(run)[0]["gap_s"]
    else:
        pps = measures.after_probe(run)
    return round(float(100 * (pps * PACKET_S - 1)), 1) + 0.0


def disturbed(kind: str, value: float, startup: str, draw: int) -> Document:
    """The first segments where ACKs are delayed, wait behind other data, or come in batches."""
    path = {"ack_batch": f"{value:g}ms", "ack_thinning": True} if kind == "batches" else None
    shift_s = draw * PHASE_S if kind == "batches" else 0.0
    ack = "delayed" if kind == "delayed" else "every"
    fields: dict[str, Any] = {"ack": ack, "window": "10MB", "window_scaling": True}
    spec = ESTIMATORS[startup]
    document = transfer(T1, RTT_S + shift_s, spec, size="40pkt", path=path, **fields)
    if not kind.startswith("load"):
        return document
    # Short transfers the other way take so much of the line on which the ACKs return.
    every = f"{2 * PACKET_S / (value / 100) * 1e9:.0f}ns"
    background = {
        "startup": "slow-start",
        "size": "2pkt",
        "count": round(4 / (2 * PACKET_S / (value / 100))),
        "stagger": every,
        "jitter": every,
        "direction": "reverse",
        "handshake": False,
    }
    if kind == "load, no processors":
        document["path"] |= {"router_pps": None}
    flows = [document["flows"][0] | {"start": "2s", "jitter": every}, background]
    return document | {"seed": draw, "flows": flows}


@experiment("MSS-M", "Sec. 2.3", quick=True)
def mss_m(lab: Lab) -> Findings:
    """What do delayed, queued and thinned ACKs do to Swift Start and to its modification?"""
    draws = range(1, 41)
    cases = [
        *grid(kind=["none", "delayed"], value=[0], startup=ESTIMATORS, draw=[0]),
        *grid(kind=["load", "load, no processors"], value=LOADS, startup=ESTIMATORS, draw=draws),
        *grid(kind=["batches"], value=BATCHES_MS, startup=ESTIMATORS, draw=range(12)),
    ]
    documents = [disturbed(**case) for case in cases]
    errors = lab.runs(documents, estimate, trace=True)
    rows = [{**case, "error": error} for case, error in zip(cases, errors, strict=True)]
    runs = pl.DataFrame(rows, infer_schema_length=None).with_columns(
        wrong=100.0 * (pl.col("error").is_null() | (pl.col("error").abs() > WRONG))
    )

    def of(kind: str, startup: str, least: float = 0) -> pl.DataFrame:
        return runs.filter(
            pl.col("kind") == kind, pl.col("startup") == startup, pl.col("value") >= least
        )

    long_ms = 1e3 * PACKET_S
    none = of("delayed", SWIFT)["error"].is_null().all()
    load, batches = of("load", SWIFT), of("batches", SWIFT, long_ms)
    numbers = load["error"].drop_nulls()
    both = min(numbers) < -WRONG and max(numbers) > WRONG
    mostly = batches.group_by("value").agg(pl.col("wrong").mean())["wrong"]
    right = {kind: not any(of(kind, MODIFIED, least)["wrong"])
             for kind, least in (("delayed", 0), ("load", 0), ("batches", long_ms))}  # fmt: skip
    found = runs.group_by("kind", "value", "startup", maintain_order=True).agg(
        runs=pl.len(), least=pl.col("error").min(), median=pl.col("error").median(),
        largest=pl.col("error").max(), wrong=pl.col("wrong").mean())  # fmt: skip
    y = ("wrong", Axis("absent or wrong estimates (%)", limits=(-3, 103)))
    received = runs.filter(pl.col("startup") == MODIFIED, pl.col("kind") != "load, no processors")
    return Findings(
        measured={
            "mss.delack.kill": Measured(
                "no estimate" if none else "an estimate", none and right["delayed"]
            ),
            "mss.ackpath": Measured(
                fmean(load["wrong"]),
                both and right["load"],
                bootstrap_interval(load["wrong"].to_list()),
                len(draws),
            ),
            "mss.ackcompress": Measured(
                fmean(batches["wrong"]), min(mostly) > 50 and right["batches"]
            ),
        },
        answers=[
            f"With other data on the ACKs' way {fmean(load['wrong']):.0f} % of Swift Start's "
            f"estimates are off by more than {WRONG:g} %, from {min(numbers):+.0f} to "
            f"{max(numbers):+.0f} %; where ACKs are gathered for longer than the line takes for a "
            f"packet, {fmean(batches['wrong']):.0f} % are absent or wrong. What the receiver "
            f"measures is never off by more than {max(abs(received['error'].drop_nulls())):.1f} %.",
        ],
        tables=[table("mechanisms", "How far the estimated capacity of T1 is off (%)", found)],
        pictures=[lines(
            "mechanisms", f"Estimates that are absent or off by more than {WRONG:g} %",
            panel(found.filter(kind="load"), ("value", Axis("load of the ACKs' way (%)")), y,
                  "startup"),
            panel(found.filter(kind="batches"),
                  ("value", Axis("time for which ACKs are gathered (ms)")), y, "startup"))],
    )  # fmt: skip


# What makes the advantage jump at a delay of 0.5 s: one input moved at a time.

RFC_6298 = {
    "preset": "rfc",
    "iw": "4",
    "recovery": "go-back-n",
    "rto_min": "500ms",
    "rto_max": "64s",
    "window": "100000B",
    "window_scaling": False,
}
"""Table 1's hosts, which after a lost SYN begin with one segment and a timeout of 3 s."""


def _slow_start(**parameters: Any) -> str:
    return f"{PAPER_SLOW_START}:" + ",".join(f"{k}={v}" for k, v in parameters.items())


LITERALLY, PATIENT = "the paper's words", "initial RTO 3 s"
SYN, HALF_FLIGHT = "the SYN's timeout counts", "threshold half the flight, SYN too"
BOTH = "threshold half the flight, SYN too, one segment per RTT"
COUNTING = "reno:growth=counting"
_LATE_SYN = _slow_start(syn=True)
VARIANTS = {
    LITERALLY: LITERAL,
    "initial RTO 1.2 s": replace(LITERAL, stack={"rto_initial": "1200ms"}),
    "initial RTO 1.5 s": replace(LITERAL, stack={"rto_initial": "1500ms"}),
    PATIENT: replace(LITERAL, stack={"rto_initial": "3s"}),
    "RTO doubled by the SYN's timeout": replace(LITERAL, stack={"syn_backoff_lasts": True}),
    "RTO 3 s and one segment after a lost SYN": replace(LITERAL, stack=RFC_6298),
    SYN: replace(LITERAL, slow_start=_LATE_SYN),
    f"{SYN}, RTO 1.2 s": replace(LITERAL, slow_start=_LATE_SYN, stack={"rto_initial": "1200ms"}),
    f"{SYN}, one segment after it": replace(LITERAL, slow_start=_slow_start(syn=True, restart=1)),
    "one segment after a timeout": replace(LITERAL, slow_start=_slow_start(restart=1)),
    "one segment per RTT": replace(LITERAL, cc=COUNTING),
    HALF_FLIGHT: replace(LITERAL, slow_start=_slow_start(syn=True, flight=True)),
    BOTH: replace(LITERAL, slow_start=_slow_start(syn=True, flight=True), cc=COUNTING),
    "an ACK for each segment": replace(LITERAL, stack={"ack": "every"}),
    "ACKs delayed by 0.1 s": replace(LITERAL, stack={"ack_timer": "100ms"}),
    "window of 100 000 bytes": replace(LITERAL, stack={"window_scaling": True}),
    "10 MB are 10^7 bytes": replace(LITERAL, size="10000000B"),
    "queue of 44 packets": replace(LITERAL, path={"buffer": "44pkt"}),
    "no base round trip": replace(LITERAL, base="none"),
}
RTO_DELAYS_S = (0.1, 0.2, 0.3, 0.4, *LATE_S)
NEAR_RTTS = 1.0
"""How far from three round trips a difference may be and still be near."""


def saved(lab: Lab, setups: Mapping[str, Setup], delays_s: Sequence[float]) -> pl.DataFrame:
    """By how many round trips, and seconds, modified Swift Start is faster, by set-up and line."""
    cases = grid(variant=setups, line=BY_KEY, delay=delays_s, startup=LITERAL.startups)
    flows = lab.frame(
        lambda variant, line, delay, startup: setups[variant].transfer(
            BY_KEY[line], delay, setups[variant].startups[startup]
        ),
        cases,
        measures.connection,
    )
    found = versus(flows, "slow start", ["variant", "line", "delay"])
    rtts_s = [setups[v].rtt_s(BY_KEY[key], d) for v, key, d in
              found.select("variant", "line", "delay").rows()]  # fmt: skip
    seconds = pl.col("duration_s_base") - pl.col("duration_s")
    printed = [number(f"mss.{key}.diff.{d:g}") for key, d in found.select("line", "delay").rows()]
    return found.with_columns(
        rtt_s=pl.Series(rtts_s), printed_s=pl.Series(printed), saved_s=seconds
    ).with_columns(rounds=pl.col("saved_s") / pl.col("rtt_s"), name=pl.col("line").replace(
        {line.key: line.name for line in LINES}))  # fmt: skip


@experiment("MSS-RTO", "study", quick=True)
def mss_rto(lab: Lab) -> Findings:
    """What makes the advantage jump between delays of 0.4 and 0.5 s?"""
    found = saved(lab, VARIANTS, RTO_DELAYS_S)
    late = found.filter(pl.col("delay").is_in(LATE_S))

    def span(variant: str) -> str:
        rounds = late.filter(variant=variant)["rounds"]
        return f"{min(rounds):.1f} to {max(rounds):.1f}"

    norto = {}
    for line in LINES:
        patient = dict(late.filter(variant=PATIENT, line=line.key).select("delay", "rounds").rows())
        norto[f"mss.{line.key}.norto"] = Measured(
            {f"{delay_s:g} s": round(rounds, 2) for delay_s, rounds in patient.items()},
            all(abs(rounds - 3) <= NEAR_RTTS for rounds in patient.values()),
        )
    drawn = pl.concat(found.filter(variant=v) for v in (LITERALLY, SYN, PATIENT, HALF_FLIGHT))
    rings = {line.key: found.filter(variant=LITERALLY, line=line.key) for line in LINES}
    return Findings(
        measured=norto,
        answers=[
            "From 0.5 s on the paper's rules by its words, a threshold that the data's timeout "
            f"halves and equation 3 with delayed ACKs, save {span(LITERALLY)} round trips; if the "
            f"SYN's timeout halves the threshold too, {span(SYN)}. With an initial RTO of 3 s no "
            f"data times out and {span(PATIENT)} are left: the jump is what a timer shorter than "
            "the path does to slow start. A threshold of half the flight gives "
            f"{span(HALF_FLIGHT)} with equation 3 and {span(BOTH)} with a segment per round trip.",
        ],
        tables=[table("timeout", "Round trips that modified Swift Start saves, one input moved at "
                      "a time", found.pivot("delay", index=["variant", "name"], values="rounds"))],
        pictures=[lines(
            "timeout", "Round trips saved over the line's delay; rings: Tables 2 and 3",
            *(panel(drawn.filter(line=line.key), ("delay", Axis("delay of the line (s)")),
                    ("rounds", Axis("difference (round trips)", limits=(-1, None))), "variant",
                    title=line.name, published={LITERALLY: (
                        RTO_DELAYS_S,
                        (rings[line.key]["printed_s"] / rings[line.key]["rtt_s"]).to_list())})
              for line in LINES))],
    )  # fmt: skip


# How far an ACK timer that is a ticking clock moves the differences of Tables 2 and 3.
#
# Table 1 calls the delayed ACKs "segment/clock based". A clock that ticks every 0.2 s, whatever
# comes when, makes a lone segment's ACK wait anything up to that, and in each run something else.
# The set-up's timer begins with the segment; so here it takes values between nothing and 0.2 s.

TIMERS = {f"{ms}": replace(LITERAL, stack={"ack_timer": f"{ms}ms"})
          for ms in (25, 50, 75, 100, 125, 150, 175, 200)}  # fmt: skip
"""All longer than T1 takes for a packet: of two segments in a row only one is acknowledged."""
EARLY_S = tuple(delay_s for delay_s in DELAYS_S if delay_s not in LATE_S)
"""Delays at which nothing times out."""


@experiment("MSS-CLOCK", "study")
def mss_clock(lab: Lab) -> Findings:
    """Can an ACK timer that is a ticking clock be why the differences below 0.5 s are irregular?"""
    slow, own, both = (pl.col(name) for name in ("duration_s_base", "duration_s", "saved_s"))
    found = saved(lab, TIMERS, EARLY_S).group_by("name", "delay", maintain_order=True).agg(
        pl.col("rtt_s", "printed_s", "saved_s").last(),
        least=both.min(), most=both.max(), apart_low=slow.min() - own.max(),
        apart_high=slow.max() - own.min()).sort("name", "rtt_s", descending=[True,
                                                                             False])  # fmt: skip
    printed = pl.col("printed_s")
    found = found.with_columns(
        within=printed.is_between("least", "most"),
        within_apart=printed.is_between("apart_low", "apart_high"),
        rounds=pl.col("saved_s") / pl.col("rtt_s"),
        rounds_low=pl.col("apart_low") / pl.col("rtt_s"),
        rounds_high=pl.col("apart_high") / pl.col("rtt_s"),
        printed=printed / pl.col("rtt_s"),
    )
    by_line = {line.name: found.filter(name=line.name) for line in LINES}
    curve = "slow start minus modified Swift Start"
    return Findings(
        answers=[
            f"Over {name} up to a delay of 0.4 s, {sum(each['within'])} of {len(each)} published "
            f"differences are within what one timer for both runs spans, and "
            f"{sum(each['within_apart'])} within what a timer for each does."
            for name, each in by_line.items()
        ],
        tables=[table("ack_clock", "Differences with ACK timers from 25 to 200 ms, seconds",
                      found)],
        pictures=[lines(
            "ack_clock", "The difference in connection time with 0.2 s for each lone segment, and "
            "(shaded) what any timers up to that in either run span",
            *(panel(each, ("rtt_s", Axis("round-trip time (s)", "log", ticks=(0.1, 0.2, 0.5, 0.9))),
                    ("rounds", Axis("difference (round trips)", limits=(-2, 6))), name=curve,
                    title=name,
                    published={curve: (each["rtt_s"].to_list(), each["printed"].to_list())})
              for name, each in by_line.items()))],
    )  # fmt: skip


# The second pair over OC-1: the routers' processors press it together or pull it apart.
#
# Each router forwards with one processor for both directions. The acknowledgement of the first pair
# meets the second pair at the receiver's router. Over the printed access link it comes when the
# second pair's first segment is being served, and takes its turn between the two. Without this link
# it comes before that segment; both of its segments wait, and leave as close together as the
# processor allows, closer than the line could have sent them.

SHORTEST_S = 0.0001
RATES = (4400, 4600, 4800, 5000, 5500, 6000, 7000, 8000, 9000, 10_000, 12_000, 15_000, 20_000)
"""Packets a second; above 4320 the processor is faster than the line."""
LINE_GAP_S = 8 * (MSS + HEADER) / OC1.bps
ACCESS = {"100 Mbit/s": LITERAL, "none": replace(LITERAL, base="access", path=DIRECT)}
"""The receiver's link, as printed and without; then the base round trip is the sender's."""


@experiment("MSS-P", "Table 3, second window", quick=True)
def mss_p(lab: Lab) -> Findings:
    """Why is the second window over OC-1 larger than the line allows?"""
    setups = {
        (access, float(rate)): replace(
            ACCESS[access], path={**ACCESS[access].path, "router_pps": rate}
        )
        for access, rate in product(ACCESS, RATES)
    }
    setups |= {
        ("no processors", 0.0): replace(LITERAL, path={"router_pps": None}),
        ("base round trip on the access links", 0.0): replace(LITERAL, base="access"),
        ("none, base round trip on the line", 0.0): replace(LITERAL, path=DIRECT),
    }
    pairs = lab.runs(
        [each.probe(OC1, SHORTEST_S) for each in setups.values()], measures.pairs, trace=True
    )
    found = pl.DataFrame(
        {"link": link, "pps": pps, "gap1_us": 1e6 * first["gap_s"],
         "gap2_us": 1e6 * second["gap_s"],
         "cwnd1": first["window"], "cwnd2": second["window"],
         "capacity off (%)": 100 * (LINE_GAP_S / second["gap_s"] - 1)}
        for (link, pps), (first, second) in zip(setups, pairs, strict=True)
    )  # fmt: skip
    printed, direct = (
        found.filter(link=link, pps=float(ROUTER_PPS)).row(0, named=True) for link in ACCESS
    )
    second = dict(zip(setups, (pair[1]["gap_s"] for pair in pairs), strict=True))
    swept = found.filter(pl.col("pps") > 0)
    curves = pl.concat([
        swept.filter(link="100 Mbit/s").select("pps", gap="gap1_us", curve=pl.lit("first pair, as "
                                               "the line sends it")),
        swept.select("pps", gap="gap2_us", curve=pl.format("second pair, receiver's link {}",
                                                           "link")),
    ])  # fmt: skip
    implied = 1e6 * number("mss.pp.compression")
    return Findings(
        measured={"mss.pp.compression": second["100 Mbit/s", float(ROUTER_PPS)]},
        answers=[
            f"The first pair arrives {printed['gap1_us']:.1f} µs apart, as the line sends it, and "
            f"the second {printed['gap2_us']:.1f} µs apart, so that the capacity is off by "
            f"{printed['capacity off (%)']:+.0f} %. With a receiver right behind its router, and "
            f"the base round trip on the sender's side, it is {direct['gap2_us']:.1f} µs, and the "
            f"window is the published one, {direct['cwnd2']} bytes: "
            f"{direct['capacity off (%)']:+.0f} %.",
            "Without the processors the second pair arrives "
            f"{1e6 * second['no processors', 0.0]:.1f} µs apart.",
        ],
        tables=[table("processor", "Gaps that the receiver measures (µs), and windows (bytes), "
                      "over OC-1, by the receiver's link and the routers' packets a second",
                      found)],
        pictures=[lines(
            "processor", "The gap of the second pair over the routers' forwarding rate; ring: what "
            "the published second windows imply",
            panel(curves, ("pps", Axis("forwarding rate of each router (packets/s)", "log",
                                       ticks=(5000, 10000, 20000))),
                  ("gap", Axis("gap at the receiver (µs)", limits=(0, None))), "curve",
                  published={"second pair, receiver's link none": ([ROUTER_PPS], [implied])}))],
    )  # fmt: skip


# The fraction that the original Swift Start uses and its modification drops: α from 1 to 8.
#
# The original divides its estimate by α for fear of an over-estimate. Here it divides the time
# between two ACKs by the segments they cover, for with the paper's delayed ACKs each pair has only
# one ACK. Alone the receiver's window does not cut the estimate off; with competing flows all have
# the paper's window of 44 segments. Over OC-1 the routers have no limit: with 5000 packets a second
# for both directions they, not the line, would be the bottleneck.

ALPHAS = (1, 2, 3, 4, 5, 6, 7, 8)
CATALOG = "slow-start:growth=per-ack"
DIVIDED = {
    "slow start": CATALOG,
    **{f"α = {a}": f"swift-start:alpha={a},growth=per-ack,ack_spacing=per-segment" for a in ALPHAS},
    MODIFIED: "modified-swift-start:growth=per-ack",
}
SLOW = {"startup": CATALOG, "cc": AVOIDANCE}
SHORT_EVERY = f"{8 * 30_000 / (0.5 * T1.bps) * 1e9:.0f}ns"
"""Between transfers of 30 kB that take half of T1 on average."""
LONG = [SLOW | {"size": "2MB"}]
"""One transfer that has filled the line when a startup is tried beside it."""
SHORT = [SLOW | {"size": "30000B", "count": 40, "stagger": SHORT_EVERY, "jitter": SHORT_EVERY}]
NO_PROCESSORS: dict[str, Any] = {"router_pps": None}
LOADED: dict[str, tuple[Line, str, dict[str, Any], list[dict[str, Any]]]] = {
    "T1, endless buffer": (T1, "200kB", {}, []),
    "OC-1, endless buffer": (OC1, "5MB", NO_PROCESSORS, []),
    "T1, buffer of 10 packets": (T1, "200kB", {"buffer": "10pkt"}, []),
    "OC-1, buffer of 0.1 BDP": (OC1, "5MB", NO_PROCESSORS | {"buffer": "0.1bdp"}, []),
    "T1, next to a long transfer": (T1, "200kB", {"buffer": "1bdp"}, LONG),
    "T1, next to short transfers": (T1, "200kB", {"buffer": "1bdp"}, SHORT),
}
"""Lines with sizes, path and the flows beside."""


def divided(path: str, startup: str, seed: int) -> Document:
    """A path with its load under a startup."""
    line, size, fields, others = LOADED[path]
    stack: Mapping[str, Any] = {} if others else WIDE
    rtt_s = line.rtt_s(DELAY_S)
    document = transfer(line, rtt_s, DIVIDED[startup], size=size, path=fields, **stack)
    if not others:
        return document
    tried = document["flows"][0] | {"start": "4.0s", "jitter": f"{rtt_s * 1e9:.0f}ns"}
    return document | {"seed": seed, "flows": [tried, *others]}


@experiment(
    "MSS-ALPHA", "study",
    "What does each fraction of the estimate give, alone, with short buffers and next to another "
    "transfer?",
)  # fmt: skip
def mss_alpha(lab: Lab) -> Findings:
    """Every divisor on every path."""
    cases: list[Case] = [case for case in grid(path=LOADED, startup=DIVIDED, seed=SEEDS)
                         if case["seed"] == 1 or LOADED[case["path"]][3]]  # fmt: skip
    runs = lab.frame(divided, cases, measures.begun, trace=True)
    columns = [name for name in runs.columns if name not in ("path", "startup", "seed")]
    found = means(runs, ["path", "startup"], *columns)
    slow = found.filter(startup="slow start").select("path", base_s="duration_s")
    found = found.join(slow, on="path", maintain_order="left").with_columns(
        window_bdp=pl.col("window_pkts") / pl.col("bdp_pkts"),
        queue_bdp=pl.col("queue_pkts") / pl.col("bdp_pkts"),
        dropped_bdp=pl.col("dropped") / pl.col("bdp_pkts"),
        ratio=pl.col("duration_s") / pl.col("base_s"),
    )
    alphas = found.filter(pl.col("startup").str.starts_with("α")).with_columns(
        alpha=pl.col("startup").str.slice(4).cast(int)
    )
    best = alphas.sort("duration_s").group_by("path", maintain_order=True).first()
    alone = found.filter(pl.col("path").is_in([p for p, each in LOADED.items() if not each[3]]))
    labels = {"window_bdp": "first window (BDP)", "queue_bdp": "largest queue (BDP)",
              "dropped_bdp": "segments dropped (BDP)",
              "ratio": "time over slow start's"}  # fmt: skip
    return Findings(
        answers=[
            f"Alone, whatever α is, at most {max(alone['paced_queue_pkts']):.0f} packets wait in "
            "the paced round trip: pacing keeps the whole estimate out of the queue. What is lost "
            "is lost by the slow start that continues from it.",
            "Fastest are " + "; ".join(
                f"{row['path']}: {row['startup']} with {row['duration_s']:.2f} s (slow start "
                f"{row['base_s']:.2f} s)" for row in best.rows(named=True)) + ".",
        ],
        tables=[table("fraction", f"The divisor of the estimate, delay {DELAY_S:g} s; means over "
                      f"{len(SEEDS)} seeds where others are there", found.select(
                          "path", "startup", *columns, "duration_s_low", "duration_s_high"))],
        pictures=[lines("fraction", "What the divisor α gives: window, queue, losses, and "
                        "connection time", *(panel(alphas, ("alpha", Axis("divisor α")),
                                        (column, Axis(label, limits=(0, None))), "path",
                                        level={"slow start": 1.0} if column == "ratio" else None)
                                  for column, label in labels.items()))],
    )  # fmt: skip


# The comparisons that the paper names and does not show: the original, Quick-Start, Jump Start,
# BIC.
#
# The initial RTO is 3 s here, so that no startup is judged by a timer that is shorter than the
# path.

SCHEMES = {
    "slow start": ("slow-start", AVOIDANCE),
    "slow start and BIC": ("slow-start", "bic"),
    SWIFT: ("swift-start", AVOIDANCE),
    MODIFIED: ("modified-swift-start", AVOIDANCE),
    "Quick-Start": ("quick-start", AVOIDANCE),
    "Jump Start": ("jump-start", AVOIDANCE),
}
PROMISED_DELAYS_S = (0.0001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8)
BUFFERS = {"endless": NO_QUEUE_LIMIT, "1 BDP": "1bdp"}
FLOWS = 4
"""Of the scheme, and as many beside them."""


def schemed(line: str, delay: float, scheme: str, path: Any = None, **fields: Any) -> Document:
    """One flow of a scheme, with routers that answer requests."""
    startup, cc = SCHEMES[scheme]
    threshold = "" if "window" in fields else f",{THRESHOLD}"
    links = {"quick_start": {"admission": "rfc"}, **(path or {})}
    spec = f"{startup}:growth=per-ack{threshold}"
    rtt_s = BY_KEY[line].rtt_s(delay)
    return transfer(BY_KEY[line], rtt_s, spec, cc=cc, path=links, rto_initial="3s", **fields)


def eight(buffer: str, scheme: str, other: str, seed: int) -> Document:
    """Flows that open in turn over T1, the scheme's and those beside them."""
    document = schemed("t1", DELAY_S, scheme, {"buffer": BUFFERS[buffer]}, size="1MB")
    flows = [
        {"startup": f"{SCHEMES[one][0]}:growth=per-ack,{THRESHOLD}", "cc": SCHEMES[one][1],
         "size": "1MB", "count": FLOWS, "start": f"{start_s}s", "stagger": "1.0s", "jitter": "0.5s"}
        for one, start_s in ((scheme, 0.0), (other, 0.5))
    ]  # fmt: skip
    return document | {"seed": seed, "flows": flows}


def together(run: Run) -> dict[str, float]:
    """Mean times of the scheme's flows and of those beside them, and what was dropped."""
    took_s = [row["duration_s"] for row in run.records]
    return {
        "scheme_s": sum(took_s[:FLOWS]) / FLOWS,
        "beside_s": sum(took_s[FLOWS:]) / FLOWS,
        "dropped": sum(row["packets_dropped"] for row in run.records),
    }


@experiment(
    "MSS-PROMISED", "study",
    "How does it compare with Swift Start, Quick-Start, Jump Start and BIC, and with competing "
    "flows?",
)  # fmt: skip
def mss_promised(lab: Lab) -> Findings:
    """One flow alone, one with a wide window, and eight at once."""
    axes = {"line": BY_KEY, "ack": ("delayed", "every"), "delay": PROMISED_DELAYS_S}
    flows = lab.frame(schemed, grid(**axes, scheme=SCHEMES), measures.connection)
    rtts = [BY_KEY[key].rtt_s(d) for key, d in flows.select("line", "delay").rows()]
    alone = versus(flows.with_columns(rtt_s=pl.Series(rtts)), "slow start", list(axes),
                   "scheme").with_columns(
        rounds=(pl.col("duration_s" + BASE) - pl.col("duration_s")) / pl.col("rtt_s"),
        name=pl.col("line").replace({line.key: line.name for line in LINES}))  # fmt: skip
    wide = lab.frame(
        lambda line, buffer, scheme: schemed(
            line, DELAY_S, scheme, {"buffer": BUFFERS[buffer]}, **WIDE
        ),
        grid(line=BY_KEY, buffer=BUFFERS, scheme=SCHEMES),
        measures.connection,
    )
    cases = [case for case in grid(buffer=BUFFERS, scheme=SCHEMES, other=SCHEMES, seed=SEEDS)
             if case["other"] in (case["scheme"], "slow start")]  # fmt: skip
    key = ["buffer", "scheme", "other"]
    shared = means(lab.frame(eight, cases, together), key, "scheme_s", "beside_s", "dropped")
    times = by_case(shared.filter(buffer="endless"), ("scheme", "other"), "scheme_s")
    beside = by_case(shared.filter(buffer="endless"), ("scheme", "other"), "beside_s")
    took = by_case(wide.filter(line="oc1", buffer="endless"), "scheme", "duration_s")
    spans = alone.group_by("scheme", "ack", maintain_order=True).agg(
        least=pl.col("rounds").min().round(1), most=pl.col("rounds").max().round(1))  # fmt: skip
    return Findings(
        answers=[
            "Round trips saved over slow start alone: " + "; ".join(
                f"{scheme}, ACKs {ack}: {least:.1f} to {most:.1f}"
                for scheme, ack, least, most in spans.rows()) + ".",
            f"With a window of 16 MB over OC-1 at a delay of {DELAY_S:g} s modified Swift Start is "
            f"done after {took[MODIFIED]:.1f} s and slow start after {took['slow start']:.1f} s.",
            f"Of eight flows over T1, four with modified Swift Start take "
            f"{times[MODIFIED, 'slow start']:.1f} s instead of "
            f"{times['slow start', 'slow start']:.1f} s and the four next to them "
            f"{beside[MODIFIED, 'slow start']:.1f} s; if all eight use it they take "
            f"{times[MODIFIED, MODIFIED]:.1f} s.",
        ],
        tables=[
            table("promised_alone", "One flow of 10 MB: round trips saved",
                  alone.pivot("scheme", index=["name", "ack", "delay"], values="rounds")),
            table("promised_wide", "One flow of 10 MB with a window of 16 MB, delay 0.1 s. Over "
                  "OC-1 packets wait for the routers' processors, before the line and its buffer",
                  wide),
            table("promised_shared", "Eight flows of 1 MB over T1, delay 0.1 s: means over "
                  f"{len(SEEDS)} seeds", shared),
        ],
        pictures=[lines(
            "promised", "Round trips saved over slow start, one flow of 10 MB, delayed ACKs",
            *panels_by(alone.filter(ack="delayed"), "name", "{}", ("delay", DELAY_AXIS),
                       ("rounds", Axis("round trips saved")), "scheme"))],
    )  # fmt: skip


# What modified Swift Start puts on the routers' queues, which the paper leaves to the future.
#
# Its last section asks for the effect of the redundant data that each connection adds, and whether
# they can congest a router. Each connection adds an option of eight bytes for each pair; and it
# sends a whole estimate of the path in its second round trip, whoever else does the same. So
# several connections begin within one round trip over T1, each with the paper's hosts. Slow start
# is the catalog's here, because after a timeout all startups must go on by the same rule.

QUEUED = {
    "slow start": f"{CATALOG},{THRESHOLD}",
    **{f"Swift Start, α = {a}": f"{DIVIDED[f'α = {a}']},{THRESHOLD}" for a in (8, 4, 2)},
    MODIFIED: LITERAL.modified,
}  # fmt: skip
CONNECTIONS = (1, 2, 4, 8, 16)


def opened_together(buffer: str, connections: int, startup: str, seed: int) -> Document:
    """Connections of 100 kB that open within one round trip."""
    document = transfer(T1, RTT_S, QUEUED[startup], size="100kB", path={"buffer": BUFFERS[buffer]})
    flow = document["flows"][0] | {"count": connections, "jitter": f"{RTT_S * 1e9:.0f}ns"}
    return document | {"seed": seed, "flows": [flow]}


@experiment(
    "MSS-QUEUE", "study",
    "What do the data that each connection adds do to the routers' queues, and can they congest "
    "them?",
)  # fmt: skip
def mss_queue(lab: Lab) -> Findings:
    """Connections that begin at once, by their number."""
    key = {"buffer": BUFFERS, "connections": CONNECTIONS, "startup": QUEUED}
    runs = lab.frame(opened_together, grid(**key, seed=SEEDS), measures.crowd)
    found = means(
        runs, list(key), "queue_pkts", "dropped", "twice", "needed", "timeouts", "duration_s"
    )
    (option,) = lab.runs([LITERAL.transfer(T1, DELAY_S, LITERAL.modified)], measures.crowd)
    most = found.filter(connections=CONNECTIONS[-1], buffer="endless")
    slow, own = (most.filter(startup=name).row(0, named=True) for name in ("slow start", MODIFIED))
    lost = by_case(found.filter(connections=16, buffer="1 BDP"), "startup", "dropped")
    shown = (("endless", "queue_pkts", Axis("largest queue (packets)", "log")),
             ("endless", "twice", Axis("segments that arrive twice", limits=(0, None))),
             ("1 BDP", "dropped", Axis("segments dropped", limits=(0, None))),
             ("1 BDP", "duration_s", Axis("time of a connection (s)", "log")))  # fmt: skip
    return Findings(
        answers=[
            f"The option adds {option['option_bytes']:.0f} bytes to the acknowledgements of 10 MB, "
            f"which are {option['reverse_bytes']:.0f}: no router notices. What is sent early does "
            f"count: the largest queue of {CONNECTIONS[-1]} connections is {own['queue_pkts']:.0f} "
            f"packets instead of {slow['queue_pkts']:.0f}. The endless queue outlasts timers, and "
            f"{100 * own['twice'] / own['needed']:.0f} % of the segments arrive twice, under slow "
            f"start {100 * slow['twice'] / slow['needed']:.0f} %; a connection takes "
            f"{own['duration_s']:.1f} s instead of {slow['duration_s']:.1f} s.",
            f"With a buffer of 1 BDP {CONNECTIONS[-1]} connections lose {lost[MODIFIED]:.0f} "
            f"segments instead of {lost['slow start']:.0f}, and α of 8 leaves "
            f"{lost['Swift Start, α = 8']:.0f}.",
        ],
        tables=[table("queues", "Connections of 100 kB that open within one round trip over T1, "
                      f"delay {DELAY_S:g} s: means over {len(SEEDS)} seeds", found)],
        pictures=[lines(
            "queues", "What connections that open together do to the queue before T1, by their "
            "number. Shaded: 95 % confidence",
            *(panel(found.filter(buffer=buffer), ("connections", Axis("connections", "log",
                                                                      ticks=CONNECTIONS)),
                    (column, y), "startup", title=f"buffer: {buffer}") for buffer, column,
                    y in shown))],
    )  # fmt: skip
