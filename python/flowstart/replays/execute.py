"""Replays a capture and answers what was asked of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flowstart.captures.contents import Capture
from flowstart.replays.answer import (
    FEWEST_REPEATS,
    FOR_A_VERDICT,
    GATE_RUNS,
    Answer,
    Band,
    Criteria,
    Questions,
    Rollout,
    Times,
    answer,
    bands,
    partial,
    refuse_unknown,
    settled,
    shared,
)
from flowstart.replays.calibration import Calibration, calibrate
from flowstart.replays.effort import affordable
from flowstart.replays.paths import ReplayPath, build, facts
from flowstart.replays.result import Replay
from flowstart.replays.runner import ALONE, COMPETING, TOGETHER, Meter, Progress, Round, Runner
from flowstart.replays.settings import Settings
from flowstart.replays.summary import Rows

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
    meter = Meter(progress)
    capture = affordable(capture, settings, asked, meter, workers=workers)
    paths = build(capture, settings, left_out)
    return _Study(Runner(capture, settings, workers, meter), paths, asked).run(left_out)


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
        """All of it; what Ctrl-C leaves out is missing in the result.

        Raises KeyboardInterrupt where nothing was finished before it.
        """
        settings = self.settings
        names = [path.name for path in self.paths]
        refuse_unknown(self.asked.when, names, self.runner.capture.drawn)
        self.facts = facts(self.paths, settings, self.runner.capture.drawn)
        store, self.together, alone = Rows(), Times(packets=True), Times()
        found = Replay(
            capture=self.runner.capture,
            settings=settings,
            questions=self.asked,
            paths=self.paths,
            left_out=left_out,
            store=store,
            facts=self.facts,
            together=self.together,
            alone=alone,
            answer=Answer.none(settings.names, settings.reference.name),
            failures=self.runner.failures,
        )
        try:
            for times, one in ((self.together, TOGETHER), (alone, ALONE)):
                for rows in self.runner.run(self.paths, one):
                    store.add(rows)
                    times.add(rows)
            for part in self._inferred():
                found = replace(found, **part)
        except KeyboardInterrupt:
            if not store.height:
                raise
            found = replace(found, interrupted=True)
        return found

    def _inferred(self) -> Iterator[dict[str, Any]]:
        """What follows from the rows, part by part, with the passes that it takes."""
        repeats = self._repeats()
        yield {"answer": self._answer(self.together, repeats=repeats)}
        runs = (self.together, *repeats)
        yield {
            "partial": [
                partial(network, self.facts, runs, self.settings, self.criteria)
                for network in self.asked.when
            ]
        }
        yield {"rollout": self._rollout()}
        yield {"bands": self._bands()}
        yield {"calibration": self._calibration()}
        yield {"competing": self._competing()}

    def _answer(self, times: Times, **more: Any) -> Answer:
        """What times show of all variants."""
        names, base, seed = self.settings.names, self.settings.reference.name, self.settings.seed
        return answer(self.facts, times, names, base, self.criteria, **more, seed=seed)

    @property
    def criteria(self) -> Criteria:
        """What a variant must do to be recommended."""
        return Criteria(self.asked.limits, self.settings.offered)

    def _times(self, paths: Sequence[ReplayPath], one: Round, *, packets: bool = True) -> Times:
        """The times of one more pass."""
        times = Times(packets=packets)
        for rows in self.runner.run(paths, one):
            times.add(rows)
        return times

    def _repeats(self) -> list[Times]:
        """As many perturbed repeats as it takes for the intervals to settle, or are allowed."""
        names, reference = self.settings.names, self.settings.reference.name
        found: list[Times] = []
        wanted = min(FEWEST_REPEATS, self.asked.repeats)
        while len(found) < wanted and len(names) > 1:
            one, packets = Round(repeat=len(found) + 1), len(found) + 1 < GATE_RUNS
            found.append(self._times(self.paths, one, packets=packets))
            done = len(found) == wanted
            if done and not settled(self.facts, self.together, found, names, reference):
                wanted = min(2 * wanted, self.asked.repeats)
        return found

    def _rollout(self) -> Rollout | None:
        if self.asked.rollout is None:
            return None
        one = Round("rollout", share=self.asked.rollout, seed=self.settings.seed)
        times = self._times(self.paths, one)
        return shared(self.facts, times, self.together, one, self.settings)

    def _bands(self) -> list[Band]:
        found = []
        for name, paths in bands(self.paths) if self.asked.buffers else ():
            times = self._times(paths, TOGETHER)
            found.append(Band(name, self._answer(times, statistics=FOR_A_VERDICT)))
        return found

    def _competing(self) -> "pl.DataFrame | None":
        if not self.settings.competing:
            return None
        self._times(self.paths, COMPETING)
        return self.runner.competing

    def _calibration(self) -> Calibration | None:
        if not self.asked.calibrate:
            return None
        return calibrate(self.runner.capture, self.settings, workers=self.runner.workers)
