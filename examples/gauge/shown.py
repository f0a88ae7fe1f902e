"""What was measured, as tables for a person, on a terminal and on the page."""

import csv
import pathlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from asking import COMPARED, GAUGE, HYSTART, QUICLY, reference
from crowd import settings
from flowstart import text
from limits import verdicts
from measures import ALL, CORE, HARMED
from named_paths import SIZES
from results import Row, find


@dataclass(frozen=True)
class Table:
    """Headings and lines of words; the first column is a name."""

    headings: tuple[str, ...]
    lines: Sequence[tuple[str, ...]]

    def markdown(self) -> str:
        """For a page."""
        lines = [f"| {' | '.join(self.headings)} |"]
        lines.append(f"| --- |{' ---: |' * (len(self.headings) - 1)}")
        return "\n".join([*lines, *(f"| {' | '.join(line)} |" for line in self.lines)])

    def write(self, file: pathlib.Path) -> None:
        """As CSV."""
        with file.open("w", encoding="utf-8", newline="") as lines:
            csv.writer(lines, lineterminator="\n").writerows([self.headings, *self.lines])

    def text(self) -> str:
        """For a terminal."""
        rows = [
            tuple(cell.replace("`", "") for cell in row) for row in (self.headings, *self.lines)
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(
                c.rjust(w) if i else c.ljust(w)
                for i, (c, w) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        )


# Numbers in words.


def ratio(row: Row | None) -> str:
    """1.07."""
    return text.ABSENT if row is None else _of_regret(row.value)


def ratio_with_ends(row: Row | None) -> str:
    """0.78 (0.76 to 0.80)."""
    return _with_ends(row, lambda value: f"{value:.3f}")


def share(row: Row | None) -> str:
    """4.1 %."""
    return text.ABSENT if row is None or row.value is None else f"{100 * row.value:.1f} %"


def points_with_ends(row: Row | None) -> str:
    """A difference of shares in percentage points: +0.21 (−0.10 to +0.52)."""
    return _with_ends(row, lambda value: _signed(100 * value))


def rounds_with_ends(row: Row | None) -> str:
    """A difference in round trips."""
    return _with_ends(row, _signed)


def _of_regret(value: float | None) -> str:
    if value is None:
        return "never"
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _with_ends(row: Row | None, words: Callable[[float], str]) -> str:
    if row is None or row.value is None:
        return text.ABSENT
    if row.low is None or row.high is None:
        return words(row.value)
    return f"{words(row.value)} ({words(row.low)} to {words(row.high)})"


def left_out(rows: Sequence[Row]) -> str:
    """How many questions the baseline has, and how many count nowhere."""
    own = [row for row in rows if row.part == "baseline" and row.measure == "left out"]
    counts = {row.kind: row.value or 0 for row in own[:2]}
    told = ", ".join(f"{count:.0f} {kind}" for kind, count in counts.items())
    return f"{own[0].count} questions; left out: {told}."


# The tables.


def limits(rows: Sequence[Row]) -> Table:
    """What gauge must show, and what it shows."""
    headings = ("what", "limit", "measured", "95 % interval", "met")
    lines = []
    for one in verdicts(rows):
        row, bound = one.row, one.limit
        number = ratio_with_ends if "÷" in bound.words else points_with_ends
        if bound.where["measure"] in ("dominated", "dominates"):
            number = _shares
        value, _, ends = number(row).partition(" (")
        limit = f"{bound.bound} {bound.limit if '÷' in bound.words else 100 * bound.limit:g}"
        lines.append((bound.words, limit, value, ends.removesuffix(")") or text.ABSENT, one.met))
    return Table(headings, lines)


def _shares(row: Row | None) -> str:
    return _with_ends(row, lambda value: f"{100 * value:.1f}")


def regret(rows: Sequence[Row]) -> Table:
    """The regret of every startup, the smallest mean first."""
    own = [row for row in rows if row.part == "baseline" and row.measure == "regret"]
    sizes = [kind for kind in dict.fromkeys(row.kind for row in own) if kind not in (ALL, *CORE)]
    headings = (
        "startup",
        "mean",
        "95 % interval",
        "p95",
        "worst",
        *sizes,
        *CORE,
        "dominated",
    )
    found = sorted((row for row in own if row.kind == ALL), key=lambda row: row.value or 1e9)
    lines = []
    for row in found:

        def one(measure: str, kind: str = ALL, name: str = row.startup) -> Row | None:
            return find(rows, part="baseline", measure=measure, kind=kind, startup=name, against="")

        value, _, ends = ratio_with_ends(row).partition(" (")
        kinds = [ratio(one("regret", kind)) for kind in (*sizes, *CORE)]
        tails = (ratio(one("regret p95")), ratio(one("regret worst")))
        ends = ends.removesuffix(")") or text.ABSENT
        lines.append((f"`{row.startup}`", value, ends, *tails, *kinds, share(one("dominated"))))
    return Table(headings, lines)


def harm(rows: Sequence[Row]) -> Table:
    """What every startup costs itself and others, the fewest retransmissions first."""
    headings = (
        "startup",
        "retransmitted",
        *(f"harm, {kind}" for kind in HARMED),
        "long, round trips lost",
    )
    own = [row for row in rows if row.part == "baseline" and row.measure == "retransmitted"]
    lines = []
    for row in sorted(own, key=lambda row: row.value or 0):
        name = row.startup
        harms = [
            share(find(rows, part="baseline", measure="harm", kind=kind, startup=name))
            for kind in HARMED
        ]
        lost = find(
            rows, part="baseline", measure="round trips lost", kind="long", startup=name, against=""
        )
        shown = text.ABSENT if lost is None or lost.value is None else f"{lost.value:.2f}"
        lines.append((f"`{name}`", share(row), *harms, shown))
    return Table(headings, lines)


def differences(rows: Sequence[Row]) -> Table:
    """Gauge's costs less those of the two that it is compared with, in percentage points."""
    against = COMPARED[1:]
    headings = ("gauge's less those of", *(f"`{name}`" for name in against))
    lines = []
    for measure, kind in _costs():
        rounds = measure == "round trips lost"
        number = rounds_with_ends if rounds else points_with_ends
        cells = [
            number(
                find(
                    rows,
                    part="baseline",
                    startup=GAUGE,
                    measure=f"{measure} difference",
                    kind=kind,
                    against=name,
                )
            )
            for name in against
        ]
        name = measure if kind == ALL else f"{measure}, {kind}"
        lines.append((name, *cells))
    return Table(headings, lines)


def _costs() -> Iterator[tuple[str, str]]:
    yield "retransmitted", ALL
    for kind in HARMED:
        yield "harm", kind
    for kind in ("long", "bbr"):
        yield "round trips lost", kind


def dominance(rows: Sequence[Row]) -> Table:
    """Startups that gauge dominates, and that dominate it."""
    lines = []
    for name in reference():
        told = {"part": "baseline", "measure": "dominates"}
        over = find(rows, startup=GAUGE, against=name, **told)
        under = find(rows, startup=name, against=GAUGE, **told)
        if over or under:
            lines.append((f"`{name}`", _shares(over), _shares(under)))
    return Table(("startup", "gauge dominates it, % of cases", "it dominates gauge"), lines)


def stacks(rows: Sequence[Row]) -> Table:
    """Gauge, HyStart++ and quicly's jumpstart under each stack and congestion control."""
    headings = (
        *("stack, cc", "mean ÷ HyStart++'s", "÷ quicly's", "retransmitted, points"),
        *("harm, long", "harm, short", "dominates HyStart++, %", "dominated by it"),
    )
    own = [row for row in rows if row.part == "stacks"]
    lines = []
    for setting in dict.fromkeys(row.setting for row in own):
        here = [row for row in own if row.setting == setting]
        means = [
            ratio_with_ends(
                find(here, startup=GAUGE, measure="regret ratio", kind=ALL, against=one)
            )
            for one in (HYSTART, QUICLY)
        ]
        costs = [points_with_ends(_difference(here, GAUGE, HYSTART, *one)) for one in COSTS[:3]]
        over = _shares(find(here, startup=GAUGE, measure="dominates", against=HYSTART))
        under = _shares(find(here, startup=HYSTART, measure="dominates", against=GAUGE))
        lines.append((setting, *means, *costs, over, under))
    return Table(headings, lines)


COSTS = (("retransmitted", ALL), ("harm", "long"), ("harm", "short"), ("harm", "probe"))
"""What a change may cost others: measures and their kinds."""


def named(measure: str, kind: str) -> str:
    """A measure of one kind, or of all."""
    return measure if kind == ALL else f"{measure}, {kind}"


def _difference(
    rows: Sequence[Row], startup: str, against: str, measure: str, kind: str
) -> Row | None:
    return find(rows, startup=startup, measure=f"{measure} difference", kind=kind, against=against)


def varied(rows: Sequence[Row], part: str) -> Table:
    """Variants of gauge compared with gauge: time as a ratio, costs in percentage points."""
    headings = ("variant", "mean ÷ gauge's", "retransmitted", *(f"harm, {k}" for _, k in COSTS[1:]))
    own = [row for row in rows if row.part == part]
    lines = []
    for row in own:
        told = (row.measure, row.kind, row.against) == ("regret ratio", ALL, GAUGE)
        if told and row.startup.startswith(f"{GAUGE}:"):
            costs = (points_with_ends(_difference(own, row.startup, GAUGE, *one)) for one in COSTS)
            name = row.startup.removeprefix(f"{GAUGE}:")
            lines.append((f"`{name}`", ratio_with_ends(row), *costs))
    return Table(headings, lines)


def crowd(rows: Sequence[Row]) -> Table:
    """All flows use gauge, compared with all flows using another."""
    headings = (
        *("setting", "loss under gauge", "less HyStart++'s, points", "p95 ÷ HyStart++'s"),
        *("less quicly's, points", "p95 ÷ quicly's"),
    )
    own = [row for row in rows if row.part == "crowd" and row.startup == GAUGE]
    lines = []
    for setting, _ in settings():
        here = [row for row in own if row.setting == setting]
        cells = []
        for one in (HYSTART, QUICLY):
            cells.append(points_with_ends(find(here, measure="loss difference", against=one)))
            cells.append(ratio_with_ends(find(here, measure="p95 ratio", against=one)))
        if here:
            lines.append((setting, share(find(here, measure="loss")), *cells))
    return Table(headings, lines)


def named_paths(rows: Sequence[Row]) -> Table:
    """Median times on the named paths as a multiple of HyStart++'s, a column per size."""
    own = [row for row in rows if row.part == "named" and row.startup == GAUGE]
    cells = {row.kind: ratio(row) for row in own if row.kind != ALL}
    names = dict.fromkeys(kind.rpartition(" ")[0] for kind in cells)
    lines = [(name, *(cells[f"{name} {size}"] for size in SIZES)) for name in names]
    return Table(("path", *SIZES), lines)


def cpu(rows: Sequence[Row]) -> Table:
    """Processor time per packet compared with HyStart++'s."""
    own = [row for row in rows if row.part == "cpu"]
    lines = [(row.setting, ratio_with_ends(row)) for row in own]
    return Table(("transfer", "processor time ÷ HyStart++'s (least to largest round)"), lines)


TABLES: dict[str, Callable[[Sequence[Row]], Table]] = {
    "limits": limits,
    "regret": regret,
    "harm": harm,
    "differences": differences,
    "dominance": dominance,
    "stacks": stacks,
    "ablations": lambda rows: varied(rows, "ablations"),
    "constants": lambda rows: varied(rows, "constants"),
    "frontier": lambda rows: varied(rows, "frontier"),
    "crowd": crowd,
    "named": named_paths,
    "cpu": cpu,
}
"""Every table by name."""
OF_PART = {"baseline": ("regret", "harm", "differences", "dominance")}
"""The tables of a part that has several; the others have one named after them."""
