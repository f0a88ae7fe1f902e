"""Sections I, II, IV.B and IV.E: what is reckoned, the rules, and what routers can do."""

from typing import Any

import numpy as np
import polars as pl

from flowstart.model.document import Document
from flowstart_papers.bootstrap import bootstrap_interval
from flowstart_papers.experiment import Findings, experiment, table
from flowstart_papers.frames import by_case, grid, means, versus
from flowstart_papers.jump_start import measures, setups
from flowstart_papers.jump_start.setups import BOTH, JUMP_START, SLOW_START
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, Panel, bars, lines
from flowstart_papers.target import Measured

BORDER_LINK = 100e6
"""Bits per second between the authors' site and its provider (Sec. IV.C)."""
SHARE = 0.005


@experiment("JS-IN", "Sec. I", quick=True)
def js_in(lab: Lab) -> Findings:
    """How long does slow start take to fill a fast long path?"""
    scenario = {
        "path": {"rate": "10Gbps", "rtt": "100ms", "buffer": "1bdp"},
        "stack": setups.stack(iw="1", window="1000000pkt"),
        "flows": [{"startup": SLOW_START, "size": "300000pkt"}],
    }
    found = lab.runs([scenario], measures.filling, trace=True)[0]
    return Findings(
        measured={
            "js.intro.bdp": found["window"],
            "js.intro.time": found["after_s"],
            "js.intro.data": found["sent_bytes"],
            "js.policy": SHARE * BORDER_LINK,
        },
        answers=[
            f"At 10 Gbit/s and 100 ms {found['window']} packets fill the path. Slow start from one "
            f"packet has them in flight {found['after_s']:.2f} s after the handshake and "
            f"{found['sent_bytes'] / 1e6:.0f} MB.",
        ],
    )


LOSSY: tuple[tuple[int, dict[str, str]], ...] = (
    (100, {}),
    (128, {}),
    (140, {}),
    (100, {"buffer": "40pkt"}),
    (160, {"rate": "10Mbps", "buffer": "50pkt"}),
    (300, {"rate": "20Mbps", "buffer": "100pkt"}),
)
"""Packets of the flight, and what of the path is not the paper's, so that R differs."""
SHOWN = 1


def _lossy(packets: int, path: dict[str, str]) -> Document:
    """SACK with all its rules repairs these flights without the timer, so recovery ends."""
    fields = setups.RECOVERIES["RFC 6675"]
    return setups.along(setups.single(JUMP_START, packets, **fields), **path)


@experiment("JS-ALG", "Sec. II", quick=True)
def js_alg(lab: Lab) -> Findings:
    """Which window follows a lossy first flight, and what ends the flight?"""
    idle = setups.single(JUMP_START, 64)
    # Its SYN waits behind another's burst that is gone when its data leaves.
    burst = {"startup": JUMP_START, "size": "80pkt"}
    late = {"startup": JUMP_START, "size": "100pkt", "start": "125ms"}
    repaired = lab.runs([_lossy(*case) for case in LOSSY], measures.window, trace=True)
    ends = lab.runs([idle, idle | {"flows": [late, burst]}], measures.ending, trace=True)
    whole, cut = ends
    follows = all(
        one["timeouts"] == 0 and one["cwnd"] == (one["D"] - one["R"]) / 2 for one in repaired
    )
    ended = (
        whole["sent"] == whole["D"]
        and whole["exit_s"] == whole["last_send_s"] < whole["first_ack_s"]
        and cut["sent"] < cut["D"]
        and cut["exit_s"] == cut["first_ack_s"] < cut["last_send_s"]
    )
    shown = repaired[SHOWN]
    times, windows = shown["time_s"], shown["cwnd_over_time"]
    return Findings(
        measured={
            "js.alg.cwnd": "(D - R)/2" if follows else "another window",
            "js.alg.end": "all D packets are out, or the first ACK" if ended else "something else",
        },
        answers=[
            f"Of {shown['D']} packets {shown['R']} are sent again; the window afterwards is "
            f"{shown['cwnd']:g}. So it is in all {len(repaired)} flights of the table.",
            f"On an idle path all {whole['D']} packets leave before the first ACK; where the "
            "handshake waited behind a queue that is gone, the first ACK ends the flight after "
            f"{cut['sent']} of {cut['D']}.",
        ],
        tables=[
            table("window", "The window after recovery",
                  pl.DataFrame(repaired).select("D", "R", "cwnd", "timeouts")),
            table("end", "The end of the first flight, alone and behind a queue",
                  pl.DataFrame(ends)),
        ],
        pictures=[lines(
            "window",
            f"The window of a jump of {shown['D']} packets, {shown['R']} of which are lost",
            Panel(Axis("time (s)", limits=(0, 1.15 * times[-1])),
                  Axis("congestion window (packets)", limits=(0, None)),
                  {"Jump Start": (times, windows)}, steps=True, marks=False,
                  level={"D": shown["D"], "(D - R)/2": (shown["D"] - shown["R"]) / 2}))],
    )  # fmt: skip


SEEDS = range(1, 25)
QUEUES = {
    "drop-tail": "drop-tail",
    "RED": "red",
    "RED, quick": "red:th_min=15,th_max=45,q_w=0.1",
    "CHOKe": "choke",
    "CHOKe, quick": "choke:th_min=15,th_max=45,q_w=0.1",
    "FQ-CoDel": "fq-codel",
    "CoDel": "codel",
    "PIE": "pie",
}
"""As they come, and two whose average follows the queue within ten packets, with thresholds
three times as high."""
NAMED = ("RED", "CHOKe", "FQ-CoDel")
"""What Sec. IV.B speaks of, with flow queueing for the fairness that it asks for."""
LOADS = {"short connections alone": 0, "next to two long ones": 2}
HINTED = {
    "drop-tail": ("drop-tail", ""),
    "marked-first, all marked": ("marked-first", ""),
    "marked-first, excess marked": ("marked-first", ":flag=excess"),
    "RED, marked first": ("red:marked=first", ""),
    "RED": ("red", ""),
}


def bystanders(startup: str, queue: str, seed: int, long: int = 0) -> Document:
    """Bystanders in slow start, among whom four connections of 200 packets appear."""
    short = {"startup": SLOW_START, "size": "20pkt", "count": measures.SHORT, "start": "4s"}
    new = {"startup": startup, "size": f"{setups.PACKETS}pkt", "count": measures.NEWCOMERS}
    flows: list[dict[str, Any]] = [
        short | {"stagger": "100ms", "jitter": "100ms"},
        new | {"start": "5s", "stagger": "2s", "jitter": "100ms"},
    ]
    if long:
        # Enough to last until the others are done.
        flows.append({"startup": SLOW_START, "size": "10000pkt", "count": long})
    path = {"rate": setups.BOTTLENECK, "rtt": setups.RTT, "buffer": setups.QUEUE, "queue": queue}
    return {"seed": seed, "path": path, "stack": setups.stack(), "flows": flows}


@experiment("JS-AQM", "Sec. IV.B")
def js_aqm(lab: Lab) -> Findings:
    """Does active queue management protect bystanders from a jump?"""
    flows = lab.frame(
        lambda load, queue, startup, seed: bystanders(startup, QUEUES[queue], seed, LOADS[load]),
        grid(load=LOADS, queue=QUEUES, startup=BOTH, seed=SEEDS),
        measures.harm,
    )
    pairs = versus(flows, SLOW_START, ["load", "queue", "seed"]).with_columns(
        added=pl.col("bystanders_loss") - pl.col("bystanders_loss_base")
    )
    found = means(pairs, ["load", "queue"], "added", "bystanders_s", "bystanders_s_base")
    added = by_case(found, ("load", "queue"), "added")
    alone, beside = LOADS
    less = [added[load, queue] < added[load, "drop-tail"] for load in LOADS for queue in NAMED]
    short, long = ({queue: f"{added[load, queue]:.1f}" for queue in QUEUES} for load in LOADS)
    return Findings(
        measured={
            "js.aqm": Measured(
                {queue: added[alone, queue] for queue in ("drop-tail", *NAMED)},
                holds=all(less),
                seeds=len(SEEDS),
            )
        },
        answers=[
            f"Among short connections alone a jump adds {short['drop-tail']} points of loss behind "
            f"drop-tail, {short['RED']} behind RED, {short['CHOKe']} behind CHOKe and "
            f"{short['FQ-CoDel']} with a queue for each flow.",
            f"With a quick average and thresholds of 15 and 45 packets it is {short['RED, quick']} "
            f"behind RED and {short['CHOKe, quick']} behind CHOKe; {beside} {long['RED, quick']} "
            f"and {long['CHOKe, quick']}, against {long['drop-tail']} behind drop-tail.",
        ],
        tables=[table("aqm", "Points of loss that jumps add to bystanders of 20 packets, and their "
                      "duration next to jumps and to slow start, s", found)],
        pictures=[bars(
            "aqm", "Loss that jumping newcomers add to bystanders, over newcomers in slow start",
            Axis("added loss of bystanders (percentage points)"), list(QUEUES),
            {load: [added[load, queue] for queue in QUEUES] for load in LOADS})],
    )  # fmt: skip


@experiment("JS-HINTS", "Sec. IV.E", quick=True)
def js_hints(lab: Lab) -> Findings:
    """Do marks that let routers drop startup packets first protect bystanders?"""
    flows = lab.frame(
        lambda marks, seed: bystanders(JUMP_START + HINTED[marks][1], HINTED[marks][0], seed),
        grid(marks=HINTED, seed=SEEDS),
        measures.harm,
    )
    groups = ("bystanders", "newcomers")
    pairs = versus(flows, "drop-tail", ["seed"], by="marks").filter(
        marks="marked-first, all marked"
    )
    changes = {
        group: (pairs[f"{group}_loss"] - pairs[f"{group}_loss_base"]).to_list() for group in groups
    }
    change = {group: float(np.mean(values)) for group, values in changes.items()}
    others, own = (bootstrap_interval(changes[group]) for group in groups)
    found = means(flows, ["marks"], *(f"{group}_{of}" for group in groups for of in ("loss", "s")))
    before, after = found.row(0, named=True), found.row(1, named=True)
    return Findings(
        measured={"js.hints": Measured(change, others[1] < 0 < own[0], seeds=len(SEEDS))},
        answers=[
            f"Dropping marked packets first takes the bystanders' loss from "
            f"{before['bystanders_loss']:.2f} to {after['bystanders_loss']:.2f} %, and that of "
            f"those that jump from {before['newcomers_loss']:.1f} to "
            f"{after['newcomers_loss']:.1f} %.",
        ],
        tables=[table("hints", "Short connections alone, while four connections jump with 200 "
                      "packets: loss in percent, and duration", found)],
    )  # fmt: skip
