"""Runs a sweep into a folder."""

import pathlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from flowstart.errors import RequestError
from flowstart.model.variants import Variant
from flowstart.simulation import bounds
from flowstart.simulation.batch import cores
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.execution.batches import Batch, batches
from flowstart.sweeps.execution.estimate import Estimate, estimate
from flowstart.sweeps.execution.executor import Executor, Here
from flowstart.sweeps.execution.question import Question
from flowstart.sweeps.execution.store import Asked, Store
from flowstart.sweeps.execution.swept import Swept
from flowstart.sweeps.execution.task import RunCells, Task, portable, texts

Progress: TypeAlias = Callable[[int, int], object]
Approve: TypeAlias = Callable[[Estimate], bool]
Cost: TypeAlias = Callable[[Cell, Sequence[Variant]], float]

MOST_LATER = 64
"""So many batches of other commands are put off before it is seen which of them are done."""


def is_modest(found: Estimate) -> bool:
    """Whether a sweep is done within an hour."""
    return found.is_modest


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


def run(question: Question, place: pathlib.Path, way: Way, split: str = "") -> Swept:
    """Runs the cells of a sweep whose rows are not in the folder yet.

    Raises RequestError, with nothing written, where that cannot be done or is not approved.
    """
    if way.workers is not None and way.dask is not None:
        raise RequestError("workers: contradicts dask; give one of the two")
    known = texts(question.custom)
    asked = Asked(question.document, split, question.variants, known, question.count)
    task = Task(way.run, question.variants, portable(question.custom), asked.key)
    store = Store(place)
    store.check(asked)
    return _Running(question, store, asked, task, way).run()


class _Running:
    """A sweep while it is run."""

    def __init__(
        self, question: Question, store: Store, asked: Asked, task: Task, way: Way
    ) -> None:
        self.question = question
        self.store = store
        self.asked = asked
        self.task = task
        self.way = way
        self.total = asked.cells
        """Cells, without those whose rows were there before."""
        self.done = 0
        """How many of them are done."""
        self.ran = 0
        """Runs."""

    def run(self) -> Swept:
        """All of it."""
        complete = self.store.complete
        if complete and complete["sweep"] == self.asked.key and not self.store.damaged():
            return self._swept(complete["collapsed"])
        interrupted = False
        with _executor(self.task, self.way) as executor:
            self._ask(executor)
            with self.store.open(self.asked):
                try:
                    self._fill(executor)
                except KeyboardInterrupt:
                    interrupted = True
        collapsed = {} if interrupted else dict(self.question.collapsed)
        if not interrupted and not self.store.failures:
            self.store.finish({"sweep": self.asked.key, "collapsed": collapsed})
        return self._swept(collapsed, interrupted)

    def _swept(self, collapsed: dict[str, int], interrupted: bool = False) -> Swept:
        failures = self.store.failures
        return Swept(self.store, self.asked.cells, self.ran, collapsed, failures, interrupted)

    def _cost(self, cell: Cell) -> float:
        return self.way.cost(cell, self.asked.variants)

    def _ask(self, executor: Executor) -> None:
        """Has a sweep approved that is new and not small."""
        if self.store.is_begun:
            return
        cells, variants = self.question.cells(), len(self.asked.variants)
        found = estimate(cells, self.total, variants, self._cost, executor)
        if found:
            bounds.current().check(found.usage)
        if found and not self.way.approve(found):
            raise RequestError(
                f"{self.store.place}: {found}; ask for less, or say that this is meant "
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
        for batch in batches(self.question.cells(), self._cost, self.asked.key):
            if self._is_mine(batch, later):
                yield batch
            if len(later) > MOST_LATER:
                later = [one for one in later if not self._is_there(one)]
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
        from flowstart.sweeps.execution.cluster import Cluster

        return Cluster(task, way.dask)
    workers = cores() if way.workers is None else way.workers
    if workers == 1:
        return Here(task)
    from flowstart.sweeps.execution.local import Local

    return Local(task, workers)
