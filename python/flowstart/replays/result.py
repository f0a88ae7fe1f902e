"""A replay: its rows, intervals and verdict, and what follows from them."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from flowstart import _native, extras
from flowstart.captures.contents import Capture
from flowstart.deployment.notes import Notes, VariantOptions, notes
from flowstart.deployment.stacks import Commands
from flowstart.inference import Judgement, Status, Verdict
from flowstart.inference.data import finite
from flowstart.model import custom, document, perturbation, stack
from flowstart.model.document import Document, queues, resolve
from flowstart.model.path import interface_fields
from flowstart.model.variants import Variant
from flowstart.render import columns, figure_files, footnotes, html
from flowstart.render.files import Content
from flowstart.render.grid import Grid
from flowstart.render.result import Result
from flowstart.render.summary import SummaryPage
from flowstart.replays import answer, overview, report, tables
from flowstart.replays.answer import Answer, Band, Partial, Questions, Rollout, Times
from flowstart.replays.calibration import Calibration
from flowstart.replays.command import Invocation
from flowstart.replays.paths import ReplayPath, resolved
from flowstart.replays.runner import ALONE, job
from flowstart.replays.scenario import apart, usual_stack
from flowstart.replays.settings import PARTS, Settings
from flowstart.replays.summary import EVERYTHING, ClassSummary, Rows, summarise
from flowstart.replays.traffic import conversations
from flowstart.replays.validity import Examined, subjected

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


VERSION = 2
"""Of this form; a field that changes its meaning or goes away makes it a new one."""


def partial_document(part: Partial, settings: Settings) -> dict[str, Any]:
    """The verdict on one network, with the commands that are limited to it."""
    return verdict_document(part.verdict, settings, part.commands)


def group_document(part: Partial, settings: Settings) -> dict[str, Any]:
    """The verdict on a group, with its networks and the routes that implement it.

    Commands are those of what is recommended: with thousands of networks all would be too many.
    """
    kept = part.verdict.recommended
    limited = {name: c if name == kept else [] for name, c in part.commands.items()}
    return {
        "group": part.name,
        "networks": list(part.networks),
        "traffic": part.traffic,
        "verdict": verdict_document(part.verdict, settings, limited),
    }


def verdict_document(
    verdict: Verdict,
    settings: Settings,
    limited: Mapping[str, Sequence[Commands]] | None = None,
) -> dict[str, Any]:
    """The verdict as JSON types; `limited` has commands in the place of those for whole hosts."""
    return {
        "version": VERSION,
        "baseline": verdict.baseline,
        "recommended": verdict.recommended,
        "ties": list(verdict.ties),
        "headline": verdict.headline,
        "validity": _validity(verdict),
        "settings": [_judgement(judgement, settings, limited) for judgement in verdict.judgements],
    }


def _validity(verdict: Verdict) -> dict[str, Any]:
    failing = verdict.validity.failing
    return {
        "failing": failing and str(failing.question),
        "questions": [
            {
                "question": str(check.question),
                "holds": check.holds,
                "finding": check.finding,
                "reason": check.reason or None,
                "cause": check.cause or None,
                "remedy": list(check.remedy),
            }
            for check in verdict.validity.checks
        ],
    }


def _judgement(
    judgement: Judgement, settings: Settings, limited: Mapping[str, Sequence[Commands]] | None
) -> dict[str, Any]:
    gain = judgement.gain
    commands: Sequence[Commands] = settings.commands(settings.variant(judgement.setting))
    if limited is not None:
        commands = limited[judgement.setting]
    return {
        "setting": judgement.setting,
        "status": str(judgement.status),
        "cause": judgement.cause,
        "reason": judgement.reason,
        "risk": judgement.risk or None,
        "question": judgement.question and str(judgement.question),
        "gain": {
            "geomean_change": finite(gain.estimate),
            "low": finite(gain.low),
            "high": finite(gain.high),
            "transfers": gain.transfers,
            "significant": gain.gains,
        },
        "request_to_last_byte": judgement.request
        and {
            "geomean_change": finite(judgement.request.estimate),
            "low": finite(judgement.request.low),
            "high": finite(judgement.request.high),
        },
        "vetoes": [
            {"kind": gate.kind, "part": gate.part, "quantity": str(gate.quantity)}
            for gate in judgement.vetoes
        ],
        "gates": [gate.document for gate in judgement.gates],
        "commands": [
            {
                "stack": command.stack,
                "set": list(command.set),
                "revert": list(command.revert),
                "sources": list(command.sources),
                "steps": list(command.steps),
            }
            for command in commands
        ],
    }


MORE_LOST = (2, 0.01)
"""It is said where a replay loses so many times the capture's share, and so much more."""

FEW_ROWS = 10_000
"""JSON of so many rows takes half a second."""


@dataclass(frozen=True, repr=False, eq=False)
class Replay(Result):
    """The transfers of a capture under each variant, and the verdict.

    Attributes:
        capture: The capture that was replayed.
        left_out: Number of transfers that cannot be replayed, by reason.
        facts: One row per transfer under test.
        competing: One row per run and competing flow; None without any.
        interrupted: Whether Ctrl-C or the time limit ended it.
        failures: Why runs failed, a line each.

    Example:
        >>> import flowstart as fs
        >>> capture = "tests/data/captures/small.pcap"
        >>> found = fs.replay(capture, startups=["slow-start"], uncertainty=False)
        >>> sorted(found.frame["variant"].unique())
        ['current', 'slow-start']
    """

    capture: Capture
    settings: Settings
    questions: Questions
    paths: list[ReplayPath]
    left_out: dict[str, int]
    store: Rows
    """One row per transfer, variant and mode."""
    facts: "pl.DataFrame"
    together: Times
    alone: Times
    answer: Answer
    """The changes with their intervals, and what to choose."""
    examined: Examined | None = None
    """Whether paths are known and the recording is reproduced; None if it was stopped before."""
    partial: list[Partial] = field(default_factory=list)
    """The verdicts on single networks, if that was asked."""
    groups: list[Partial] = field(default_factory=list)
    """The verdicts on groups of networks."""
    rollout: Rollout | None = None
    """The same where only a part of the connections is switched, if that was asked."""
    bands: list[Band] = field(default_factory=list)
    """The same of the settings that decide, under other assumptions."""
    calibration: Calibration | None = None
    """How well the capture is replayed as it was recorded, if that was asked."""
    competing: "pl.DataFrame | None" = None
    interrupted: bool = False
    failures: list[str] = field(default_factory=list)

    more = "`.interval_frame`, `.summaries`, or one row per transfer in `.frame`"
    caption = "Completion by size class"

    def __repr__(self) -> str:
        transfers = sum(replayed.transfers for replayed in self.paths)
        return f"<Replay of {self.capture.file}: {transfers} transfers, {len(self.paths)} paths>"

    def __str__(self) -> str:
        several = len(self.settings.names) > 1
        return "\n".join([super().__str__(), *[self.verdict.headline] * several])

    @property
    def headline(self) -> str:
        """The capture, and how much of it was replayed."""
        return repr(self)

    @property
    def table(self) -> Grid:
        """The changes by size class, or the times where there is nothing to compare."""
        several = len(self.settings.names) > 1
        return tables.changes(self.summaries) if several else tables.times(self.summaries)

    @property
    def seed(self) -> int:
        """The first seed."""
        return self.settings.seed

    @property
    def frame(self) -> "pl.DataFrame":
        """One row per transfer, variant and mode; all of them in memory."""
        return self.store.scan().collect()

    @property
    def interval_frame(self) -> "pl.DataFrame":
        """One row per size class, variant and statistic, with its interval."""
        return columns.frame(self.answer.records, "replay-intervals")

    @functools.cached_property
    def summaries(self) -> list[ClassSummary]:
        """One summary per size class and variant, all sizes last."""
        startups = {variant.name: str(variant.begins) for variant in self.settings.compared}
        best = self.verdict.recommended
        times = (self.together, self.alone)
        return summarise(self.store, self.facts, *times, self.answer, startups, best)

    @functools.cached_property
    def verdict(self) -> Verdict:
        """What to choose: `verdict.recommended` is a name or None, `str(verdict)` has reasons."""
        if self.examined is None:  # the replay was stopped
            return self.answer.verdict
        others = {band.name: band.answer.verdict for band in self.bands}
        buffers = self.questions.buffers and not self.interrupted
        questions = replace(self.questions, buffers=buffers)
        invocation = Invocation(self.capture, self.settings, questions)
        return subjected(self.answer.verdict, self.examined.checks, others, invocation)

    @functools.cached_property
    def notes_to_deploy(self) -> list[Notes]:
        """What to do with each recommended variant, or else with the one that a test can decide."""
        chosen = [j for j in self.verdict.judgements if j.status == Status.RECOMMENDED]
        nearest = self.verdict.candidate
        if nearest and nearest.status == Status.INCONCLUSIVE:
            chosen = [nearest]
        return [self._notes(judgement) for judgement in chosen]

    def _notes(self, judgement: Judgement) -> Notes:
        name = judgement.setting
        group = next(g for g in self.answer.groups if g.name == EVERYTHING)
        variant = self.settings.variant(name)
        rows = list(self.answer.rows.values())
        base, seed = self.answer.baseline, self.settings.seed
        test = answer.test_plan(
            self.facts, group, self.together, judgement, base, self.questions, seed
        )
        is_test = judgement.status == Status.INCONCLUSIVE
        deployed = _deployed(variant, self.settings.reference)
        if variant == self.settings.larger:
            deployed = replace(deployed, window=self.settings.larger_size)
        return notes(EVERYTHING, deployed, rows, test, is_test=is_test)

    @property
    def command(self) -> str:
        """The command that gives the same result."""
        return self.invocation.again

    @property
    def invocation(self) -> Invocation:
        """The replay as the command line has it."""
        return Invocation(self.capture, self.settings, self.questions)

    @functools.cached_property
    def resolved(self) -> dict[str, Document]:
        """The whole configuration of one transfer under each startup, on the first path."""
        replayed, s = self.paths[0], self.settings
        talks = conversations(next(replayed.traffic.chunks()))
        resolved = {}
        for variant in s.compared:
            scenario = job(replayed, variant, ALONE, next(apart(talks)), s).scenario
            resolved[variant.name] = resolve(scenario, s.custom)
        return resolved

    @functools.cached_property
    def drawn(self) -> list[str]:
        """What is drawn at random, in words; another seed draws something else."""
        return perturbation.drawn(self.resolved[self.settings.names[0]])

    @functools.cached_property
    def notes(self) -> list[str]:
        """What a reader of the table has to know of its startups, queues and seed."""
        s = self.settings
        notes = footnotes.footnotes(
            footnotes.Setting(
                startups=[str(variant.begins) for variant in s.compared],
                cached_cwnd=[s.cached_cwnd] if s.cached_cwnd else [],
                cache_option="--cached-cwnd 1bdp gives each path its own",
                interfaces=[
                    interface_fields(replayed.path).get("interface_rate") for replayed in self.paths
                ],
                queues={name: queues(document) for name, document in self.resolved.items()},
                drawn=self.drawn,
                seeds=1,
                seed_option=f"--seed {s.seed + 1}",
            )
        )
        notes += self._recalled()
        notes += [f"not replayed: {name} ({PARTS[name]})." for name in sorted(s.ignore)]
        return notes + self._beyond_the_capture()

    def _recalled(self) -> list[str]:
        """Says what startups that use a memory have had."""
        s = self.settings
        if s.cached_cwnd or not any(footnotes.uses_memory(str(v.begins)) for v in s.compared):
            return []
        who = "what earlier connections with the same network have left in the replay itself"
        return [f"cached state: {who}, for {s.memory_lifetime}; nothing where one runs alone."]

    def _beyond_the_capture(self) -> list[str]:
        """Says where the replay loses far more than the capture: a buffer may be too small."""
        base, before = self.settings.reference.name, self.capture.retransmitted_share
        rows = [s for s in self.summaries if (s.size_class, s.variant) == (EVERYTHING, base)]
        lost = rows[0].loss if rows else None
        if lost is None or before is None or self.settings.loss:
            return []
        times, more = MORE_LOST
        if lost <= times * before + more:
            return []
        under = f"{lost:.2%} of the packets under {custom.short(base)}"
        was = f"{before:.2%} were retransmitted in the capture"
        problem = f"the replay loses more than the capture did: {under}; {was}."
        return [f"{problem} --buffer sets another buffer."]

    @functools.cached_property
    def omissions(self) -> stack.Omissions:
        """What the preset leaves out, for the largest transfer too."""
        sizes = [path.traffic.transfers["bytes"].max() for path in self.paths]
        largest = max(cast("int", size) for size in sizes)
        return stack.omissions(
            scenario | {"flows": [{"size": f"{largest}B", **flow} for flow in scenario["flows"]]}
            for scenario in self.resolved.values()
        )

    @functools.cached_property
    def warnings(self) -> list[str]:
        """What was asked for and was perhaps not meant."""
        s = self.settings
        options = {"buffer": s.buffer, "reverse_buffer": s.reverse_buffer}
        sizes = {name: size for name, size in options.items() if size}
        small = []
        for replayed in self.paths:
            filled = resolved(replayed.path, s)
            window = document.initial_window(filled["stack"])
            buffers = document.small_buffers(sizes, filled["path"], window)
            small += [(*buffer, window, replayed.name) for buffer in buffers]
        if not small:
            return []
        packets, field, size, window, name = min(small)
        paths = len({name for *_, name in small})
        more = f" and a handful on {paths - 1} more" if paths > 1 else ""
        return [_native.buffer_warning(packets, field, size, f" on {name}{more}", window)]

    @property
    def all_failed(self) -> bool:
        """Whether no transfer was completed."""
        return self.store.height > 0 and not any(s.complete for s in self.summaries)

    def to_dict(self, *, rows: bool = False) -> dict[str, Any]:
        """The verdict, its table, intervals and warnings as one JSON document; with `rows` all.

        `frame` has the rows of transfers, which are most of it. Those of a replay that was stopped
        are left out unless they are few, as many take seconds.
        """
        rows &= not self.interrupted or self.store.height <= FEW_ROWS
        return {
            "flowstart": _native.version(),
            "command": self.command,
            "capture": {
                "file": self.capture.file,
                "summary": self.capture.summary,
                "warnings": self.capture.warnings,
                "notes": self.capture.notes,
            },
            "paths": [
                {
                    "name": replayed.name,
                    **replayed.path,
                    "rate_method": replayed.rate_method,
                    "buffer_method": replayed.buffer_method,
                    "rate_range_bps": replayed.rate_range,
                    "assumed": list(replayed.assumed),
                    "transfers": replayed.transfers,
                }
                for replayed in self.paths
            ],
            "left_out": self.left_out,
            "sample": self.capture.drawn and self.capture.drawn.to_dict(),
            "drawn": self.drawn,
            "notes": self.notes,
            "warnings": [*self.warnings, *self.omissions.all],
            "interrupted": self.interrupted,
            "failures": self.failures,
            "classes": [s.numbers for s in self.summaries],
            "intervals": self.answer.records,
            "repeats": self.answer.repeats,
            "verdict": verdict_document(self.verdict, self.settings),
            "partial": [
                {"network": part.name, "verdict": partial_document(part, self.settings)}
                for part in self.partial
            ],
            "groups": [group_document(group, self.settings) for group in self.groups],
            "rollout": self.rollout
            and {
                "share": self.rollout.share,
                "connections": self.rollout.connections,
                "switched": self.rollout.switched.records,
                "rest": self.rollout.rest.records,
            },
            "buffers": [
                {
                    "buffers": band.name,
                    "verdict": verdict_document(band.answer.verdict, self.settings),
                }
                for band in self.bands
            ],
            "calibration": self.calibration and self.calibration.to_dict(),
            "competing": [] if self.competing is None else self.competing.to_dicts(),
            "deployment": [notes.lines for notes in self.notes_to_deploy],
            "ab_tests": [
                {"size_class": notes.group, "variant": notes.variant.name, **notes.test.document}
                for notes in self.notes_to_deploy
                if notes.test
            ],
            **({"rows": self.frame.to_dicts()} if rows else {}),
        }

    @extras.needing("plot", "a figure")
    def plot(self, ax: "Axes | None" = None) -> "Figure":
        """Completion times by size class, and how many transfers are harmed.

        Args:
            ax: The axes to draw completion times into, in the place of a new figure.

        Returns:
            The figure.

        Example:
            >>> import flowstart as fs
            >>> from matplotlib import pyplot as plt  # doctest: +SKIP
            >>> figure, axes = plt.subplots()  # doctest: +SKIP
            >>> fs.replay("capture.pcap").plot(axes)  # doctest: +SKIP
        """
        from flowstart.render.charts import figure_of  # loads matplotlib
        from flowstart.replays.figures import by_class, draw_slowdowns

        if ax is not None:
            draw_slowdowns(ax, self.summaries)
            return figure_of(ax)
        return by_class(self.summaries, self.settings.reference.name, self._about())

    @extras.needing("plot", "a figure")
    def plot_changes(self) -> "Figure":
        """The geometric mean of ratios of every variant by size class, with its interval."""
        from flowstart.replays.figures import changes  # loads matplotlib

        return changes(self.summaries, self.settings.reference.name, self._about())

    def _about(self) -> str:
        """What figures say they show."""
        s = self.settings
        ends = [stack.written(usual_stack(s)) or stack.DEFAULT, *filter(None, [s.cc])]
        *_, file = self.capture.file.split("/")
        return f"{file}, stack {', '.join(ends)}, seed {s.seed}"

    def summary(self, command: str = "") -> SummaryPage:
        """The recommendation, its gain and its risk, on one screen."""
        return overview.overview(self, command)

    def files(
        self, progress: figure_files.Progress | None = None, *, rows: bool = False
    ) -> Iterator[Mapping[str, Content]]:
        """Tables, with `rows` also as JSON; then figures and the page."""
        yield report.tables(self, rows=rows)
        yield report.pictures(self, progress)

    def _repr_html_(self) -> str:
        grids = (tables.changes(self.summaries), tables.times(self.summaries))
        figure = figure_files.shown(self.plot, "Completion by size class")
        return "".join(map(html.table, grids)) + figure


def _deployed(variant: Variant, base: Variant) -> VariantOptions:
    """What differs from the baseline, as far as stacks have options for it."""
    name, _, arguments = str(variant.begins).partition(":")
    startup = name if str(variant.begins) != str(base.begins) else None
    cc = variant.cc if variant.cc != base.cc else None
    own = dict(piece.partition("=")[::2] for piece in arguments.split(",") if piece)
    iw = own.get("iw") or variant.fields.get("iw")
    pacing = variant.fields.get("pacing", "none") != "none"
    return VariantOptions(variant.name, startup, cc, iw and str(iw), pacing)
