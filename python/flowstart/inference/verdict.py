"""One verdict over all settings: what to choose for all traffic, and what speaks against the rest.

A setting applies to a whole host. It is recommended only if all its traffic gains significantly
and it passes every gate: each size class and each network has a veto.
"""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from flowstart import text
from flowstart.inference.data import Row
from flowstart.inference.gates import Exceeding, Gate, Outcome, Quantity


class Status(StrEnum):
    """What is concluded of a setting."""

    RECOMMENDED = "recommended"
    """It gains significantly and passes every gate."""
    INCONCLUSIVE = "inconclusive"
    """Neither recommended nor rejected: the sample is too small, or the gain not significant."""
    REJECTED = "rejected"
    """It is significantly beyond a limit, or slower."""
    RESEARCH = "research"
    """The stack does not offer it, so it is never recommended, whatever it gains."""


CAUSES = {
    Quantity.HARMED: "harm",
    Quantity.P99: "p99",
    Quantity.LOSS: "loss",
    Quantity.RETRANSMITTED: "loss",
}


@dataclass(frozen=True)
class Judgement:
    """What is concluded of one setting, and why."""

    setting: str
    status: Status
    gain: Row
    """The geometric mean of completion times against the baseline's, less one, over all traffic."""
    gates: tuple[Gate, ...]
    reason: str
    """A clause that follows the name of the setting."""

    @property
    def cause(self) -> str:
        """The status, with the quantity that decides it where a limit does."""
        if self.status not in (Status.REJECTED, Status.INCONCLUSIVE):
            return str(self.status)
        gate = next(iter(self.vetoes), None)
        if self.gain.loses and (gate is None or gate.outcome != Outcome.REJECTED):
            return f"{self.status}: slower"
        return f"{self.status}: {CAUSES[gate.quantity]}" if gate else f"{self.status}: gain"

    @property
    def vetoes(self) -> list[Gate]:
        """The gates that it does not pass: those that reject it first, then the largest excess."""
        failed = [gate for gate in self.gates if gate.outcome != Outcome.PASSES]
        return sorted(failed, key=lambda g: (g.outcome != Outcome.REJECTED, -g.excess))

    @property
    def exceeding(self) -> list[Exceeding]:
        """The networks that are probably beyond a limit, most traffic first."""
        found = {one.network: one for gate in self.gates for one in gate.networks}
        return sorted(found.values(), key=lambda one: (-one.traffic, one.network))


@dataclass(frozen=True)
class Verdict:
    """What to choose for all traffic."""

    baseline: str
    judgements: tuple[Judgement, ...]
    ties: tuple[str, ...] = ()
    """Recommended settings that cannot be distinguished from the one with the largest gain."""

    @property
    def recommended(self) -> str | None:
        """The setting to choose: of those recommended the one with the largest gain."""
        best = [one for one in self.judgements if one.status == Status.RECOMMENDED]
        return min(best, key=_gain).setting if best else None

    @property
    def candidate(self) -> Judgement | None:
        """What is recommended, or else what gains most of the settings that the stack offers."""
        if self.recommended is not None:
            return self.of(self.recommended)
        offered = [one for one in self.judgements if one.status != Status.RESEARCH]
        return min((one for one in offered if one.gain.gains), key=_gain, default=None)

    def of(self, setting: str) -> Judgement | None:
        """The judgement of a setting; None for the baseline."""
        return next((one for one in self.judgements if one.setting == setting), None)

    @property
    def headline(self) -> str:
        """The verdict, and its reason in one sentence."""
        if (name := self.recommended) is not None:
            chosen = self.of(name)
            assert chosen
            equal = ", ".join(other for other in self.ties if other != name)
            tie = f" Not distinguishable from it: {equal}." if equal else ""
            return f"Recommendation: {name}. It {chosen.reason}.{tie}"
        named = "" if self.baseline == "current" else f" ({self.baseline})"
        keep = f"Recommendation: keep the current setting{named}."
        offered = [one for one in self.judgements if one.status != Status.RESEARCH]
        if nearest := self.candidate:
            return f"{keep} {nearest.setting} {nearest.reason}."
        if offered and not any(one.gain.enough for one in offered):
            return f"{keep} The sample is too small: {offered[0].gain.reason}."
        return f"{keep} No setting that the stack offers is significantly faster."

    def depending(self, others: Mapping[str, "Verdict"]) -> "Verdict":
        """The same where a setting that is rejected under other assumptions is inconclusive.

        `others` has the verdicts under these assumptions, by what they are.
        """
        changed = []
        for one in self.judgements:
            against = {name: found for name, v in others.items() if (found := v.of(one.setting))}
            rejected = [
                (name, found) for name, found in against.items() if found.status == Status.REJECTED
            ]
            if one.status == Status.RECOMMENDED and rejected:
                name, found = rejected[0]
                reason = f"{faster(one.gain)}, but not with {name}: there it {found.reason}"
                one = dataclasses.replace(one, status=Status.INCONCLUSIVE, reason=reason)
            changed.append(one)
        return dataclasses.replace(self, judgements=tuple(changed))


def judge(
    baseline: str,
    gains: Mapping[str, Row],
    gates: Mapping[str, Sequence[Gate]],
    offered: Collection[str],
    slower_than: Collection[tuple[str, str]] = (),
) -> Verdict:
    """The verdict from each setting's gain over all traffic and its gates.

    `offered` are the settings that the stack has. `slower_than` has pairs of settings of which the
    first is significantly slower.
    """
    judged = tuple(
        _judgement(name, gain, tuple(gates[name]), offered=name in offered)
        for name, gain in gains.items()
    )
    found = Verdict(baseline, judged)
    best = found.recommended
    recommended = [one.setting for one in judged if one.status == Status.RECOMMENDED]
    ties = [name for name in recommended if (name, best) not in slower_than]
    return dataclasses.replace(found, ties=tuple(ties))


def _judgement(name: str, gain: Row, gates: tuple[Gate, ...], *, offered: bool) -> Judgement:
    status = _status(gain, gates)
    one = Judgement(name, status if offered else Status.RESEARCH, gain, gates, "")
    return dataclasses.replace(one, reason=_reason(one, status))


def _status(gain: Row, gates: Sequence[Gate]) -> Status:
    if gain.loses or any(gate.outcome == Outcome.REJECTED for gate in gates):
        return Status.REJECTED
    if gain.gains and all(gate.outcome == Outcome.PASSES for gate in gates):
        return Status.RECOMMENDED
    return Status.INCONCLUSIVE


def _reason(one: Judgement, status: Status) -> str:
    """What the status rests on, with the gate that vetoes."""
    first = faster(one.gain)
    research = "; the stack does not offer it" if one.status == Status.RESEARCH else ""
    if status == Status.RECOMMENDED:
        return f"{first}, and within every limit{_except_in(one)}{research}"
    if not one.vetoes:
        return f"{first}{research}"
    gate = one.vetoes[0]
    joint = "but" if one.gain.gains else "and"
    doubt = "" if gate.outcome == Outcome.REJECTED else "it is inconclusive whether "
    return f"{first}, {joint} {doubt}{exceeding(gate)}{research}"


def _except_in(one: Judgement) -> str:
    """The networks that are beyond a limit nevertheless."""
    found = one.exceeding
    if not found:
        return ""
    names = [network.network for network in found[:MOST_NAMED]]
    more = len(found) - len(names)
    where = text.listed([*names, *([f"{more} more"] * bool(more))])
    traffic = text.share(sum(network.traffic for network in found))
    return f" except in {where} ({traffic} of the traffic)"


def faster(gain: Row) -> str:
    """A change of completion times in words, with its interval."""
    if gain.estimate is None:
        return "cannot be compared"
    amount = text.percent(abs(gain.estimate)).lstrip("+−")
    size = f"{amount} {'faster' if gain.estimate < 0 else 'slower'}"
    if gain.low is None or gain.high is None:
        return f"is {size} ({gain.reason})"
    ends = f"{text.percent(gain.low)} to {text.percent(gain.high)}"
    significant = "" if gain.gains or gain.loses else ", not significant"
    return f"is {size} (95 % CI {ends}{significant})"


def exceeding(gate: Gate) -> str:
    """What is beyond its limit, and where."""
    if gate.kind == "networks":
        return _in_networks(gate)
    part = part_in_words(gate)
    shown = text.percent if gate.is_change else text.share
    ends = f"CI {shown(gate.low)} to {shown(gate.high)}, "
    limit = f"({ends * (gate.outcome == Outcome.INCONCLUSIVE)}limit {text.share(gate.limit)})"
    if gate.quantity == Quantity.HARMED:
        return f"harm to {part} is beyond its limit: {text.share(gate.estimate)} are harmed {limit}"
    if gate.quantity == Quantity.P99:
        return f"p99 of {part} rises too much: {text.percent(gate.estimate)} {limit}"
    return (
        f"{_WHAT[gate.quantity]} in {part} is beyond its limit: {text.share(gate.estimate)} {limit}"
    )


_WHAT = {
    Quantity.HARMED: "harm",
    Quantity.P99: "the rise of p99",
    Quantity.LOSS: "loss",
    Quantity.RETRANSMITTED: "retransmission",
}
MOST_NAMED = 3
"""Networks that a sentence names."""


def _in_networks(gate: Gate) -> str:
    """How much traffic is in networks beyond a limit, and in which."""
    ends = f"95 % CI {text.share(gate.low)} to {text.share(gate.high)}, limit"
    traffic = f"{text.share(gate.estimate)} of the traffic ({ends} {text.share(gate.limit)})"
    names = [one.network for one in gate.networks[:MOST_NAMED]]
    more = len(gate.networks) - len(names)
    names += [f"{more} more"] * bool(more)
    where = f", in {text.listed(names)}" if names else ""
    return f"{_WHAT[gate.quantity]} is beyond its limit for {traffic}{where}"


def part_in_words(gate: Gate) -> str:
    """The traffic that a gate is about."""
    if gate.kind == "all":
        return "all transfers"
    if gate.kind == "networks":
        return "networks"
    of = "" if gate.part.startswith(("below", "above")) else "of "
    return f"transfers {of}{gate.part}"


def _gain(one: Judgement) -> float:
    return one.gain.estimate or 0.0
