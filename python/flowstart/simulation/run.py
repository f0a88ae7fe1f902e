"""One scenario in depth: its tables, and its trace where one was asked for."""

import functools
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from flowstart import _native, extras, text
from flowstart.errors import RequestError
from flowstart.model import perturbation, scenario, stack
from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document, encode, queues, resolve
from flowstart.questions.option import asking, either
from flowstart.questions.run import RunQuestion, StoredRunQuestion
from flowstart.render import figure_files, files, footnotes, html
from flowstart.render.grid import Grid
from flowstart.render.result import Result
from flowstart.render.summary import SummaryPage
from flowstart.simulation import bounds, frames, tables
from flowstart.simulation.frames import RunTables
from flowstart.simulation.streaming import StoredRun, store

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from flowstart._native import FlowPackets, Outcome
    from flowstart.simulation.series import Series


def headline(
    resolved: Sequence[Document],
    controls: Iterable[str],
    bdps: tuple[int, int] | None,
    seeds: Sequence[int],
    buffer: str | None,
    *,
    entries: Sequence[int],
    web: Sequence[int],
    with_window: bool = False,
) -> str:
    """One line on a scenario and its flows.

    `resolved` is the scenario under each variant, with every default. `controls` are the congestion
    controls of the flows, `bdps` their least and greatest BDP in packets. `buffer` is the
    bottleneck's; `entries` and `web` are those of `flows` and `web` that the line is about.
    `with_window` states the initial window apart from the stack.
    """
    facts = {
        "resolved": resolved,
        "bdp": bdps,
        "entries": entries,
        "web": web,
        "controls": sorted({*controls}),
        "seeds": (seeds[0], seeds[-1]),
        "buffer": buffer,
        "with_window": with_window,
    }
    return _native.headline(encode(facts))


@dataclass(frozen=True, repr=False, eq=False)
class Run(RunTables, Result):
    """The rows of one simulated scenario, and its events where these were recorded.

    Example:
        >>> import flowstart as fs
        >>> run = fs.run({"path": {"rate": "5Mbps", "rtt": "64ms"}, "flows": [{"size": "20kB"}]})
        >>> run.frame["complete"].to_list()
        [True]
    """

    document: Document
    outcome: "Outcome"
    custom: CustomStartups = field(default_factory=CustomStartups)
    """Its startups that are not in the catalog."""

    more = "`.frame` has them all"
    caption = "Windows, bytes in flight and queue over time"

    @property
    def seed(self) -> int:
        """The seed of all random draws."""
        seed: int = self.resolved["seed"]
        return seed

    @property
    def table(self) -> Grid:
        """The table of flows."""
        return self.tables[0]

    @functools.cached_property
    def flow_samples(self) -> "pl.DataFrame | None":
        """What each sender did and knew over time; None without a trace."""
        trace = self.outcome["trace"]
        return frames.samples(trace["flow_samples"]) if trace else None

    @functools.cached_property
    def queue_samples(self) -> "pl.DataFrame | None":
        """What waited at each link over time; None without a trace."""
        trace = self.outcome["trace"]
        return frames.samples(trace["queue_samples"]) if trace else None

    @functools.cached_property
    def queue_departures(self) -> "pl.DataFrame | None":
        """When packets left the bottleneck's queue; None without a trace."""
        trace = self.outcome["trace"]
        return frames.samples(trace["queue_departures"]) if trace else None

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows of `frame` as dictionaries, without polars."""
        return frames.rows(self.outcome["flows"])

    @property
    def about(self) -> dict[str, Any]:
        """What is known of the run as a whole: `simulated_s`, `events`, `buffer`."""
        return frames.rows(self.outcome["runs"])[0]

    @functools.cached_property
    def resolved(self) -> Document:
        """The whole configuration, every default filled in."""
        return resolve(self.document, self.custom)

    @functools.cached_property
    def tables(self) -> list[Grid]:
        """The tables that have rows: flows, their writes, objects, links."""
        return tables.of_run(self.outcome, self._passed)

    @property
    def _passed(self) -> list[str]:
        """The hops of a chain that each flow passes, from and to; empty on a path of one."""
        if not self.resolved["path"].get("hops"):
            return []
        ends = [
            (flow["from_hop"], flow["to_hop"])
            for flow in self.resolved["flows"]
            for _ in range(flow["count"])
        ]
        return [str(first) if first == last else f"{first}–{last}" for first, last in ends]

    @functools.cached_property
    def drawn(self) -> list[str]:
        """What is drawn at random, in words; another seed draws something else."""
        return perturbation.drawn(self.resolved)

    @functools.cached_property
    def notes(self) -> list[str]:
        """What a reader of the tables has to know of startups, queues and the seed."""
        entries = [*self.resolved["flows"], *self.resolved.get("web", ())]
        startups = list(dict.fromkeys(entry["startup"] for entry in entries))
        return footnotes.footnotes(
            footnotes.Setting(
                startups=startups,
                cached_cwnd=[
                    entry.get("cached_cwnd")
                    for entry in entries
                    if footnotes.uses_memory(entry["startup"])
                ],
                cache_option="`cached_cwnd`",
                interfaces=[entry.get("interface_rate") for entry in entries],
                queues=dict.fromkeys(startups, queues(self.resolved)),
                drawn=self.drawn,
                seeds=1,
                seed_option=f"seed = {self.resolved['seed'] + 1}",
            )
        )

    @functools.cached_property
    def omissions(self) -> stack.Omissions:
        """What the presets leave out."""
        return stack.omissions([self.resolved])

    @property
    def headline(self) -> str:
        """One line on what was simulated: path, capacity, buffer, endpoints, seed."""
        seeds = [self.resolved["seed"]]
        flows, web = (range(len(self.resolved.get(kind, ()))) for kind in ("flows", "web"))
        bdps = [row["bdp_pkts"] for row in self.records]
        return headline(
            [self.resolved],
            (row["cc"] for row in self.records),
            (min(bdps), max(bdps)) if bdps else None,
            seeds,
            self.about["buffer"],
            entries=[*flows],
            web=[*web],
        )

    @property
    def all_failed(self) -> bool:
        """Whether no flow was done, nor under way when the run was cut short."""
        return all_failed(self.records, cut="duration" in self.document)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the trace as one JSON document."""
        handshakes = frames.rows(self.outcome["handshakes"])
        return {
            "flowstart": _native.version(),
            "scenario": self.document,
            "resolved": self.resolved,
            "drawn": self.drawn,
            "notes": self.notes,
            "warnings": [*self.omissions.all],
            **{
                name: self.about[name]
                for name in ("simulated_s", "events", "buffer", "buffer_accounting")
            },
            "rows": self.records,
            "transfers": frames.rows(self.outcome["transfers"]),
            "objects": frames.rows(self.outcome["objects"]),
            "links": frames.rows(self.outcome["links"]),
            "startups": frames.rows(self.outcome["startups"]),
            "limits": frames.rows(self.outcome["limits"]),
            **self._measures,
            **({"handshakes": handshakes} if handshakes else {}),
        }

    @property
    def _measures(self) -> dict[str, list[dict[str, Any]]]:
        """The rows of what the scenario has measured, by table."""
        tables: tuple[Literal["goodputs", "delays"], ...] = ("goodputs", "delays")
        rows = {name: frames.rows(self.outcome[name]) for name in tables}
        return {name: table for name, table in rows.items() if table}

    @extras.needing("plot", "a figure")
    def plot(self, ax: "Axes | None" = None) -> "Figure":
        """Windows, bytes in flight and queue over time; runs again where there is no trace.

        Args:
            ax: The axes to draw windows into, in the place of a new figure.

        Returns:
            The figure.
        """
        from flowstart.render.charts import figure_of  # loads matplotlib
        from flowstart.simulation import figures, series

        if ax is not None:
            figures.draw_cwnd(ax, self.traced().series())
            return figure_of(ax)
        about = figures.FigureFacts(self.headline, which=series.shown(self.outcome))
        return figures.over_time(self.traced().series(), about)

    def qlog(self, flow: int = 0) -> bytes:
        """What a flow's sender did and knew, as qlog 0.3 in JSON text sequences.

        Runs again where its packets have not been recorded. Raises RequestError where there is no
        such flow.
        """
        return self._packets_of(flow).qlog()

    def pcap(self, flow: int = 0, side: Literal["sender", "receiver"] = "sender") -> bytes:
        """A flow's packets as the host of its sender, or receiver, captures them.

        Runs again where its packets have not been recorded. Raises RequestError where there is no
        such flow or side.
        """
        return self._packets_of(flow).pcap(side)

    def _packets_of(self, flow: int) -> "FlowPackets":
        count = len(self.outcome["flows"])
        if not 0 <= flow < count:
            known = "one flow, number 0" if count == 1 else f"{count} flows, numbered from 0"
            raise RequestError(f"flow {flow}: the run has {known}")
        recorded = self.outcome["packets"]
        if all(packets.flow != flow for packets in recorded):
            recorded = simulate(self.document, self.custom, [flow]).outcome["packets"]
        of_flow = [packets for packets in recorded if packets.flow == flow]
        if not of_flow:
            raise RequestError(f"flow {flow}: it had not begun when the run ended")
        return of_flow[0]

    def traced(self) -> "Run":
        """The same run with its trace; simulated again where it has none."""
        if self.outcome["trace"]:
            return self
        return simulate(self.document | {"trace": True}, self.custom)

    def series(self) -> "list[Series]":
        """The trace taken apart, one series for each of the first flows."""
        from flowstart.simulation.series import of_run  # loads numpy

        return of_run(self.outcome)

    def summary(self, command: str = "") -> SummaryPage:
        """How many flows completed, and what was lost, on one screen."""
        shown = tables.of_summary(self.outcome, self._passed)
        hint = "All flows, links and notes: --details. Figures and traces: -o DIR"
        handshakes = frames.rows(self.outcome["handshakes"])
        answer = [
            _flows(self.records),
            *_handshakes(handshakes),
            _loss(frames.rows(self.outcome["links"])),
        ]
        notes = [*self.notes, *self.omissions.decisive]
        return SummaryPage(f"{self.headline}.", answer, shown, notes, command, hint=hint)

    def files(
        self, progress: figure_files.Progress | None = None, title: str = "Run"
    ) -> Iterator[Mapping[str, bytes]]:
        """Tables, the trace where there is one; then figures and the page."""
        yield self._tables()
        yield self._pictures(progress, title)

    def _tables(self) -> dict[str, bytes]:
        tables = {"result.json": files.encoded(self.to_dict())}
        tables |= files.columns(self.frame, "rows", "flows")
        tables |= files.columns(self.links, "links", "links")
        some = {"transfers": self.transfers, "objects": self.objects, "startups": self.startups}
        some |= {"limits": self.limits, "goodputs": self.goodputs, "delays": self.delays}
        some |= {"handshakes": self.handshakes}
        more: dict[str, pl.DataFrame | None] = {n: f for n, f in some.items() if f.height}
        more["flow-samples"] = self.flow_samples
        more["queue-samples"] = self.queue_samples
        more["queue-departures"] = self.queue_departures
        for name, frame in more.items():
            tables |= {} if frame is None else files.columns(frame, name, name)
        return tables

    def _pictures(self, progress: figure_files.Progress | None, title: str) -> dict[str, bytes]:
        """The page, and the figures over time where the run has a trace."""
        pictures: dict[str, bytes] = {}
        parts = [html.table(grid) for grid in self.tables]
        if self.notes:
            parts.append(html.paragraph("\n".join(self.notes)))
        series = self.series()
        if series:
            parts += figure_files.apology()
        drawn = {} if figure_files.wanting() else self._drawn(series)
        for picture in figure_files.drawn(drawn, progress):
            pictures |= picture.contents
            parts.append(html.picture(picture.svg, picture.caption))
        pictures["report.html"] = html.page(title, [*parts, html.made_by()]).encode()
        return pictures

    def _drawn(self, series: "list[Series]") -> dict[str, figure_files.Draw]:
        """What draws each figure, by file name; nothing without series."""
        if not series:
            return {}
        from flowstart.simulation.figures import (  # loads matplotlib
            FigureFacts,
            over_time,
            sequence,
        )
        from flowstart.simulation.series import shown

        some = shown(self.outcome)
        of = f", of {some}" if some else ""
        about = FigureFacts(self.headline, which=some)
        return {
            "over-time": lambda: (
                over_time(series, about),
                f"Window, bytes in flight{of}; bottleneck queue.",
            ),
            "sequence": lambda: (
                sequence(series, about),
                f"What was sent, sent again and acknowledged{of}.",
            ),
        }

    def __repr__(self) -> str:
        traced = ", traced" if self.outcome["trace"] else ""
        return f"<Run of {len(self.records)} flows, {self.about['simulated_s']:.4g} s{traced}>"

    def _repr_html_(self) -> str:
        shown = "".join(map(html.table, self.tables))
        return shown + html.paragraph("\n".join(self.notes))


def _flows(rows: Sequence[dict[str, Any]]) -> str:
    done = [row["fct_s"] for row in rows if row["complete"]]
    count = f"{len(done)} of {text.counted(len(rows), 'flow', 'flows')} completed"
    silent = sum(not row["complete"] and not row["bytes_delivered"] for row in rows)
    nothing = f"; {silent} delivered nothing" if silent else ""
    middle = f", in {text.short_seconds(median(done))} (median)" if done else ""
    return f"{count}{middle}{nothing}."


def _handshakes(rows: Sequence[dict[str, Any]]) -> list[str]:
    """When clients had the servers' messages and the first byte, where handshakes are packets."""
    measured = [
        (row["handshake_s"], row["first_byte_s"]) for row in rows if row["first_byte_s"] is not None
    ]
    if not measured:
        return []
    done, first = (text.short_seconds(median(times)) for times in zip(*measured, strict=True))
    return [f"Handshake: server's messages after {done}, response from {first} on (median)."]


def _loss(links: Sequence[dict[str, Any]]) -> str:
    """The link with most drops, or the busiest one."""
    first = max(links, key=lambda row: (row["dropped"], row["utilisation"]))
    return (
        f"Link {first['name']}: {first['utilisation']:.0%} used, {text.count(first['dropped'])} of "
        f"{text.count(first['packets'])} packets dropped, queue at most "
        f"{text.count(first['max_queue_pkts'])} packets."
    )


@asking(RunQuestion)
def _kept(question: RunQuestion) -> Run:
    """Runs one scenario.

    Returns:
        A `Run`; with a sink, a `StoredRun`.

    Raises:
        RequestError: The scenario is wrong, lacks such a flow or exceeds a limit, or the sink holds
            other files.
        TimeLimitExceeded: The time limit ended the run.

    Example:
        >>> import flowstart as fs
        >>> path = fs.NetworkPath(rate="5Mbps", rtt="64ms")
        >>> fs.run(fs.Scenario(path=path, flows=[fs.Flow(size=30_000)])).frame["complete"].to_list()
        [True]
    """
    with bounds.bounded(question.max_time, question.max_memory):
        custom = CustomStartups()
        like = scenario.document(question.scenario_like, allow_python=question.allow_python)
        document = custom.settle(like)
        if question.trace is not None:
            document["trace"] = question.trace
        return simulate(document, custom, question.packets)


@asking(StoredRunQuestion)
def _stored(question: StoredRunQuestion) -> StoredRun:
    """Runs one scenario, whose rows go to a folder."""
    folder = os.fspath(question.sink)
    with bounds.bounded(question.max_time, question.max_memory):
        return store(
            question.scenario_like,
            pathlib.Path(folder),
            folder,
            allow_python=question.allow_python,
        )


run = either("run", _kept, _stored, keyword="sink")


def simulate(document: Document, custom: CustomStartups, packets: Sequence[int] = ()) -> Run:
    """Runs a document whose startups are in the catalog or among `custom`."""
    mine = bounds.current()
    with mine.watched() as cancel:
        outcome = _native.run(
            encode(document), custom.natives(), list(packets), (mine.approval(1), cancel)
        )
    return Run(document, outcome, custom)


def all_failed(rows: Iterable[dict[str, Any]], cut: bool) -> bool:
    """Whether there are flows and none came to anything.

    `cut` is whether the runs had a duration, after which a flow may still be under way.
    """
    rows = list(rows)
    under_way = [cut and not row["reset"] and row["bytes_delivered"] > 0 for row in rows]
    return bool(rows) and not any(row["complete"] for row in rows) and not any(under_way)
