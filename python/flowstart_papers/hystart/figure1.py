"""Fig. 1: slow start on an emulated transoceanic path, its overshoot and its losses."""

from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.hystart import measures, setups
from flowstart_papers.hystart.published import number
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.drawing import Panel

BLACKOUT_S = number("hy.f1.blackout")
"""The paper's first flow needed more."""
SHOWN_S = 45
"""Longer than that after the overshoot."""
MINUTE_S = 60
AROUND_S = 4.5
"""Panel (b) shows so much from the first loss on."""
SENDERS = {"CUBIC of 2008": setups.CUBIC, "Reno": setups.SACK}
STARTS = ("slow start", "Hybrid Slow Start")


def flows(setup: Setup, name: str, seconds: int, receiver: dict[str, str], **ends: Any) -> Document:
    """The flow of Fig. 1, or both; `ends` are fields of the stack."""
    document = setups.one(
        setups.path(*setup.fig1),
        setup.startup(name),
        f"{seconds}s",
        cc=setup.fig1_cc,
        ends=setup.stack(receiver, **ends),
    )
    if setup.fig1_second is not None:
        document["flows"][0] |= {"count": 2, "stagger": f"{setup.fig1_second:g}s"}
    return document


def carried(lab: Lab, setup: Setup, **ends: Any) -> dict[str, float]:
    """New data of the first minute by startup, in percent of the link."""
    documents = [flows(setup, name, MINUTE_S, setups.LINUX, **ends) for name in STARTS]
    found = lab.runs(documents, measures.exits)
    return {
        name: 100 * share(sum(flow["bytes"] for flow in both), setup)
        for name, both in zip(STARTS, found, strict=True)
    }


def share(payload: float, setup: Setup) -> float:
    """What so many bytes of new data are of all that the link carries in a minute."""
    bits = payload / measures.MSS * setups.PACKET_BITS
    return bits / (setup.fig1[0] * 1e6 * MINUTE_S)


def overshoot(lab: Lab, setup: Setup, receiver: dict[str, str]) -> dict[str, Any]:
    """What slow start does with one of the receivers."""
    document = flows(setup, "slow start", SHOWN_S, receiver)
    return lab.runs([document], measures.overshoot, trace=True)[0]


def measured(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured]:
    """What the paper prints of Fig. 1."""
    linux = overshoot(lab, setup, setups.LINUX)
    minute = carried(lab, setup)
    return {
        "hy.f1.peak": Measured(linux["peak"]),
        "hy.f1.drops": Measured(linux["drops"]),
        "hy.f1.onertt": Measured(round(linux["span_s"], 3)),
        "hy.f1.blackout": Measured(
            round(linux["small_s"], 1),
            holds=linux["small_s"] > BLACKOUT_S,
            because=f"A sender that reads SACK at no cost repairs these losses within "
            f"{linux['repair_s']:.2f} s, and its window exceeds the BDP for good after "
            f"{linux['small_s']:.1f} s. One that takes 200 us to read a SACK block needs longer "
            "than the published time.",
            shown_by="HY-BLACKOUT",
        ),
        "hy.f1.util": Measured(
            {name: round(value, 1) for name, value in minute.items()},
            holds=minute["slow start"] < minute["Hybrid Slow Start"],
            because="Without the kernel's silence the overshoot costs little.",
            shown_by="HY-BLACKOUT",
        ),
    }


def run(lab: Lab) -> Findings:
    """Peak, losses and what they cost."""
    linux, quick = (overshoot(lab, LITERAL, each) for each in (setups.LINUX, setups.EVERY))
    use = {sender: carried(lab, Setup(fig1_cc=cc)) for sender, cc in SENDERS.items()}
    cubic, reno = use.values()
    return Findings(
        measured={
            "hy.f1.bdp": Measured(linux["bdp"]),
            "hy.f1.cap": Measured(linux["held"]),
            "hy.f1.ackeach": Measured(quick["peak"]),
            **measured(lab),
        },
        answers=[
            (
                f"With a receiver that delays its ACKs slow start reaches {linux['peak']:.0f} "
                f"packets and loses {linux['drops']} within {linux['span_s']:.2f} s; with an ACK "
                f"for every packet it reaches {quick['peak']:.0f} and loses {quick['drops']}."
            ),
            (
                f"After these the flow loses {linux['lost'] - linux['drops']} more, as CUBIC's "
                "next windows are still larger than what the path holds; the paper has one burst."
            ),
            (
                f"Over the first minute {cubic['slow start']:.0f} % of the link carry new data "
                f"after slow start and {cubic['Hybrid Slow Start']:.0f} % after Hybrid Slow Start "
                f"where CUBIC follows, {reno['slow start']:.0f} % and "
                f"{reno['Hybrid Slow Start']:.0f} % where Reno follows."
            ),
        ],
        tables=[_overshoots(linux, quick), _utilisation(use)],
        pictures=[
            Picture(
                "figure1",
                "Window, and packets lost so far, of one slow start at 400 Mbit/s and 370 ms with "
                "delayed ACKs. Panel (b) is the time of the losses alone: those of one round trip "
                "end at the published number; half a second later others follow, which the paper "
                "does not have, as CUBIC's next windows are too large again",
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
            ("BDP (packets)", "bdp", number("hy.f1.bdp")),
            ("BDP and buffer (packets)", "held", number("hy.f1.cap")),
            ("largest cwnd (packets)", "peak", number("hy.f1.peak")),
            ("packets lost by the overshoot", "drops", number("hy.f1.drops")),
            ("packets lost until the end", "lost", None),
            ("from the first loss of the overshoot to the last (s)", "span_s", None),
            ("until all of it is repaired (s)", "repair_s", None),
            ("until cwnd is above the BDP for good (s)", "small_s", BLACKOUT_S),
        )
    ]
    return Table("figure1", f"The overshoot by the receiver's ACKs; a run of {SHOWN_S} s", rows)


def _utilisation(use: dict[str, dict[str, float]]) -> Table:
    rows: list[dict[str, Cell]] = [
        {"cc": sender, "startup": start, "new data (% of the link)": round(value, 1)}
        for sender, by_start in use.items()
        for start, value in by_start.items()
    ]
    return Table("utilisation", "The first 60 s of one flow", rows)


def draw(linux: dict[str, Any]) -> "Figure":
    """The two panels of Fig. 1."""
    from flowstart_papers import drawing

    window = linux["window"]
    peak = number("hy.f1.peak")
    levels = {
        "BDP": number("hy.f1.bdp"),
        "BDP and buffer": number("hy.f1.cap"),
        f"published peak: {_grouped(peak)}": peak,
    }
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
        _losses(linux),
    )


def _losses(linux: dict[str, Any]) -> "Panel":
    """The losses, on the time axis on which ours and the published ones part."""
    from flowstart_papers import drawing

    times, counts = linux["drop_times"], linux["dropped"]
    first, published = times[1], number("hy.f1.drops")
    return drawing.Panel(
        drawing.Axis("time (s)", limits=(first - 0.5, first + AROUND_S)),
        drawing.Axis("packets", limits=(0, 1.1 * counts[-1])),
        {"lost so far": (times, counts)},
        title="(b) packets lost so far",
        steps=True,
        marks=False,
        level={f"published, all in one round trip: {_grouped(published)}": published},
    )


def _grouped(count: float) -> str:
    """With a space between thousands."""
    return f"{count:,.0f}".replace(",", " ")


EXPERIMENTS = (
    Experiment(
        id="HY-F1",
        figure="Fig. 1",
        question="How far does slow start overshoot a transoceanic path, and what does it lose?",
        run=run,
        quick=True,
    ),
)
