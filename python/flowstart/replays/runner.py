"""Runs passes over the traffic of a capture, in bounded memory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from flowstart.captures.contents import Capture
from flowstart.model.document import encode
from flowstart.replays import competing_flows
from flowstart.replays.jobs import Job, jobs, members, rows
from flowstart.replays.paths import ReplayPath
from flowstart.replays.rounds import TOGETHER, Round
from flowstart.replays.settings import Settings
from flowstart.simulation import frames
from flowstart.simulation.batch import run_many

if TYPE_CHECKING:
    import polars as pl

Progress: TypeAlias = Callable[[int, int], object]

AT_ONCE = 10_000
"""Transfers whose simulations are run together, and are in memory at the same time."""


@dataclass
class Runner:
    """Runs passes over the traffic of a capture."""

    capture: Capture
    settings: Settings
    workers: int | None = None
    progress: Progress | None = None
    """Told of transfers that are done, and of how many there will be as far as is known."""
    failures: list[str] = field(default_factory=list)
    _competing: "list[pl.DataFrame]" = field(default_factory=list)
    _exact: tuple[Sequence[ReplayPath], list[Job]] | None = None
    """The jobs of the first pass, if they are few: repeats change their times only."""
    _done: int = 0
    _total: int = 0

    def run(self, paths: Sequence[ReplayPath], one: Round) -> "Iterator[pl.DataFrame]":
        """The rows of the transfers under test, part by part.

        Raises KeyboardInterrupt after those that were finished before it.
        """
        import polars as pl

        self._total += sum(path.transfers for path in paths) * len(self.settings.compared)
        for some in self._planned(paths, one):
            found, interrupted = self._run(some, one)
            if not found.is_empty():
                yield found.filter(pl.col("tested")).drop("run", "tested", "switched")
            if interrupted:
                raise KeyboardInterrupt

    def _planned(self, paths: Sequence[ReplayPath], one: Round) -> Iterator[list[Job]]:
        """The jobs of a pass, some at a time."""
        if one.repeat and self._exact and self._exact[0] is paths:
            yield [job.repeated(one) for job in self._exact[1]]
            return
        keeps = one == TOGETHER and self._exact is None
        first: list[Job] = []
        for number, some in enumerate(_together(jobs(paths, self.settings, one))):
            first = some if number == 0 else []
            yield some
        if keeps and first:
            self._exact = paths, first

    @property
    def competing(self) -> "pl.DataFrame | None":
        """What competing flows have come to; None without any."""
        import polars as pl

        return pl.concat(self._competing) if self._competing else None

    def _run(self, planned: list[Job], one: Round) -> "tuple[pl.DataFrame, bool]":
        """Rows of all transfers, and whether they were interrupted."""
        weight = sum(len(job.labels.transfer) for job in planned)

        def report(done: int, of: int) -> None:
            if self.progress:
                self.progress(self._done + weight * done // max(of, 1), self._total)

        scenarios = [encode(job.scenario) for job in planned]
        batch = run_many(scenarios, self.workers, report, self.settings.custom)
        self._done += weight
        runs = frames.rows(batch["runs"])
        self.failures += [f"{planned[r['run']].label}: {r['error']}" for r in runs if r["error"]]
        if one.mode == "competing":
            self._competing.append(competing_flows.seen(members(planned), batch))
        return rows(planned, batch), batch["interrupted"]


def _together(planned: Iterator[Job]) -> Iterator[list[Job]]:
    """Jobs in lists of about so many transfers."""
    some: list[Job] = []
    transfers = 0
    for job in planned:
        some.append(job)
        transfers += len(job.labels.transfer)
        if transfers >= AT_ONCE:
            yield some
            some, transfers = [], 0
    if some:
        yield some
