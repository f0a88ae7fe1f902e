"""Several transfers at a time over one path: in the simulator, and over HTTP in the kernel."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from flowstart import _native, text
from flowstart.comparison.live import tables
from flowstart.comparison.live.plan import (
    KERNEL,
    LINUX,
    LOADED,
    OWN,
    SIMULATED,
    check_control,
)
from flowstart.comparison.live.rows import Row, difference
from flowstart.comparison.live.tables import STALL_S
from flowstart.errors import RequestError
from flowstart.model import scenario
from flowstart.model.document import Document, encode
from flowstart.model.scenario import ScenarioLike
from flowstart.public import RETURNED, Public
from flowstart.render import columns, html
from flowstart.render.grid import Column, Grid
from flowstart.simulation import frames
from flowstart.simulation.run import run

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import LoadOutcome, Outcome


PLACE = ("web", "session", "page", "object")
"""Where an object is among the sessions."""
KEY = ("flow", *PLACE)
"""What tells requests apart."""
P95 = 0.95


def simulated(outcome: "Outcome") -> list[Row]:
    """A row for each flow that is none of a session's, and for each object."""
    flows, objects = frames.rows(outcome["flows"]), frames.rows(outcome["objects"])
    of_sessions = {o["request_flow"] for o in objects} | {o["flow"] for o in objects}
    rows = [
        _simulated(flow, flow["flow"], {}, flow["opened_s"], flow["fct_s"])
        for flow in flows
        if flow["flow"] not in of_sessions
    ]
    by_number = {flow["flow"]: flow for flow in flows}
    for item in objects:
        answer = by_number.get(item["flow"], {})
        rows.append(_simulated(answer, None, item, item["requested_s"], item["response_s"]))
    return rows


def _simulated(
    flow: Row, number: int | None, item: Row, asked_s: float, fct_s: float | None
) -> Row:
    return {
        "transport": SIMULATED,
        "repeat": 0,
        "flow": number,
        **{name: item.get(name) for name in PLACE},
        "size_bytes": flow.get("size_bytes"),
        "asked_s": asked_s,
        "fct_s": fct_s,
        "packets_retransmitted": flow.get("packets_retransmitted"),
        "startup_exit_reason": flow.get("startup_exit_reason"),
        "startup_exit_cwnd_segments": flow.get("startup_exit_cwnd_segments"),
        "failure": None,
    }


def live(outcome: "LoadOutcome", repeat: int, flows: int) -> list[Row]:
    """A row for each request of a run in the kernel; the scenario has so many flows of its own."""
    columns = outcome["requests"]
    shared = (
        *("size_bytes", "asked_s", "fct_s", "packets_retransmitted"),
        *("startup_exit_reason", "startup_exit_cwnd_segments", "failure"),
    )
    rows = []
    for at, number in enumerate(columns["number"]):
        is_flow = number < flows
        values = (None,) * len(PLACE) if is_flow else outcome["objects"][number - flows]
        rows.append(
            {
                "transport": LINUX,
                "repeat": repeat,
                "flow": number if is_flow else None,
                **dict(zip(PLACE, values, strict=True)),
                **{name: columns[name][at] for name in shared},
            }
        )
    return rows


def key(row: Row) -> tuple[Any, ...]:
    """What tells a request from the others of its run."""
    return tuple(row[name] for name in KEY)


def summary(rows: Sequence[Row]) -> list[Row]:
    """A row for each class of sizes, the smallest first: both transports, and how far apart.

    With several runs in the kernel a number of it is the median of those of the runs, beside the
    least and the most of them.
    """
    by_class: dict[tuple[float, float], list[Row]] = {}
    for row in rows:
        if row["size_bytes"] is not None:
            by_class.setdefault(decade(row["size_bytes"]), []).append(row)
    return [_class(above, under, of) for (above, under), of in sorted(by_class.items())]


def decade(size: float) -> tuple[float, float]:
    """The class of a size: above the first and up to the second, in bytes."""
    top = 10.0 ** max(4, math.ceil(math.log10(max(size, 1)) - 1e-9))
    return (top / 10 if top > 1e4 else 0.0), top


def _class(above: float, under: float, rows: Sequence[Row]) -> Row:
    ours = [row for row in rows if row["transport"] == SIMULATED]
    runs: dict[int, list[Row]] = {}
    for row in rows:
        if row["transport"] != SIMULATED:
            runs.setdefault(row["repeat"], []).append(row)
    measures: Row = {"above_bytes": above, "up_to_bytes": under, "requests": len(ours)}
    done = sum(1 for of in runs.values() for row in of if row["fct_s"] is not None)
    measures["live_incomplete"] = sum(map(len, runs.values())) - done
    for name, share in (("median", 0.5), ("p95", P95)):
        simulated_s = quantile(_times(ours), share)
        per_run = [quantile(_times(of), share) for of in runs.values()]
        known = [value for value in per_run if value is not None]
        live_s = median(known) if known else None
        measures |= {
            f"simulated_{name}_s": simulated_s,
            f"live_{name}_s": live_s,
            f"live_{name}_least_s": min(known, default=None),
            f"live_{name}_most_s": max(known, default=None),
            f"{name}_difference": difference(simulated_s, live_s),
        }
    again = [sum(row["packets_retransmitted"] or 0 for row in of) for of in runs.values()]
    measures["simulated_retransmitted"] = sum(row["packets_retransmitted"] or 0 for row in ours)
    measures["live_retransmitted"] = median(again) if again else None
    return measures


def _times(rows: Sequence[Row]) -> list[float]:
    return sorted(row["fct_s"] for row in rows if row["fct_s"] is not None)


def quantile(ordered: Sequence[float], share: float) -> float | None:
    """The value at this share of ordered ones, between two neighbours by their distance."""
    if not ordered:
        return None
    at = share * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


@dataclass(frozen=True, repr=False)
class LiveLoad(metaclass=Public):
    """Requests in the simulator, and in the kernel over the same links.

    Attributes:
        document: The scenario as it was simulated.
        kernel: The kernel's own congestion control; None where the scenario's startups drove it.
        records: The rows of `frame` as dictionaries; those of the simulator first.
        headline: One line on what was run: path, capacity, buffer, endpoints, seed.
        simulated_dropped: Packets that the path dropped, in the simulator.
        outcomes: What each run in the kernel reported.
        interrupted: Whether Ctrl-C ended it; the rows are those of the finished runs.
    """

    __signature__ = RETURNED

    document: Document
    kernel: str | None
    records: list[Row]
    headline: str
    simulated_dropped: int
    outcomes: "tuple[LoadOutcome, ...]"
    interrupted: bool

    @functools.cached_property
    def frame(self) -> "pl.DataFrame":
        """One row per request and run; column `transport` says where."""
        return columns.frame(self.records, "load-rows")

    @functools.cached_property
    def summary(self) -> "list[Row]":
        """A dictionary for each class of sizes: median and p95 of the completion times of both."""
        return summary(self.records)

    @property
    def failures(self) -> list[str]:
        """Why runs or requests have no end, where any have none."""
        runs = [outcome["failure"] for outcome in self.outcomes if outcome["failure"]]
        return [*runs, *dict.fromkeys(row["failure"] for row in self.records if row["failure"])]

    @property
    def dropped(self) -> list[int]:
        """Packets that the path dropped in each run in the kernel."""
        return [outcome["packets_dropped"] for outcome in self.outcomes]

    @property
    def late_s(self) -> float:
        """By how much the path was late at most, in the worst of the runs."""
        return max((outcome["lateness"]["most_s"] for outcome in self.outcomes), default=0.0)

    @property
    def verdict(self) -> str:
        """How late the path was, and how many runs that spoilt."""
        if not self.outcomes:
            return ""
        worst = max((o["lateness"] for o in self.outcomes), key=lambda late: late["most_s"])
        lines = [tables.late(worst)]
        stalls = sum(outcome["stalls"] for outcome in self.outcomes)
        kept = sum(outcome["lateness"]["most_s"] > STALL_S for outcome in self.outcomes)
        if stalls:
            lines.append(
                f"{stalls} runs were late by more than 2 ms and were run again;"
                f" {kept} of the {len(self.outcomes)} shown are late all the same."
            )
        return "\n".join([*lines, *self.failures])

    @property
    def table(self) -> Grid:
        """A row per class of sizes: median and p95 of both, and how far apart."""
        grid = Grid([Column("size", number=False), Column("requests")])
        for name in ("median", "p95"):
            grid.columns += [Column(name), Column("in linux"), Column("difference")]
        grid.columns += [Column("retransmitted"), Column("in linux")]
        for row in self.summary:
            times = [
                cell
                for name in ("median", "p95")
                for cell in (
                    text.seconds(row[f"simulated_{name}_s"]),
                    text.seconds(row[f"live_{name}_s"]),
                    tables.percent(row[f"{name}_difference"]),
                )
            ]
            again = [text.count(row[f"{of}_retransmitted"]) for of in ("simulated", "live")]
            size = f"up to {text.size(row['up_to_bytes'])}"
            grid.rows.append([size, text.count(row["requests"]), *times, *again])
        return grid

    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document."""
        return {
            "scenario": self.document,
            "kernel": self.kernel,
            "interrupted": self.interrupted,
            "failures": self.failures,
            "late_s": self.late_s,
            "stalls": sum(outcome["stalls"] for outcome in self.outcomes),
            "simulated_dropped": self.simulated_dropped,
            "dropped": self.dropped,
            "summary": self.summary,
            "rows": self.records,
        }

    def __str__(self) -> str:
        from flowstart.render.summary import screen

        return screen(self.headline, self.table, "one row per request and run in `.frame`")

    def __repr__(self) -> str:
        return f"<LiveLoad of {len({key(row) for row in self.records})} requests>"

    def _repr_html_(self) -> str:
        return html.table(self.table) + html.paragraph(self.verdict)


REPEATS = 3
"""How often a load is run in the kernel where nothing else is said."""
ALWAYS = ("preset", *OWN[LINUX])
"""The fields of a stack that a load may have."""


def live_load(
    scenario_like: ScenarioLike, *, kernel: str | None = None, repeat: int = REPEATS
) -> LiveLoad:
    """Runs a scenario's transfers in the simulator, and over HTTP in this machine's kernel.

    The transfers are flows whose receiver opens the connection (`opener = "receiver"`) and web
    sessions with `single_connection`. Clients request them from one HTTP server, each on a separate
    connection. A run in which the path was late by more than 2 ms is repeated, at most twice.

    Args:
        scenario_like: The scenario, as for `run`.
        kernel: A congestion control of the kernel (`cubic`, `reno`, `bbr`) in place of the
            scenario's startup algorithms; these drive the kernel unless it is given.
        repeat: Number of runs in the kernel.

    Returns:
        The requests in the simulator and in the kernel.

    Raises:
        RequestError: The scenario is no such load, or this machine does not permit it.

    Example:
        >>> import flowstart as fs
        >>> path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
        >>> flow = fs.Flow(size="30kB", opener="receiver", start="10ms")
        >>> scenario = fs.Scenario(path=path, flows=[flow], stack="linux")
        >>> load = fs.live_load(scenario, kernel="cubic", repeat=1)  # doctest: +SKIP
    """
    document = prepared(scenario.document(scenario_like), kernel)
    if repeat < 1:
        raise RequestError(f"`{repeat}`: a load is run once at least", ("repeat",))
    missing = _native.live_prohibition(LINUX, kernel is None)
    if missing:
        raise RequestError(f"`{LINUX}`: {missing}", ("stack",))
    ours = run(document)
    outcomes = []
    interrupted = False
    for _ in range(repeat):
        try:
            outcomes.append(_native.run_live_load(encode(document), kernel))
        except KeyboardInterrupt:
            interrupted = True
            break
    rows = simulated(ours.outcome)
    dropped = sum(flow["packets_dropped"] for flow in ours.records)
    flows = sum(1 for row in rows if row["flow"] is not None)
    for number, outcome in enumerate(outcomes):
        rows += live(outcome, number, flows)
    return LiveLoad(document, kernel, rows, ours.headline, dropped, tuple(outcomes), interrupted)


def prepared(document: Document, kernel: str | None) -> Document:
    """A scenario on the simulated `linux` stack, with what `kernel` is in the simulator.

    Raises RequestError where the kernel has none of that name, or the stack is another.
    """
    if kernel is not None:
        check_control(kernel)
    stack: dict[str, Any] = {"preset": LINUX, **document.get("stack", {})}
    for field, value in stack.items():
        if field not in ALWAYS or (field == "preset" and value != LINUX):
            can = ", ".join(OWN[LINUX])
            raise RequestError(
                f"`{field}={value}`: the kernel has its own; of a load {can} can be set", ("stack",)
            )
    own = (KERNEL | LOADED)[kernel] if kernel else {}
    entries = {
        kind: [{**entry, **own} for entry in document[kind]]
        for kind in ("flows", "web")
        if document.get(kind)
    }
    return {**document, "stack": stack, **entries}
