"""What a fast start gains, and what it costs others: the same transfers, run twice."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.coping.countermeasures import NOTHING, Measure
from flowstart_papers.experiment import Table
from flowstart_papers.frames import grid, means
from flowstart_papers.lab import Lab

TAIL = 95
HARDLY = 5.0
"""Percent by which bystanders may be later."""
HARMLESS = pl.col("harm_high") <= HARDLY
"""With 95 % confidence."""
SERVES = HARMLESS & (pl.col("gain_low") > 0)
INITIAL_WINDOW = 3
"""Packets; what is no larger starts alike everywhere."""
OBJECT = ("web", "session", "page", "object", "packets", "flow")

Headings = Mapping[str, str | tuple[str, int]]
"""By column, with the number of decimals of means where that is not one."""
HEADINGS: Headings = {
    "gain": "gain, %", "harm": "harm, %", "harm_tail": "harm at 95th percentile, %",
    "loss": "bystanders lose more, points", "starters_lose": "starters lose, %",
    "starter_timeouts": ("timeouts of a starter", 2), "bystander_timeouts": ("of a bystander", 2),
}  # fmt: skip
COLUMNS = (
    "Gain: how much faster starters are than in the same run in which they use slow start; "
    "harm: how much slower the others are than in that run. Durations of the same transfers, by "
    "the geometric mean of their ratios; means over seeds with 95 % intervals."
)
"""What the headings mean."""


def of_flows(run: Run) -> dict[str, Any]:
    """The flows of the first entry, and those of the second."""
    starters, bystanders = (entry["count"] for entry in run.document["flows"])
    return _groups(run, range(starters), range(starters, starters + bystanders))


def of_objects(run: Run) -> dict[str, Any]:
    """The responses of the two entries of sessions that an initial window does not hold."""
    found = run.outcome["objects"].lists()
    objects = sorted(zip(*(found[name] for name in OBJECT), strict=True))
    large = [(web, flow) for web, _, _, _, packets, flow in objects if packets > INITIAL_WINDOW]
    starters, bystanders = ([flow for web, flow in large if web == entry] for entry in (0, 1))
    return _groups(run, starters, bystanders)


def _groups(run: Run, starters: Sequence[int], bystanders: Sequence[int]) -> dict[str, Any]:
    """How long they took, percent of their packets lost, and timeouts of one."""
    columns = run.outcome["flows"].lists()
    found: dict[str, Any] = {}
    for group, flows in (("starters", starters), ("bystanders", bystanders)):
        found[f"{group}_s"] = [columns["duration_s"][flow] for flow in flows]
        found[f"{group}_lose"] = lost(columns, flows)
        found[f"{group}_wait"] = sum(columns["timeouts"][flow] for flow in flows) / len(flows)
    return found


def lost(columns: Mapping[str, Sequence[Any]], flows: Sequence[int]) -> float:
    """What these flows lost of their packets, percent."""
    dropped, sent = (
        sum(columns[name][flow] for flow in flows) for name in ("packets_dropped", "packets_sent")
    )
    return float(100 * dropped / sent)


def longer(before: Sequence[float], after: Sequence[float]) -> float:
    """By how many percent the same transfers take longer: the geometric mean of the ratios."""
    return 100 * float(np.expm1(np.mean(np.log(np.divide(after, before)))))


def longer_tail(before: Sequence[float], after: Sequence[float]) -> float:
    """By how many percent the 95th percentile is longer."""
    ends: list[float] = [np.percentile(times, TAIL).item() for times in (before, after)]
    return 100 * (ends[1] / ends[0] - 1)


def effects(slow: pl.DataFrame, fast: pl.DataFrame, plain: pl.DataFrame) -> list[dict[str, float]]:
    """What changes, in each run, when starters stop using slow start; and next to `plain` runs.

    In percent, losses in points. `cost`: how much later all are if starters use slow start.
    `net`: how much later bystanders are if they do not.
    """
    return [
        {
            "gain": -longer(a["starters_s"], b["starters_s"]),
            "harm": longer(a["bystanders_s"], b["bystanders_s"]),
            "harm_tail": longer_tail(a["bystanders_s"], b["bystanders_s"]),
            "loss": b["bystanders_lose"] - a["bystanders_lose"],
            "starters_lose": b["starters_lose"],
            "starter_timeouts": b["starters_wait"],
            "bystander_timeouts": b["bystanders_wait"],
            "cost": longer(
                p["starters_s"] + p["bystanders_s"], a["starters_s"] + a["bystanders_s"]
            ),
            "net": longer(p["bystanders_s"], b["bystanders_s"]),
        }
        for a, b, p in zip(*(runs.rows(named=True) for runs in (slow, fast, plain)), strict=True)
    ]


def outcomes(
    lab: Lab,
    chosen: Sequence[Measure],
    document: Callable[..., Document],
    read: Callable[[Run], dict[str, Any]],
    seeds: Sequence[int],
    **fields: Any,
) -> pl.DataFrame:
    """The effects under every measure, means over seeds; `fields` are those of `document`."""

    def runs(measure: Measure, slow: bool) -> pl.DataFrame:
        scenario = functools.partial(document, measure, slow=slow, **fields)
        return lab.frame(scenario, grid(seed=seeds), read)

    plain = runs(NOTHING, True)
    found = pl.DataFrame(
        {"measure": measure.name, "by": measure.by, **row}
        for measure in chosen
        for row in effects(runs(measure, True), runs(measure, False), plain)
    )
    return means(found, ["measure", "by"], *HEADINGS, "cost", "net")


def sooner() -> list[pl.Expr]:
    """The gain as the ratio of slow start's time to the other, `sooner`, for large losses."""
    return [(100 / (100 - pl.col(f"gain{end}"))).alias(f"sooner{end}")
            for end in ("", "_low", "_high")]  # fmt: skip


def text(row: Mapping[str, Any], column: str, digits: int = 1) -> str:
    """A mean with its interval: `2.1 (1.0 to 3.2)`."""
    # Adding zero turns a negative zero into a plain one.
    mean, low, high = (
        f"{round(row[column + end], digits) + 0.0:.{digits}f}" for end in ("", "_low", "_high")
    )
    return f"{mean} ({low} to {high})"


def table(name: str, caption: str, found: pl.DataFrame, headings: Headings) -> Table:
    """A table of these columns; means have their intervals with them."""

    def cell(row: Mapping[str, Any], column: str, digits: int) -> Any:
        return text(row, column, digits) if f"{column}_low" in row else row[column]

    spelled = {
        column: (heading, 1) if isinstance(heading, str) else heading
        for column, heading in headings.items()
    }
    rows = [
        {heading: cell(row, column, digits) for column, (heading, digits) in spelled.items()}
        for row in found.rows(named=True)
    ]
    return Table(name, caption, rows)
