"""Runs a sweep into a folder."""

import dataclasses
import io
import math
import pathlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, Self, TypeAlias

from flowstart.errors import RequestError
from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document
from flowstart.model.variants import Variant
from flowstart.public import RETURNED, Public
from flowstart.simulation import bounds
from flowstart.simulation.batch import cores
from flowstart.simulation.limits import RunEstimate
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.execution.executor import Executor, Here
from flowstart.sweeps.execution.store import Asked, Store, Swept
from flowstart.sweeps.execution.task import (
    PACKETS,
    Batch,
    BatchOutcome,
    RunCells,
    Task,
    batch_of,
    batches,
    texts,
)

SMALL = 3 * PACKETS
"""A sweep of fewer packets is done before it is estimated."""
LOOKED_AT = 2000
"""Cells whose packets are counted, spread over the sweep."""
LOOK_FOR_S = 3.0
RUN = 48
"""Cells among them that are run, those with few packets first."""
TOGETHER = 8
"""So many are run at once where they have few packets: a file of rows by itself takes as long as
some cells."""
RUN_FOR_S = 2.0
MODEST_S = 3600.0
"""A sweep that takes longer is not run without a question."""


@dataclass(frozen=True)
class Estimate(metaclass=Public):
    """What a sweep will take, roughly.

    Attributes:
        runs: Number of runs.
        cpu_s: CPU time of all runs, in seconds.
        bytes: Size on the disk, in bytes.
        packets: Data packets of all runs.
        workers: How many batches are run at a time.
    """

    __signature__ = RETURNED

    runs: float
    cpu_s: float
    bytes: float
    packets: float
    workers: int

    @property
    def usage(self) -> RunEstimate:
        """The same as limits have it: a row is a flow under test, and cells take no memory."""
        return RunEstimate(self.packets, self.runs, 0.0, self.wall_s)

    @property
    def wall_s(self) -> float:
        """How long it will take with its workers."""
        return self.cpu_s / self.workers

    @property
    def is_modest(self) -> bool:
        """Whether it is done within an hour."""
        return self.wall_s <= MODEST_S

    def __str__(self) -> str:
        """`about 320,000 runs: 4 min of processor time, 2 min with 2 workers, 60 MB`."""
        workers = "1 worker" if self.workers == 1 else f"{self.workers} workers"
        return (
            f"about {_two_digits(self.runs):,} runs: {_time(self.cpu_s)} of processor time, "
            f"{_time(self.wall_s)} with {workers}, {_size(self.bytes)}"
        )


def estimate(
    cells: Iterable[Cell],
    count: int,
    variants: int,
    cost: Callable[[Cell], float],
    executor: Executor,
) -> Estimate | None:
    """What `count` cells will take under so many variants; None where they are soon done."""
    looked_at = list(_looked_at(cells, count))
    packets = [cost(cell) for cell in looked_at]
    total = sum(packets) / max(len(packets), 1) * count
    if total <= SMALL:
        return None
    some = sorted(zip(packets, looked_at, strict=True), key=lambda pair: pair[0])
    some = some[:: math.ceil(len(some) / RUN)]
    groups = list(_groups(some))
    answers = list(_answers([cells for _, cells in groups], executor))
    ran = sum(packets for packets, _ in groups[: len(answers)])
    rows, size = _size_of(answers)
    return Estimate(
        runs=count * variants,
        cpu_s=sum(answer.seconds for answer in answers) * total / ran,
        bytes=size * count * variants / max(rows, 1),
        packets=total,
        workers=executor.workers,
    )


def _looked_at(cells: Iterable[Cell], count: int) -> Iterator[Cell]:
    """Cells spread over all of them, as far as they are made in time."""
    end = time.monotonic() + LOOK_FOR_S
    for cell in islice(cells, 0, None, math.ceil(count / LOOKED_AT)):
        yield cell
        if time.monotonic() > end:
            return


def _groups(some: Iterable[tuple[float, Cell]]) -> Iterator[tuple[float, list[Cell]]]:
    """Cells that are run at once, with their packets."""
    packets, group = 0.0, list[Cell]()
    for more, cell in some:
        if group and (len(group) == TOGETHER or packets + more > PACKETS / 4):
            yield packets, group
            packets, group = 0.0, []
        packets += more
        group.append(cell)
    yield packets, group


def _answers(groups: Iterable[list[Cell]], executor: Executor) -> Iterator[BatchOutcome]:
    """What the first cells come to, for as long as there is time."""
    end = time.monotonic() + RUN_FOR_S

    def in_time() -> Iterator[Batch]:
        for number, cells in enumerate(groups):
            if number and time.monotonic() > end:
                return
            yield batch_of(cells, number)

    for _, answer in executor.run(in_time()):
        yield answer


def _size_of(answers: Iterable[BatchOutcome]) -> tuple[int, int]:
    """How many rows there are, and the bytes of one part with all of them."""
    import polars as pl

    frames = [pl.read_parquet(io.BytesIO(answer.part)) for answer in answers if answer.part]
    if not frames:
        return 0, 0
    together = io.BytesIO()
    pl.concat(frames).write_parquet(together, compression="zstd")
    return sum(frame.height for frame in frames), len(together.getvalue())


def _two_digits(number: float) -> int:
    return round(int(number), 2 - len(str(int(number))))


def _time(seconds: float) -> str:
    for unit, size in (("days", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 1):.0f} s"


def _size(size: float) -> str:
    for unit, base in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= base:
            return f"{size / base:.2g} {unit}" if size < 10 * base else f"{size / base:.0f} {unit}"
    return "less than 1 MB"


class SweepRequest(Protocol):
    """A sweep as it was asked for and checked."""

    @property
    def document(self) -> Document:
        """What was asked, as JSON knows it: the same for everything that means the same."""

    @property
    def variants(self) -> tuple[Variant, ...]:
        """What is put on each cell; startups are names."""

    @property
    def custom(self) -> CustomStartups:
        """The startups of one's own among them."""

    @property
    def count(self) -> int:
        """How many cells there are, those that collapse included."""

    @property
    def collapsed(self) -> Mapping[str, int]:
        """After all cells have been made: how many of them each parameter did not change."""

    def cells(self) -> Iterator[Cell]:
        """The cells in their order, made as they are asked for."""

    def only(self, split: str) -> Self:
        """The same with the cells of one set."""


Progress: TypeAlias = Callable[[int, int], object]
Approve: TypeAlias = Callable[[Estimate], bool]
Cost: TypeAlias = Callable[[Cell, Sequence[Variant]], float]

MOST_LATER = 64
"""So many batches of other commands are put off before it is seen which of them are done."""


def is_modest(estimate: Estimate) -> bool:
    """Whether a sweep is done within an hour."""
    return estimate.is_modest


@dataclass(frozen=True)
class Way:
    """How a sweep is run; nothing of it changes a row."""

    run: RunCells
    cost: Cost
    """About how many packets a cell is under all variants."""
    workers: int | None = None
    """Processes of this machine; with one, this process. As many as there are cores if None."""
    dask: str | None = None
    """The address of a scheduler, in place of processes."""
    progress: Progress | None = None
    """Told of cells that are done, and of how many there are, after each batch."""
    approve: Approve = is_modest
    """Asked whether a sweep that is not small is to be run."""


def run(question: SweepRequest, folder: pathlib.Path, way: Way, split: str = "") -> Swept:
    """Runs the cells of a sweep whose rows are not in the folder yet.

    Raises RequestError, with nothing written, where that cannot be done or is not approved.
    """
    if way.workers is not None and way.dask is not None:
        raise RequestError("contradicts dask; give one of the two", ("workers",))
    known = texts(question.custom)
    identity = Asked(question.document, split, question.variants, known, question.count)
    task = Task(way.run, question.variants, question.custom.portable(), identity.key)
    store = Store(folder)
    store.check(identity)
    return _Running(question, store, identity, task, way).run()


class _Running:
    """A sweep while it is run."""

    def __init__(
        self, question: SweepRequest, store: Store, identity: Asked, task: Task, way: Way
    ) -> None:
        self.question = question
        self.store = store
        self.identity = identity
        self.task = task
        self.way = way
        self.total = identity.cells
        """Cells, without those whose rows were there before."""
        self.done = 0
        """How many of them are done."""
        self.ran = 0
        """Runs."""

    def run(self) -> Swept:
        """All of it."""
        complete = self.store.complete
        if complete and complete["sweep"] == self.identity.key and not self.store.damaged():
            return self._swept(complete["collapsed"])
        interrupted = False
        with _executor(self.task, self.way) as executor:
            self._ask(executor)
            with self.store.open(self.identity):
                try:
                    self._fill(executor)
                except KeyboardInterrupt:
                    interrupted = True
        collapsed = {} if interrupted else dict(self.question.collapsed)
        if not interrupted and not self.store.failures:
            self.store.finish({"sweep": self.identity.key, "collapsed": collapsed})
        return self._swept(collapsed, interrupted)

    def _swept(self, collapsed: dict[str, int], interrupted: bool = False) -> Swept:
        failures = self.store.failures
        return Swept(self.store, self.identity.cells, self.ran, collapsed, failures, interrupted)

    def _cost(self, cell: Cell) -> float:
        return self.way.cost(cell, self.identity.variants)

    def _ask(self, executor: Executor) -> None:
        """Has a sweep approved that is new and not small."""
        if self.store.is_begun:
            return
        cells, variants = self.question.cells(), len(self.identity.variants)
        expected = estimate(cells, self.total, variants, self._cost, executor)
        if expected:
            bounds.current().check(expected.usage)
        if expected and not self.way.approve(expected):
            raise RequestError(
                f"{self.store.place}: {expected}; ask for less, or say that this is meant "
                "(`approve=lambda estimate: True`)"
            )

    def _fill(self, executor: Executor) -> None:
        for batch, answer in executor.run(self._missing()):
            if answer.exceeded:
                pass  # the batch is left for the same command with a higher limit
            elif answer.error is None:
                self.store.put(batch, answer.part)
                self.ran += answer.rows
            else:
                self.store.fail(batch, answer.error)
            self.done += batch.places
            self._report()
            bounds.current().note(answer.packets, answer.exceeded)
            if bounds.current().exceeded:
                raise KeyboardInterrupt
        self.done = self.total  # with what collapsed behind the last batch
        self._report()

    def _report(self) -> None:
        if self.way.progress:
            self.way.progress(self.done, self.total)

    def _missing(self) -> Iterator[Batch | None]:
        """The batches whose parts are not there; last those that other commands are at work on.

        None where all that are left are being run by others: they may fail to.
        """
        later: list[Batch] = []
        for batch in batches(self.question.cells(), self._cost, self.identity.key):
            if self._is_mine(batch, later):
                yield batch
            if len(later) > MOST_LATER:
                later = [other for other in later if not self._is_there(other)]
        while later:
            others, later = later, []
            for batch in others:
                if self._is_mine(batch, later):
                    yield batch
            if later:
                yield None

    def _is_mine(self, batch: Batch, later: list[Batch]) -> bool:
        """Whether this command is to run a batch; it joins `later` where another does."""
        if self._is_there(batch):
            return False
        if not self.store.claim(batch):
            later.append(batch)
            return False
        if self._is_there(batch):  # since a moment ago
            self.store.release(batch)
            return False
        self.store.set_damaged_aside(batch)
        return True

    def _is_there(self, batch: Batch) -> bool:
        if not self.store.has(batch):
            return False
        self.total -= batch.places
        return True


def _executor(task: Task, way: Way) -> Executor:
    # Imported here: most sweeps need one of them, and Dask takes long to load.
    if way.dask is not None:
        from flowstart.sweeps.execution.executor import Cluster

        return Cluster(task, way.dask)
    workers = cores() if way.workers is None else way.workers
    if workers == 1:
        return Here(task)
    from flowstart.sweeps.execution.executor import Local

    limits = task.limits.shared(workers)
    return Local(dataclasses.replace(task, limits=limits), workers)
