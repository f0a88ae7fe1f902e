"""Where batches are run: in this process, in several on this machine (`local`), or on a cluster.

The process that asks, alone, writes to the store; workers give it the bytes of parts.
"""

import abc
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self

from flowstart.simulation import bounds
from flowstart.sweeps.execution.batches import Batch
from flowstart.sweeps.execution.task import Answer, Task

LOOK_AGAIN_S = 0.1
"""How long nothing is done where all batches that are left are run by other commands."""


class Executor(abc.ABC):
    """Runs batches, as many at a time as its workers need to be busy."""

    workers: int
    """How many batches are run at a time."""

    @property
    @abc.abstractmethod
    def room(self) -> int:
        """How many batches may be on their way at a time."""

    @abc.abstractmethod
    def submit(self, batch: Batch) -> None:
        """Begins with a batch, or has it wait for a worker."""

    @abc.abstractmethod
    def wait(self) -> list[Answer]:
        """The next answers, as soon as there is one."""

    def close(self) -> None:  # noqa: B027 # one in this process has nothing to end
        """Ends everything that is not finished."""

    def run(self, batches: Iterable[Batch | None]) -> Iterator[tuple[Batch, Answer]]:
        """Batches with their answers, soonest first.

        None among the batches says that more will come, but not yet.
        """
        flying: dict[int, Batch] = {}
        for batch in batches:
            bounds.current().check_time()
            if batch is not None:
                flying[batch.number] = batch
                self.submit(batch)
                if len(flying) < self.room:
                    continue
            if flying:
                yield from self._landed(flying)
            else:
                time.sleep(LOOK_AGAIN_S)
        while flying:
            yield from self._landed(flying)

    def _landed(self, flying: dict[int, Batch]) -> Iterator[tuple[Batch, Answer]]:
        for answer in self.wait():
            yield flying.pop(answer.number), answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Here(Executor):
    """Runs batches in this process, one after the other."""

    workers = 1
    room = 1

    def __init__(self, task: Task) -> None:
        task.prepare()
        self._task = task
        self._answers: list[Answer] = []

    def submit(self, batch: Batch) -> None:
        """Runs it."""
        self._answers.append(self._task.answer(batch))

    def wait(self) -> list[Answer]:
        """What has been run."""
        answers, self._answers = self._answers, []
        return answers
