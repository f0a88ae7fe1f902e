"""Many scenarios at once.

The simulator runs them on threads. Those with a startup written in Python take turns on the calling
thread, since only one can have the interpreter's lock. Where that takes long, processes run what is
left.
"""

import functools
import os
import pickle
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias

from flowstart import _native, interrupts
from flowstart.errors import SimulationError
from flowstart.model.custom import CustomStartups, Portable
from flowstart.model.startup import Startup
from flowstart.simulation import bounds
from flowstart.simulation.limits import RunLimits

if TYPE_CHECKING:
    from flowstart._native import Batch, Scenarios, Table

Progress: TypeAlias = Callable[[int, int], object]

TableName: TypeAlias = Literal[
    "runs",
    "flows",
    "transfers",
    "objects",
    "links",
    "startups",
    "limits",
    "goodputs",
    "delays",
    "handshakes",
]

WORTH_PROCESSES_S = 0.5
"""Processes take about this long to start."""

LOOK_UP_EVERY_S = 0.05
"""The longest delay of progress."""

PARTS_PER_PROCESS = 8
"""Parts are smaller than a process's share, so that all processes end at about the same time."""

MOST_AT_A_TIME = 32


def run_many(
    scenarios: "Sequence[str] | Scenarios",
    workers: int | None,
    progress: Progress | None,
    custom: CustomStartups,
    *,
    limits: bool = False,
) -> "Batch":
    """The tables of scenarios, as text or a comparison's, on up to `workers` threads and processes.

    All cores where `workers` is None; with one, startups in Python stay on this thread. `limits`
    records what limits senders; the scenarios of a comparison decide that themselves.
    """
    natives = custom.natives()
    processes = cores() if workers is None else workers
    mine = bounds.current()
    approve = mine.approval(processes)
    pace = _Pace(custom, mine.reporting(progress))
    if natives and processes > 1 and may_use_processes():
        pace.in_python = sum(_native.calls_python(scenarios, natives, approve))
    with mine.watched() as cancel:
        ends = (approve, cancel)
        batch = _native.run_many(scenarios, workers, pace.report, natives, ends, limits)
    if pace.portable is None:
        return batch
    finished = set(batch["runs"].lists()["run"])
    left = [number for number in range(len(scenarios)) if number not in finished]
    size = max(1, min(len(left) // (processes * PARTS_PER_PROCESS), MOST_AT_A_TIME))
    parts = [left[at : at + size] for at in range(0, len(left), size)]
    texts = [[scenarios[number] for number in part] for part in parts]
    if not isinstance(scenarios, Sequence):
        limits = scenarios.records_limits

    def report(done: int) -> None:
        pace.report(len(finished) + done, len(scenarios))

    rest = _Parts(texts, limits, custom, report)
    batches = rest.run(pace.portable, min(processes, len(parts)))
    tables = [(parts[number], part) for number, part in batches.items()]
    here = list(range(len(scenarios))), batch
    return _joined([here, *tables], interrupted=len(batches) < len(parts))


def cores() -> int:
    """Those that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def may_use_processes() -> bool:
    """Whether startups in Python may run in other processes; under a debugger they stay here."""
    import multiprocessing  # with sockets, which commands do without

    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    debugged = monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None
    is_daemon = multiprocessing.current_process().daemon  # it may start none
    return sys.gettrace() is None and not debugged and not is_daemon


@dataclass
class _Pace:
    """Ends the runs of this process where other processes are worth their start."""

    custom: CustomStartups
    progress: Progress | None
    in_python: int = 0
    """Scenarios with startups in Python that may go to processes; the simulator runs them first."""
    began: float = field(default_factory=time.monotonic)
    portable: bytes | None = None
    """The startups, once runs have been ended."""

    def report(self, done: int, total: int) -> None:
        """Passes progress on."""
        if self.progress:
            self.progress(done, total)
        if self.portable is None and self._is_worth_processes(done):
            raise KeyboardInterrupt  # ends the runs

    def _is_worth_processes(self, done: int) -> bool:
        if self.in_python - done < 2 or time.monotonic() - self.began < WORTH_PROCESSES_S:
            return False
        try:
            startups = self.custom.portable()
            self.portable = pickled(startups, startups)
        except Exception as error:  # noqa: BLE001 # whatever makes it impossible
            self.in_python = 0
            reason = f"startups in Python run on one core, since they cannot be pickled: {error}"
            warnings.warn(reason, stacklevel=2)
        return self.portable is not None


def pickled(value: object, startups: Portable) -> bytes:
    """A value with startups for processes: classes as they are here, importable or not."""
    import cloudpickle

    classes = [type(startup) for _, startup in startups if isinstance(startup, Startup)]
    kinds = {kind for startup in classes for kind in startup.__mro__}
    names = {kind.__module__ for kind in kinds.difference(Startup.__mro__)}
    modules = [sys.modules[name] for name in names if name in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        content: bytes = cloudpickle.dumps(value)
        return content
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


@dataclass(frozen=True)
class _Answer:
    """What a process returns for a part."""

    batch: "Batch | None" = None
    packets: int = 0
    """Sent, and the limit that was exceeded."""
    exceeded: str | None = None
    error: str = ""
    """What was raised, and its traceback."""
    trace: str = ""


@dataclass
class _Parts:
    """Parts of a batch that run in processes."""

    texts: list[list[str]]
    """The scenarios of each part."""
    records_limits: bool
    custom: CustomStartups
    progress: Callable[[int], None]
    """Takes the number of finished scenarios."""

    def run(self, startups: bytes, processes: int) -> "dict[int, Batch]":
        """The tables of parts by their number; some are missing where it was interrupted."""
        ctrl_c = threading.Event()
        failed = None
        # Python discards what is raised in finalisers and callbacks, also of loky.
        with interrupts.noting_ctrl_c(ctrl_c), worker_processes(processes) as pool:
            with interrupts.blocked_ctrl_c():  # which processes inherit: this one ends them
                rest = bounds.current().rest.shared(processes)
                run = functools.partial(_run, self.records_limits, startups, rest)
                answers = [pool.submit(run, part) for part in self.texts]
            try:
                while not ctrl_c.is_set() and failed is None and self._go_on(answers):
                    failed = _first_failed(answers)
            except KeyboardInterrupt:  # from what reports progress
                failed = None
            except futures.BrokenExecutor:
                problem = "a process that ran startups written in Python was ended"
                raise SimulationError(problem) from None
            results = [answer.result() if answer.done() else _Answer() for answer in answers]
        if failed is not None:
            self._raise(failed, results[failed])
        return {number: answer.batch for number, answer in enumerate(results) if answer.batch}

    def _go_on(self, answers: "Sequence[futures.Future[_Answer]]") -> bool:
        """Waits for a while, and reports; False when nothing is left to wait for."""
        mine = bounds.current()
        waiting = [answer for answer in answers if not answer.done()]
        came, _ = futures.wait(waiting, LOOK_UP_EVERY_S, futures.FIRST_COMPLETED)
        for answer in (answer.result() for answer in came):
            mine.note(answer.packets, answer.exceeded)
            if answer.batch and answer.batch["interrupted"]:
                raise KeyboardInterrupt
        done = (
            len(part) for part, answer in zip(self.texts, answers, strict=True) if answer.done()
        )
        self.progress(sum(done))
        mine.note()
        return len(came) < len(waiting) and not mine.exceeded

    def _raise(self, number: int, answer: _Answer) -> NoReturn:
        """Raises what a process has met, by doing the same here.

        So it has its traceback, and a debugger its frames.
        """
        with bounds.current().watched() as cancel:
            _native.run_many(self.texts[number], 1, None, self.custom.natives(), (None, cancel))
        error = SimulationError(answer.error)
        error.add_note(f"in a separate process; workers=1 uses none:\n{answer.trace}")
        raise error


@contextmanager
def worker_processes(count: int) -> "Iterator[futures.Executor]":
    """Processes that end with the block."""
    from multiprocessing import resource_tracker

    import loky
    from loky.backend import resource_tracker as lokys

    # No module of the current folder stands for Python's own; a library has one thread.
    own = {"PYTHONSAFEPATH": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    begin = functools.partial(_begin, os.getpid())
    # Trackers remove what a killed process leaves, which they would warn of.
    sys.warnoptions.append("ignore")
    lokys.ensure_running()  # before Ctrl-C is blocked, which the start of trackers unblocks
    resource_tracker.ensure_running()
    sys.warnoptions.pop()
    pool = loky.ProcessPoolExecutor(count, initializer=begin, env=own)
    try:
        yield pool
    finally:
        pool.shutdown(kill_workers=True)


def _begin(parent: int) -> None:
    """Prepares a process."""
    interrupts.ignore_endings()  # as on Windows, where they are not blocked
    sys.breakpointhook = _no_breakpoint
    interrupts.end_with(parent)  # a hook that never returns would outlive it


def _no_breakpoint(*_: object, **__: object) -> NoReturn:
    raise SimulationError("breakpoint() has no terminal here; workers=1 stays where there is one")


def _run(records_limits: bool, startups: bytes, limits: RunLimits, texts: list[str]) -> _Answer:
    """Runs a part, in a process."""
    try:
        natives = _loaded(startups).natives()
        with bounds.approved(limits) as mine, mine.counted() as cancel:
            batch = _native.run_many(texts, 1, None, natives, (None, cancel), records_limits)
        return _Answer(batch, cancel.packets, cancel.exceeded)
    except BaseException as error:  # noqa: BLE001 # the other process raises it
        return _Answer(error=f"{type(error).__name__}: {error}", trace=traceback.format_exc())


@functools.cache
def _loaded(startups: bytes) -> CustomStartups:
    portable: Portable = pickle.loads(startups)
    return CustomStartups.loaded(portable)


def _first_failed(answers: "Sequence[futures.Future[_Answer]]") -> int | None:
    """The first part that failed, when those before it are finished."""
    for number, answer in enumerate(answers):
        if not answer.done():
            return None
        if answer.result().error:
            return number
    return None


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
        "limits": table("limits"),
        "goodputs": table("goodputs"),
        "delays": table("delays"),
        "handshakes": table("handshakes"),
        "interrupted": interrupted,
    }
