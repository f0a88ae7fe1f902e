"""Replays a capture and answers what was asked of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.captures.contents import Capture
from flowstart.replays.answer import FEWEST_REPEATS, answer, settled
from flowstart.replays.bands import Band, bands
from flowstart.replays.calibration import Calibration, calibrate
from flowstart.replays.facts import facts
from flowstart.replays.paths import ReplayPath, build
from flowstart.replays.questions import Questions
from flowstart.replays.result import Replay
from flowstart.replays.rounds import ALONE, BESIDE, TOGETHER, Round
from flowstart.replays.runner import Progress, Runner
from flowstart.replays.settings import Settings
from flowstart.replays.share import Share, shared
from flowstart.replays.store import Rows
from flowstart.replays.times import Times
from flowstart.replays.verdict import GATE_RUNS, Criteria

if TYPE_CHECKING:
    import polars as pl


def study(
    capture: Capture,
    settings: Settings,
    questions: Questions | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Replay:
    """Replays the transfers of a capture. Raises RequestError where that cannot be done.

    `progress(done, total)` is told of transfers a few times a second.
    """
    asked = questions or Questions()
    left_out: dict[str, int] = {}
    paths = build(capture, settings, left_out)
    return _Study(Runner(capture, settings, workers, progress), paths, asked).run(left_out)


@dataclass
class _Study:
    """One replay while its questions are answered, one after the other."""

    runner: Runner
    paths: list[ReplayPath]
    asked: Questions

    @property
    def settings(self) -> Settings:
        return self.runner.settings

    def run(self, left_out: dict[str, int]) -> Replay:
        """All of it; what Ctrl-C leaves out is missing in the result."""
        store, together, alone = Rows(), Times(packets=True), Times()
        for times, one in ((together, TOGETHER), (alone, ALONE)):
            for rows in self.runner.run(self.paths, one):
                store.add(rows)
                times.add(rows)
        self.facts = facts(self.paths, self.settings)
        self.together = together
        names, reference = self.settings.names, self.settings.reference.name
        repeats = self._repeats()
        found = answer(
            self.facts,
            together,
            names,
            reference,
            self.criteria,
            repeats=repeats,
            seed=self.settings.seed,
        )
        return Replay(
            capture=self.runner.capture,
            settings=self.settings,
            questions=self.asked,
            paths=self.paths,
            left_out=left_out,
            store=store,
            facts=self.facts,
            together=together,
            alone=alone,
            answer=found,
            share=self._share(),
            bands=self._bands(),
            calibration=self._calibration(),
            beside=self._beside(),
            interrupted=self.runner.interrupted,
            failures=self.runner.failures,
        )

    @property
    def criteria(self) -> Criteria:
        """What a variant must do to be recommended."""
        return Criteria(self.asked.limits, self.settings.offered)

    def _times(
        self, paths: Sequence[ReplayPath], one: Round, *, packets: bool = True
    ) -> Times | None:
        """The times of one more pass; None where it was interrupted."""
        times = Times(packets=packets)
        for rows in self.runner.run(paths, one):
            times.add(rows)
        return None if self.runner.interrupted else times

    def _repeats(self) -> list[Times]:
        """As many perturbed repeats as it takes for the intervals to settle, or are allowed."""
        names, reference = self.settings.names, self.settings.reference.name
        found: list[Times] = []
        wanted = min(FEWEST_REPEATS, self.asked.repeats)
        while len(found) < wanted and len(names) > 1:
            one, packets = Round(repeat=len(found) + 1), len(found) + 1 < GATE_RUNS
            times = self._times(self.paths, one, packets=packets)
            if times is None:
                break
            found.append(times)
            done = len(found) == wanted
            if done and not settled(self.facts, self.together, found, names, reference):
                wanted = min(2 * wanted, self.asked.repeats)
        return found

    def _share(self) -> Share | None:
        if self.asked.share is None:
            return None
        one = Round("share", share=self.asked.share, seed=self.settings.seed)
        times = self._times(self.paths, one)
        if times is None:
            return None
        return shared(self.facts, times, self.together, one, self.settings)

    def _bands(self) -> list[Band]:
        found = []
        for name, paths in bands(self.paths) if self.asked.buffers else ():
            times = self._times(paths, TOGETHER)
            if times is not None:
                reference = self.settings.reference.name
                names, seed = self.settings.names, self.settings.seed
                one = answer(self.facts, times, names, reference, self.criteria, seed=seed)
                found.append(Band(name, one))
        return found

    def _beside(self) -> "pl.DataFrame | None":
        asked = self.settings.beside and self._times(self.paths, BESIDE)
        return self.runner.beside if asked else None

    def _calibration(self) -> Calibration | None:
        if not self.asked.calibrate or self.runner.interrupted:
            return None
        runner = self.runner
        try:
            return calibrate(runner.capture, self.settings, workers=runner.workers)
        except KeyboardInterrupt:  # what came before it is an answer
            runner.interrupted = True
            return None
