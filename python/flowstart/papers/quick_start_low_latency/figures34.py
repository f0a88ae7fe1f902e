"""Figures 3 and 4: the improvement over the transfer's size at 100 Mbit/s and at 1 Gbit/s."""

from flowstart.papers.experiment import Findings
from flowstart.papers.lab import Lab
from flowstart.papers.quick_start_low_latency import published, sizes
from flowstart.papers.target import Measured

VISIBLE = 10
"""An improvement in percent that can be seen in the figures."""
WORSE = -1
"""The same of a loss: the gaps between the first paced packets cost some hundredths."""
NEAR = 4
"""Points within which a maximum read from a figure may lie."""


def figure3(lab: Lab) -> Findings:
    """Runs all sizes over all delays at 100 Mbit/s."""
    found = sizes.sweep(lab, "100Mbps")
    low = sizes.improvements(found, sizes.LOW)
    best = sizes.highest(low)
    return Findings(
        measured={"qs.f3.max.low": Measured(round(low[best], 2))},
        answers=[_most("100 Mbit/s", found), sizes.about_losses(found)],
        tables=[sizes.table("figure3", "100Mbps", found)],
        pictures=[sizes.picture("figure3", "Fig. 3: improvement over size at 100 Mbit/s", found)],
    )


def figure4(lab: Lab) -> Findings:
    """Runs all sizes over all delays at 1 Gbit/s, and compares with 100 Mbit/s."""
    slower, faster = (sizes.sweep(lab, rate) for rate in ("100Mbps", "1Gbps"))
    return Findings(
        measured=_maxima(slower, faster) | _shape(slower, faster) | _high(slower, faster),
        answers=[_most("1 Gbit/s", faster), sizes.about_losses(faster), _at_high(slower, faster)],
        tables=[sizes.table("figure4", "1Gbps", faster)],
        pictures=[sizes.picture("figure4", "Fig. 4: improvement over size at 1 Gbit/s", faster)],
    )


def _most(name: str, found: sizes.Sweep) -> str:
    low, high = (sizes.improvements(found, delays) for delays in (sizes.LOW, sizes.HIGH))
    best, far = sizes.highest(low), sizes.highest(high)
    return (
        f"At {name} and delays up to 50 ms Quick-Start saves at most {low[best]:.1f} %, with "
        f"{best[1]} packets at {best[0]} ms; beyond, {high[far]:.1f} % with {far[1]} packets at "
        f"{far[0]} ms (transfers without loss)."
    )


def _maxima(slower: sizes.Sweep, faster: sizes.Sweep) -> dict[str, Measured]:
    low = [max(sizes.improvements(found, sizes.LOW).values()) for found in (slower, faster)]
    far = max(sizes.improvements(faster, [1000]).values())
    printed = published.NUMBERS["qs.f4.max.1000ms"]
    gap = low[1] - low[0]
    return {
        "qs.f4.max.low": Measured(round(low[1], 2)),
        "qs.f34.gap": Measured(round(gap, 2), holds=1 <= gap <= 4),
        "qs.f4.max.1000ms": Measured(
            round(far, 2), holds=far > low[1] and abs(far - printed) <= NEAR
        ),
    }


def _shape(slower: sizes.Sweep, faster: sizes.Sweep) -> dict[str, Measured]:
    band = [
        value
        for found, delays in ((slower, (3, 5, 10, 20, 50)), (faster, sizes.DELAYS))
        for value in sizes.improvements(found, delays, lambda n: 50 <= n <= 1000).values()
    ]
    cells = sizes.improvements(faster)
    kept = {delay: cells[delay, 10_000] / cells[delay, 120] for delay in (1, 50)}
    return {
        "qs.f34.size.band": Measured(round(min(band), 2), holds=min(band) > VISIBLE),
        "qs.f34.decay.low": Measured(
            {f"{delay} ms": round(share, 2) for delay, share in kept.items()},
            holds=kept[1] < kept[50],
        ),
    }


def _high(slower: sizes.Sweep, faster: sizes.Sweep) -> dict[str, Measured]:
    worst = min(
        value
        for found in (slower, faster)
        for value in sizes.improvements(found, sizes.HIGH).values()
    )
    return {
        "qs.f34.high.worse": Measured(
            round(worst, 2),
            holds=worst < WORSE,
            because=f"{_at_high(slower, faster)} The paper's own Table I has its best values at "
            f"1000 ms.",
            shown_by="QS-T1",
        )
    }


def _at_high(slower: sizes.Sweep, faster: sizes.Sweep) -> str:
    """How Quick-Start fares at high latency, without and with losses."""
    free = [
        value
        for found in (slower, faster)
        for value in sizes.improvements(found, sizes.HIGH).values()
    ]
    apart = [
        value
        for found in (slower, faster)
        for (delay, _), value in sizes.lossy(found).items()
        if delay in sizes.HIGH
    ]
    return (
        f"From 100 ms on, {sum(value < WORSE for value in free)} of {len(free)} transfers without "
        f"loss take longer with Quick-Start (by more than {-WORSE} %), and "
        f"{sum(value < WORSE for value in apart)} of {len(apart)} with losses."
    )
