"""The tables of the page, which are CSV files as well, and those that the terminal shows."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from flowstart import text
from flowstart.render.grid import Column, Grid
from flowstart.text import MARK
from flowstart_papers.cross import verdicts
from flowstart_papers.cross.ratios import IN_DOUBT, in_words, pooled, short, spelled
from flowstart_papers.cross.scenarios import MIXED, PAPERS
from flowstart_papers.cross.startups import IN_WORDS, MARKS, SLOW_START
from flowstart_papers.cross.table import BYSTANDERS, OWN, TAIL, CrossTable
from flowstart_papers.cross.verdicts import BADLY, CROWDED, in_order
from flowstart_papers.cross.words import correlation
from flowstart_papers.experiment import Cell, Table

SHORT_NAMES = dict(zip(PAPERS, ("QS", "MSS", "Cav", "JS", "HY", "half"), strict=True))
PRINTED = {
    "low latency": "low", "high latency": "high", "T1": "one", "OC-1": "one", "1G-1G": "1G",
    "10G-1G": "10G", "alone": "one", "128 pkt": "one", "one flow": "one", "two flows": "two",
    "two CUBIC": "two", "+ traffic": "traffic",
}  # fmt: skip
"""Grounds that share a column of the printed table, and those with a shorter name in it."""
UNAIDED = "◁"
"""The best of a column that is given nothing, where the best is given something."""

Row = dict[str, Cell]


def every(table: CrossTable) -> list[Table]:
    """All of them."""
    papers = list(dict.fromkeys(each.paper for each in table.scenarios))
    return [
        _schemes(table),
        *(_of_paper(table, paper) for paper in papers),
        _agreement(table, papers),
        _bystanders(table),
        Table("sent_again", "Packets sent again by those under test, percent of those sent.",
              _wide(table, table.own.with_columns(cell=pl.col("again").round(2)), "scenario")),
        _faults(table),
        _scenarios(table),
        _given(table),
        _entries(table),
    ]  # fmt: skip


def _wide(table: CrossTable, cells: pl.DataFrame, on: str) -> list[Row]:
    """A row for each startup in order, with its `cell` for each value of a column."""
    order = in_order(table).select("label")
    if cells.is_empty():
        return order.rename({"label": "startup"}).to_dicts()
    wide = cells.pivot(on, index="label", values="cell", maintain_order=True)
    joined = order.join(wide, on="label", how="left", maintain_order="left")
    return joined.rename({"label": "startup"}).to_dicts()


def _schemes(table: CrossTable) -> Table:
    """The papers' own schemes on all papers' ground."""
    schemes = verdicts.schemes(table)
    harm = _harm(table)
    by_paper = pooled(schemes, "label", "home", "paper")
    wide = by_paper.with_columns(cell=in_words(by_paper), of=pl.col("home").replace(PAPERS),
                                 paper=pl.col("paper").replace(PAPERS))  # fmt: skip
    rows = wide.pivot("paper", index=["label", "of"], values="cell", maintain_order=True)
    beside = harm.select("label", bystanders=in_words(harm))
    found = rows.join(beside, on="label", how="left", maintain_order="left")
    caption = (
        "The papers' own schemes on the ground of every paper: change against slow start, the mean "
        "of the paper's scenarios, with 95 % intervals where anything is drawn."
    )
    return Table("schemes", caption, found.rename({"label": "startup"}).to_dicts())


def _of_paper(table: CrossTable, paper: str) -> Table:
    what = "; ".join(f"{each.key}: {each.what}" for each in table.scenarios if each.paper == paper)
    own = table.own.filter(paper=paper)
    caption = f"{PAPERS[paper]}: change against slow start, % or × ({what})."
    return Table(paper, caption, _wide(table, own.with_columns(cell=in_words(own)), "scenario"))


def _agreement(table: CrossTable, papers: Sequence[str]) -> Table:
    """A row and a column for each paper."""
    parts = {paper: table.own.filter(paper=paper) for paper in papers}
    rows: list[Row] = []
    for one in papers:
        row: Row = {"ground": PAPERS[one]}
        for other in papers:
            alike = None if one == other else correlation(parts[one], parts[other])
            row[PAPERS[other]] = alike
        rows.append(row)
    caption = (
        "How far the papers' grounds rank all startups alike: Spearman's rank correlation, with "
        "95 % intervals by the seeds. 1: alike, 0: no relation."
    )
    return Table("agreement", caption, rows)


def _bystanders(table: CrossTable) -> Table:
    median, tail = table.of(BYSTANDERS), table.of(TAIL)
    both = median.with_columns(cell=pl.format("{}; {}", in_words(median), in_words(tail)))
    caption = (
        "Bystanders, which are in slow start: change of their median and 90th percentile against "
        "those next to slow start."
    )
    return Table("bystanders", caption, _wide(table, both, "scenario"))


def _faults(table: CrossTable) -> Table:
    faults, doubts = verdicts.faults(table), verdicts.doubts(table)
    regret = verdicts.worst(table.own, by="regret")
    rows: list[Row] = []
    for startup in in_order(table).rows(named=True):
        name = startup["startup"]
        mine = faults.filter(startup=name).rows(named=True)
        worst = mine[0] if mine else {}
        rows.append(
            {
                "startup": startup["label"],
                "badly wrong": len(mine),
                "worst at": worst.get("scenario"),
                "whose time": worst.get("kind"),
                "change": spelled(worst) if worst else None,
                "seems badly wrong, in doubt": len(doubts.filter(startup=name)),
                "mean change": spelled(startup),
                "worst regret (times the best)": round(
                    regret.filter(startup=name)["regret"].item(), 2
                ),
            }
        )
    caption = (
        f"Where each startup is badly wrong: its own time, or its bystanders', beyond doubt more "
        f"than {100 * (BADLY - 1):.0f} % longer than with slow start."
    )
    return Table("badly_wrong", caption, rows)


def _scenarios(table: CrossTable) -> Table:
    slow = table.own.filter(startup=SLOW_START)
    seconds = dict(slow.select("scenario", pl.col("seconds").round(4)).rows())
    rows: list[Row] = [
        {
            "scenario": each.key,
            "of": PAPERS[each.paper],
            "what": each.what,
            "seeds": each.seeds,
            "drawn": each.drawn or "nothing",
            "bystanders": each.bystanders or None,
            "slow start (s)": seconds[each.key],
        }
        for each in table.scenarios
    ]
    caption = (
        "The scenarios, and slow start's median completion there; of flows without end what they "
        "need together for a megabyte."
    )
    return Table("scenarios", caption, rows)


def _given(table: CrossTable) -> Table:
    rows: list[Row] = [
        {
            "startup": each.name,
            "run as": each.spec,
            "given": "; ".join(IN_WORDS[need] for need in each.needs) or "nothing",
        }
        for each in table.startups
    ]
    caption = (
        "What startups are given besides a sender that can pace. A paper's own scheme has the "
        "paper's parameters in its scenarios, and all have the paper's growth per ACK where it "
        "names one."
    )
    return Table("given", caption, rows)


def _entries(table: CrossTable) -> Table:
    found = table.times.group_by("scenario", "startup", maintain_order=True).agg(
        # The own times of a startup are its first row.
        pl.col("logs").first().list.len().alias("seeds"),
        pl.col("seconds").first().round(6),
        *_ends(OWN, "ratio"),
        pl.col("regret").first().round(4),
        pl.col("loss").first().round(3).alias("dropped (%)"),
        pl.col("again").first().round(3).alias("sent again (%)"),
        pl.col("timeouts").first(),
        *_ends(BYSTANDERS, "bystanders' ratio"),
        *_ends(TAIL, "bystanders' 90th percentile ratio"),
    )
    # JSON has no infinity: what is never done has no number.
    numbers = pl.col(pl.Float64)
    finite = found.with_columns(pl.when(numbers.is_finite()).then(numbers))
    caption = (
        "Every entry. Ratios are those of median completions to slow start's, geometric means over "
        "the seeds, with 95 % intervals (Student's, of the logarithms); regret is the time over "
        "the best one's."
    )
    return Table("entries", caption, finite.to_dicts())


def _ends(kind: str, name: str) -> list[pl.Expr]:
    """The ratio of these times, and the ends of its interval."""
    headings = {"ratio": name, "low": f"{name}, from", "high": f"{name}, to"}
    mine = pl.col("kind") == kind
    return [
        pl.col(column).filter(mine).first().round(4).alias(heading)
        for column, heading in headings.items()
    ]


def grid(table: CrossTable) -> Grid:
    """Change against slow start in every column, the largest mean gain first."""
    printed = pl.when(pl.col("paper") == MIXED).then(pl.lit("switched"))
    own = table.own.with_columns(column=printed.otherwise(pl.col("ground").replace(PRINTED)))
    places = own.select("paper", "column").unique(maintain_order=True).rows()
    cells = {
        (row["paper"], row["column"], row["label"]): short(row) + _mark(row)
        for row in verdicts.winners(own, "paper", "column").rows(named=True)
    }
    harm = {row["label"]: short(row) for row in _harm(table).rows(named=True)}
    titles = [f"{SHORT_NAMES[paper]}\n{column}" for paper, column in places]
    return Grid(
        [Column("startup", number=False), Column("harm"), *map(Column, titles)],
        [
            [label, harm.get(label, text.ABSENT)]
            + [cells.get((*place, label), text.ABSENT) for place in places]
            for label in in_order(table)["label"]
        ],
    )


def _mark(row: Mapping[str, Any]) -> str:
    return MARK if row["best"] else UNAIDED if row["unaided"] else ""


def _harm(table: CrossTable) -> pl.DataFrame:
    """To bystanders, the mean over the scenarios that have any."""
    return pooled(table.of(BYSTANDERS), "label")


def means(table: CrossTable) -> Grid:
    """The mean change in completion time and in that of bystanders, the largest gain first."""
    rows = in_order(table).join(_harm(table), on="label", how="left", maintain_order="left")
    changes = (
        [text.ABSENT if ratio is None else text.short_percent(ratio - 1) for ratio in ratios]
        for ratios in rows.select("ratio", "ratio_right").rows()
    )
    columns = [Column("startup", number=False), Column("mean change"), Column("bystanders")]
    return Grid(
        columns, [[label, *each] for label, each in zip(rows["label"], changes, strict=True)]
    )


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
