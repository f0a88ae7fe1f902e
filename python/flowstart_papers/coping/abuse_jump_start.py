"""Pulses of fast starts: what they do to others, and what takes the edge off them."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flowstart_papers.coping import countermeasures
from flowstart_papers.coping.countermeasures import Measure
from flowstart_papers.coping.effects import Estimate
from flowstart_papers.coping.pulses import SLOW, Damage, Pulses, damages
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GOODPUT = "goodput left, %"
SHORT = "95th percentile later by, %"

SEEDS = range(1, 9)
BASE = Pulses()


@dataclass(frozen=True)
class Knob:
    """What the client may choose."""

    field: str
    heading: str
    settings: Sequence[float]


KNOBS = (
    Knob("period_s", "period, s", (0.25, 0.5, 1, 2, 4, 8)),
    Knob("packets", "packets from each server", (10, 20, 40, 60, 120, 240)),
    Knob("servers", "servers", (1, 2, 4, 8, 16, 32)),
)
SERVERS = {
    "Jump Start": countermeasures.NOTHING,
    "Jump Start capped at 1/10": countermeasures.CAP_TENTH,
    "slow start": SLOW,
}
GUARDS = (
    countermeasures.NOTHING,
    countermeasures.CAP_TENTH,
    countermeasures.CAP_HALF,
    countermeasures.TARGET,
    countermeasures.FIRST_WINDOW,
    countermeasures.RED,
    countermeasures.CHOKE,
    countermeasures.FQ_CODEL,
    countermeasures.FQ_CODEL_DEEP,
    countermeasures.MARKED_ALL,
    countermeasures.MARKED_EXCESS,
    countermeasures.RED_MARKED,
)
RECOVERIES = {"ns2-sack": "ns-2's SACK", "sack": "RFC 6675"}
ACCESS_MBPS = (100, 10, 5, 2)
RTO_MIN = "1 s"

Guarded = Mapping[Measure, tuple[Damage, Damage]]
"""With servers that start fast, and with slow ones, under the same measure."""
Swept = Mapping[str, Mapping[float, tuple[Pulses, Damage]]]
"""By the servers' startup and the knob's setting."""


def run(lab: Lab) -> Findings:
    """Everything the client may choose, everything that may guard, and its own line."""
    swept = {knob.heading: _sweep(lab, knob, BASE) for knob in KNOBS}
    slow_timers = _sweep(lab, KNOBS[0], replace(BASE, rto_min=RTO_MIN.replace(" ", "")))
    guarded = {name: _guarded(lab, recovery) for recovery, name in RECOVERIES.items()}
    lines = [
        replace(BASE, access_mbps=mbps, measure=measure)
        for mbps in ACCESS_MBPS
        for measure in (SLOW, countermeasures.NOTHING)
    ]
    behind = list(zip(lines, damages(lab, lines, SEEDS), strict=True))
    return Findings(
        answers=[_says_base(swept, slow_timers), _says_guards(guarded), _says_worst(swept)],
        tables=[
            _swept_table(swept, slow_timers),
            _guards_table(guarded),
            _access_table(behind),
        ],
        pictures=[
            Picture(
                "pulses",
                "What is left of the goodput of long bystanders when a client makes servers "
                f"answer at once, by the servers' startup: {BASE.packets} packets from "
                f"{BASE.servers} servers every {BASE.period_s:g} s unless varied.",
                functools.partial(_draw, swept, GOODPUT, lambda damage: damage.goodput),
            ),
            Picture(
                "pulses_short",
                "The 95th percentile of short bystanders' durations.",
                functools.partial(_draw, swept, SHORT, lambda damage: damage.short_tail),
            ),
        ],
    )


def _sweep(lab: Lab, knob: Knob, base: Pulses) -> Swept:
    cases = {
        (name, setting): replace(base, measure=measure, **_setting(knob, setting))
        for name, measure in SERVERS.items()
        for setting in knob.settings
    }
    found = dict(zip(cases, damages(lab, list(cases.values()), SEEDS), strict=True))
    return {name: {x: (cases[name, x], found[name, x]) for x in knob.settings} for name in SERVERS}


def _setting(knob: Knob, setting: float) -> dict[str, Any]:
    return {knob.field: setting}


def _guarded(lab: Lab, recovery: str) -> Guarded:
    base = replace(BASE, recovery=recovery)
    fast = [replace(base, measure=measure) for measure in GUARDS]
    slow = [replace(base, measure=replace(m, startup=SLOW.startup)) for m in GUARDS]
    found = damages(lab, fast + slow, SEEDS)
    pairs = zip(found[: len(fast)], found[len(fast) :], strict=True)
    return dict(zip(GUARDS, pairs, strict=True))


def _says_base(swept: Mapping[str, Swept], slow_timers: Swept) -> str:
    by_name = swept[KNOBS[0].heading]
    names = ("Jump Start", "slow start")
    fast, slow = (by_name[name][BASE.period_s][1] for name in names)
    late_fast, late_slow = (slow_timers[name][BASE.period_s][1] for name in names)
    return (
        f"{BASE.servers} servers that answer with {BASE.packets} packets every "
        f"{BASE.period_s:g} s are {BASE.asked_mbps:.1f} of the link's 10 Mbit/s. With Jump Start "
        f"they leave {fast.goodput.text(0)} % of the long bystanders' goodput, with slow start "
        f"{slow.goodput.text(0)} %: for each bit that the client gets the others lose "
        f"{fast.price.text()} and {slow.price.text()}. Where no timeout is shorter than {RTO_MIN}, "
        f"{late_fast.goodput.text(0)} % and {late_slow.goodput.text(0)} % are left."
    )


def _says_guards(guarded: Mapping[str, Guarded]) -> str:
    """Which measures leave bystanders what slow start without any measure would."""
    parts = []
    for name, found in guarded.items():
        slow = found[countermeasures.NOTHING][1].goodput
        restoring = [
            f"{measure.name} ({fast.goodput.mean:.0f} %)"
            for measure, (fast, _) in found.items()
            if fast.goodput.high >= slow.low
        ]
        parts.append(f"with {name} ({slow.mean:.0f} %) {', '.join(restoring) or 'none'}")
    return (
        "Measures that leave as much as servers with slow start and no measure do: "
        f"{'; '.join(parts)}."
    )


def _says_worst(swept: Mapping[str, Swept]) -> str:
    """Where Jump Start takes most, compared with slow start."""
    lost = {
        (heading, x): slow.goodput.mean - by_name["Jump Start"][x][1].goodput.mean
        for heading, by_name in swept.items()
        for x, (_, slow) in by_name["slow start"].items()
    }
    (heading, x), points = max(lost.items(), key=lambda item: item[1])
    return (
        f"Over all that was varied, Jump Start takes at most {points:.0f} points of goodput more "
        f"than slow start, with {heading} = {x:g}."
    )


def _row(damage: Damage, case: Mapping[str, Cell]) -> dict[str, Cell]:
    return {
        **case,
        "goodput left, %": damage.goodput.text(0),
        "lost per bit of the client": damage.price.text(),
        "short later, %": damage.short.text(0),
        "short at 95th percentile, %": damage.short_tail.text(0),
        "short lose, %": damage.loss.text(),
        "client gets, Mbit/s": damage.client_mbps.text(),
        "link busy, %": damage.busy.text(0),
    }


CAPTION = (
    "Against the same network without the client; means over seeds with 95 % intervals. Goodput "
    "of bystanders that always send, durations of transfers of 20 packets."
)


def _swept_table(swept: Mapping[str, Swept], slow_timers: Swept) -> Table:
    named = {f"{heading} = ": by_name for heading, by_name in swept.items()}
    named[f"least timeout {RTO_MIN}, {KNOBS[0].heading} = "] = slow_timers
    rows = [
        _row(
            damage,
            {"case": f"{case}{x:g}", "servers use": name, "asked, Mbit/s": round(p.asked_mbps, 2)},
        )
        for case, by_name in named.items()
        for name, by_setting in by_name.items()
        for x, (p, damage) in by_setting.items()
    ]
    caption = (
        f"Pulses of {BASE.packets} packets from {BASE.servers} servers every {BASE.period_s:g} s, "
        f"with one thing varied. {CAPTION}"
    )
    return Table("pulses", caption, rows)


def _guards_table(guarded: Mapping[str, Guarded]) -> Table:
    rows = [
        _row(
            fast,
            {
                "recovery": recovery,
                "measure": measure.name,
                "by": measure.by,
                "without the client: long, Mbit/s": fast.alone_mbps.text(),
                "without the client: short, s": fast.alone_short_s.text(2),
                "left if servers use slow start, %": slow.goodput.text(0),
            },
        )
        for recovery, found in guarded.items()
        for measure, (fast, slow) in found.items()
    ]
    caption = (
        f"The same pulses under each measure. {CAPTION} That network has the measure's queue, too."
    )
    return Table("pulses_guarded", caption, rows)


def _access_table(behind: Sequence[tuple[Pulses, Damage]]) -> Table:
    rows = [
        _row(
            damage,
            {
                "client's line, Mbit/s": pulses.access_mbps,
                "servers use": pulses.measure.startup,
                "short behind the client's line later, %": damage.neighbours.text(0),
            },
        )
        for pulses, damage in behind
    ]
    caption = f"The client's own line behind the link, which some transfers share. {CAPTION}"
    return Table("pulses_access", caption, rows)


def _draw(swept: Mapping[str, Swept], y: str, of: Callable[[Damage], Estimate]) -> "Figure":
    from flowstart_papers.coping.curves import panel
    from flowstart_papers.drawing import Axis, panels

    def lines(by_name: Swept) -> dict[str, dict[float, Estimate]]:
        return {
            name: {setting: of(damage) for setting, (_, damage) in found.items()}
            for name, found in by_name.items()
        }

    limits = (0, 100) if y == GOODPUT else (None, None)
    drawn = [
        panel(
            Axis(heading, "log", ticks=list(by_name["slow start"])),
            Axis(y, limits=limits),
            lines(by_name),
        )
        for heading, by_name in swept.items()
    ]
    return panels(*drawn)


EXPERIMENTS = (
    Experiment(
        id="ABUSE-JS",
        figure="study",
        question="What can a client do to others that makes servers start fast at it again and "
        "again?",
        run=run,
    ),
)
