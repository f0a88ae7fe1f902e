"""Live runs next to simulated ones: rows, table, figures and report."""

import dataclasses
import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowstart import _native, extras, text
from flowstart.comparison.live import tables
from flowstart.comparison.live.plan import REAL, SIMULATED, LivePlan
from flowstart.comparison.live.rows import Found, Row, pairs, rows
from flowstart.comparison.live.tables import Agreement
from flowstart.comparison.plan import Case
from flowstart.comparison.result import Comparison
from flowstart.errors import RequestError
from flowstart.render import columns, figure_files, files, html
from flowstart.render.grid import Grid
from flowstart.render.result import Result
from flowstart.render.summary import SummaryPage
from flowstart.simulation.run import simulate

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from flowstart._native import Lateness, LiveOutcome
    from flowstart.comparison.live.figures import Windows
    from flowstart.simulation.series import Series


LARGEST_TRACE_BYTES = 500_000_000
"""Larger transfers get no figures: their traces would fill the memory."""
LARGEST_QLOG_BYTES = 2_000_000
"""Larger transfers get no qlog files in a folder: each would have megabytes."""


@dataclass(frozen=True, repr=False, eq=False)
class LiveComparison(Result):
    """Transfers in the simulator, and in a real stack over the same links.

    Attributes:
        simulated: The comparison in the simulator.
        interrupted: Whether Ctrl-C ended it; the rows are those of finished runs.
    """

    plan: LivePlan
    simulated: Comparison
    found: dict[Case, Found]
    """What the stack did, of what was run."""
    interrupted: bool

    more = "`.pairs`, or one row per run in `.frame`"
    caption = "The window over time"

    @property
    def command(self) -> str | None:
        """The command that gives the same result, where there is one."""
        return self.plan.command

    @property
    def seed(self) -> int:
        """The first seed."""
        return self.simulated.seed

    @functools.cached_property
    def records(self) -> list[Row]:
        """The rows of `frame` as dictionaries: each simulated run, then that of the stack."""
        ours = {
            Case(row["variant"], row["size"], row["seed"]): row for row in self.simulated.records
        }
        if self.plan.clock == REAL and self.simulated.spared:
            # Simulated once, since every seed gives the same.
            first = self.simulated.plan.seeds[0]
            cases = self.plan.comparison.cases()
            once = {case: ours.get(case._replace(seed=first)) for case in cases}
            ours = {case: row for case, row in once.items() if row}
        return rows(ours, self.found, self.plan.stack)

    @functools.cached_property
    def paired(self) -> list[Row]:
        """A dictionary for each transfer that both have run, with differences."""
        return pairs(self.records)

    @functools.cached_property
    def frame(self) -> "pl.DataFrame":
        """One row per run; column `transport` says where."""
        return columns.frame(self.records, "live-rows")

    @functools.cached_property
    def pairs(self) -> "pl.DataFrame":
        """One row per transfer that was run in both, with differences."""
        return columns.frame(self.paired, "live-pairs")

    @functools.cached_property
    def agreement(self) -> Agreement:
        """How far the two agree; of several runs in real time their medians do."""
        return tables.agreement(tables.medians(self.paired) if self.is_spread else self.paired)

    @property
    def failures(self) -> list[str]:
        """Why runs have no outcome, where any have none."""
        beside = [
            f"{case.startup} with {case.size}, seed {case.seed}, in {self.plan.stack}: {f.failure}"
            for case, f in self.found.items()
            if f.failure
        ]
        return [*self.simulated.failures, *beside]

    @property
    def table(self) -> Grid:
        """The table that is shown: a group per size, a row per startup.

        In real time with several seeds a row has the median of each, and how far they are apart.
        """
        if self.is_spread:
            return tables.spread_table(self.paired, self.plan.stack)
        return tables.table(self.paired, self.plan.stack)

    @property
    def is_spread(self) -> bool:
        """Whether each transfer was run several times, in real time."""
        return self.plan.clock == REAL and len(self.plan.comparison.seeds) > 1

    @property
    def headline(self) -> str:
        """One line on what was run: path, capacity, buffer, endpoints, seeds."""
        return f"{self.simulated.headline}; next to {self.plan.stack}, in {self.plan.clock} time"

    def summary(self, command: str = "") -> SummaryPage:
        """How far stack and simulator agree, and the table, on one screen."""
        answer = self.verdict.splitlines() if self.paired else []
        columns = f"in {self.plan.stack}: live run. exit cwnd, dropped: packets."
        notes = [columns, *tables.refusals(self.paired, self.plan.stack)]
        hint = "All rows and notes: --details. qlog and figures: -o DIR"
        return SummaryPage(f"{self.headline}.", answer, self.table, notes, command, hint=hint)

    @property
    def legend(self) -> str:
        """What the columns mean, whom the stack could not run, and notes on startups."""
        columns = tables.SPREAD_COLUMNS if self.is_spread else tables.COLUMNS
        return tables.legend(columns, self.paired, self.plan.stack, self.notes)

    @property
    def notes(self) -> list[str]:
        """What a reader of the table has to know of its startups and seeds."""
        if self.plan.clock != REAL or not self.simulated.spared:
            return self.simulated.notes
        once = "nothing here is drawn at random, so it was simulated once."
        return [*dataclasses.replace(self.simulated, spared=0).notes, once]

    @property
    def verdict(self) -> str:
        """How far the two agree, in a line; in real time also how late the relay was."""
        said = tables.said(self.agreement)
        late = self.lateness
        if late is None:
            return said
        lines = [
            tables.late(late),
            tables.stalled(self.records),
            tables.answered(self.records),
            said,
        ]
        return "\n".join(line for line in lines if line)

    @property
    def lateness(self) -> "Lateness | None":
        """How late the relay was in real time: the worst of all runs."""
        outcomes = [f.outcome["lateness"] for f in self.found.values() if f.outcome]
        known = [late for late in outcomes if late]
        if not known:
            return None
        return {
            "median_s": max(late["median_s"] for late in known),
            "p99_s": max(late["p99_s"] for late in known),
            "most_s": max(late["most_s"] for late in known),
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document."""
        plan = self.simulated.plan
        return {
            "flowstart": _native.version(),
            "command": self.command,
            "stack": self.plan.stack,
            "clock": self.plan.clock,
            "controls": dict(self.plan.controls),
            "lateness": self.lateness,
            "scenario": plan.base,
            "resolved": self.simulated.resolved,
            "startups": list(plan.startups),
            "sizes": list(plan.sizes),
            "seeds": list(plan.seeds),
            "drawn": self.simulated.drawn,
            "notes": self.notes,
            "interrupted": self.interrupted,
            "failures": self.failures,
            "agreement": dataclasses.asdict(self.agreement),
            "rows": self.records,
            "pairs": self.paired,
        }

    @extras.needing("plot", "a figure")
    def plot(
        self, ax: "Axes | None" = None, size: str | None = None, panel: str | None = None
    ) -> "Figure":
        """The window over time in both, a panel per startup; simulates again for it.

        Args:
            ax: The axes to draw one panel into, in the place of a new figure.
            size: The size of the transfer; the largest unless given.
            panel: The startup of that panel; the first in the table unless given.

        Returns:
            The figure.

        Raises:
            RequestError: No such startup was run, or there is no `ax`.

        Example:
            >>> import flowstart as fs
            >>> from matplotlib import pyplot as plt  # doctest: +SKIP
            >>> figure, axes = plt.subplots()  # doctest: +SKIP
            >>> path = fs.NetworkPath(rate="10Mbps", rtt="50ms")
            >>> found = fs.compare(path, on="noq")  # doctest: +SKIP
            >>> found.plot(axes, panel="hystart")  # doctest: +SKIP
        """
        from flowstart.comparison.live.figures import draw_windows, windows  # loads matplotlib
        from flowstart.render.charts import chosen, figure_of, refuse_without_axes

        series = {line.label: line for line in self.simulated.series(size)}
        stack = self.plan.stack
        if ax is not None:
            line = chosen("startup", panel, series)
            draw_windows(ax, self._windows(line, size), line.bdp_pkts, stack)
            return figure_of(ax)
        refuse_without_axes(panel)
        bytes_ = next(row["size_bytes"] for row in self.records if row["size"] == self._size(size))
        about = f"{self.headline}; {text.size(bytes_)}"
        shown = [self._windows(line, size) for line in series.values()]
        return windows(shown, next(iter(series.values())).bdp_pkts, stack, about)

    def _windows(self, line: "Series", size: str | None) -> "Windows":
        """The window of one startup in both."""
        from flowstart.comparison.live.figures import Line, Windows

        shown = line.at_sender
        live = self.live(line.label, size)
        trace = live and live["trace"]
        return Windows(
            line.label,
            Line(line.time_s[shown], line.cwnd[shown]),
            Line(trace["time_ns"] / 1e9, trace["cwnd"]) if trace else None,
        )

    def case(self, startup: str, size: str | None = None) -> Case:
        """The run of a startup with the first seed, of the largest size where none is named."""
        plan = self.simulated.plan
        case = Case(startup, self._size(size), plan.seeds[0])
        if case not in plan.cases():
            raise RequestError(f"startup `{startup}` with size `{case.size}` was not run")
        return case

    def _size(self, size: str | None) -> str | None:
        return self.simulated.plan.sizes[-1] if size is None else size

    def live(self, startup: str, size: str | None = None) -> "LiveOutcome | None":
        """What came of a live run with the first seed; None where the stack did not run it."""
        run = self.found.get(self.case(startup, size))
        return run.outcome if run else None

    def qlog(self, startup: str, size: str | None = None) -> bytes:
        """What the sender in the real stack did and knew, as qlog; in virtual time runs again."""
        outcome = self.live(startup, size)
        if outcome is None:
            raise RequestError(f"startup `{startup}`: {self.plan.stack} did not run it")
        if outcome["qlog"] is None:
            scenario = self.plan.scenario(self.case(startup, size))
            outcome = _native.run_live(self.plan.stack, scenario, self.plan.clock, qlog=True)
        return outcome["qlog"] or b""

    def simulated_qlog(self, startup: str, size: str | None = None) -> bytes:
        """The same of the simulator's sender."""
        plan = self.simulated.plan
        return simulate(plan.scenario(self.case(startup, size)), plan.custom, [0]).qlog(0)

    def files(self, progress: figure_files.Progress | None = None) -> Iterator[Mapping[str, bytes]]:
        """Tables, qlog, then figures and the page."""
        contents = {"result.json": files.encoded(self.to_dict())}
        contents |= files.columns(self.frame, "rows", "live-rows")
        yield contents | files.columns(self.pairs, "pairs", "live-pairs")
        yield self._qlogs()
        yield self._pictures(progress)

    def _qlogs(self) -> dict[str, bytes]:
        """The senders of the first seed, simulated and live, as `STARTUP-SIZE-TRANSPORT.sqlog`."""
        qlogs = {}
        for size in self._sizes(LARGEST_QLOG_BYTES):
            for startup in self.simulated.plan.startups:
                if not self.live(startup, size):
                    continue
                name = re.sub(r"[^\w.=,+-]+", "-", f"{startup}-{size}")
                qlogs[f"{name}-{SIMULATED}.sqlog"] = self.simulated_qlog(startup, size)
                qlogs[f"{name}-{self.plan.stack}.sqlog"] = self.qlog(startup, size)
        return qlogs

    def _pictures(self, progress: figure_files.Progress | None) -> dict[str, bytes]:
        """The windows over time of each size, and the page that holds them."""
        if not self.paired:
            return {}
        contents: dict[str, bytes] = {}
        parts = [html.paragraph(self.headline), html.table(self.table)]
        lines = (*self.legend.splitlines(), *self.verdict.splitlines())
        parts += [html.paragraph(line) for line in lines]
        parts += figure_files.apology()
        spared = self.interrupted or self.failures or figure_files.wanting()
        sizes = [] if spared else list(self._sizes(LARGEST_TRACE_BYTES))
        stack = self.plan.stack
        draw = {f"window-{size}": functools.partial(self._window, size) for size in sizes}
        for drawn in figure_files.drawn(draw, progress):
            contents |= drawn.contents
            parts.append(html.picture(drawn.svg, drawn.caption))
        if self.command:
            parts += [html.heading("Again"), html.code(self.command)]
        page = html.page(f"Startups simulated and in {stack}", [*parts, html.made_by()])
        return contents | {"report.html": page.encode()}

    def _window(self, size: str) -> "tuple[Figure, str]":
        caption = f"The window of {size}, simulated and in {self.plan.stack}, with the first seed."
        return self.plot(size=size), caption

    def _sizes(self, most: int) -> Iterator[str]:
        """The sizes of at most so many bytes."""
        known = {row["size"]: row["size_bytes"] for row in self.records}
        return (size for size, count in known.items() if count <= most)

    def __repr__(self) -> str:
        return f"<LiveComparison runs of {len(self.paired)} transfers in {self.plan.stack}>"

    def _repr_html_(self) -> str:
        return html.table(self.table) + html.paragraph(self.verdict)
