"""The one table that is printed: startups as rows, the scenarios of every paper as columns."""

from collections.abc import Sequence

from flowstart import text
from flowstart.render.grid import Column, Grid
from flowstart.text import MARK
from flowstart_papers.cross import verdicts
from flowstart_papers.cross.scenarios import (
    HYSTART,
    JUMP_START,
    MIXED,
    PAPERS,
    QUICK_START,
    SLIDES,
    SWIFT_START,
    Scenario,
)
from flowstart_papers.cross.spelling import IN_DOUBT, short
from flowstart_papers.cross.startups import IN_WORDS, MARKS, StartUp
from flowstart_papers.cross.table import CrossTable
from flowstart_papers.cross.verdicts import CROWDED

PRINTED = {
    (QUICK_START, "low latency"): "low",
    (QUICK_START, "high latency"): "high",
    (SWIFT_START, "T1"): "one",
    (SWIFT_START, "OC-1"): "one",
    (SLIDES, "1G-1G"): "1G",
    (SLIDES, "10G-1G"): "10G",
    (JUMP_START, "alone"): "one",
    (JUMP_START, "128 pkt"): "one",
    (HYSTART, "one flow"): "one",
    (HYSTART, "two flows"): "two",
    (HYSTART, "two CUBIC"): "two",
    (HYSTART, "+ traffic"): "traffic",
    **{(MIXED, ground): "switched" for ground in ("crowd", "web", "ten", "load")},
}
"""Grounds that share a column, and those with a shorter name in it."""
UNAIDED = "◁"
"""The best of a column that is given nothing, where the best is given something."""
SHORT_NAMES = {
    QUICK_START: "QS",
    SWIFT_START: "MSS",
    SLIDES: "Cav",
    JUMP_START: "JS",
    HYSTART: "HY",
    MIXED: "half",
}
Place = tuple[str, str]
"""A paper and a column of it."""


def grid(table: CrossTable) -> Grid:
    """Change against slow start in every column, the largest mean gain first."""
    places = _places(table)
    found = Grid([Column("startup", number=False), Column("harm")])
    found.columns += [Column(f"{SHORT_NAMES[paper]}\n{name}") for paper, name in places]
    marks = [_marks(table, scenarios) for scenarios in places.values()]
    for startup in in_order(table):
        harm = table.harm(startup)
        cells = [startup.label, short(harm) if harm else text.ABSENT]
        for scenarios, marked in zip(places.values(), marks, strict=True):
            ratio = table.ratio(scenarios, startup)
            cells.append(short(ratio) + marked.get(startup, "") if ratio else text.ABSENT)
        found.rows.append(cells)
    return found


def means(table: CrossTable) -> Grid:
    """The mean change in completion time and in that of bystanders, the largest gain first."""
    columns = [Column("startup", number=False), Column("mean change"), Column("bystanders")]
    found = Grid(columns)
    for startup in in_order(table):
        harm = table.harm(startup)
        mean = text.short_percent(verdicts.mean(table, startup).value - 1)
        change = text.short_percent(harm.value - 1) if harm else text.ABSENT
        found.rows.append([startup.label, mean, change])
    return found


def _places(table: CrossTable) -> dict[Place, list[Scenario]]:
    """The scenarios of every column."""
    found: dict[Place, list[Scenario]] = {}
    for each in table.scenarios:
        ground = (each.paper, each.ground)
        found.setdefault((each.paper, PRINTED.get(ground, each.ground)), []).append(each)
    return found


def in_order(table: CrossTable) -> list[StartUp]:
    """The rows of all tables and of the picture: the largest mean gain first."""
    return sorted(table.startups, key=lambda each: verdicts.mean(table, each).value)


def _marks(table: CrossTable, scenarios: Sequence[Scenario]) -> dict[StartUp, str]:
    won = verdicts.winner(table, scenarios)
    return dict.fromkeys(won.unaided, UNAIDED) | dict.fromkeys(won.best, MARK)


def legend(table: CrossTable) -> str:
    """What the table's signs mean."""
    names = ", ".join(f"{SHORT_NAMES[paper]} {name}" for paper, name in PAPERS.items())
    given = "; ".join(f"{mark} {IN_WORDS[need]}" for need, mark in MARKS.items())
    seeds = ", ".join(f"{each.key} {each.seeds}" for each in table.scenarios if each.seeds > 1)
    return (
        "Median completion against slow start, %, or how many times as long (×); of flows without "
        "end the time of what they deliver; columns of several scenarios have their mean. ±: half "
        f"the 95 % interval, where it is not nothing; {IN_DOUBT}: in doubt. {MARK}: best of its "
        f"column, {UNAIDED}: best of those that are given nothing; no mark where more than "
        f"{CROWDED} are alike, or in doubt. harm: the bystanders' median against what it is next "
        f"to slow start, mean of all scenarios that have any. {names}. Given: {given}. "
        f"{text.ABSENT}: it cannot be given. One seed where nothing is drawn, otherwise: {seeds}."
    )
