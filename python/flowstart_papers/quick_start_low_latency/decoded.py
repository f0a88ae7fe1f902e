"""Table I with the inputs that were decoded from it: what its transfers do inside."""

from flowstart_papers.experiment import Cell, Experiment, Findings, Table
from flowstart_papers.lab import Lab
from flowstart_papers.measures import improvement
from flowstart_papers.quick_start_low_latency import cells, published
from flowstart_papers.quick_start_low_latency.measures import Look, granted, look
from flowstart_papers.quick_start_low_latency.setups import (
    DECODED,
    RATES,
    SLOW_START,
    TABLE1_KB,
    transfer,
)
from flowstart_papers.target import Measured

Looks = dict[tuple[str, int], tuple[Look, Look]]
"""Slow start's transfer and Quick-Start's, by place."""


def run(lab: Lab) -> Findings:
    """Runs the table's 54 transfers with traces."""
    documents = [
        transfer(DECODED, *place, DECODED.packets(TABLE1_KB), startup)
        for place in cells.PLACES
        for startup in (SLOW_START, DECODED.quick_start)
    ]
    seen = lab.runs(documents, look, trace=True)
    looks = dict(zip(cells.PLACES, zip(seen[::2], seen[1::2], strict=True), strict=True))
    return Findings(
        measured=_cells(looks) | _inside(looks), answers=_sentences(looks), tables=[_table(looks)]
    )


def _cells(looks: Looks) -> dict[str, Measured]:
    return {
        published.cell("decoded", *place): Measured(
            round(improvement(slow["seconds"], quick["seconds"]), 2)
        )
        for place, (slow, quick) in looks.items()
    }


def _inside(looks: Looks) -> dict[str, Measured]:
    slow, _ = looks["1Gbps", 1000]
    _, at_50ms = looks["384kbps", 50]
    at_100ms = {rate: looks[rate, 100][1] for rate in RATES}
    grants = {rate: granted(seen["window"], seen["handshake"]) for rate, seen in at_100ms.items()}
    return {
        "qs.t1.rounds": Measured(1 + slow["flights"]),
        "qs.t1.loss": Measured(sum(each["dropped"] for both in looks.values() for each in both)),
        "qs.t1.neg": Measured(at_50ms["window"]),
        "qs.t1.grant.384k": Measured(grants["384kbps"]),
        "qs.t1.grant.100m": Measured(grants["100Mbps"]),
        "qs.t1.grant.1g": Measured(grants["1Gbps"]),
    }


def _sentences(looks: Looks) -> list[str]:
    slow, quick = looks["384kbps", 50]
    far, _ = looks["1Gbps", 1000]
    return [
        (
            f"Slow start takes {1 + far['flights']} round trips for "
            f"{DECODED.packets(TABLE1_KB)} packets, the handshake included."
        ),
        (
            f"At 384 kbit/s and 50 ms the approved window is {quick['window']:.0f} packets where "
            f"slow start opens with {slow['window']:.0f}: Quick-Start takes "
            f"{1000 * (quick['seconds'] - slow['seconds']):.0f} ms longer, of "
            f"{slow['seconds']:.2f} s."
        ),
    ]


def _table(looks: Looks) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "rate": RATES[rate],
            "delay (ms)": delay,
            "handshake (s)": round(quick["handshake"], 6),
            "window of slow start (packets)": slow["window"],
            "window of Quick-Start (packets)": quick["window"],
            "flights of slow start": slow["flights"],
            "flights of Quick-Start": quick["flights"],
            "slow start (s)": round(slow["seconds"], 6),
            "Quick-Start (s)": round(quick["seconds"], 6),
        }
        for (rate, delay), (slow, quick) in looks.items()
    ]
    return Table("decoded", "The transfers of Table I with the decoded inputs", rows)


EXPERIMENTS = (
    Experiment(
        id="QS-DECODED",
        figure="Table I, decoded",
        question="What do the transfers of Table I do inside, with the inputs that were fitted to "
        "it?",
        run=run,
        quick=True,
    ),
)
