"""A study: figure 2, and the footnote of figure 1, under each rule of loss recovery."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from flowstart.model.document import Document
from flowstart.papers.experiment import Experiment, Findings, Picture, Table
from flowstart.papers.jump_start import measures, setups
from flowstart.papers.lab import Lab
from flowstart.papers.measures import improvement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INTERVALS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0)
SEEDS = range(1, 5)
FREE = (1.0, 1.5, 2.0)
CROWDED = (0.1, 0.2)
FOOTNOTE = 128

Pairs = Sequence[tuple[dict[str, float], dict[str, float]]]


def _crowd(startup: str, case: tuple[str, float, int]) -> Document:
    rule, seconds, seed = case
    return setups.contention(f"{seconds}s", startup, seed, **setups.RECOVERIES[rule])


def _single(startup: str, rule: str) -> Document:
    return setups.single(startup, FOOTNOTE, **setups.RECOVERIES[rule])


def _gain(pairs: Pairs) -> float:
    return float(np.mean([improvement(a["median_s"], b["median_s"]) for a, b in pairs]))


def _ratio(pairs: Pairs) -> float:
    return float(np.mean([b["loss"] / a["loss"] for a, b in pairs]))


def run(lab: Lab) -> Findings:
    """Everything that hangs on it, rule by rule."""
    rules = list(setups.RECOVERIES)
    single = measures.both(lab, _single, rules, measures.transfer)
    footnote = {
        rule: improvement(a["duration_s"], b["duration_s"])
        for rule, (a, b) in zip(rules, single, strict=True)
    }
    cases = [(rule, s, seed) for rule in rules for s in INTERVALS for seed in SEEDS]
    read = dict(zip(cases, measures.both(lab, _crowd, cases, measures.crowd), strict=True))
    found = {
        (rule, s): [read[rule, s, seed] for seed in SEEDS] for rule in rules for s in INTERVALS
    }
    gains = {case: _gain(pairs) for case, pairs in found.items()}
    free = {rule: float(np.mean([gains[rule, s] for s in FREE])) for rule in rules}
    fitting = [rule for rule in rules if footnote[rule] < 0 < min(gains[rule, s] for s in FREE)]
    named = rules[0]
    listed = ", ".join(f"{rule} ({free[rule]:+.0f} %)" for rule in fitting) or "none"
    return Findings(
        answers=[
            (
                f"Jump Start is faster at every interval from 1 s on and slower at {FOOTNOTE} "
                f"packets, as the paper has both, under: {listed}."
            ),
            (
                f"Under {named}, which the paper names, it is {footnote[named]:+.0f} % at "
                f"{FOOTNOTE} packets and {free[named]:+.0f} % from 1 s on; the paper has +7 %."
            ),
        ],
        tables=[
            Table(
                "recovery",
                "What hangs on loss recovery; gains of Jump Start over slow start",
                [_row(rule, footnote[rule], found) for rule in rules],
            )
        ],
        pictures=[
            Picture(
                "recovery",
                "Jump Start's median duration over slow start's by interval between starts",
                lambda: _draw(gains),
            )
        ],
    )


def _row(
    rule: str, footnote: float, found: Mapping[tuple[str, float], Pairs]
) -> dict[str, str | float]:
    apart = found[rule, max(FREE)]
    row: dict[str, str | float] = {"recovery": rule, f"{FOOTNOTE} packets, %": round(footnote, 1)}
    row |= {f"{s:g} s apart, %": round(_gain(found[rule, s]), 1) for s in (*CROWDED, *FREE)}
    row |= {f"loss ratio, {s:g} s": round(_ratio(found[rule, s]), 2) for s in (*CROWDED, max(FREE))}
    row |= {
        "timeouts, slow start": round(float(np.mean([a["timeouts"] for a, _ in apart])), 2),
        "timeouts, Jump Start": round(float(np.mean([b["timeouts"] for _, b in apart])), 2),
    }
    return row


def _draw(gains: Mapping[tuple[str, float], float]) -> "Figure":
    from flowstart.papers import drawing

    def panel(title: str, rules: Sequence[str]) -> drawing.Panel:
        return drawing.Panel(
            drawing.Axis("interval between starts (s)"),
            drawing.Axis("median duration, Jump Start / slow start", "log", (0.3, 12)),
            {rule: (INTERVALS, [1 - gains[rule, s] / 100 for s in INTERVALS]) for rule in rules},
            title=title,
            level={"paper, from 1 s": 0.93},
        )

    rules = list(setups.RECOVERIES)
    sacks = [rule for rule in rules if "sack" in rule.lower()]
    return drawing.panels(
        panel("selective acknowledgements", sacks),
        panel("none", [rule for rule in rules if rule not in sacks]),
    )


EXPERIMENTS = (
    Experiment(
        id="JS-RECOVERY",
        figure="study",
        question="Under which rule of loss recovery does figure 2 come out as printed?",
        run=run,
    ),
)
