"""Replays a capture and answers what was asked of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flowstart.captures.contents import Capture
from flowstart.comparison import larger_window
from flowstart.inference import Status, Verdict
from flowstart.model.variants import Variant
from flowstart.replays.answer import (
    FEWEST_REPEATS,
    FOR_A_VERDICT,
    GATE_RUNS,
    Alternative,
    Answer,
    Band,
    Criteria,
    Partial,
    Questions,
    Times,
    alternatives,
    answer,
    partial,
    refuse_unknown,
    settled,
    shared,
)
from flowstart.replays.calibration import Calibration, calibrate
from flowstart.replays.command import Invocation
from flowstart.replays.effort import affordable
from flowstart.replays.groups import network_groups
from flowstart.replays.paths import ReplayPath, build, facts
from flowstart.replays.result import Replay
from flowstart.replays.runner import ALONE, COMPETING, TOGETHER, Meter, Progress, Round, Runner
from flowstart.replays.settings import Settings
from flowstart.replays.summary import LimitShares, Rows
from flowstart.replays.validity import UNKNOWN, examine

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
    questions = questions or Questions()
    left_out: dict[str, int] = {}
    meter = Meter(progress)
    capture = affordable(capture, settings, questions, meter, workers=workers)
    paths = build(capture, settings, left_out)
    return _Study(Runner(capture, settings, workers, meter), paths, questions, left_out).run()


@dataclass
class _Study:
    """One replay while its questions are answered, one after the other."""

    runner: Runner
    paths: list[ReplayPath]
    questions: Questions
    left_out: dict[str, int]

    @property
    def settings(self) -> Settings:
        return self.runner.settings

    @property
    def invocation(self) -> Invocation:
        """The replay as the command line has it."""
        return Invocation(self.runner.capture, self.settings, self.questions)

    def run(self) -> Replay:
        """All of it; what Ctrl-C leaves out is missing in the result.

        Raises KeyboardInterrupt where nothing was finished before it.
        """
        settings = self.settings
        names = [path.name for path in self.paths]
        drawn = self.runner.capture.drawn
        refuse_unknown(self.questions.when, names, drawn)
        self.facts = self.tested = facts(self.paths, settings, drawn)
        store, self.together, alone = Rows(), Times(packets=True), Times()
        replay = Replay(
            capture=self.runner.capture,
            settings=settings,
            questions=self.questions,
            paths=self.paths,
            left_out=self.left_out,
            store=store,
            facts=self.facts,
            together=self.together,
            alone=alone,
            answer=Answer.none(settings.names, settings.reference.name),
            failures=self.runner.failures,
        )
        try:
            passes = ((self.together, TOGETHER), (alone, ALONE))
            self._run(store, passes)
            if self._is_limited_by_windows(replay):
                self.runner.settings = replace(settings, widens=True)
                replay = replace(replay, settings=self.settings)
                self._run(store, passes, filter(None, [self.settings.larger]))
            for part in self._inferred():
                replay = replace(replay, **part)
        except KeyboardInterrupt:
            if not store.height:
                raise
            replay = replace(replay, interrupted=True)
        return replay

    def _run(
        self, store: Rows, passes: Iterable[tuple[Times, Round]], variants: Iterable[Variant] = ()
    ) -> None:
        """Runs all traffic under these variants, or all, and keeps the rows."""
        chosen = tuple(variants)
        for times, round_ in passes:
            for rows in self.runner.run(self.paths, round_, chosen):
                store.add(self._for_clients(rows))
                times.add(rows)

    def _is_limited_by_windows(self, replay: Replay) -> bool:
        """Whether receivers' windows limit the baseline so long that larger ones are compared."""
        settings = self.settings
        limits = LimitShares.of(replay.store, settings.reference.name)
        several = len(settings.names) > 1
        return several and larger_window.is_tried(limits.window_share, settings.compared)

    def _for_clients(self, rows: "pl.DataFrame") -> "pl.DataFrame":
        """Rows with the time from a client's request to the last byte."""
        import polars as pl

        waits = self.facts.select("transfer", "request_s")
        return rows.join(waits, on="transfer", how="left", maintain_order="left").select(
            pl.exclude("request_s"), request_to_last_byte_s=pl.col("fct_s") + pl.col("request_s")
        )

    def _inferred(self) -> Iterator[dict[str, Any]]:
        """What follows from the rows, part by part, with the passes that it takes."""
        calibration = None
        if self.questions.calibrate:
            calibration = calibrate(self.runner.capture, self.settings, workers=self.runner.workers)
        yield {"calibration": calibration}
        yield self._examined(calibration)
        repeats = self._repeats()
        answered = self._answer(self.together, repeats=repeats)
        yield {"answer": answered}
        runs = (self.together, *repeats)
        networks = {network: [network] for network in self.questions.when}
        parts = self._partial(networks, runs, self.settings, len(networks))
        split = network_groups(self.facts) if self.examined.valid else {}
        groups = self._partial(split, runs, self.settings, len(split))
        if self.questions.rollout is not None:
            round_ = Round("rollout", share=self.questions.rollout, seed=self.settings.seed)
            times = self._times(self.paths, round_)
            yield {"rollout": shared(self.facts, times, self.together, round_, self.settings)}
        yield self._bands(answered, parts, groups)
        if self.settings.competing:
            self._times(self.paths, COMPETING)
            yield {"competing": self.runner.competing}

    def _partial(
        self,
        parts: Mapping[str, Sequence[str]],
        runs: Sequence[Times],
        settings: Settings,
        verdicts: int,
    ) -> list[Partial]:
        """The verdicts on parts of the traffic, by name with their networks; all hold at once."""
        criteria = replace(self.criteria, verdicts=max(verdicts, 1))
        return [
            partial(name, networks, self.tested, runs, settings, criteria)
            for name, networks in parts.items()
        ]

    def _examined(self, calibration: Calibration | None) -> dict[str, Any]:
        """What is known and reproduced; the networks without a known rate are left out."""
        import polars as pl

        lost = sum(self.left_out.values())
        self.examined = examine(self.invocation, self.paths, self.facts, lost, calibration)
        left_out, unknown = dict(self.left_out), self.examined.unknown
        if self.examined.valid and unknown:
            self.facts = self.tested.filter(~pl.col("network").is_in(unknown))
            left_out[UNKNOWN] = self.tested.height - self.facts.height
        return {"examined": self.examined, "facts": self.facts, "left_out": left_out}

    def _answer(self, times: Times, names: Sequence[str] = (), **more: Any) -> Answer:
        """What times show of some variants, or all."""
        base, seed = self.settings.reference.name, self.settings.seed
        names = names or self.settings.names
        return answer(self.facts, times, names, base, self.criteria, **more, seed=seed)

    @property
    def criteria(self) -> Criteria:
        """What a variant must do to be recommended."""
        return Criteria(self.questions.limits, self.settings.offered)

    def _times(self, paths: Sequence[ReplayPath], round_: Round, *, packets: bool = True) -> Times:
        """The times of one more pass."""
        times = Times(packets=packets)
        for rows in self.runner.run(paths, round_):
            times.add(rows)
        return times

    def _repeats(self) -> list[Times]:
        """As many perturbed repeats as it takes for the intervals to settle, or are allowed."""
        names, reference = self.settings.names, self.settings.reference.name
        repeats: list[Times] = []
        most = self.questions.repeats if self.examined.knows_paths else 0
        wanted = min(FEWEST_REPEATS, most)
        while len(repeats) < wanted and len(names) > 1:
            round_, packets = Round(repeat=len(repeats) + 1), len(repeats) + 1 < GATE_RUNS
            repeats.append(self._times(self.paths, round_, packets=packets))
            done = len(repeats) == wanted
            if done and not settled(self.facts, self.together, repeats, names, reference):
                wanted = min(2 * wanted, most)
        return repeats

    def _bands(
        self, answered: Answer, parts: Sequence[Partial], groups: Sequence[Partial]
    ) -> dict[str, Any]:
        """What is recommended, or else gains most, under other assumptions."""
        chosen = [group for group in groups if group.verdict.recommended]
        verdicts = [answered.verdict, *(part.verdict for part in (*parts, *chosen))]
        names = set().union(*map(_decisive, verdicts))
        # A setting that is not recommended cannot be contradicted by more runs.
        repeats = self.questions.repeats if any(verdict.recommended for verdict in verdicts) else 0
        bands = []
        if names and self.questions.buffers and self.examined.valid:
            settings = self.settings.only({answered.baseline, *names})
            judged = {*self.facts["network"].unique(), *self.questions.when}
            paths = [path for path in self.paths if path.name in judged]
            runner = replace(self.runner, settings=settings)
            for other in alternatives(paths, settings, windows=self._has_windows):
                runner.settings = other.settings
                runs = self._runs(other, runner, min(FEWEST_REPEATS, repeats), [*parts, *chosen])
                bands.append(self._judged(other, runs, [*parts, *chosen]))
        invocation = self.invocation
        return {
            "bands": bands,
            "partial": [self.examined.judged(part, bands, invocation) for part in parts],
            "groups": [self.examined.judged(group, bands, invocation) for group in groups],
        }

    def _runs(
        self,
        other: Alternative,
        runner: Runner,
        repeats: int,
        parts: Sequence[Partial],
    ) -> list[Times]:
        """A run under another assumption, and repeats where it does not decide."""
        runs: list[Times] = []
        for repeat in range(1 + repeats):
            times = Times(packets=True)
            for rows in runner.run(other.paths, Round(repeat=repeat)):
                times.add(rows)
            runs.append(times)
            if repeat == 0 and self._judged(other, runs, parts).conclusive:
                break
        return runs

    def _judged(self, other: Alternative, runs: Sequence[Times], parts: Sequence[Partial]) -> Band:
        """The verdicts from some runs under another assumption."""
        first, *repeats = runs
        names = other.settings.names
        answered = self._answer(first, names, repeats=repeats, statistics=FOR_A_VERDICT)
        judged = [
            self._partial({part.name: part.networks}, runs, other.settings, part.together)[0]
            for part in parts
        ]
        return Band(other.name, answered, {part.name: part.verdict for part in judged})

    @property
    def _has_windows(self) -> bool:
        """Whether the recording shows the windows of receivers."""
        columns = self.runner.capture.connections
        return bool(columns["s2c_window"].is_not_null().any())


def _decisive(verdict: Verdict) -> set[str]:
    """The settings that alternatives are examined for: what is recommended, or else gains most."""
    chosen = {
        judgement.setting
        for judgement in verdict.judgements
        if judgement.status == Status.RECOMMENDED
    }
    nearest = verdict.candidate
    return chosen or ({nearest.setting} if nearest else set())
