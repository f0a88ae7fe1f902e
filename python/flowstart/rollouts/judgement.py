"""Gates of a rollout, the answer, and how many transfers an open one needs.

Limits, gates and the rule are those of a replay (`inference`), with one difference: which transfers
are harmed is not known, since none has a time under both settings. Both distributions bound their
share from below (Makarov 1981; Fan and Park 2010). If no transfer took over 10 % longer, no more of
the treatment would be beyond any time than of the control, with times 10 % longer. What is beyond
it more is harmed. A network is harmed where the geometric mean of its times is over 10 % longer.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from flowstart.inference.data import Row, Statistic
from flowstart.inference.gates import Gate, GateQuantity, Kind, Limits, Outcome
from flowstart.inference.harm import Levels
from flowstart.inference.intervals import FEW_CLUSTERS
from flowstart.inference.sequences import Monitored
from flowstart.inference.verdict import Judgement, Status, Verdict, faster, judge
from flowstart.rollouts.difference import PartDifference, Retransmissions

ERROR = 0.05
"""The probability that an interval fails at any look, at both ends together."""
TREATMENT = "treatment"
WIDEST = math.log(10)
"""An interval that reaches further in log times is not stated."""
MOST_MORE = 1000.0
"""More times the measured transfers are not stated."""


class Answer(StrEnum):
    """What to do with the setting."""

    ROLL_OUT = "roll out"
    WAIT = "wait"
    ROLL_BACK = "roll back"
    NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True)
class Judged:
    """A gate, and how many times the present transfers settle it."""

    gate: Gate
    more: float


def effect_row(part: PartDifference) -> Row:
    """The change of the geometric mean of completion times, with its interval."""
    estimate = math.expm1(part.effect.estimate)
    labels = (part.part.name, TREATMENT, Statistic.GEOMEAN_RATIO, estimate)
    rest = (sum(part.transfers), part.clusters)
    half = part.effect.half(ERROR / 2)
    if part.few or half > WIDEST:
        why = f"effective sample size: {part.clusters:.1f} clusters; {FEW_CLUSTERS} are needed"
        return Row(*labels, None, None, *rest, why if part.few else "the sample is too small")
    low, high = (math.expm1(part.effect.estimate + sign * half) for sign in (-1, 1))
    return Row(*labels, low, high, *rest)


def part_gates(part: PartDifference, limits: Limits, at: Levels) -> Iterator[Judged]:
    """The gates of all traffic or of a size class."""
    errors = at.low, 1 - at.high
    yield _harm(part, limits, errors)
    yield _tail(part, limits, errors)
    if part.retransmissions:
        yield _retransmitted(part, part.retransmissions, limits, errors)


def _gate(
    part: PartDifference, quantity: GateQuantity, base: float | None, values: Sequence[float]
) -> Gate:
    """A gate from its estimate, the ends of its interval and its limit."""
    estimate, low, high, limit = values
    kind: Kind = "all" if part.part.kind == "all" else "size class"
    return Gate(
        quantity, base, estimate, min(low, estimate), max(high, estimate), limit,
        kind=kind, part=part.part.name, transfers=sum(part.transfers), few=part.few,
    )  # fmt: skip


def _judged(gate: Gate, clusters: float, more: float) -> Judged:
    if gate.outcome != Outcome.INCONCLUSIVE:
        return Judged(gate, 1.0)
    return Judged(gate, max(more, FEW_CLUSTERS / clusters if gate.few else 1.0))


def _harm(part: PartDifference, limits: Limits, errors: tuple[float, float]) -> Judged:
    """The share harmed, at least the largest excess: its lower end is one of several."""
    low, high, limit = errors[0] / len(part.harmed), errors[1], limits.harmed
    ends = [min(max(each.high(high), 0.0), 1.0) for each in part.harmed]
    estimate = max(0.0, *(each.estimate for each in part.harmed))
    least = max(0.0, *(each.low(low) for each in part.harmed))
    gate = _gate(part, GateQuantity.HARMED, None, (estimate, least, max(ends), limit))
    open_ = [m for m, end in zip(part.harmed, ends, strict=True) if end > limit]
    more = max((m.more(high, _distance(m.estimate - limit, limit)) for m in open_), default=1.0)
    return _judged(gate, part.clusters, more)


def _distance(beyond: float, limit: float) -> float:
    """How far an end may be away: as the limit is, and half of it where that is nearer."""
    return max(abs(beyond), limit / 2)


def _tail(part: PartDifference, limits: Limits, errors: tuple[float, float]) -> Judged:
    """The change of p99."""
    tail = part.tail
    estimate = 0.0 if math.isnan(tail.change) else tail.change
    values = (estimate, tail.low(errors[0] / len(tail.steps)), tail.high(errors[1]), limits.p99)
    gate = _gate(part, GateQuantity.P99, None, values)
    at_limit = tail.steps[limits.p99]
    distance = _distance(at_limit.estimate, at_limit.scale)
    return _judged(gate, part.clusters, at_limit.more(errors[1], distance))


def _retransmitted(
    part: PartDifference, share: Retransmissions, limits: Limits, errors: tuple[float, float]
) -> Judged:
    """The share of packets retransmitted."""
    low, high = (
        share.limit + end for end in (share.beyond.low(errors[0]), share.beyond.high(errors[1]))
    )
    values = (share.treatment, max(low, 0.0), min(high, 1.0), share.limit)
    gate = _gate(part, GateQuantity.RETRANSMITTED, share.control, values)
    distance = _distance(share.beyond.estimate, limits.loss)
    return _judged(gate, part.clusters, share.beyond.more(errors[1], distance))


def verdict_on(row: Row, gates: Sequence[Gate], margin: float) -> Verdict:
    """The rule of a replay's verdict, for the one setting that is rolled out."""
    return judge("control", {TREATMENT: row}, {TREATMENT: gates}, {TREATMENT}, margin=margin)


def answer_of(judgement: Judgement, margin: float) -> tuple[Answer, str]:
    """What to do, and why in a sentence."""
    gain, reason = judgement.gain, f"the treatment {judgement.reason}"
    if judgement.status == Status.RECOMMENDED:
        return Answer.ROLL_OUT, reason
    if judgement.status == Status.REJECTED:
        return Answer.ROLL_BACK, reason
    if gain.low is not None and gain.low > -margin:
        return Answer.ROLL_BACK, (
            f"a gain of {100 * margin:.3g} % is excluded: the treatment {faster(gain)}"
        )
    return Answer.WAIT, reason


def more_for_effect(effect: Monitored, margin: float) -> float:
    """How many times the present transfers show the effect, or that it is below the margin."""
    least, estimate = -math.log1p(-margin), effect.estimate
    distance = -estimate if estimate <= -least else max(estimate + least, least / 2)
    return effect.more(ERROR / 2, distance)
