"""What a sweep will take, from some of its cells: time, and room on the disk."""

import io
import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from flowstart.simulation.estimate import Estimate as Usage
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.execution.batches import PACKETS, Batch, batch_of
from flowstart.sweeps.execution.executor import Executor
from flowstart.sweeps.execution.task import Answer

SMALL = 3 * PACKETS
"""A sweep of fewer packets is done before it is estimated."""
LOOKED_AT = 2000
"""Cells whose packets are counted, spread over the sweep."""
LOOK_FOR_S = 3.0
RUN = 48
"""Cells among them that are run, those with few packets first."""
TOGETHER = 8
"""So many are run at once where they have few packets: a file of rows by itself takes as long as
some cells."""
RUN_FOR_S = 2.0
MODEST_S = 3600.0
"""A sweep that takes longer is not run without a question."""


@dataclass(frozen=True)
class Estimate:
    """What a sweep will take, roughly."""

    runs: float
    cpu_s: float
    bytes: float
    """On the disk."""
    packets: float
    """Data packets of all runs."""
    workers: int
    """How many batches are run at a time."""

    @property
    def usage(self) -> Usage:
        """The same as limits have it: a row is a flow under test, and cells take no memory."""
        return Usage(self.packets, self.runs, 0.0, self.wall_s)

    @property
    def wall_s(self) -> float:
        """How long it will take with its workers."""
        return self.cpu_s / self.workers

    @property
    def is_modest(self) -> bool:
        """Whether it is done within an hour."""
        return self.wall_s <= MODEST_S

    def __str__(self) -> str:
        """`about 320,000 runs: 4 min of processor time, 2 min with 2 workers, 60 MB`."""
        workers = "1 worker" if self.workers == 1 else f"{self.workers} workers"
        return (
            f"about {_two_digits(self.runs):,} runs: {_time(self.cpu_s)} of processor time, "
            f"{_time(self.wall_s)} with {workers}, {_size(self.bytes)}"
        )


def estimate(
    cells: Iterable[Cell],
    count: int,
    variants: int,
    cost: Callable[[Cell], float],
    executor: Executor,
) -> Estimate | None:
    """What `count` cells will take under so many variants; None where they are soon done."""
    looked_at = list(_looked_at(cells, count))
    packets = [cost(cell) for cell in looked_at]
    total = sum(packets) / max(len(packets), 1) * count
    if total <= SMALL:
        return None
    some = sorted(zip(packets, looked_at, strict=True), key=lambda pair: pair[0])
    some = some[:: math.ceil(len(some) / RUN)]
    groups = list(_groups(some))
    answers = list(_answers([cells for _, cells in groups], executor))
    ran = sum(packets for packets, _ in groups[: len(answers)])
    rows, size = _size_of(answers)
    return Estimate(
        runs=count * variants,
        cpu_s=sum(answer.seconds for answer in answers) * total / ran,
        bytes=size * count * variants / max(rows, 1),
        packets=total,
        workers=executor.workers,
    )


def _looked_at(cells: Iterable[Cell], count: int) -> Iterator[Cell]:
    """Cells spread over all of them, as far as they are made in time."""
    end = time.monotonic() + LOOK_FOR_S
    for cell in islice(cells, 0, None, math.ceil(count / LOOKED_AT)):
        yield cell
        if time.monotonic() > end:
            return


def _groups(some: Iterable[tuple[float, Cell]]) -> Iterator[tuple[float, list[Cell]]]:
    """Cells that are run at once, with their packets."""
    packets, group = 0.0, list[Cell]()
    for more, cell in some:
        if group and (len(group) == TOGETHER or packets + more > PACKETS / 4):
            yield packets, group
            packets, group = 0.0, []
        packets += more
        group.append(cell)
    yield packets, group


def _answers(groups: Iterable[list[Cell]], executor: Executor) -> Iterator[Answer]:
    """What the first cells come to, for as long as there is time."""
    end = time.monotonic() + RUN_FOR_S

    def in_time() -> Iterator[Batch]:
        for number, cells in enumerate(groups):
            if number and time.monotonic() > end:
                return
            yield batch_of(cells, number)

    for _, answer in executor.run(in_time()):
        yield answer


def _size_of(answers: Iterable[Answer]) -> tuple[int, int]:
    """How many rows there are, and the bytes of one part with all of them."""
    import polars as pl

    frames = [pl.read_parquet(io.BytesIO(answer.part)) for answer in answers if answer.part]
    if not frames:
        return 0, 0
    together = io.BytesIO()
    pl.concat(frames).write_parquet(together, compression="zstd")
    return sum(frame.height for frame in frames), len(together.getvalue())


def _two_digits(number: float) -> int:
    return round(int(number), 2 - len(str(int(number))))


def _time(seconds: float) -> str:
    for unit, size in (("days", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 1):.0f} s"


def _size(size: float) -> str:
    for unit, one in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= one:
            return f"{size / one:.2g} {unit}" if size < 10 * one else f"{size / one:.0f} {unit}"
    return "less than 1 MB"
