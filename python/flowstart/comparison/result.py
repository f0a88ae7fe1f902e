"""The rows, intervals and figures of a comparison."""

import dataclasses
import functools
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import _native, extras
from flowstart.comparison import landing, overview, report, tables
from flowstart.comparison.plan import Case, Plan
from flowstart.comparison.summary import Group, Summary, summarised
from flowstart.deployment.stacks import HostStack
from flowstart.model import document, stack
from flowstart.model.catalog import listed
from flowstart.model.document import Document, queues
from flowstart.render import columns, figure_files, footnotes
from flowstart.render.grid import Grid
from flowstart.render.result import Result
from flowstart.render.summary import SummaryPage
from flowstart.simulation import bounds, frames
from flowstart.simulation.run import headline, simulate

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from flowstart._native import Batch
    from flowstart.comparison.intervals import Intervals
    from flowstart.simulation.series import Series


MOST_DRAWN = 4
"""At most so many flows of a startup are drawn, as in the explorer."""


def _drawn(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row of each of the first flows under test; of web sessions, of the first alone."""
    tested = {row["flow"]: row for row in reversed(rows) if row["tested"]}
    first = sorted(tested.values(), key=lambda row: row["flow"])
    return first[: 1 if any(row.get("web") is not None for row in first) else MOST_DRAWN]


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Result):
    """The rows, intervals and figures of a comparison.

    Attributes:
        frame: One row per flow and run; `fct_s` is in seconds, `docs/reference/columns.md` has all.
        interval_frame: One row per size and startup: the change of the completion time, with its
            95 % confidence interval; shares, where 0.1 is 10 %.
        verdict: The recommendation for each size, in sentences.
        command: The command that does the same.
        interrupted: Whether Ctrl-C or the time limit ended it.
        failures: Why runs failed, a line each.
        finished: Number of finished runs.

    Example:
        >>> import flowstart as fs
        >>> path = fs.NetworkPath(rate="5Mbps", rtt="64ms", buffer="60pkt")
        >>> found = fs.compare(path, startups=["slow-start", "jump-start"], sizes=["50kB"])
        >>> found.frame.select("startup", "complete").rows()
        [('slow-start', True), ('jump-start', True)]
    """

    plan: Plan
    flow_rows: "_native.ComparisonRows"
    """One row per flow and run, in the order of the plan's cases."""
    failures: list[str]
    """Why runs failed, where any did."""
    interrupted: bool
    """Whether Ctrl-C ended it; the rows are those of the finished runs."""
    finished: int
    """How many runs are finished."""
    buffer: str | None
    """The bottleneck's buffer in words."""
    buffer_accounting: str | None
    spared: int = 0
    """How many seeds were asked for and not run, since nothing is drawn from them."""
    intervals: "Intervals | None" = None
    """How far the changes go over repeats of the path, where that was asked for."""

    more = "`.table`, or one row per flow in `.frame`"
    caption = "Completion time"

    @functools.cached_property
    def frame(self) -> "pl.DataFrame":
        """One row per flow and run."""
        if not len(self.flow_rows):
            return columns.frame([], "comparison-rows")
        return frames.frame(self.flow_rows.table())

    @functools.cached_property
    def records(self) -> list[dict[str, Any]]:
        """The rows of `frame` as dictionaries, without polars."""
        return frames.rows(self.flow_rows.table())

    @functools.cached_property
    def summaries(self) -> list[Summary]:
        """One summary per size and startup, over flows and seeds.

        With intervals, marked are the startups that these recommend.
        """
        summaries, _ = self._summarised
        return [self.intervals.judged(s) for s in summaries] if self.intervals else summaries

    @property
    def order(self) -> list[str]:
        """The startups in the order in which tables and figures have them."""
        _, order = self._summarised
        return order

    @functools.cached_property
    def _summarised(self) -> tuple[list[Summary], list[str]]:
        plan = self.plan
        return summarised(self.flow_rows, [len(plan.seeds_of(size)) for size in plan.sizes])

    @property
    def landing_table(self) -> "Grid | None":
        """What followed the end of startup, for flows with an available rate."""
        return landing.table(self.records, self.plan.startups)

    @property
    def command(self) -> str | None:
        """The command that does the same, where there is one."""
        command = self.plan.command
        return command if not command or self.intervals else f"{command} --no-uncertainty"

    @property
    def seed(self) -> int:
        """The first seed."""
        return self.plan.seeds[0]

    @functools.cached_property
    def interval_frame(self) -> "pl.DataFrame":
        """One row per size and startup with its interval, unless the uncertainty was left out."""
        records = self.intervals.records if self.intervals else []
        return columns.frame(records, "comparison-intervals")

    @property
    def resolved(self) -> Document:
        """The whole configuration of the first run, every default filled in."""
        return self.plan.resolved[self.plan.startups[0]]

    @functools.cached_property
    def hosts(self) -> HostStack:
        """The stack in use that the preset of the endpoints simulates."""
        return HostStack.of_preset(self.resolved["stack"]["preset"])

    def lower_bound(self, group: Group) -> float | None:
        """The time in which no transfer of a group can be complete, in seconds.

        None where it is not known before the runs, as under a rate that is drawn, and where flows
        have different routes.
        """
        if group.web or group.request or group.measure:
            return None
        natives = self.plan.custom.natives()
        return self.plan.native.lower_bound(group.size_bytes, self.seed, natives)

    def offers(self, name: str) -> bool:
        """Whether hosts can be changed to a variant; true where no stack in use is simulated.

        A startup of the user's own can be deployed.
        """
        variant = self.plan.variant(name)
        if not self.hosts.options or listed(str(variant.begins)) is None:
            return True
        return self.hosts.offers(variant, self.hosts.recorded)

    @functools.cached_property
    def queues(self) -> dict[str, str]:
        """The discipline of the queues under each startup; hop by hop where they differ.

        Routers take part by themselves where a startup is nothing without them.
        """
        return {name: queues(resolved) for name, resolved in self.plan.resolved.items()}

    @property
    def drawn(self) -> list[str]:
        """What is drawn at random, in words; another seed draws something else."""
        return self.plan.drawn

    @property
    def notes(self) -> list[str]:
        """Footnotes of the table: its startups, queues and seeds."""
        return footnotes.footnotes(self._setting)

    @property
    def cautions(self) -> list[str]:
        """The notes on missing runs and on the seed."""
        return footnotes.cautions(self._setting, repeated=self.intervals is not None)

    @functools.cached_property
    def _setting(self) -> footnotes.Setting:
        flows = [self.plan.base["flows"][i] for i in self.plan.tested]
        return footnotes.Setting(
            startups=self.plan.begins,
            cached_cwnd=[
                variant.cached_cwnd or flow.get("cached_cwnd")
                for variant in self.plan.variants
                if footnotes.uses_memory(str(variant.begins))
                for flow in flows
            ],
            cache_option="`cached_cwnd`",
            interfaces=[flow.get("interface_rate") for flow in self.plan.entries()],
            queues=self.queues,
            drawn=self.drawn,
            seeds=len(self.plan.seeds),
            seed_option="--repeat 20 runs twenty",
            spared=self.spared,
            missing=self._missing(),
        )

    def _missing(self) -> str:
        """Why runs are missing, in words; empty where none is."""
        if not self.interrupted and not self.failures:
            return ""
        why = f"stopped by {bounds.current().cause}" if self.interrupted else "some runs failed"
        return f"{why}, {self.finished} of {len(self.plan.cases())} runs are finished"

    @functools.cached_property
    def warnings(self) -> list[str]:
        """What was asked for and was perhaps not meant."""
        window = document.initial_window(self.resolved["stack"])
        small = document.small_buffers(self.plan.base["path"], self.resolved["path"], window)
        buffers = [_native.buffer_warning(*buffer, "", window) for buffer in small]
        variants = self.plan.resolved.values()
        notes = [_native.without_effect(document.encode(resolved)) for resolved in variants]
        return buffers + list(dict.fromkeys(itertools.chain.from_iterable(notes)))

    @functools.cached_property
    def omissions(self) -> stack.Omissions:
        """What the presets leave out, of any size."""
        tested = self.plan.tested

        def sized(scenario: Document, size: str) -> Document:
            flows = enumerate(scenario["flows"])
            return scenario | {
                "flows": [flow | {"size": size} if i in tested else flow for i, flow in flows]
            }

        return stack.omissions(
            scenario if size is None else sized(scenario, size)
            for scenario in self.plan.resolved.values()
            for size in self.plan.sizes
        )

    @property
    def measured_by_sender(self) -> bool:
        """Whether durations are of interest: studies made with ns-2 count until the last ACK.

        Elsewhere the delay of that acknowledgement would only blur the comparison.
        """
        return self.flow_rows.has_stack("ns2")

    @property
    def table(self) -> Grid:
        """The table that is shown: a group per size, a row per startup."""
        return tables.comparison(
            self.summaries, self.order, acked=self.measured_by_sender, intervals=self.intervals
        )

    @property
    def headline(self) -> str:
        """One line on what was compared: path, capacity, buffer, endpoints, seeds."""
        return self.headline_of(self.plan.seeds)

    def headline_of(self, seeds: Sequence[int]) -> str:
        """The headline of some of the seeds."""
        controls, bdps = self.flow_rows.tested()
        return headline(
            [*self.plan.resolved.values()],
            controls,
            bdps,
            seeds,
            self.buffer,
            entries=self.plan.tested,
            web=self.plan.tested_web,
            with_window=True,
        )

    @property
    def legend(self) -> str:
        """What columns and marks of the table mean, and the notes on its rows."""
        facts = {
            "startups": len(self.plan.startups),
            "baseline": self.baseline,
            "sized": len({s.group for s in self.summaries}) > 1,
            "averaged": any(s.flows > 1 for s in self.summaries),
            "marked": any(s.best for s in self.summaries),
            "acked": self.measured_by_sender,
            "repeats": self.intervals.column if self.intervals else "",
        }
        lines = [_native.legend(json.dumps(facts)), *self.notes, *self.omissions.decisive]
        return "\n".join(lines)

    @property
    def all_failed(self) -> bool:
        """Whether no flow under test was done, nor under way when its run was cut short."""
        return self.flow_rows.all_failed("duration" in self.plan.base)

    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document."""
        return {
            "flowstart": _native.version(),
            "command": self.command,
            "scenario": self.plan.base,
            "resolved": self.resolved,
            "buffer": self.buffer,
            "buffer_accounting": self.buffer_accounting,
            "queues": self.queues,
            "startups": list(self.plan.startups),
            "baseline": self.baseline,
            "sizes": list(filter(None, self.plan.sizes)),
            "seeds": list(self.plan.seeds),
            "drawn": self.drawn,
            "notes": self.notes,
            "warnings": [*self.warnings, *self.omissions.all],
            "interrupted": self.interrupted,
            "failures": self.failures,
            "intervals": self.intervals.records if self.intervals else None,
            "rows": self.records,
        }

    @extras.needing("plot", "a figure")
    def plot(self, ax: "Axes | None" = None) -> "Figure":
        """Completion time and slowdown over size, one line per startup.

        Args:
            ax: The axes to draw completion times into, in the place of a new figure.

        Returns:
            The figure.
        """
        from flowstart.comparison.figures import completion, draw_times  # loads matplotlib
        from flowstart.render.charts import figure_of

        if ax is not None:
            draw_times(ax, self.summaries, self.order)
            return figure_of(ax)
        return completion(self.summaries, self.order, self.headline)

    @property
    def baseline(self) -> str:
        """The variant that the others are measured against."""
        return self.plan.baseline

    def series(self, size: str | None = None) -> "list[Series]":
        """The flows under test of each startup over time; simulated again for it."""
        size = self.plan.sizes[-1] if size is None else size
        cases = [Case(startup, size, self.plan.seeds[0]) for startup in self.order]
        return [series for case in cases for series in self._series(case)]

    def _series(self, case: Case) -> "list[Series]":
        from flowstart.simulation.series import of_flow  # loads numpy

        traced = simulate(self.plan.scenario(case, trace=True), self.plan.custom)
        rows = self.plan.native.rows(traced.outcome, [case])
        drawn = _drawn(frames.rows(rows.table()))
        label = f"{case.startup}, flow {{}}" if len(drawn) > 1 else case.startup
        return [
            of_flow(traced.outcome, row["flow"], label.format(number))
            for number, row in enumerate(drawn, 1)
        ]

    def drawn_flows(self, case: Case) -> list[dict[str, Any]]:
        """The rows of the flows that pictures of a run show, at most `MOST_DRAWN`."""
        return _drawn(self._rows_of(case))

    def tested_flows(self, case: Case) -> int:
        """How many flows of a run are under test."""
        return len({row["flow"] for row in self._rows_of(case) if row["tested"]})

    def _rows_of(self, case: Case) -> list[dict[str, Any]]:
        key = (case.size, case.startup, case.seed)
        return [r for r in self.records if (r["size"], r["variant"], r["seed"]) == key]

    def __getstate__(self) -> dict[str, Any]:
        state = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        return state | {"flow_rows": self.flow_rows.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        rows = state["plan"].native.rows_from_bytes(state["flow_rows"])
        self.__dict__.update(state | {"flow_rows": rows})

    def __repr__(self) -> str:
        startups, cases = len(self.plan.startups), len(self.plan.cases())
        runs = f"{self.finished} of {cases} runs" if self.finished < cases else f"{cases} runs"
        return f"<Comparison of {startups} startups: {runs}, {len(self.flow_rows)} rows>"

    @property
    def verdict(self) -> list[str]:
        """What to choose for each size, why, and how that was found; nothing without repeats."""
        return overview.verdict(self)

    def summary(self, command: str = "") -> SummaryPage:
        """The fastest startup of each size and its cost, on one screen."""
        return overview.overview(self, command)

    def files(self, progress: figure_files.Progress | None = None) -> Iterator[Mapping[str, bytes]]:
        """Tables, then figures and the page."""
        yield report.tables(self)
        yield report.pictures(self, progress)


def failures(batch: "Batch", cases: Sequence[Case]) -> list[str]:
    """Why runs failed, where any did."""
    runs = batch["runs"].lists()
    ran = zip(runs["run"], runs["error"], strict=True)
    return [_failure(cases[run], error) for run, error in ran if error]


def _failure(case: Case, error: str) -> str:
    size = f" with {case.size}" if case.size else ""
    return f"{case.startup}{size}, seed {case.seed}: {error}"
