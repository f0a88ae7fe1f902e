"""Confidence sequences: intervals that hold at every look at growing data, all at once.

The boundary is the normal mixture of Robbins (1970), in the asymptotic form of Waudby-Smith,
Arbour, Sinha, Kennedy and Ramdas (Annals of Statistics 2024, theorem 2.2). A test by it is the
mSPRT of Johari, Koomen, Pekelis and Walsh (2022). It depends on the data of the current look only,
so neither the number of looks nor their results need to be kept. Time is the information, one over
the variance of the estimate: estimates from growing data have independent increments in it
(Jennison and Turnbull 1997).
"""

import math
from dataclasses import dataclass

from flowstart.inference import clusters

TAIL_OF_STUDENT = 4.0
"""Student's correction is that at no more standard errors: beyond, a boundary is wide because the
mixture is, not because a tail is looked at."""
MANY = 1000
"""With more degrees of freedom the correction is below 0.3 %."""
POWER = 0.8
MOST = 1e6
"""More times the information are not computed."""


def reach(variance: float, scale: float, error: float) -> float:
    """How many standard errors one end of the interval is away from the estimate.

    `scale` is the standard deviation of the mixture, the size of effects at which the interval is
    narrow; it must not depend on the data. `error` is the probability that this end fails at any
    look. Infinite without a variance.
    """
    if not 0 < variance < math.inf:
        return math.inf
    information = scale**2 / variance
    return math.sqrt(
        (1 + 1 / information) * (2 * math.log(1 / (2 * error)) + math.log1p(information))
    )


@dataclass(frozen=True)
class Monitored:
    """An estimate from growing data."""

    estimate: float
    variance: float
    scale: float
    """The standard deviation of the mixture."""
    freedom: float
    """The degrees of freedom of the variance."""

    def half(self, error: float, more: float = 1.0) -> float:
        """How far one end is away, also with `more` times the information."""
        variance = self.variance / more
        normal = reach(variance, self.scale, error)
        if math.isinf(normal):
            return math.inf
        if self.freedom > MANY:
            return normal * math.sqrt(variance)
        tail = min(normal, TAIL_OF_STUDENT)
        return normal * clusters.student(tail, self.freedom) / tail * math.sqrt(variance)

    def low(self, error: float) -> float:
        """The lower end."""
        return self.estimate - self.half(error)

    def high(self, error: float) -> float:
        """The upper end."""
        return self.estimate + self.half(error)

    def more(self, error: float, distance: float) -> float:
        """How many times the present information shows a difference of this size; at least 1.

        With a probability of `POWER`, if it is the true one.
        """
        low, high = 1.0, 1.0
        while self._needed(error, high) > distance and high < MOST:
            low, high = high, 2 * high
        while high - low > 0.01 * low:
            middle = (low + high) / 2
            is_enough = self._needed(error, middle) <= distance
            low, high = (low, middle) if is_enough else (middle, high)
        return high

    def _needed(self, error: float, more: float) -> float:
        """The difference that is shown with so many times the information."""
        spread = clusters.NORMAL.inv_cdf(POWER) * math.sqrt(self.variance / more)
        return self.half(error, more) + spread
