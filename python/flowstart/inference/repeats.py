"""The verdict on variants over repeats of one path: other seeds, or slightly different delays.

It is the verdict of `verdict.judge`, with repeats in the place of transfers. Two rules differ. A
repeat is no class of users, so a gate rejects a variant only if it is significantly beyond its
limit. A gate of the worst tenth of repeats, and of the slowest flow, has the margin as its limit.

Repeats are added at fixed looks (`looks`), each with an equal part of the error (Bonferroni; Pocock
1977 has fixed looks). So the intervals hold with the level stated, whatever stops the repeats.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from flowstart.inference.clusters import Floats
from flowstart.inference.data import EQUAL, LEVEL, Row, Statistic, TransferGroup
from flowstart.inference.gates import (
    KINDS,
    Gate,
    GateQuantity,
    Limits,
    Outcome,
    Runs,
    Tail,
    repeat_gates,
    run_both,
)
from flowstart.inference.harm import Levels
from flowstart.inference.intervals import FEW_CLUSTERS, Contrast, contrasted
from flowstart.inference.verdict import Judgement, Status, Verdict, equal, gain_of, judge

FIRST_LOOK = 40
"""How many repeats there are at first."""
TOO_FEW = f"fewer than {FEW_CLUSTERS} repeats have no interval"
FEWER = 0.5
"""Of another's losses: so many at most are fewer."""
RANGE = 0.95
"""The share of repeats within a range of sensitivity."""
WORST_TENTH = Tail(GateQuantity.P90, 0.1, EQUAL)


def looks(most: int) -> tuple[int, ...]:
    """The numbers of repeats after which a verdict is made: they double up to `most`."""
    counts = []
    count = min(FIRST_LOOK, most)
    while count < most:
        counts.append(count)
        count *= 2
    return (*counts, most)


@dataclass(frozen=True)
class Repeats:
    """The transfers of one group in repeats of their path, repeats × variants.

    On a path without chance the first is the path itself, and the others have perturbed delays.
    """

    name: str
    times: Floats
    """Mean completion times in seconds; `inf` where not all were done."""
    slowest: Floats
    """Those of the slowest flow."""
    packets: NDArray[np.float64]
    """Packets sent, lost and retransmitted: 3 × repeats × variants."""
    drawn: bool
    """Whether something on the path is drawn at random."""

    @property
    def count(self) -> int:
        """How many repeats there are, without the path itself."""
        return len(self.times) - (not self.drawn)

    def runs(self, variant: int) -> Runs:
        """One run of each repeat under a variant."""
        return Runs(self.times[None, :, variant], *self.packets[:, None, :, variant])

    def changes(
        self, pairs: Sequence[tuple[int, int]], names: Sequence[str], level: float
    ) -> list[Row]:
        """How much a variant's times differ from another's, for pairs of variants."""
        return self._changes(self.times, pairs, names, level)

    def changes_of_slowest(
        self, pairs: Sequence[tuple[int, int]], names: Sequence[str], level: float
    ) -> list[Row]:
        """The same of the slowest flow; nothing if there is one flow."""
        if np.array_equal(self.slowest, self.times, equal_nan=True):
            return []
        return self._changes(self.slowest, pairs, names, level)

    def _changes(
        self, times: Floats, pairs: Sequence[tuple[int, int]], names: Sequence[str], level: float
    ) -> list[Row]:
        if not pairs:
            return []
        if not self.drawn:
            return [self._sensitivity(times, variant, base, names) for variant, base in pairs]
        group = TransferGroup(self.name, times, np.arange(len(times)))
        rows = contrasted(
            [group],
            names,
            [Contrast(0, *pair) for pair in pairs],
            statistics=(Statistic.GEOMEAN_RATIO,),
            level=level,
            seed=1,
        )
        return [
            self._with_incomplete(row, times[:, pair])
            for row, pair in zip(rows, pairs, strict=True)
        ]

    def _with_incomplete(self, row: Row, times: Floats) -> Row:
        """A row without an interval if repeats are few, or not all transfers were completed."""
        if len(times) < FEW_CLUSTERS:
            return replace(row, low=None, high=None, reason=TOO_FEW)
        never = int(np.isinf(times).any(axis=1).sum())
        if not never:
            return row
        reason = f"not completed in {never} of {len(times)} repeats"
        return replace(row, low=None, high=None, reason=reason)

    def _sensitivity(self, times: Floats, variant: int, base: int, names: Sequence[str]) -> Row:
        """The change on the path itself, and the range of `RANGE` of the repeats."""
        with np.errstate(invalid="ignore"):
            changes = times[:, variant] / times[:, base] - 1
        changes[np.isinf(times[:, base])] = np.nan
        key = (self.name, names[variant], Statistic.GEOMEAN_RATIO)
        exact = None if np.isnan(changes[0]) else float(changes[0])
        counts = (len(changes), float(len(changes)))
        if len(changes) < FEW_CLUSTERS:
            return Row(*key, exact, None, None, *counts, TOO_FEW)
        never = int((~np.isfinite(changes)).sum())
        if exact is None or never:
            reason = f"not completed in {never} of {len(changes)} repeats"
            return Row(*key, exact, None, None, *counts, reason)
        cut = (1 - RANGE) / 2
        low = float(np.quantile(changes, cut, method="lower"))
        high = float(np.quantile(changes, 1 - cut, method="higher"))
        return Row(*key, exact, min(low, exact), max(high, exact), *counts)


@dataclass(frozen=True)
class Decision:
    """The verdict on one group, and what it rests on."""

    repeats: Repeats
    names: tuple[str, ...]
    """The variants, in the order of the columns."""
    rows: dict[str, Row]
    """By variant, without the baseline: the change, with its interval or range."""
    between: dict[tuple[str, str], Row]
    """The same of a variant against another, among those that are faster than the baseline."""
    gates: dict[str, list[Gate]]
    """All gates by variant, also those that do not veto; none of a variant that is slower."""
    verdict: Verdict

    @property
    def is_comparable(self) -> bool:
        """Whether there are enough repeats, in all of which the baseline is complete."""
        base = self.repeats.times[:, self.names.index(self.verdict.baseline)]
        return len(base) >= FEW_CLUSTERS and not np.isinf(base).any()

    @property
    def is_settled(self) -> bool:
        """Whether every change, and every gate of what is recommended, is significant."""
        if any(j.status == Status.INCONCLUSIVE and j.gain.enough for j in self.judgements):
            return False
        best = self.verdict.recommended
        if best is None:
            return True
        if any(gate.outcome == Outcome.INCONCLUSIVE for gate in self.gates[best]):
            return False
        rows = (self.between[j.setting, best] for j in self._faster() if j.setting != best)
        return all(row.gains or row.loses or equal(row) for row in rows)

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """Those of all variants but the baseline."""
        return self.verdict.judgements

    def choice(self, offered: Collection[str] | None = None) -> str:
        """What to choose among the variants `offered`, or among all.

        It is the fastest of those that pass every gate; of those that tie with it, one that loses
        at most `FEWER` of its packets. The baseline, or what ties with it, if nothing is faster.
        """
        able = [j for j in self._faster() if offered is None or j.setting in offered]
        best = min(able, key=gain_of, default=None)
        equals = [j.setting for j in self.judgements if j.status == Status.EQUAL]
        ties = equals if best is None else self._tied(best, able)
        ties = [name for name in ties if offered is None or name in offered]
        name = self.verdict.baseline if best is None else best.setting
        fewest = min(ties, key=self.lost, default=name)
        is_fewer = self.lost(name) >= 1 and self.lost(fewest) <= FEWER * self.lost(name)
        return fewest if is_fewer else name

    def ties(self, name: str) -> list[str]:
        """Variants that are faster than the baseline and not significantly slower than this one."""
        others = [j.setting for j in self._faster() if j.setting != name]
        rows = {other: self.between.get((other, name)) for other in others}
        return [other for other, row in rows.items() if row and not (row.loses and not equal(row))]

    def slower_share(self, variant: str) -> float | None:
        """The share of repeats that take over 10 % longer than under the baseline."""
        base, mine = (
            self.repeats.runs(self.names.index(name)) for name in (self.verdict.baseline, variant)
        )
        known = run_both(base, mine)
        return float(mine.of(known).harmed(base.of(known)).mean()) if known.any() else None

    def gate(self, variant: str, quantity: GateQuantity) -> Gate | None:
        """One gate of a variant."""
        return next((g for g in self.gates.get(variant, ()) if g.quantity == quantity), None)

    def lost(self, name: str) -> float:
        """The mean number of packets lost in a repeat."""
        return float(np.nanmean(self.repeats.packets[1][:, self.names.index(name)]))

    def _faster(self) -> list[Judgement]:
        return [j for j in self.judgements if j.status == Status.RECOMMENDED]

    def _tied(self, best: Judgement, able: Sequence[Judgement]) -> list[str]:
        """Those within the margin of the fastest, and not significantly slower."""
        slowest = (1 + gain_of(best)) * (1 + EQUAL)
        tied = self.ties(best.setting)
        return [j.setting for j in able if j.setting in tied and 1 + gain_of(j) <= slowest]


def decide(repeats: Repeats, names: Sequence[str], baseline: str, look_count: int = 1) -> Decision:
    """The verdict on all variants against the baseline, at one of so many looks."""
    error = (1 - LEVEL) / look_count
    level, base = 1 - error, list(names).index(baseline)
    others = [variant for variant in range(len(names)) if variant != base]
    pairs = [(variant, base) for variant in others]
    rows = {row.variant: row for row in repeats.changes(pairs, names, level)}
    slowest = {row.variant: row for row in repeats.changes_of_slowest(pairs, names, level)}
    at = Levels(error / (KINDS + 1), level)  # and the slowest flow's gate
    gates: dict[str, list[Gate]] = {name: [] for name in rows}
    for variant in (variant for variant in others if not rows[names[variant]].loses):
        runs = repeats.runs(base), repeats.runs(variant)
        slowest_gates = _slowest_gate(slowest.get(names[variant]))
        gates[names[variant]] = [*repeat_gates(*runs, WORST_TENTH, Limits(), at), *slowest_gates]
    vetoes = {
        name: [gate for gate in judged if gate.outcome == Outcome.REJECTED]
        for name, judged in gates.items()
    }
    gaining = [variant for variant in others if rows[names[variant]].gains]
    contrasts = list(permutations(gaining, 2))
    between = {
        (names[variant], names[other]): row
        for (variant, other), row in zip(
            contrasts, repeats.changes(contrasts, names, level), strict=True
        )
    }
    slower = {pair for pair, row in between.items() if row.loses and not equal(row)}
    verdict = judge(baseline, rows, vetoes, rows, slower)
    return Decision(repeats, tuple(names), rows, between, gates, verdict)


def _slowest_gate(row: Row | None) -> list[Gate]:
    """The gate of the slowest flow; none without an interval."""
    if row is None or row.estimate is None or row.low is None or row.high is None:
        return []
    measured = (GateQuantity.SLOWEST_FLOW, None, row.estimate, row.low, row.high, EQUAL)
    return [Gate(*measured, kind="repeats", part="repeats", transfers=row.transfers)]
