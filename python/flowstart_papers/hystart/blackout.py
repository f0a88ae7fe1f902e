"""Study: why the first flow of Fig. 1 came to nothing for twenty seconds."""

from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import figure1, measures, setups
from flowstart_papers.hystart.setups import Setup
from flowstart_papers.lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
AVOIDANCES = {"CUBIC of 2008": setups.CUBIC, "Reno": setups.SACK}
DRAWN = ("SACK, 0us a block", f"SACK, {STALLED} a block", "NewReno")
PACKETS = 130_000
"""As many as are sent until all is repaired, and not so many that the trace gets large."""


def document(repair: str, cc: str) -> Document:
    """Fig. 1's slow start with other hosts."""
    ends = setups.stack(**REPAIRS[repair])
    return setups.one(
        setups.path(*setups.FIG1),
        setups.SLOW_START,
        "100s",
        cc=AVOIDANCES[cc],
        ends=ends,
        size=f"{PACKETS}pkt",
    )


def run(lab: Lab) -> Findings:
    """Recovery by repair and cc, and what it makes of the first minute."""
    keys = [(repair, cc) for cc in AVOIDANCES for repair in REPAIRS]
    found = dict(
        zip(
            keys,
            lab.runs([document(*key) for key in keys], measures.recovery, trace=True),
            strict=True,
        )
    )
    first_minute = {
        (start, repair, cc): share
        for repair in DRAWN
        for cc, rule in AVOIDANCES.items()
        for start, share in figure1.carried(lab, Setup(fig1_cc=rule), **REPAIRS[repair]).items()
    }
    return Findings(
        answers=_says(found, first_minute),
        tables=[_table(found), _minute_table(first_minute)],
        pictures=[
            Picture(
                "blackout",
                "The window of Fig. 1's flow by how its sender repairs losses, CUBIC of 2008; each "
                f"transfer ends after {PACKETS} packets.",
                lambda: draw(found),
            ),
            Picture(
                "cost",
                "Time to repair the overshoot over the cost of a SACK block; the level is the "
                "published 20 s.",
                lambda: draw_cost(found),
            ),
        ],
    )


def _says(found: dict[Any, dict[str, Any]], minute: dict[Any, float]) -> list[str]:
    cubic = {repair: one for (repair, cc), one in found.items() if "2008" in cc}
    free = cubic[DRAWN[0]]["repair_s"]
    costs = {cost: cubic[f"SACK, {cost} a block"]["repair_s"] for cost in COSTS}
    longer = [cost for cost, seconds in costs.items() if seconds > figure1.BLACKOUT_S]
    dark = f"from {longer[0]} on" if longer else "with none of the costs tried"
    slow, hybrid = (
        [minute[start, repair, "Reno"] for repair in DRAWN]
        for start in ("slow start", "Hybrid Slow Start")
    )
    return [
        (
            f"SACK repairs the overshoot within {free:.1f} s, NewReno within "
            f"{cubic['NewReno']['repair_s']:.1f} s. Where reading a SACK block takes time it lasts "
            f"longer: {costs['150us']:.1f} s at 150us, {costs[STALLED]:.1f} s at {STALLED}, more "
            f"than the published {figure1.BLACKOUT_S:.0f} s {dark}."
        ),
        (
            "The cause is the work per ACK: with thousands of holes every ACK carries blocks to "
            "read, the ACKs wait for the reader, and the retransmission timer expires "
            f"({cubic[DRAWN[1]]['timeouts']} times at {STALLED})."
        ),
        (
            f"With Reno the first minute carries {slow[0]:.0f} % after slow start and "
            f"{hybrid[0]:.0f} % after Hybrid Slow Start where SACK costs nothing, {slow[1]:.0f} % "
            f"and {hybrid[1]:.0f} % where a block takes {STALLED}."
        ),
    ]


def _table(found: dict[Any, dict[str, Any]]) -> Table:
    return Table(
        "blackout",
        "Repair of Fig. 1's overshoot: until all that had been sent has arrived (published: more "
        "than 20 s), and the longest time without new data being acknowledged.",
        [
            {
                "repair": repair,
                "cc": cc,
                "repaired after (s)": round(one["repair_s"], 2),
                "longest silence (s)": round(one["silence_s"], 2),
                "timeouts": one["timeouts"],
                "lost": one["lost"],
            }
            for (repair, cc), one in found.items()
        ],
    )


def _minute_table(minute: dict[Any, float]) -> Table:
    return Table(
        "minute",
        "New data of the first 60 s in percent of the link.",
        [
            {
                "repair": repair,
                "cc": cc,
                "slow start (%)": round(minute["slow start", repair, cc], 1),
                "Hybrid Slow Start (%)": round(minute["Hybrid Slow Start", repair, cc], 1),
            }
            for repair in DRAWN
            for cc in AVOIDANCES
        ],
    )


def draw(found: dict[Any, dict[str, Any]]) -> "Figure":
    """Windows over time."""
    from flowstart_papers import drawing

    windows = {repair: found[repair, "CUBIC of 2008"]["window"] for repair in DRAWN}
    return drawing.single(
        drawing.Axis("time (s)", limits=(0, 45)),
        drawing.Axis("cwnd (packets)", limits=(0, 40000)),
        {repair: (window["time_s"], window["cwnd"]) for repair, window in windows.items()},
        steps=True,
        marks=False,
        level={"BDP": setups.bdp(*setups.FIG1)},
    )


def draw_cost(found: dict[Any, dict[str, Any]]) -> "Figure":
    """Repair over the cost of a block."""
    from flowstart_papers import drawing

    curves = {}
    for cc in AVOIDANCES:
        seconds = [found[f"SACK, {cost} a block", cc]["repair_s"] for cost in COSTS]
        curves[cc] = ([float(cost.removesuffix("us")) for cost in COSTS], seconds)
    return drawing.single(
        drawing.Axis("cost of one SACK block (us)"),
        drawing.Axis("repaired after (s)", limits=(0, None)),
        curves,
        level={"published": figure1.BLACKOUT_S},
    )


EXPERIMENTS = (
    Experiment(
        id="HY-BLACKOUT",
        figure="study",
        question="What makes a sender go dark for twenty seconds after the overshoot?",
        run=run,
    ),
)
