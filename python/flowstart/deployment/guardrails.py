"""What an A/B test compares: the gain, and guardrails that show harm at the limits.

A test does not see which transfers are harmed, since no transfer has a time under both settings.
Harm shows as more slow transfers: the share that takes longer than a threshold, which is fixed
before the test. The threshold is the quantile of the replayed times at which harm of the limit's
size changes this share most, in standard deviations.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from flowstart import text
from flowstart.inference.clusters import NORMAL, Floats
from flowstart.inference.data import HARM_THRESHOLD
from flowstart.inference.gates import GateQuantity, Limits

Chosen = NDArray[np.bool_]

GAIN = "gain"
HARMED_BY = 1.5
"""How many times as long a harmed transfer takes where the replay harms none. A choice: a smaller
factor needs a larger test."""
HARM_QUANTILES = (0.5, 0.75, 0.9, 0.95)
TAIL_QUANTILES = (0.9, 0.95, 0.98, 0.99)
TAIL = 0.9
"""A rise of p99 is one of all times above this quantile."""


@dataclass(frozen=True)
class Packets:
    """The packets of each transfer under the baseline, and what is lost under both settings."""

    sent: Floats
    lost: Floats
    variant_lost: Floats


@dataclass(frozen=True)
class Measure:
    """A mean over transfers, or packets, that both arms of a test have."""

    quantity: str
    """What it shows: `gain`, or a quantity that has a limit."""
    name: str
    """What is compared, in words."""
    base: Floats
    """What each transfer adds to it under the baseline; 0 for those left out."""
    count: Floats
    """How many each transfer counts for."""
    other: Floats
    """The same with the gain, or if the transfer is harmed."""
    normal: float
    """What a normal variable must reach to be significant."""
    sign: float
    """The direction in which the other arm's mean moves."""
    share: float = 1.0
    """The share of transfers that gain or are harmed, drawn at random."""
    harm: str = ""
    """The harm of the limit's size, in words; empty for the gain."""
    threshold_s: float | None = None
    """The completion time that slow transfers exceed."""

    @property
    def mean(self) -> float:
        """Under the baseline."""
        return float(self.base.sum() / self.count.sum())

    @property
    def at_limit(self) -> float:
        """With the gain, or the harm."""
        mean = self.base + self.share * (self.other - self.base)
        return float(mean.sum() / self.count.sum())

    def version(self, number: int, places: Floats) -> Floats:
        """What each transfer adds in one of several versions of the harm.

        Its transfers are those whose place, uniform from 0 to 1, is passed in this version: each
        is harmed in its share of the versions (systematic sampling).
        """
        passed = np.floor(places + (number + 1) * self.share + 1e-9)
        return np.where(
            passed > np.floor(places + number * self.share + 1e-9), self.other, self.base
        )

    @property
    def difference(self) -> float:
        """By how much the mean changes."""
        return self.at_limit - self.mean

    @property
    def text(self) -> str:
        """What is compared, with its value now and at the limit."""
        now, then = (text.share(value) for value in (self.mean, self.at_limit))
        return f"{self.name}; {now} now, {then} if {self.harm}"

    @property
    def document(self) -> dict[str, Any]:
        """It as JSON types."""
        return {
            "quantity": self.quantity,
            "compared": self.name,
            "harm": self.harm,
            "threshold_s": self.threshold_s,
            "baseline": self.mean,
            "at_limit": self.at_limit,
        }


def gain(base_s: Floats, variant_s: Floats, done: Chosen, level: float) -> Measure | None:
    """The change of mean log times, two-sided; None where there is none."""
    if not done.any():
        return None
    middle = np.log(base_s[done]).mean()  # so that squares lose no digits
    old, new = (np.log(np.where(done, t, 1.0)) - middle for t in (base_s, variant_s))
    old, new = (np.where(done, values, 0.0) for values in (old, new))
    if np.allclose(old, new, rtol=0, atol=1e-12):
        return None
    count = done.astype(np.float64)
    reach = NORMAL.inv_cdf((1 + level) / 2)
    sign = float(np.sign(new.sum() - old.sum()))
    if not sign:
        return None
    return Measure(GAIN, "the mean log completion time", old, count, new, reach, sign)


def guardrails(
    base_s: Floats,
    variant_s: Floats,
    packets: Packets | None,
    decides: Chosen,
    size_class: str,
    limits: Limits,
    level: float,
) -> Iterator[Measure]:
    """Harm, p99 and loss in the size class that decides, one-sided."""
    reach = NORMAL.inv_cdf(level)
    if not decides.any():
        return
    times, of = base_s[decides], _of(size_class)
    ratios = variant_s[decides] / times
    harmed = ratios[ratios > 1 + HARM_THRESHOLD]
    factor = float(np.exp(np.log(harmed).mean())) if harmed.size else HARMED_BY

    def slow(
        quantity: GateQuantity, quantiles: Sequence[float], factors: Floats, share: float, harm: str
    ) -> Measure:
        """More slow transfers, where a share of them takes so many times as long."""
        slower = base_s.copy()
        slower[decides] *= factors
        threshold = _threshold(times, slower[decides], quantiles)
        old, new = ((decides & (t > threshold)).astype(np.float64) for t in (base_s, slower))
        name = f"share of transfers {of} that take longer than {text.seconds(threshold)}"
        count = decides.astype(np.float64)
        return Measure(str(quantity), name, old, count, new, reach, 1.0, share, harm, threshold)

    some = f"{text.share(limits.harmed)} of them take {factor:.2g} times as long"
    factors = np.full(len(times), factor)
    yield slow(GateQuantity.HARMED, HARM_QUANTILES, factors, limits.harmed, some)
    rise = np.where(times > np.quantile(times, TAIL), 1 + limits.p99, 1.0)
    tail = f"p99 rises by {text.share(limits.p99)}"
    yield slow(GateQuantity.P99, TAIL_QUANTILES, rise, 1.0, tail)
    if packets is not None and (packets.sent * decides).sum() > 0:
        yield _loss(packets, decides, of, limits, reach)


def _threshold(times: Floats, slower: Floats, quantiles: Sequence[float]) -> float:
    """The quantile of times beyond which most more are, in standard deviations, if slower."""
    excesses = []
    for threshold in (float(np.quantile(times, q)) for q in quantiles):
        now, then = ((values > threshold).mean() for values in (times, slower))
        excesses.append(((then - now) / np.sqrt(max(now * (1 - now), 1 / len(times))), threshold))
    return max(excesses)[1]


def _loss(packets: Packets, decides: Chosen, of: str, limits: Limits, reach: float) -> Measure:
    """More packets retransmitted, by transfers that lose more under the variant."""
    sent, lost = (np.where(decides, values, 0.0) for values in (packets.sent, packets.lost))
    share = float(lost.sum() / sent.sum())
    limit = float(limits.of_loss(np.array(share)))
    more = np.where(decides, np.maximum(packets.variant_lost - packets.lost, 0.0), 0.0)
    pattern = more if more.any() else sent
    new = lost + pattern * (limit - share) * sent.sum() / pattern.sum()
    name = f"share of packets retransmitted in transfers {of}"
    quantity, harm = str(GateQuantity.RETRANSMITTED), "it is at its limit"
    return Measure(quantity, name, lost, sent, new, reach, 1.0, harm=harm)


def _of(size_class: str) -> str:
    """A size class after the word transfers."""
    return size_class if size_class.startswith(("below", "above")) else f"of {size_class}"
