"""What each measure leaves of the gain and of the harm, how its knob is set, and what moves it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from flowstart_papers.coping import countermeasures as ways
from flowstart_papers.coping import scatter, setups
from flowstart_papers.coping.countermeasures import PACKET_KBIT, Line, Measure
from flowstart_papers.coping.effects import (
    COLUMNS,
    HARDLY,
    HARMLESS,
    HEADINGS,
    SERVES,
    longer,
    of_flows,
    of_objects,
    outcomes,
    sooner,
    table,
    text,
)
from flowstart_papers.experiment import Findings, Picture, Table, experiment
from flowstart_papers.frames import by_case
from flowstart_papers.lab import Lab
from flowstart_papers.measures import first
from flowstart_papers.plot import Axis, lines, panel

SEEDS = range(1, 13)
WEB_SEEDS = range(1, 25)
FEW_SEEDS = range(1, 7)
SHORT = (ways.NOTHING, ways.CAP_HALF, ways.FQ_CODEL, ways.MARKED_ALL)
SINGLE_PACKETS = 64
CONTENTION = "transfers of 200 packets"
WEB = "web responses of more than 3 packets"
HARM = ("harm", Axis("harm: bystanders later by, %"))


@experiment("COPE-SHORT", "study", quick=True)
def short(lab: Lab) -> Findings:
    """In short: what do a sender, a router and marked packets do about a fast start?"""
    found = outcomes(lab, SHORT, setups.contention, of_flows, FEW_SEEDS)
    return Findings(answers=_says({CONTENTION: found}),
                    tables=[_table("coping_short", CONTENTION, found)])  # fmt: skip


@experiment("COPE-TABLE", "study")
def cope_table(lab: Lab) -> Findings:
    """Under each measure, what does starting fast gain, and what does it cost others?"""
    contention = outcomes(lab, ways.ALL, setups.contention, of_flows, SEEDS)
    web = outcomes(lab, ways.ALL, setups.web, of_objects, WEB_SEEDS)
    loads = {CONTENTION: contention, WEB: web}
    return Findings(
        answers=_says(loads),
        tables=[_table("coping_contention", CONTENTION, contention),
                _table("coping_web", WEB, web), _alone(lab)],
        pictures=[Picture(
            "coping", "What starters gain against what others lose, a point for each measure with "
            "95 % intervals. The best place is at the top, at or left of zero.",
            partial(scatter.panels, {load: each.with_columns(sooner())
                                     for load, each in loads.items()}, x=HARM[1].label,
                    y="gain: starters' time, slow start / fast start"))],
    )  # fmt: skip


def _table(name: str, load: str, found: pl.DataFrame) -> Table:
    caption = (
        f"{load[0].upper()}{load[1:]} under each measure. {COLUMNS} Cost: how much slower "
        "all transfers are under the measure without fast starters. Net: how much later bystanders "
        "are than with neither fast starters nor the measure."
    )
    headings = {"measure": "measure", "by": "by", **HEADINGS}
    costs = {"cost": "cost to slow start, %", "net": "net for bystanders, %"}
    return table(name, caption, found, headings | costs)


def _alone(lab: Lab) -> Table:
    """What a transfer gains with the path to itself."""
    slow, fast = (
        [row["duration_s"] for row in lab.runs(
            [setups.single(m, SINGLE_PACKETS, slow=slow) for m in ways.ALL], first)]
        for slow in (True, False)
    )  # fmt: skip
    rows = [
        {"measure": measure.name, "slow start, s": round(a, 4), "fast start, s": round(b, 4),
         "gain, %": round(-longer([a], [b]), 1)}
        for measure, a, b in zip(ways.ALL, slow, fast, strict=True)
    ]  # fmt: skip
    return Table("coping_alone", f"One transfer of {SINGLE_PACKETS} packets alone on the path.",
                 rows)  # fmt: skip


def _says(loads: Mapping[str, pl.DataFrame]) -> list[str]:
    """The bare facts, which measures keep bystanders from harm, and which add to it."""
    facts, harmless, worse = [], [], []
    for load, found in loads.items():
        bare = found.row(by_predicate=pl.col("measure") == ways.NOTHING.name, named=True)
        facts.append(f"for {load} the gain is {text(bare, 'gain')} %, the harm "
                     f"{text(bare, 'harm')} %, and bystanders lose {text(bare, 'loss')} points "
                     "more")  # fmt: skip
        if bare["harm_high"] > HARDLY:
            harmless.append(f"for {load} {_by_gain(found.filter(HARMLESS))}")
        more = pl.col("harm_low") > bare["harm_high"]
        worse.append(f"for {load} {_by_gain(found.filter(more))}")
    condition = f"with 95 % confidence, bystanders at most {HARDLY:g} % later (with their gain)"
    return [
        f"Without any measure, {'; '.join(facts)}.",
        f"Measures that make, {condition}: {'; '.join(harmless)}.",
        f"Measures that do more harm than there is without any: {'; '.join(worse)}.",
    ]


def _by_gain(found: pl.DataFrame) -> str:
    """Names and gains, the largest gain first."""
    order = found.sort("gain", descending=True, maintain_order=True)
    named = order.select("measure", "gain").rows()
    return ", ".join(f"{name} ({gain:+.0f} %)" for name, gain in named) or "none"


# How the knobs of a policy are to be set: caps, target times and first windows swept.

SHARES_OF_RATE = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
TARGETS_S = (0.07, 0.1, 0.15, 0.25, 0.5, 1.0, 2.0)
SHARES_OF_BDP = (0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
# As much to carry as with transfers four times as large.
SMALL = partial(setups.contention, packets=50, interval_s=setups.INTERVAL_S / 4)
LOADS: Mapping[str, tuple[Line, Any, Any, range]] = {
    "200-packet transfers": (setups.CONTENTION, setups.contention, of_flows, SEEDS),
    "50-packet transfers": (setups.CONTENTION, SMALL, of_flows, SEEDS),
    "web": (setups.WEB, setups.web, of_objects, WEB_SEEDS),
}
KNOBS: Mapping[str, tuple[str, Sequence[float], Any]] = {
    "rate cap": ("cap / line's rate", SHARES_OF_RATE,
                 lambda line, share: f"cap_rate={share * line.mbps:g}Mbps"),
    "target time": ("target time, s", TARGETS_S, lambda _, seconds: f"target_time={seconds:g}s"),
    "first window": ("first window / BDP", SHARES_OF_BDP,
                     lambda line, share: f"max_d={max(1, round(share * line.bdp))}"),
}  # fmt: skip


@experiment("COPE-SWEEP", "study")
def sweep(lab: Lab) -> Findings:
    """To what should a rate cap, a target time or a first window be set?"""
    answers, tables, pictures = [], [], []
    for knob, (label, settings, startup) in KNOBS.items():
        found = pl.concat(
            outcomes(lab, [Measure(f"{setting:g}", "sender", f"jump-start:{startup(line, setting)}")
                           for setting in settings], document, read, seeds)
            .with_columns(pl.lit(load).alias("load"), pl.Series("setting", settings, pl.Float64))
            for load, (line, document, read, seeds) in LOADS.items()
        )  # fmt: skip
        answers.append(_says_best(f"{knob.capitalize()} ({label})", found))
        name, x = "sweep_" + knob.replace(" ", "_"), Axis(label, "log", ticks=settings[::2])
        tables.append(table(name, f"The {knob} swept. {COLUMNS}", found,
                            {"load": "load", "setting": label, **HEADINGS}))  # fmt: skip
        gain = ("gain", Axis("gain: starters faster by, %"))
        pictures.append(lines(
            name, f"Gain of starters and harm to bystanders over the {knob}, with 95 % intervals.",
            *(panel(found, ("setting", x), y, "load") for y in (gain, HARM))))  # fmt: skip
    return Findings(answers=answers, tables=tables, pictures=pictures)


def _says_best(name: str, found: pl.DataFrame) -> str:
    """Which settings serve all loads, and which of them gains most."""
    fit = found.group_by("setting", maintain_order=True).agg(
        serves=SERVES.all(), gain=pl.col("gain").sum()).filter("serves")  # fmt: skip
    if fit.is_empty():
        return (
            f"{name}: no setting gains on every load and makes bystanders at most {HARDLY:g} % "
            "later."
        )
    best = fit["setting"][fit["gain"].arg_max() or 0]
    gains = ", ".join(f"{text(row, 'gain')} % ({row['load']})"
                      for row in found.filter(setting=best).rows(named=True))  # fmt: skip
    return (
        f"{name}: settings that gain on every load and, with 95 % confidence, make bystanders at "
        f"most {HARDLY:g} % later: {', '.join(f'{setting:g}' for setting in fit['setting'])}; the "
        f"maximum gain is at {best:g}: {gains}."
    )


# Whether the table's answers hang on what was chosen: how loss is repaired, and the load.

CHOSEN = (
    ways.NOTHING, ways.CAP_HALF, ways.FIRST_WINDOW, ways.RED, ways.FQ_CODEL, ways.FQ_CODEL_DEEP,
    ways.MARKED_ALL,
)  # fmt: skip
RECOVERIES = {"ns2-sack": "ns-2's SACK", "sack": "RFC 6675", "newreno": "NewReno"}
INTERVALS_S = (2.4, 1.2, 0.8, 0.6, 0.5, 0.4)
JITTERS = (1, 5, 20, 60)
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
QUEUES = (
    ways.RED,
    Measure("RED from 20 to 50 packets", "router", queue="red:th_min=20,th_max=50"),
    Measure("adaptive RED", "router", queue="red:adaptive=true"),
    ways.CHOKE,
    Measure("CHOKe from 20 to 50 packets", "router", queue="choke:th_min=20,th_max=50"),
    ways.FQ_CODEL,
    ways.FQ_CODEL_DEEP,
)


@experiment(
    "COPE-MOVED", "study",
    "Do the answers hang on the recovery, the load, the share of fast starters, the timing or the "
    "settings of the queues?",
)  # fmt: skip
def moved(lab: Lab) -> Findings:
    """Each measure under three recoveries, over load and share, and other settings of queues."""

    def over(cases: Mapping[Any, Any], field: str, chosen: Sequence[Measure] = CHOSEN) -> Any:
        return pl.concat(
            outcomes(lab, chosen, setups.contention, of_flows, FEW_SEEDS, **{field: value})
            .with_columns(pl.lit(label).alias("case")) for label, value in cases.items()
        )  # fmt: skip

    recoveries = {name: recovery for recovery, name in RECOVERIES.items()}
    recovery = over(recoveries, "recovery")
    load = over({_load(interval): interval for interval in INTERVALS_S}, "interval_s")
    share = over({100 * part: part for part in SHARES}, "share")
    shown = {
        "recovery": ("recovery", recovery),
        "load": ("load of each direction, %", load),
        "share": ("transfers that start fast, %", share),
        "jitter": ("openings moved by, intervals", over({by: by for by in JITTERS}, "jitter")),
        "queues": ("recovery", over(recoveries, "recovery", QUEUES)),
    }
    faster = ("sooner", Axis("gain: slow start's time / theirs"))
    return Findings(
        answers=[*_says_recovery(recovery), _says_load(load)],
        tables=[
            table(f"moved_{name}", f"Transfers of 200 packets, by {heading}. {COLUMNS}", found,
                  {"case": heading, "measure": "measure", **HEADINGS})
            for name, (heading, found) in shown.items()
        ],
        pictures=[
            lines(f"moved_{name}",
                  f"Gain of starters and harm to bystanders over the {what}, with 95 % intervals.",
                  *(panel(found.with_columns(sooner()), ("case", Axis(x)), y, "measure")
                    for y in (HARM, faster)))
            for name, what, x, found in (
                ("load", "load", "load of each direction, %", load),
                ("share", "share of transfers that start fast", "start fast, %", share),
            )
        ],
    )  # fmt: skip


def _load(interval_s: float) -> float:
    """How busy the transfers keep each direction of the line, in percent."""
    kbps = setups.PACKETS * PACKET_KBIT / (2 * interval_s)
    return round(kbps / (10 * setups.CONTENTION.mbps), 1)


def _says_recovery(found: pl.DataFrame) -> list[str]:
    """What helps both sides however loss is repaired; where a starter gains or loses by it."""
    each = found.group_by("measure", maintain_order=True).agg(
        "gain", serves=SERVES.all(),
        changing=(pl.col("gain_low") > 0).any() & (pl.col("gain_high") < 0).any())  # fmt: skip
    names = ", ".join(each.filter("serves")["measure"]) or "none"
    changing = [
        f"{name} ({', '.join(f'{gain:+.0f} %' for gain in gains)})"
        for name, gains in each.filter("changing").select("measure", "gain").rows()
    ]
    return [
        f"Starters gain and bystanders are with 95 % confidence at most {HARDLY:g} % later, "
        f"whichever of the three recoveries is used, under: {names}.",
        f"Whether a starter gains depends on the recovery ({', '.join(RECOVERIES.values())}) "
        f"under: {', '.join(changing) or 'none'}.",
    ]


def _says_load(found: pl.DataFrame) -> str:
    light, heavy = min(found["case"]), max(found["case"])
    harm = by_case(found, ["case", "measure"], "harm")
    parts = [
        f"{m.name} {round(harm[light, m.name]):+d} % and {round(harm[heavy, m.name]):+d} %"
        for m in CHOSEN
    ]
    return f"Harm at {light:g} % and at {heavy:g} % load: {'; '.join(parts)}."
