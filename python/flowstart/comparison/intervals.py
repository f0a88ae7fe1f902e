"""Repeats of a comparison: further seeds, or perturbed delays where nothing is drawn at random."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from flowstart import text
from flowstart.comparison.plan import FEWEST_REPEATS, MOST_REPEATS
from flowstart.comparison.summary import Group, Summary, inverse
from flowstart.inference.data import Row, finite
from flowstart.inference.intervals import NO_DIFFERENCE
from flowstart.inference.repeats import RANGE, Decision, Repeats, decide
from flowstart.model.perturbation import DELAY_SHARE, START_SPREAD

MOST_PACKETS = 10_000_000
"""A size has fewer repeats if all of them would send more, but no less than `FEWEST_REPEATS`."""
MOST_ROWS = 50_000
"""The same of the rows that are held."""


Tallies: TypeAlias = Sequence[tuple[tuple[bool, int, int, int, str, bool], list[list[list[float]]]]]
"""Of each group, what the flows of each repeat came to under each variant: mean and slowest
completion time in seconds (`inf` where not all flows were done), packets sent, lost and
retransmitted; not a number where there are none."""


def repeats_of(group: Group, values: list[list[list[float]]], *, drawn: bool) -> Repeats:
    """The repeats of one group; on a path without chance the first is the path itself."""
    table = np.array(values, dtype=np.float64)
    return Repeats(
        group.name, table[..., 0], table[..., 1], table[..., 2:].transpose(2, 0, 1), drawn
    )


def most_repeats(packets: int, rows: int) -> int:
    """How many repeats a size may have, of which one sends so many packets and has so many rows."""
    affordable = min(MOST_PACKETS // max(packets, 1), MOST_ROWS // max(rows, 1))
    return max(FEWEST_REPEATS, min(MOST_REPEATS, affordable))


@dataclass(frozen=True)
class SizeRepeats:
    """The repeats of one size; on a path without chance the first is the path itself."""

    found: Tallies
    looks: int = 1
    """After how many numbers of repeats a verdict may be made."""

    @property
    def count(self) -> int:
        """The number of repeats."""
        return max((len(repeats) for _, repeats in self.found), default=0)

    def extended(self, others: Tallies) -> "SizeRepeats":
        """These, and further repeats after them."""
        tallies = dict(self.found)
        for group, repeats in others:
            tallies[group] = tallies.get(group, []) + repeats
        return replace(self, found=sorted(tallies.items()))

    def decisions(
        self, names: Sequence[str], baseline: str, *, drawn: bool
    ) -> dict[Group, Decision]:
        """The verdict on each group."""
        return {
            Group(*group): decide(
                repeats_of(Group(*group), repeats, drawn=drawn), names, baseline, self.looks
            )
            for group, repeats in self.found
        }


@dataclass(frozen=True)
class Intervals:
    """The verdict on each group of a comparison, with the interval or range of each change."""

    baseline: str
    decisions: dict[Group, Decision]
    drawn: bool
    """Whether something is drawn at random: intervals are over seeds, and else ranges of
    sensitivity to delays."""
    fixed: bool
    """Whether the number of repeats was requested."""
    interrupted: bool
    """Whether Ctrl-C ended the repeats; these are the ones that were finished."""

    @classmethod
    def of(
        cls,
        parts: Iterable[SizeRepeats],
        names: Sequence[str],
        baseline: str,
        *,
        drawn: bool,
        fixed: bool = False,
        interrupted: bool = False,
    ) -> "Intervals":
        """The verdicts on all groups of all sizes."""
        decisions: dict[Group, Decision] = {}
        for part in parts:
            decisions |= part.decisions(names, baseline, drawn=drawn)
        return cls(baseline, dict(sorted(decisions.items())), drawn, fixed, interrupted)

    def row(self, s: Summary) -> Row | None:
        """The interval beside a summary."""
        decision = self.decision(s)
        row = decision.rows.get(s.startup) if decision else None
        return _of_rate(row) if row and s.is_rate else row

    def decision(self, s: Summary) -> Decision | None:
        """The verdict on a summary's group."""
        return self.decisions.get(s.group)

    def judged(self, s: Summary) -> Summary:
        """A summary with the estimate of its change, and the mark of what is recommended."""
        row, decision = self.row(s), self.decision(s)
        is_best = decision is not None and s.startup == decision.choice() != self.baseline
        change = row.estimate if row and self.drawn else s.change
        return replace(s, change=finite(change), best=is_best)

    def slower_share(self, s: Summary) -> str:
        """The share of repeats that take over 10 % longer, in words; nothing of the baseline."""
        decision = self.decision(s)
        if decision is None or s.startup == self.baseline:
            return ""
        return text.short_share(decision.slower_share(s.startup))

    def ends(self, s: Summary) -> str:
        """The ends of an interval in percent; nothing of the baseline."""
        row = self.row(s)
        if row is None:
            return ""
        if row.low is None or row.high is None:
            return text.ABSENT if row.reason != NO_DIFFERENCE else "0…0"
        return "…".join(text.short_percent(end).removesuffix(" %") for end in (row.low, row.high))

    @property
    def column(self) -> str:
        """The title of the intervals in tables."""
        return "95 % CI" if self.drawn else "sensitivity"

    @property
    def unit(self) -> tuple[str, str]:
        """What a repeat is called, and several are."""
        return ("seed", "seeds") if self.drawn else ("repeat", "repeats")

    @property
    def closing(self) -> str:
        """What the intervals or ranges are, in a few words."""
        if self.drawn:
            return f"change: geometric mean over {self.counted}, {self._end}"
        return f"sensitivity: of the change, in {100 * RANGE:.0f} % of {self.counted}"

    @property
    def counted(self) -> str:
        """How many repeats there are, in words: `80 to 320 seeds`."""
        counts = sorted(decision.repeats.count for decision in self.decisions.values())
        number = " to ".join(str(count) for count in dict.fromkeys([counts[0], counts[-1]]))
        unit = self.unit[counts[-1] != 1]
        return f"{number} {unit}{'' if self.drawn else ' with perturbed delays'}"

    @property
    def method(self) -> str:
        """What the intervals or ranges are, and why the repeats ended."""
        if not self.drawn:
            return (
                f"Sensitivity: range of the change in {100 * RANGE:.0f} % of {self.counted}; round "
                f"trips differ by up to {100 * DELAY_SHARE:.0f} %, openings by up to "
                f"{1e3 * START_SPREAD:g} ms."
            )
        measures = {group.measure or "completion times" for group in self.decisions}
        compared = measures.pop() if len(measures) == 1 else "what is compared"
        return (
            f"Change: geometric mean of the ratio of {compared} over {self.counted} "
            f"({self._end}); the intervals of one size hold simultaneously."
        )

    @property
    def _end(self) -> str:
        """Why there are not more repeats."""
        if self.interrupted:
            return "interrupted"
        if self.fixed:
            return "as requested"
        if not all(decision.is_comparable for decision in self.decisions.values()):
            return "inconclusive"
        settled = [decision.is_settled for decision in self.decisions.values()]
        if all(settled):
            return "enough to decide"
        return "the maximum" if not any(settled) else "enough to decide, or the maximum"

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows as JSON and Parquet have them."""
        return [
            self._record(group, decision, row)
            for group, decision in self.decisions.items()
            for row in decision.rows.values()
        ]

    def _record(self, group: Group, decision: Decision, row: Row) -> dict[str, Any]:
        judged = decision.verdict.of(row.variant)
        row = _of_rate(row) if group.is_rate else row
        return {
            "group": row.group,
            "size_bytes": group.size_bytes or None,
            "request": group.request or None,
            "measure": group.measure or None,
            "variant": row.variant,
            "baseline": self.baseline,
            "kind": "interval" if self.drawn else "sensitivity",
            "statistic": str(row.statistic),
            "estimate": finite(row.estimate),
            "low": finite(row.low),
            "high": finite(row.high),
            "harmed_share": decision.slower_share(row.variant),
            "status": str(judged.status) if judged else None,
            "repeats": decision.repeats.count,
            "settled": decision.is_settled,
            "enough": row.enough,
            "reason": row.reason or None,
        }


def _of_rate(row: Row) -> Row:
    """The change of a rate, from that of the time of a bit."""
    estimate, low, high = (
        None if value is None else inverse(value) for value in (row.estimate, row.high, row.low)
    )
    return replace(row, estimate=estimate, low=low, high=high)
