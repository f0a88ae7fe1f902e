"""Every startup in the scenarios of all papers, and what was chosen for that, moved."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from flowstart_papers.cross import scenarios, startups, tables, verdicts, words
from flowstart_papers.cross.ratios import in_words, spelled
from flowstart_papers.cross.scenarios import JUMP_START, QUICK_START, SWIFT_START
from flowstart_papers.cross.startups import MEMORY, REMEMBERED, SLOW_START
from flowstart_papers.cross.table import BYSTANDERS, OWN, CrossTable, measure
from flowstart_papers.experiment import Findings, Picture, Table, experiment
from flowstart_papers.experiment import table as as_table
from flowstart_papers.lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT_PAPERS = (QUICK_START, SWIFT_START, JUMP_START)
"""Their single transfers are so small that all startups run them in a second."""
MEMORIES = ("0.5bdp", REMEMBERED, "2bdp", "4bdp")
REMEMBERING = ("qs.100M.high", "js.64", "js.far", "mix.crowd")
"""Scenarios in which memories are moved."""
INTERFACES = ("5Mbps", "10Mbps", "50Mbps", "1Gbps")
KNOWING = ("js.16", "js.64", "mix.web")
"""Scenarios without a host's line, in which the interface rate is moved."""
MOVED = "qs-app"
SHARES = (10, 25, 50, 75)
CROWD = "mix.crowd"


def table(lab: Lab) -> CrossTable:
    """Every startup in every scenario."""
    return measure(lab, scenarios.every(), startups.every())


def findings(found: CrossTable) -> Findings:
    """What a cross-table shows."""
    caption = (
        "Change of the median completion against slow start, startups with the largest mean gain "
        "first; what bystanders' medians change at the right. Letters behind names: R routers take "
        "part, P the peer answers, M a memory of the path, I the rate of the host's interface."
    )
    return Findings(
        answers=words.all_of_them(found),
        tables=tables.every(found),
        pictures=[Picture("cross", caption, partial(_draw, found))],
    )


def _draw(found: CrossTable) -> "Figure":
    from flowstart_papers.cross import heatmap

    return heatmap.draw(found)


@experiment("CROSS-SHORT", "study", quick=True)
def short(lab: Lab) -> Findings:
    """In short: every startup on the single transfers of three papers."""
    columns = [each for each in scenarios.every() if each.paper in SHORT_PAPERS and not each.drawn]
    return findings(measure(lab, columns, startups.every()))


@experiment(
    "CROSS", "study",
    "Every startup on the headline scenarios of every paper, and on their web and contention "
    "loads: which is never badly wrong, which wins where, and which scheme loses in another "
    "paper's scenarios?",
)  # fmt: skip
def whole(lab: Lab) -> Findings:
    """The whole table."""
    return findings(table(lab))


@experiment("CROSS-CHOSEN", "study")
def chosen(lab: Lab) -> Findings:
    """What hangs on the memories and interfaces that startups are given, and on how many switch?"""
    memories = _memories(lab)
    interfaces = pl.concat(_interface(lab, rate) for rate in INTERFACES)
    shares = {share: _switched(lab, share) for share in SHARES}
    return Findings(
        answers=[_says_memories(memories), _says_interfaces(interfaces), _says_shares(shares)],
        tables=[
            _table("memories", "Startups by what they remember: change against slow start, and of "
                   "bystanders.", memories),
            _table("interfaces", f"{MOVED} by its interface rate: change against slow start.",
                   interfaces),
            _table("shares", f"{CROWD} by the share that has switched: change against slow start.",
                   pl.concat(shares.values())),
        ],
    )  # fmt: skip


def _memories(lab: Lab) -> pl.DataFrame:
    moved = [
        replace(each, name=f"{each.name} of {memory}", cached_cwnd=memory)
        for each in startups.every()
        if MEMORY in each.needs
        for memory in MEMORIES
    ]
    rows = [startups.named(SLOW_START), *moved]
    return measure(lab, scenarios.named(*REMEMBERING), rows).times


def _interface(lab: Lab, rate: str) -> pl.DataFrame:
    columns = [
        replace(each, interface=rate, key=f"{each.key} at {rate}")
        for each in scenarios.named(*KNOWING)
    ]
    return measure(lab, columns, [startups.named(name) for name in (SLOW_START, MOVED)]).times


def _switched(lab: Lab, share: int) -> pl.DataFrame:
    (crowd,) = scenarios.named(CROWD)
    column = replace(crowd, share=share, key=f"{CROWD} at {share} %")
    schemes = [each for each in startups.every() if each.home or each.name == SLOW_START]
    return measure(lab, [column], schemes).times


def _table(name: str, caption: str, times: pl.DataFrame) -> Table:
    """Each startup's own change, and that of bystanders where there are any."""
    own, harm = (
        part.select("scenario", "startup", said=in_words(part))
        for part in (times.filter(verdicts.OTHERS, kind=kind) for kind in (OWN, BYSTANDERS))
    )
    found = own.join(harm, on=["scenario", "startup"], how="left", maintain_order="left")
    headings = {"scenario": "scenario", "startup": "startup", "said": "change"}
    return as_table(name, caption, found, headings | {"said_right": "bystanders"})


def _says_memories(times: pl.DataFrame) -> str:
    """The worst of the startups that remember, by memory and scenario."""
    own, said = times.filter(kind=OWN), []
    for memory in MEMORIES:
        mine = own.filter(pl.col("startup").str.ends_with(f" of {memory}"))
        worst = [
            part.sort("ratio", descending=True, maintain_order=True).row(0, named=True)
            for _, part in mine.group_by(["scenario"], maintain_order=True)
        ]
        named = [(row, row["startup"].partition(" of ")[0]) for row in worst]
        each = [f"{row['scenario']} {spelled(row)} ({name})" for row, name in named]
        said.append(f"{memory}: {', '.join(each)}")
    return f"The worst of those that remember, by what they do: {'; '.join(said)}."


def _says_interfaces(times: pl.DataFrame) -> str:
    found = times.filter(kind=OWN, startup=MOVED).rows(named=True)
    said = [f"{row['scenario']} {spelled(row)}" for row in found]
    by_rate = [said[i : i + len(KNOWING)] for i in range(0, len(said), len(KNOWING))]
    return f"{MOVED} by its interface: {'; '.join(', '.join(each) for each in by_rate)}."


def _says_shares(shares: Mapping[int, pl.DataFrame]) -> str:
    said = []
    for share, times in shares.items():
        worst = verdicts.worst(times.filter(kind=BYSTANDERS)).row(0, named=True)
        said.append(f"{spelled(worst)} at {share} % ({worst['startup']})")
    return f"Maximum cost of a paper's scheme for slow start's camp in {CROWD}: {', '.join(said)}."
