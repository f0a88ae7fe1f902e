"""What the slides leave open: queues and hosts, resets, and signs of expansion or reduction."""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Findings, experiment, table
from flowstart_papers.frames import by_case, grid, means
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, bars, lines, panel, panels_by
from flowstart_papers.slow_start_high_speed import detecting_start, measures, statements
from flowstart_papers.slow_start_high_speed.detecting_start import EXPANDS, SHRINKS
from flowstart_papers.slow_start_high_speed.setups import (
    BEGIN_S,
    INTERFACE,
    LITERAL,
    LOADS,
    MSS,
    NARROWEST,
    PACED,
    SCHEMES,
    Handover,
    Path,
    Patience,
    Setup,
    startup,
    transfer,
    with_web,
)
from flowstart_papers.slow_start_high_speed.statements import (
    CAROLINA_EXPANSION,
    CAROLINA_REDUCTION,
    EXPANSION,
    REDUCTION,
    REDUCTIONS,
)

ALL = (*SCHEMES, PACED)
HALF, QUARTER = (statements.PUBLISHED.number(f"cav.chi.{name}") for name in ("half", "quarter"))

# What the interface's queue and the hand-over make of half of Reno, and the rest.

QUEUES = (100, 500, 1000, 1500, 2000, 2700, 3000, 3750, 4500, 10_000, 22_500)
"""Packets; Chicago's path holds 15 000."""
HANDOVERS: dict[Handover, str] = {
    "at once": "at once (literal)",
    "spread": "as fast as the interface sends",
    "never dropped": "at once, the queue never drops",
}


def spans(hold: Sequence[bool]) -> str:
    """The queues for which something holds, as runs of neighbours among those tried."""
    runs: list[list[int]] = []
    for i, it in enumerate(hold):
        if it and i and hold[i - 1]:
            runs[-1].append(QUEUES[i])
        elif it:
            runs.append([QUEUES[i]])
    texts = [f"{r[0]} to {r[-1]}" if len(r) > 1 else f"{r[0]}" for r in runs]
    return f"{' and '.join(texts)} packets" if texts else "no queue tried"


@experiment("CAV-BUFFER", "study")
def cav_buffer(lab: Lab) -> Findings:
    """What do queue and hand-over at the interface make of the orders in expansion?"""
    # A queue that never drops has no size: its one result is drawn across.
    setups = {
        f"{ack}|{way}|{queue}": replace(
            LITERAL, queue="1000pkt" if way == "never dropped" else f"{queue}pkt", handover=way,
            ack=ack)
        for ack in ("delayed", "every") for way in HANDOVERS for queue in QUEUES
    }  # fmt: skip
    names = {setup: [n for n, each in setups.items() if each == setup] for setup in setups.values()}
    unique = {all_names[0]: setup for setup, all_names in names.items()}
    ran = statements.frame(lab, unique, [EXPANSION, CAROLINA_EXPANSION])
    again = pl.DataFrame(
        {"setup": n, "as": all_names[0]} for all_names in names.values() for n in all_names
    )
    wide = again.join(ran, left_on="as", right_on="setup", maintain_order="left").pivot(
        "scheme", index=["setup", "path", "rtt"], values="seconds")  # fmt: skip
    parts = pl.col("setup").str.split("|").list
    found = wide.with_columns(
        ack=parts.get(0), way=parts.get(1), queue=parts.get(2).cast(int),
        to_reno=pl.col("QS-app") / pl.col("Reno"), to_lss=pl.col("QS-app") / pl.col("LSS")
    ).with_columns(
        order=(pl.col("QS-app") < pl.col("Reno")) & (pl.col("Reno") < pl.col("LSS")),
        reno_leads=pl.col("Reno") < pl.min_horizontal("QS-app", "LSS"),
        called=pl.col("way").replace(HANDOVERS))  # fmt: skip
    said = []
    for (ack, way), part in found.filter(rtt=EXPANSION.rtt).group_by(
        ["ack", "way"], maintain_order=True
    ):
        both = [statements.holds("cav.chi.half", a) and statements.holds("cav.chi.quarter", b)
                for a, b in part.select("to_reno", "to_lss").rows()]  # fmt: skip
        if way == "never dropped":
            said.append(f"Where the queue never drops QS-app takes {part['to_reno'][0]:.2f} of "
                        f"Reno's time, ACKs {ack}.")  # fmt: skip
        else:
            order = spans(part["order"].to_list())
            said.append(f"Window {HANDOVERS[way]}, ACKs {ack}: half of Reno and a quarter of LSS "
                        f"hold with {spans(both)}, Chicago's order with {order}.")  # fmt: skip
    for (way,), part in found.filter(rtt=CAROLINA_EXPANSION.rtt, ack="delayed").group_by(
        ["way"], maintain_order=True
    ):
        said.append(f"North Carolina's order, the window {HANDOVERS[way]}: "
                    f"{spans(part['reno_leads'].to_list())}.")  # fmt: skip
    shown = found.filter(ack="delayed")
    x = (
        "queue",
        Axis("queue at the interface, packets", "log", (80, 200_000), [100, 1000, 10_000]),
    )
    y = Axis("QS-app's time / the other's", limits=(0, 2.2))
    chicago, carolina = (shown.filter(rtt=path.rtt) for path in (EXPANSION, CAROLINA_EXPANSION))
    return Findings(
        answers=said,
        tables=[table("buffer", "Completion times (s) by the queue at the interface, 1G-1G",
                      found.drop("setup", "called"))],
        pictures=[lines(
            "buffer", "1G-1G: QS-app's completion time over another's, by the queue at the "
            "interface and by how the first window enters it",
            panel(chicago, x, ("to_reno", y), "called", title="Chicago, 180 ms: over Reno",
                  level={"published: half": HALF}),
            panel(chicago, x, ("to_lss", y), "called", title="Chicago, 180 ms: over LSS",
                  level={"published: a quarter": QUARTER}),
            panel(carolina, x, ("to_reno", y), "called", title="North Carolina, 220 ms: over Reno",
                  level={"as long as Reno": 1}))],
    )  # fmt: skip


# What capacity reduction costs, by how long a host takes to read SACK and by buffer.
#
# A window of 154 000 packets that lost most of itself comes back as tens of thousands of SACKs.
# Kernels of 2008 walked the queue of sent packets for each block; the simulator lets a host take a
# fixed time for each.

GBITS = REDUCTION.interface / 1000
DROPS: dict[Handover, str] = {
    "at once": "the interface's queue drops",
    "never dropped": "the interface's queue never drops",
}


def _reading(lab: Lab, costs_us: Sequence[float]) -> pl.DataFrame:
    """Capacity reduction by hand-over, and by microseconds for a SACK block per Gbit/s."""
    setups = {f"{way}|{us}": replace(LITERAL, handover=way, sack_us=us)
              for way in DROPS for us in costs_us}  # fmt: skip
    parts = pl.col("setup").str.split("|").list
    return statements.frame(lab, setups, [REDUCTION]).with_columns(
        way=parts.get(0).replace(DROPS), cost_us=parts.get(1).cast(float) * GBITS
    )


@experiment("CAV-HOST", "study")
def cav_host(lab: Lab) -> Findings:
    """What do SACK reading and buffers make of capacity reduction?"""
    costs = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0)
    read = _reading(lab, costs)
    buffers = {
        each: replace(LITERAL, buffer=each)
        for each in ("0.05bdp", "0.1bdp", "0.2bdp", "0.5bdp", "1bdp")
    }
    by_buffer = statements.frame(lab, buffers, [REDUCTION, Path(1000, 100)])
    said = []
    for (way,), part in read.group_by(["way"], maintain_order=True):
        took = by_case(part, ("scheme", "cost_us"), "seconds")
        slowest = [f"{us * GBITS:g}" for us in costs
                   if max(SCHEMES, key=lambda s, us=us: took[s, us * GBITS]) == "QS-app"]  # type: ignore[misc]  # fmt: skip
        said.append(
            f"{REDUCTION.name}, {way}: with SACK read in no time QS-app takes "
            f"{took['QS-app', 0]:.0f} s, Reno {took['Reno', 0]:.0f} s and LSS {took['LSS', 0]:.0f} "
            f"s; QS-app is the slowest with {', '.join(slowest) or 'no time tried'} us for a block."
        )
    some = read.filter(pl.col("cost_us") > 0)
    ticks = some["cost_us"].unique().sort().to_list()
    return Findings(
        answers=said,
        tables=[
            table("sack-reading", f"{REDUCTION.name}, 180 ms, by the time that a host takes to "
                  "read one SACK block", read.drop("setup")),
            table("reduction-buffer", "Capacity reduction by the narrowest link's buffer",
                  by_buffer),
        ],
        pictures=[lines(
            "sack-reading", f"{REDUCTION.name}: completion time by how long a host takes to read a "
            "SACK block, where the interface's queue drops and where it never does",
            *panels_by(some, "way", "{}", ("cost_us", Axis("time to read a SACK block, us", "log",
                                                           ticks=ticks)),
                       ("seconds", Axis("completion time, s", limits=(0, 300))), "scheme"))],
    )  # fmt: skip


# What would have to be true for some transfers to be reset.
#
# Nothing in the network resets a connection; somebody gives it up. TCP does after so many
# consecutive timeouts, an application or what stands before it after so long without progress. So
# the longest silence of each scheme shows which rules reset which transfers.

PATHS = (*REDUCTIONS, CAROLINA_REDUCTION)
RULES = {
    "15 consecutive timeouts (Linux)": Patience(),
    "5 consecutive timeouts (Windows)": Patience(timeouts=5),
    **{f"{s:g} s of silence": Patience(silence_s=s) for s in (0.5, 1, 3)},
    "5 s of silence (httperf's manual)": Patience(silence_s=5),
    "60 s of silence": Patience(silence_s=60),
    "300 s of silence (Apache 2.2)": Patience(silence_s=300),
}
MOVED: dict[str, tuple[Setup, int]] = {
    "literal": (LITERAL, 1),
    "least RTO 200 ms (Linux)": (replace(LITERAL, rto_min="200ms"), 1),
    "NewReno without SACK": (replace(LITERAL, recovery="newreno"), 1),
    "interface queue never drops": (replace(LITERAL, handover="never dropped"), 1),
    "interface queue 100 packets": (replace(LITERAL, queue="100pkt"), 1),
    "narrowest buffer 0.05 BDP": (replace(LITERAL, buffer="0.05bdp"), 1),
    "SACK block read in 50 us": (replace(LITERAL, sack_us=5.0), 1),
    "SACK block read in 300 us": (replace(LITERAL, sack_us=30.0), 1),
    "2 sessions": (LITERAL, 2),
    "4 sessions": (LITERAL, 4),
}
"""Set-ups, and how many sessions there are at once."""


@experiment("CAV-RESET", "study")
def cav_reset(lab: Lab) -> Findings:
    """What would have to be true for some transfers to be reset?"""
    literal = statements.frame(lab, {"literal": LITERAL}, PATHS, ALL)
    documents = [transfer(scheme, REDUCTION, setup, sessions=n)
                 for setup, n in MOVED.values() for scheme in ALL]  # fmt: skip
    watched = iter(lab.runs(documents, measures.watched, trace=True))
    moved = pl.DataFrame(
        {"input": name, "scheme": scheme, "silent_s": max(one["silent_s"] for one in of),
         "in_a_row": max(one["in_a_row"] for one in of)}
        for name in MOVED for scheme in ALL for of in [next(watched)]
    )  # fmt: skip
    reading = _reading(lab, (0.0, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 150.0))
    given_up = (pl.col("in_a_row") >= pl.col("timeouts")) | (
        pl.col("silent_s") >= pl.col("limit_s")
    )
    rules = literal.join(
        pl.DataFrame({"rule": name, "timeouts": rule.timeouts, "limit_s": rule.silence_s}
                     for name, rule in RULES.items()), how="cross"
    ).group_by("rule", "scheme", maintain_order=True).agg(reset=given_up.sum(),
                                                          paths=pl.len())  # fmt: skip
    silent = by_case(literal.group_by("scheme").agg(pl.col("silent_s").max()), "scheme", "silent_s")
    others = max(silent["Reno"], silent["LSS"])
    most = max(moved.filter(scheme="QS-app")["in_a_row"])
    longest = reading.group_by("way", "scheme", maintain_order=True).agg(pl.col("silent_s").max())
    said = ", ".join(f"{scheme} {seconds:.1f} s ({way})" for way, scheme, seconds in longest.rows())
    return Findings(
        answers=[
            f"Where capacity shrinks QS-app is silent for {silent['QS-app']:.1f} s at most, Reno "
            f"and LSS for {others:.2f} s. A host that gives up after more than {others:.2f} s and "
            f"at most {silent['QS-app']:.1f} s without progress resets QS-app and neither of the "
            "others.",
            f"Where a host takes up to 1500 us to read a SACK block, the longest silences are: "
            f"{said}.",
            f"Over all inputs that were moved at most {most:.0f} of QS-app's timeouts come without "
            "progress between them, where TCP gives up after 15 in Linux and after 5 in Windows.",
        ],
        tables=[
            table("silence", "The longest time without progress, literal set-up", literal.select(
                "path", "rtt", "scheme", "silent_s", "in_a_row")),
            table("rules", "On how many paths each rule resets a transfer, literal set-up", rules),
            table("silence-moved", f"{REDUCTION.name}, 180 ms: one input moved at a time", moved),
        ],
        pictures=[lines(
            "silence", f"{REDUCTION.name}, 180 ms: the longest time without progress. A host that "
            "gives up earlier (dashed: some such times) resets the transfer",
            *panels_by(reading.filter(pl.col("cost_us") > 0), "way", "{}",
                       ("cost_us", Axis("time to read a SACK block, us", "log", (8, 12000),
                                        [10, 30, 100, 300, 1000])),
                       ("silent_s", Axis("longest time without progress, s", "log", (0.1, 200))),
                       "scheme",
                       level={"60 s": 60, "5 s (httperf)": 5, "1 s": 1}))],
    )  # fmt: skip


# What shows a sender in its first round trips whether capacity shrinks.
#
# The slides end with asking. Three things that a sender sees are measured on paths of both kinds
# with other traffic on them: how fast ACKs come against its own interface, how much of what it
# sent was lost, and by how much the round trip grew. One threshold is laid on each by half of the
# seeds and tried on the others.

RTT_S = 0.18
STARTS = {"QS-app": 2, PACED: 2, "Reno": 5}
"""How a connection begins, and the round trips after the handshake in which it is watched."""
ACKS: dict[str, dict[str, str]] = {
    "undisturbed": {},
    "disturbed": {"interrupt_min": "60us", "interrupt_max": "100us"},
}
"""How ACKs come back: other traffic goes forward only and hosts see packets at once; or as much
goes back as forth, and hosts see packets at interrupts."""
SIGNS = {"rate": "ACK rate / interface", "loss": "share lost", "growth": "RTT growth"}
SHRINKS_BELOW = {"rate": True, "loss": False, "growth": False}
"""Whether low values speak for capacity reduction."""


def watched_start(start: str, acks: str, narrowest: int, load: float, seed: int) -> Document:
    """The first round trips of a connection among others."""
    path = Path(INTERFACE, narrowest)
    end = BEGIN_S + (STARTS[start] + 1.5) * RTT_S
    both_ways = acks == "disturbed"
    spec = startup(start, path)
    document = with_web(path, load, seed, spec, "1GB", lasts_s=end, both_ways=both_ways)
    return document | {"duration": f"{end:.3f}s", "stack": document["stack"] | ACKS[acks]}


def signs(run: Run) -> list[dict[str, float]]:
    """What the first flow's sender saw; nothing if its SYN was lost."""
    samples = measures.samples(run)
    mine = samples["flow"] == 0
    time, event, seq = (samples[name][mine] for name in ("time_ns", "event", "seq_bytes"))
    if measures.OPEN not in event:
        return []
    time = time / 1e9
    rtt = time[event == measures.OPEN][0] - BEGIN_S
    again = np.append(time[event == measures.RETRANSMIT], np.inf)[0]
    sent = time[event == measures.SEND]
    acks, ack_times = seq[event == measures.ACK].astype(np.int64), time[event == measures.ACK]
    early = ack_times < again
    return [
        {
            "rate": ack_rate(acks, ack_times, rtt),
            "loss": float(len(np.unique(seq[event == measures.DROP])) / len(sent)),
            "growth": _growth(acks[early], ack_times[early], sent, rtt),
        }
    ]


def ack_rate(acks: Any, times: Any, rtt: float) -> float:
    """The median rate between neighbouring ACKs, as a share of the interface's."""
    gaps = np.diff(times)
    # An ACK that does not advance reports one segment beyond a hole.
    covered = np.maximum(np.diff(acks), MSS) * (MSS + 40) / MSS
    train = (gaps > 0) & (gaps < rtt / 4)
    if not train.any():
        return 0.0
    return float(np.median(8 * covered[train] / gaps[train]) / (INTERFACE * 1e6))


def _growth(acks: Any, times: Any, sent: Any, rtt: float) -> float:
    """The longest round trip over the handshake's, less one; before anything is sent again."""
    advances = np.diff(acks, prepend=0) > 0
    newest = np.minimum(np.ceil(acks[advances] / MSS).astype(int), len(sent)) - 1
    trips = times[advances] - sent[newest]
    return float(trips.max() / rtt - 1) if len(trips) else 0.0


def errors(known: Sequence[tuple[bool, float]], at: float, sign: str) -> tuple[float, float]:
    """The shares of reductions and of expansions that are taken for the other."""
    reductions = [value for shrinks, value in known if shrinks]
    expansions = [value for shrinks, value in known if not shrinks]
    below = SHRINKS_BELOW[sign]
    missed = sum((value < at) != below for value in reductions) / len(reductions)
    alarmed = sum((value < at) == below for value in expansions) / len(expansions)
    return missed, alarmed


def _threshold(seen: pl.DataFrame, sign: str) -> dict[str, float]:
    """The threshold that separates the odd seeds best, tried on the even ones."""
    shrinks = pl.col("narrowest") < INTERFACE
    odd, even = (
        seen.filter(pl.col("seed") % 2 == part).select(shrinks, sign).rows() for part in (1, 0)
    )
    values = sorted({value for _, value in odd})
    between = [(a + b) / 2 for a, b in pairwise(values)] or values
    best = min(between, key=lambda at: sum(errors(odd, at, sign)))
    missed, alarmed = errors(even, best, sign)
    return {"threshold": best, "missed": 100 * missed, "alarmed": 100 * alarmed}


@experiment("CAV-TELL", "study")
def cav_tell(lab: Lab) -> Findings:
    """Which signals show a sender early whether capacity expands or shrinks?"""
    cases = grid(start=STARTS, acks=ACKS, narrowest=NARROWEST, load=LOADS, seed=range(1, 9))
    seen = lab.frame(watched_start, cases, signs, trace=True)
    rows = [
        {"start": start, "acks": acks, "sign": SIGNS[sign], **_threshold(part, sign)}
        for (start, acks), part in seen.group_by(["start", "acks"],
                                                 maintain_order=True) for sign in SIGNS
    ]  # fmt: skip
    found = pl.DataFrame(rows).with_columns(right=100 - (pl.col("missed") + pl.col("alarmed")) / 2)
    key = ["start", "acks", "narrowest", "load"]
    medians = seen.group_by(key, maintain_order=True).agg(
        pl.col(*SIGNS).median(), *(pl.col(s).min().alias(f"{s}_low") for s in SIGNS),
        *(pl.col(s).max().alias(f"{s}_high") for s in SIGNS))  # fmt: skip
    shown = medians.filter(start="QS-app", acks="undisturbed").with_columns(
        ratio=pl.col("narrowest") / INTERFACE, percent=(100 * pl.col("load")).round().cast(int)
    )
    levels = by_case(found.filter(start="QS-app", acks="undisturbed"), "sign", "threshold")
    return Findings(
        answers=[
            f"{start}, watched for {STARTS[str(start)]} round trips: with one threshold "
            + ", ".join(f"{sign} is right in {right:.0f} % (ACKs {acks})" for sign, right, acks in
                        part.select("sign", "right", "acks").rows())
            + "; guessing is right in 50 %."
            for (start,), part in found.group_by(["start"], maintain_order=True)
        ],
        tables=[
            table("thresholds", "One threshold per sign, laid by the odd seeds and tried on the "
                  "even ones: reductions missed, and expansions taken for reductions (%)", found),
            table("signs", "What the sender sees, medians and ends of 8 seeds (fewer where SYNs "
                  "were lost)", medians),
        ],
        pictures=[lines(
            "signs", "QS-app, ACKs undisturbed: what the sender sees of its first flight, medians "
            "and ends of 8 seeds",
            *(panel(shown, ("ratio", Axis("narrowest link / interface", "log", ticks=[0.1, 0.5, 1,
                                                                                      2, 4])),
                    (sign, Axis(label, limits=(0, None))), "percent", name="load {} %",
                    level={"threshold": levels[label]}) for sign, label in SIGNS.items()))],
    )  # fmt: skip


# A startup that detects expansion or reduction and acts on it: alone on the slides' paths, and with
# other traffic that makes it err.

DETECTING = f"{pathlib.Path(detecting_start.__file__)}:DetectingStart"
"""The startup, as a scenario names it."""
VARIANTS = {
    "detecting, opens with the window": "opening=window",
    "detecting, opens with the window, paced": "opening=window,paced=true",
    "detecting, opens by slow start": "opening=slow-start",
    "detecting, opens by slow start, paced": "opening=slow-start,paced=true",
    "detecting, opens by slow start, paced, else Reno": (
        "opening=slow-start,paced=true,fallback=slow-start"
    ),
}
"""What each does; all judge 16 gaps between ACKs."""
ALONE = {path.name: path for path in
         (Path(100, 1000), EXPANSION, Path(10_000, 10_000), *REDUCTIONS)}  # fmt: skip
BUSY = ("detecting, opens with the window, paced", "detecting, opens by slow start, paced")
"""Those that are tried with other traffic."""
SECONDS = 8
"""What is transferred would take so long alone at the narrowest link's rate or the interface's."""


def _spec(path: Path, name: str) -> str:
    return f"{DETECTING}:{VARIANTS[name]}" if name in VARIANTS else startup(name, path)


def alone(path: str, start: str) -> Document:
    """One transfer on one of the slides' paths."""
    document = transfer("QS-app", ALONE[path])
    (flow,) = document["flows"]
    return document | {"flows": [flow | {"startup": _spec(ALONE[path], start)}]}


def among_others(start: str, narrowest: int, load: float, seed: int) -> Document:
    """One transfer with other traffic, until it is done."""
    path = Path(INTERFACE, narrowest)
    size = f"{SECONDS * 125 * min(path.interface, path.narrowest)}kB"
    document = with_web(path, load, seed, _spec(path, start), size)
    return document | {"end_after": {"flow": 0}}


@experiment("CAV-DETECT", "study")
def cav_detect(lab: Lab) -> Findings:
    """What does a startup gain by detecting expansion and reduction, and how often does it err?"""
    lone = lab.frame(
        alone, grid(path=ALONE, start=(*ALL, *VARIANTS)), measures.detection, trace=True
    )
    cases = grid(start=(*SCHEMES, *BUSY), narrowest=NARROWEST, load=LOADS, seed=range(1, 6))
    busy = lab.frame(among_others, cases, measures.detection, trace=True)
    judged = lone.filter(pl.col("start").is_in(list(VARIANTS)))
    right = sum((one["detected"] == EXPANDS) is ALONE[one["path"]].expands
                for one in judged.rows(named=True))  # fmt: skip
    key = ["narrowest", "load", "start"]
    found = means(busy, key, "seconds", "again").with_columns(
        ratio=pl.col("narrowest") / INTERFACE, percent=(100 * pl.col("load")).round().cast(int)
    )
    detected = busy.filter(pl.col("start").is_in(BUSY)).group_by(key, maintain_order=True).agg(
        expansion=(pl.col("detected") == EXPANDS).sum(),
        reduction=(pl.col("detected") == SHRINKS).sum(),
        nothing=(pl.col("detected") == 0).sum())  # fmt: skip
    at = by_case(lone, ("path", "start"), "seconds")
    said = []
    for name in BUSY:
        mine = detected.filter(start=name)
        narrow, even, wide = (mine.filter(which) for which in (
            pl.col("narrowest") < INTERFACE, pl.col("narrowest") == INTERFACE,
            pl.col("narrowest") > INTERFACE))  # fmt: skip
        said.append(
            f"{name}, with other traffic: {sum(narrow['expansion']) + sum(narrow['nothing'])} of "
            f"{5 * len(narrow)} reductions are missed; {sum(wide['reduction'])} of {5 * len(wide)} "
            "paths with more capacity than the interface are taken for reductions, and "
            f"{sum(even['reduction'])} of {5 * len(even)} paths just as fast."
        )
    heights: Mapping[str, Sequence[float | None]] = {
        name: [at[path, name] for path in ALONE] for name in (*SCHEMES, *BUSY)
    }
    return Findings(
        answers=[
            f"Alone on the slides' paths {right} of {len(judged)} starts are classified correctly. "
            f"{BUSY[1]}: " + ", ".join(f"{path} {at[path, BUSY[1]]:.1f} s" for path in ALONE)
            + "; the better of Reno and LSS takes "
            + ", ".join(f"{min(at[path, 'Reno'], at[path, 'LSS']):.0f}" for path in ALONE) + " s.",
            *said,
        ],
        tables=[
            table("detect", "1 GB alone, 180 ms: completion time (s), packets sent again, and what "
                  "was detected", lone),
            table("detect-alarms", "What it detected, of 5 seeds", detected),
            table("detect-busy", f"{SECONDS} s of data from a 100-Mbit/s interface with other "
                  "traffic: means of 5 seeds", found),
        ],
        pictures=[
            bars("detect", "1 GB alone, 180 ms: completion times",
                 Axis("completion time, s", "log", limits=(1, 5000)), list(ALONE), heights),
            lines("detect-busy", f"{SECONDS} s of data from a 100-Mbit/s interface with other "
                  "traffic: mean completion times of 5 seeds",
                  *panels_by(found.filter(pl.col("load").is_in([LOADS[0], LOADS[-1]])), "percent",
                             "other traffic on {} % of the narrowest link",
                             ("ratio", Axis("narrowest link / interface", "log", ticks=[0.1, 0.5,
                                                                                        1, 2, 4])),
                             ("seconds", Axis("completion time, s", limits=(0, None))), "start",
                             bands=None)),
        ],
    )  # fmt: skip
