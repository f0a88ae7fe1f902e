"""Many scenarios at once.

The simulator runs them on threads. Those with a startup written in Python would take turns on the
calling thread, where only one can have the interpreter's lock; so they go to processes, copies of
this one (fork), which have the classes as they are here.
"""

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

from flowstart import _native
from flowstart.errors import SimulationError
from flowstart.interrupts import end_with, noting_ctrl_c
from flowstart.model.custom import CustomStartups
from flowstart.simulation import bounds

if TYPE_CHECKING:
    from flowstart._native import Batch, Table
    from flowstart._native import CustomStartups as Natives

Progress: TypeAlias = Callable[[int, int], object]

TableName: TypeAlias = Literal["runs", "flows", "transfers", "objects", "links", "startups"]

LOOK_UP_EVERY = 0.05
"""Seconds that progress may wait."""

PARTS_PER_PROCESS = 8
"""A process takes so much less than its share at a time, so that none is left with the rest."""

MOST_AT_A_TIME = 32


def run_many(
    scenarios: list[str],
    workers: int | None,
    progress: Progress | None,
    custom: CustomStartups,
) -> "Batch":
    """What scenarios, as text, come to on up to `workers` threads and processes.

    All cores where `workers` is None; with one, what is written in Python stays on this thread.
    """
    natives = custom.natives()
    processes = cores() if workers is None else workers
    mine = bounds.current()
    approve = mine.approval(processes)
    progress = mine.reporting(progress)
    apart: list[int] = []
    if natives and processes > 1 and may_fork():
        calls_python = _native.calls_python(scenarios, natives, approve)
        apart = [index for index, calls in enumerate(calls_python) if calls]
    if len(apart) < 2:
        with mine.watched() as cancel:
            return _native.run_many(scenarios, workers, progress, natives, (approve, cancel))
    return _Batch(scenarios, natives, progress).run(apart, workers, processes)


def cores() -> int:
    """Those that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def may_fork() -> bool:
    """Whether copies of this process do what it does: elsewhere system libraries forbid it.

    In a copy polars waits for ever for threads that were not copied. Under a debugger everything
    stays where the debugger is.
    """
    if sys.platform != "linux" or multiprocessing.current_process().daemon or _has_polars():
        return False
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    debugged = monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None
    return sys.gettrace() is None and not debugged


def _has_polars() -> bool:
    return "polars" in sys.modules


@dataclass
class _Failed:
    """What a process has met in a part."""

    part: int
    error: BaseException


@dataclass
class _Done:
    """A part that is finished, or was interrupted by a hook."""

    part: int
    columns: "Batch"
    packets: int
    """Sent, and the limit that was exceeded."""
    exceeded: str | None


@dataclass
class _Batch:
    """Scenarios some of which are run in processes."""

    scenarios: list[str]
    natives: "Natives"
    progress: Progress | None
    parts: list[list[int]] = field(default_factory=list)
    """What processes take at a time, in this order: numbers of scenarios."""
    found: "dict[int, Batch]" = field(default_factory=dict)
    """What parts have come to."""
    failed: dict[int, BaseException] = field(default_factory=dict)
    """What was raised in parts."""
    pipes: list[connection.Connection] = field(default_factory=list)
    """From the processes that are at work."""
    ctrl_c: threading.Event = field(default_factory=threading.Event)
    """Whether it was pressed meanwhile."""

    def run(self, apart: list[int], workers: int | None, processes: int) -> "Batch":
        """Runs those `apart` in processes, and the others on threads meanwhile."""
        size = len(apart) // (processes * PARTS_PER_PROCESS)
        size = max(1, min(size, MOST_AT_A_TIME))
        self.parts = [apart[at : at + size] for at in range(0, len(apart), size)]
        others = sorted(set(range(len(self.scenarios))) - set(apart))
        here: list[Batch] = []
        # Python discards what is raised in finalisers and in callbacks around a fork
        # (`os.register_at_fork`; `logging` has some), and a fork lasts long enough for Ctrl-C.
        with noting_ctrl_c(self.ctrl_c), self._processes(min(processes, len(self.parts))):
            try:
                if others:
                    with bounds.current().counted() as cancel:
                        batch = self._run_here(others, workers, self._look_up, cancel=cancel)
                    here.append(batch)
                while self.pipes and not self._is_over(here):
                    self._take_in(LOOK_UP_EVERY)
                    self._report(len(others))
            except KeyboardInterrupt:  # from what reports progress
                self.ctrl_c.set()
        if not self.ctrl_c.is_set() and (first := self._first_failed()) is not None:
            self._raise(first)
        interrupted = self._is_interrupted(here)
        if len(self.found) < len(self.parts) and not interrupted:
            raise SimulationError("a process that ran startups written in Python was ended")
        parts = [(self.parts[part], columns) for part, columns in sorted(self.found.items())]
        return _joined([(others, columns) for columns in here] + parts, interrupted)

    def _is_over(self, here: "Sequence[Batch]") -> bool:
        return self._is_interrupted(here) or self._first_failed() is not None

    def _is_interrupted(self, here: "Sequence[Batch]") -> bool:
        batches = (*here, *self.found.values())
        ended = self.ctrl_c.is_set() or bounds.current().exceeded is not None
        return ended or any(columns["interrupted"] for columns in batches)

    def _run_here(
        self,
        numbers: list[int],
        workers: int | None,
        progress: Progress | None = None,
        *,
        cancel: _native.Cancel,
    ) -> "Batch":
        texts = [self.scenarios[number] for number in numbers]
        return _native.run_many(texts, workers, progress, self.natives, (None, cancel))

    @contextlib.contextmanager
    def _processes(self, count: int) -> Iterator[None]:
        """Processes at work, for as long as somebody waits for them."""
        fork = multiprocessing.get_context("fork")
        taken = fork.Value("q", 0)
        started = []
        try:
            for _ in range(count):
                ours, theirs = fork.Pipe(duplex=False)
                given = theirs, taken, os.getpid()
                process = fork.Process(target=self._work, args=given, daemon=True)
                with _deaf_to_ctrl_c(), warnings.catch_warnings():
                    # That there are threads: a copy uses nothing that they could hold.
                    warnings.simplefilter("ignore", DeprecationWarning)
                    process.start()
                theirs.close()
                started.append(process)
                self.pipes.append(ours)
            yield
        finally:
            for process in started:
                process.kill()
                process.join()
            for pipe in self.pipes:
                pipe.close()

    def _work(self, pipe: "connection.Connection", taken: Any, parent: int) -> None:
        """What a process does: takes one part after another until there is none."""
        end_with(parent)  # a hook that never returns would outlive it
        sys.breakpointhook = _no_breakpoint
        while (part := _take(taken)) < len(self.parts):
            try:
                with bounds.current().counted() as cancel:
                    columns = self._run_here(self.parts[part], 1, cancel=cancel)
                pipe.send(_Done(part, columns, cancel.packets, cancel.exceeded))
            except BaseException as error:  # noqa: BLE001 # the caller is to have it
                _take(taken, len(self.parts))
                pipe.send(_Failed(part, _portable(error)))
                return

    def _look_up(self, done: int, _total: int) -> None:
        """While the threads are at work, `done` of theirs being finished."""
        self._take_in(0)
        self._report(done)
        if self.ctrl_c.is_set() or self._first_failed() is not None:
            raise KeyboardInterrupt  # ends the threads

    def _report(self, done: int) -> None:
        if self.progress:
            finished = sum(len(self.parts[part]) for part in self.found)
            self.progress(done + finished, len(self.scenarios))

    def _take_in(self, seconds: float) -> None:
        """What processes say within so long."""
        for pipe in connection.wait(self.pipes, seconds):
            assert isinstance(pipe, connection.Connection)
            try:
                said = pipe.recv()
            except EOFError:
                self.pipes.remove(pipe)
                pipe.close()
                continue
            if isinstance(said, _Failed):
                self.failed[said.part] = said.error
            else:
                self.found[said.part] = said.columns
                bounds.current().note(said.packets, said.exceeded)

    def _first_failed(self) -> int | None:
        """The first part that failed, when those before it are finished.

        Parts are taken in their order, so those come to their end.
        """
        first = min(self.failed, default=None)
        if first is None or not all(part in self.found for part in range(first)):
            return None
        return first

    def _raise(self, part: int) -> NoReturn:
        """Raises what a process has met, by doing the same here.

        So it has its traceback, and a debugger its frames.
        """
        with bounds.current().watched() as cancel:
            texts = [self.scenarios[number] for number in self.parts[part]]
            _native.run_many(texts, 1, None, self.natives, (None, cancel))
        raise self.failed[part]  # what happened there only


@contextlib.contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """A process that begins here never hears of Ctrl-C: this one does, and ends it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _take(taken: Any, count: int = 1) -> int:
    """The number of the next part; `count` are taken."""
    with taken.get_lock():
        part: int = taken.value
        taken.value += count
    return part


def _no_breakpoint(*_: object, **__: object) -> NoReturn:
    raise SimulationError("breakpoint() has no terminal here; workers=1 stays where there is one")


def _portable(error: BaseException) -> BaseException:
    """An error as another process can have it: with its traceback as a note."""
    there = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 # whatever makes it impossible
        error = SimulationError(f"{type(error).__name__}: {error}")
    error.add_note(f"in a separate process:\n{there}")
    return error


def _joined(parts: "Sequence[tuple[list[int], Batch]]", interrupted: bool) -> "Batch":
    """The tables of all parts as one: `run` becomes the number that a scenario has among all."""

    def table(name: TableName) -> "Table":
        return _native.Table.joined(name, [(numbers, batch[name]) for numbers, batch in parts])

    return {
        "runs": table("runs"),
        "flows": table("flows"),
        "transfers": table("transfers"),
        "objects": table("objects"),
        "links": table("links"),
        "startups": table("startups"),
        "interrupted": interrupted,
    }
