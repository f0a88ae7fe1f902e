"""What many verdicts come to: how much of what could have failed holds."""

from collections.abc import Iterable
from dataclasses import dataclass

from flowstart_papers.target import Target, TargetClass, Verdict


@dataclass(frozen=True)
class Tally:
    """So many of so many."""

    hold: int
    of: int

    def __str__(self) -> str:
        return f"{self.hold} of {self.of}"


@dataclass(frozen=True)
class Counted:
    """A target with its verdict, as far as counting goes."""

    target: Target
    verdict: Verdict
    fitted: bool
    """Whether an input was fitted to it."""


def headline(counted: Iterable[Counted]) -> str:
    """One line: first what the papers print and what could have come out otherwise."""
    every = list(counted)
    checked = [one for one in every if one.verdict is not Verdict.NOT_CHECKABLE]
    printed = _of(checked, TargetClass.PRINTED)
    parts = [_printed(printed)] if printed else []
    parts += [_beside(checked, len(every) - len(checked))]
    return " ".join(filter(None, parts)) or "No targets."


def tally(counted: Iterable[Counted]) -> Tally:
    """How many hold."""
    judged = list(counted)
    return Tally(sum(one.verdict.holds for one in judged), len(judged))


def _printed(printed: list[Counted]) -> str:
    numbers = tally(one for one in printed if one.target.kind == "value")
    trends = tally(one for one in printed if one.target.kind == "trend")
    fitted = tally(one for one in printed if one.fitted)
    said = f"Printed, and could have come out otherwise: {tally(printed)} hold"
    kinds = [f"numbers {numbers}", f"statements {trends}"]
    said += f" ({', '.join(kinds)})"
    if fitted.hold:
        said += f"; {fitted.hold} of them with an input fitted to them"
    return said + "."


def _beside(checked: list[Counted], not_checkable: int) -> str:
    names = {
        TargetClass.PREDICTION: "our predictions",
        TargetClass.IDENTITY: "identities",
        TargetClass.REPEAT: "repeats",
    }
    said = [f"{name} {tally(mine)}" for kind, name in names.items() if (mine := _of(checked, kind))]
    against = _of(checked, TargetClass.REFUTATION)
    if against:
        refuted = sum(one.verdict is Verdict.REFUTED for one in against)
        said.append(f"statements refuted {refuted} of {len(against)}")
    if not_checkable:
        said.append(f"not checkable {not_checkable}")
    return f"Besides these: {', '.join(said)}." if said else ""


def _of(counted: Iterable[Counted], kind: TargetClass) -> list[Counted]:
    return [one for one in counted if one.target.target_class is kind]
