"""`fs.gate_record` and `fs.gate_check`: a base, and whether a change is worse than it."""

import os as os  # of the types of the fields
from collections.abc import Callable as Callable  # the same
from collections.abc import Sequence as Sequence  # the same

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.gate.base import GateBase, path_of
from flowstart.gate.cases import Cases
from flowstart.gate.judgement import Limits, judge
from flowstart.gate.live import live
from flowstart.gate.result import GateResult
from flowstart.gate.runs import CaseRuns
from flowstart.gate.simulated import simulated
from flowstart.model.custom import StartupLike as StartupLike  # of the types of the fields
from flowstart.model.variants import VariantLike as VariantLike  # the same
from flowstart.questions.gate import GateCheck, GateRecord
from flowstart.questions.option import asking, command_of
from flowstart.sweeps.language.sweep import SweepLike as SweepLike  # the same


@asking(GateRecord)
def gate_record(question: GateRecord) -> GateBase:
    """Records how transfers start now, as the base of later checks.

    Returns:
        The base, which is also in the file.

    Raises:
        RequestError: An argument is wrong, or the file cannot be written.

    Example:
        >>> import flowstart as fs
        >>> base = fs.gate_record("base.json", startups=["hystart"])  # doctest: +SKIP
    """
    path = path_of(question.base)
    cases = Cases.of(question)
    runs = _measured(cases, question)
    if failed := next((each for each in runs if each.error), None):
        raise RequestError(f"{failed.case}, {failed.variant}: {failed.error}")
    command = command_of(question, ("gate", "record"))
    base = GateBase(str(path), str(_native.version()), command or "", cases.document, runs)
    base.write()
    return base


@asking(GateCheck)
def gate_check(question: GateCheck) -> GateResult:
    """Runs the cases of a base again, and compares each repeat with the recorded one.

    Returns:
        Which cases are worse, by how much, and what differs in them.

    Raises:
        RequestError: An argument is wrong, or the file has no base.

    Example:
        >>> import flowstart as fs
        >>> checked = fs.gate_check("base.json")  # doctest: +SKIP
        >>> checked.passed, checked.frame  # doctest: +SKIP
    """
    base = GateBase.read(question.base)
    limits = Limits(*(float(getattr(question, f"max_{n}")) for n in ("slower", "loss", "harm")))
    cases = Cases.read(base.cases, question)
    after = _measured(cases, question)
    judged = judge(_recorded(base, after), after, limits)
    return GateResult(base=base, question=question, limits=limits, judged=tuple(judged))


def _measured(cases: Cases, question: GateRecord | GateCheck) -> list[CaseRuns]:
    """The runs of every case."""
    cells, measure = cases.cells(), live if cases.live else simulated
    runs: list[CaseRuns] = []
    variants = 0  # a stack's own congestion controls are other variants than the sweep's
    for case in measure(cases, cells, question.workers):
        runs.append(case)
        variants += case.case == runs[0].case
        if question.progress:
            question.progress(len(runs), len(cells) * variants)
    return runs


def _recorded(base: GateBase, after: Sequence[CaseRuns]) -> list[CaseRuns]:
    """The runs in a base that each case is compared with.

    Where both have one variant, its name does not matter.
    """
    variants = list(dict.fromkeys(each.variant for each in base.runs))
    is_single = len(variants) == len({each.variant for each in after}) == 1
    recorded = {(each.case, each.variant): each for each in base.runs}
    before = []
    for each in after:
        variant = variants[0] if is_single else each.variant
        if (each.case, variant) not in recorded:
            raise RequestError(
                f"{base.file}: it has no `{variant}` on `{each.case}`, but {', '.join(variants)}"
            )
        before.append(recorded[each.case, variant])
    return before
