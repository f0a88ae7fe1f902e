"""The second pair over OC-1: a router's processor presses it together.

Each router forwards with one processor for both directions. The acknowledgement of the first
pair holds the second router when the second pair arrives there; both of its segments wait, and
leave as close together as the processor allows, closer than the line could have sent them.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flowstart.papers.experiment import Findings, Picture, Table
from flowstart.papers.modified_swift_start import published, traces
from flowstart.papers.modified_swift_start.setups import (
    HEADER,
    MODIFIED,
    MSS,
    OC1,
    ROUTER_PPS,
    own_way_s,
    transfer,
)
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.model.document import Document
    from flowstart.papers.lab import Lab

DELAY_S = 0.0001
RATES = (4400, 4600, 4800, 5000, 5500, 6000, 7000, 8000, 10_000, 20_000)
"""Packets a second; above 4320 the processor is faster than the line."""
FAR_S = 0.035
"""A delay of the line itself that gives about the same round trip."""
LINE_GAP_S = 8 * (MSS + HEADER) / OC1.bps


def run(lab: "Lab") -> Findings:
    """Runs the experiment."""
    others = {
        "no limit": _document({"router_pps": None}),
        f"{ROUTER_PPS} packets/s, all delay on the line": _all_on_the_line("left"),
        "the same, an access link for the receiver too": _all_on_the_line("both"),
    }
    documents = [_document({"router_pps": rate}) for rate in RATES]
    pairs = lab.runs([*documents, *others.values()], traces.pairs, trace=True)
    names = [f"{rate} packets/s" for rate in RATES] + list(others)
    as_printed = pairs[RATES.index(ROUTER_PPS)]
    second_s = as_printed[1]["gap_s"]
    without_s, near_s, parted_s = (pair[1]["gap_s"] for pair in pairs[-3:])
    return Findings(
        measured={"mss.pp.compression": Measured(second_s)},
        answers=[
            (
                f"The first pair arrives {1e6 * as_printed[0]['gap_s']:.1f} µs apart, as the line "
                f"sends it, and the second {1e6 * second_s:.1f} µs apart: the capacity is "
                f"over-estimated by {100 * (LINE_GAP_S / second_s - 1):.0f} %."
            ),
            f"Without the processors the second pair arrives {1e6 * without_s:.1f} µs apart.",
            (
                f"It needs a receiver right behind its router, {1e6 * near_s:.1f} µs: with an "
                "access link of its own at 100 Mbit/s, as printed, it would be "
                f"{1e6 * parted_s:.1f} µs, because the acknowledgement comes later and takes its "
                "turn between the two segments."
            ),
        ],
        tables=[
            Table(
                "processor",
                "Gaps that the receiver measures, and windows, over OC-1.",
                [
                    {
                        "routers": name,
                        "first gap (µs)": round(1e6 * pair[0]["gap_s"], 1),
                        "second gap (µs)": round(1e6 * pair[1]["gap_s"], 1),
                        "CWND 1 (bytes)": pair[0]["window"],
                        "CWND 2 (bytes)": pair[1]["window"],
                        "over-estimate (%)": round(100 * (LINE_GAP_S / pair[1]["gap_s"] - 1), 1),
                    }
                    for name, pair in zip(names, pairs, strict=True)
                ],
            )
        ],
        pictures=[
            Picture(
                "processor",
                "The gap of the second pair over the routers' forwarding rate; hollow: what the "
                "published second windows imply.",
                lambda: _draw(pairs[: len(RATES)]),
            )
        ],
    )


def _document(path: dict[str, Any]) -> "Document":
    rtt_s = published.rtt_s(OC1.key, DELAY_S)
    return transfer(OC1, DELAY_S, MODIFIED, rtt_s=rtt_s, size="40pkt", path=path)


def _all_on_the_line(access_at: str) -> "Document":
    line = replace(OC1, base_rtt_s=own_way_s(OC1, MSS + HEADER))
    return transfer(line, FAR_S, MODIFIED, size="40pkt", path={"access_at": access_at})


def _draw(pairs: list[Any]) -> "Figure":
    from flowstart.papers import drawing

    return drawing.single(
        drawing.Axis("forwarding rate of each router (packets/s)"),
        drawing.Axis("gap at the receiver (µs)", limits=(0, None)),
        {
            name: (RATES, [1e6 * pair[i]["gap_s"] for pair in pairs])
            for i, name in enumerate(("first pair", "second pair"))
        },
        published={"second pair": ([ROUTER_PPS], [1e6 * published.number("mss.pp.compression")])},
        level={"a packet on the line": 1e6 * LINE_GAP_S},
    )
