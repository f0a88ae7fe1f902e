"""Figure 4: the improvement over the transfer's size at 1 Gbit/s, beside figure 3."""

from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency import curves, figure3, published
from flowstart_papers.quick_start_low_latency.curves import Printed, Sweep
from flowstart_papers.quick_start_low_latency.setups import DECODED, LITERAL, TABLE1_KB, Setting
from flowstart_papers.target import Measured

RATE = "1Gbps"
VISIBLE = 10
"""An improvement in percent that can be seen in the figures."""
WORSE = -1
"""The same of a loss: the gaps between the first paced packets cost some hundredths."""
BAND_KB = (50, 1000)
LARGE_KB = 10_000
MOST_LOW, MOST_FAR = "qs.f4.max.low", "qs.f4.max.1000ms"

_TIMEOUT = "The handshake of 4 s outlasts ns-2's first timeout, and the request is lost with it."
WHY = {
    MOST_LOW: "The request is not capped and the round trip is twice as long as decoded, so that "
    "more packets fit into one flight.",
    MOST_FAR: _TIMEOUT,
    "qs.f34.gap": "The request is not capped: 1 Gbit/s approves eight times the rate of 100 "
    "Mbit/s, not twice.",
    "qs.f34.size.band": _TIMEOUT,
    "qs.f34.decay.low": "Ten megabytes keep less of the gain at 50 ms.",
}


def statements(lab: Lab, setting: Setting) -> dict[str, Measured]:
    """What the paper prints of the figure, as it comes out in a setting."""
    return _statements(*_sweeps(lab, setting))


def _sweeps(lab: Lab, setting: Setting) -> tuple[Sweep, Sweep]:
    return curves.sweep(lab, setting, figure3.RATE), curves.sweep(lab, setting, RATE)


def _statements(slower: Sweep, faster: Sweep) -> dict[str, Measured]:
    return _maxima(slower, faster) | _shape(slower, faster) | _high(slower, faster)


def run(lab: Lab) -> Findings:
    """Runs all sizes over all delays at 1 Gbit/s, and compares with 100 Mbit/s."""
    slower, faster = _sweeps(lab, LITERAL)
    decoded = _sweeps(lab, DECODED)
    why = WHY | {"qs.f34.high.worse": _at_high(slower, faster)}
    return Findings(
        measured=published.explained(_statements(slower, faster), _statements(*decoded), why),
        answers=[
            figure3.most("1 Gbit/s", faster),
            curves.about_losses(faster),
            _at_high(slower, faster),
        ],
        tables=[curves.table("figure4", faster)],
        pictures=[
            curves.picture(
                "figure4",
                "Fig. 4",
                faster,
                decoded[1],
                Printed("paper: up to 74 % to 50 ms", published.number(MOST_LOW)),
                Printed("paper: up to 85 % at 1000 ms", published.number(MOST_FAR)),
            )
        ],
    )


def _maxima(slower: Sweep, faster: Sweep) -> dict[str, Measured]:
    low = [max(curves.improvements(found, curves.LOW).values()) for found in (slower, faster)]
    far = max(curves.improvements(faster, [1000]).values())
    gap = low[1] - low[0]
    return {
        MOST_LOW: Measured(round(low[1], 2)),
        "qs.f34.gap": Measured(round(gap, 2), holds=1 <= gap <= 4),
        MOST_FAR: Measured(round(far, 2)),
    }


def _shape(slower: Sweep, faster: Sweep) -> dict[str, Measured]:
    least, most, large, table1 = map(faster.setting.packets, (*BAND_KB, LARGE_KB, TABLE1_KB))
    band = [
        value
        for found, delays in ((slower, (3, 5, 10, 20, 50)), (faster, curves.DELAYS))
        for value in curves.improvements(found, delays, lambda n: least <= n <= most).values()
    ]
    cells = curves.improvements(faster)
    kept = {delay: (cells[delay, large], cells[delay, table1]) for delay in (1, 50)}
    return {
        "qs.f34.size.band": Measured(round(min(band), 2), holds=min(band) > VISIBLE),
        "qs.f34.decay.low": Measured(
            ", ".join(
                f"{after:.1f} of {before:.1f} % at {delay} ms"
                for delay, (after, before) in kept.items()
            ),
            # Shares are compared without dividing: where nothing is gained nothing is kept.
            holds=kept[1][0] * kept[50][1] < kept[50][0] * kept[1][1],
        ),
    }


def _high(slower: Sweep, faster: Sweep) -> dict[str, Measured]:
    worst = min(
        value
        for found in (slower, faster)
        for value in curves.improvements(found, curves.HIGH).values()
    )
    return {"qs.f34.high.worse": Measured(round(worst, 2), holds=worst < WORSE)}


def _at_high(slower: Sweep, faster: Sweep) -> str:
    """How Quick-Start fares at high latency, without and with losses."""
    free = [
        value
        for found in (slower, faster)
        for value in curves.improvements(found, curves.HIGH).values()
    ]
    apart = [
        value
        for found in (slower, faster)
        for (delay, _), value in curves.lossy(found).items()
        if delay in curves.HIGH
    ]
    return (
        f"From 100 ms on, {sum(value < WORSE for value in free)} of {len(free)} transfers without "
        f"loss take longer with Quick-Start (by more than {-WORSE} %), and "
        f"{sum(value < WORSE for value in apart)} of {len(apart)} with losses. The paper's own "
        f"Table I has its best values at 1000 ms."
    )


EXPERIMENTS = (
    Experiment(
        id="QS-F4",
        figure="Fig. 4",
        question="How does the gain depend on the transfer's size at 1 Gbit/s, and what do ten "
        "times the rate of figure 3 add?",
        run=run,
        quick=True,
    ),
)
