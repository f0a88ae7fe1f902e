"""What the paper leaves open: the black-out, receivers, the reverse path, other traffic."""

import math
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Findings, experiment, table
from flowstart_papers.frames import Case, cell, grid, means, versus
from flowstart_papers.hystart import figures, measures, setups, utilisation
from flowstart_papers.hystart.figures import BLACKOUT_S, number
from flowstart_papers.hystart.setups import HYBRID, LIMITED, LITERAL, SLOW_START, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, Panel, lines, panel
from flowstart_papers.target import Measured

BOTH = {"slow start": SLOW_START, "Hybrid Slow Start": HYBRID}

# Why the first flow of Fig. 1 came to nothing for twenty seconds.

COSTS = ("0us", "30us", "60us", "100us", "150us", "200us", "300us")
"""What the sender takes to read one SACK block; its list has up to 37 000 packets."""
STALLED = "200us"
REPAIRS: dict[str, dict[str, Any]] = {
    **{f"SACK, {cost} a block": {"sack_cost": cost} for cost in COSTS},
    "NewReno": {"recovery": "newreno"},
    "Reno": {"recovery": "reno"},
    "Tahoe": {"recovery": "tahoe"},
    "timer only": {"recovery": "go-back-n"},
    "SACK, timer of RFC 2988": setups.RFC_TIMER,
}
DRAWN = ("SACK, 0us a block", f"SACK, {STALLED} a block", "NewReno")
PACKETS = 130_000
"""As many as are sent until all is repaired, and not so many that the trace gets large."""


@experiment("HY-BLACKOUT", "study")
def hy_blackout(lab: Lab) -> Findings:
    """What makes a sender go dark for twenty seconds after the overshoot?"""
    found = lab.frame(
        lambda cc, repair: setups.one(
            setups.path(*setups.FIG1), SLOW_START, "100s", cc=figures.SENDERS[cc],
            ends=setups.stack(**REPAIRS[repair]), size=f"{PACKETS}pkt"),
        grid(cc=figures.SENDERS, repair=REPAIRS),
        measures.recovery,
        trace=True,
    )  # fmt: skip
    minute = pl.DataFrame(
        {"repair": repair, "cc": cc, **figures.carried(lab, Setup(fig1_cc=rule), **REPAIRS[repair])}
        for repair in DRAWN for cc, rule in figures.SENDERS.items()
    )  # fmt: skip
    cubic = found.filter(cc="CUBIC of 2008")
    seconds = dict(cubic.select("repair", "repair_s").rows())
    windows = {repair: cell(cubic, "window", repair=repair) for repair in DRAWN}
    costs = found.filter(pl.col("repair").str.ends_with("a block")).with_columns(
        cost=pl.col("repair").str.extract(r"(\d+)us").cast(float)
    )
    return Findings(
        answers=[
            f"SACK repairs the overshoot within {seconds[DRAWN[0]]:.1f} s, NewReno within "
            f"{seconds['NewReno']:.1f} s. Where reading a SACK block takes time it lasts longer: "
            f"{seconds[DRAWN[1]]:.1f} s at {STALLED}; published are more than {BLACKOUT_S:.0f} s. "
            "With thousands of holes every ACK carries blocks to read, the ACKs wait for the "
            "reader, and the retransmission timer expires "
            f"({cell(cubic, 'timeouts', repair=DRAWN[1])} times at {STALLED}).",
        ],
        tables=[
            table("blackout", "Repair of Fig. 1's overshoot: until all that had been sent has "
                  "arrived, and the longest time without new data being acknowledged",
                  found.drop("window")),
            table("minute", "New data of the first 60 s in percent of the link", minute),
        ],
        pictures=[
            lines("blackout", "The window of Fig. 1's flow by how its sender repairs losses, CUBIC "
                  f"of 2008; each transfer ends after {PACKETS} packets",
                  Panel(Axis("time (s)", limits=(0, 45)), Axis("cwnd (packets)", limits=(0, 40000)),
                        {repair: (one["time_s"], one["cwnd"]) for repair, one in windows.items()},
                        steps=True, marks=False, level={"BDP": setups.bdp(*setups.FIG1)})),
            lines("cost", "Time to repair the overshoot over the cost of a SACK block", panel(
                costs, ("cost", Axis("cost of one SACK block (us)")),
                ("repair_s", Axis("repaired after (s)", limits=(0, None))), "cc",
                level={"published": BLACKOUT_S})),
        ],
    )  # fmt: skip


# By receiver, with other traffic, over rate, buffer and RTT; and by the reverse path.

BEFORE_S = 2.0
"""The background runs alone for so long."""
END = 12.0
RECEIVERS = {"ACK per packet": setups.EVERY, **setups.RECEIVERS}
RATE, RTT, BUFFER = 100.0, 100.0, 1.0
SWEEPS: dict[str, tuple[float, ...]] = {
    "rate": (10.0, 30.0, 100.0, 300.0),
    "rtt": (20.0, 50.0, 100.0, 200.0),
    "buffer": (0.1, 0.25, 1.0, 2.0),
}
LABELS = {"rate": "rate (Mbit/s)", "rtt": "RTT (ms)", "buffer": "buffer (BDP)"}
SEEDS = range(1, 11)


def _firsts(flows: pl.DataFrame, key: list[str], bdp: pl.Expr) -> pl.DataFrame:
    """Where Hybrid Slow Start's flow leaves in BDP, and what both startups lose and carry."""
    found = flows.filter(pl.col("row") == 0).with_columns(
        share=pl.col("cwnd") / bdp, mbps=pl.col("bytes") * 8 / (END - BEFORE_S) / 1e6
    )
    pairs = versus(found, "slow start", [*key, "seed"])
    signs = (pl.col("by") == each for each in ("ack-train", "delay", "loss"))
    counts = pairs.group_by(key, maintain_order=True).agg(
        *(sign.sum().alias(f"by {each}")
          for sign, each in zip(signs, ("train", "delay", "loss"), strict=True)),
        least=pl.col("share").min(), most=pl.col("share").max())  # fmt: skip
    left = means(pairs.drop_nulls("share"), key, "share")
    others = pairs.group_by(key, maintain_order=True).agg(
        pl.col("lost", "lost_base", "mbps", "mbps_base").mean()
    )
    return counts.join(left, on=key, how="left", maintain_order="left").join(
        others, on=key, how="left", maintain_order="left"
    )


@experiment("HY-ACK", "study")
def hy_ack(lab: Lab) -> Findings:
    """Where does it leave for four kinds of receivers in other traffic?"""
    base = {"rate": RATE, "rtt": RTT, "buffer": BUFFER}
    points = {
        tuple((base | {axis: value}).items()) for axis, values in SWEEPS.items() for value in values
    }

    def flow(
        rate: float, rtt: float, buffer: float, receiver: str, startup: str, seed: int
    ) -> Document:
        link, ends = setups.path(rate, rtt, buffer), setups.stack(RECEIVERS[receiver])
        run = setups.one(link, BOTH[startup], f"{END:g}s", ends=ends, start=f"{BEFORE_S:g}s")
        return run | {"seed": seed, "web": setups.background(0.1 * rate, END, packets=50)}

    cases = [{**dict(at), **each} for at in sorted(points)
             for each in grid(receiver=RECEIVERS, startup=BOTH, seed=SEEDS)]  # fmt: skip
    flows = lab.frame(flow, cases, measures.exits)
    bdp = pl.col("rate") * 1e3 * pl.col("rtt") / setups.PACKET_BITS
    found = _firsts(flows, ["rate", "rtt", "buffer", "receiver"], bdp)
    here = found.filter(**base)
    listed = ", ".join(
        f"{one} {share:.2f}" for one, share in here.select("receiver", "share").rows()
    )
    slower = found.filter(pl.col("mbps") < pl.col("mbps_base"))
    drawn = []
    for axis, values in SWEEPS.items():
        rest = {name: value for name, value in base.items() if name != axis}
        drawn.append(panel(
            found.filter(**rest).sort(axis), (axis, Axis(LABELS[axis], "log", ticks=values)),
            ("share", Axis("exit (BDP)", limits=(0, 2.2))), "receiver",
            level={"BDP": 1.0}))  # fmt: skip
    return Findings(
        answers=[
            f"At {RATE:g} Mbit/s, {RTT:g} ms and 1 BDP the mean exits are, in BDP: {listed}. "
            f"{sum(found['by loss'])} of {len(found) * len(SEEDS)} flows leave by a loss; at "
            f"{len(slower)} of {len(found)} points it carries less than slow start.",
        ],
        tables=[table("acks", "One Hybrid Slow Start into 10 % of other traffic each way, "
                      f"{len(SEEDS)} seeds: exit (BDP) with the interval of its mean, losses, and "
                      f"goodput (Mbit/s) over its first {END - BEFORE_S:.0f} s, and slow "
                      "start's",
                      found)],
        pictures=[lines("acks", "Mean exit window over rate, round-trip time and buffer; bands are "
                        "95 % intervals", *drawn)],
    )  # fmt: skip


FIG2_BDP = setups.bdp(*setups.FIG2)
REVERSE_MBPS = (100.0, 10.0, 5.0, 3.0, 2.0, 1.5, 1.0, 0.5)
BATCHES_MS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
LOADS = (0.0, 0.1, 0.3, 0.6, 0.9)
"""Share of a reverse path of 10 Mbit/s that other traffic has."""
EARLY, LATE = 0.75, 1.5
"""Below and above what an ACK train can do on an empty path, in BDP."""
KINDS = {
    "reverse rate (Mbit/s)": REVERSE_MBPS,
    "load of the reverse path (%)": tuple(100 * load for load in LOADS),
    "batches of ACKs (ms)": BATCHES_MS,
    "batches of ACKs, newest only (ms)": BATCHES_MS[1:],
}


def reverse_path(kind: str, value: float, receiver: str, startup: str, seed: int) -> Document:
    """Fig. 2's path with another way back."""
    batch = {"ack_batch": f"{value:g}ms"} if value else {}
    by_kind: dict[str, dict[str, Any]] = {
        "reverse rate (Mbit/s)": {"reverse_rate": f"{value:g}Mbps"},
        "load of the reverse path (%)": {"reverse_rate": "10Mbps"},
        "batches of ACKs (ms)": batch,
        "batches of ACKs, newest only (ms)": {**batch, "ack_thinning": True},
    }
    link = setups.path(*setups.FIG2, **by_kind[kind], reverse_buffer="100pkt")
    ends = setups.stack(RECEIVERS[receiver])
    flow = setups.one(link, BOTH[startup], f"{END:g}s", ends=ends, start=f"{BEFORE_S:g}s")
    if "load" in kind and value:
        flow["web"] = setups.background(value / 10, END, packets=20, ways=("reverse",))
    return flow | {"seed": seed}


@experiment("HY-ASYM", "study")
def hy_asym(lab: Lab) -> Findings:
    """Do a slow, used or batching reverse path end it early or late?"""
    cases: list[Case] = [
        case
        for kind, values in KINDS.items()
        for case in grid(kind=[kind], value=values, receiver=("ACK per packet", "Linux"),
                         startup=BOTH, seed=SEEDS)
        if case["seed"] == 1 or ("load" in kind and case["value"])
    ]  # fmt: skip
    flows = lab.frame(reverse_path, cases, measures.exits)
    found = _firsts(flows, ["kind", "value", "receiver"], pl.lit(FIG2_BDP))

    def span(*kinds: str) -> str:
        shares = found.filter(pl.col("kind").is_in(kinds))["share"].drop_nulls()
        return f"{min(shares):.2f} to {max(shares):.2f} BDP"

    rates, load, *batches = KINDS
    xs = {
        rates: Axis(rates, "log", ticks=REVERSE_MBPS),
        load: Axis(load),
        batches[0]: Axis(batches[0]),
    }
    return Findings(
        answers=[
            "Slow ways back end it early: over reverse rates from 100 to 0.5 Mbit/s the exits are "
            f"at {span(rates)}. Traffic on the reverse path moves the mean exit to {span(load)}. "
            f"ACKs that come in batches move it to {span(*batches)}; the worst case loses "
            f"{max(found.filter(pl.col('kind').is_in(batches))['lost']):.0f} packets.",
        ],
        tables=[table("asymmetry", "Hybrid Slow Start at 100 Mbit/s and 106 ms by its reverse "
                      "path: exit (BDP), losses and goodput (Mbit/s), and slow start's; "
                      f"{len(SEEDS)} seeds where other traffic is on it", found)],
        pictures=[lines(
            "asymmetry",
            "Exit window over the rate of the reverse path, over the load on it, and over the "
            "length of ACK batches. Below 0.75 BDP an exit is earlier than any on an empty "
            "symmetric path, above 1.5 later",
            *(panel(found.filter(kind=kind), ("value", x),
                    ("share", Axis("exit (BDP)", limits=(0, 4.4 if kind in batches else 2.2))),
                    "receiver", level={"0.75": EARLY, "1.5": LATE}, bands=None)
              for kind, x in xs.items()))],
    )  # fmt: skip


# Inputs that the paper does not print, moved further than is plausible; readings.py has the rest.

EXIT = number("hy.f2.exit1")
"""Of Fig. 2 (c), as published, in packets."""
MOVED: dict[str, dict[float, tuple[Setup, dict[str, Any]]]] = {
    "initial window": {iw: (Setup(iw=f"{iw:g}"), {}) for iw in (1, 2, 3, 4, 10)},
    # Longer ticks would need the listing's `msecs_to_jiffies(2)`, a tick; ours are 2 ms always.
    "tick (ms)": {tick: (Setup(tick=f"{tick:g}ms"), {}) for tick in (0.1, 1, 2)},
    "quick ACKs": {quick: (Setup(quick=quick), {}) for quick in (2, 4, 8, 16, 32, 64)},
    "ACK timer (ms)": {ms: (LITERAL, {"ack_timer": f"{ms}ms"}) for ms in (20, 40, 100, 200)},
    "second start (s)": {
        at: (Setup(fig2_second=at), {}) for at in (5.0, 8.0, 10.0, 12.0, 15.0, 20.0)
    },
    "RTT (ms)": {rtt: (Setup(fig2=(setups.FIG2[0], rtt)), {}) for rtt in (102.0, 106.0)},
}


def moved(what: str, value: float) -> Document:
    """Fig. 2 (c) with one input moved."""
    setup, fields = MOVED[what][value]
    document = figures.figure2_panel("Hybrid Slow Start", setup)
    document["stack"] |= fields
    return document


@experiment("HY-SENS", "study")
def hy_sens(lab: Lab) -> Findings:
    """What do initial window, tick, quick ACKs and start times move?"""
    cases = [{"what": what, "value": value} for what, values in MOVED.items() for value in values]
    found = lab.frame(moved, cases, measures.exits).with_columns(pl.col("value").cast(float))
    first = found.filter(pl.col("row") == 0)
    receivers = figures.receivers(LITERAL)
    third = [*grid(acks=receivers, iw=["3"], packets=(30, 100, 300)),
             *grid(acks=["quick"], iw=["2"], packets=[100])]  # fmt: skip
    flows = lab.frame(
        lambda acks, iw, packets, seed: figures.mixed(
            receivers[acks], seed, Setup(iw=iw, fig3_packets=packets)
        ),
        [{**case, "seed": seed} for case in third for seed in range(1, 9)],
        measures.exits,
    )
    shares = (
        flows.filter(pl.col("row") == 0)
        .group_by("acks", "iw", "packets", maintain_order=True)
        .agg(share=(pl.col("cwnd").fill_null(0.0) / figures.FIG3_BDP).median())
    )
    peaks = [
        flow["peak"]
        for iw in MOVED["initial window"]
        for flow in lab.runs(
            [figures.flows(Setup(iw=f"{iw:g}"), "slow start", 12)], measures.exits
        )[0]
    ]

    def span(what: str) -> str:
        cwnds = first.filter(what=what)["cwnd"].drop_nulls()
        return f"{min(cwnds):.0f} to {max(cwnds):.0f}"

    quick = {iw: cell(shares, "share", acks="quick", iw=iw, packets=100) for iw in ("2", "3")}
    return Findings(
        answers=[
            f"The first flow's exit of Fig. 2 (c), published as {EXIT:g}, moves with the initial "
            f"window ({span('initial window')} packets), the number of quick ACKs "
            f"({span('quick ACKs')}), the ACK timer ({span('ACK timer (ms)')}) and the tick "
            f"({span('tick (ms)')}). For the ten per cent above the BDP of Fig. 3 (a) an initial "
            f"window of 3 gives {quick['3']:.2f} BDP in the median, one of 2 {quick['2']:.2f}. "
            "Over all these initial windows Fig. 1's peak differs by "
            f"{max(peaks) - min(peaks):.0f} packets.",
        ],
        tables=[
            table("figure2", f"Fig. 2 (c), one input moved; the first flow's published exit is "
                  f"{EXIT:g} packets", found),
            table("figure3", "Fig. 3 with other background flows and another initial window, 8 "
                  "seeds: the first flow's exit (BDP, median)", shares),
        ],
        pictures=[lines(
            "sensitivity",
            "The first flow's exit in Fig. 2 (c) over initial window, tick and quick ACKs; the "
            "literal reading is 3 packets, 1 ms and 16",
            *(panel(first.filter(what=what), ("value", Axis(what, "log", ticks=list(MOVED[what]))),
                    ("cwnd", Axis("exit (packets)", limits=(600, 950))), name="first flow",
                    level={"published": EXIT})
              for what in ("initial window", "tick (ms)", "quick ACKs")))],
    )  # fmt: skip


# Sec. III.B: what a newcomer does to the flows that are there.
#
# The paper says that a flow that heeds delay disturbs them less, and that fewer of them lose at the
# same time. Flows come one after the other; what is counted are the losses of those that are done
# with their startup while another one is in it.

ALL = {
    "slow start": SLOW_START,
    "limited slow start": LIMITED,
    "Hybrid Slow Start": HYBRID,
    "by the train alone": f"{HYBRID},detect=train",
}
SENDERS = {"SACK": setups.SACK, "CUBIC of 2008": setups.CUBIC}
FLOWS = (2, 4, 8)
APART_S = 5.0
"""From one flow's start to the next, on average; each is late by a draw of up to as much."""
AFTER_S = 10.0
SLOWER = 0.2
"""By so much the last flow's round trip is longer than the first's, so that none keep step."""
EPISODE_S = 0.25
"""Losses that are no further apart are of one overflow: a round trip with a full queue."""


def arrivals(cc: str, flows: int, startup: str, seed: int) -> Document:
    """So many flows one after the other on Fig. 2's path."""
    rtts = [setups.FIG2[1] * (1 + SLOWER * i / (flows - 1)) for i in range(flows)]
    return {
        "duration": f"{flows * APART_S + AFTER_S:g}s",
        "path": setups.path(*setups.FIG2),
        "stack": setups.stack(),
        "seed": seed,
        "flows": [
            {"startup": ALL[startup], "cc": SENDERS[cc], "start": f"{i * APART_S:g}s",
             "jitter": f"{APART_S:g}s", "rtt": f"{rtt:.3f}ms"}
            for i, rtt in enumerate(rtts)
        ],
    }  # fmt: skip


def together(run: Run) -> dict[str, Any]:
    """The losses of settled flows while another one starts, and how many of them lose at once."""
    samples = run.flow_samples
    assert samples is not None
    drops = samples.filter(samples["event"] == measures.DROP).sort("time_ns")
    times, flows = drops["time_ns"].to_numpy() / 1e9, drops["flow"].to_numpy()
    found: dict[str, Any] = {"packets": 0, "own": 0, "hit": 0, "shares": []}
    for these in np.split(np.arange(len(times)), np.flatnonzero(np.diff(times) > EPISODE_S) + 1):
        if not len(these):
            continue
        settled, starting = _parties(run, float(times[these[0]]))
        if settled and starting:
            lost = flows[these]
            hit = len(set(lost.tolist()) & settled)
            found["packets"] += int(np.isin(lost, list(settled)).sum())
            found["own"] += int(np.isin(lost, list(starting)).sum())
            found["hit"] += hit
            found["shares"].append(hit / len(settled))
    return found


def _parties(run: Run, at: float) -> tuple[set[int], set[int]]:
    """The flows that are done with their startup, and those that are in it or just were."""
    settled: set[int] = set()
    starting: set[int] = set()
    for row in run.records:
        if row["opened_s"] > at:
            continue
        lasts = row["startup_exit_s"]
        ended = lasts is not None and row["opened_s"] + lasts < at - EPISODE_S
        (settled if ended else starting).add(row["flow"])
    return settled, starting


@experiment("HY-SYNC", "Sec. III.B")
def hy_sync(lab: Lab) -> Findings:
    """How many of the flows that are there lose when another one joins?"""
    key = ["cc", "flows", "startup"]
    cases = grid(cc=SENDERS, flows=FLOWS, startup=ALL, seed=SEEDS)
    runs = lab.frame(arrivals, cases, together, trace=True).with_columns(
        pl.col("packets", "hit", "own") / (pl.col("flows") - 1)
    )
    pairs = versus(runs, "Hybrid Slow Start", ["cc", "flows", "seed"]).filter(startup="slow start")
    fewer = means(pairs.with_columns(pl.col(c) - pl.col(f"{c}_base") for c in ("packets", "hit")),
                  ["cc", "flows"], "packets", "hit")  # fmt: skip
    less = [low > 0 for name in ("packets_low", "hit_low") for low in fewer[name]]
    found = means(runs, key, "packets", "hit", "own").join(
        runs.explode("shares").group_by(key).agg(pl.col("shares").mean()),
        on=key, how="left", maintain_order="left")  # fmt: skip
    last = {row["cc"]: row for row in fewer.filter(flows=FLOWS[-1]).rows(named=True)}
    by = dict(zip(found.select(key).rows(), found["packets"], strict=True))
    shares = found.filter(pl.col("flows") > 2, pl.col("startup").is_in(list(BOTH)))["shares"]
    return Findings(
        measured={
            "hy.sync": Measured({"cases with less": sum(less), "of": len(less)}, all(less),
                                seeds=len(SEEDS))
        },
        answers=[
            *(f"With {cc} each of {FLOWS[-1] - 1} flows that join makes the others lose "
              f"{by[cc, FLOWS[-1], 'slow start']:.0f} packets under slow start and "
              f"{by[cc, FLOWS[-1], 'Hybrid Slow Start']:.0f} under Hybrid Slow Start "
              f"({one['packets_low']:.0f} to {one['packets_high']:.0f} fewer), "
              f"{by[cc, FLOWS[-1], 'by the train alone']:.0f} without its delay sign."
              for cc, one in last.items()),
            "What becomes rarer are the overflows, not their reach: when the queue overflows, "
            f"{100 * min(shares):.0f} to {100 * max(shares):.0f} % of the flows that are there "
            "lose at once, whichever startup caused it.",
        ],
        tables=[
            table("synchronisation", "What each flow that joins does to those that are there, 100 "
                  f"Mbit/s, 106 to 127 ms, 1 BDP, one flow every {APART_S:g} s, {len(SEEDS)} "
                  "seeds: packets and flows that lose, the newcomer's own losses, and the share "
                  "that loses in one overflow. Flows in their startup do not count as there",
                  found),
            table("fewer", "How many fewer lose under Hybrid Slow Start than under slow start",
                  fewer),
        ],
        pictures=[lines(
            "synchronisation",
            "Losses of the flows that are there, per flow that joins them: their packets (left), "
            "and how many of them lose at once (right), with TCP-SACK and with CUBIC. Bands are 95 "
            "% intervals of the mean",
            *(panel(found.filter(cc=cc), ("flows", Axis("flows", ticks=FLOWS)),
                    (column, Axis(label, limits=(0, None))), "startup", title=cc)
              for cc in SENDERS
              for column, label in (("packets", "packets of others lost"), ("hit", "others that "
                                                                                   "lose"))))],
    )  # fmt: skip


# Fig. 4's base case on a link that others use too, and why slow start can win there.
#
# Where it leaves slow start near the BDP, Hybrid Slow Start uses more of the link than slow start.
# But its delay sign looks at eight packets of a round, and a burst of others in front of these
# looks like a queue that grows. It then leaves at whatever window it has, and CUBIC, which knows
# of no earlier loss, needs tens of seconds from there. So the mean depends on how often that
# happens.

SHARES = (0.05, 0.1, 0.2, 0.4)
"""Of the link, what others take each way."""
MAIN = 0.1
DRAWS = {0.05: 12, 0.1: 40, 0.2: 12, 0.4: 12}
"""Most where the question is which of the two is ahead."""
EXIT_SEEDS = range(1, 101)
"""Short runs, which show how often the first flow leaves early."""
EXIT_S = 6.0
FIG4_RATE, FIG4_RTT = LITERAL.fig4_fixed
BDP = setups.bdp(FIG4_RATE, FIG4_RTT)
FAR = 0.25
"""An exit below this share of the BDP is early; a train cannot end it there."""
RISE_S = FIG4_RTT / 16 / 1e3
"""The rise of a round's delay that ends slow start."""
ROUNDS = math.log(BDP / 2 / 16, 1.5)
"""Of 16 packets and more until a train ends it, with delayed ACKs."""


def with_share(share: float, startup: str, seed: int) -> Document:
    """Fig. 4's base case with others."""
    setup = Setup(traffic=share)
    run = utilisation.point(
        FIG4_RATE, FIG4_RTT, utilisation.BUFFER, "Hybrid Slow Start", seed, setup
    )
    run["flows"][0]["startup"] = ALL[startup]
    return run


def beginning(share: float, seed: int) -> Document:
    """The same until the first flow has left its startup."""
    run = with_share(share, "Hybrid Slow Start", seed)
    run["flows"][0] |= {"count": 1}
    return run | {"duration": f"{utilisation.STARTS[0] + EXIT_S:g}s"}


def others(share: float) -> Document:
    """The others alone."""
    run = with_share(share, "Hybrid Slow Start", 1)
    return {**run, "flows": [{"startup": SLOW_START, "size": "1pkt"}], "duration": "40s"}


def queued(run: Run) -> float:
    """The share of time in which a packet would wait longer than the rise that counts."""
    samples = run.queue_samples
    assert samples is not None
    mine = samples.filter(samples["direction"] == 0)
    arrived, empty = (mine[name].to_numpy() / 1e9 for name in ("time_ns", "empty_ns"))
    if not len(arrived):
        return 0.0
    at = np.arange(arrived[0], arrived[-1], 0.005)
    last = np.searchsorted(arrived, at, side="right") - 1
    return float((empty[last] - at > RISE_S).mean())


@experiment("HY-TRAFFIC", "study")
def hy_traffic(lab: Lab) -> Findings:
    """Does it still use the link better than slow start where others use it too?"""
    names = ("Hybrid Slow Start", "slow start", "by the train alone")
    cases = [case for case in grid(share=SHARES, startup=names, seed=range(1, 41))
             if case["seed"] <= DRAWS[case["share"]]]  # fmt: skip
    used = utilisation.uses_from_start(lab, [with_share(**case) for case in cases])
    runs = pl.DataFrame(
        {**case, "use": one["use"], "exit": one["exits"][0]["cwnd"]}
        for case, one in zip(cases, used, strict=True)
    ).with_columns(early=pl.col("exit").fill_null(BDP) < FAR * BDP)
    pairs = versus(runs, "slow start", ["share", "seed"])
    pairs = pairs.with_columns(above=pl.col("use") - pl.col("use_base"))
    lead = means(pairs, ["share", "startup"], "above").with_columns(percent=100 * pl.col("share"))
    short = lab.frame(beginning, grid(share=SHARES, seed=EXIT_SEEDS), measures.exits)
    left = short.filter(pl.col("row") == 0).with_columns(
        early=100.0 * (pl.col("cwnd").fill_null(BDP) < FAR * BDP)
    )
    waits = lab.frame(others, grid(share=SHARES), queued, trace=True).with_columns(
        expected=100 * (1 - (1 - pl.col("value")) ** ROUNDS)
    )
    early = means(left, ["share"], "early").join(waits, on="share").with_columns(
        percent=100 * pl.col("share")
    )  # fmt: skip
    hybrid = pairs.filter(startup="Hybrid Slow Start")
    costs = hybrid.group_by("share", "early", maintain_order=True).agg(
        pl.col("above").mean(), runs=pl.len()
    )
    bad, good = (fmean(hybrid.filter(share=MAIN, early=e)["above"]) for e in (True, False))
    main, train = (
        lead.filter(share=MAIN, startup=name).row(0, named=True) for name in (names[0], names[2])
    )
    often = early.filter(share=MAIN).row(0, named=True)
    x = Axis("others (% of the link)", "log", ticks=[100 * share for share in SHARES])
    both = pl.concat([
        early.select("percent", pl.col("early", "early_low", "early_high"), kind=pl.lit("left "
                                                                                        "early")),
        early.select("percent", *(pl.col("expected").alias(c) for c in ("early", "early_low",
                                                                        "early_high")),
                     kind=pl.lit("expected"))])  # fmt: skip
    return Findings(
        answers=[
            f"With {100 * MAIN:.0f} % of others Hybrid Slow Start uses {main['above']:+.1f} points "
            f"({main['above_low']:+.1f} to {main['above_high']:+.1f}) more of the link than slow "
            f"start over {DRAWS[MAIN]} seeds, by its train alone {train['above']:+.1f} "
            f"({train['above_low']:+.1f} to {train['above_high']:+.1f}).",
            f"The delay sign makes the difference: {often['early']:.0f} % of {len(EXIT_SEEDS)} "
            f"first flows leave below {FAR:g} BDP, behind a burst of others. A run that does not "
            f"leave early gains {good:.1f} points on slow start, one that does {bad:+.1f}: it pays "
            f"as long as fewer than {100 * good / (good - bad):.0f} % leave early.",
        ],
        tables=[
            table("traffic", f"Points of utilisation above slow start at {FIG4_RATE:g} Mbit/s, "
                  f"{FIG4_RTT:g} ms, 1 BDP with others both ways", lead),
            table("early", f"How often the first flow leaves below {FAR:g} BDP (%), and how often "
                  "it should by the time in which the others' queue alone is above the rise that "
                  "counts",
                  early),
            table("costs", "Points above slow start of runs that left early, and of others", costs),
        ],
        pictures=[
            lines("traffic",
                  "Left, utilisation that Hybrid Slow Start, and its train alone, have above slow "
                  "start on the same draws, over the share of others; bands are 95 % intervals. "
                  "Right, how often its first flow leaves early, against what the others' queue "
                  "lets expect",
                  panel(lead, ("percent", x), ("above", Axis("points above slow start")), "startup",
                        title="utilisation", level={"slow start": 0.0}),
                  panel(both, ("percent", x),
                        ("early", Axis("first flows that leave early (%)", limits=(0, None))),
                        "kind",
                        title="early exits")),
            lines("runs",
                  f"Utilisation over the first flow's exit, every run with {100 * MAIN:.0f} % of "
                  f"others: a run is good, or it left early. The BDP is {BDP:.0f} packets",
                  panel(runs.filter(pl.col("share") == MAIN).drop_nulls("exit"),
                        ("exit", Axis("first flow's exit (packets)", "log",
                                      ticks=(20, 100, 500, 5000, 15000))),
                        ("use", Axis("utilisation (%)")), "startup", joined=False)),
        ],
    )  # fmt: skip
