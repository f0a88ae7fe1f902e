"""Fig. 2 (e): what packet pairs make of a path when the hosts see time in steps."""

from statistics import mean, median
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart.papers.experiment import Findings, Picture, Table
from flowstart.papers.hystart import setups, traces
from flowstart.papers.lab import Lab
from flowstart.papers.measures import interval
from flowstart.papers.target import Measured
from flowstart.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = 101
PUBLISHED = {"hy.f2.hoe1": 2300, "hy.f2.hoe2": 2800}
BDP = setups.bdp(*setups.FIG2)
USUAL = (5, 95)
"""A published threshold between these percentiles of ours is one that the runs give."""
READINGS = {"closest pair": "closest", "all of a flight": "robust"}
HOSTS: dict[str, dict[str, dict[str, Any]]] = {
    "exact": {},
    "interrupts of 20-40 us": {"stack": {"interrupt_min": "20us", "interrupt_max": "40us"}},
    "interrupts of 40-80 us": {"stack": {"interrupt_min": "40us", "interrupt_max": "80us"}},
    "interrupts of 60-100 us": {"stack": {"interrupt_min": "60us", "interrupt_max": "100us"}},
    "interrupts of 60-120 us": {"stack": {"interrupt_min": "60us", "interrupt_max": "120us"}},
    "interrupts of 50-150 us": {"stack": {"interrupt_min": "50us", "interrupt_max": "150us"}},
    "interrupts of 100-150 us": {"stack": {"interrupt_min": "100us", "interrupt_max": "150us"}},
    "ACKs in batches of 100 us": {"path": {"ack_batch": "100us"}},
    "ACKs in batches of 200 us": {"path": {"ack_batch": "200us"}},
}
MAIN = ("interrupts of 60-120 us", "closest pair")
"""Fitted: packets of 120 us then reach the host one or two at a time."""


def document(hosts: str, reading: str, seed: int) -> Document:
    """The first second of a flow, in which it has its estimate."""
    noise = HOSTS[hosts]
    startup = f"packet-pair-start:reading={READINGS[reading]},growth=per-ack"
    ends = setups.stack(**noise.get("stack", {}))
    link = setups.path(*setups.FIG2, **noise.get("path", {}))
    return setups.one(link, startup, "1s", ends=ends) | {"seed": seed}


def threshold(run: Run) -> float:
    """The threshold that the estimate set, in packets."""
    thresholds = traces.columns(run)["ssthresh"]
    return float(thresholds[np.isfinite(thresholds)][-1])


def run(lab: Lab) -> Findings:
    """Thresholds over many draws of the hosts' clocks."""
    kinds = [(hosts, reading) for hosts in HOSTS for reading in READINGS]
    keys = [
        (kind, seed)
        for kind in kinds
        for seed in range(1, (1 if kind[0] == "exact" else SEEDS) + 1)
    ]
    found = lab.runs([document(*kind, seed) for kind, seed in keys], threshold, trace=True)
    draws: dict[tuple[str, str], list[float]] = {kind: [] for kind in kinds}
    for (kind, _), value in zip(keys, found, strict=True):
        draws[kind].append(value)
    main = sorted(draws[MAIN])
    low, high = (float(np.percentile(main, share)) for share in USUAL)
    middle, exact = median(main), draws["exact", "closest pair"][0]
    because = f"Ours lie between {low:.0f} and {high:.0f} packets."
    return Findings(
        measured={
            **{
                name: Measured(
                    [round(low), round(high)],
                    holds=low <= packets <= high,
                    because=because,
                    seeds=SEEDS,
                )
                for name, packets in PUBLISHED.items()
            },
            "hy.f2.hoe.over": Measured(
                round(middle / BDP, 3),
                holds=2 <= middle / BDP <= 3 and high - low > 0.2 * middle,
                interval=interval([value / BDP for value in main], np.median),
                because=f"The median is {middle / BDP:.2f} BDP.",
                seeds=SEEDS,
            ),
        },
        answers=[
            (
                f"Hosts that see every packet at once measure {exact:.0f} packets, the BDP; hosts "
                f"that are interrupted every 60 to 120 us measure {low:.0f} to {high:.0f} (nine of "
                f"ten draws), {middle / BDP:.1f} times the BDP in the median; published were 2300 "
                "and 2800."
            ),
        ],
        tables=[_table(draws)],
        pictures=[
            Picture(
                "packet-pairs",
                "Thresholds of the closest pair, sorted, over the share of draws below them.",
                lambda: draw({kind: values for kind, values in draws.items() if len(values) > 1}),
            )
        ],
    )


def _table(draws: dict[tuple[str, str], list[float]]) -> Table:
    return Table(
        "packet-pairs",
        f"Thresholds from packet pairs (packets; BDP {BDP:.0f}; published 2300 and 2800).",
        [
            {
                "hosts": hosts,
                "estimate from": reading,
                "draws": len(values),
                "5 % below": round(float(np.percentile(values, 5))),
                "median": round(median(values)),
                "mean": round(mean(values)),
                "95 % below": round(float(np.percentile(values, 95))),
                "median (BDP)": round(median(values) / BDP, 2),
            }
            for (hosts, reading), values in draws.items()
        ],
    )


def draw(draws: dict[tuple[str, str], list[float]]) -> "Figure":
    """Distribution functions."""
    from flowstart.papers import drawing

    curves: dict[str, Any] = {}
    for (hosts, reading), values in draws.items():
        if reading == MAIN[1]:
            shares = [100 * (i + 1) / len(values) for i in range(len(values))]
            curves[hosts] = (shares, sorted(values))
    return drawing.single(
        drawing.Axis("draws below (%)"),
        drawing.Axis("threshold (packets)", limits=(0, 6500)),
        curves,
        marks=False,
        level={"BDP": BDP, "published 2300": 2300, "published 2800": 2800},
    )
