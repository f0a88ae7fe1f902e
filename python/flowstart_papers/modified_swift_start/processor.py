"""The second pair over OC-1: the routers' processors press it together or pull it apart.

Each router forwards with one processor for both directions. The acknowledgement of the first pair
meets the second pair at the receiver's router. Over the printed access link it comes when the
second pair's first segment is being served, and takes its turn between the two. Without this
link it comes before that segment; both of its segments wait, and leave as close together as the
processor allows, closer than the line could have sent them.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.modified_swift_start import measures, published
from flowstart_papers.modified_swift_start.hosts import HEADER, MSS
from flowstart_papers.modified_swift_start.setups import DIRECT, LITERAL, OC1, ROUTER_PPS, Setup
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.lab import Lab

DELAY_S = 0.0001
RATES = (4400, 4600, 4800, 5000, 5500, 6000, 7000, 8000, 9000, 10_000, 12_000, 15_000, 20_000)
"""Packets a second; above 4320 the processor is faster than the line."""
LINE_GAP_S = 8 * (MSS + HEADER) / OC1.bps
LINK = "100 Mbit/s"
NONE = "none"
ACCESS = {LINK: LITERAL, NONE: replace(LITERAL, base="access", path=DIRECT)}
"""The receiver's link, as printed and without; then the base round trip is the sender's."""


def _run(lab: "Lab") -> Findings:
    swept = list(product(ACCESS, RATES))
    others = {
        "no processors": replace(LITERAL, path={"router_pps": None}),
        "base round trip on the access links": replace(LITERAL, base="access"),
        "receiver's link none, base round trip on the line": replace(LITERAL, path=DIRECT),
    }
    setups = [_setup(access, rate) for access, rate in swept] + list(others.values())
    found = lab.runs([setup.probe(OC1, DELAY_S) for setup in setups], measures.pairs, trace=True)
    gaps = dict(zip(swept, found, strict=False))
    printed, direct = (gaps[access, ROUTER_PPS] for access in ACCESS)
    without_s, spread_s, _ = (pairs[1]["gap_s"] for pairs in found[len(swept) :])
    names = [f"{rate} packets/s, receiver's link {access}" for access, rate in swept]
    return Findings(
        measured={
            "mss.pp.compression": Measured(
                printed[1]["gap_s"],
                because="It needs a receiver without the printed access link.",
                shown_by="MSS-P",
            )
        },
        answers=_says(printed, direct, without_s, spread_s),
        tables=[_table(dict(zip([*names, *others], found, strict=True)))],
        pictures=[
            Picture(
                "processor",
                "The gap of the second pair over the routers' forwarding rate; ring: what the "
                "published second windows imply.",
                lambda: _draw(gaps),
            )
        ],
    )


def _says(printed: Any, direct: Any, without_s: float, spread_s: float) -> list[str]:
    return [
        (
            f"The first pair arrives {1e6 * printed[0]['gap_s']:.1f} µs apart, as the line "
            f"sends it, and the second {1e6 * printed[1]['gap_s']:.1f} µs apart: "
            f"{_off(printed)}."
        ),
        (
            "With a receiver right behind its router, and the base round trip on the sender's "
            f"side, the second pair arrives {1e6 * direct[1]['gap_s']:.1f} µs apart, and the "
            f"window is the published one, {direct[1]['window']} bytes: {_off(direct)}."
        ),
        (
            f"Without the processors it arrives {1e6 * without_s:.1f} µs apart, and "
            f"{1e6 * spread_s:.1f} µs where the acknowledgement comes back only when the "
            "second pair has passed."
        ),
    ]


def _table(by_routers: Mapping[str, Any]) -> Table:
    return Table(
        "processor",
        "Gaps that the receiver measures, and windows, over OC-1.",
        [
            {
                "routers": name,
                "first gap (µs)": round(1e6 * first["gap_s"], 1),
                "second gap (µs)": round(1e6 * second["gap_s"], 1),
                "CWND 1 (bytes)": first["window"],
                "CWND 2 (bytes)": second["window"],
                "capacity off (%)": round(100 * (LINE_GAP_S / second["gap_s"] - 1), 1),
            }
            for name, (first, second) in by_routers.items()
        ],
    )


def _setup(access: str, rate: int) -> Setup:
    setup = ACCESS[access]
    return replace(setup, path={**setup.path, "router_pps": rate})


def _off(pairs: Any) -> str:
    """By how much the second pair's capacity is wrong, in words."""
    percent = 100 * (LINE_GAP_S / pairs[1]["gap_s"] - 1)
    return f"the capacity is {'over' if percent > 0 else 'under'}-estimated by {abs(percent):.0f} %"


def _draw(gaps: Any) -> "Figure":
    from flowstart_papers import drawing

    second = {
        f"second pair, receiver's link {access}": (
            RATES,
            [1e6 * gaps[access, rate][1]["gap_s"] for rate in RATES],
        )
        for access in ACCESS
    }
    first = RATES, [1e6 * gaps[LINK, rate][0]["gap_s"] for rate in RATES]
    implied = 1e6 * published.number("mss.pp.compression")
    return drawing.single(
        drawing.Axis(
            "forwarding rate of each router (packets/s)", "log", ticks=(5000, 10000, 20000)
        ),
        drawing.Axis("gap at the receiver (µs)", limits=(0, None)),
        {"first pair, as the line sends it": first, **second},
        published={f"second pair, receiver's link {NONE}": ([ROUTER_PPS], [implied])},
    )


EXPERIMENTS = (
    Experiment(
        id="MSS-P",
        figure="Table 3, second window",
        question="Why is the second window over OC-1 larger than the line allows?",
        run=_run,
        quick=True,
    ),
)
