"""Figure 2: the improvement over the transfer's size at 384 kbit/s."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

from flowstart.papers.experiment import Findings
from flowstart.papers.lab import Lab
from flowstart.papers.quick_start_low_latency import sizes
from flowstart.papers.quick_start_low_latency.setups import TABLE1
from flowstart.papers.target import Measured

RATE = "384kbps"
INITIAL_WINDOW = int(TABLE1.stack["iw"])
WITHOUT_GAIN = tuple(delay for delay in sizes.DELAYS if delay <= 20)


def run(lab: Lab) -> Findings:
    """Runs all sizes over all delays."""
    found = sizes.sweep(lab, RATE)
    cells = sizes.improvements(found)
    best, worst = sizes.highest(cells), min(cells, key=lambda place: cells[place])
    low = [pair.improvement for (delay, _), pair in found.items() if delay in WITHOUT_GAIN]
    at_50ms = sizes.improvements(found, [50], lambda packets: 3 <= packets <= 200)
    falling = {delay: falls(sizes.improvements(found, [delay])) for delay in sizes.HIGH}
    return Findings(
        measured={
            "qs.f2.low": Measured(
                [round(min(low), 2), round(max(low), 2)], holds=max(map(abs, low)) <= 1
            ),
            "qs.f2.50ms": Measured(
                [round(min(at_50ms.values()), 2), round(max(at_50ms.values()), 2)],
                holds=max(at_50ms.values()) < 0,
            ),
            "qs.f2.100ms.peak": Measured([round(cells[100, n], 2) for n in (4, 5)]),
            "qs.f2.decay": Measured(
                f"at {sum(falling.values())} of {len(falling)} delays", holds=all(falling.values())
            ),
            "qs.f2.max": Measured(round(cells[best], 2)),
        },
        answers=[
            (
                f"At 384 kbit/s Quick-Start gains most with {best[1]} packets at {best[0]} ms, "
                f"{cells[best]:.1f} %, and loses most with {worst[1]} packets at {worst[0]} ms, "
                f"{cells[worst]:.1f} %."
            ),
            (
                f"At 100 ms two packets change by {cells[100, 2]:.1f} % and four by "
                f"{cells[100, 4]:.1f} %."
            ),
            sizes.about_losses(found),
        ],
        tables=[sizes.table("figure2", RATE, found)],
        pictures=[sizes.picture("figure2", "Fig. 2: improvement over size at 384 kbit/s", found)],
    )


def falls(cells: Mapping[sizes.Place, float]) -> bool:
    """Whether the curve of one delay falls beyond its maximum.

    It must fall among sizes that take slow start equally many flights, and from the best of
    those to the best of the next; with one flight more it may step up.
    """
    peak = sizes.highest(cells)[1]
    by_flights = defaultdict(list)
    for (_, packets), value in cells.items():
        if packets >= peak:
            by_flights[_flights(packets)].append(value)
    groups = list(by_flights.values())
    within = all(later < earlier for group in groups for earlier, later in pairwise(group))
    return within and all(max(later) < max(earlier) for earlier, later in pairwise(groups))


def _flights(packets: int) -> int:
    """How many flights of 3, 6, 12, ... packets slow start needs."""
    return (-(-packets // INITIAL_WINDOW)).bit_length()
