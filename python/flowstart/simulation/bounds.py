"""What holds for all runs of a request, wherever they are made: its limits, and when it is to end.

They are not handed from function to function: whatever runs scenarios asks here. Each thread has
its own.
"""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from flowstart._native import Cancel
from flowstart.errors import RequestError, Stopped, TimeLimitPassed
from flowstart.model.quantities import read_seconds
from flowstart.simulation.deadline import Deadline, Progress
from flowstart.simulation.estimate import Estimate
from flowstart.simulation.limits import NO_LIMITS, LimitLike, Limits

if TYPE_CHECKING:
    from flowstart._native import Estimated

Approve: TypeAlias = "Callable[[Estimated], None]"


@dataclass
class _Noted:
    """What is found out while a request runs."""

    place: str | None = None
    """The hook that was interrupted, in words."""


@dataclass(frozen=True)
class Bounds:
    """Limits, and when to end."""

    limits: Limits = field(default_factory=Limits)
    deadline: Deadline | None = None
    times: float = 1.0
    """How often what runs next is run at most."""
    is_command: bool = False
    """Whether options were given, and not keywords."""
    noted: _Noted = field(default_factory=_Noted)

    def approval(self, workers: int) -> Approve:
        """Refuses runs that are estimated to be above the limits."""
        option = "--limit " if self.is_command else "limit="

        def approve(counted: "Estimated") -> None:
            self.check(Estimate.of(counted, workers, self.times), option)

        return approve

    def check(self, found: Estimate, option: str | None = None) -> None:
        """Raises RequestError where an estimate is above the limits."""
        found.check(self.limits, option or ("--limit " if self.is_command else "limit="))

    @property
    def left_s(self) -> float | None:
        """Seconds until the request is to end; None where it need not."""
        return self.deadline.left_s if self.deadline else None

    def check_time(self) -> None:
        """Raises KeyboardInterrupt when the time is over."""
        if self.deadline:
            self.deadline.check()

    def reporting(self, progress: Progress | None) -> Progress | None:
        """A callback for progress that ends the runs in time."""
        return self.deadline.reporting(progress) if self.deadline else progress

    @contextmanager
    def watched(self) -> Iterator[Cancel]:
        """Ends the block in time; whatever it runs in the simulator is given the `Cancel`."""
        cancel = Cancel()
        watch: AbstractContextManager[None] = nullcontext()
        if self.deadline:
            watch = self.deadline.watched(cancel)
        try:
            with watch:
                yield cancel
        finally:
            self.noted.place = self.noted.place or cancel.place

    @property
    def cause(self) -> str:
        """What has stopped the request: `Ctrl-C` or `--time-limit 10s`, and in which hook."""
        ended = self.deadline is not None and self.deadline.stopped
        name = self.deadline.name if self.deadline and ended else "Ctrl-C"
        return f"{name} {self.noted.place}" if self.noted.place else name

    @property
    def is_late(self) -> bool:
        """Whether the time was over before all was done."""
        return self.deadline is not None and self.deadline.stopped

    def stopped(self, said: str = "") -> Stopped:
        """What to raise where the request was stopped; `said` follows `stopped by Ctrl-C`."""
        kind = TimeLimitPassed if self.is_late else Stopped
        return kind(f"stopped by {self.cause}{said}")


_current: ContextVar[Bounds] = ContextVar("bounds", default=Bounds())  # noqa: B039 # it is frozen


def current() -> Bounds:
    """Those of this thread's request."""
    return _current.get()


@contextmanager
def bounded(
    limit: LimitLike | None, time_limit: str | None, *, is_command: bool = False
) -> Iterator[Bounds]:
    """Bounds the runs of the block. Raises RequestError where one of the two is wrong.

    Where the time is over and nothing is there to be kept, TimeLimitPassed is raised. What neither
    says is as it was outside.
    """
    outside = current()
    if limit is None and time_limit is None and not is_command:
        yield outside
        return
    bounds = Bounds(
        outside.limits.changed(limit),
        _deadline(time_limit, is_command=is_command) or outside.deadline,
        is_command=is_command,
    )
    token = _current.set(bounds)
    try:
        yield bounds
    except KeyboardInterrupt:
        if bounds.is_late or bounds.noted.place:
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
def approved() -> Iterator[None]:
    """What the block runs was checked as a whole."""
    with _replaced(dataclasses.replace(current(), limits=NO_LIMITS)):
        yield


@contextmanager
def _replaced(bounds: Bounds) -> Iterator[None]:
    token = _current.set(bounds)
    try:
        yield
    finally:
        _current.reset(token)


def _deadline(time_limit: str | None, *, is_command: bool) -> Deadline | None:
    if time_limit is None:
        return None
    seconds = read_seconds(time_limit)
    if not seconds:
        name = "--time-limit" if is_command else "time_limit"
        raise RequestError(f"{name} `{time_limit}`: a time above 0 is needed, such as 10s")
    name = f"--time-limit {time_limit}" if is_command else f"time_limit={time_limit!r}"
    return Deadline(seconds, name)
