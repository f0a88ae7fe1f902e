"""Fig. 2 (e): what packet pairs make of a path when the hosts see time in steps."""

import itertools
from statistics import mean, median
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import measures, setups
from flowstart_papers.hystart.published import number
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval
from flowstart_papers.target import Measured, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = 101
PRINTED = (number("hy.f2.hoe1"), number("hy.f2.hoe2"))
"""The thresholds of the two flows."""
BDP = setups.bdp(*setups.FIG2)
READINGS = {"closest pair": "closest", "all of a flight": "robust"}
FITTED = {"interrupt_min": "60us", "interrupt_max": "120us"}
"""Fitted to the published thresholds: packets of 120 us reach the host one or two at a time."""
HOSTS: dict[str, dict[str, dict[str, Any]]] = {
    "exact": {},
    "interrupts of 20-40 us": {"stack": {"interrupt_min": "20us", "interrupt_max": "40us"}},
    "interrupts of 40-80 us": {"stack": {"interrupt_min": "40us", "interrupt_max": "80us"}},
    "interrupts of 60-100 us": {"stack": {"interrupt_min": "60us", "interrupt_max": "100us"}},
    "interrupts of 60-120 us": {"stack": FITTED},
    "interrupts of 50-150 us": {"stack": {"interrupt_min": "50us", "interrupt_max": "150us"}},
    "interrupts of 100-150 us": {"stack": {"interrupt_min": "100us", "interrupt_max": "150us"}},
    "ACKs in batches of 100 us": {"path": {"ack_batch": "100us"}},
    "ACKs in batches of 200 us": {"path": {"ack_batch": "200us"}},
}
TIMES = (2.0, 3.0)
"""An estimate between so many times the BDP is two to three times too high."""
VARIES = 0.2
"""Estimates that spread over more than this share of their median differ in each run."""


def document(hosts: str, reading: str, seed: int) -> Document:
    """The first second of a flow, in which it has its estimate."""
    noise = HOSTS[hosts]
    startup = f"packet-pair-start:reading={READINGS[reading]},growth=per-ack"
    ends = setups.stack(**noise.get("stack", {}))
    link = setups.path(*setups.FIG2, **noise.get("path", {}))
    return setups.one(link, startup, "1s", ends=ends) | {"seed": seed}


def of(setup: Setup, seed: int) -> Document:
    """The same under a reading of the paper."""
    startup = "packet-pair-start:reading=closest,growth=per-ack"
    ends = setup.stack(**setup.interrupts)
    return setups.one(setups.path(*setup.fig2), startup, "1s", ends=ends) | {"seed": seed}


def measured(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured]:
    """The paper's two flows, and how far flows differ.

    The paper's thresholds are of one run. Ours are the medians of the lower and of the higher one
    of two flows, over all pairs of draws in a row.
    """
    seeds = SEEDS if setup.interrupts else 2
    documents = [of(setup, seed) for seed in range(1, seeds + 1)]
    draws = lab.runs(documents, measures.threshold, trace=True)
    values = [value or 0.0 for value in draws]
    pairs = list(itertools.pairwise(values))
    lower, higher = (median(of_two(pair) for pair in pairs) for of_two in (min, max))
    bdp = setups.bdp(*setup.fig2)
    middle = median(values) / bdp
    spread = (max(values) - min(values)) / median(values)
    because = (
        "A host that sees every packet as it comes measures the rate of the path. Thresholds like "
        "the published ones need hosts that see packets at interrupts, 60 to 120 us apart."
    )

    def of_draws(value: Value, holds: bool | None = None) -> Measured:
        return Measured(value, holds=holds, because=because, shown_by="HY-HOE", seeds=seeds)

    return {
        "hy.f2.hoe1": of_draws(round(lower)),
        "hy.f2.hoe2": of_draws(round(higher)),
        "hy.f2.hoe.over": of_draws(
            {"median (BDP)": round(middle, 3), "spread over median": round(spread, 3)},
            TIMES[0] <= middle <= TIMES[1] and spread > VARIES,
        ),
    }


def run(lab: Lab) -> Findings:
    """Thresholds over many draws of the hosts' clocks."""
    kinds = [(hosts, reading) for hosts in HOSTS for reading in READINGS]
    keys = [
        (kind, seed)
        for kind in kinds
        for seed in range(1, (1 if kind[0] == "exact" else SEEDS) + 1)
    ]
    documents = [document(*kind, seed) for kind, seed in keys]
    found = lab.runs(documents, measures.threshold, trace=True)
    draws: dict[tuple[str, str], list[float]] = {kind: [] for kind in kinds}
    for (kind, _), value in zip(keys, found, strict=True):
        draws[kind].append(value or 0.0)
    exact = draws["exact", "closest pair"][0]
    fitted = draws["interrupts of 60-120 us", "closest pair"]
    low, high = (float(np.percentile(fitted, share)) for share in (5, 95))
    least, most = interval([value / BDP for value in fitted], np.median)
    medians = [
        median(values) / BDP for (hosts, _), values in draws.items() if "interrupts" in hosts
    ]
    return Findings(
        measured=measured(lab),
        answers=[
            f"Hosts that see every packet at once measure {exact:.0f} packets, the BDP.",
            (
                f"Hosts that are interrupted every 60 to 120 us measure {low:.0f} to {high:.0f} "
                f"(nine of ten draws), {median(fitted) / BDP:.1f} times the BDP in the median "
                f"({least:.1f} to {most:.1f}); published were {PRINTED[0]:g} and "
                f"{PRINTED[1]:g}. These interrupts were fitted to that; with others the "
                f"median is from {min(medians):.1f} to {max(medians):.1f} BDP."
            ),
        ],
        tables=[_table(draws)],
        pictures=[
            Picture(
                "packet-pairs",
                "Thresholds of the closest pair, sorted, over the share of draws below them",
                lambda: draw({kind: values for kind, values in draws.items() if len(values) > 1}),
            )
        ],
    )


def _table(draws: dict[tuple[str, str], list[float]]) -> Table:
    return Table(
        "packet-pairs",
        f"Thresholds from packet pairs (packets; BDP {BDP:.0f}; published {PRINTED[0]:g} and "
        f"{PRINTED[1]:g})",
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
    from flowstart_papers import drawing

    curves: dict[str, Any] = {}
    for (hosts, reading), values in draws.items():
        if reading == "closest pair":
            shares = [100 * (i + 1) / len(values) for i in range(len(values))]
            curves[hosts] = (shares, sorted(values))
    return drawing.single(
        drawing.Axis("draws below (%)"),
        drawing.Axis("threshold (packets)", limits=(0, 6500)),
        curves,
        marks=False,
        level={"BDP": BDP} | {f"published {packets:g}": packets for packets in PRINTED},
    )


EXPERIMENTS = (
    Experiment(
        id="HY-HOE",
        figure="Fig. 2e",
        question="What do packet pairs measure if hosts see packets only at interrupts?",
        run=run,
    ),
)
