"""Study: inputs that the paper does not print, moved one at a time and further than is plausible.

What the plausible ones do to the paper's statements is in `readings.py`.
"""

from statistics import mean, median
from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import figure1, figure2, figure3, measures, setups
from flowstart_papers.hystart.published import number
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INITIAL = ("1", "2", "3", "4", "10")
TICKS = ("0.1ms", "1ms", "2ms")
"""Longer ticks would need the listing's `msecs_to_jiffies(2)`, a tick; ours are 2 ms always."""
QUICK = (2, 4, 8, 16, 32, 64)
TIMERS = ("20ms", "40ms", "100ms", "200ms")
SECOND_S = (5.0, 8.0, 10.0, 12.0, 15.0, 20.0)
RTTS = (102.0, 106.0)
SIZES = (30, 100, 300)
"""Mean packets of Fig. 3's background flows."""
SEEDS = 8
EXIT = number("hy.f2.exit1")
"""Of Fig. 2 (c), as published, in packets."""

Exits = list[dict[str, Any]]


def hybrid(setup: Setup, *, cc: str = setups.SACK, **fields: Any) -> Document:
    """Fig. 2 (c) with something moved; `fields` are the stack's."""
    document = figure2.panel("Hybrid Slow Start", setup)
    document["stack"] |= fields
    document["flows"][0]["cc"] = cc
    return document


def adaptive(threshold: int) -> Document:
    """Fig. 2 (d) with another threshold at first."""
    startup = f"adaptive-start:growth=per-ack,ssthresh={threshold},response=standard"
    return setups.two(setups.path(*setups.FIG2), startup, (0.0, 10.0), 20.0)


MOVED: list[tuple[str, str, Document]] = [
    *(("initial window", iw, hybrid(Setup(iw=iw))) for iw in INITIAL),
    *(("tick", tick, hybrid(Setup(tick=tick))) for tick in TICKS),
    *(("quick ACKs", str(quick), hybrid(Setup(quick=quick))) for quick in QUICK),
    *(("ACK timer", timer, hybrid(LITERAL, ack_timer=timer)) for timer in TIMERS),
    *(("second start (s)", f"{at:g}", hybrid(Setup(fig2_second=at))) for at in SECOND_S),
    *(("RTT (ms)", f"{rtt:g}", hybrid(Setup(fig2=(setups.FIG2[0], rtt)))) for rtt in RTTS),
    ("cc", "Reno", hybrid(LITERAL)),
    ("cc", "CUBIC of 2008", hybrid(LITERAL, cc=setups.CUBIC)),
    ("Adaptive Start's first threshold", "22", adaptive(22)),
    ("Adaptive Start's first threshold", "none", adaptive(figure2.NO_THRESHOLD)),
]
"""What, to which value, and the run."""


def run(lab: Lab) -> Findings:
    """Exits of Fig. 2 (c) and of Fig. 3 with each input moved."""
    receivers = figure3.receivers(LITERAL)
    cases = [(name, "3", size) for name in receivers for size in SIZES]
    cases += [("quick", "2", 100)]
    keys = [(case, seed) for case in cases for seed in range(1, SEEDS + 1)]
    documents = [document for _, _, document in MOVED]
    documents += [
        figure3.document(receivers[name], seed, Setup(iw=iw, fig3_packets=size))
        for (name, iw, size), seed in keys
    ]
    documents += [figure1.flows(Setup(iw=iw), "slow start", 12, setups.LINUX) for iw in INITIAL]
    found = lab.runs(documents, measures.exits)
    peaks = [flow["peak"] for (flow,) in found[-len(INITIAL) :]]
    rows = [_row(what, value, both) for (what, value, _), both in zip(MOVED, found, strict=False)]
    by_case: dict[tuple[str, str, int], list[Exits]] = {}
    for (case, _), both in zip(keys, found[len(MOVED) :], strict=False):
        by_case.setdefault(case, []).append(both)
    third = [_third(case, both) for case, both in by_case.items()]
    return Findings(
        answers=_says(rows, third, peaks),
        tables=[
            Table(
                "figure2",
                f"Fig. 2 (c), one input moved; the first flow's published exit is {EXIT:g} packets",
                rows,
            ),
            Table(
                "figure3",
                f"Fig. 3 with other background flows and another initial window, {SEEDS} seeds",
                third,
            ),
        ],
        pictures=[
            Picture(
                "sensitivity",
                "The first flow's exit in Fig. 2 (c) over initial window, tick and quick ACKs; the "
                "literal reading is 3 packets, 1 ms and 16",
                lambda: draw(rows),
            )
        ],
    )


def _row(what: str, value: str, both: Exits) -> dict[str, Any]:
    first, second = both
    return {
        "what": what,
        "is": value,
        "first leaves at (packets)": round(first["cwnd"]) if first["cwnd"] else None,
        "(BDP)": round(first["cwnd"] / first["bdp"], 3) if first["cwnd"] else None,
        "by": first["by"],
        "first lost": first["lost"],
        "second leaves at (packets)": round(second["cwnd"]) if second["cwnd"] else None,
        "second by": second["by"],
        "second lost": second["lost"],
    }


def _third(case: tuple[str, str, int], found: list[Exits]) -> dict[str, Any]:
    scheme, window, size = case
    shares = [(both[0]["cwnd"] or 0.0) / figure3.BDP for both in found]
    return {
        "ACKs": scheme,
        "initial window": window,
        "background flows (packets)": size,
        "first leaves at (BDP)": round(mean(shares), 3),
        "median": round(median(shares), 3),
        "least": round(min(shares), 3),
        "most": round(max(shares), 3),
        "first by train": sum(both[0]["by"] == "ack-train" for both in found),
        "second by delay": sum(both[1]["by"] == "delay" for both in found),
        "second by loss": sum(both[1]["by"] == "loss" for both in found),
    }


def _says(rows: list[dict[str, Any]], third: list[dict[str, Any]], peaks: list[float]) -> list[str]:
    def span(what: str) -> str:
        mine = [row["first leaves at (packets)"] for row in rows if row["what"] == what]
        found = [packets for packets in mine if packets]
        return f"{min(found)} to {max(found)}"

    def quick(window: str) -> float:
        return next(
            float(row["median"])
            for row in third
            if (row["ACKs"], row["initial window"]) == ("quick", window)
            and row["background flows (packets)"] == 100
        )

    return [
        (
            f"The first flow's exit of Fig. 2 (c), published as {EXIT:g}, moves with the "
            f"initial window ({span('initial window')} packets), the number of quick ACKs "
            f"({span('quick ACKs')}), the ACK timer ({span('ACK timer')}) and the tick "
            f"({span('tick')})."
        ),
        (
            f"For the ten per cent above the BDP of Fig. 3 (a) an initial window of 3 gives "
            f"{quick('3'):.2f} BDP in the median, one of 2 {quick('2'):.2f}."
        ),
        (
            "Over all these initial windows Fig. 1's peak differs by "
            f"{max(peaks) - min(peaks):.0f} packets."
        ),
    ]


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """The first flow's exit over three inputs."""
    from flowstart_papers import drawing

    def panel(what: str) -> drawing.Panel:
        mine = [row for row in rows if row["what"] == what]
        xs = [float(str(row["is"]).removesuffix("ms")) for row in mine]
        curve = (xs, [row["first leaves at (packets)"] for row in mine])
        label = {"tick": "tick (ms)", "quick ACKs": "quick ACKs"}.get(what, what)
        return drawing.Panel(
            drawing.Axis(label, "log", ticks=xs),
            drawing.Axis("exit (packets)", limits=(600, 950)),
            {"first flow": curve},
            level={"published": EXIT},
        )

    return drawing.panels(panel("initial window"), panel("tick"), panel("quick ACKs"))


EXPERIMENTS = (
    Experiment(
        id="HY-SENS",
        figure="study",
        question="What do initial window, tick, quick ACKs and start times move?",
        run=run,
    ),
)
