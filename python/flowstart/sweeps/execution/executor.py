"""Where batches are run: in this process, in several on this machine, or on a cluster.

The process that asks, alone, writes to the store; workers give it the bytes of parts.
"""

import abc
import collections
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from multiprocessing import Pipe, connection
from typing import TYPE_CHECKING, Any, Self

from flowstart import extras
from flowstart.errors import FlowstartError, RequestError, SimulationError
from flowstart.simulation import bounds
from flowstart.simulation.batch import pickled
from flowstart.sweeps.execution.task import Answer, Batch, Task

if TYPE_CHECKING:
    from distributed import Client, Future


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

    def _landed(self, flying: dict[int, Batch]) -> Iterator[tuple[Batch, Answer]]:
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
        self._answers: list[Answer] = []

    def submit(self, batch: Batch) -> None:
        """Runs it."""
        task = replace(self._task, limits=bounds.current().rest)
        self._answers.append(task.answer(batch))

    def wait(self) -> list[Answer]:
        """What has been run."""
        answers, self._answers = self._answers, []
        return answers


MOST_DEATHS = 3
"""A batch that has ended so many processes is not run again."""
AHEAD = 2
"""Batches that a process has at a time: the one that it runs, and the next."""

ENDS_WITHIN_S = 1.0
"""A process whose sockets are closed."""
LONGEST_S = 3600.0
"""How long the system is asked to wait at a time: it counts milliseconds in 32 bits."""
STDERR = 2
"""Its file descriptor."""


class Local(Executor):
    """Runs batches in so many processes."""

    def __init__(self, task: Task, workers: int) -> None:
        self.workers = workers
        self._task = task
        self._deaths: collections.Counter[str] = collections.Counter()
        self._processes: list[_Process] = []
        try:
            self._processes += [_Process() for _ in range(workers)]
            for process in self._processes:
                process.begin(task)
        except BaseException:
            self.close()
            raise

    @property
    def room(self) -> int:
        """Enough for each to have one to go on with."""
        return AHEAD * self.workers

    def submit(self, batch: Batch) -> None:
        """Gives it to the process that has the least to do."""
        min(self._processes, key=lambda one: len(one.held)).give(batch)

    def wait(self) -> list[Answer]:
        """Answers of one or more processes; those that have ended are replaced."""
        busy = {one.pipe: one for one in self._processes if one.held}
        found = []
        mine = bounds.current()
        ready = connection.wait(list(busy), min(mine.left_s, LONGEST_S))
        if not ready:
            mine.check_rest()
        for pipe in ready:
            process = busy[pipe]  # type: ignore[index] # these are all connections
            answer = process.take()
            found.append(answer if answer else self._replace(process))
        return [answer for answer in found if answer]

    def _replace(self, ended: "_Process") -> Answer | None:
        """Puts another in the place of a process that has ended; it goes on with what that had."""
        how = ended.how_it_ended()
        batch = ended.held[0]
        self._deaths[batch.key] += 1
        gave_up = self._deaths[batch.key] == MOST_DEATHS
        new = _Process()
        self._processes[self._processes.index(ended)] = new
        new.begin(self._task)
        for held in list(ended.held)[gave_up:]:
            new.give(held)
        return (
            Answer(batch.number, error=f"ended {MOST_DEATHS} workers ({how})") if gave_up else None
        )

    def close(self) -> None:
        """Ends all processes at once."""
        for process in self._processes:
            process.end()


class _Process:
    """A worker, and what it has been given."""

    def __init__(self) -> None:
        self.held: collections.deque[Batch] = collections.deque()
        """Batches without an answer; it runs the first."""
        self.pipe, theirs = Pipe()
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "flowstart.sweeps.execution.worker", str(number)],
                stdin=subprocess.DEVNULL,
                stdout=STDERR,  # for what startups of the user's print
                pass_fds=(number,),
                env=_environment(),
                process_group=0,  # so that Ctrl-C is this process's alone
            )

    def begin(self, task: Task) -> None:
        """Tells it what to do with batches, once it is there."""
        try:
            content = pickled(task, task.startups)
        except Exception as error:  # noqa: BLE001 # whatever makes it impossible
            raise RequestError(
                "startups that cannot be pickled are run with one worker (--workers 1), or from a "
                f"file, as `./mine.py:Mine`: {error}"
            ) from None
        with contextlib.suppress(OSError):  # it has ended, and is found out below
            self.pipe.send_bytes(content)
        said = self._received()
        if isinstance(said, str):
            raise SimulationError(f"a worker could not begin: {said}")
        if said is None:
            raise SimulationError(f"a worker ended before it began ({self.how_it_ended()})")

    def give(self, batch: Batch) -> None:
        """Has it run a batch after those that it has."""
        self.held.append(batch)
        with contextlib.suppress(OSError):  # it has ended: whoever waits for it finds that out
            self.pipe.send(batch)

    def take(self) -> Answer | None:
        """Its next answer; None where it has ended."""
        said = self._received()
        if said is not None:
            self.held.popleft()
        return said  # type: ignore[no-any-return]

    def _received(self) -> Any:
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            return None

    def how_it_ended(self) -> str:
        """In words, of one whose end of the sockets is closed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(ENDS_WITHIN_S)
        self.end()
        status = self._process.returncode
        return f"signal {-status}" if status < 0 else f"exit status {status}"

    def end(self) -> None:
        """Ends it at once."""
        self.pipe.close()
        self._process.kill()
        self._process.wait()


def _environment() -> dict[str, str]:
    """That of this process, with what can be imported here, and one thread for each library."""
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "POLARS_MAX_THREADS": "1",
    }


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
        self._futures: dict[Future[Answer], Batch] = {}
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

    def wait(self) -> list[Answer]:
        """What the scheduler has heard of since."""
        with bounds.current().watched():
            return [self._answer(future) for future in self._done.next_batch()]

    def _answer(self, future: "Future[Answer]") -> Answer:
        from distributed import KilledWorker

        batch = self._futures.pop(future)
        try:
            answer: Answer = future.result()
            return answer
        except KilledWorker as error:
            return Answer(batch.number, error=" ".join(str(error).split()))
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
