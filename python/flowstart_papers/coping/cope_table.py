"""Each measure: what starting fast still gains under it, and what it costs the others."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from flowstart_papers.coping import countermeasures, setups
from flowstart_papers.coping.countermeasures import Measure
from flowstart_papers.coping.effects import (
    COLUMNS,
    HARDLY,
    Outcome,
    cells,
    longer,
    outcomes,
    sooner,
)
from flowstart_papers.coping.measures import of_flows, of_objects
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.measures import first

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = range(1, 13)
WEB_SEEDS = range(1, 25)
SHORT = (
    countermeasures.NOTHING,
    countermeasures.CAP_HALF,
    countermeasures.FQ_CODEL,
    countermeasures.MARKED_ALL,
)
SHORT_SEEDS = range(1, 7)
SINGLE_PACKETS = 64

CONTENTION = "transfers of 200 packets"
WEB = "web responses of more than 3 packets"


def run(lab: Lab) -> Findings:
    """The whole table: every measure on two loads and on one transfer alone."""
    chosen = countermeasures.ALL
    contention = outcomes(lab, chosen, setups.contention, of_flows, SEEDS)
    web = outcomes(lab, chosen, setups.web, of_objects, WEB_SEEDS)
    return Findings(
        answers=_says({CONTENTION: contention, WEB: web}),
        tables=[
            table("coping_contention", CONTENTION, contention),
            table("coping_web", WEB, web),
            _alone(lab, chosen),
        ],
        pictures=[
            Picture(
                "coping",
                "What starters gain against what others lose, a point for each measure with "
                "95 % intervals. The best place is at the top, at or left of zero.",
                functools.partial(_draw, {CONTENTION: contention, WEB: web}),
            )
        ],
    )


def run_short(lab: Lab) -> Findings:
    """Four measures and a few seeds of one load."""
    found = outcomes(lab, SHORT, setups.contention, of_flows, SHORT_SEEDS)
    return Findings(
        answers=_says({CONTENTION: found}),
        tables=[table("coping_short", CONTENTION, found)],
    )


def table(name: str, load: str, found: Mapping[str, Outcome]) -> Table:
    """A row for each measure."""
    rows: list[dict[str, Cell]] = [
        cells(outcome.effect, {"measure": key, "by": outcome.measure.by})
        | {
            "cost to slow start, %": outcome.cost.text(),
            "net for bystanders, %": outcome.net.text(),
        }
        for key, outcome in found.items()
    ]
    caption = (
        f"{load[0].upper()}{load[1:]} under each measure. {COLUMNS} Cost: how much slower "
        "all transfers are under the measure without fast starters. Net: how much later bystanders "
        "are than with neither fast starters nor the measure."
    )
    return Table(name, caption, rows)


def _alone(lab: Lab, chosen: Sequence[Measure]) -> Table:
    """What a transfer gains with the path to itself."""
    cases = [setups.single(m, SINGLE_PACKETS, slow=slow) for m in chosen for slow in (True, False)]
    times = [row["duration_s"] for row in lab.runs(cases, first)]
    rows = [
        {
            "measure": measure.name,
            "slow start, s": round(slow, 4),
            "fast start, s": round(fast, 4),
            "gain, %": round(-longer([slow], [fast]), 1),
        }
        for measure, slow, fast in zip(chosen, times[::2], times[1::2], strict=True)
    ]
    caption = f"One transfer of {SINGLE_PACKETS} packets alone on the path."
    return Table("coping_alone", caption, rows)


def _says(loads: Mapping[str, Mapping[str, Outcome]]) -> list[str]:
    """The bare facts, which measures keep bystanders from harm, and which add to it."""
    bare = {load: found[countermeasures.NOTHING.name].effect for load, found in loads.items()}
    facts = [
        f"for {load} the gain is {e.gain.text()} %, the harm {e.harm.text()} %, and bystanders "
        f"lose {e.loss.text()} points more"
        for load, e in bare.items()
    ]
    harmless = [
        f"for {load} {_by_gain(o for o in found.values() if o.effect.harmless)}"
        for load, found in loads.items()
        if not bare[load].harmless
    ]
    worse = [
        f"for {load} {_by_gain(o for o in found.values() if o.effect.harm.low > limit)}"
        for load, found in loads.items()
        for limit in [bare[load].harm.high]
    ]
    condition = f"with 95 % confidence, bystanders at most {HARDLY:g} % later (with their gain)"
    return [
        f"Without any measure, {'; '.join(facts)}.",
        f"Measures that make, {condition}: {'; '.join(harmless)}.",
        f"Measures that do more harm than there is without any: {'; '.join(worse)}.",
    ]


def _by_gain(chosen: Iterable[Outcome]) -> str:
    """Names and gains, the largest gain first."""
    order = sorted(chosen, key=lambda outcome: -outcome.effect.gain.mean)
    return ", ".join(f"{o.measure.name} ({o.effect.gain.mean:+.0f} %)" for o in order) or "none"


def _draw(found: Mapping[str, Mapping[str, Outcome]]) -> "Figure":
    from flowstart_papers.coping import scatter

    loads = {
        load: {name: (o.effect.harm, sooner(o.effect.gain)) for name, o in measured.items()}
        for load, measured in found.items()
    }
    return scatter.panels(
        loads, x="harm: bystanders later by, %", y="gain: starters' time, slow start / fast start"
    )


EXPERIMENTS = (
    Experiment(
        id="COPE-SHORT",
        figure="study",
        question="In short: what do a sender, a router and marked packets do about a fast start?",
        run=run_short,
        quick=True,
    ),
    Experiment(
        id="COPE-TABLE",
        figure="study",
        question="Under each measure, what does starting fast gain, and what does it cost others?",
        run=run,
    ),
)
