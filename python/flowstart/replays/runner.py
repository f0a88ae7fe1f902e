"""The simulations of a replay, and the passes that run them in bounded memory."""

import dataclasses
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from flowstart.captures.contents import Capture
from flowstart.model.document import Document, encode
from flowstart.model.perturbation import perturbed
from flowstart.model.variants import Variant
from flowstart.replays import competing_flows
from flowstart.replays.paths import ReplayPath
from flowstart.replays.scenario import AFTERWARDS_S, Labels, Sides, Writer, apart, usual_stack
from flowstart.replays.settings import Settings
from flowstart.replays.traffic import Conversation, conversations
from flowstart.simulation import frames
from flowstart.simulation.batch import run_many

if TYPE_CHECKING:
    import polars as pl

    from flowstart._native import Batch


Mode = Literal["together", "alone", "rollout", "competing"]


@dataclass(frozen=True)
class Round:
    """One pass over all traffic under every variant."""

    mode: Mode = "together"
    """`together`: all of a path at the times of the capture; `alone`: each connection by itself;
    `rollout`: together, and only a part of the connections under the variant;
    `competing`: together, with competing flows on every path."""
    share: float = 1.0
    """That part."""
    repeat: int = 0
    """Which perturbed repeat it is; 0 is the traffic as the capture has it."""
    seed: int = 1

    @property
    def is_switched(self) -> Callable[[int], bool]:
        """Whether a connection is under the variant: the same ones whatever the variant."""
        if self.share >= 1:
            return lambda _: True
        limit = self.share * 2**32
        return lambda connection: zlib.crc32(f"{self.seed}/{connection}".encode()) < limit

    def applied(self, document: Document) -> Document:
        """A scenario as it runs in this pass."""
        repeated = perturbed(document, self.repeat)
        if repeated is document:
            return document
        flows = [
            # What waits for another's data begins with it.
            {name: value for name, value in new.items() if name != "start" or name in old}
            for old, new in zip(document["flows"], repeated["flows"], strict=True)
        ]
        return repeated | {"flows": flows}


TOGETHER, ALONE, COMPETING = Round(), Round("alone"), Round("competing")


@dataclass(frozen=True)
class Job:
    """One simulation: a path under one variant, with some conversations or one of them."""

    replayed: ReplayPath
    variant: Variant
    round: Round
    scenario: Document
    labels: Labels
    companions: tuple[str, ...]
    """What the last flows of the scenario are called, which stand for no transfer."""

    def repeated(self, round_: Round) -> "Job":
        """The same in a perturbed repeat."""
        return dataclasses.replace(self, round=round_, scenario=round_.applied(self.scenario))

    @property
    def label(self) -> str:
        """What a message calls it."""
        return f"{self.variant.name}, {self.round.mode}, {self.replayed.name}"


Talks: TypeAlias = Iterable[list[Conversation]]


def parts(replayed: ReplayPath) -> Talks:
    """The conversations of a path, part by part.

    They are made as they are asked for, so that memory grows with a part and not with the capture.
    """
    return map(conversations, replayed.traffic.chunks())


def jobs(
    paths: Sequence[ReplayPath],
    settings: Settings,
    round_: Round = TOGETHER,
    of: Callable[[ReplayPath], Talks] = parts,
    variants: Sequence[Variant] = (),
) -> Iterator[Job]:
    """All simulations of a pass, those of a part of a path next to each other.

    Under all variants where none is named.
    """
    variants = variants or settings.compared
    sides = {variant.name: Sides.of(variant, settings) for variant in variants}
    for replayed in paths:
        for talks in of(replayed):
            for variant in variants:
                for together in apart(talks) if round_.mode == "alone" else [talks]:
                    yield job(replayed, variant, round_, together, settings, sides[variant.name])


def job(
    replayed: ReplayPath,
    variant: Variant,
    round_: Round,
    talks: Sequence[Conversation],
    settings: Settings,
    sides: Sides | None = None,
) -> Job:
    """One of them; `sides` are those of the variant."""
    sides = sides or Sides.of(variant, settings)
    writer = Writer(talks, sides, settings, replayed.path, round_.is_switched)
    flows = writer.flows()
    last_s = max(turn.start_s for talk in talks for turn in talk.turns)
    end_s = last_s - writer.begin_s + AFTERWARDS_S
    competing: dict[str, Document] = {}
    if round_.mode != "alone" and (settings.cross_traffic or round_.mode == "competing"):
        busy = competing_flows.Busy.of(talks, writer.begin_s)
        towards = _most_goes_to_remote(talks, settings)
        rate, way = replayed.rates_bps[0 if towards else 1], {} if towards else REVERSE
        flows = flows + competing_flows.cross_traffic(talks, busy, rate, way, settings)
        if round_.mode == "competing":
            competing = competing_flows.companions(busy, way, settings)
            end_s = AFTER_LONG * busy.last_s + LEAST_AFTER_S
    document: Document = {
        "seed": settings.seed,
        "duration": f"{end_s:.6f}s",
        "path": replayed.path,
        "stack": usual_stack(settings),
        "flows": [*flows, *competing.values()],
    }
    return Job(replayed, variant, round_, round_.applied(document), writer.labels, tuple(competing))


REVERSE: Document = {"direction": "reverse"}
AFTER_LONG, LEAST_AFTER_S = 1.5, 10.0
"""A replay beside long transfers, which have no end, ends after so many times the capture's own
length, and some seconds."""


def _most_goes_to_remote(talks: Sequence[Conversation], settings: Settings) -> bool:
    """Whether most of the data under test goes to the remote network."""
    sizes = {True: 0, False: 0}
    for talk in talks:
        for turn in talk.turns:
            if settings.direction in ("both", "client" if turn.from_client else "server"):
                towards = turn.from_client != talk.connection["client_is_remote"]
                sizes[towards] += turn.size_bytes
    return sizes[True] >= sizes[False]


def members(planned: Sequence[Job]) -> list[competing_flows.Member]:
    """The competing flows of some jobs, by their places."""
    members = []
    for run, job in enumerate(planned):
        first = len(job.scenario["flows"]) - len(job.companions)
        for number, name in enumerate(job.companions):
            flow, variant, network = first + number, job.variant.name, job.replayed.name
            members.append(competing_flows.Member(run, flow, name, variant, network))
    return members


def rows(planned: Sequence[Job], batch: "Batch") -> "pl.DataFrame":
    """One row per transfer and job of a batch: `planned` in the order of its scenarios.

    Times are those of the transfer: `fct_s` counts from when the application had it, and includes
    the handshake where that was when the connection opened.
    """
    import polars as pl

    if not len(batch["transfers"]):
        return pl.DataFrame()
    writes = frames.frame(batch["transfers"]).rename({"transfer": "write", "bytes": "size_bytes"})
    writes = writes.with_columns(
        fct_s=pl.col("delivered_s") - pl.col("available_s"),
        duration_s=pl.col("acked_s") - pl.col("available_s"),
        complete=pl.col("acked_s").is_not_null(),
        begins=pl.col("size_bytes").cum_sum().over("run", "flow") - pl.col("size_bytes"),
    )
    flows = frames.frame(batch["flows"]).select(*OF_FLOWS)
    joined = (
        _labels(planned).join(writes, on=["run", "flow", "write"]).join(flows, on=["run", "flow"])
    )
    if len(batch["limits"]):
        limits = frames.frame(batch["limits"]).rename({"transfer": "write"})
        joined = joined.join(limits, on=["run", "flow", "write"], how="left")
    delivered = pl.col("bytes_delivered").cast(pl.Int64) - pl.col("begins").cast(pl.Int64)
    return (
        joined.sort("run", "transfer")
        .with_columns(
            request=pl.col("write") + 1,
            slowdown=pl.col("fct_s") / pl.col("ideal_fct_s"),
            bytes_delivered=pl.min_horizontal(delivered.clip(0), "size_bytes"),
        )
        .drop("begins", "write")
    )


OF_FLOWS = (
    *("run", "flow", "cc", "stack", "seed", "direction", "bytes_delivered"),
    *("startup_exit_s", "startup_exit_cwnd_segments", "startup_exit_flight_bytes"),
    *("startup_exit_reason", "max_cwnd_segments", "max_queue_pkts", "bdp_pkts", "min_rtt_s"),
    *("buffer_accounting", "reset"),
)
"""The columns that the transfers of a flow share."""


def _labels(planned: Sequence[Job]) -> "pl.DataFrame":
    """Which transfer each write of each job stands for.

    One frame is made for all of them: there may be thousands, most of them of a few transfers.
    """
    import polars as pl

    columns: dict[str, list[Any]] = {
        field.name: [cell for job in planned for cell in getattr(job.labels, field.name)]
        for field in dataclasses.fields(Labels)
    }
    columns["run"] = [run for run, job in enumerate(planned) for _ in job.labels.transfer]
    of_runs = pl.DataFrame(
        {
            "run": range(len(planned)),
            "variant": [job.variant.name for job in planned],
            "startup": [str(job.variant.begins) for job in planned],
            "mode": [job.round.mode for job in planned],
            "network": [job.replayed.name for job in planned],
        },
        schema_overrides={"run": pl.Int64},
    )
    direction = pl.when("from_client").then(pl.lit("c2s")).otherwise(pl.lit("s2c"))
    return (
        pl.DataFrame(columns, schema_overrides={"opener": pl.String})
        .join(of_runs, on="run", maintain_order="left")
        .with_columns(capture_direction=direction)
        .drop("from_client")
    )


Progress: TypeAlias = Callable[[int, int], object]


@dataclass
class Meter:
    """How far a replay has come, in simulated transfers."""

    progress: Progress | None = None
    done: float = 0.0
    total: float = 0.0
    """How many there will be, as far as is known."""

    def report(self, more: float) -> None:
        """Shows that so many beyond `done` are done."""
        if self.progress:
            self.progress(round(self.done + more), round(max(self.total, self.done + more)))

    def add(self, more: float) -> None:
        """Counts so many as done."""
        self.done += more
        self.report(0.0)


PACKET_BYTES = 1448
"""Payload of a full-size packet of Ethernet, with timestamps."""
OVERHEAD = 200
"""Packets that take as long as what a simulated transfer costs beside its packets (measured)."""
FEW = 30_000
"""Transfers whose conversations are kept from pass to pass: more take more than 100 MB."""
AT_ONCE = 10_000
"""Transfers whose simulations are run together, and are in memory at the same time."""


@dataclass
class Runner:
    """Runs passes over the traffic of a capture."""

    capture: Capture
    settings: Settings
    workers: int | None = None
    meter: Meter = field(default_factory=Meter)
    failures: list[str] = field(default_factory=list)
    _competing: "list[pl.DataFrame]" = field(default_factory=list)
    _exact: tuple[Sequence[ReplayPath], list[Job]] | None = None
    """The jobs of the first pass, if they are few: repeats change their times only."""
    _talks: dict[str, list[list[Conversation]]] = field(default_factory=dict)
    """The conversations of each path, if they are few: all passes have the same."""

    def run(
        self, paths: Sequence[ReplayPath], round_: Round, variants: Sequence[Variant] = ()
    ) -> "Iterator[pl.DataFrame]":
        """The rows of the transfers under test, part by part, under these variants or all.

        Raises KeyboardInterrupt after those that were finished before it.
        """
        import polars as pl

        count = len(variants or self.settings.compared)
        wanted = sum(path.transfers for path in paths) * count
        self.meter.total = max(self.meter.total, self.meter.done + wanted)
        for some in self._planned(paths, round_, variants):
            rows, interrupted = self._run(some, round_)
            if not rows.is_empty():
                rows = rows.filter(pl.col("tested")).drop("run", "tested", "switched")
                drawn = self.capture.drawn
                yield rows.join(drawn.clusters, on="connection", how="semi") if drawn else rows
            if interrupted:
                raise KeyboardInterrupt

    def _planned(
        self, paths: Sequence[ReplayPath], round_: Round, variants: Sequence[Variant]
    ) -> Iterator[list[Job]]:
        """The jobs of a pass, some at a time."""
        if round_.repeat and self._exact and self._exact[0] is paths:
            yield [job.repeated(round_) for job in self._exact[1]]
            return
        keeps = round_ == TOGETHER and self._exact is None
        first: list[Job] = []
        few = sum(path.transfers for path in paths) <= FEW
        of = self._kept if few else parts
        for number, some in enumerate(_together(jobs(paths, self.settings, round_, of, variants))):
            first = some if number == 0 else []
            yield some
        if keeps and first:
            self._exact = paths, first
        elif variants and round_ == TOGETHER and self._exact:
            self._exact = (paths, [*self._exact[1], *first]) if first else None

    def _kept(self, replayed: ReplayPath) -> Talks:
        """The conversations of a path, which are kept for the next pass."""
        if replayed.name not in self._talks:
            self._talks[replayed.name] = list(parts(replayed))
        return self._talks[replayed.name]

    @property
    def competing(self) -> "pl.DataFrame | None":
        """What competing flows have come to; None without any."""
        import polars as pl

        return pl.concat(self._competing) if self._competing else None

    def _run(self, planned: list[Job], round_: Round) -> "tuple[pl.DataFrame, bool]":
        """Rows of all transfers, and whether they were interrupted."""
        weight = sum(len(job.labels.transfer) for job in planned)

        def report(done: int, of: int) -> None:
            self.meter.report(weight * done / max(of, 1))

        scenarios = [encode(job.scenario) for job in planned]
        limits = round_ in (TOGETHER, ALONE)  # whose rows are kept
        batch = run_many(scenarios, self.workers, report, self.settings.custom, limits=limits)
        self.meter.add(weight)
        runs = frames.rows(batch["runs"])
        self.failures += [f"{planned[r['run']].label}: {r['error']}" for r in runs if r["error"]]
        if round_.mode == "competing":
            self._competing.append(competing_flows.seen(members(planned), batch))
        return rows(planned, batch), batch["interrupted"]


def _together(planned: Iterator[Job]) -> Iterator[list[Job]]:
    """Jobs in lists of about so many transfers."""
    some: list[Job] = []
    transfers = 0
    for job in planned:
        some.append(job)
        transfers += len(job.labels.transfer)
        if transfers >= AT_ONCE:
            yield some
            some, transfers = [], 0
    if some:
        yield some
