"""Fig. 3: Hybrid Slow Start under three ACK schemes, with mid-sized flows both ways."""

from collections.abc import Mapping
from statistics import mean, median
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import measures, setups
from flowstart_papers.hystart.published import number
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.drawing import Panel

END = 16.0
BACKGROUND_MBPS = 50.0
SEEDS = 20
MOST = 0.9
"""The share of second flows that leave by delay where the paper, of one run, says that they do."""
BDP = setups.bdp(*setups.FIG3)
SPREAD = 0.5
"""A round's ACKs that last longer than this share of the round trip are spread over it."""
OVER = number("hy.f3a.over")
"""The exit that the paper has with quick ACKs, in BDP."""
FEW = 0.15
"""A smaller share of ACKs that stand apart is few."""
PANELS = ("quick", "quick, then delayed", "delayed")
"""(a) to (c)."""
OTHER = "delayed (FreeBSD)"
"""The second receiver that the paper names for (c)."""

TIMERS_MS = (40, 80, 100, 120, 150, 160, 170, 200)
"""Of a receiver that delays from the beginning, to see what (c) hangs on."""

Exits = Mapping[str, list[list[dict[str, Any]]]]
"""Of both flows, by ACKs and seed."""


def receivers(setup: Setup) -> dict[str, Mapping[str, str]]:
    """The three panels' receivers."""
    each = (setups.EVERY, setups.LINUX, setup.fig3_delayed)
    return dict(zip(PANELS, each, strict=True))


def document(receiver: Mapping[str, str], seed: int, setup: Setup = LITERAL) -> Document:
    """Two flows into the background."""
    ends = setup.stack(receiver)
    startup = setup.startup("Hybrid Slow Start")
    flows = setups.two(setups.path(*setups.FIG3), startup, setup.fig3_starts, END, ends=ends)
    web = setups.background(BACKGROUND_MBPS, END, packets=setup.fig3_packets)
    return flows | {"seed": seed, "web": web}


def alone() -> Document:
    """A slow start until its first loss: what the path holds."""
    ends = setups.stack(setups.EVERY)
    return setups.one(setups.path(*setups.FIG3), setups.SLOW_START, "4s", ends=ends)


def exits(lab: Lab, by_name: Mapping[str, Mapping[str, str]], setup: Setup = LITERAL) -> Exits:
    """Where both flows leave, over the seeds."""
    seeds = range(1, SEEDS + 1)
    pairs = [(name, seed) for name in by_name for seed in seeds]
    found = lab.runs([document(by_name[name], seed, setup) for name, seed in pairs], measures.exits)
    return {
        name: [both for (other, _), both in zip(pairs, found, strict=True) if other == name]
        for name in by_name
    }


def traced(lab: Lab, setup: Setup) -> dict[str, dict[str, Any]]:
    """One run of each panel with its windows, round-trip times and rounds."""
    documents = [document(receiver, 1, setup) for receiver in receivers(setup).values()]
    return dict(zip(PANELS, lab.runs(documents, measures.shown, trace=True), strict=True))


def by_timer(lab: Lab) -> dict[int, dict[str, Any]]:
    """Panel (c) with other ACK timers: exits, and the trains of one run."""
    receivers = {f"{ms}": {"ack": "delayed", "ack_timer": f"{ms}ms"} for ms in TIMERS_MS}
    found = exits(lab, receivers)
    documents = [document(receiver, 1) for receiver in receivers.values()]
    rounds = lab.runs(documents, measures.shown, trace=True)
    return {
        ms: {"exits": found[f"{ms}"], **_trains(one["rounds"])}
        for ms, one in zip(TIMERS_MS, rounds, strict=True)
    }


def measured(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured]:
    """What the paper prints of Fig. 3."""
    found = exits(lab, receivers(setup), setup)
    trains = {name: _trains(one["rounds"]) for name, one in traced(lab, setup).items()}
    quick = [(both[0]["cwnd"] or 0.0) / BDP for both in found["quick"]]
    return {
        "hy.f3a.over": Measured(
            round(median(quick), 3), interval=interval(quick, np.median), seeds=len(quick)
        ),
        "hy.f3.works": _works(found),
        **_trends(trains),
    }


def run(lab: Lab) -> Findings:
    """Exits over seeds, and the trains of one run per scheme."""
    found = exits(lab, {**receivers(LITERAL), OTHER: setups.FREEBSD})
    shown = traced(lab, LITERAL)
    (held,) = lab.runs([alone()], measures.capacity, trace=True)
    trains = {name: _trains(one["rounds"]) for name, one in shown.items()}
    timers = by_timer(lab)
    return Findings(
        measured={"hy.f3.bdp": Measured(held["bdp"]), **measured(lab)},
        answers=[*_says(found, trains), _timers_say(timers)],
        tables=[_exits(found), _rounds(trains), _timers_table(timers)],
        pictures=[
            Picture(
                f"figure3{letter}",
                f"({letter}) {name} ACKs: windows, and round-trip times that the ACKs show, of two "
                "flows at 400 Mbit/s and 160 ms with 50 Mbit/s of other flows each way. Below, the "
                "first flow's slow start: bars are the ACK trains of its rounds, as wide as they "
                "last, at the round's least round-trip time, as the paper draws them; right, the "
                "length of each train against the half round trip that ends slow start"
                + (". The ring is the published exit" if name == "quick" else ""),
                lambda name=name: draw(name, shown[name]),  # type: ignore[misc]
            )
            for letter, name in zip("abc", PANELS, strict=True)
        ],
    )


def _trains(rounds: list[dict[str, float]]) -> dict[str, float]:
    """How a flow's rounds fall into trains; the last one, which the exit cuts, is left out."""
    whole = rounds[:-1]
    return {
        "rounds": len(rounds),
        "acks": sum(r["acks"] for r in whole),
        "apart": sum(r["trains"] - 1 for r in whole),
        "outside": sum(r["acks"] - r["train_acks"] for r in whole),
        "spread": float(np.median([r["length_s"] / r["rtt_s"] for r in whole])),
        "train": float(np.median([r["train_s"] / r["rtt_s"] for r in whole])),
        "last_train_s": rounds[-1]["train_s"],
        "half_rtt_s": min(r["rtt_s"] for r in rounds) / 2,
    }


def _works(by_scheme: Exits) -> Measured:
    """Nobody leaves by a loss, and the second flow by delay in most runs.

    In a few runs a burst of the background ends the first flow early; the second one then finds
    an empty path, and its train ends it.
    """
    both = [each for found in by_scheme.values() for each in found]
    first = mean(one["by"] in ("ack-train", "delay") for one, _ in both)
    second = mean(other["by"] == "delay" for _, other in both)
    lost = mean(other["by"] == "loss" for _, other in both)
    late = [name for name, found in by_scheme.items() if any(b[1]["by"] == "loss" for b in found)]
    return Measured(
        {
            "first by train or delay": round(first, 3),
            "second by delay": round(second, 3),
            "second by loss": round(lost, 3),
        },
        holds=first == 1 and lost == 0 and second >= MOST,
        because=f"{100 * lost:.0f} % of the second flows leave by a loss (ACKs: "
        f"{', '.join(late) or 'none'}), {100 * second:.0f} % by delay: where the first flow leaves "
        "above the BDP it keeps much of the buffer, and what is left overflows before the delay "
        "of a round shows it; where a burst ends it early, there is no delay to detect.",
        shown_by="HY-F3",
        seeds=SEEDS,
    )


def _trends(trains: dict[str, dict[str, float]]) -> dict[str, Measured]:
    quick, linux, delayed = (trains[scheme] for scheme in PANELS)
    few = linux["apart"] / linux["acks"]
    return {
        "hy.f3a.nodelack": Measured(quick["apart"], holds=quick["apart"] == 0),
        "hy.f3b.few": Measured(
            round(few, 4),
            holds=0 < few < FEW and linux["last_train_s"] < 1.1 * linux["half_rtt_s"],
        ),
        "hy.f3c.spread": Measured(
            {"spread": round(delayed["spread"], 3), "train": round(delayed["train"], 3)},
            holds=delayed["spread"] > SPREAD > quick["spread"]
            and delayed["train"] < delayed["spread"] / 2
            and delayed["last_train_s"] < 1.1 * delayed["half_rtt_s"],
            because="An ACK timer that is longer than the round trip never expires in slow start, "
            "so the ACKs of a round stay together. With FreeBSD's 100 ms they spread.",
            shown_by="HY-F3",
        ),
    }


def _says(by_scheme: Exits, trains: dict[str, dict[str, float]]) -> list[str]:
    shares = {
        scheme: median((both[0]["cwnd"] or 0.0) / BDP for both in found)
        for scheme, found in by_scheme.items()
    }
    bursts = sum(both[0]["by"] == "delay" for found in by_scheme.values() for both in found)
    by_loss = {
        scheme: sum(both[1]["by"] == "loss" for both in by_scheme[scheme])
        for scheme in (PANELS[2], OTHER)
    }
    listed = ", ".join(f"{share:.2f} ({scheme})" for scheme, share in shares.items())
    lost = [both[0]["lost"] + both[1]["lost"] for found in by_scheme.values() for both in found]
    quick, linux, delayed = (trains[scheme] for scheme in PANELS)
    return [
        (
            f"In the median of {SEEDS} seeds the first flow leaves at these multiples of the BDP: "
            f"{listed}; {bursts} of {len(lost)} leave early by delay, behind a burst of the "
            f"background. The two flows lose {mean(lost):.0f} packets a run."
        ),
        (
            f"Of {SEEDS} second flows each, {by_loss[PANELS[2]]} lose a packet before they leave "
            f"with Windows' receiver, which the headline has, and {by_loss[OTHER]} with FreeBSD's."
        ),
        (
            f"Before the exit {quick['apart']:.0f} ACKs stand more than 2 ms apart from the train "
            f"before with quick ACKs, {linux['apart']:.0f} of {linux['acks']:.0f} with a Linux "
            f"receiver; ACKs that are delayed from the start spread over "
            f"{100 * delayed['spread']:.0f} % of the round trip in the median round."
        ),
    ]


def _exits(by_scheme: Exits) -> Table:
    rows = []
    for scheme, found in by_scheme.items():
        for flow in (0, 1):
            mine = [both[flow] for both in found]
            share = [one["cwnd"] / BDP for one in mine if one["cwnd"]]
            rows.append(
                {
                    "ACKs": scheme,
                    "flow": flow + 1,
                    "leaves at (BDP, median)": round(median(share), 3),
                    "least": round(min(share), 3),
                    "most": round(max(share), 3),
                    "published": OVER if (scheme, flow) == ("quick", 0) else None,
                    "by train": sum(one["by"] == "ack-train" for one in mine),
                    "by delay": sum(one["by"] == "delay" for one in mine),
                    "by loss": sum(one["by"] == "loss" for one in mine),
                    "not yet": sum(one["by"] is None for one in mine),
                    "lost (mean)": round(mean(one["lost"] for one in mine), 1),
                }
            )
    return Table(
        "exits",
        f"Exits of both flows over {SEEDS} seeds of the background; `delayed` is Windows",
        rows,
    )


def _rounds(trains: dict[str, dict[str, float]]) -> Table:
    return Table(
        "trains",
        "The first flow's rounds before the exit (seed 1). ACKs more than 2 ms after the one "
        "before begin a new train",
        [
            {
                "ACKs": scheme,
                "rounds": one["rounds"],
                "ACKs before the last round": one["acks"],
                "that begin another train": one["apart"],
                "outside the first train": one["outside"],
                "ACKs spread over (share of RTT, median)": round(one["spread"], 3),
                "first train (share of RTT, median)": round(one["train"], 4),
                "last train (ms)": round(1e3 * one["last_train_s"], 1),
            }
            for scheme, one in trains.items()
        ],
    )


def _timers_say(timers: dict[int, dict[str, Any]]) -> str:
    def late(ms: int) -> int:
        return sum(both[1]["by"] == "loss" for both in timers[ms]["exits"])

    spread = [ms for ms in TIMERS_MS if timers[ms]["spread"] > SPREAD]
    works = [ms for ms in TIMERS_MS if not late(ms)]
    both = sorted(set(spread) & set(works))
    return (
        f"The paper's statement on (c) needs two things at once: with ACK timers of "
        f"{', '.join(map(str, spread))} ms a round's ACKs spread over the round trip of "
        f"{setups.FIG3[1]:.0f} ms, with {', '.join(map(str, works))} ms no second flow leaves by "
        f"a loss; {f'with {both} ms both' if both else 'with none of these both'}."
    )


def _timers_table(timers: dict[int, dict[str, Any]]) -> Table:
    return Table(
        "timers",
        f"Delayed ACKs from the beginning by the receiver's timer, {SEEDS} seeds; FreeBSD has "
        "100 ms, Windows 200 ms",
        [
            {
                "timer (ms)": ms,
                "first leaves at (BDP, median)": round(
                    median((both[0]["cwnd"] or 0.0) / BDP for both in one["exits"]), 3
                ),
                "first by train": sum(both[0]["by"] == "ack-train" for both in one["exits"]),
                "second by delay": sum(both[1]["by"] == "delay" for both in one["exits"]),
                "second by loss": sum(both[1]["by"] == "loss" for both in one["exits"]),
                "ACKs spread over (share of RTT, median)": round(one["spread"], 3),
            }
            for ms, one in timers.items()
        ],
    )


def draw(scheme: str, one: dict[str, Any]) -> "Figure":
    """Windows and round-trip times; then the trains of the first flow's slow start."""
    from flowstart_papers import drawing

    rounds, end = one["rounds"], one["left_s"]
    # The sender counts gaps in whole ticks, so its last train may be longer than ours.
    rounds = [*rounds[:-1], {**rounds[-1], "train_s": end - rounds[-1]["start_s"]}]
    chart = drawing.panels(
        *_whole(scheme, one["curves"], end), *_beginning(one["curves"][0], rounds, end)
    )
    _bars(chart, rounds)
    return chart


def _whole(scheme: str, curves: list[dict[str, Any]], end: float) -> "tuple[Panel, Panel]":
    """Windows and round-trip times of both flows."""
    from flowstart_papers import drawing

    seconds = drawing.Axis("time (s)")
    return (
        drawing.Panel(
            seconds,
            drawing.Axis("cwnd (packets)", limits=(0, None)),
            {f"flow {i + 1}": (c["time_s"], c["cwnd"]) for i, c in enumerate(curves)},
            title=f"{scheme}: window",
            steps=True,
            marks=False,
            level={"BDP": BDP},
            published={"flow 1": ([end], [OVER * BDP])} if scheme == "quick" else {},
        ),
        drawing.Panel(
            seconds,
            drawing.Axis("RTT (ms)"),
            {f"flow {i + 1}": (c["at_s"], c["rtt_ms"]) for i, c in enumerate(curves)},
            title="round-trip time",
            marks=False,
        ),
    )


def _beginning(
    first: dict[str, Any], rounds: list[dict[str, float]], end: float
) -> "tuple[Panel, Panel]":
    """The first flow's slow start: its round-trip times, and how long its trains are."""
    from flowstart_papers import drawing

    early = [(t, rtt) for t, rtt in zip(first["at_s"], first["rtt_ms"], strict=True) if t <= end]
    starts = [one["start_s"] for one in rounds]
    # Room at the right for the name of the level.
    limits = (starts[0] - 0.1, end + 0.2 * (end - starts[0]))
    seconds = drawing.Axis("time (s)", limits=limits)
    return (
        drawing.Panel(
            seconds,
            drawing.Axis("RTT (ms)"),
            {"flow 1": ([t for t, _ in early], [rtt for _, rtt in early])},
            title="slow start of flow 1: its ACK trains (bars)",
            marks=False,
        ),
        drawing.Panel(
            seconds,
            drawing.Axis("length (ms)", limits=(0, None)),
            {
                "first train of a round": (starts, [1e3 * one["train_s"] for one in rounds]),
                "all ACKs of the round": (starts, [1e3 * one["length_s"] for one in rounds]),
            },
            title="length of the trains",
            level={"dMin / 2": 1e3 * min(one["rtt_s"] for one in rounds) / 2},
        ),
    )


def _bars(chart: "Figure", rounds: list[dict[str, float]]) -> None:
    """The trains as the paper marks them, in the third panel: as wide as they last."""
    chart.axes[2].hlines(
        [1e3 * r["rtt_s"] for r in rounds],
        [r["start_s"] for r in rounds],
        [r["start_s"] + r["train_s"] for r in rounds],
        colors="#D55E00",
        linewidth=6,
        zorder=3,
    )


EXPERIMENTS = (
    Experiment(
        id="HY-F3",
        figure="Fig. 3",
        question="Does it work with quick, quick-then-delayed and delayed ACKs in other traffic?",
        run=run,
    ),
)
