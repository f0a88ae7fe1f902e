"""Batches in processes of this machine.

Each is a new interpreter that runs `flowstart.sweeps.execution.worker`; so a program that asks need
not be importable, as `multiprocessing` wants it to be. What a process has to do goes through one
pair of connected sockets, and so does what it answers. It ends when this process does, however that
ends.
"""

import collections
import contextlib
import os
import subprocess
import sys
from multiprocessing import Pipe, connection
from typing import Any

from flowstart.errors import RequestError, SimulationError
from flowstart.simulation import bounds
from flowstart.sweeps.execution.batches import Batch
from flowstart.sweeps.execution.executor import Executor
from flowstart.sweeps.execution.task import Answer, Task

MOST_DEATHS = 3
"""A batch that has ended so many processes is not run again."""
AHEAD = 2
"""Batches that a process has at a time: the one that it runs, and the next."""

ENDS_WITHIN_S = 1.0
"""A process whose sockets are closed."""
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
        ready = connection.wait(list(busy), bounds.current().left_s)
        if not ready:
            bounds.current().check_time()
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
            self.pipe.send(task)
        except OSError:
            pass  # it has ended, and is found out below
        except Exception as error:  # noqa: BLE001 # whatever makes it impossible
            raise RequestError(
                "startups that other processes cannot have are run with one worker "
                f"(--workers 1), or from a file, as `./mine.py:Mine`: {error}"
            ) from None
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
