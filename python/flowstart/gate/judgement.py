"""Whether a case got worse: differences between both runs of each repeat, and their causes.

Each repeat of a case meets the same path before and after, so that differences are paired. The
intervals of all cases hold together with 95 % confidence (Bonferroni); a case is worse where its
difference is beyond the limit, and its interval does not contain zero.
"""

import enum
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from flowstart.gate.beginning import differences
from flowstart.gate.runs import CaseRuns
from flowstart.inference.clusters import NORMAL, student

CONFIDENCE = 0.95
SMALL = 1e-9
"""Differences up to here are none."""


class Outcome(enum.StrEnum):
    """What became of a case."""

    WORSE = "worse"
    UNCERTAIN = "uncertain"
    SAME = "same"
    BETTER = "better"


@dataclass(frozen=True)
class Limits:
    """How much worse a case may be."""

    slower: float
    """Share of the completion time."""
    loss: float
    """Share of packets."""
    harm: float
    """Share that a competing flow loses."""


@dataclass(frozen=True)
class Difference:
    """A difference with its interval."""

    estimate: float
    low: float
    high: float

    def outcome(self, limit: float) -> Outcome:
        """What it means where so much more is permitted."""
        if self.estimate > limit:
            return Outcome.WORSE if self.low > 0 else Outcome.UNCERTAIN
        return Outcome.BETTER if self.estimate < -limit and self.high < 0 else Outcome.SAME


@dataclass(frozen=True)
class Judged:
    """A case before and after."""

    case: str
    variant: str
    before: CaseRuns
    after: CaseRuns
    time: Difference | None
    """Of the completion time, as a share; None where both have no times."""
    loss: Difference | None
    harm: Difference | None
    outcome: Outcome
    causes: tuple[str, ...]
    """What differs, in the order in which it happens in a transfer."""


def judge(before: Sequence[CaseRuns], after: Sequence[CaseRuns], limits: Limits) -> list[Judged]:
    """Every case, in the order of the base; both have the same cases."""
    measures = sum(2 + any(h is not None for h in each.harm) for each in before)
    return [_judged(*both, limits, measures) for both in zip(before, after, strict=True)]


def _judged(before: CaseRuns, after: CaseRuns, limits: Limits, measures: int) -> Judged:
    time = _difference(before.times_s, after.times_s, measures, _logarithm, math.expm1)
    loss = _difference(before.lost, after.lost, measures, float, float)
    harm = _difference(before.harm, after.harm, measures, float, float)
    outcomes = [
        difference.outcome(limit)
        for difference, limit in ((time, limits.slower), (loss, limits.loss), (harm, limits.harm))
        if difference
    ]
    stopped = _stopped(before, after)
    if stopped:
        outcomes = [Outcome.WORSE]
    order = [Outcome.WORSE, Outcome.UNCERTAIN, Outcome.BETTER, Outcome.SAME]
    outcome = min(outcomes, key=order.index, default=Outcome.SAME)
    causes = () if outcome == Outcome.SAME else stopped or _causes(before, after, loss, limits)
    return Judged(
        before.case, before.variant, before, after, time, loss, harm, outcome, tuple(causes)
    )


def _stopped(before: CaseRuns, after: CaseRuns) -> list[str]:
    """Why transfers no longer run or complete."""
    if after.error:
        return [] if before.error else [after.error]
    missing = [sum(time is None for time in each.times_s) for each in (before, after)]
    if before.error or missing[1] <= missing[0]:
        return []
    return [f"{missing[1]} of {len(after.times_s)} transfers do not complete"]


def _causes(
    before: CaseRuns, after: CaseRuns, loss: Difference | None, limits: Limits
) -> list[str]:
    words = []
    if before.beginning and after.beginning:
        words += differences(before.beginning, after.beginning)
    if loss and abs(loss.estimate) > limits.loss:
        shares = [100 * sum(each.lost) / len(each.lost) for each in (before, after)]
        words.append(f"loss {shares[0]:.2g} % → {shares[1]:.2g} %")
    return words or ["nothing at the beginning"]


def _logarithm(value: float) -> float:
    return math.log(value)


def _difference(
    before: Sequence[float | None],
    after: Sequence[float | None],
    measures: int,
    scaled: Callable[[float], float],
    back: Callable[[float], float],
) -> Difference | None:
    """The mean of paired differences, with a t interval that holds together with the others."""
    pairs = [
        scaled(new) - scaled(old)
        for old, new in zip(before, after, strict=False)
        if old is not None and new is not None
    ]
    if not pairs:
        return None
    mean = float(np.mean(pairs))
    reach = 0.0
    if len(pairs) > 1 and np.ptp(pairs) > SMALL:
        beyond = NORMAL.inv_cdf(1 - (1 - CONFIDENCE) / 2 / max(measures, 1))
        error = float(np.std(pairs, ddof=1)) / math.sqrt(len(pairs))
        reach = student(beyond, len(pairs) - 1) * error
    mean = 0.0 if abs(mean) < SMALL else mean
    return Difference(back(mean), back(mean - reach), back(mean + reach))
