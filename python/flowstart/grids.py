"""Results as cells of text, for the terminal and for pages alike."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from flowstart import footnotes, frames, guests, text
from flowstart.catalog import CERTAINTIES, NEEDS, Algorithm
from flowstart.footnotes import RECONSTRUCTED
from flowstart.marks import MARK
from flowstart.summary import BASELINE, Summary

if TYPE_CHECKING:
    from flowstart.comparison import Comparison
    from flowstart.simulation import Run


@dataclass(frozen=True)
class Column:
    """A column's heading and side; numbers stand to the right."""

    title: str
    number: bool = True
    spare: int = 0
    """A terminal that is too narrow may leave it out, the largest numbers first; 0 for never."""


@dataclass
class Grid:
    """A table of text."""

    columns: list[Column]
    rows: list[list[str]] = field(default_factory=list)
    groups: dict[int, str] = field(default_factory=dict)
    """Headings within the table, by the row they stand above."""
    marked: set[int] = field(default_factory=set)
    """The best rows."""
    title: str = ""

    def without(self, index: int) -> "Grid":
        """The same table without the column at `index`."""
        columns = [*self.columns[:index], *self.columns[index + 1 :]]
        rows = [[*row[:index], *row[index + 1 :]] for row in self.rows]
        return replace(self, columns=columns, rows=rows)


def headline(result: "Comparison") -> str:
    """One line on what was compared: path, capacity, buffer and its reading, endpoints, seeds."""
    path = result.resolved["path"]
    where = f"{_line(path)} × {path['rtt']}" if "rtt" in path else f"{len(path['hops'])} hops"
    rows = result.rows
    bdp = f" (BDP {text.count(rows[0]['bdp_pkts'])} pkt)" if rows else ""
    reading = f" read as {result.buffer_reading}" if result.buffer_reading else ""
    seeds = result.plan.seeds
    narrow = [("interface", path.get("nic_rate")), ("line", path.get("access_rate"))]
    beside = [f"{what} {rate}" for what, rate in narrow if rate]
    beside += [f"routers {path['router_pps']} packets/s"] if path.get("router_pps") else []
    parts = [
        where + bdp,
        *beside,
        *_ingredients(path),
        f"buffer {result.buffer}{reading}" if result.buffer else "",
        f"stack {rows[0]['stack']}" if rows else "",
        ", ".join(sorted({row["avoidance"] for row in rows if row["tested"]})),
        f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}",
    ]
    return ", ".join(filter(None, parts))


def _line(path: dict[str, Any]) -> str:
    """The bottleneck's rate in words."""
    if "rate_trace" in path:
        return f"trace {path['rate_trace']}"
    if "rate_steps" in path:
        return " → ".join(step["rate"] for step in path["rate_steps"])
    return str(path["rate"])


def _ingredients(path: dict[str, Any]) -> list[str]:
    """What else a path is made of, in words."""
    loss = path.get("loss", "0")
    words = {
        "rate_variation": "rate {}",
        "policer_rate": f"policer {{}} after {path.get('policer_burst')}",
        "loss_burst": f"loss {loss} in bursts of {{}}",
        "aggregation": "bursts every {}",
        "jitter": "jitter {}" + (" with reordering" if path.get("reordering") else ""),
        "ripple": f"ripple {{}} in {path.get('ripple_period')}",
    }
    return [word.format(path[name]) for name, word in words.items() if name in path]


def legend(result: "Comparison") -> str:
    """What columns and marks of the table mean."""
    startups = result.plan.startups
    baseline = guests.short(BASELINE if BASELINE in startups else startups[0])
    order = "soonest first; " if len(startups) > MANY else ""
    acked = "acked: until the sender knew; " if _measured_by_sender(result) else ""
    best = f"{MARK}: soonest; " if any(s.best for s in result.summaries) else ""
    columns = (
        f"{order}{best}change: against {baseline}; {acked}window: in packets, just before "
        "start-up was left; queue: the most at the bottleneck, packets."
    )
    return "\n".join([columns, *result.notes])


def _measured_by_sender(result: "Comparison") -> bool:
    """Whether durations are of interest: studies made with ns-2 count until the last ACK.

    Elsewhere the delay of that acknowledgement would only blur the comparison.
    """
    return any(row["stack"] == "ns2" for row in result.rows)


MANY = 8
"""With more start-ups than these, the order in which they were named is no help."""


def comparison(result: "Comparison") -> Grid:
    """The table of a comparison: a group per size, a row per start-up.

    Many start-ups are sorted by the time they took, those that did not finish last.
    """
    found = result.summaries
    if len(result.plan.startups) > MANY:
        found = sorted(found, key=lambda s: (s.group, s.complete < s.flows, s.fct_s or 0.0))
    return summaries(found, acked=_measured_by_sender(result))


def summaries(found: list[Summary], *, acked: bool) -> Grid:
    """The table of summaries, with only the columns that say something."""
    several = any(s.flows > 1 for s in found)
    background = any(s.background_change is not None for s in found)
    columns = [Column("start-up", number=False), Column("delivered")]
    columns += [Column("worst", spare=2)] if several else []
    columns += [Column("change")]
    columns += [Column("acked"), Column("change")] if acked else []
    columns += [Column("× ideal"), Column("lost"), Column("resent", spare=3)]
    columns += [Column("RTOs"), Column("left by", number=False), Column("window", spare=1)]
    columns += [Column("of BDP", spare=4), Column("queue", spare=5)]
    columns += [Column("others")] if background else []
    grid = Grid(columns)
    for s in found:
        if not grid.rows or s.group != found[len(grid.rows) - 1].group:
            grid.groups[len(grid.rows)] = _group(s)
        if s.best:
            grid.marked.add(len(grid.rows))
        grid.rows.append(_summary_cells(s, several, background, acked))
    return grid


def _group(s: Summary) -> str:
    """What the transfers of a summary have in common."""
    size = text.size(s.size_bytes)
    return f"objects of web sessions, {size} on average" if s.web else size


def _summary_cells(s: Summary, several: bool, background: bool, acked: bool) -> list[str]:
    cells = [footnotes.marked(s.startup), _delivered(s)]
    cells += [text.seconds(s.worst_fct_s)] if several else []
    cells += [text.percent(s.change)]
    cells += [text.seconds(s.duration_s), text.percent(s.duration_change)] if acked else []
    cells += [text.ratio(s.slowdown)]
    cells += [text.count(s.dropped), text.count(s.retransmitted), text.count(s.timeouts)]
    cells += [_reason(s), text.count(s.exit_cwnd_pkts), _of_bdp(s)]
    cells += [text.count(s.max_queue_pkts)]
    cells += [text.percent(s.background_change)] if background else []
    return cells


def _delivered(s: Summary) -> str:
    """The mean completion time, with what it does not count."""
    parts = []
    if s.complete < s.flows:
        parts.append(f"{s.complete} of {s.flows} done")
    if s.reset:
        parts.append(f"{s.reset} reset")
    if s.seeds < s.planned_seeds:
        parts.append(f"{s.seeds} of {s.planned_seeds} seeds")
    return text.seconds(s.fct_s) + (f" ({', '.join(parts)})" if parts else "")


def _reason(s: Summary) -> str:
    reason = s.exit_reason or text.ABSENT
    return reason if s.exit_share == 1 else f"{reason} ({s.exit_share:.0%})"


def _of_bdp(s: Summary) -> str:
    """The window at the exit as a multiple of the path's capacity."""
    if s.exit_cwnd_pkts is None or not s.bdp_pkts:
        return text.ABSENT
    return text.ratio(s.exit_cwnd_pkts / s.bdp_pkts)


def _packets(value: float | None) -> str:
    return text.ABSENT if value is None else f"{text.count(value)} pkt"


def of_run(run: "Run") -> list[Grid]:
    """The tables of one run that have rows: flows, their writes, objects, links."""
    found = [flows(run), transfers(run), objects(run), links(run)]
    return [grid for grid in found if grid.rows]


def flows(run: "Run", most: int = 50) -> Grid:
    """The flows of one run that are no part of web sessions."""
    titles = ["size", "opened", "time", "duration", "× ideal", "lost", "resent", "RTOs"]
    grid = Grid(
        [
            Column("flow"),
            Column("start-up", number=False),
            *(Column(title) for title in titles),
            Column("left by", number=False),
            Column("at window"),
        ]
    )
    rows = run.rows[: min(run.outcome["objects"].get("request_flow", [len(run.rows)]))]
    grid.rows = [_flow_cells(row) for row in rows[:most]]
    if len(rows) > most:
        grid.title = f"The first {most} of {len(rows)} flows"
    return grid


def _flow_cells(row: dict[str, Any]) -> list[str]:
    return [
        str(row["flow"]),
        footnotes.marked(row["startup"]),
        text.size(row["size_bytes"]),
        text.seconds(row["opened_s"]),
        text.seconds(row["fct_s"]),
        text.seconds(row["duration_s"]),
        text.ratio(row["slowdown"]),
        text.count(row["packets_dropped"]),
        text.count(row["packets_retransmitted"]),
        text.count(row["timeouts"]),
        row["startup_exit_reason"] or text.ABSENT,
        _packets(row["startup_exit_cwnd_pkts"]),
    ]


def links(run: "Run") -> Grid:
    """The links of one run."""
    titles = ["packets", "carried", "dropped", "max queue", "use"]
    grid = Grid([Column("link", number=False), *(Column(title) for title in titles)])
    grid.rows = [
        [
            row["name"],
            text.count(row["packets"]),
            text.size(row["bytes"]),
            text.count(row["dropped"]),
            _packets(row["max_queue_pkts"]),
            f"{row['utilisation']:.1%}",
        ]
        for row in frames.rows(run.outcome["links"])
    ]
    return grid


def transfers(run: "Run", most: int = 50) -> Grid:
    """The application's writes of one run."""
    titles = ["flow", "write", "available", "size", "delivered", "acknowledged"]
    rows = frames.rows(run.outcome["transfers"])
    grid = Grid([Column(title) for title in titles])
    grid.rows = [
        [
            str(row["flow"]),
            str(row["transfer"]),
            text.seconds(row["available_s"]),
            text.size(row["bytes"]),
            text.seconds(row["delivered_s"]),
            text.seconds(row["acked_s"]),
        ]
        for row in rows[:most]
    ]
    if len(rows) > most:
        grid.title = f"The first {most} of {len(rows)} writes"
    return grid


def objects(run: "Run", most: int = 50) -> Grid:
    """The objects of one run's web sessions."""
    titles = ["web", "session", "page", "object", "packets", "asked for", "response", "done"]
    grid = Grid([Column(title) for title in [*titles, "lost", "resent", "RTOs"]])
    rows = frames.rows(run.outcome["objects"])
    counts = ("packets_dropped", "packets_retransmitted", "timeouts")
    for row in rows[:most]:
        response = {} if row["flow"] is None else run.rows[row["flow"]]
        grid.rows.append(
            [
                *(str(row[name]) for name in ("web", "session", "page", "object", "packets")),
                *(text.seconds(row[name]) for name in ("requested_s", "response_s", "done_s")),
                *(text.count(response.get(name)) for name in counts),
            ]
        )
    if len(rows) > most:
        grid.title = f"The first {most} of {len(rows)} objects"
    return grid


def catalog(found: Iterable[Algorithm]) -> Grid:
    """The catalog, an algorithm after the other."""
    groups = {
        "startup": "start-ups",
        "avoidance": "avoidances",
        "queue": "queue disciplines",
        "variation": "rate variations (--rate-variation)",
    }
    titles = ["name", "year", "needs", "what it does"]
    grid = Grid([Column(title, number=False) for title in titles])
    kind = None
    for algorithm in found:
        if algorithm.kind != kind:
            kind = algorithm.kind
            grid.groups[len(grid.rows)] = groups[kind]
        name = algorithm.name + (RECONSTRUCTED if algorithm.reconstructed else "")
        needs = ", ".join(algorithm.needs) or text.ABSENT
        grid.rows.append([name, str(algorithm.year), needs, algorithm.summary])
    return grid


def catalog_legend(found: Sequence[Algorithm]) -> str:
    """What marks and words in the catalog mean."""
    lines = []
    if any(a.reconstructed for a in found):
        lines.append(f"{RECONSTRUCTED} {CERTAINTIES['reconstructed']}.")
    needed = dict.fromkeys(need for a in found for need in a.needs)
    lines += [f"{need}: {NEEDS.get(need, need)}." for need in needed]
    return "\n".join(lines)
