"""Runs experiments and sets what they measure beside what was published."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model.catalog import suggest
from flowstart_papers import counting
from flowstart_papers.counting import Counted
from flowstart_papers.experiment import Experiment, Findings, Paper
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured, Target, Verdict


@dataclass(frozen=True)
class Judged:
    """A target with its verdict."""

    target: Target
    measured: Measured | None
    verdict: Verdict
    seconds: float
    """What the runs of its experiment took."""
    fitted: Sequence[str] = ()
    """The inputs that were fitted to it, with their values."""

    def counted(self) -> Counted:
        """As far as counting goes."""
        return Counted(self.target, self.verdict, bool(self.fitted))

    def row(self) -> dict[str, Any]:
        """As `--json` has it."""
        target, measured = self.target, self.measured
        return {
            "id": target.id,
            "paper": target.paper,
            "experiment": target.experiment,
            "figure": target.figure,
            "what": target.what,
            "unit": target.unit or None,
            "expected": target.expected,
            "tolerance": target.tolerance() or None,
            "class": str(target.target_class),
            "fitted": list(self.fitted),
            "measured": measured.value if measured else None,
            "interval": measured.interval if measured else None,
            "seeds": measured.seeds if measured else None,
            "verdict": str(self.verdict),
            "says": target.says or None,
            "because": (measured.because if measured else target.reason) or None,
            "shown_by": (measured.shown_by if measured else "") or None,
            "doubt": target.doubt or None,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class Done:
    """An experiment that was run."""

    paper: Paper
    experiment: Experiment
    findings: Findings
    judged: Sequence[Judged]
    seconds: float
    """What its runs took, those that were kept from earlier included."""

    def counts(self) -> Counter[str]:
        """How many targets have which verdict."""
        return Counter(str(judged.verdict) for judged in self.judged)

    def result(self) -> dict[str, Any]:
        """As `--json` has it."""
        return {
            "id": self.experiment.id,
            "paper": self.paper.name,
            "figure": self.experiment.figure,
            "question": self.experiment.question,
            "answers": list(self.findings.answers),
            "readings": asdict(held) if (held := self.findings.held) else None,
            "tables": {table.name: list(table.rows) for table in self.findings.tables},
            "seconds": round(self.seconds, 3),
        }


def choose(
    papers: Sequence[Paper], names: Sequence[str], *, everything: bool = False, quick: bool = False
) -> list[tuple[Paper, Experiment]]:
    """The experiments that are named: by their own ID, their paper's name, or a target's ID.

    Raises RequestError where a name is none of these.
    """
    known = [(paper, experiment) for paper in papers for experiment in paper.experiments]
    if everything or quick:
        return [pair for pair in known if pair[1].quick or not quick]
    by_target = {target.id: target.experiment for paper in papers for target in paper.targets}
    chosen = []
    for name in names:
        found = [
            (paper, experiment)
            for paper, experiment in known
            if name.lower() in (experiment.id.lower(), paper.name)
            or by_target.get(name) == experiment.id
        ]
        if not found:
            ids = [experiment.id for _, experiment in known] + [paper.name for paper in papers]
            hint = suggest(name, ids, "flowstart papers")
            raise RequestError(f"no experiment is called `{name}`{hint}")
        chosen += [pair for pair in found if pair not in chosen]
    return chosen


def run(paper: Paper, experiment: Experiment, lab: Lab) -> Done:
    """Runs an experiment and judges what it measured."""
    findings = experiment.run(lab)
    judged = judge(paper, experiment, findings, lab.seconds)
    return Done(paper, experiment, findings, judged, lab.seconds)


def judge(paper: Paper, experiment: Experiment, findings: Findings, seconds: float) -> list[Judged]:
    """Verdicts on all targets of an experiment, which must be those that it measured."""
    mine = [target for target in paper.targets if target.experiment == experiment.id]
    by_name = {target.id for target in mine if target.kind != "not checkable" and not target.column}
    if by_name != set(findings.measured):
        differing = ", ".join(sorted(by_name ^ set(findings.measured)))
        raise ValueError(f"{experiment.id}: measured and published differ in {differing}")
    return [
        Judged(target, measured, target.judge(measured), seconds, fitted(paper, target))
        for target in mine
        for measured in [findings.of(target)]
    ]


def fitted(paper: Paper, target: Target) -> list[str]:
    """The inputs that were fitted to a target, in words."""
    return [f"{each.what}: {each.value}" for each in paper.fitted(target.id)]


def result(done: Sequence[Done]) -> dict[str, Any]:
    """Everything as one JSON document."""
    judged = [one for each in done for one in each.judged]
    return {
        "flowstart": _native.version(),
        "headline": counting.headline(one.counted() for one in judged),
        "verdicts": dict(Counter(str(one.verdict) for one in judged)),
        "targets": [one.row() for one in judged],
        "experiments": [each.result() for each in done],
    }
