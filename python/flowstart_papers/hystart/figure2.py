"""Fig. 2: two TCP-SACK flows under six slow starts."""

from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import measures, packet_pairs, setups
from flowstart_papers.hystart.published import number
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.drawing import Panel

AFTER_S = 30.0
"""How long a run goes on after the second flow's start."""
BDP = setups.bdp(*setups.FIG2)
EARLY = 0.75
"""An exit below this share of the BDP is well before it."""
MANY = 10
"""So many times as much is many times as much."""
NO_THRESHOLD = 1_000_000
THREE = tuple(setups.THREE)
PANELS = {
    "slow start": setups.SLOW_START,
    "limited slow start": setups.LIMITED,
    "Hybrid Slow Start": setups.HYBRID,
    # Linux begins without a threshold.
    "Adaptive Start": f"adaptive-start:growth=per-ack,ssthresh={NO_THRESHOLD},response=standard",
    "packet pair": "packet-pair-start:reading=closest,growth=per-ack",
    "Vegas": "vegas-slow-start:growth=per-ack",
}
"""(a) to (f)."""
THRESHOLDS = tuple(round(16 * 2 ** (i / 4)) for i in range(30))
"""Of Adaptive Start, to try where its estimate would exceed the window."""
HELD = (*range(881, 888), *range(1763, 1771))
"""Windows to hold, around both ends of the range that fills the link without loss."""
FULL = 0.999


def panel(name: str, setup: Setup) -> Document:
    """One panel."""
    startup = setup.startup(name) if name in setups.THREE else PANELS[name]
    ends = setup.stack(**setup.interrupts)
    starts = (0.0, setup.fig2_second)
    return setups.two(setups.path(*setup.fig2), startup, starts, starts[1] + AFTER_S, ends=ends)


def held(packets: int) -> Document:
    """A flow that keeps its window at so many packets."""
    link, ends = setups.path(*setups.FIG2), setups.stack(setups.EVERY)
    startup = f"{setups.SLOW_START},ssthresh={packets}"
    return setups.one(link, startup, "8s", cc="none", ends=ends)


def adaptive(threshold: int, setup: Setup) -> Document:
    """Adaptive Start with this threshold at first, which only a larger estimate moves."""
    startup = f"adaptive-start:growth=per-ack,ssthresh={threshold},response=standard"
    return setups.one(setups.path(*setup.fig2), startup, "4s", ends=setup.stack())


def exits(lab: Lab, setup: Setup) -> dict[str, list[dict[str, Any]]]:
    """Where both flows leave slow start, by panel."""
    found = lab.runs([panel(name, setup) for name in PANELS], measures.exits)
    return dict(zip(PANELS, found, strict=True))


def full(lab: Lab) -> list[int]:
    """The windows that fill the link and lose nothing."""
    found = lab.runs([held(packets) for packets in HELD], measures.steady, trace=True)
    per_s = setups.FIG2[0] * 1e6 / setups.PACKET_BITS
    return [
        packets
        for packets, one in zip(HELD, found, strict=True)
        if one["per_s"] >= FULL * per_s and not one["dropped"]
    ]


def estimates(lab: Lab, setup: Setup) -> dict[int, float]:
    """Adaptive Start's highest threshold until the window reaches the first one, by the first."""
    documents = [adaptive(threshold, setup) for threshold in THRESHOLDS]
    found = lab.runs(documents, measures.highest_threshold, trace=True)
    return dict(zip(THRESHOLDS, found, strict=True))


def measured(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured]:
    """What the paper prints of Fig. 2, but for packet pairs."""
    found = exits(lab, setup)
    bdp = setups.bdp(*setup.fig2)
    one, other = found["Hybrid Slow Start"]
    lost = {name: found[name][0]["lost"] for name in list(PANELS)[:3]}
    early = (other["cwnd"] or bdp) < EARLY * bdp
    vegas = [flow["cwnd"] for flow in found["Vegas"]]
    thresholds = estimates(lab, setup)
    above = max(highest / first for first, highest in thresholds.items())
    alike = [flow["cwnd"] for flow in found["Adaptive Start"]] == [
        flow["cwnd"] for flow in found["slow start"]
    ]
    return {
        "hy.f2.exit1": Measured(one["cwnd"]),
        "hy.f2.exit1.by": Measured(one["by"] or "none"),
        "hy.f2.exit2.by": Measured((other["by"] or "none") + (", well before the BDP" * early)),
        "hy.f2.drops.order": Measured(
            lost,
            holds=lost["slow start"] > MANY * lost["limited slow start"]
            and lost["limited slow start"] > lost["Hybrid Slow Start"] <= 1,
        ),
        "hy.f2.adaptive": Measured(
            {"largest threshold over the first one": round(above, 3)},
            holds=above <= 1 and alike,
            because="The estimate exceeds the window at times.",
        ),
        "hy.f2.vegas": Measured(
            vegas, holds=all(flow["cwnd"] < bdp / 2 for flow in found["Vegas"])
        ),
    }


def run(lab: Lab) -> Findings:
    """Where each of them leaves slow start, and what it loses."""
    filling = full(lab)
    found = exits(lab, LITERAL)
    drawn = {name: panel(name, LITERAL) for name in PANELS}
    # The paper's panel (e) has thresholds that no host without interrupts gets.
    drawn["packet pair"] = panel("packet pair", Setup(interrupts=packet_pairs.FITTED))
    traced = lab.runs(list(drawn.values()), measures.windows, trace=True)
    curves = dict(zip(drawn, traced, strict=True))
    return Findings(
        measured={
            "hy.f2.bdp": Measured(min(filling)),
            "hy.f2.full": Measured([min(filling), max(filling)]),
            **measured(lab),
        },
        answers=_says(found),
        tables=[_table(found, curves["packet pair"]["exits"])],
        pictures=[
            Picture(
                "figure2",
                "Windows and thresholds of two flows at 100 Mbit/s and 106 ms, panels (a) to (f) "
                "of the paper; the grey lines are the BDP and the BDP with the buffer. Rings are "
                "published: in (c) the window at which the first flow leaves, in (e) the "
                "thresholds. Panel (e) alone has hosts that see packets at interrupts, which were "
                "fitted to these",
                lambda: draw(curves),
            )
        ],
    )


def _says(found: dict[str, list[dict[str, Any]]]) -> list[str]:
    hybrid, slow, limited = (found[name] for name in THREE)
    return [
        (
            f"Hybrid Slow Start's first flow leaves at {hybrid[0]['cwnd']:.0f} packets "
            f"({hybrid[0]['by']}; BDP {BDP:.0f}) and loses {hybrid[0]['lost']}, its second one at "
            f"{hybrid[1]['cwnd']:.0f} ({hybrid[1]['by']}) and loses {hybrid[1]['lost']}."
        ),
        (
            f"Slow start's first flow loses {slow[0]['lost']} packets, limited slow start's "
            f"{limited[0]['lost']} after {limited[0]['after_s']:.1f} s."
        ),
    ]


def _table(found: dict[str, Any], interrupted: list[dict[str, Any]]) -> Table:
    published = {("Hybrid Slow Start", 0): number("hy.f2.exit1")}
    named = {**found, "packet pair, hosts with interrupts": interrupted}
    return Table(
        "figure2",
        "Where each flow leaves slow start, by threshold or by loss. With interrupts a packet "
        "pair's threshold is above what the path holds, so losses end slow start first",
        [
            {
                "slow start": name,
                "flow": number + 1,
                "leaves at (packets)": round(flow["cwnd"]),
                "published": published.get((name, number)),
                "by": flow["by"],
                "after (s)": round(flow["after_s"], 2),
                "largest cwnd (packets)": round(flow["peak"]),
                "lost": flow["lost"],
            }
            for name, both in named.items()
            for number, flow in enumerate(both)
        ],
    )


def draw(found: dict[str, Any]) -> "Figure":
    """The panels of the paper."""
    from flowstart_papers import drawing

    letters = dict(zip(found, "abcdef", strict=True))
    return drawing.panels(
        *(_panel(f"({letters[name]}) {name}", name, one) for name, one in found.items()),
        height=2.9,
    )


def _below(packets: float | None) -> float | None:
    """Thresholds that stand for none are not drawn."""
    return packets if packets and packets < NO_THRESHOLD else None


def _panel(title: str, name: str, one: dict[str, Any]) -> "Panel":
    from flowstart_papers import drawing

    published = {}
    first, second = one["exits"]
    if name == "Hybrid Slow Start":
        left = first["opened_s"] + first["after_s"]
        published = {"cwnd of flow 1": ([left], [number("hy.f2.exit1")])}
    if name == "packet pair":
        places = [flow["opened_s"] + 1 for flow in (first, second)]
        published = {
            f"ssthresh of flow {i + 1}": ([place], [packets])
            for i, (place, packets) in enumerate(zip(places, packet_pairs.PRINTED, strict=True))
        }
    return drawing.Panel(
        drawing.Axis("time (s)"),
        drawing.Axis("packets", limits=(0, 3500)),
        {
            f"{what} of flow {number + 1}": (window["time_s"], [_below(y) for y in window[what]])
            for what in ("cwnd", "ssthresh")
            for number, window in enumerate(one["windows"])
        },
        published=published,
        title=title,
        steps=True,
        marks=False,
        level={"BDP": BDP, "BDP and buffer": 2 * BDP},
    )


EXPERIMENTS = (
    Experiment(
        id="HY-F2",
        figure="Fig. 2",
        question="Where do six slow starts leave a path of 883 packets, alone and as second flow?",
        run=run,
        quick=True,
    ),
)
