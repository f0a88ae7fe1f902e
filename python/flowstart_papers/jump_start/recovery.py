"""A study: figure 2, and the footnote of figure 1, under each rule of loss recovery."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import measures, setups
from flowstart_papers.jump_start.published import number
from flowstart_papers.lab import Lab
from flowstart_papers.measures import improvement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INTERVALS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, 1.5, 2.0)
FREE = (1.0, 1.5, 2.0)
CROWDED = (0.1, 0.2)
FOOTNOTE = 128
WITHOUT_SACK = ("NewReno", "Reno", "Tahoe", "timer only")

Pair = tuple[dict[str, float], dict[str, float]]
"""Slow start and Jump Start."""


def _crowd(startup: str, case: tuple[str, float]) -> Document:
    rule, seconds = case
    return setups.contention(f"{seconds}s", startup, **setups.RECOVERIES[rule])


def _single(startup: str, rule: str) -> Document:
    return setups.single(startup, FOOTNOTE, **setups.RECOVERIES[rule])


def _gain(pair: Pair) -> float:
    return improvement(pair[0]["median_s"], pair[1]["median_s"])


def _ratio(pair: Pair) -> float:
    return pair[1]["loss"] / pair[0]["loss"]


def run(lab: Lab) -> Findings:
    """Everything that hangs on it, rule by rule."""
    rules = list(setups.RECOVERIES)
    single = measures.both(lab, _single, rules, measures.transfer)
    footnote = {
        rule: improvement(a["duration_s"], b["duration_s"])
        for rule, (a, b) in zip(rules, single, strict=True)
    }
    cases = [(rule, s) for rule in rules for s in INTERVALS]
    found = dict(zip(cases, measures.both(lab, _crowd, cases, measures.crowd), strict=True))
    gains = {case: _gain(pair) for case, pair in found.items()}
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
                f"{FOOTNOTE} packets and {free[named]:+.0f} % from 1 s on; the paper has "
                f"{number('js.f2.free.time'):+g} %."
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
    rule: str, footnote: float, found: Mapping[tuple[str, float], Pair]
) -> dict[str, str | float]:
    apart = found[rule, max(FREE)]
    row: dict[str, str | float] = {"recovery": rule, f"{FOOTNOTE} packets, %": round(footnote, 1)}
    row |= {f"{s:g} s apart, %": round(_gain(found[rule, s]), 1) for s in (*CROWDED, *FREE)}
    row |= {f"loss ratio, {s:g} s": round(_ratio(found[rule, s]), 2) for s in (*CROWDED, max(FREE))}
    for name, crowd in zip(("slow start", "Jump Start"), apart, strict=True):
        row[f"timeouts, {name}"] = round(crowd["timeouts"], 2)
    return row


def _draw(gains: Mapping[tuple[str, float], float]) -> "Figure":
    from flowstart_papers import drawing

    def panel(title: str, rules: Sequence[str]) -> drawing.Panel:
        return drawing.Panel(
            drawing.Axis("interval between starts (s)", limits=(0, 2.6)),
            drawing.Axis("median duration, Jump Start / slow start", "log", (0.3, 12)),
            {rule: (INTERVALS, [1 - gains[rule, s] / 100 for s in INTERVALS]) for rule in rules},
            title=title,
            level={"paper, from 1 s": 1 - number("js.f2.free.time") / 100},
        )

    rules = list(setups.RECOVERIES)
    sacks = [rule for rule in rules if rule not in WITHOUT_SACK]
    return drawing.panels(
        panel("selective acknowledgements", sacks),
        panel("no selective acknowledgements", WITHOUT_SACK),
    )


EXPERIMENTS = (
    Experiment(
        id="JS-RECOVERY",
        figure="study",
        question="Under which rule of loss recovery does figure 2 come out as printed?",
        run=run,
    ),
)
