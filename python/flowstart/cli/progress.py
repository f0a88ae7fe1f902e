"""How far long work has come, on stderr, with its rate and the time left."""

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE_S = 0.5
"""Work that is done sooner shows nothing."""
FIRST_LINE_S, LINE_EVERY_S = 1.5, 10.0
"""When the first line is written where stderr is not a terminal, and how often others are."""


class Progress:
    """A callback `(done, total)`; a bar on a terminal, now and then a line elsewhere."""

    def __init__(self, what: str = "runs") -> None:
        self._what = what
        self._began = time.monotonic()
        self._next_line = self._began + FIRST_LINE_S
        self._first: tuple[int, float] | None = None
        """What was done at the first report, and when: preparations before do not count."""
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """Shows that `done` of `total` are done."""
        now = time.monotonic()
        if self._first is None and done:
            self._first = done, now
        if now - self._began < PATIENCE_S:
            return
        if sys.stderr.isatty():
            self._show_bar(done, total)
        elif now >= self._next_line and 0 < done < total:
            self._next_line = now + LINE_EVERY_S
            print(self._line(done, total, now), file=sys.stderr, flush=True)

    def of_unknown_total(self, done: int, total: int | None) -> None:
        """The same where the total may not be known: then nothing is shown."""
        if total:
            self(done, total)

    def _line(self, done: int, total: int, now: float) -> str:
        first, began = self._first or (0, self._began)
        rate, left = done / (now - self._began), ""
        if done > first:
            rate = (done - first) / (now - began)
            left = f", {(total - done) / rate:.0f} s left"
        return f"{done} of {total} {self._what}, {rate:.3g}/s{left}"

    def _show_bar(self, done: int, total: int) -> None:
        if not self._bar:
            self._bar = _bar(self._what)
            self._bar.start()
            self._bar.add_task(self._what, total=total, rate="")
        elapsed = time.monotonic() - self._began
        # A comparison runs a batch for each size, and each batch has another total.
        rate = f"{done / elapsed:.3g}/s"
        self._bar.update(self._bar.task_ids[0], completed=done, total=total, rate=rate)


def _bar(what: str) -> "Bar":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
        transient=True,
    )
