"""What Quick-Start does with others on the link, with grants that are not used, and for its use."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any

import numpy as np
import polars as pl

from flowstart.model.document import Document
from flowstart_papers.bootstrap import bootstrap_interval
from flowstart_papers.experiment import Findings, experiment, table
from flowstart_papers.frames import by_case, cell, gain, grid, means, versus
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, lines, panel
from flowstart_papers.quick_start_low_latency import measures
from flowstart_papers.quick_start_low_latency.measures import PACKET_BITS
from flowstart_papers.quick_start_low_latency.setups import (
    DELAYS,
    HIGH,
    HOST_RATE,
    LITERAL,
    LOW,
    MSS,
    RATES,
    SLOW_START,
    TABLE1_KB,
    WEB_SESSION,
    transfer,
)
from flowstart_papers.quick_start_low_latency.transfers import STARTUPS, named
from flowstart_papers.target import Measured

RATE, DELAY = "100Mbps", 20
ROUND_TRIP = LITERAL.round_trip(DELAY)
PACKETS = LITERAL.packets(TABLE1_KB)
SEEDS = range(1, 41)
MUCH = 0.5
"""At most this share of the gain is left where it is much lower."""

# Sec. IV: what routers approve while others use the link.

THRESHOLD = 90
"""The share of a link, in percent, above which its router approves nothing."""
CONNECTIONS = (0, 5, 10, 20, 30, 40, 50, 52, 54, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 70)
FLIGHT = 10
"""Packets in flight, always, of each of the connections that load the link."""


def beside_load(connections: int, startup: str) -> Document:
    """A transfer beside so many connections of a constant flight."""
    alone = transfer(LITERAL, RATE, DELAY, PACKETS, named(LITERAL, startup))
    alone["flows"][0]["start"] = f"{measures.BEGIN}s"
    if connections:
        others = {
            "startup": f"slow-start:iw={FLIGHT},ssthresh={FLIGHT}",
            "cc": "none",
            "count": connections,
            "stagger": f"{1000 * ROUND_TRIP / connections:.3f}ms",
        }
        alone["flows"].append(others)
    return alone | {"duration": "8s"}


@experiment("QS-D2", "Sec. IV")
def qs_d2(lab: Lab) -> Findings:
    """What does a router approve while others use its link?"""
    cases = grid(connections=CONNECTIONS, startup=STARTUPS)
    flows = lab.frame(beside_load, cases, measures.loaded, trace=True)
    found = versus(flows, SLOW_START, ["connections"]).with_columns(
        gain("seconds"), load=100 * pl.col("load_base") / 100e6
    )
    # A refusal leaves slow start's window.
    rates = [0.0 if row["window"] == row["window_base"]
             else measures.granted(row["window"], row["handshake"]) / 1e6
             for row in found.rows(named=True)]  # fmt: skip
    found = found.with_columns(approved=pl.Series(rates)).select(
        "load", "approved", "window", "seconds_base", "seconds", "gain"
    )
    above = found.filter(pl.col("load") >= THRESHOLD)
    approved = found.filter(pl.col("approved") > 0).sort("load")
    first, last = approved.row(0, named=True), approved.row(-1, named=True)
    refused = min(found.filter(approved=0.0)["load"])
    granted = int((above["approved"] > 0).sum())
    load = (
        "load",
        Axis("load by others (% of the link)", limits=(0, 100), ticks=(0, 50, THRESHOLD)),
    )
    return Findings(
        measured={
            "qs.deny.threshold": Measured(
                f"{granted} of {len(above)} approved", len(above) > 0 and not granted
            )
        },
        answers=[
            f"The router approves {first['approved']:.0f} Mbit/s of its {RATES[RATE]} without "
            f"other users and {last['approved']:.2f} Mbit/s at a load of {last['load']:.1f} %, "
            f"with a gain of {first['gain']:.0f} and {last['gain']:.0f} %; from {refused:.1f} % on "
            "it approves nothing.",
        ],
        tables=[table("loaded", f"{TABLE1_KB} kB over {RATES[RATE]} at {DELAY} ms next to a load "
                      "(%): approved rate (Mbit/s), window (packets), and the gain (%)", found)],
        pictures=[lines(
            "loaded", "What is approved, and gained, next to a load; the paper: nothing from 90 % "
                      "on",
            panel(found, load, ("approved", Axis("approved (Mbit/s)")), name="approved"),
            panel(found, load, ("gain", Axis("improvement (%)")), name="improvement"))],
    )  # fmt: skip


# Sec. I and IV: a request is approved, and a burst of somebody else's then takes its packets.

APPROVED = 81.92e6
"""Bit/s: what the idle link approves, 90 % of it rounded down to a code."""
LOST_KB = (TABLE1_KB, 1000)
BURSTS = (0, 50, 100, 150, 175, 200, 250, 300, 400, 500)
"""Packets that another host sends at its line's rate."""
QUEUE = 150


def met_by_burst(kb: int, startup: str, burst: int, seed: int) -> Document:
    """A transfer whose first flight meets a burst, somewhere in it."""
    packets = LITERAL.packets(kb)
    found = transfer(LITERAL, RATE, DELAY, packets, named(LITERAL, startup))
    flight = min(packets * PACKET_BITS / APPROVED, ROUND_TRIP)
    other = {
        "startup": f"slow-start:iw={burst},ssthresh={burst}",
        "cc": "none",
        "size": f"{burst}pkt",
        "handshake": False,
        "start": f"{1000 * ROUND_TRIP:g}ms",
        "jitter": f"{1000 * flight:g}ms",
    }
    return found | {"seed": seed, "flows": [*found["flows"], *([other] if burst else [])]}


@experiment("QS-LOST", "Sec. I and IV")
def qs_lost(lab: Lab) -> Findings:
    """What becomes of an approved transfer whose packets are then lost?"""
    cases = grid(kb=LOST_KB, burst=BURSTS, startup=STARTUPS, seed=SEEDS)
    flows = lab.frame(met_by_burst, cases, measures.burst, trace=True)
    pairs = versus(flows, SLOW_START, ["kb", "burst", "seed"]).with_columns(gain("seconds"))
    found = pairs.group_by("kb", "burst", maintain_order=True).agg(
        "gain", longer=100 * (pl.col("gain") < 0).mean(),
        **{f"{what}{end}": 100 * (pl.col(f"{what}{end}") > 0).mean()
           for what in ("dropped", "timeouts") for end in ("", "_base")})  # fmt: skip
    bounds = [bootstrap_interval(values, np.median) for values in found["gain"].to_list()]
    found = found.with_columns(
        pl.col("gain").list.median(),
        gain_low=pl.Series([low for low, _ in bounds]),
        gain_high=pl.Series([high for _, high in bounds]),
    )
    # All of 120 kB leaves in the approved flight; more would lose packets of later flights too.
    small = pairs.filter(kb=TABLE1_KB)
    lossy = small.filter(pl.col("burst") > QUEUE)["gain"].to_list()
    middle = median(lossy)
    rows = {kb: found.filter(kb=kb, burst=300).row(0, named=True) for kb in LOST_KB}
    undisturbed = {kb: cell(found, "gain", kb=kb, burst=0) for kb in LOST_KB}
    burst = ("burst", Axis("burst (packets)"))
    losses = pl.concat(
        found.select("burst", curve=pl.format("{}, {} kB", pl.lit(name), "kb"), share=column)
        for name, column in (("slow start", "dropped_base"), ("Quick-Start", "dropped"))
    )
    return Findings(
        measured={
            "qs.lost.revert": max(small["window"].drop_nulls()),
            "qs.lost.lower": Measured(
                round(middle, 1),
                middle < MUCH * undisturbed[TABLE1_KB],
                bootstrap_interval(lossy, np.median),
                len(SEEDS),
            ),
        },
        answers=[
            f"With {kb} kB Quick-Start saves {undisturbed[kb]:.1f} % undisturbed. Next to a burst "
            f"of 300 packets it loses packets in {at['dropped']:.0f} % of the seeds (slow start in "
            f"{at['dropped_base']:.0f} %), meets a timeout in {at['timeouts']:.0f} %, and its "
            f"improvement is {at['gain']:.1f} % ({at['gain_low']:.1f} to {at['gain_high']:.1f}); "
            f"in {at['longer']:.0f} % it takes longer than slow start."
            for kb, at in rows.items()
        ],
        tables=[table("lost", f"Transfers next to a burst, {len(SEEDS)} seeds: median gain (%), "
                      "and the share of seeds with a longer time, losses and timeouts", found)],
        pictures=[lines(
            "lost",
            f"Improvement at {RATES[RATE]} and {DELAY} ms when a burst meets the first flight: "
            "medians with 95 % intervals, and how often packets are lost",
            panel(found, burst, ("gain", Axis("improvement (%)")), "kb", name="{} kB"),
            panel(losses, burst, ("share", Axis("seeds in which packets are lost (%)")), "curve"))],
    )  # fmt: skip


# Senders that are granted a rate which they then cannot use, and what it costs others.

READY = 3
"""Packets that the application has when the connection opens; slow start would send as many."""
WAITS = (0, 0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 5)
"""Round trips after the first packets left until the application has the rest of 120 kB."""
STREAMS = (1, 2, 5, 10, 20, 40)
"""Mbit/s that an application writes evenly."""
CHUNK_S = 0.01
STREAM_S = 1.0
ASKS = (0.05, 0.1, 0.2, 0.5, 1, 2)
"""Seconds from one request of a host to its next; it sends a packet on each approval."""
OFTEN = 0.2
BEGIN_S, JITTER_S = 3.0, 2.0
"""When somebody else opens a connection beside it."""


def waiting(startup: str, wait: float) -> Document:
    """120 kB, of which the application has three packets at first and the rest later."""
    first = {"size": f"{READY * MSS}B", "at": "0s"}
    # The first packets leave when the handshake is done.
    at = f"{1000 * ROUND_TRIP * (1 + wait):g}ms"
    return _writing(startup, [first, {"size": f"{(PACKETS - READY) * MSS}B", "at": at}])


def streaming(startup: str, mbps: float) -> Document:
    """An application that writes evenly for a second, less than is granted."""
    size, chunks = round(mbps * 1e6 / 8 * CHUNK_S), round(STREAM_S / CHUNK_S)
    writes = [{"size": f"{size}B", "at": f"{1000 * CHUNK_S * i:g}ms"} for i in range(chunks)]
    return _writing(startup, writes)


def _writing(startup: str, writes: list[dict[str, str]]) -> Document:
    startup = named(LITERAL, startup)
    found = transfer(LITERAL, RATE, DELAY, 1, startup)
    return found | {"flows": [{"startup": startup, "writes": writes}]}


def beside_requests(startup: str, every: float, seed: int) -> Document:
    """Table I's transfer beside a host that asks over and over and sends little; 0 is for none."""
    found = transfer(LITERAL, RATE, DELAY, PACKETS, named(LITERAL, startup))
    found["flows"][0] |= {"start": f"{BEGIN_S:g}s", "jitter": f"{JITTER_S:g}s"}
    if every:
        asking = {
            "startup": LITERAL.quick_start,
            "size": "1pkt",
            "count": round((BEGIN_S + JITTER_S) / every) + 1,
            "stagger": f"{1000 * every:g}ms",
        }
        found["flows"].append(asking)
    return found | {"seed": seed}


@experiment("QS-LIMITED", "Sec. IV")
def qs_limited(lab: Lab) -> Findings:
    """What does a grant do that its sender cannot use, for the sender and for others?"""
    waits = versus(lab.frame(waiting, grid(wait=WAITS, startup=STARTUPS), measures.last_write),
                   SLOW_START, ["wait"]).with_columns(gain("seconds"))  # fmt: skip
    streams = versus(lab.frame(streaming, grid(mbps=STREAMS, startup=STARTUPS), measures.lateness),
                     SLOW_START, ["mbps"])  # fmt: skip
    cases = grid(every=(0, *ASKS), startup=STARTUPS, seed=SEEDS)
    pairs = versus(lab.frame(beside_requests, cases, measures.served, trace=True), SLOW_START,
                   ["every", "seed"]).with_columns(
        gain("seconds"), refused=100.0 * (pl.col("window") == pl.col("window_base")))  # fmt: skip
    found = means(pairs, ["every"], "gain", "refused")
    nobody, often = (found.filter(every=every).row(0, named=True) for every in (0, OFTEN))
    at = by_case(waits, "wait", "gain")
    least, most = streams.row(0, named=True), streams.row(-1, named=True)
    return Findings(
        measured={
            "qs.unused.denies": Measured(
                round(often["gain"], 1),
                often["gain"] < MUCH * nobody["gain"],
                (often["gain_low"], often["gain_high"]),
                len(SEEDS),
            )
        },
        answers=[
            f"An application that has all but {READY} packets of {TABLE1_KB} kB a moment later "
            f"gains {at[0]:.1f} % of the time for the rest, {at[1]:.1f} % when the rest comes a "
            "round trip later.",
            f"A stream of {STREAMS[0]} Mbit/s is delivered {1000 * least['seconds_base']:.1f} ms "
            f"after it was written with slow start and {1000 * least['seconds']:.1f} with "
            f"Quick-Start, one of {STREAMS[-1]} Mbit/s {1000 * most['seconds_base']:.0f} and "
            f"{1000 * most['seconds']:.0f}.",
            f"Next to a host that requests everything every {OFTEN:g} s and sends a packet, "
            f"{often['refused']:.0f} % of the requests of others are refused and they gain "
            f"{often['gain']:.1f} % ({often['gain_low']:.1f} to {often['gain_high']:.1f}), where "
            f"they gain {nobody['gain']:.1f} % alone.",
        ],
        tables=[
            table("limited-waits", f"Time for the rest of {TABLE1_KB} kB, by round trips until it "
                  "comes", waits),
            table("limited-streams", "From writing to delivery, mean over the first second",
                  streams),
            table("limited-beside", "A transfer next to requests that are not used, by seconds "
                  "between them: gain, and refusals (%)", found),
        ],
        pictures=[lines(
            "limited",
            f"Grants that are not used, {RATES[RATE]} and {DELAY} ms. Left: what an application "
            f"gains whose rest comes later. Right: what a transfer of {TABLE1_KB} kB gains next to "
            "a host that requests and sends a packet, with the 95 % interval",
            panel(waits, ("wait", Axis("rest of the data comes after (round trips)")),
                  ("gain", Axis("improvement of the time for the rest (%)", limits=(-5, 80))),
                  name="time for the rest"),
            panel(found.filter(pl.col("every") > 0),
                  ("every", Axis("a host requests every (s)", "log", ticks=ASKS)),
                  ("gain", Axis("improvement (%)", limits=(-5, 80))),
                  name=f"next to unused requests, {len(SEEDS)} seeds",
                  level={"no requests": nobody["gain"]}))],
    )  # fmt: skip


# The abstract's second claim: what Quick-Start does for the use of the network.

ROUND_TRIPS = (5, 10, 20, 40, 80)
EARLY, LATE = 10, 80
"""Round trips over which the use of the link is compared."""
SESSIONS = {2: range(1, 25), 10: range(1, 7)}
"""Web sessions, with their seeds: N/2 of the paper's N, which it does not give."""
PRINTED_SESSIONS = 2
UNDERUSED = ("100Mbps", "1Gbps")
"""The rates on which these sessions leave room, as in the networks that the abstract speaks of."""
REQUESTS = {
    "what is queued": LITERAL.asking(sizing="data").quick_start,
    "163.84 Mbit/s": LITERAL.asking(request="163.84Mbps").quick_start,
}
"""Other interpretations of what is asked for, with the startup."""


def alone(rate: str, delay: int, startup: str, round_trips: int) -> Document:
    """A transfer without end, in its first so many round trips."""
    document = transfer(LITERAL, rate, delay, 1, named(LITERAL, startup))
    del document["flows"][0]["size"]
    return document | {"duration": f"{round_trips * LITERAL.round_trip(delay):g}s"}


def web(rate: str, delay: int, startup: str, sessions: int, seed: int) -> Document:
    """Web sessions for ten seconds and twenty round trips; all servers have the startup."""
    startup = REQUESTS.get(startup) or named(LITERAL, startup)
    document = transfer(LITERAL, rate, delay, 1, startup)
    return document | {
        "seed": seed,
        "flows": [],
        "web": [WEB_SESSION | {"startup": startup, "sessions": sessions, "direction": "forward"}],
        "duration": f"{10 + 20 * LITERAL.round_trip(delay):g}s",
    }


def relative(slow: Sequence[float], quick: Sequence[float]) -> tuple[float, float, float]:
    """How much more Quick-Start uses in percent of slow start's use, with the 95 % interval."""

    def of(seeds: Any, axis: int = 0) -> Any:
        before, after = (np.asarray(each)[seeds].mean(axis=axis) for each in (slow, quick))
        return 100 * (after / before - 1)

    numbers = range(len(slow))
    return float(of(np.asarray(numbers))), *bootstrap_interval(numbers, of)


def compared_use(flows: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """The use of the link by case, as its means over seeds and what Quick-Start adds to them."""
    pairs = versus(flows, SLOW_START, [*key, "seed"])
    by = [*key, *(["startup"] if pairs["startup"].n_unique() > 1 else [])]
    cases = pairs.group_by(by, maintain_order=True).agg(
        pl.col("used", "used_base"),
        approved=100 * pl.col("approved").sum() / pl.col("asked").sum(),
    )
    more = [relative(row["used_base"], row["used"]) for row in cases.rows(named=True)]
    return cases.with_columns(
        pl.col("used", "used_base").list.mean(),
        points=pl.col("used").list.mean() - pl.col("used_base").list.mean(),
        more=pl.Series([one[0] for one in more]),
        more_low=pl.Series([one[1] for one in more]),
        more_high=pl.Series([one[2] for one in more]),
    )


@experiment("QS-UTIL", "abstract")
def qs_util(lab: Lab) -> Findings:
    """How much better is the network used with Quick-Start, at low and at high latency?"""
    place = {"delay": DELAYS, "rate": RATES}
    cases = grid(**place, round_trips=ROUND_TRIPS, startup=STARTUPS)
    flows = lab.frame(alone, cases, measures.used).rename({"value": "used"})
    early = versus(flows, SLOW_START, ["delay", "rate", "round_trips"]).with_columns(
        points=pl.col("used") - pl.col("used_base"), ratio=pl.col("used") / pl.col("used_base"),
        name=pl.col("rate").replace(RATES))  # fmt: skip
    sessions = [case for n, seeds in SESSIONS.items()
                for case in grid(**place, sessions=[n], startup=STARTUPS, seed=seeds)]  # fmt: skip
    key = ["sessions", "rate", "delay"]
    found = compared_use(lab.frame(web, sessions, measures.sessions_used), key).with_columns(
        name=pl.col("rate").replace(RATES)
    )
    asked = grid(rate=UNDERUSED, delay=(10, 200), sessions=[PRINTED_SESSIONS],
                 startup=(*STARTUPS, *REQUESTS), seed=SESSIONS[PRINTED_SESSIONS])  # fmt: skip
    requests = compared_use(lab.frame(web, asked, measures.sessions_used), key)
    printed = found.filter(sessions=PRINTED_SESSIONS)
    points = {n: fmean(early.filter(round_trips=n)["points"]) for n in (EARLY, LATE)}
    low, high = (
        {rate: fmean(printed.filter(pl.col("rate") == rate, pl.col("delay").is_in(delays))["more"])
         for rate in UNDERUSED}
        for delays in (LOW, HIGH)
    )  # fmt: skip
    x = ("delay", Axis("one-way delay (ms)", "log", ticks=(1, 3, 10, 50, 200, 1000)))
    first = early.filter(round_trips=EARLY)
    best = {rate: printed.filter(rate=rate).sort("more").row(-1, named=True) for rate in UNDERUSED}
    near, far = (first.filter(rate="1Gbps", delay=delay).row(0, named=True) for delay in (10, 500))
    lone, others = f"lone transfer, first {EARLY} round trips", f"{PRINTED_SESSIONS} web sessions"
    ratio = Axis("use with Quick-Start / with slow start", "log")
    return Findings(
        measured={
            "qs.util.early": Measured(
                {f"first {n} round trips": round(points[n], 1) for n in (EARLY, LATE)},
                points[EARLY] > points[LATE],
            ),
            "qs.util.low": Measured(
                {f"{RATES[rate]}, {name} latency": round(each[rate], 2) for rate in UNDERUSED
                 for name, each in (("low", low), ("high", high))},
                all(low[rate] < high[rate] / 2 for rate in UNDERUSED),
                seeds=len(SESSIONS[PRINTED_SESSIONS]),
            ),
        },
        answers=[
            f"In the first {EARLY} round trips of a lone transfer on 1 Gbit/s Quick-Start raises "
            f"the use of the link from {near['used_base']:.1f} to {near['used']:.1f} % at 10 ms "
            f"and from {far['used_base']:.2f} to {far['used']:.1f} % at 500 ms, where the "
            "advertised window is the limit.",
            *(f"{PRINTED_SESSIONS} web sessions use {RATES[rate]} by {one['more']:.0f} % more with "
              f"Quick-Start at {one['delay']} ms, the maximum ({one['more_low']:.0f} to "
              f"{one['more_high']:.0f})." for rate, one in best.items()),
        ],
        tables=[
            table("utilisation-early", "Use of the link by a lone transfer without end (%)",
                  early.select(
                "name", "delay", "round_trips", "used_base", "used", "points")),
            table("utilisation-web", "Use of the link by web sessions (%), and the requests that "
                  "are approved (%)", found.drop("rate")),
            table("utilisation-requests", f"{PRINTED_SESSIONS} web sessions, by the requested rate",
                  requests),
        ],
        pictures=[lines(
            "utilisation",
            f"What Quick-Start adds to the use of the link. Above, the first {EARLY} round trips "
            f"of a lone transfer; below, {PRINTED_SESSIONS} web sessions, with the 95 % interval. "
            "In points of the link's rate on the left, as a ratio or in percent of slow start's "
            "use on the right",
            panel(first, x, ("points", Axis("more use (points)")), "name", title=lone),
            panel(first, x, ("ratio", ratio), "name", title=lone),
            panel(printed, x, ("points", Axis("more use (points)")), "name", title=others),
            panel(printed, x, ("more", Axis("more use (%)", limits=(-12, 55))), "name",
                  title=others))],
    )  # fmt: skip


# The paper's last question: whether faster links would help more than Quick-Start.

TENFOLD = {"384kbps": "3.84Mbps", "100Mbps": "1Gbps", "1Gbps": "10Gbps"}
BITS = {"384kbps": 384e3, "100Mbps": 100e6, "1Gbps": 1e9}
FASTER_DELAYS = (1, 3, 5, 10, 20, 50, 100, 200, 500)
"""Milliseconds; at 1000 the handshake outlasts the first timeout, and the request with it."""
SIZES = (4, 10, 46, PACKETS, 382, 1000, 10_000)
"""Packets."""
FASTER = "ten times the rate"


def with_link(rate: str, delay: int, packets: int, startup: str) -> Document:
    """A transfer with one of the startups, or with slow start over a link of ten times the rate."""
    if startup != FASTER:
        return transfer(LITERAL, rate, delay, packets, named(LITERAL, startup))
    document = transfer(LITERAL, rate, delay, packets, SLOW_START)
    hosts = "10Gbps" if rate == HOST_RATE else HOST_RATE
    hops = [hop | {"rate": TENFOLD[rate]} for hop in document["path"]["hops"]]
    return document | {"path": document["path"] | {"hops": hops, "access_rate": hosts}}


def threshold(wins: Mapping[int, bool]) -> int | None:
    """The smallest delay from which on Quick-Start always saves more."""
    first = None
    for delay, win in sorted(wins.items(), reverse=True):
        if not win:
            break
        first = delay
    return first


@experiment("QS-FASTER", "study")
def qs_faster(lab: Lab) -> Findings:
    """Would a link of ten times the rate help more than Quick-Start?"""
    key = {"rate": RATES, "delay": FASTER_DELAYS, "packets": SIZES}
    flows = lab.frame(with_link, grid(**key, startup=(*STARTUPS, FASTER)), measures.ending)
    saved = versus(flows, SLOW_START, list(key)).with_columns(gain("seconds"))
    bits = pl.col("rate").replace_strict(BITS)
    found = versus(saved.select(*key, "startup", "gain",
                                lost=pl.col("dropped") + pl.col("dropped_base")), FASTER,
                   list(key)).with_columns(
        quick=pl.col("gain") > pl.col("gain_base"),
        loss_free=pl.sum_horizontal("lost", "lost_base") == 0,
        # Two links, there and back.
        bdps=pl.col("packets") * PACKET_BITS / (bits * 4 * pl.col("delay") / 1000),
        name=pl.col("rate").replace(RATES))  # fmt: skip
    firsts = {
        (rate, packets): threshold(by_case(found.filter(rate=rate, packets=packets), "delay",
                                           "quick"))
        for rate in RATES for packets in SIZES
    }  # fmt: skip
    free = found.filter("loss_free")
    link, quick = min(free.filter(~pl.col("quick"))["bdps"]), max(free.filter("quick")["bdps"])
    shown = saved.filter(packets=PACKETS)
    return Findings(
        answers=[
            f"{PACKETS} packets: from "
            f"{', '.join(f'{firsts[rate, PACKETS]} ms on {name}' for rate, name in RATES.items())} "
            "on Quick-Start saves more than ten times the rate.",
            f"Among {len(free)} transfers without loss Quick-Start saves more in all below "
            f"{math.floor(10 * link) / 10} bandwidth-delay products and the faster link in all "
            f"above {math.ceil(10 * quick) / 10}.",
        ],
        tables=[table("faster-link", "Saved by Quick-Start and by ten times the rate (%), and the "
                      "size in bandwidth-delay products", found, {
                          "name": "rate", "delay": "delay (ms)", "packets": "packets",
                          "bdps": "size (BDP)", "gain": "Quick-Start (%)",
                          "gain_base": "ten times the rate (%)", "loss_free": "loss-free"})],
        pictures=[lines(
            "faster-link", f"{PACKETS} packets: what Quick-Start and a link of ten times the rate "
                           "save",
            *(panel(shown.filter(rate=rate),
                    ("delay", Axis("one-way delay (ms)", "log", ticks=(1, 3, 10, 50, 200, 500))),
                    ("gain", Axis("saved (%)", limits=(-5, 100))), "startup", title=name)
              for rate, name in RATES.items()))],
    )  # fmt: skip
