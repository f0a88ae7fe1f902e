"""Where batches are run: in this process, in several on this machine, or on a cluster.

The process that asks, alone, writes to the store; workers give it the bytes of parts.
"""

import abc
import contextlib
import functools
import os
import pickle
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from flowstart import extras, interrupts
from flowstart.errors import FlowstartError, RequestError, SimulationError
from flowstart.simulation import bounds
from flowstart.simulation.batch import pickled, worker_processes
from flowstart.sweeps.execution.task import Batch, BatchOutcome, Task

if TYPE_CHECKING:
    from distributed import Client, Future


T = TypeVar("T")
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
    def wait(self) -> list[BatchOutcome]:
        """The next answers, as soon as there is one."""

    def close(self) -> None:  # noqa: B027 # one in this process has nothing to end
        """Ends everything that is not finished."""

    def run(self, batches: Iterable[Batch | None]) -> Iterator[tuple[Batch, BatchOutcome]]:
        """Batches with their answers, soonest first.

        None among the batches says that more will come, but not yet.
        """
        flying: dict[int, Batch] = {}
        for batch in batches:
            bounds.current().check_rest()
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

    def _landed(self, flying: dict[int, Batch]) -> Iterator[tuple[Batch, BatchOutcome]]:
        for answer in self.wait():
            yield flying.pop(answer.number), answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Here(Executor):
    """Runs batches in this process, one after the other."""

    workers = 1
    room = 1

    def __init__(self, task: Task) -> None:
        task.prepare()
        self._task = task
        self._answers: list[BatchOutcome] = []

    def submit(self, batch: Batch) -> None:
        """Runs it."""
        task = replace(self._task, limits=bounds.current().rest)
        self._answers.append(task.answer(batch))

    def wait(self) -> list[BatchOutcome]:
        """What has been run."""
        answers, self._answers = self._answers, []
        return answers


MOST_DEATHS = 3
"""A batch that has ended so many processes is not run again."""
AHEAD = 2
"""Batches for each process: the one that it runs, and the next."""
LOOK_UP_EVERY_S = 0.05
"""The longest delay of Ctrl-C."""
STDOUT, STDERR = 1, 2
"""Their file descriptors."""


class Local(Executor):
    """Runs batches in so many processes."""

    def __init__(self, task: Task, workers: int) -> None:
        self.workers = workers
        self._content = _pickled(task)
        self._batches: dict[futures.Future[BatchOutcome], Batch] = {}
        self._pools = contextlib.ExitStack()
        try:
            self._begin()
            self._submitted(_task, self._content).result()
        except futures.BrokenExecutor as error:
            self.close()
            raise SimulationError(f"a worker ended before it began ({_ending(error)})") from None
        except Exception as error:  # noqa: BLE001 # whatever startups in files raise
            self.close()
            problem = f"a worker could not begin: {type(error).__name__}: {error}"
            raise SimulationError(problem) from None
        except BaseException:
            self.close()
            raise

    @property
    def room(self) -> int:
        """Enough for each to have one to go on with."""
        return AHEAD * self.workers

    def submit(self, batch: Batch) -> None:
        """Gives it to the next process that has nothing to do."""
        self._batches[self._submitted(_answer, self._content, batch)] = batch

    def wait(self) -> list[BatchOutcome]:
        """Answers of one or more processes; where one has ended, all are replaced."""
        mine, ctrl_c = bounds.current(), threading.Event()
        done: set[futures.Future[BatchOutcome]] = set()
        # Python discards what is raised in finalisers and callbacks, also of loky.
        with interrupts.noting_ctrl_c(ctrl_c):
            while not (done or ctrl_c.is_set() or mine.left_s <= 0):
                patience = min(mine.left_s, LOOK_UP_EVERY_S)
                done, _ = futures.wait(self._batches, patience, futures.FIRST_COMPLETED)
        if ctrl_c.is_set():
            raise KeyboardInterrupt
        if not done:
            mine.check_rest()
        broken = {f for f in done if isinstance(f.exception(), futures.BrokenExecutor)}
        for future in done - broken:
            del self._batches[future]
        answers = [future.result() for future in done - broken]
        if broken:
            suspects, self._batches = self._batches, {}
            self._begin()
            answers += [self._alone(batch) for batch in suspects.values()]
        return answers

    def _begin(self) -> None:
        self._pools.close()
        self._pool = self._pools.enter_context(worker_processes(self.workers))

    def _submitted(self, run: Callable[..., T], *arguments: Any) -> "futures.Future[T]":
        with interrupts.blocked_ctrl_c():  # which processes inherit: this one ends them
            return self._pool.submit(run, *arguments)

    def _alone(self, batch: Batch) -> BatchOutcome:
        """The answer of a batch that may have ended its process; no other runs meanwhile."""
        for _ in range(MOST_DEATHS - 1):
            try:
                return self._submitted(_answer, self._content, batch).result()
            except futures.BrokenExecutor as error:
                ending = _ending(error)
                self._begin()
        return BatchOutcome(batch.number, error=f"ended {MOST_DEATHS} workers ({ending})")

    def close(self) -> None:
        """Ends all processes at once."""
        self._pools.close()


def _pickled(task: Task) -> bytes:
    try:
        return pickled(task, task.startups)
    except Exception as error:  # noqa: BLE001 # whatever makes it impossible
        raise RequestError(
            "startups that cannot be pickled are run with one worker (--workers 1), or from a "
            f"file, as `./mine.py:Mine`: {error}"
        ) from None


def _ending(error: BaseException) -> str:
    """How a process has ended, which loky reports as `{SIGKILL(-9)}`."""
    match = re.search(r"\((-?\d+)\)", str(error))
    status = int(match[1]) if match else 1
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def _answer(content: bytes, batch: Batch) -> BatchOutcome:
    """Runs a batch, in a process."""
    return _task(content).answer(batch)


@functools.cache
def _task(content: bytes) -> Task:
    """The task of a process, for its first batch."""
    os.dup2(STDERR, STDOUT)  # for what startups of the user's print
    task: Task = pickle.loads(content)
    task.prepare()
    return task


PATIENCE = "10s"
"""How long a scheduler may take to answer."""
AHEAD_OF_WORKERS = 3
"""Batches on their way for each of a worker's threads, so that none waits for the next."""
COUNT_AGAIN_S = 2.0
"""Workers may come and go; so often are they counted."""


class Cluster(Executor):
    """Runs batches on the workers of a scheduler. Those of lost workers are run by others."""

    def __init__(self, task: Task, address: str) -> None:
        extras.require("dask", "a Dask scheduler")
        from distributed import as_completed

        self._task = task
        self._address = address
        self._client = _client(address)
        self._futures: dict[Future[BatchOutcome], Batch] = {}
        self._done = as_completed(loop=self._client.loop)
        self._counted = 0.0
        self._count()

    def _count(self) -> None:
        self.workers = max(1, sum(self._client.nthreads().values()))
        self._counted = time.monotonic()

    @property
    def room(self) -> int:
        """Enough for all threads of the workers that there are now."""
        if time.monotonic() - self._counted > COUNT_AGAIN_S:
            self._count()
        return AHEAD_OF_WORKERS * self.workers

    def submit(self, batch: Batch) -> None:
        """Gives it to the scheduler."""
        name = f"flowstart-{self._task.sweep[:16]}-{batch.name}"
        future = self._client.submit(Task.checked_answer, self._task, batch, key=name)
        self._futures[future] = batch
        self._done.add(future)

    def wait(self) -> list[BatchOutcome]:
        """What the scheduler has heard of since."""
        with bounds.current().watched():
            return [self._answer(future) for future in self._done.next_batch()]

    def _answer(self, future: "Future[BatchOutcome]") -> BatchOutcome:
        from distributed import KilledWorker

        batch = self._futures.pop(future)
        try:
            answer: BatchOutcome = future.result()
            return answer
        except KilledWorker as error:
            return BatchOutcome(batch.number, error=" ".join(str(error).split()))
        except FlowstartError:
            raise
        except Exception as error:  # noqa: BLE001 # the scheduler is lost, or a worker lacks something
            raise SimulationError(
                f"dask = {self._address}: {type(error).__name__}: {error}; finished runs are kept, "
                "and the same command resumes the sweep"
            ) from None

    def close(self) -> None:
        """Gives up what is not finished; the cluster stays."""
        self._client.cancel(list(self._futures))
        self._client.close()


def _client(address: str) -> "Client":
    from distributed import Client
    from distributed.comm.addressing import get_address_host_port

    try:
        if not address.startswith("inproc:"):  # the others have a host and a port
            get_address_host_port(address)  # a client without would take long to give up
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RequestError(
            f"no scheduler answers there ({error}); `dask scheduler` shows its "
            "address, such as tcp://10.0.0.1:8786",
            ("dask",),
            address,
        ) from None
