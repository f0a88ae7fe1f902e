"""Whether the table's answers hang on what was chosen: how loss is repaired, and the load."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flowstart_papers.coping import countermeasures, setups
from flowstart_papers.coping.countermeasures import Measure
from flowstart_papers.coping.effects import (
    COLUMNS,
    HARDLY,
    Effect,
    Estimate,
    Outcome,
    cells,
    outcomes,
    sooner,
)
from flowstart_papers.coping.measures import of_flows
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = range(1, 7)
CHOSEN = (
    countermeasures.NOTHING,
    countermeasures.CAP_HALF,
    countermeasures.FIRST_WINDOW,
    countermeasures.RED,
    countermeasures.FQ_CODEL,
    countermeasures.FQ_CODEL_DEEP,
    countermeasures.MARKED_ALL,
)
RECOVERIES = {"ns2-sack": "ns-2's SACK", "sack": "RFC 6675", "newreno": "NewReno"}
INTERVALS_S = (2.4, 1.2, 0.8, 0.6, 0.5, 0.4)
JITTERS = (1, 5, 20, 60)
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
QUEUES = (
    countermeasures.RED,
    Measure("RED from 20 to 50 packets", "router", queue="red:th_min=20,th_max=50"),
    Measure("adaptive RED", "router", queue="red:adaptive=true"),
    countermeasures.CHOKE,
    Measure("CHOKe from 20 to 50 packets", "router", queue="choke:th_min=20,th_max=50"),
    countermeasures.FQ_CODEL,
    countermeasures.FQ_CODEL_DEEP,
)

Found = Mapping[str, Outcome]


def run(lab: Lab) -> Findings:
    """Each measure under three recoveries, over load and share, and other settings of queues."""

    def found(chosen: Sequence[Measure] = CHOSEN, **fields: Any) -> Found:
        return outcomes(lab, chosen, setups.contention, of_flows, SEEDS, **fields)

    by_recovery = {name: found(recovery=recovery) for recovery, name in RECOVERIES.items()}
    by_load = {_load(s): found(interval_s=s) for s in INTERVALS_S}
    by_share = {100 * share: found(share=share) for share in SHARES}
    by_jitter = {jitter: found(jitter=jitter) for jitter in JITTERS}
    queues = {name: found(QUEUES, recovery=recovery) for recovery, name in RECOVERIES.items()}
    return Findings(
        answers=[_steady(by_recovery), _changing(by_recovery), _over_load(by_load)],
        tables=[
            _table("moved_recovery", "recovery", by_recovery),
            _table("moved_load", "load of each direction, %", by_load),
            _table("moved_share", "transfers that start fast, %", by_share),
            _table("moved_jitter", "openings moved by, intervals", by_jitter),
            _table("moved_queues", "recovery", queues),
        ],
        pictures=[
            Picture(
                f"moved_{name}",
                f"Gain of starters and harm to bystanders over the {what}, with 95 % intervals.",
                functools.partial(_draw, axis, moved),
            )
            for name, what, axis, moved in (
                ("load", "load", "load of each direction, %", by_load),
                ("share", "share of transfers that start fast", "start fast, %", by_share),
            )
        ],
    )


def _load(interval_s: float) -> float:
    """How busy the transfers keep each direction of the line, in percent."""
    kbps = setups.PACKETS * countermeasures.PACKET_KBIT / (2 * interval_s)
    return round(kbps / (10 * setups.CONTENTION.mbps), 1)


def _steady(by_recovery: Mapping[str, Found]) -> str:
    """What helps both sides however loss is repaired."""
    names = [
        measure.name
        for measure in CHOSEN
        if all(_serves(found[measure.name]) for found in by_recovery.values())
    ]
    return (
        f"Starters gain and bystanders are with 95 % confidence at most {HARDLY:g} % later, "
        f"whichever of the three recoveries is used, under: {', '.join(names) or 'none'}."
    )


def _serves(outcome: Outcome) -> bool:
    return outcome.effect.gain.low > 0 and outcome.effect.harmless


def _changing(by_recovery: Mapping[str, Found]) -> str:
    """Where a starter gains under one recovery and loses under another."""
    lines = {
        measure.name: [found[measure.name].effect.gain for found in by_recovery.values()]
        for measure in CHOSEN
    }
    changing = [
        f"{name} ({', '.join(f'{gain.mean:+.0f} %' for gain in gains)})"
        for name, gains in lines.items()
        if any(gain.low > 0 for gain in gains) and any(gain.high < 0 for gain in gains)
    ]
    return (
        f"Whether a starter gains depends on the recovery ({', '.join(by_recovery)}) under: "
        f"{', '.join(changing) or 'none'}."
    )


def _over_load(by_load: Mapping[float, Found]) -> str:
    light, heavy = min(by_load), max(by_load)

    def harm(load: float, measure: Measure) -> str:
        return f"{round(by_load[load][measure.name].effect.harm.mean):+d} %"

    parts = [f"{m.name} {harm(light, m)} and {harm(heavy, m)}" for m in CHOSEN]
    return f"Harm at {light:g} % and at {heavy:g} % load: {'; '.join(parts)}."


def _table(name: str, heading: str, found: Mapping[Any, Found]) -> Table:
    rows = [
        cells(outcome.effect, {heading: key, "measure": measure})
        for key, outcomes in found.items()
        for measure, outcome in outcomes.items()
    ]
    return Table(name, f"Transfers of 200 packets, by {heading}. {COLUMNS}", rows)


def _draw(x: str, moved: Mapping[float, Found]) -> "Figure":
    from flowstart_papers.coping.curves import panel
    from flowstart_papers.drawing import Axis, panels

    def lines(of: Callable[[Effect], Estimate]) -> dict[str, dict[float, Estimate]]:
        return {
            measure.name: {at: of(found[measure.name].effect) for at, found in moved.items()}
            for measure in CHOSEN
        }

    gain = Axis("gain: slow start's time / theirs")
    return panels(
        panel(Axis(x), Axis("harm: bystanders later by, %"), lines(lambda effect: effect.harm)),
        panel(Axis(x), gain, lines(lambda effect: sooner(effect.gain))),
    )


EXPERIMENTS = (
    Experiment(
        id="COPE-MOVED",
        figure="study",
        question="Do the answers hang on the recovery, the load, the share of fast starters, the "
        "timing or the settings of the queues?",
        run=run,
    ),
)
