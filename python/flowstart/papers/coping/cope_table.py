"""Each measure: what starting fast still gains under it, and what it costs the others."""

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from flowstart.papers.coping import measures, setups
from flowstart.papers.coping.effects import (
    COLUMNS,
    HARDLY,
    Outcome,
    cells,
    longer,
    of_flows,
    of_objects,
    outcomes,
    sooner,
)
from flowstart.papers.coping.measures import Measure
from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.readings import first

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = range(1, 13)
WEB_SEEDS = range(1, 25)
SHORT = (measures.NOTHING, measures.CAP_HALF, measures.FQ_CODEL, measures.MARKED_ALL)
SHORT_SEEDS = range(1, 7)
SINGLE_PACKETS = 64

CONTENTION = "Transfers of 200 packets"
WEB = "Web responses of more than 3 packets"


def run(lab: Lab) -> Findings:
    """The whole table: every measure on two loads and on one transfer alone."""
    chosen = measures.ALL
    contention = outcomes(lab, chosen, setups.contention, of_flows, SEEDS)
    web = outcomes(lab, chosen, setups.web, of_objects, WEB_SEEDS)
    return Findings(
        says=[*_says(CONTENTION, contention), *_says(WEB, web)],
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
        says=_says(CONTENTION, found),
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
        f"{load} under each measure. {COLUMNS} Cost: how much later everybody is under the "
        "measure when nobody starts fast. Net: how much later bystanders are than with neither "
        "fast starters nor the measure."
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


def _says(load: str, found: Mapping[str, Outcome]) -> list[str]:
    """The bare facts, which measures keep bystanders from harm, and which add to it."""
    bare = found[measures.NOTHING.name].effect
    facts = (
        f"{load}, no measure: starting fast gains {bare.gain.text()} %; bystanders are "
        f"{bare.harm.text()} % later and lose {bare.loss.text()} points more."
    )
    says = [facts]
    harmless = [
        f"{name} ({outcome.effect.gain.mean:+.0f} %)"
        for name, outcome in sorted(found.items(), key=lambda item: -item[1].effect.gain.mean)
        if outcome.effect.harmless
    ]
    if not bare.harmless:
        says.append(
            f"{load}: with 95 % confidence bystanders are at most {HARDLY:g} % later under (gain): "
            f"{', '.join(harmless) or 'none'}."
        )
    worse = [
        f"{name} ({outcome.effect.harm.mean:+.0f} %)"
        for name, outcome in found.items()
        if outcome.effect.harm.low > bare.harm.high
    ]
    if worse:
        says.append(
            f"{load}: bystanders are later than without a measure under {', '.join(worse)}."
        )
    return says


def _draw(found: Mapping[str, Mapping[str, Outcome]]) -> "Figure":
    from flowstart.papers.coping import scatter

    loads = {
        load: {name: (o.effect.harm, sooner(o.effect.gain)) for name, o in measured.items()}
        for load, measured in found.items()
    }
    return scatter.panels(
        loads, x="harm: bystanders later by, %", y="gain: starters' time, slow start / fast start"
    )
