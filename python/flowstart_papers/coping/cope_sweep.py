"""How the knobs of a policy are to be set: caps, target times and first windows swept."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.coping import setups
from flowstart_papers.coping.countermeasures import Line, Measure
from flowstart_papers.coping.effects import (
    COLUMNS,
    HARDLY,
    Effect,
    Estimate,
    Outcome,
    cells,
    outcomes,
)
from flowstart_papers.coping.measures import Groups, of_flows, of_objects
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = range(1, 13)
WEB_SEEDS = range(1, 25)

CAPS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
"""Shares of the line's rate."""
TARGETS_S = (0.07, 0.1, 0.15, 0.25, 0.5, 1.0, 2.0)
FIRST_WINDOWS = (0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
"""Shares of the line's bandwidth-delay product."""

SHORT_PACKETS = 50
SHORT_INTERVAL_S = setups.INTERVAL_S / 4
"""As much to carry as with transfers four times as large."""


@dataclass(frozen=True)
class Load:
    """What a policy is tried on."""

    name: str
    line: Line
    document: Callable[..., Document]
    read: Callable[[Run], Groups]
    seeds: Sequence[int]


LARGE = Load("200-packet transfers", setups.CONTENTION, setups.contention, of_flows, SEEDS)
SMALL = Load(
    "50-packet transfers",
    setups.CONTENTION,
    functools.partial(setups.contention, packets=SHORT_PACKETS, interval_s=SHORT_INTERVAL_S),
    of_flows,
    SEEDS,
)
WEB = Load("web", setups.WEB, setups.web, of_objects, WEB_SEEDS)
LOADS = (LARGE, SMALL, WEB)


@dataclass(frozen=True)
class Knob:
    """A policy with its settings."""

    name: str
    axis: str
    settings: Sequence[float]
    startup: Callable[[Line, float], str]

    def measure(self, line: Line, setting: float) -> Measure:
        """The policy at one setting."""
        return Measure(f"{setting:g}", "sender", self.startup(line, setting))


def _cap(line: Line, share: float) -> str:
    return f"jump-start:cap_rate={share * line.mbps:g}Mbps"


def _target(_: Line, seconds: float) -> str:
    return f"jump-start:target_time={seconds:g}s"


def _first_window(line: Line, share: float) -> str:
    return f"jump-start:max_d={max(1, round(share * line.bdp))}"


KNOBS = (
    Knob("rate cap", "cap / line's rate", CAPS, _cap),
    Knob("target time", "target time, s", TARGETS_S, _target),
    Knob("first window", "first window / BDP", FIRST_WINDOWS, _first_window),
)

Sweep = dict[float, Outcome]


def run(lab: Lab) -> Findings:
    """Every knob on every load."""
    found = {knob.name: {load.name: _sweep(lab, knob, load) for load in LOADS} for knob in KNOBS}
    return Findings(
        answers=[_says(knob, found[knob.name]) for knob in KNOBS],
        tables=[_table(knob, found[knob.name]) for knob in KNOBS],
        pictures=[
            Picture(
                _file(knob),
                f"Gain of starters and harm to bystanders over the {knob.name}, with 95 % "
                "intervals.",
                functools.partial(_draw, knob, found[knob.name]),
            )
            for knob in KNOBS
        ],
    )


def _sweep(lab: Lab, knob: Knob, load: Load) -> Sweep:
    chosen = [knob.measure(load.line, setting) for setting in knob.settings]
    found = outcomes(lab, chosen, load.document, load.read, load.seeds)
    return dict(zip(knob.settings, found.values(), strict=True))


def _says(knob: Knob, found: Mapping[str, Sweep]) -> str:
    """Which settings serve all loads, and which of them gains most."""

    def serves(effect: Effect) -> bool:
        return effect.gain.low > 0 and effect.harmless

    effects = {
        setting: [sweep[setting].effect for sweep in found.values()] for setting in knob.settings
    }
    fit = [setting for setting, each in effects.items() if all(map(serves, each))]
    name = f"{knob.name.capitalize()} ({knob.axis})"
    if not fit:
        return (
            f"{name}: no setting gains on every load and makes bystanders at most {HARDLY:g} % "
            "later."
        )
    best = max(fit, key=lambda setting: sum(effect.gain.mean for effect in effects[setting]))
    gains = ", ".join(
        f"{effect.gain.text()} % ({load})"
        for load, effect in zip(found, effects[best], strict=True)
    )
    return (
        f"{name}: settings that gain on every load and, with 95 % confidence, make bystanders at "
        f"most {HARDLY:g} % later: "
        f"{', '.join(f'{setting:g}' for setting in fit)}; the maximum gain is at {best:g}: {gains}."
    )


def _table(knob: Knob, found: Mapping[str, Sweep]) -> Table:
    rows = [
        cells(outcome.effect, {"load": load, knob.axis: setting})
        for load, sweep in found.items()
        for setting, outcome in sweep.items()
    ]
    return Table(_file(knob), f"The {knob.name} swept. {COLUMNS}", rows)


def _file(knob: Knob) -> str:
    return "sweep_" + knob.name.replace(" ", "_")


def _draw(knob: Knob, found: Mapping[str, Sweep]) -> "Figure":
    from flowstart_papers.coping.curves import panel
    from flowstart_papers.drawing import Axis, panels

    def lines(of: Callable[[Effect], Estimate]) -> dict[str, dict[float, Estimate]]:
        return {
            load: {setting: of(outcome.effect) for setting, outcome in sweep.items()}
            for load, sweep in found.items()
        }

    x = Axis(knob.axis, "log", ticks=knob.settings[::2])
    return panels(
        panel(x, Axis("gain: starters faster by, %"), lines(lambda effect: effect.gain)),
        panel(x, Axis("harm: bystanders later by, %"), lines(lambda effect: effect.harm)),
    )


EXPERIMENTS = (
    Experiment(
        id="COPE-SWEEP",
        figure="study",
        question="To what should a rate cap, a target time or a first window be set?",
        run=run,
    ),
)
