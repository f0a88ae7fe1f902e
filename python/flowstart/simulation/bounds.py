"""What holds for all runs of a request, wherever they are made: its limits, and when it is to end.

They are not handed from function to function: whatever runs scenarios asks here. Each thread has
its own.
"""

import dataclasses
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from flowstart import interrupts
from flowstart._native import Cancel
from flowstart.errors import LimitExceeded, RequestError, Stopped, TimeLimitExceeded
from flowstart.interrupts import Interruptible
from flowstart.model.quantities import Time, read_seconds, time_text
from flowstart.simulation.limits import BASE_BYTES, RunEstimate, RunLimits, stated

if TYPE_CHECKING:
    from flowstart._native import Estimated


Progress: TypeAlias = Callable[[int, int], object]

PATIENCE_S = 0.3
"""How long runs that were told to stop have before a hook is interrupted."""
NOTICED_S = 0.05
"""How long whatever looks at the time has to notice that it is over."""
MOST_INTERRUPTIONS = 20
"""As long as it catches them."""


class Deadline:
    """When a request is to end."""

    def __init__(self, seconds: float, name: str) -> None:
        self.name = name
        """The option with its value, `--max-time 10s`."""
        self.stopped = False
        """Whether it has ended anything."""
        self._until = time.monotonic() + seconds

    @property
    def left_s(self) -> float:
        """Seconds until then; 0 afterwards."""
        return max(0.0, self._until - time.monotonic())

    def check(self) -> None:
        """Raises KeyboardInterrupt when the time is over."""
        if not self.left_s:
            self.stopped = True
            raise KeyboardInterrupt

    def reporting(self, progress: Progress | None) -> Progress:
        """A callback that passes progress on, and ends the runs that report it."""

        def report(done: int, total: int) -> None:
            if done < total:
                self.check()
            if progress:
                progress(done, total)

        return report

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Ends the block once when the time is over, unless what it runs has noticed by itself.

        It may be reading, in a library, or at statistics.
        """
        watch = _Watch(self, None, once=True)
        try:
            yield
        finally:
            watch.close()

    @contextmanager
    def watched(self, cancel: Cancel | None = None) -> Iterator[None]:
        """Ends what the block does on this thread when the time is over."""
        self.check()
        watch = _Watch(self, cancel)
        try:
            yield
        finally:
            watch.close()


class _Watch:
    """Looks from another thread at what one does."""

    def __init__(self, deadline: Deadline, cancel: Cancel | None, *, once: bool = False) -> None:
        self._deadline = deadline
        self._once = once
        self._cancel = cancel
        self._thread = Interruptible(threading.current_thread(), KeyboardInterrupt)
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        if self._closed.wait(self._deadline.left_s + self._once * NOTICED_S):
            return
        if self._once:
            if not self._deadline.stopped:
                self._deadline.stopped = True
                self._interrupt()
            return
        self._deadline.stopped = True
        if self._cancel is not None:
            self._cancel.cancel()
        for _ in range(MOST_INTERRUPTIONS):
            if self._closed.wait(PATIENCE_S):
                return
            self._interrupt()

    def _interrupt(self) -> None:
        if self._cancel is None or not self._cancel.ended:
            self._thread.interrupt()

    def close(self) -> None:
        """From here on nothing is interrupted."""
        self._closed.set()
        self._thread.close()


Approve: TypeAlias = "Callable[[Estimated], None]"


@dataclass
class _Noted:
    """What is found out while a request runs."""

    place: str | None = None
    """The hook that was interrupted, in words."""
    exceeded: str | None = None
    """The limit that has ended runs."""
    packets: int = 0
    """Data packets that runs have sent."""
    began: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class Bounds:
    """Limits, and when to end."""

    limits: RunLimits = field(default_factory=RunLimits)
    deadline: Deadline | None = None
    times: float = 1.0
    """How often what runs next is run at most."""
    is_command: bool = False
    """Whether options were given, and not keywords."""
    noted: _Noted | None = None
    """None outside of a request: then each run is one."""
    is_approved: bool = False
    """Whether what runs next was estimated as a whole."""

    def approval(self, workers: int) -> Approve:
        """Refuses runs that are estimated to be above the limits."""

        def approve(counted: "Estimated") -> None:
            if self.is_approved:
                return
            self.check(RunEstimate.of(counted, workers, self.times))

        return approve

    def check(self, estimate: RunEstimate) -> None:
        """Raises RequestError where an estimate is above the limits."""
        estimate.check(self.limits, self.option)

    def option(self, limit: str, value: str = "") -> str:
        """How a limit is given: `--max-memory 2GB` or `max_memory='2GB'`."""
        if self.is_command:
            return f"--max-{limit} {value}".rstrip()
        return f"max_{limit}={value!r}" if value else f"max_{limit}"

    @property
    def left_s(self) -> float:
        """Seconds until runs have no more time."""
        left_s = self.deadline.left_s if self.deadline else math.inf
        return max(0.0, min(left_s, self.rest.time))

    def check_time(self) -> None:
        """Raises KeyboardInterrupt when the time is over."""
        if self.deadline:
            self.deadline.check()

    def check_rest(self) -> None:
        """Raises KeyboardInterrupt when the time is over, or a limit exceeded."""
        self.check_time()
        self.note()
        if self.exceeded:
            raise KeyboardInterrupt

    def reporting(self, progress: Progress | None) -> Progress | None:
        """A callback for progress that ends the runs in time."""
        return self.deadline.reporting(progress) if self.deadline else progress

    @contextmanager
    def watched(self) -> Iterator[Cancel]:
        """Ends the block in time; whatever it runs in the simulator is given the `Cancel`."""
        watch: AbstractContextManager[None] = nullcontext()
        with self.counted() as cancel:
            if self.deadline:
                watch = self.deadline.watched(cancel)
            with watch:
                yield cancel

    @contextmanager
    def counted(self) -> Iterator[Cancel]:
        """Ends at a limit what the block runs in the simulator, which is given the `Cancel`."""
        noted = self.noted or _Noted()
        counting = self if self.noted else dataclasses.replace(self, noted=noted)
        rest = counting.rest
        memory = rest.memory_bytes - BASE_BYTES
        cancel = Cancel(packets=rest.packets, memory=memory, seconds=rest.time)
        try:
            yield cancel
        finally:
            noted.place = noted.place or cancel.place
            counting.note(cancel.packets, cancel.exceeded)
            if counting.exceeded and not self.noted:
                raise counting.stopped() from None

    def note(self, packets: int = 0, exceeded: str | None = None) -> None:
        """Runs have sent so many packets, and exceeded a limit, perhaps in another process."""
        if self.noted:
            self.noted.packets += packets
            rest = self.rest
            of_request = ("packets", rest.packets < 0), ("time", rest.time < 0)
            exceeded = exceeded or next((name for name, is_over in of_request if is_over), None)
            self.noted.exceeded = self.noted.exceeded or exceeded

    @property
    def rest(self) -> RunLimits:
        """What runs have left of packets and time."""
        if self.noted is None:
            return self.limits
        return dataclasses.replace(
            self.limits,
            packets=self.limits.packets - self.noted.packets,
            time=self.limits.time - (time.monotonic() - self.noted.began),
        )

    @property
    def exceeded(self) -> str | None:
        """The limit of which runs have used more: `packets`, `memory` or `time`."""
        return self.noted.exceeded if self.noted else None

    @property
    def packets(self) -> int:
        """Data packets that runs have sent."""
        return self.noted.packets if self.noted else 0

    @property
    def cause(self) -> str:
        """What has stopped the request: `Ctrl-C` or `--max-time 10s`, and in which hook."""
        noted = self.noted or _Noted()
        if noted.exceeded:
            limit = stated(self.limits, noted.exceeded)
            option = self.option("memory" if noted.exceeded == "memory" else "time")
            return f"{limit} (raised with {option})"
        ended = self.deadline is not None and self.deadline.stopped
        name = self.deadline.name if self.deadline and ended else interrupts.cause()
        return f"{name} {noted.place}" if noted.place else name

    @property
    def is_late(self) -> bool:
        """Whether the time was over before all was done."""
        return self.deadline is not None and self.deadline.stopped

    def stopped(self, said: str = "") -> Stopped:
        """What to raise where the request was stopped; `said` follows `stopped by Ctrl-C`."""
        late = TimeLimitExceeded if self.is_late else Stopped
        kind = LimitExceeded if self.exceeded else late
        return kind(f"stopped by {self.cause}{said}")


_current: ContextVar[Bounds] = ContextVar("bounds", default=Bounds())  # noqa: B039 # it is frozen


def current() -> Bounds:
    """Those of this thread's request."""
    return _current.get()


@contextmanager
def bounded(
    max_time: Time | None = None,
    max_memory: float | str | None = None,
    *,
    is_command: bool = False,
) -> Iterator[Bounds]:
    """Bounds the runs of the block. Raises RequestError where a limit is wrong.

    Where the time is over and nothing is there to be kept, TimeLimitExceeded is raised. What is not
    given is as it was outside.
    """
    outside = current()
    is_within = outside.noted is not None and not is_command
    if max_time is None and max_memory is None and is_within:
        yield outside
        return
    noted = _Noted()
    bounds = Bounds(
        outside.limits.changed(max_memory, is_timed=max_time is not None),
        _deadline(max_time, is_command=is_command) or outside.deadline,
        is_command=is_command,
        noted=noted,
    )
    token = _current.set(bounds)
    own = bounds.deadline if bounds.deadline is not outside.deadline else None
    try:
        with own.ending() if own else nullcontext():
            yield bounds
    except KeyboardInterrupt:
        if bounds.is_late or noted.place or noted.exceeded:
            raise bounds.stopped() from None
        raise
    finally:
        _current.reset(token)


@contextmanager
def repeated(times: float) -> Iterator[None]:
    """What the block runs is to be run so often at most."""
    with _replaced(dataclasses.replace(current(), times=times)):
        yield


@contextmanager
def approved(limits: RunLimits) -> Iterator[Bounds]:
    """What the block runs was estimated as a whole; it is to keep to the limits all the same."""
    bounds = dataclasses.replace(current(), limits=limits, noted=_Noted(), is_approved=True)
    with _replaced(bounds):
        yield bounds


@contextmanager
def _replaced(bounds: Bounds) -> Iterator[None]:
    token = _current.set(bounds)
    try:
        yield
    finally:
        _current.reset(token)


def _deadline(max_time: Time | None, *, is_command: bool) -> Deadline | None:
    max_time = time_text("max_time", max_time)
    if max_time is None:
        return None
    seconds = read_seconds(max_time)
    if not seconds:
        raise RequestError(f"`{max_time}`: a time above 0, such as 30h, is needed", ("max_time",))
    name = f"--max-time {max_time}" if is_command else f"max_time={max_time!r}"
    return Deadline(seconds, name)
