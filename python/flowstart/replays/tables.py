"""The tables of a replay."""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from flowstart import text
from flowstart.inference import Row, Statistic, Verdict
from flowstart.model import custom
from flowstart.render import footnotes
from flowstart.render.columns import CLASSES
from flowstart.render.grid import Column, Grid
from flowstart.replays.answer import EVERYTHING, Answer, Band, Rollout
from flowstart.replays.paths import ReplayPath
from flowstart.replays.summary import ClassSummary, estimate

if TYPE_CHECKING:
    import polars as pl

TOGETHER, ALONE = {"mode": "together"}, {"mode": "alone"}
"""The rows of the replay with all connections, and of each connection on its own."""
CHANGES = (
    ("geomean", 0, "geometric mean of each transfer's fct_s over that under the baseline, less 1"),
    ("p50", 1, "median of fct_s over the baseline's, less 1"),
    ("p95", 3, "95th percentile of fct_s over the baseline's, less 1"),
    ("p99", 5, "99th percentile of fct_s over the baseline's, less 1"),
    ("harmed", 0, "share of transfers whose fct_s is more than a tenth above the baseline's"),
)
"""The columns of changes: title, what a narrow terminal leaves out, and what they are made of."""


def paths(built: Sequence[ReplayPath], most: int = 20) -> Grid:
    """The paths that the transfers were replayed on."""
    titles = ["rate forward", "reverse", "RTT", "buffer forward", "reverse", "transfers"]
    grid = Grid([Column("network", number=False), *(Column(title) for title in titles)])
    fitted = any(replayed.rate_range for replayed in built)
    grid.columns += [Column("rate, 95 % CI", spare=1)] * fitted
    largest = sorted(built, key=lambda replayed: -replayed.transfers)
    for replayed in largest[:most]:
        path = replayed.path
        buffer = str(path["buffer"])

        def shown(name: str, value: str, replayed: ReplayPath = replayed) -> str:
            return f"≈ {value}" if name in replayed.assumed else value

        grid.rows.append(
            [
                replayed.name,
                shown("rate", _rate(path["rate"])),
                shown("reverse_rate", _rate(path.get("reverse_rate", path["rate"]))),
                _time(path["rtt"]),
                shown("buffer", buffer),
                shown("reverse_buffer", str(path.get("reverse_buffer", buffer))),
                str(replayed.transfers),
                *([_ends_of(replayed.rate_range)] * fitted),
            ]
        )
    if len(built) > most:
        grid.title = f"The {most} paths with most transfers, of {len(built)}"
    return grid


def _ends_of(interval: tuple[float, float | None] | None) -> str:
    """The interval of a rate that was fitted."""
    if interval is None:
        return text.ABSENT
    low, high = interval
    return f"{text.rate(low)} to {'more' if high is None else text.rate(high)}"


def _rate(value: Any) -> str:
    """Estimates are in bit/s; what the user wrote stays as it is."""
    number = str(value).removesuffix("bps")
    return text.rate(float(number)) if number.isdigit() else str(value)


def _time(value: str) -> str:
    number = value.removesuffix("us")
    return text.seconds(int(number) / 1e6) if number.isdigit() else value


def times(summaries: Sequence[ClassSummary]) -> Grid:
    """How long transfers took: a group per size class, a row per variant."""
    columns = [Column("variant", number=False), Column("p50", of="median of fct_s where complete")]
    for name in ("95", "99"):
        columns.append(Column(f"p{name}", of=f"{name}th percentile of fct_s where complete"))
    alone = Column("alone p50", spare=3, of="median of fct_s where complete", where=ALONE)
    columns += [Column("× ideal", spare=2, of="median of slowdown where complete"), alone]
    columns.append(Column("loss", of="packets_dropped, divided by packets_sent"))
    columns.append(Column("RTOs", of="sum of timeouts"))
    harmed = "network with the largest share of transfers that are harmed"
    columns.append(Column("most harmed", number=False, spare=1, of=harmed, compares=True))
    grid = Grid(columns)
    for s in _by_class(grid, summaries):
        done = "" if s.complete == s.transfers else f" ({s.complete} done)"
        grid.rows.append(
            [
                _named(s),
                text.seconds(s.fct_median_s) + done,
                *(text.seconds(time) for time in (s.fct_p95_s, s.fct_p99_s)),
                text.ratio(s.slowdown_median),
                text.seconds(s.alone_median_s),
                text.ABSENT if s.loss is None else f"{s.loss:.2%}",
                str(s.timeouts),
                s.worst_network or text.ABSENT,
            ]
        )
    return grid


def changes(summaries: Sequence[ClassSummary]) -> Grid:
    """What each variant changes against the baseline, with intervals; the baseline has no row."""
    grid = Grid([Column("variant", number=False)])
    for name, spare, of in CHANGES:
        grid.columns.append(Column(name, spare=spare, of=of, compares=True))
        interval = f"interval of: {of}"
        spare = spare and spare + 1
        grid.columns.append(Column("from…to", spare=spare, of=interval, compares=True))
    for s in _by_class(grid, [s for s in summaries if s.geomean_ratio]):
        cells = [_named(s)]
        for row in (s.geomean_ratio, s.p50, s.p95, s.p99):
            cells += [text.percent(estimate(row)), ends(row)]
        grid.rows.append([*cells, _share(s.harmed), _shares(s.harmed_share)])
    return grid


def _by_class(grid: Grid, summaries: Sequence[ClassSummary]) -> Iterator[ClassSummary]:
    """The summaries, each before its row is added, with the groups and marks of the grid."""
    last = None
    for s in summaries:
        if s.size_class != last:
            last = s.size_class
            grid.groups[len(grid.rows)] = f"{s.size_class}: {s.transfers} transfers"
        if s.best:
            grid.marked.add(len(grid.rows))
        yield s


def _named(s: ClassSummary) -> str:
    return footnotes.marked(s.startup) if s.variant == s.startup else custom.short(s.variant)


def _shares(row: Row | None) -> str:
    """The ends of a share's interval."""
    if row is None or row.low is None or row.high is None:
        return "sample too small"
    return f"{100 * row.low:.1f}…{100 * row.high:.1f}"


def ends(row: Row | None) -> str:
    """The ends of an interval, or why there is none that decides anything."""
    if row is None:
        return text.ABSENT
    if row.low is None or row.high is None:
        return "the same" if row.reason == NO_DIFFERENCE else "sample too small"
    if text.too_wide(row.low, row.high):
        return "inconclusive"
    return f"{_end(row.low)}…{_end(row.high)}"


def _end(value: float) -> str:
    return text.percent(value).removesuffix(" %") if isfinite(value) else "∞"


NO_DIFFERENCE = "no transfer differs"


def rollout(result: Rollout) -> Grid:
    """What connections that are switched gain, and what the others lose."""
    titles = [
        "switched",
        "from…to",
        "harmed",
        "others",
        "from…to",
        "harmed",
        "at most",
    ]
    grid = Grid([Column("variant", number=False), *(Column(title) for title in titles)])
    grid.title = f"{result.share:.0%} of the connections switched ({result.connections})"
    last = None
    for variant, name in _in_classes(result):
        if name != last:
            last = name
            grid.groups[len(grid.rows)] = name
        cells = [custom.short(variant)]
        for part in (result.switched, result.rest):
            change = part.row(name, variant, Statistic.GEOMEAN_RATIO)
            harmed = part.row(name, variant, Statistic.HARMED_SHARE)
            cells += [text.percent(estimate(change)), ends(change), _share(estimate(harmed))]
        grid.rows.append([*cells, _share(harmed.high if harmed else None)])
    return grid


def _in_classes(result: Rollout) -> list[tuple[str, str]]:
    """The variants of each size class that either part has."""
    classes = dict.fromkeys(g.name for part in (result.switched, result.rest) for g in part.groups)
    ordered = [name for name, *_ in (*CLASSES, (EVERYTHING,)) if name in classes]
    return [(variant, name) for name in ordered for variant in result.switched.variants[1:]]


def _share(value: float | None) -> str:
    return text.ABSENT if value is None else f"{value:.1%}"


def gates(verdict: Verdict) -> Grid:
    """The gates that settings do not pass, those that reject first."""
    titles = ["baseline", "estimate", "from", "to", "limit", "transfers"]
    grid = Grid([Column(title, number=False) for title in ("part", "quantity")])
    grid.columns += [Column(title) for title in titles]
    grid.columns.append(Column("outcome", number=False))
    grid.title = "Limits that settings exceed, or may exceed, with one-sided 95 % intervals"
    for judgement in verdict.judgements:
        if judgement.vetoes:
            grid.groups[len(grid.rows)] = f"{custom.short(judgement.setting)}: {judgement.status}"
        for gate in judgement.vetoes:
            shown = text.percent if gate.is_change else text.share
            values = (gate.estimate, gate.low, gate.high)
            grid.rows.append(
                [
                    gate.part,
                    str(gate.quantity),
                    text.share(gate.baseline),
                    *map(shown, values),
                    text.share(gate.limit),
                    str(gate.transfers),
                    str(gate.outcome),
                ]
            )
    return grid


def bands(answer: Answer, others: Sequence[Band]) -> Grid:
    """What is concluded of the settings that decide under other assumptions."""
    grid = Grid([Column(title, number=False) for title in ("alternative", "setting", "verdict")])
    grid.title = "Under other assumptions"
    for name, verdict in [("as assumed", answer.verdict)] + [
        (b.name, b.answer.verdict) for b in others
    ]:
        for judgement in others[0].answer.verdict.judgements:
            judged = verdict.of(judgement.setting)
            if judged:
                grid.rows.append(
                    [name, custom.short(judgement.setting), f"{judged.status}: it {judged.reason}"]
                )
    return grid


def _median(values: "pl.Series") -> float | None:
    middle = values.cast(float).median()
    return float(middle) if isinstance(middle, float) else None


def competing(flows: "pl.DataFrame", baseline: str) -> Grid:
    """Outcome of competing flows: the median over paths, against the same under the baseline."""
    import polars as pl

    titles = ["delivered", "change", "delay p50", "p95", "p99", "change of p95"]
    grid = Grid([Column("competing", number=False), Column("variant", number=False)])
    grid.columns += [Column(title) for title in titles]
    grid.title = "Competing flows, on all paths together; delays: medians over paths"
    base = flows.filter(pl.col("variant") == baseline).drop("variant", "run", "flow")
    keys = ["name", "network"]
    both = flows.with_columns(part=pl.int_range(pl.len()).over("name", "network", "variant"))
    base = base.with_columns(part=pl.int_range(pl.len()).over(keys))
    joined = both.join(base, on=[*keys, "part"], suffix="_base")
    for (name, variant), rows in joined.group_by("name", "variant", maintain_order=True):
        probe = name == "probe"
        delivered, was = int(rows["delivered_bytes"].sum()), int(rows["delivered_bytes_base"].sum())
        delays = [_median(rows[f"delay_{p}_s"]) for p in ("p50", "p95", "p99")]
        late, before = delays[1], _median(rows["delay_p95_s_base"])
        change = late / before - 1 if probe and late is not None and before else None
        grid.rows.append(
            [
                str(name),
                custom.short(str(variant)),
                text.ABSENT if probe else text.size(delivered),
                text.ABSENT if probe or not was else text.percent(delivered / was - 1),
                *(text.seconds(delay) if probe else text.ABSENT for delay in delays),
                text.percent(change),
            ]
        )
    return grid
