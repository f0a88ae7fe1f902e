"""Sec. I to III: limited slow start, the overshoot, where a train ends slow start, Algorithm 1."""

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from flowstart.model.document import Document
from flowstart_papers import published
from flowstart_papers.experiment import Findings, experiment, table
from flowstart_papers.frames import grid, versus
from flowstart_papers.hystart import measures, setups
from flowstart_papers.hystart.setups import EVERY, HYBRID, LINUX, LITERAL, SLOW_START, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.measures import first
from flowstart_papers.plot import Axis, Panel, lines, panel
from flowstart_papers.target import Value

number = published.of("flowstart_papers.hystart").number

# Sec. II: limited slow start to a window of 5000 packets.

RTT_S = 0.2
WINDOW = 5000
ARITHMETIC = {
    "exact": "arithmetic=exact",
    "RFC 3742 in whole bytes": "arithmetic=bytes",
    "Linux 2.6, whole packets": "variant=linux",
}
ACKS = {"each packet": EVERY, "delayed": LINUX}


def climb(startup: str, receiver: dict[str, str], setup: Setup = LITERAL) -> Document:
    """A flow on a path that gives it 5000 packets at once, until its threshold of as many."""
    ends = setup.stack(receiver)
    startup = f"{startup},ssthresh={WINDOW}"
    return setups.one(setups.path(1000, 1e3 * RTT_S), startup, "45s", cc="none", ends=ends)


def limited(lab: Lab, setup: Setup = LITERAL) -> dict[str, Value]:
    """What the paper prints of it."""
    startup = f"{setups.LIMITED},{ARITHMETIC['exact']}"
    (row,) = lab.runs([climb(startup, EVERY, setup)], first)
    seconds = row["startup_exit_s"] - RTT_S
    return {"hy.lss.rounds": round(seconds / RTT_S, 1), "hy.lss.time": round(seconds, 2)}


@experiment("HY-LSS", "Sec. II")
def hy_lss(lab: Lab) -> Findings:
    """How long does limited slow start take to a window of 5000 packets?"""
    rows = lab.frame(
        lambda rule, acks: climb(f"{setups.LIMITED},{ARITHMETIC[rule]}", ACKS[acks]),
        grid(rule=ARITHMETIC, acks=ACKS),
        first,
    )
    # The handshake is no round of the window.
    found = rows.select("rule", "acks", time_s=pl.col("startup_exit_s") - RTT_S)
    found = found.with_columns(rounds=pl.col("time_s") / RTT_S)
    delayed = found.row(1, named=True)
    (slow,) = lab.runs([climb(SLOW_START, EVERY)], first)
    exact = [climb(f"{setups.LIMITED},{ARITHMETIC['exact']}", each) for each in ACKS.values()]
    curves = lab.runs(exact, measures.window, trace=True)
    shown: dict[str, Any] = {
        f"ACKs: {acks}": (c["time_s"], c["cwnd"]) for acks, c in zip(ACKS, curves, strict=True)
    }
    return Findings(
        measured={**limited(lab), "hy.lss.delack": round(delayed["time_s"], 2)},
        answers=[
            f"Limited slow start needs {found['time_s'][0]:.1f} s to 5000 packets with an ACK for "
            f"each packet, and {delayed['time_s']:.1f} s with the delayed ACKs of Linux; slow "
            f"start needs {slow['startup_exit_s'] - RTT_S:.1f} s.",
        ],
        tables=[table("limited", "From the first data to a window of 5000 packets, RTT 200 ms, "
                      "max_ssthresh 100", found)],
        pictures=[lines(
            "limited", "Window of limited slow start; the hollow point is the published time",
            Panel(Axis("time (s)"), Axis("cwnd (packets)", limits=(0, 5500)), shown, steps=True,
                  marks=False, published={
                      "ACKs: each packet": ([number("hy.lss.time") + RTT_S], [WINDOW])}))],
    )  # fmt: skip


# Sec. I: the more buffer a router has, the further slow start goes too far.

RATE, RTT = setups.FIG2
GROWTH = {"delayed": 1.5, "each packet": 2.0}
"""By how much a round multiplies the window with these ACKs."""
LARGE = 1.0
"""The paper speaks of buffers from one BDP on. Bursts within a round fill smaller ones."""


@experiment("HY-BUF", "Sec. I", quick=True)
def hy_buf(lab: Lab) -> Findings:
    """How does slow start's overshoot grow with the buffer?"""
    flows = lab.frame(
        lambda startup, acks, buffer: setups.one(
            setups.path(RATE, RTT, buffer), startup, "4s", ends=setups.stack(ACKS[acks])
        ),
        grid(
            startup=(HYBRID, SLOW_START), acks=GROWTH, buffer=(0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
        ),
        measures.first_loss,
        trace=True,
    )
    bdp, growth = setups.bdp(RATE, RTT), pl.col("acks").replace_strict(GROWTH)
    room = bdp + (pl.col("buffer") * bdp).floor()
    found = versus(flows, HYBRID, ["acks", "buffer"]).with_columns(
        of_peak=(pl.col("peak") / (growth * room)).round(3),
        of_lost=(pl.col("lost") / ((growth - 1) * room)).round(3),
    )
    ruled = found.filter(pl.col("buffer") >= LARGE)
    ratios = [*ruled["of_peak"], *ruled["of_lost"]]
    deep = found.row(-1, named=True)
    drawn = pl.DataFrame(grid(acks=GROWTH, startup=(SLOW_START, HYBRID))).join(
        flows, on=["acks", "startup"], maintain_order="left_right"
    )
    by_startup = drawn.with_columns(
        curve=pl.col("startup").replace({SLOW_START: "slow start", HYBRID: "Hybrid Slow Start"})
        + ", " + pl.col("acks"))  # fmt: skip
    return Findings(
        measured={"hy.buf.over": [min(ratios), max(ratios)]},
        answers=[
            f"From one BDP of buffer on, peak and losses are {min(ratios):.3f} to "
            f"{max(ratios):.3f} of what the rule gives; with {deep['buffer']:g} BDP and an ACK for "
            f"each packet slow start loses {deep['lost']} packets, Hybrid Slow Start "
            f"{deep['lost_base']}.",
        ],
        tables=[table(
            "overshoot",
            "Slow start's peak and losses at 100 Mbit/s and 106 ms, and both over the rule: peak "
            "g (BDP + B), losses (g - 1)(BDP + B), g = 1.5 with delayed ACKs, else 2",
            found, {"acks": "ACKs", "buffer": "buffer (BDP)", "peak": "peak (packets)",
                    "of_peak": "peak / rule", "lost": "lost", "of_lost": "lost / rule",
                    "lost_base": "lost by Hybrid Slow Start"})],
        pictures=[lines("overshoot", "Packets lost by one startup over the buffer's size", panel(
            by_startup, ("buffer", Axis("buffer (BDP)")),
            ("lost", Axis("packets lost", limits=(0, None))), "curve"))],
    )  # fmt: skip


# Sec. III.B: where an ACK train can end slow start, and paths that fill these bounds.
#
# Half a round trip holds n = BDP/2 packets. The train of a round of W0 packets gets as long as
# half a round trip where W0 is at least n, and after n packets: at W0 + n with an ACK for each,
# W0 < 2n, or at W0 + n/2 with an ACK for two, W0 < 1.5n. That a round is one train needs a
# receiver that does not answer an odd packet by a separate timer.

RTTS = tuple(round(100 * 2 ** (i / 24), 2) for i in range(25))
"""100 to 200 ms: the BDP doubles, and with it the phase of the rounds goes once around."""
RECEIVERS = {
    "each packet": EVERY,
    "Linux": LINUX,
    "delayed, 500 ms": {"ack": "delayed", "ack_timer": "500ms"},
    "Windows, 200 ms": setups.WINDOWS,
    "FreeBSD, 100 ms": setups.FREEBSD,
}
"""500 ms is the longest that RFC 1122 allows, and longer than any of these round trips. The timers
of the last two cut a round's train in two."""


@experiment("HY-B", "Sec. III.B")
def hy_b(lab: Lab) -> Findings:
    """Between which windows can an ACK train end slow start on an empty path?"""
    rows = lab.frame(
        lambda acks, mbps, rtt: setups.one(
            setups.path(mbps, rtt), HYBRID, "8s", ends=setups.stack(RECEIVERS[acks])
        ),
        grid(acks=RECEIVERS, mbps=(100.0, 400.0), rtt=RTTS),
        first,
    )
    bdp = pl.col("mbps") * 1e3 * pl.col("rtt") / setups.PACKET_BITS
    exits = rows.with_columns(bdp=(pl.col("startup_exit_cwnd_segments") / bdp).round(3))
    by_train = exits.filter(startup_exit_reason="ack-train")
    summary = exits.group_by("acks", maintain_order=True).agg(
        paths=pl.len(),
        by_train=(pl.col("startup_exit_reason") == "ack-train").sum(),
        least=pl.col("bdp").min(),
        most=pl.col("bdp").max(),
        lost=pl.col("packets_dropped").sum(),
    )
    each, delayed = (
        by_train.filter(pl.col("acks").is_in(names))["bdp"]
        for names in (["each packet"], ["Linux", "delayed, 500 ms"])
    )
    return Findings(
        measured={
            "hy.bound.each": [min(each), max(each)],
            "hy.bound.delack": [min(delayed), max(delayed)],
        },
        answers=[
            f"On {2 * len(RTTS)} empty paths the ACK train ends slow start between {min(each):.2f} "
            f"and {max(each):.2f} BDP with an ACK for each packet, and between {min(delayed):.2f} "
            f"and {max(delayed):.2f} BDP with delayed ACKs that keep to one train. Receivers that "
            "answer an odd packet after 100 or 200 ms can split a round into trains; then the exit "
            f"comes as late as {summary['most'][4]:.2f} and {summary['most'][3]:.2f} BDP.",
        ],
        tables=[table("bounds", "Exits (BDP) on empty paths of 100 and 400 Mbit/s, 100 to 200 ms; "
                      "derived: 1 to 1.5, delayed in one train 0.75 to 1", summary)],
        pictures=[lines("bounds", "Exit window over the round-trip time, at 400 Mbit/s", panel(
            exits.filter(mbps=400.0), ("rtt", Axis("round-trip time (ms)")),
            ("bdp", Axis("cwnd at the exit (BDP)", limits=(0.5, 2.0))), "acks",
            level={"0.75": 0.75, "1": 1.0, "1.5": 1.5}))],
    )  # fmt: skip


# Algorithm 1: its constants, read from what Hybrid Slow Start does.

SMALL_RTTS = tuple(range(8, 34, 2))
"""At 10 Mbit/s their BDPs are 7 to 27 packets, so trains are long enough before cwnd is 16."""
GAPS_MS = (1.8, 1.9, 1.98, 2.0, 2.02, 2.1, 2.2)
"""Between ACKs, by the link's rate."""
TRAINS = ((100.0, 100.0), (100.0, 120.0), (100.0, 160.0), (400.0, 160.0))
DELAYS = (10, 20, 30, 40, 60, 100, 160, 200)
"""Round-trip times in ms."""
FAST_MBPS = 1000.0
STEPS = tuple(i / 4 for i in range(-6, 7))
"""How far from the expected threshold a burst delays a round, in ms."""


def small(rtt: float) -> Document:
    """A path of a few packets."""
    link = setups.path(10, rtt) | {"buffer": "60pkt"}
    # Rounds of 3, 6, 12 pass 16 within a round.
    return setups.one(link, f"{HYBRID},detect=train", "2s", ends=setups.stack(EVERY, iw="3"))


def spaced(gap_ms: float) -> Document:
    """A link that spaces ACKs so far; the sender's clock is exact."""
    link = setups.path(setups.PACKET_BITS / 1e3 / gap_ms, 200, 3)
    return setups.one(link, f"{HYBRID},detect=train,tick=0s", "4s", ends=setups.stack(EVERY))


def train(mbps: float, rtt: float) -> Document:
    """A train on an empty path, by an exact clock."""
    return setups.one(setups.path(mbps, rtt), f"{HYBRID},tick=0s", "5s", ends=setups.stack(EVERY))


def expected_rise(rtt: float) -> int:
    """Algorithm 1's eta, in ticks of 1 ms."""
    return max(2, math.ceil(rtt / 16))


def delayed_round(rtt: float, rise_ms: float) -> Document:
    """A flow whose third round of ACKs waits behind a burst for about so long."""
    burst = round(rise_ms * FAST_MBPS * 1e3 / setups.PACKET_BITS)
    link = setups.path(FAST_MBPS, rtt) | {"buffer": "100000pkt"}
    ends = setups.stack(EVERY, iw="16")
    run = setups.one(link, f"{HYBRID},detect=delay", f"{4 * rtt / 1e3:g}s", cc="none", ends=ends)
    other = {
        "startup": f"{SLOW_START},iw={burst},ssthresh={burst}",
        "cc": "none",
        "handshake": False,
        "start": f"{2 * rtt - 0.01:g}ms",
        "size": f"{burst}pkt",
    }
    return run | {"flows": [*run["flows"], other]}


def _rise(rtt: float, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The minimum rise that counted, the largest that did not."""
    rises: dict[bool, list[int]] = {True: [], False: []}
    for one in found:
        before, after = one["rounds"][0], one["rounds"][1]
        rises[one["by"] == "delay"].append(_ticks(after["rtt_s"]) - _ticks(before["rtt_s"]))
    last = _ticks(found[0]["rounds"][0]["rtt_s"])
    return {
        "RTT (ms)": rtt,
        "lastRTT (ticks)": last,
        "least rise that ends (ticks)": min(rises[True]),
        "largest that does not (ticks)": max(rises[False]),
        "max(2, ceil(lastRTT/16))": expected_rise(last),
    }


def _ticks(seconds: float) -> int:
    return math.ceil(round(1e3 * seconds, 6))


@experiment("HY-ALG", "Algorithm 1", quick=True)
def hy_alg(lab: Lab) -> Findings:
    """Which constants does Hybrid Slow Start show when paths are made to probe them?"""
    probes = [(rtt, expected_rise(rtt + 1) + step) for rtt in DELAYS for step in STEPS]
    documents = [
        *map(small, SMALL_RTTS),
        *map(spaced, GAPS_MS),
        *(train(*path) for path in TRAINS),
        *(delayed_round(*probe) for probe in probes),
    ]
    results = iter(lab.runs(documents, measures.leaving, trace=True))
    lowest = min(next(results)["cwnd"] for _ in SMALL_RTTS)
    spacing = max(gap for gap in GAPS_MS if next(results)["by"] == "ack-train")
    trains = [next(results)["rounds"] for _ in TRAINS]
    halves = [rounds[-1]["train_s"] / min(one["rtt_s"] for one in rounds) for rounds in trains]
    delays = [(rtt, one) for (rtt, _), one in zip(probes, results, strict=True)]
    samples = {one["rounds"][-1]["acks"] for _, one in delays if one["by"] == "delay"}
    rises = [_rise(rtt, [one for other, one in delays if other == rtt]) for rtt in DELAYS]
    half = all(0.5 <= share < 0.505 for share in halves)
    last, least, most, eta = (list(each) for each in zip(
        *(list(row.values())[1:] for row in rises), strict=True))  # fmt: skip
    as_said = least == eta == [one + 1 for one in most]
    return Findings(
        measured={
            "hy.alg.const": f"low_ssthresh {lowest:.0f}, "
            f"nSampling {'/'.join(map(str, sorted(samples)))}, "
            f"spacing {spacing:g} ms, train limit {'dMin/2' if half else 'not dMin/2'}, "
            f"eta {'' if as_said else 'not '}max(2 ticks, ceil(lastRTT/16))"
        },
        answers=[
            f"No exit comes below {lowest:.0f} packets, trains break at gaps above {spacing:g} ms, "
            f"a train ends slow start at {min(halves):.3f} to {max(halves):.3f} of the minimum "
            f"round-trip time, and delay does with ACK {', '.join(map(str, samples))} of a round.",
        ],
        tables=[table("rise", "The minimum rise of a round's delay that ends slow start, in ticks "
                      "of 1 ms", pl.DataFrame(rises))],
        pictures=[lines("rise", "The minimum rise that ends slow start, and max(2, lastRTT/16)",
                        Panel(Axis("lastRTT (ms)"), Axis("rise (ms)", limits=(0, None)),
                              {"least rise that ends slow start": (last, least)},
                              published={"least rise that ends slow start": (last, eta)}))],
    )  # fmt: skip
