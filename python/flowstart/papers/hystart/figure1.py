"""Fig. 1: slow start on an emulated transoceanic path, its overshoot and its losses."""

from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.hystart import setups, traces
from flowstart.papers.lab import Lab
from flowstart.papers.target import Measured
from flowstart.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLACKOUT_S = 20.0
"""The paper's first flow needed more."""


def shown(receiver: dict[str, str]) -> Document:
    """One slow start, long enough to see what follows its losses."""
    link = setups.path(*setups.FIG1)
    ends = setups.stack(receiver)
    return setups.one(link, setups.SLOW_START, "25s", avoidance=setups.CUBIC, ends=ends)


def minute(startup: str, avoidance: str, **fields: Any) -> Document:
    """The first 60 seconds, for utilisation; `fields` are the stack's."""
    link, ends = setups.path(*setups.FIG1), setups.stack(**fields)
    return setups.one(link, startup, "60s", avoidance=avoidance, ends=ends)


def overshoot(run: Run) -> dict[str, Any]:
    """The peak, the drops until the sender knows of them, and how long repair takes."""
    trace, row = traces.columns(run), run.rows[0]
    left = row["opened_s"] + row["startup_exit_s"]
    burst = trace["time"][(trace["event"] == traces.DROP) & (trace["time"] <= left)]
    lost = trace["time"][trace["event"] == traces.DROP]
    count = np.arange(1, len(lost) + 1)
    kept = traces.drawn(lost, count)
    small = (trace["time"] > left) & (trace["cwnd"] < setups.bdp(*setups.FIG1))
    return {
        **traces.capacity(run),
        "peak": row["max_cwnd_pkts"],
        "drops": len(burst),
        "span_s": float(burst[-1] - burst[0]),
        "repair_s": traces.repair_s(trace, left),
        "small_s": float(trace["time"][small].max() - left),
        "window": traces.window(run),
        "drop_times": [0.0, *map(float, lost[kept]), run.about["simulated_s"]],
        "dropped": [0, *map(int, count[kept]), len(lost)],
    }


def goodput(run: Run) -> float:
    """How much of the bottleneck arrived as new data, in percent."""
    row = run.rows[0]
    packets = row["bytes_delivered"] / traces.MSS
    return float(100 * packets * setups.PACKET_BITS / (setups.FIG1[0] * 1e6 * 60))


def run(lab: Lab) -> Findings:
    """Peak, losses and what they cost."""
    quick, linux = lab.runs([shown(setups.EVERY), shown(setups.LINUX)], overshoot, trace=True)
    senders = {"CUBIC of 2008": setups.CUBIC, "Reno": setups.SACK}
    starts = {"slow start": setups.SLOW_START, "Hybrid Slow Start": setups.HYBRID}
    pairs = [(sender, start) for sender in senders for start in starts]
    found = lab.runs([minute(starts[start], senders[sender]) for sender, start in pairs], goodput)
    use = dict(zip(pairs, found, strict=True))
    cubic = [use["CUBIC of 2008", start] for start in starts]
    reno = [use["Reno", start] for start in starts]
    return Findings(
        measured={
            "hy.f1.bdp": Measured(linux["bdp"]),
            "hy.f1.cap": Measured(linux["held"]),
            "hy.f1.peak": Measured(linux["peak"]),
            "hy.f1.drops": Measured(linux["drops"]),
            "hy.f1.onertt": Measured(round(linux["span_s"], 3)),
            "hy.f1.ackeach": Measured(quick["peak"]),
            "hy.f1.blackout": Measured(
                round(linux["small_s"], 1),
                holds=linux["small_s"] > BLACKOUT_S,
                because=f"A sender that reads SACK at no cost repairs these losses within "
                f"{linux['repair_s']:.2f} s, and its window exceeds the BDP for good after "
                f"{linux['small_s']:.1f} s; the rest was the kernel's.",
                shown_by="HY-BLACKOUT",
            ),
            "hy.f1.util": Measured(
                {"slow start": round(cubic[0], 1), "Hybrid Slow Start": round(cubic[1], 1)},
                holds=cubic[0] < cubic[1],
                because="Without the kernel's silence the overshoot costs little.",
                shown_by="HY-BLACKOUT",
            ),
        },
        answers=[
            (
                f"With a receiver that delays its ACKs slow start reaches {linux['peak']:.0f} "
                f"packets and loses {linux['drops']} within {linux['span_s']:.2f} s; with an ACK "
                f"for every packet it reaches {quick['peak']:.0f} and loses {quick['drops']}."
            ),
            (
                f"Over the first minute {cubic[0]:.0f} % of the link carry new data after slow "
                f"start and {cubic[1]:.0f} % after Hybrid Slow Start where CUBIC follows, "
                f"{reno[0]:.0f} % and {reno[1]:.0f} % where Reno follows."
            ),
        ],
        tables=[_overshoots(linux, quick), _utilisation(use)],
        pictures=[
            Picture(
                "figure1",
                "Congestion window, and packets lost so far, of one slow start at 400 Mbit/s and "
                "370 ms with delayed ACKs. The losses go on after the overshoot, which ends at the "
                "published line: CUBIC's next window is too large again. Grey: what was published.",
                lambda: draw(linux),
            )
        ],
    )


def _overshoots(linux: dict[str, Any], quick: dict[str, Any]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "what": what,
            "published": published,
            "delayed ACKs": round(linux[key], 2),
            "ACK per packet": round(quick[key], 2),
        }
        for what, key, published in (
            ("BDP (packets)", "bdp", 12333),
            ("BDP and buffer (packets)", "held", 24666),
            ("largest cwnd (packets)", "peak", 37000),
            ("packets lost", "drops", 12334),
            ("from the first loss to the last (s)", "span_s", None),
            ("until all of it is repaired (s)", "repair_s", None),
            ("until cwnd is above the BDP for good (s)", "small_s", 20),
        )
    ]
    return Table("figure1", "The overshoot by the receiver's ACKs.", rows)


def _utilisation(use: dict[tuple[str, str], float]) -> Table:
    rows: list[dict[str, Cell]] = [
        {"avoidance": sender, "start-up": start, "new data (% of the link)": round(share, 1)}
        for (sender, start), share in use.items()
    ]
    return Table("utilisation", "The first 60 s of one flow.", rows)


def draw(linux: dict[str, Any]) -> "Figure":
    """The two panels of Fig. 1."""
    from flowstart.papers import drawing

    window = linux["window"]
    levels = {"BDP": 12333, "BDP and buffer": 24666, "published peak": 37000}
    lost = {"lost": (linux["drop_times"], linux["dropped"])}
    return drawing.panels(
        drawing.Panel(
            drawing.Axis("time (s)"),
            drawing.Axis("packets", limits=(0, 42000)),
            {
                "cwnd": (window["time_s"], window["cwnd"]),
                "ssthresh": (window["time_s"], window["ssthresh"]),
            },
            title="(a) window",
            steps=True,
            marks=False,
            level=levels,
        ),
        drawing.Panel(
            drawing.Axis("time (s)"),
            drawing.Axis("packets", limits=(0, 30000)),
            lost,
            title="(b) packets lost so far",
            steps=True,
            marks=False,
            level={"published": 12334},
        ),
    )
