"""Figure 3: the improvement over the transfer's size at 100 Mbit/s."""

from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency import curves, published
from flowstart_papers.quick_start_low_latency.curves import Printed, Sweep
from flowstart_papers.quick_start_low_latency.setups import DECODED, LITERAL, Setting
from flowstart_papers.target import Measured

RATE = "100Mbps"
MOST = "qs.f3.max.low"

WHY = {
    MOST: "Both router links have the delay, so that the round trip is 200 ms at 50 ms and not "
    "104 ms: serialisation takes less of it."
}


def statements(lab: Lab, setting: Setting) -> dict[str, Measured]:
    """What the paper prints of the figure, as it comes out in a setting."""
    return _statements(curves.sweep(lab, setting, RATE))


def _statements(found: Sweep) -> dict[str, Measured]:
    return {MOST: Measured(round(max(curves.improvements(found, curves.LOW).values()), 2))}


def run(lab: Lab) -> Findings:
    """Runs all sizes over all delays."""
    ours, decoded = (curves.sweep(lab, setting, RATE) for setting in (LITERAL, DECODED))
    return Findings(
        measured=published.explained(_statements(ours), _statements(decoded), WHY),
        answers=[most("100 Mbit/s", ours), curves.about_losses(ours)],
        tables=[curves.table("figure3", ours)],
        pictures=[
            curves.picture(
                "figure3",
                "Fig. 3",
                ours,
                decoded,
                Printed("paper: up to 72 % to 50 ms", published.number(MOST)),
            )
        ],
    )


def most(name: str, found: Sweep) -> str:
    """Where the largest improvements are, at low and at high latency."""
    low, high = (curves.improvements(found, delays) for delays in (curves.LOW, curves.HIGH))
    best, far = curves.highest(low), curves.highest(high)
    return (
        f"At {name} and delays up to 50 ms Quick-Start saves at most {low[best]:.1f} %, with "
        f"{best[1]} packets at {best[0]} ms; beyond, {high[far]:.1f} % with {far[1]} packets at "
        f"{far[0]} ms (transfers without loss)."
    )


EXPERIMENTS = (
    Experiment(
        id="QS-F3",
        figure="Fig. 3",
        question="How does the gain depend on the transfer's size at 100 Mbit/s?",
        run=run,
        quick=True,
    ),
)
