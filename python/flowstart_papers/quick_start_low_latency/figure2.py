"""Figure 2: the improvement over the transfer's size at 384 kbit/s."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency import curves, published
from flowstart_papers.quick_start_low_latency.curves import Printed, Sweep
from flowstart_papers.quick_start_low_latency.published import SMALL_GAIN, SMALL_KB
from flowstart_papers.quick_start_low_latency.setups import (
    DECODED,
    INITIAL_WINDOW,
    LITERAL,
    Setting,
)
from flowstart_papers.target import Measured

RATE = "384kbps"
WITHOUT_GAIN = tuple(delay for delay in curves.DELAYS if delay <= 20)
MOST = "qs.f2.max"

WHY = {
    "qs.f2.50ms": "Both router links have the delay: at a round trip of 200 ms the approved window "
    "is 5 packets, more than slow start's 3.",
    "qs.f2.decay": "At 1000 ms the handshake outlasts ns-2's first timeout, so that no request "
    "comes through and nothing is gained.",
    "qs.f2.max": "At 1000 ms no request comes through.",
    "qs.f2.low": "The approved window is used.",
}


def statements(lab: Lab, setting: Setting) -> dict[str, Measured]:
    """What the paper prints of the figure, as it comes out in a setting."""
    return _statements(curves.sweep(lab, setting, RATE))


def _statements(found: Sweep) -> dict[str, Measured]:
    cells = curves.improvements(found)
    low = [pair.improvement for (delay, _), pair in found.pairs.items() if delay in WITHOUT_GAIN]
    at_50ms = curves.improvements(found, [50], lambda packets: 3 <= packets <= 200)
    falling = {delay: falls(curves.improvements(found, [delay])) for delay in curves.HIGH}
    small = cells[100, found.setting.packets(SMALL_KB)]
    return {
        "qs.f2.low": Measured(
            [round(min(low), 2), round(max(low), 2)], holds=max(map(abs, low)) <= 1
        ),
        "qs.f2.50ms": Measured(
            [round(min(at_50ms.values()), 2), round(max(at_50ms.values()), 2)],
            holds=max(at_50ms.values()) < 0,
        ),
        "qs.f2.100ms.peak": Measured(round(small, 2)),
        "qs.f2.decay": Measured(
            f"at {sum(falling.values())} of {len(falling)} delays", holds=all(falling.values())
        ),
        MOST: Measured(round(max(cells.values()), 2)),
    }


def run(lab: Lab) -> Findings:
    """Runs all sizes over all delays."""
    ours, decoded = (curves.sweep(lab, setting, RATE) for setting in (LITERAL, DECODED))
    return Findings(
        measured=published.explained(_statements(ours), _statements(decoded), WHY),
        answers=[*_sentences(ours), _near_the_peak(ours, decoded), curves.about_losses(ours)],
        tables=[curves.table("figure2", ours)],
        pictures=[
            curves.picture(
                "figure2",
                "Fig. 2",
                ours,
                decoded,
                Printed("paper: up to 50 %", published.number(MOST)),
                Printed(f"paper: {SMALL_GAIN:g} % at 100 ms", SMALL_GAIN, SMALL_KB),
                limits=(-40, 65),
            )
        ],
    )


def _sentences(found: Sweep) -> list[str]:
    cells = curves.improvements(found)
    best, worst = curves.highest(cells), min(cells, key=lambda place: cells[place])
    return [
        (
            f"At 384 kbit/s Quick-Start gains most with {best[1]} packets at {best[0]} ms, "
            f"{cells[best]:.1f} %, and loses most with {worst[1]} packets at {worst[0]} ms, "
            f"{cells[worst]:.1f} %."
        ),
        f"At 100 ms two packets change by {cells[100, 2]:.1f} % and four by {cells[100, 4]:.1f} %.",
    ]


def _near_the_peak(*sweeps: Sweep) -> str:
    """Where the text's 15 % at 100 ms are found."""
    literal, decoded = (curves.improvements(found, [100]) for found in sweeps)
    return (
        f"With the decoded inputs four and five packets at 100 ms gain {decoded[100, 4]:.1f} and "
        f"{decoded[100, 5]:.1f} % and two {decoded[100, 2]:.1f} %, where the text has "
        f"{SMALL_GAIN:g} % for about {SMALL_KB:g} kB; literally four and five "
        f"gain {literal[100, 4]:.1f} and {literal[100, 5]:.1f} %."
    )


def falls(cells: Mapping[curves.Place, float]) -> bool:
    """Whether the curve of one delay falls beyond its maximum.

    It must fall among sizes that take slow start equally many flights, and from the best of
    those to the best of the next; with one flight more it may step up.
    """
    peak = curves.highest(cells)[1]
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


EXPERIMENTS = (
    Experiment(
        id="QS-F2",
        figure="Fig. 2",
        question="How does the gain depend on the transfer's size at 384 kbit/s?",
        run=run,
        quick=True,
    ),
)
