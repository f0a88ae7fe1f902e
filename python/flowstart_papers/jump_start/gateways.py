"""A study: paths with several congested gateways, one of the questions that Sec. III.D leaves."""

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import measures, setups
from flowstart_papers.lab import Lab
from flowstart_papers.measures import improvement, interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GATEWAYS = (1, 2, 3, 5)
SIZES = (16, 64, 200)
LOADS = (0.3, 0.6)
"""Of each gateway, by transfers of its own."""
SEEDS = range(1, 9)
THROUGH = 20
"""Transfers over the whole path, one every two seconds, each at a random moment of these."""
CROSS_PACKETS = 20
ONE_WAY_MS = 32.0
COUNTS = ("packets_dropped", "packets_sent")
RATE_BPS = 5e6

Case = tuple[int, int, float, int]
"""Gateways, packets of a transfer over all of them, load of each, seed."""


def scenario(startup: str, case: Case) -> Document:
    """Transfers over all gateways, and others in slow start over one each, 64 ms apart as well."""
    gateways, size, load, seed = case
    gap_s = CROSS_PACKETS * setups.PACKET_BITS / RATE_BPS / load
    hop = {
        "rate": setups.BOTTLENECK,
        "delay": f"{ONE_WAY_MS / gateways:.6f}ms",
        "buffer": setups.QUEUE,
    }
    through = {"startup": startup, "size": f"{size}pkt", "count": THROUGH, "stagger": "2s"}
    cross = {
        "startup": setups.SLOW_START,
        "size": f"{CROSS_PACKETS}pkt",
        "count": round((2 * THROUGH + 4) / gap_s),
        "stagger": f"{1e3 * gap_s:.3f}ms",
        "jitter": f"{4e3 * gap_s:.3f}ms",
        "rtt": setups.RTT,
    }
    return {
        "seed": seed,
        "path": {"hops": [hop] * gateways},
        "stack": setups.stack(),
        "flows": [
            through | {"start": "2s", "jitter": "2s"},
            *(cross | {"from_hop": at, "to_hop": at} for at in range(gateways)),
        ],
    }


def competing(run: Run) -> dict[str, Any]:
    """The transfers over the whole path, and those of the first, the last and all gateways."""
    gateways = len(run.document["path"]["hops"])
    through, others = run.records[:THROUGH], run.records[THROUGH:]
    each = len(others) // gateways
    return {
        "median_s": statistics.median(row["duration_s"] for row in through),
        "loss": _loss(through),
        "timeouts": sum(row["timeouts"] for row in through) / len(through),
        "others_median_s": statistics.median(row["duration_s"] for row in others),
        "others_loss": _loss(others),
        "first_loss": _loss(others[:each]),
        "last_loss": _loss(others[-each:]),
    }


def _loss(rows: Sequence[Mapping[str, Any]]) -> float:
    """In percent of what was sent."""
    dropped, sent = (sum(int(row[name]) for row in rows) for name in COUNTS)
    return 100 * dropped / sent


Pairs = Sequence[tuple[dict[str, Any], dict[str, Any]]]
Cell = tuple[float, int, int]
"""Load, size, gateways."""


def run(lab: Lab) -> Findings:
    """Each number of gateways at each load and size."""
    cells = [(load, size, n) for load in LOADS for size in SIZES for n in GATEWAYS]
    cases = [(n, size, load, seed) for load, size, n in cells for seed in SEEDS]
    read = measures.both(lab, scenario, cases, competing)
    count = len(SEEDS)
    found = {cell: read[i * count : (i + 1) * count] for i, cell in enumerate(cells)}
    return Findings(
        answers=_say(found),
        tables=[
            Table(
                "gateways",
                "Transfers over all gateways, and those of slow start over one each",
                [_row(cell, pairs) for cell, pairs in found.items()],
            )
        ],
        pictures=[
            Picture(
                "gateways",
                "Gain of Jump Start by number of congested gateways; bands: 95 % intervals",
                lambda: _draw(found),
            )
        ],
    )


def _gains(pairs: Pairs) -> list[float]:
    return [improvement(a["median_s"], b["median_s"]) for a, b in pairs]


def _mean(pairs: Pairs, which: int, name: str) -> float:
    return float(np.mean([pair[which][name] for pair in pairs]))


def _added(pairs: Pairs, name: str) -> list[float]:
    """Points of loss that others have beside Jump Start and not beside slow start, by seed."""
    return [jump[name] - slow[name] for slow, jump in pairs]


def _say(found: Mapping[Cell, Pairs]) -> list[str]:
    load, (small, middle, large) = LOADS[1], SIZES
    few, many = GATEWAYS[0], GATEWAYS[-1]

    def gains(size: int, at: float = load) -> str:
        values = [float(np.mean(_gains(found[at, size, n]))) for n in (few, many)]
        return f"{values[0]:.0f} % with one gateway and {values[1]:.0f} % with {many}"

    losses = [_mean(found[load, large, n], 1, "loss") for n in (few, many)]
    where = [
        float(np.mean(_added(found[load, large, many], f"{at}_loss"))) for at in ("first", "last")
    ]
    return [
        (
            f"At {100 * load:.0f} % load Jump Start's gain is {gains(small)} for {small} packets, "
            f"and {gains(middle)} for {middle}."
        ),
        (
            f"With {large} packets it is {gains(large)}; at {100 * LOADS[0]:.0f} % load "
            f"{gains(large, LOADS[0])}."
        ),
        (
            f"Losses do not add up: of {large} packets Jump Start loses {losses[0]:.0f} % with one "
            f"gateway and {losses[1]:.0f} % with {many}. The first gateway takes the burst and "
            f"sends it on at its rate: it adds {where[0]:.1f} points to the loss of those that "
            f"cross there, the last one {where[1]:.1f}."
        ),
    ]


def _row(cell: Cell, pairs: Pairs) -> dict[str, float]:
    load, size, gateways = cell
    gains = _gains(pairs)
    low, high = interval(gains)
    return {
        "load of each, %": 100 * load,
        "packets": size,
        "gateways": gateways,
        "slow start, s": round(_mean(pairs, 0, "median_s"), 3),
        "Jump Start, s": round(_mean(pairs, 1, "median_s"), 3),
        "gain, %": round(float(np.mean(gains)), 1),
        "from": round(low, 1),
        "to": round(high, 1),
        "slow start loses, %": round(_mean(pairs, 0, "loss"), 1),
        "Jump Start loses, %": round(_mean(pairs, 1, "loss"), 1),
        "added to others' loss, points": round(float(np.mean(_added(pairs, "others_loss"))), 2),
        "at the first gateway": round(float(np.mean(_added(pairs, "first_loss"))), 2),
        "at the last": round(float(np.mean(_added(pairs, "last_loss"))), 2),
    }


def _draw(found: Mapping[Cell, Pairs]) -> "Figure":
    from flowstart_papers import drawing

    def panel(load: float) -> drawing.Panel:
        gains = {size: [_gains(found[load, size, n]) for n in GATEWAYS] for size in SIZES}
        return drawing.Panel(
            drawing.Axis("congested gateways", ticks=GATEWAYS),
            drawing.Axis("gain in median duration (%)"),
            {
                f"{size} packets": (GATEWAYS, [float(np.mean(values)) for values in gains[size]])
                for size in SIZES
            },
            title=f"each {100 * load:.0f} % busy with others",
            bands={
                f"{size} packets": drawing.band(GATEWAYS, map(interval, gains[size]))
                for size in SIZES
            },
            level={"as slow start": 0},
        )

    return drawing.panels(*map(panel, LOADS))


EXPERIMENTS = (
    Experiment(
        id="JS-GATEWAYS",
        figure="study",
        question="What do several consecutive congested gateways change?",
        run=run,
    ),
)
