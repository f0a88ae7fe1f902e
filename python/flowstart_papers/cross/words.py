"""What the cross-table shows, in sentences made from its rows."""

import itertools
from collections.abc import Mapping
from typing import Any

import polars as pl

from flowstart.text import listed
from flowstart_papers.cross import verdicts
from flowstart_papers.cross.ratios import LONGER, SHORTER, pooled, spelled
from flowstart_papers.cross.scenarios import MIXED, PAPERS
from flowstart_papers.cross.startups import SLOW_START
from flowstart_papers.cross.table import OWN, CrossTable
from flowstart_papers.cross.verdicts import BADLY, NEAR

MOST_NAMED = 5
"""Of a longer list, the first so many are named."""

Row = Mapping[str, Any]


def all_of_them(table: CrossTable) -> list[str]:
    """Every sentence, a paragraph each."""
    return [
        _never_badly_wrong(table),
        _least_regret(table),
        *_winners(table),
        *_schemes(table),
        *([_bystanders(table)] if any(each.bystanders for each in table.scenarios) else []),
        *_competing(table),
        *_grounds(table),
        *_level(table),
    ]


def _never_badly_wrong(table: CrossTable) -> str:
    sound = verdicts.never_badly_wrong(table)
    rest = len(table.startups) - 1 - len(sound)
    said = (
        f"Never badly wrong in {len(table.scenarios)} scenarios (nowhere beyond doubt more than "
        f"{100 * (BADLY - 1):.0f} % over slow start, neither themselves nor their bystanders): "
    )
    if sound.is_empty():
        return f"{said}none."
    named = [f"{row['label']} (mean {spelled(row)})" for row in sound.rows(named=True)]
    worst = sound.select("startup").join(
        verdicts.worst(verdicts.doubts(table)), on="startup", maintain_order="left"
    )
    doubtful = [f"{row['label']} at {_where(row)}" for row in worst.rows(named=True)]
    return f"{said}{listed(named)}; each of the other {rest} is somewhere." + (
        f" In doubt: {listed(doubtful)}." if doubtful else ""
    )


def _least_regret(table: CrossTable) -> str:
    first, unaided = (
        "{label}, {regret:.1f} at {scenario}".format(**found.row(0, named=True))
        for found in (verdicts.least_regret(table), verdicts.least_regret(table, unaided=True))
    )
    slow = table.own.filter(startup=SLOW_START)["regret"].to_list()
    return (
        "Smallest worst regret, the time over the best one's in the same scenario: "
        f"{first}; of those that are given nothing {unaided}; slow start's is {max(slow):.1f}."
    )


def _winners(table: CrossTable) -> list[str]:
    found = verdicts.winners(table.own, "paper", "ground").filter(
        pl.col("best") | pl.col("unaided")
    )
    return [
        f"Best on the ground of {PAPERS[str(paper)]}: "
        + "; ".join(
            f"{ground}: {_winner(part)}"
            for (ground,), part in won.group_by(["ground"], maintain_order=True)
        )
        + "."
        for (paper,), won in found.group_by(["paper"], maintain_order=True)
    ]


def _winner(won: pl.DataFrame) -> str:
    best, unaided = won.filter("best"), won.filter("unaided")
    said = [] if best.is_empty() else [_with_change(best)]
    if not set(unaided["startup"]) <= set(best["startup"]):
        said.append(f"without help {_with_change(unaided)}")
    return ", ".join(said)


def _with_change(startups: pl.DataFrame) -> str:
    return f"{listed(startups['label'].to_list())} {spelled(startups.row(0, named=True))}"


def _schemes(table: CrossTable) -> list[str]:
    found = verdicts.schemes(table).group_by(["label"], maintain_order=True)
    return [_scheme(str(label), own) for (label,), own in found]


def _scheme(label: str, own: pl.DataFrame) -> str:
    """A paper's scheme at home, and on the others' ground."""
    home, abroad = own.filter("at_home"), own.filter(~pl.col("at_home"))
    alone = pl.col("competing") == "alone"
    said = [
        f"{spelled(pooled(part, 'startup').row(0, named=True))} {how}"
        for how, part in (("alone", home.filter(alone)),
                          ("with competing flows", home.filter(~alone)))
        if len(part)
    ]  # fmt: skip
    slower = abroad.filter(LONGER).sort("ratio", descending=True, maintain_order=True)
    where = _first([f"{row['scenario']}: {spelled(row)}" for row in slower.rows(named=True)])
    return (
        f"{label}, in its own paper's scenarios {' and '.join(said)}; of {len(abroad)} others it "
        f"is faster than slow start in {len(abroad.filter(SHORTER))} and slower in {len(slower)}, "
        f"beyond doubt{f' ({where})' if where else ''}."
    )


def _bystanders(table: CrossTable) -> str:
    harmful, helpful = verdicts.harmful(table), verdicts.helpful(table)
    unharmed = len(table.startups) - 1 - len(harmful)
    slower, faster = (
        _first([f"{row['label']} ({_where(row)})" for row in found.rows(named=True)])
        for found in (harmful, helpful)
    )
    harmed = f"Bystanders are slower in some scenario next to {len(harmful)} startups"
    harmed += f", most next to {slower}." if slower else "."
    helped = f" Next to {unharmed} they are nowhere slower beyond doubt"
    return harmed + helped + (f", and faster next to {faster}." if faster else ".")


def _competing(table: CrossTable) -> list[str]:
    """What changes where transfers meet."""
    alone, alike, others = (
        table.own.filter(competing=competing) for competing in ("alone", "alike", "others")
    )
    if alone.is_empty() or alike.is_empty():
        return []
    turned = (
        "Means, beyond doubt. Faster alone and slower among their like: "
        f"{_turns(verdicts.turning(table, SHORTER, LONGER))}. Slower alone and faster among their "
        f"like: {_turns(verdicts.turning(table, LONGER, SHORTER))}."
    )
    order = (
        "Rank correlation of the startups between transfers alone and transfers among their like: "
        f"{correlation(alone, alike)}"
    )
    if len(others):
        order += (
            "; between transfers alone and transfers next to web or other traffic: "
            f"{correlation(alone, others)}"
        )
    return [turned, f"{order}. 1: the same order; 0: no relation."]


def _turns(turned: pl.DataFrame) -> str:
    named = [
        f"{row['label']} ({spelled(row)}; "
        f"{spelled({name: row[f'{name}_right'] for name in ('ratio', 'low', 'high')})})"
        for row in turned.rows(named=True)
    ]
    return listed(named) if named else "none"


def correlation(one: pl.DataFrame, other: pl.DataFrame) -> str:
    """The rank correlation of two sets of rows with its interval."""
    return _agreed(verdicts.agreement(one, other))


def _agreed(correlation: tuple[float, float, float]) -> str:
    value, low, high = (f"{each:.2f}".replace("-", "−") for each in correlation)
    exact = correlation[1] == correlation[2]
    return value if exact else f"{value} ({low} to {high})"


def _grounds(table: CrossTable) -> list[str]:
    """Which papers' grounds agree most and least on the startups."""
    papers = [paper for paper in PAPERS if paper != MIXED and paper in set(table.own["paper"])]
    found = {
        pair: verdicts.agreement(*(table.own.filter(paper=paper) for paper in pair))
        for pair in itertools.combinations(papers, 2)
    }
    if len(found) < 2:
        return []
    least, most = (
        f"{_agreed(found[pair])} between {' and '.join(PAPERS[paper] for paper in pair)}"
        for pair in (min(found, key=found.__getitem__), max(found, key=found.__getitem__))
    )
    return [f"Rank correlation between two papers' grounds: from {least} to {most}."]


def _level(table: CrossTable) -> list[str]:
    """Scenarios that hardly distinguish startups."""
    found = verdicts.level(table)
    if not found:
        return []
    return [f"Nine in ten startups are within {100 * NEAR:.0f} % of slow start at {listed(found)}."]


def _first(named: list[str]) -> str:
    """The first of a list, and how many more there are."""
    left = len(named) - MOST_NAMED
    return listed(named[:MOST_NAMED] + ([f"{left} more"] if left > 0 else [])) if named else ""


def _where(row: Row) -> str:
    kind = "" if row["kind"] == OWN else f", {row['kind']}"
    return f"{row['scenario']}{kind}: {spelled(row)}"
