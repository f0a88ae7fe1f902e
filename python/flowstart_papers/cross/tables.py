"""The tables of the page, which are CSV files as well."""

from collections.abc import Callable, Sequence

from flowstart_papers.cross import verdicts
from flowstart_papers.cross.glance import in_order
from flowstart_papers.cross.ranks import between
from flowstart_papers.cross.scenarios import PAPERS, Scenario
from flowstart_papers.cross.spelling import spelled
from flowstart_papers.cross.startups import IN_WORDS, SLOW_START, StartUp
from flowstart_papers.cross.table import CrossTable, Entry, Ratio
from flowstart_papers.experiment import Cell, Table

Row = dict[str, Cell]


def every(table: CrossTable) -> list[Table]:
    """All of them."""
    return [
        _homes(table),
        *(_of_paper(table, paper) for paper in _papers(table)),
        _agreement(table),
        _harm(table),
        _again(table),
        _faults(table),
        _scenarios(table),
        _given(table),
        _entries(table),
    ]


def _papers(table: CrossTable) -> list[str]:
    return list(dict.fromkeys(each.paper for each in table.scenarios))


def _homes(table: CrossTable) -> Table:
    """The papers' own schemes on all papers' ground."""
    schemes = [each.startup for each in verdicts.away(table)]
    rows: list[Row] = []
    for startup in schemes:
        row: Row = {"startup": startup.label, "of": PAPERS[startup.home]}
        for paper in _papers(table):
            ratio = table.ratio([each for each in table.scenarios if each.paper == paper], startup)
            row[PAPERS[paper]] = _maybe(ratio)
        harm = table.harm(startup)
        rows.append(row | {"bystanders": _maybe(harm)})
    caption = (
        "The papers' own schemes on the ground of every paper: change against slow start, the mean "
        "of the paper's scenarios, with 95 % intervals where anything is drawn."
    )
    return Table("schemes", caption, rows)


def _of_paper(table: CrossTable, paper: str) -> Table:
    scenarios = [each for each in table.scenarios if each.paper == paper]
    what = "; ".join(f"{each.key}: {each.what}" for each in scenarios)
    caption = f"{PAPERS[paper]}: change against slow start, % or × ({what})."
    return Table(paper, caption, _by_startup(table, scenarios, lambda entry: spelled(entry.ratio)))


def _agreement(table: CrossTable) -> Table:
    """A row and a column for each paper."""
    papers = _papers(table)
    rows: list[Row] = []
    for one in papers:
        row: Row = {"ground": PAPERS[one]}
        for other in papers:
            row[PAPERS[other]] = None if one == other else str(between(table, one, other))
        rows.append(row)
    caption = (
        "How far the papers' grounds rank all startups alike: Spearman's rank correlation, with "
        "95 % intervals by the seeds. 1: alike, 0: no relation."
    )
    return Table("agreement", caption, rows)


def _harm(table: CrossTable) -> Table:
    scenarios = [each for each in table.scenarios if each.bystanders]

    def both(entry: Entry) -> str:
        return f"{_maybe(entry.harm)}; {_maybe(entry.harm_late)}"

    caption = (
        "Bystanders, which are in slow start: change of their median and 90th percentile against "
        "those next to slow start."
    )
    return Table("bystanders", caption, _by_startup(table, scenarios, both))


def _again(table: CrossTable) -> Table:
    caption = "Packets sent again by those under test, percent of those sent."
    rows = _by_startup(table, table.scenarios, lambda entry: round(entry.again, 2))
    return Table("sent_again", caption, rows)


def _by_startup(
    table: CrossTable, scenarios: Sequence[Scenario], cell: Callable[[Entry], Cell]
) -> list[Row]:
    rows = []
    for startup in in_order(table):
        row: Row = {"startup": startup.label}
        for scenario in scenarios:
            entry = table.entry(scenario, startup)
            row[scenario.key] = cell(entry) if entry else None
        rows.append(row)
    return rows


def _faults(table: CrossTable) -> Table:
    rows: list[Row] = [
        {
            "startup": startup.label,
            "badly wrong": len(faults := verdicts.faults(table, startup)),
            "worst at": faults[0].scenario.key if faults else None,
            "whose time": faults[0].whose if faults else None,
            "change": spelled(faults[0].ratio) if faults else None,
            "seems badly wrong, in doubt": len(verdicts.doubts(table, startup)),
            "mean change": spelled(verdicts.mean(table, startup)),
            "worst regret (times the best)": round(verdicts.worst_regret(table, startup), 2),
        }
        for startup in in_order(table)
    ]
    caption = (
        f"Where each startup is badly wrong: its own time, or its bystanders', beyond doubt more "
        f"than {100 * (verdicts.BADLY - 1):.0f} % longer than with slow start."
    )
    return Table("badly_wrong", caption, rows)


def _scenarios(table: CrossTable) -> Table:
    slow = next(each for each in table.startups if each.name == SLOW_START)
    rows: list[Row] = []
    for each in table.scenarios:
        entry = table.entry(each, slow)
        rows.append(
            {
                "scenario": each.key,
                "of": PAPERS[each.paper],
                "what": each.what,
                "seeds": each.seeds,
                "drawn": each.drawn or "nothing",
                "bystanders": each.bystanders or None,
                "slow start (s)": round(entry.seconds, 4) if entry else None,
            }
        )
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
    rows = [
        _entry(scenario, startup, entry, table.regret(scenario, startup))
        for scenario in table.scenarios
        for startup in table.startups
        if (entry := table.entry(scenario, startup))
    ]
    caption = (
        "Every entry. Ratios are those of median completions to slow start's, geometric means over "
        "the seeds, with 95 % intervals (Student's, of the logarithms); regret is the time over "
        "the best one's."
    )
    return Table("entries", caption, rows)


def _entry(scenario: Scenario, startup: StartUp, entry: Entry, regret: float | None) -> Row:
    return {
        "scenario": scenario.key,
        "startup": startup.name,
        "seeds": scenario.seeds,
        "seconds": _finite(entry.seconds, 6),
        **_ends("ratio", entry.ratio),
        "regret": _finite(regret, 4),
        "dropped (%)": round(entry.loss, 3),
        "sent again (%)": round(entry.again, 3),
        "timeouts": round(entry.timeouts, 3),
        **_ends("bystanders' ratio", entry.harm),
        **_ends("bystanders' 90th percentile ratio", entry.harm_late),
    }


def _ends(name: str, ratio: Ratio | None) -> Row:
    drawn = ratio is not None and not ratio.exact
    return {
        name: _finite(ratio.value if ratio else None, 4),
        f"{name}, from": _finite(ratio.low, 4) if ratio and drawn else None,
        f"{name}, to": _finite(ratio.high, 4) if ratio and drawn else None,
    }


def _finite(value: float | None, digits: int) -> float | None:
    """JSON has no infinity: what is never done has no number."""
    return None if value is None or value == float("inf") else round(value, digits)


def _maybe(ratio: Ratio | None) -> str | None:
    return spelled(ratio) if ratio else None
