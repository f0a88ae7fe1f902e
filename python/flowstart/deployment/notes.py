"""What to do with a recommendation: where to turn it on, how to test it, when to turn it off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowstart import text
from flowstart.deployment.experiment import TestPlan
from flowstart.deployment.stacks import Offer, offer
from flowstart.inference.data import Row, Statistic


@dataclass(frozen=True)
class VariantOptions:
    """What a variant is made of, as far as stacks have options for it."""

    name: str
    startup: str | None = None
    """Its startup, where that differs from the baseline's; the same of those below."""
    cc: str | None = None
    iw: str | None = None
    pacing: bool = False
    window: str | None = None
    """The receiver's window."""


WATCH = (
    "the share of packets retransmitted, and of connections with a retransmission timeout",
    "p95 and p99 of completion time, by size class",
    "completion times of the other arm on the same links, since a gain may be their loss",
)
"""What to watch in a test beside its main statistic."""


@dataclass(frozen=True)
class Notes:
    """What to do with one recommended variant of one group."""

    group: str
    variant: VariantOptions
    offers: tuple[tuple[str, Offer | None], ...]
    """What the stacks offer, for each part of the variant."""
    test: TestPlan | None
    watch: tuple[str, ...]
    rollback: tuple[str, ...]
    """What a test of this size can show, and ends it."""
    is_test: bool = False
    """Whether it is inconclusive, so that only a test is advised."""

    @property
    def title(self) -> str:
        """What the notes are for."""
        purpose = "To test, not to deploy" if self.is_test else "To deploy"
        return f"{purpose}: {self.variant.name}, {self.group}"

    @property
    def lines(self) -> list[str]:
        """The notes in words."""
        lines = [self.title]
        for part, offered in self.offers:
            lines.append(f"  {part}:")
            options = offered.lines if offered else ["nothing is known of stacks that offer it"]
            for name in ("iw", "window"):
                value = str(getattr(self.variant, name))
                options = [line.replace(f"{{{name}}}", value) for line in options]
            lines += [f"    {line}" for line in options]
        planned = self.test.lines if self.test else ["A/B test: no effect to size it by."]
        lines += [f"  {line}" for line in planned]
        lines += [f"  Watch {what}." for what in self.watch]
        lines += [f"  Roll back if the test's interval shows {sign}." for sign in self.rollback]
        return lines


def notes(
    group: str,
    variant: VariantOptions,
    rows: Sequence[Row],
    test: TestPlan | None = None,
    *,
    is_test: bool = False,
) -> Notes:
    """The notes of one recommended variant of a group, from the rows that the verdict rests on."""
    offers: list[tuple[str, Offer | None]] = []
    if variant.startup:
        offers.append((variant.startup, offer("startup", variant.startup)))
    if variant.cc:
        offers.append((variant.cc, offer("cc", variant.cc)))
    if variant.iw:
        offers.append((f"initial window {variant.iw}", offer("setting", "iw")))
    if variant.pacing:
        offers.append(("pacing", offer("setting", "pacing")))
    if variant.window:
        offers.append((f"receiver's window, {variant.window}", offer("setting", "window")))
    key = (group, variant.name, Statistic.GEOMEAN_RATIO)
    gain = next((r for r in rows if (r.group, r.variant, r.statistic) == key), None)
    return Notes(group, variant, tuple(offers), test, WATCH, tuple(_rollback(gain, test)), is_test)


def _rollback(gain: Row | None, test: TestPlan | None) -> Iterator[str]:
    """Slower transfers, and more harm: only what a test of the planned size can show."""
    if gain and gain.high is not None:
        predicted = f"predicted: {text.percent(gain.low)} to {text.percent(gain.high)}"
        above = text.percent(max(gain.high, 0.0))
        yield f"a change of the geometric mean above {above} ({predicted})"
    for guardrail in test.guardrails if test else ():
        yield f"a larger {guardrail.name} than in the other arm"
