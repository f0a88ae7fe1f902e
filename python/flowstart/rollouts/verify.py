"""`fs.verify`: both sets of a rollout to an answer."""

import os as os  # of the types of the fields
from collections.abc import Callable as Callable  # the same
from collections.abc import Mapping as Mapping  # the same
from typing import TYPE_CHECKING

from flowstart.captures.contents import Capture as Capture  # the same
from flowstart.errors import RequestError
from flowstart.inference.data import EQUAL
from flowstart.inference.gates import Limits, levels
from flowstart.questions.option import asking
from flowstart.questions.verify import Verify as Question
from flowstart.replays.answer import parts
from flowstart.rollouts import adjustment, comparability
from flowstart.rollouts.difference import clusters_of, differences
from flowstart.rollouts.judgement import effect_row, more_for_effect, part_gates, verdict_on
from flowstart.rollouts.measurements import Measured, Transfers, measured
from flowstart.rollouts.networks import network_gates
from flowstart.rollouts.predicted import Prediction
from flowstart.rollouts.result import ClassEffect, Verification

if TYPE_CHECKING:
    from flowstart.rollouts.measurements import Floats


@asking(Question)
def verify(question: Question) -> Verification:
    """Compares measurements of a rollout: transfers with a setting, and without it.

    Returns:
        What to do, the effect by size class, and what may speak against it.

    Raises:
        RequestError: An argument is wrong, or a set has no completion times.

    Example:
        >>> import flowstart as fs
        >>> found = fs.verify("control.csv", "iw30.csv")  # doctest: +SKIP
        >>> found.answer  # doctest: +SKIP
        <Answer.ROLL_OUT: 'roll out'>
    """
    margin, limits, predicted = _checked(question)
    control = measured(question.control, question)
    treatment = measured(question.treatment, question)
    transfers = Transfers.of(control.rows, treatment.rows)
    residuals = adjustment.residuals(transfers, _history(question, control, treatment, transfers))
    cluster_of, cluster = clusters_of(transfers)
    shares = comparability.shares(transfers, cluster_of, float(question.share))
    split = parts(transfers.sizes)
    at = levels(len(split) + 1)
    differing = differences(transfers, residuals, cluster_of, split, limits)
    judged = [gate for part in differing for gate in part_gates(part, limits, at)]
    judged += network_gates(transfers, residuals, limits, at)
    effects = tuple(ClassEffect(effect_row(part), part) for part in differing)
    more = [j.more for j in judged]
    return Verification(
        question=question,
        sets=(control, treatment),
        margin=margin,
        cluster=cluster,
        shares=shares,
        objection=comparability.objection(control, treatment, shares),
        effects=effects,
        verdict=verdict_on(effects[0].row, [j.gate for j in judged], margin),
        more_times=max([*more, more_for_effect(differing[0].effect, margin)]),
        prediction=predicted and (predicted.of_responses() if control.of_responses else predicted),
    )


def _checked(question: Question) -> tuple[float, Limits, Prediction | None]:
    """The margin, limits and prediction. Raises RequestError before anything is read."""
    margin = EQUAL if question.min_effect is None else float(question.min_effect)
    for name, value in (("share", float(question.share)), ("min_effect", margin)):
        if not 0 < value < 1:
            raise RequestError(
                "more than 0% and less than 100% is needed", (name,), f"{100 * value:g}%"
            )
    if question.setting and not question.predicted:
        raise RequestError("it names a setting of `predicted`, which is missing", ("setting",))
    if isinstance(question.control, str | os.PathLike) and question.control == question.treatment:
        raise RequestError(f"{question.control}: control and treatment are the same file")
    predicted = question.predicted and Prediction.read(question.predicted, question.setting)
    return margin, Limits.of(question), predicted or None


def _history(
    question: Question, control: Measured, treatment: Measured, transfers: Transfers
) -> "Floats | None":
    """What each network's times were before the rollout; None where it is not known."""
    if question.before is None:
        return None
    before = measured(question.before, question, ("before",))
    if before.end >= min(control.begin, treatment.begin):
        raise RequestError(
            f"{before.name}: its last transfer starts after the first one of the rollout; "
            "transfers from before it are needed",
            ("before",),
        )
    history = Transfers.of(before.rows, before.rows.clear())
    return adjustment.of_networks(history, transfers.names)
