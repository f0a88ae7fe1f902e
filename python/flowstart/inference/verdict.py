"""One verdict over all settings: what to choose for all traffic, and what speaks against the rest.

A setting applies to a whole host. It is recommended only if all its traffic gains significantly
and it passes every gate: each size class and each network has a veto. Before that, the simulation
must be valid: a recommendation needs a known path, a reproduced recording, plausible alternatives
that agree, and enough traffic.
"""

import dataclasses
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from flowstart import text
from flowstart.inference.data import EQUAL, Row
from flowstart.inference.gates import Exceeding, Gate, GateQuantity, Outcome
from flowstart.inference.intervals import NO_DIFFERENCE


class ValidityQuestion(StrEnum):
    """What must be true of a replay before it supports a recommendation."""

    PATH = "path"
    """Is the bottleneck of each network known from data?"""
    REPRODUCTION = "reproduction"
    """Does the replay of the recorded setting agree with the recording?"""
    ALTERNATIVES = "alternatives"
    """Does the recommendation hold under other plausible assumptions?"""
    SENDERS = "senders"
    """Does the recorded setting stand for all senders?"""
    TRAFFIC = "traffic"
    """Are there enough independent connections?"""


FAILURES = {
    ValidityQuestion.PATH: "the path is not known",
    ValidityQuestion.REPRODUCTION: "the recording is not reproduced",
    ValidityQuestion.ALTERNATIVES: "plausible alternatives disagree",
    ValidityQuestion.SENDERS: "the senders differ",
    ValidityQuestion.TRAFFIC: "there is too little traffic",
}


@dataclass(frozen=True)
class Check:
    """The answer to one question."""

    question: ValidityQuestion
    holds: bool | None
    """None: not examined."""
    finding: str = ""
    """What was measured, in a few words."""
    reason: str = ""
    """Why it fails, in a clause."""
    remedy: tuple[str, ...] = ()
    """Commands that would settle it."""
    cause: str = ""
    """The probable cause, in a clause; empty where none is known."""

    @property
    def failure(self) -> str:
        """What is wrong, in a clause."""
        if self.holds is None:
            return f"the question of {self.question} is not examined"
        return f"{FAILURES[self.question]}: {self.reason}"

    @property
    def answer(self) -> str:
        """Yes or no, and the finding."""
        return ANSWERS[self.holds] + f" ({self.finding})" * bool(self.finding)


ANSWERS = {True: "yes", False: "no", None: "not examined"}


@dataclass(frozen=True)
class Validity:
    """The answers to all questions, in the order in which they decide."""

    checks: tuple[Check, ...] = ()

    @property
    def failing(self) -> Check | None:
        """The first question with a negative answer, or else the first that is not examined."""
        open_ = [check for check in self.checks if not check.holds]
        return min(open_, key=lambda check: check.holds is None, default=None)


class Status(StrEnum):
    """What is concluded of a setting."""

    RECOMMENDED = "recommended"
    """It gains significantly and more than `EQUAL`, and passes every gate."""
    INCONCLUSIVE = "inconclusive"
    """Neither recommended nor rejected: the sample is too small, the gain not significant, or the
    replay not valid."""
    EQUAL = "no difference"
    """Neither a gain nor a loss of more than `EQUAL`."""
    REJECTED = "rejected"
    """It is significantly beyond a limit, or slower."""
    RESEARCH = "research"
    """The stack does not offer it, so it is never recommended, whatever it gains."""


CAUSES = {
    GateQuantity.HARMED: "harm",
    GateQuantity.P99: "p99",
    GateQuantity.P90: "p90",
    GateQuantity.SLOWEST_FLOW: "slowest flow",
    GateQuantity.LOSS: "loss",
    GateQuantity.RETRANSMITTED: "loss",
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
    question: ValidityQuestion | None = None
    """The question of validity that prevents a recommendation."""
    request: Row | None = None
    """The gain from a client's request to the last byte, where that is known."""
    risk: str = ""
    """A clause on another assumption that rejects a setting which is inconclusive."""

    @property
    def is_equal(self) -> bool:
        """Whether the setting changes nothing that matters."""
        return self.status == Status.EQUAL

    @property
    def is_inconclusive(self) -> bool:
        """Whether more traffic is needed for a conclusion."""
        return self.status == Status.INCONCLUSIVE

    @property
    def is_as_fast(self) -> bool:
        """Whether its gain is too small to matter, whatever else rejects it."""
        return equal(self.gain)

    @property
    def cause(self) -> str:
        """The status, with the quantity that decides it where a limit does."""
        if self.status not in (Status.REJECTED, Status.INCONCLUSIVE):
            return str(self.status)
        if self.question:
            return f"{self.status}: {self.question}"
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
        networks = {network.network: network for gate in self.gates for network in gate.networks}
        return sorted(networks.values(), key=lambda network: (-network.traffic, network.network))


@dataclass(frozen=True)
class Verdict:
    """What to choose for all traffic."""

    baseline: str
    judgements: tuple[Judgement, ...]
    ties: tuple[str, ...] = ()
    """Recommended settings that cannot be distinguished from the one with the largest gain."""
    validity: Validity = Validity()
    """Whether the replay supports a recommendation."""

    @property
    def recommended(self) -> str | None:
        """The setting to choose: of those recommended the one with the largest gain."""
        best = [
            judgement for judgement in self.judgements if judgement.status == Status.RECOMMENDED
        ]
        return min(best, key=gain_of).setting if best else None

    @property
    def candidate(self) -> Judgement | None:
        """What is recommended, or else what gains most of the settings that the stack offers."""
        if self.recommended is not None:
            return self.of(self.recommended)
        offered = [j for j in self.judgements if j.status != Status.RESEARCH]
        return min((j for j in offered if j.gain.gains), key=gain_of, default=None)

    def for_clients(self, rows: Mapping[str, Row]) -> "Verdict":
        """The same with each setting's gain from a client's request to the last byte."""
        return self._changed(lambda j: _for_client(j, rows.get(j.setting)))

    @property
    def objection(self) -> Check | None:
        """The question that fails; one that was not examined only if it withdraws a setting."""
        failing = self.validity.failing
        if failing is None or failing.holds is not None:
            return failing
        return failing if any(judgement.question for judgement in self.judgements) else None

    def of(self, setting: str) -> Judgement | None:
        """The judgement of a setting; None for the baseline."""
        return next(
            (judgement for judgement in self.judgements if judgement.setting == setting), None
        )

    def __str__(self) -> str:
        return "\n".join([self.headline, *(f"{j.setting} {j.reason}." for j in self.judgements)])

    @property
    def headline(self) -> str:
        """The verdict, and its reason in one sentence."""
        named = "" if self.baseline == "current" else f" ({self.baseline})"
        if failing := self.objection:
            return f"No setting is recommended: {failing.failure}."
        if (name := self.recommended) is not None:
            chosen = self.of(name)
            assert chosen
            equal = ", ".join(other for other in self.ties if other != name)
            tie = f" Not distinguishable from it: {equal}." if equal else ""
            return f"Recommendation: {name}. It {chosen.reason}.{tie}"
        keep = f"Recommendation: keep the current setting{named}."
        if nearest := self.candidate:
            return f"{keep} {nearest.setting} {nearest.reason}."
        return f"{keep} No setting that the stack offers is significantly faster."

    def depending(self, others: Mapping[str, "Verdict"]) -> "Verdict":
        """The same, where a recommendation that another assumption contradicts is inconclusive.

        `others` has the verdicts under these assumptions, by what they are.
        """
        return self._changed(lambda j: _compared(j, others))

    def without(self, reasons: Mapping[str, str], question: ValidityQuestion) -> "Verdict":
        """The same, where recommended settings with a reason against them are inconclusive."""

        def judged(judgement: Judgement) -> Judgement:
            reason = reasons.get(judgement.setting)
            if reason is None or judgement.status != Status.RECOMMENDED:
                return judgement
            return _doubted(judgement, f"{faster(judgement.gain)}, but {reason}", question)

        return self._changed(judged)

    def subject_to(self, validity: Validity) -> "Verdict":
        """The same, where nothing is recommended unless every question has a positive answer.

        Without a known path nothing is rejected either.
        """
        failing = validity.failing
        verdict = dataclasses.replace(self, validity=validity)
        if failing is None:
            return verdict
        withdrawn = {Status.RECOMMENDED}
        if failing.question == ValidityQuestion.PATH:
            withdrawn |= {Status.REJECTED, Status.EQUAL}

        def judged(judgement: Judgement) -> Judgement:
            if judgement.status not in withdrawn:
                return judgement
            reason = f"{faster(judgement.gain)}, but {failing.failure}"
            return _doubted(judgement, reason, failing.question)

        return verdict._changed(judged)

    def _changed(self, change: Callable[[Judgement], Judgement]) -> "Verdict":
        judgements = tuple(map(change, self.judgements))
        recommended = {
            judgement.setting for judgement in judgements if judgement.status == Status.RECOMMENDED
        }
        ties = tuple(name for name in self.ties if name in recommended)
        return dataclasses.replace(self, judgements=judgements, ties=ties)


def _compared(judgement: Judgement, others: Mapping[str, Verdict]) -> Judgement:
    """A judgement next to those under other assumptions."""
    against = {name: other for name, v in others.items() if (other := v.of(judgement.setting))}
    joint, accepted = "but not with", {Status.RECOMMENDED: True, Status.REJECTED: False}
    if judgement.status not in accepted:
        return dataclasses.replace(judgement, risk=_risk(against))
    if judgement.status == Status.REJECTED and judgement.vetoes:
        joint = f"{exceeding(judgement.vetoes[0])}, but not with"
    contrary = {
        name: other
        for name, other in against.items()
        if (other.status == Status.RECOMMENDED) != accepted[judgement.status]
    }
    if not contrary:
        return judgement
    name, worst = _worst(contrary)
    where = f"with {name}" if len(contrary) > 1 else "there"
    names = text.listed([*contrary])
    reason = f"{faster(judgement.gain)}, {joint} {names}: {where} it {worst.reason}"
    return _doubted(judgement, reason, ValidityQuestion.ALTERNATIVES)


def _risk(others: Mapping[str, Judgement]) -> str:
    """The worst of the assumptions under which a setting is rejected, and what rejects it."""
    rejected = {name: j for name, j in others.items() if j.status == Status.REJECTED}
    if not rejected:
        return ""
    name, worst = _worst(rejected)
    return f"with {name} it is {worst.cause}"


def _worst(others: Mapping[str, Judgement]) -> tuple[str, Judgement]:
    """The assumption under which transfers take longest."""
    return max(others.items(), key=lambda item: item[1].gain.estimate or 0.0)


def _doubted(judgement: Judgement, reason: str, question: ValidityQuestion) -> Judgement:
    return dataclasses.replace(
        judgement, status=Status.INCONCLUSIVE, reason=reason, question=question
    )


def judge(
    baseline: str,
    gains: Mapping[str, Row],
    gates: Mapping[str, Sequence[Gate]],
    offered: Collection[str],
    slower_than: Collection[tuple[str, str]] = (),
    margin: float = EQUAL,
) -> Verdict:
    """The verdict from each setting's gain over all traffic and its gates.

    `offered` are the settings that the stack has. `slower_than` has pairs of settings of which the
    first is significantly slower. `margin` is the smallest gain that is worth a change.
    """
    judged = tuple(
        _judgement(name, gain, tuple(gates[name]), margin, offered=name in offered)
        for name, gain in gains.items()
    )
    verdict = Verdict(baseline, judged)
    best = verdict.recommended
    recommended = [j.setting for j in judged if j.status == Status.RECOMMENDED]
    ties = [name for name in recommended if (name, best) not in slower_than]
    return dataclasses.replace(verdict, ties=tuple(ties))


def _judgement(
    name: str, gain: Row, gates: tuple[Gate, ...], margin: float, *, offered: bool
) -> Judgement:
    status = _status(gain, gates, margin)
    judgement = Judgement(name, status if offered else Status.RESEARCH, gain, gates, "")
    return dataclasses.replace(judgement, reason=_reason(judgement, status))


def _for_client(judgement: Judgement, request: Row | None) -> Judgement:
    """A judgement whose reason also has the gain that a client sees."""
    if request is None or request.estimate is None or request.estimate == judgement.gain.estimate:
        return judgement
    told = faster(judgement.gain)
    seen = f"{told.removesuffix(')')}; {_amount(request.estimate)} from request to last byte)"
    reason = judgement.reason.replace(told, seen, 1) if told.endswith(")") else judgement.reason
    return dataclasses.replace(judgement, reason=reason, request=request)


def _status(gain: Row, gates: Sequence[Gate], margin: float) -> Status:
    if any(gate.outcome == Outcome.REJECTED for gate in gates):
        return Status.REJECTED
    if equal(gain, margin):
        return Status.EQUAL
    if gain.loses:
        return Status.REJECTED
    if beyond_margin(gain, margin) and all(gate.outcome == Outcome.PASSES for gate in gates):
        return Status.RECOMMENDED
    return Status.INCONCLUSIVE


def equal(gain: Row, margin: float = EQUAL) -> bool:
    """Whether a change is too small to matter."""
    if gain.low is None or gain.high is None:
        return gain.reason == NO_DIFFERENCE
    return -margin < gain.low <= gain.high < margin


def beyond_margin(gain: Row, margin: float = EQUAL) -> bool:
    """Whether a gain is significant, and more than the margin."""
    return gain.gains and (gain.estimate or 0.0) < -margin


def _reason(judgement: Judgement, status: Status) -> str:
    """What the status rests on, with the gate that vetoes."""
    first = faster(judgement.gain)
    research = "; the stack does not offer it" if judgement.status == Status.RESEARCH else ""
    if status == Status.RECOMMENDED:
        return f"{first}, and within every limit{_except_in(judgement)}{research}"
    if not judgement.vetoes:
        return f"{first}{research}"
    joint = "but" if judgement.gain.gains else "and"
    return f"{first}, {joint} {exceeding(judgement.vetoes[0])}{research}"


def _except_in(judgement: Judgement) -> str:
    """The networks that are beyond a limit nevertheless."""
    networks = judgement.exceeding
    if not networks:
        return ""
    traffic = text.share(sum(network.traffic for network in networks))
    return f" except in {named(networks)} ({traffic} of the traffic)"


def faster(gain: Row) -> str:
    """A change of completion times in words, with its interval."""
    if gain.estimate is None:
        return "cannot be compared"
    if equal(gain):
        return "makes no difference"
    size = _amount(gain.estimate)
    if gain.low is None or gain.high is None:
        return f"is {size} ({gain.reason})"
    ends = f"{text.percent(gain.low)} to {text.percent(gain.high)}"
    significant = "" if gain.gains or gain.loses else ", not significant"
    return f"is {size} (95 % CI {ends}{significant})"


def _amount(change: float) -> str:
    amount = text.percent(abs(change)).lstrip("+−")
    return f"{amount} {'faster' if change < 0 else 'slower'}"


ACTIONS = {
    GateQuantity.HARMED: ("harms", "harm", "of"),
    GateQuantity.P99: ("raises p99", "raise p99", "of"),
    GateQuantity.P90: ("raises p90", "raise p90", "of"),
    GateQuantity.SLOWEST_FLOW: ("slows the slowest flow", "slow the slowest flow", "of"),
    GateQuantity.LOSS: ("loses", "lose", "of the packets of"),
    GateQuantity.RETRANSMITTED: ("retransmits", "retransmit", "of the packets of"),
}
"""What a setting does to a part of the traffic, and may do."""


def exceeding(gate: Gate) -> str:
    """What is beyond its limit, or may be, with the end of the interval that decides."""
    does, may, of = ACTIONS[gate.quantity]
    shown = text.percent if gate.is_change else text.share
    part, limit = part_in_words(gate), f"limit {text.share(gate.limit)}"
    if gate.few:
        return f"has too few connections in {part} to be judged"
    if gate.kind == "networks":
        return _in_networks(gate, limit)
    if gate.outcome == Outcome.REJECTED:
        size, bound = shown(gate.estimate), f"at least {shown(gate.low)}"
    else:
        size = f"up to {shown(gate.high)}" if math.isfinite(gate.high) else "without bound"
        does, bound = f"may {may}", f"estimate {shown(gate.estimate)}"
    if gate.is_change:
        by = "by " * (not size.startswith("without"))
        return f"{does} {of} {part} {by}{size} ({bound}, {limit})"
    return f"{does} {size} {of} {part} ({bound}, {limit})"


LIMITED = {
    GateQuantity.HARMED: "harm",
    GateQuantity.P99: "p99",
    GateQuantity.LOSS: "loss",
    GateQuantity.RETRANSMITTED: "retransmissions",
}
MOST_NAMED = 3
"""Networks that a sentence names."""


def _in_networks(gate: Gate, limit: str) -> str:
    """In how much traffic a limit is exceeded, and in which networks if that is certain."""
    of = LIMITED[gate.quantity]
    low, size, high = (text.share(value) for value in (gate.low, gate.estimate, gate.high))
    if gate.outcome == Outcome.INCONCLUSIVE:
        what = f"may exceed the limit of {of} for up to {high} of the traffic"
        return f"{what} (estimate {size}, {limit})"
    what = f"exceeds the limit of {of} for {size} of the traffic (at least {low}, {limit})"
    return f"{what}: {named(gate.networks)}" if gate.networks else what


def named(networks: Sequence[Exceeding]) -> str:
    """The first of some networks, and how many more there are."""
    names = [network.network for network in networks[:MOST_NAMED]]
    more = len(networks) - len(names)
    return text.listed([*names, *([f"{more} more"] * bool(more))])


def part_in_words(gate: Gate) -> str:
    """The traffic that a gate is about."""
    if gate.kind == "all":
        return "all transfers"
    if gate.kind in ("networks", "repeats"):
        return gate.kind
    of = "" if gate.part.startswith(("below", "above")) else "of "
    return f"transfers {of}{gate.part}"


def gain_of(judgement: Judgement) -> float:
    """The estimate of its change."""
    return judgement.gain.estimate or 0.0
