"""Fig. 1 to 3: the overshoot, six slow starts, and three ACK schemes."""

import itertools
from collections.abc import Mapping
from statistics import mean, median
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from flowstart.model.document import Document
from flowstart_papers import published
from flowstart_papers.bootstrap import bootstrap_interval
from flowstart_papers.experiment import Findings, Picture, experiment, table
from flowstart_papers.frames import grid
from flowstart_papers.hystart import measures, setups
from flowstart_papers.hystart.setups import EVERY, LINUX, LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, Panel, lines
from flowstart_papers.target import Measured, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

number = published.of("flowstart_papers.hystart").number
TIME = Axis("time (s)")

# Fig. 1: slow start on an emulated transoceanic path.

BLACKOUT_S = number("hy.f1.blackout")
"""The paper's first flow needed more."""
SHOWN_S = 45
"""Longer than that after the overshoot."""
MINUTE_S = 60
SENDERS = {"CUBIC of 2008": setups.CUBIC, "Reno": setups.SACK}
STARTS = ("slow start", "Hybrid Slow Start")


def flows(
    setup: Setup, name: str, seconds: int, receiver: Mapping[str, str] = LINUX, **ends: Any
) -> Document:
    """The flow of Fig. 1, or both; `ends` are fields of the stack."""
    link, stack = setups.path(*setup.fig1), setup.stack(receiver, **ends)
    document = setups.one(link, setup.startup(name), f"{seconds}s", cc=setup.fig1_cc, ends=stack)
    if setup.fig1_second is not None:
        document["flows"][0] |= {"count": 2, "stagger": f"{setup.fig1_second:g}s"}
    return document


def carried(lab: Lab, setup: Setup, **ends: Any) -> dict[str, float]:
    """New data of the first minute by startup, in percent of the link."""
    documents = [flows(setup, name, MINUTE_S, **ends) for name in STARTS]
    link_bits = setup.fig1[0] * 1e6 * MINUTE_S
    payloads = [sum(flow["bytes"] for flow in both) for both in lab.runs(documents, measures.exits)]
    shares = [100 * one / measures.MSS * setups.PACKET_BITS / link_bits for one in payloads]
    return dict(zip(STARTS, shares, strict=True))


def overshoot(lab: Lab, setup: Setup, receiver: Mapping[str, str]) -> dict[str, Any]:
    """What slow start does with one of the receivers."""
    document = flows(setup, "slow start", SHOWN_S, receiver)
    return lab.runs([document], measures.overshoot, trace=True)[0]


def figure1(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured | Value]:
    """What the paper prints of Fig. 1."""
    linux, minute = overshoot(lab, setup, LINUX), carried(lab, setup)
    return {
        "hy.f1.peak": linux["peak"],
        "hy.f1.drops": linux["drops"],
        "hy.f1.onertt": round(linux["span_s"], 3),
        "hy.f1.blackout": Measured(round(linux["small_s"], 1), linux["small_s"] > BLACKOUT_S),
        "hy.f1.util": Measured(
            {name: round(value, 1) for name, value in minute.items()},
            minute["slow start"] < minute["Hybrid Slow Start"],
        ),
    }


@experiment("HY-F1", "Fig. 1", quick=True)
def hy_f1(lab: Lab) -> Findings:
    """How far does slow start overshoot a transoceanic path, and what does it lose?"""
    linux, quick = (overshoot(lab, LITERAL, each) for each in (LINUX, EVERY))
    use = {sender: carried(lab, Setup(fig1_cc=cc)) for sender, cc in SENDERS.items()}
    names = ("bdp", "held", "peak", "drops", "lost", "span_s", "repair_s", "small_s")
    rows = [{"what": name, "delayed ACKs": float(linux[name]), "ACK per packet": float(quick[name])}
            for name in names]  # fmt: skip
    window, peak, drops = linux["window"], number("hy.f1.peak"), number("hy.f1.drops")
    cwnd, ssthresh = ((window["time_s"], window[each]) for each in ("cwnd", "ssthresh"))
    times, counts = linux["drop_times"], linux["dropped"]
    levels = {"BDP": number("hy.f1.bdp"), "BDP and buffer": number("hy.f1.cap"),
              f"published peak: {_grouped(peak)}": peak}  # fmt: skip
    return Findings(
        measured={
            "hy.f1.bdp": linux["bdp"],
            "hy.f1.cap": linux["held"],
            "hy.f1.ackeach": quick["peak"],
            **figure1(lab),
        },
        answers=[
            f"With a receiver that delays its ACKs slow start reaches {linux['peak']:.0f} packets "
            f"and loses {linux['drops']} within {linux['span_s']:.2f} s; with an ACK for every "
            f"packet it reaches {quick['peak']:.0f} and loses {quick['drops']}. Then the flow "
            f"loses {linux['lost'] - linux['drops']} more, as CUBIC's next windows are still "
            "larger than what the path holds; the paper has one burst.",
        ],
        tables=[
            table("figure1", f"The overshoot by the receiver's ACKs, packets and seconds; a run of "
                  f"{SHOWN_S} s", pl.DataFrame(rows)),
            table("utilisation", "New data of the first 60 s of one flow, % of the link",
                  pl.DataFrame([{"cc": sender, **by_start} for sender, by_start in use.items()])),
        ],
        pictures=[lines(
            "figure1",
            "Window, and packets lost so far, of one slow start at 400 Mbit/s and 370 ms with "
            "delayed ACKs. Panel (b) is the time of the losses alone: those of one round trip end "
            "at the published number; half a second later others follow, which the paper does not "
            "have, as CUBIC's next windows are too large again",
            Panel(TIME, Axis("packets", limits=(0, 42000)), {"cwnd": cwnd, "ssthresh": ssthresh},
                  title="(a) window", steps=True, marks=False, level=levels),
            Panel(Axis("time (s)", limits=(times[1] - 0.5, times[1] + 4.5)),
                  Axis("packets", limits=(0, 1.1 * counts[-1])), {"lost so far": (times, counts)},
                  title="(b) packets lost so far", steps=True, marks=False,
                  level={f"published, all in one round trip: {_grouped(drops)}": drops}))],
    )  # fmt: skip


def _grouped(count: float) -> str:
    """With a space between thousands."""
    return f"{count:,.0f}".replace(",", " ")


# Fig. 2: two TCP-SACK flows under six slow starts.

AFTER_S = 30.0
"""How long a run goes on after the second flow's start."""
FIG2_BDP = setups.bdp(*setups.FIG2)
EARLY = 0.75
"""An exit below this share of the BDP is well before it."""
MANY = 10
"""So many times as much is many times as much."""
NO_THRESHOLD = 1_000_000
PANELS = {
    "slow start": setups.SLOW_START,
    "limited slow start": setups.LIMITED,
    "Hybrid Slow Start": setups.HYBRID,
    # Linux begins without a threshold.
    "Adaptive Start": f"adaptive-start:growth=per-ack,ssthresh={NO_THRESHOLD},response=standard",
    "packet pair": "packet-pair-start:variant=closest,growth=per-ack",
    "Vegas": "vegas-slow-start:growth=per-ack",
}
"""(a) to (f)."""
THRESHOLDS = tuple(round(16 * 2 ** (i / 4)) for i in range(30))
"""Of Adaptive Start, to try where its estimate would exceed the window."""
HELD = (*range(881, 888), *range(1763, 1771))
"""Windows to hold, around both ends of the range that fills the link without loss."""
FULL = 0.999


def figure2_panel(name: str, setup: Setup) -> Document:
    """One panel."""
    startup = setup.startup(name) if name in setups.THREE else PANELS[name]
    starts = (0.0, setup.fig2_second)
    ends = setup.stack(**setup.interrupts)
    return setups.two(setups.path(*setup.fig2), startup, starts, starts[1] + AFTER_S, ends=ends)


def filling(lab: Lab) -> list[int]:
    """The windows that fill the link and lose nothing."""

    def held(packets: int) -> Document:
        startup, ends = f"{setups.SLOW_START},ssthresh={packets}", setups.stack(EVERY)
        return setups.one(setups.path(*setups.FIG2), startup, "8s", cc="none", ends=ends)

    found = lab.frame(held, grid(packets=HELD), measures.steady, trace=True)
    full = pl.col("per_s") >= FULL * setups.FIG2[0] * 1e6 / setups.PACKET_BITS
    return found.filter(full & (pl.col("dropped") == 0))["packets"].to_list()


def estimates(lab: Lab, setup: Setup) -> float:
    """Adaptive Start's highest threshold until the window reaches the first one, over the first."""

    def adaptive(threshold: int) -> Document:
        startup = f"adaptive-start:growth=per-ack,ssthresh={threshold},response=standard"
        return setups.one(setups.path(*setup.fig2), startup, "4s", ends=setup.stack())

    found = lab.frame(adaptive, grid(threshold=THRESHOLDS), measures.highest_threshold, trace=True)
    return float(max(found["value"] / found["threshold"]))


def figure2(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured | Value]:
    """What the paper prints of Fig. 2, but for packet pairs."""
    documents = [figure2_panel(name, setup) for name in PANELS]
    found = dict(zip(PANELS, lab.runs(documents, measures.exits), strict=True))
    bdp = setups.bdp(*setup.fig2)
    one, other = found["Hybrid Slow Start"]
    lost = {name: found[name][0]["lost"] for name in list(PANELS)[:3]}
    early = (other["cwnd"] or bdp) < EARLY * bdp
    cwnds = {name: [flow["cwnd"] for flow in both] for name, both in found.items()}
    above = estimates(lab, setup)
    return {
        "hy.f2.exit1": one["cwnd"],
        "hy.f2.exit1.by": one["by"] or "none",
        "hy.f2.exit2.by": (other["by"] or "none") + (", well before the BDP" * early),
        "hy.f2.drops.order": Measured(
            lost,
            lost["slow start"] > MANY * lost["limited slow start"]
            and lost["limited slow start"] > lost["Hybrid Slow Start"] <= 1,
        ),
        "hy.f2.adaptive": Measured(
            {"largest threshold over the first one": round(above, 3)},
            above <= 1 and cwnds["Adaptive Start"] == cwnds["slow start"],
        ),
        "hy.f2.vegas": Measured(cwnds["Vegas"], all(cwnd < bdp / 2 for cwnd in cwnds["Vegas"])),
    }


def _figure2(letter: str, name: str, one: dict[str, Any]) -> Panel:
    first, _ = one["exits"]
    rings: dict[str, Any] = {}
    if name == "Hybrid Slow Start":
        left = first["opened_s"] + first["after_s"]
        rings = {"cwnd of flow 1": ([left], [number("hy.f2.exit1")])}
    if name == "packet pair":
        rings = {
            f"ssthresh of flow {i + 1}": ([one["exits"][i]["opened_s"] + 1], [PRINTED[i]])
            for i in (0, 1)
        }
    curves = {
        # Thresholds that stand for none are not drawn.
        f"{what} of flow {i}": (
            window["time_s"], [y if y and y < NO_THRESHOLD else None for y in window[what]])
        for what in ("cwnd", "ssthresh") for i, window in enumerate(one["windows"], 1)
    }  # fmt: skip
    return Panel(
        TIME,
        Axis("packets", limits=(0, 3500)),
        curves,
        published=rings,
        title=f"({letter}) {name}",
        steps=True,
        marks=False,
        level={"BDP": FIG2_BDP, "BDP and buffer": 2 * FIG2_BDP},
    )


@experiment("HY-F2", "Fig. 2", quick=True)
def hy_f2(lab: Lab) -> Findings:
    """Where do six slow starts leave a path of 883 packets, alone and as second flow?"""
    full = filling(lab)
    drawn = {name: figure2_panel(name, LITERAL) for name in PANELS}
    # The paper's panel (e) has thresholds that no host without interrupts gets.
    drawn["packet pair"] = figure2_panel("packet pair", Setup(interrupts=FITTED))
    traced = lab.runs(list(drawn.values()), measures.windows, trace=True)
    cases = grid(name=PANELS)
    found = lab.frame(lambda name: figure2_panel(name, LITERAL), cases, measures.exits)
    found = found.drop("bytes", "bdp")
    hybrid = found.filter(name="Hybrid Slow Start").rows(named=True)
    return Findings(
        measured={"hy.f2.bdp": min(full), "hy.f2.full": [min(full), max(full)], **figure2(lab)},
        answers=[
            f"Hybrid Slow Start's first flow leaves at {hybrid[0]['cwnd']:.0f} packets "
            f"({hybrid[0]['by']}; BDP {FIG2_BDP:.0f}) and loses {hybrid[0]['lost']}, its second "
            f"one at {hybrid[1]['cwnd']:.0f} ({hybrid[1]['by']}) and loses {hybrid[1]['lost']}.",
        ],
        tables=[table("figure2", "Where each flow leaves slow start, and what it loses", found)],
        pictures=[lines(
            "figure2",
            "Windows and thresholds of two flows at 100 Mbit/s and 106 ms, panels (a) to (f) of "
            "the paper; the grey lines are the BDP and the BDP with the buffer. Rings are "
            "published: in (c) the window at which the first flow leaves, in (e) the thresholds. "
            "Panel (e) alone has hosts that see packets at interrupts, which were fitted to these",
            *(_figure2(letter, name, one)
              for letter, name, one in zip("abcdef", drawn, traced, strict=True)), height=2.9)],
    )  # fmt: skip


# Fig. 2 (e): what packet pairs make of a path when the hosts see time in steps.

SEEDS = 101
PRINTED = (number("hy.f2.hoe1"), number("hy.f2.hoe2"))
"""The thresholds of the two flows."""
FITTED = {"interrupt_min": "60us", "interrupt_max": "120us"}
"""Fitted to the published thresholds: packets of 120 us reach the host one or two at a time."""
HOSTS: dict[str, dict[str, dict[str, Any]]] = {
    "exact": {},
    **{
        f"interrupts of {least}-{most} us": {
            "stack": {"interrupt_min": f"{least}us", "interrupt_max": f"{most}us"}
        }
        for least, most in ((20, 40), (40, 80), (60, 100), (60, 120), (50, 150), (100, 150))
    },
    "ACKs in batches of 100 us": {"path": {"ack_batch": "100us"}},
    "ACKs in batches of 200 us": {"path": {"ack_batch": "200us"}},
}
TIMES = (2.0, 3.0)
"""An estimate between so many times the BDP is two to three times too high."""
VARIES = 0.2
"""Estimates that spread over more than this share of their median differ in each run."""


def pair(setup: Setup, hosts: str, reading: str, seed: int) -> Document:
    """The first second of a flow, in which it has its estimate."""
    noise = HOSTS.get(hosts, {"stack": setup.interrupts})
    startup = f"packet-pair-start:variant={reading},growth=per-ack"
    ends = setup.stack(**noise.get("stack", {}))
    link = setups.path(*setup.fig2, **noise.get("path", {}))
    return setups.one(link, startup, "1s", ends=ends) | {"seed": seed}


def packet_pairs(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured | Value]:
    """The paper's two flows, and how far flows differ.

    The paper's thresholds are of one run. Ours are the medians of the lower and of the higher one
    of two flows, over all pairs of draws in a row.
    """
    seeds = SEEDS if setup.interrupts else 2
    documents = [pair(setup, "its own", "closest", seed) for seed in range(1, seeds + 1)]
    values = [one or 0.0 for one in lab.runs(documents, measures.threshold, trace=True)]
    pairs = list(itertools.pairwise(values))
    middle = median(values) / setups.bdp(*setup.fig2)
    spread = (max(values) - min(values)) / median(values)
    return {
        "hy.f2.hoe1": Measured(round(median(map(min, pairs))), seeds=seeds),
        "hy.f2.hoe2": Measured(round(median(map(max, pairs))), seeds=seeds),
        "hy.f2.hoe.over": Measured(
            {"median (BDP)": round(middle, 3), "spread over median": round(spread, 3)},
            TIMES[0] <= middle <= TIMES[1] and spread > VARIES,
            seeds=seeds,
        ),
    }


@experiment("HY-HOE", "Fig. 2e")
def hy_hoe(lab: Lab) -> Findings:
    """What do packet pairs measure if hosts see packets only at interrupts?"""
    cases = grid(hosts=HOSTS, reading=("closest", "robust"), seed=range(1, SEEDS + 1))
    draws = lab.frame(
        lambda **case: pair(LITERAL, **case),
        [case for case in cases if case["hosts"] != "exact" or case["seed"] == 1],
        measures.threshold,
        trace=True,
    ).with_columns(pl.col("value").fill_null(0.0))
    found = draws.group_by("hosts", "reading", maintain_order=True).agg(
        draws=pl.len(), low=pl.col("value").quantile(0.05, "linear"),
        median=pl.col("value").median(), high=pl.col("value").quantile(0.95, "linear"),
        bdps=pl.col("value").median() / FIG2_BDP)  # fmt: skip
    fitted = found.filter(hosts="interrupts of 60-120 us", reading="closest").row(0, named=True)
    medians = found.filter(pl.col("hosts").str.starts_with("interrupts"))["bdps"]
    curves = {}
    for (hosts,), part in draws.filter(reading="closest").group_by(["hosts"], maintain_order=True):
        if len(part) > 1:
            shares = [100 * (i + 1) / len(part) for i in range(len(part))]
            curves[str(hosts)] = (shares, part["value"].sort().to_list())
    return Findings(
        measured=packet_pairs(lab),
        answers=[
            f"Hosts that see every packet at once measure {found['median'][0]:.0f} packets, the "
            f"BDP. Hosts that are interrupted every 60 to 120 us measure {fitted['low']:.0f} to "
            f"{fitted['high']:.0f} (nine of ten draws); published were {PRINTED[0]:g} and "
            f"{PRINTED[1]:g}. These interrupts were fitted to that; with others the median is from "
            f"{medians.min():.1f} to {medians.max():.1f} BDP.",
        ],
        tables=[table("packet-pairs", "Thresholds from packet pairs (packets): median, and 5 and "
                      f"95 % of the draws below; BDP {FIG2_BDP:.0f}", found)],
        pictures=[lines(
            "packet-pairs", "Thresholds of the closest pair, sorted, over the share of draws below "
                            "them",
            Panel(Axis("draws below (%)"), Axis("threshold (packets)", limits=(0, 6500)), curves,
                  marks=False,
                  level={"BDP": FIG2_BDP} | {f"published {each:g}": each for each in PRINTED}))],
    )  # fmt: skip


# Fig. 3: three ACK schemes, with mid-sized flows both ways.

END = 16.0
BACKGROUND_MBPS = 50.0
FIG3_SEEDS = range(1, 21)
MOST = 0.9
"""The share of second flows that leave by delay where the paper, of one run, says that they do."""
FIG3_BDP = setups.bdp(*setups.FIG3)
SPREAD = 0.5
"""A round's ACKs that last longer than this share of the round trip are spread over it."""
OVER = number("hy.f3a.over")
"""The exit that the paper has with quick ACKs, in BDP."""
FEW = 0.15
"""A smaller share of ACKs that stand apart is few."""
SCHEMES = ("quick", "quick, then delayed", "delayed")
"""(a) to (c)."""
TIMERS_MS = (40, 80, 100, 120, 150, 160, 170, 200)
"""Of a receiver that delays from the beginning, to see what (c) hangs on."""


def receivers(setup: Setup) -> dict[str, Mapping[str, str]]:
    """The three panels' receivers."""
    return dict(zip(SCHEMES, (EVERY, LINUX, setup.fig3_delayed), strict=True))


def mixed(receiver: Mapping[str, str], seed: int, setup: Setup = LITERAL) -> Document:
    """Two flows into the background."""
    ends, startup = setup.stack(receiver), setup.startup("Hybrid Slow Start")
    flows = setups.two(setups.path(*setups.FIG3), startup, setup.fig3_starts, END, ends=ends)
    web = setups.background(BACKGROUND_MBPS, END, packets=setup.fig3_packets)
    return flows | {"seed": seed, "web": web}


def exits(
    lab: Lab, by_name: Mapping[str, Mapping[str, str]], setup: Setup = LITERAL
) -> pl.DataFrame:
    """Where both flows leave, over the seeds."""
    return lab.frame(
        lambda acks, seed: mixed(by_name[acks], seed, setup),
        grid(acks=by_name, seed=FIG3_SEEDS),
        measures.exits,
    ).with_columns(share=pl.col("cwnd").fill_null(0.0) / FIG3_BDP)


def shown(lab: Lab, by_name: Mapping[str, Mapping[str, str]], setup: Setup) -> dict[str, Any]:
    """One run of each with its windows, round-trip times and rounds."""
    documents = [mixed(receiver, 1, setup) for receiver in by_name.values()]
    return dict(zip(by_name, lab.runs(documents, measures.shown, trace=True), strict=True))


def trains(rounds: list[dict[str, float]]) -> dict[str, float]:
    """How a flow's rounds fall into trains; the last one, which the exit cuts, is left out."""
    whole = rounds[:-1]
    return {
        "rounds": len(rounds),
        "acks": sum(r["acks"] for r in whole),
        "apart": sum(r["trains"] - 1 for r in whole),
        "spread": float(np.median([r["length_s"] / r["rtt_s"] for r in whole])),
        "train": float(np.median([r["train_s"] / r["rtt_s"] for r in whole])),
        "last_train_s": rounds[-1]["train_s"],
        "half_rtt_s": min(r["rtt_s"] for r in rounds) / 2,
    }


def figure3(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured | Value]:
    """What the paper prints of Fig. 3.

    Nobody leaves by a loss, and the second flow by delay in most runs. In a few runs a burst of the
    background ends the first flow early; the second one then finds an empty path, and its train
    ends it.
    """
    found = exits(lab, receivers(setup), setup)
    quick, linux, delayed = (
        trains(one["rounds"]) for one in shown(lab, receivers(setup), setup).values()
    )
    first_by, second_by = (found.filter(row=row)["by"].to_list() for row in (0, 1))
    first = mean(by in ("ack-train", "delay") for by in first_by)
    second, lost = (mean(by == which for by in second_by) for which in ("delay", "loss"))
    shares = found.filter(row=0, acks="quick")["share"].to_list()
    few = linux["apart"] / linux["acks"]
    return {
        "hy.f3a.over": Measured(
            round(median(shares), 3),
            interval=bootstrap_interval(shares, np.median),
            seeds=len(shares),
        ),
        "hy.f3.works": Measured(
            {
                "first by train or delay": round(first, 3),
                "second by delay": round(second, 3),
                "second by loss": round(lost, 3),
            },
            holds=first == 1 and lost == 0 and second >= MOST,
            seeds=len(FIG3_SEEDS),
        ),
        "hy.f3a.nodelack": Measured(quick["apart"], quick["apart"] == 0),
        "hy.f3b.few": Measured(
            round(few, 4), 0 < few < FEW and linux["last_train_s"] < 1.1 * linux["half_rtt_s"]
        ),
        "hy.f3c.spread": Measured(
            {"spread": round(delayed["spread"], 3), "train": round(delayed["train"], 3)},
            holds=delayed["spread"] > SPREAD > quick["spread"]
            and delayed["train"] < delayed["spread"] / 2
            and delayed["last_train_s"] < 1.1 * delayed["half_rtt_s"],
        ),
    }


def _by(which: str) -> pl.Expr:
    return (pl.col("by") == which).sum().alias(f"by {which}")


@experiment("HY-F3", "Fig. 3")
def hy_f3(lab: Lab) -> Findings:
    """Does it work with quick, quick-then-delayed and delayed ACKs in other traffic?"""
    named = {**receivers(LITERAL), "delayed (FreeBSD)": setups.FREEBSD}
    timers = {f"{ms}": {"ack": "delayed", "ack_timer": f"{ms}ms"} for ms in TIMERS_MS}
    ends = setups.stack(EVERY)
    alone = setups.one(setups.path(*setups.FIG3), setups.SLOW_START, "4s", ends=ends)
    (held,) = lab.runs([alone], measures.capacity, trace=True)
    found = exits(lab, named | timers).group_by("acks", "row", maintain_order=True).agg(
        *map(_by, ("ack-train", "delay", "loss")), median=pl.col("share").median(),
        least=pl.col("share").min(), most=pl.col("share").max(), lost=pl.col("lost").mean(),
    )  # fmt: skip
    runs = shown(lab, receivers(LITERAL), LITERAL)
    rows = {
        acks: trains(one["rounds"]) for acks, one in (runs | shown(lab, timers, LITERAL)).items()
    }
    by_loss = dict(found.filter(row=1).select("acks", "by loss").rows())
    spread = [ms for ms in timers if rows[ms]["spread"] > SPREAD]
    works = [ms for ms in timers if not by_loss[ms]]
    medians = found.filter(pl.col("row") == 0, pl.col("acks").is_in(list(named)))
    listed = ", ".join(
        f"{share:.2f} ({acks})" for acks, share in medians.select("acks", "median").rows()
    )
    return Findings(
        measured={"hy.f3.bdp": held["bdp"], **figure3(lab)},
        answers=[
            f"In the median of {len(FIG3_SEEDS)} seeds the first flow leaves at these multiples of "
            f"the BDP: {listed}. Of {len(FIG3_SEEDS)} second flows each, {by_loss['delayed']} lose "
            f"a packet before they leave with Windows' receiver and {by_loss['delayed (FreeBSD)']} "
            "with FreeBSD's.",
            "The paper's statement on (c) needs two things at once: with ACK timers of "
            f"{', '.join(spread)} ms a round's ACKs spread over the round trip of 160 ms, with "
            f"{', '.join(works)} ms no second flow leaves by a loss; with "
            f"{', '.join(ms for ms in spread if ms in works) or 'none of these'} both.",
        ],
        tables=[
            table("exits", f"Exits of both flows in BDP over {len(FIG3_SEEDS)} seeds of the "
                  "background, by ACKs or by the timer (ms) of a receiver that delays from the "
                  "beginning", found),
            table("trains", "The first flow's rounds before the exit (seed 1). ACKs more than 2 ms "
                  "after the one before begin a new train; spread and train are shares of the RTT",
                  pl.DataFrame([{"ACKs": acks, **row} for acks, row in rows.items()])),
        ],
        pictures=[Picture(
            f"figure3{letter}",
            f"({letter}) {acks} ACKs: windows, and round-trip times that the ACKs show, of two "
            "flows at 400 Mbit/s and 160 ms with 50 Mbit/s of other flows each way. Below, the "
            "first flow's slow start: bars are the ACK trains of its rounds, as wide as they last, "
            "at the round's least round-trip time, as the paper draws them; right, the length of "
            "each train against the half round trip that ends slow start"
            + (". The ring is the published exit" if acks == "quick" else ""),
            lambda acks=acks, one=one: _figure3(acks, one))  # type: ignore[misc]
            for letter, (acks, one) in zip("abc", runs.items(), strict=True)],
    )  # fmt: skip


def _figure3(acks: str, one: dict[str, Any]) -> "Figure":
    """Windows and round-trip times; then the trains of the first flow's slow start."""
    from flowstart_papers import drawing

    rounds, end, curves = one["rounds"], one["left_s"], one["curves"]
    # The sender counts gaps in whole ticks, so its last train may be longer than ours.
    rounds = [*rounds[:-1], {**rounds[-1], "train_s": end - rounds[-1]["start_s"]}]
    starts = [each["start_s"] for each in rounds]
    early = [at for at in curves[0]["at_s"] if at <= end]
    # Room at the right for the name of the level.
    seconds = Axis("time (s)", limits=(starts[0] - 0.1, end + 0.2 * (end - starts[0])))
    lengths = {"first train of a round": "train_s", "all ACKs of the round": "length_s"}
    chart = drawing.panels(
        Panel(TIME, Axis("cwnd (packets)", limits=(0, None)),
              {f"flow {i}": (c["time_s"], c["cwnd"]) for i, c in enumerate(curves, 1)},
              title=f"{acks}: window", steps=True, marks=False, level={"BDP": FIG3_BDP},
              published={"flow 1": ([end], [OVER * FIG3_BDP])} if acks == "quick" else {}),
        Panel(TIME, Axis("RTT (ms)"),
              {f"flow {i}": (c["at_s"], c["rtt_ms"]) for i, c in enumerate(curves, 1)},
              title="round-trip time", marks=False),
        Panel(seconds, Axis("RTT (ms)"), {"flow 1": (early, curves[0]["rtt_ms"][: len(early)])},
              title="slow start of flow 1: its ACK trains (bars)", marks=False),
        Panel(seconds, Axis("length (ms)", limits=(0, None)),
              {name: (starts, [1e3 * each[of] for each in rounds]) for name, of in lengths.items()},
              title="length of the trains",
              level={"dMin / 2": 1e3 * min(each["rtt_s"] for each in rounds) / 2}),
    )  # fmt: skip
    trains_ms, ends = (
        [1e3 * r["rtt_s"] for r in rounds],
        [r["start_s"] + r["train_s"] for r in rounds],
    )
    chart.axes[2].hlines(trains_ms, starts, ends, colors="#D55E00", linewidth=6, zorder=3)
    return chart
