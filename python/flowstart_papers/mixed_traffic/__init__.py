"""What the five papers end with asking: some start so, among others who do not."""

from flowstart_papers.experiment import Paper
from flowstart_papers.mixed_traffic import chosen, contention, quick_start, swift_start, web
from flowstart_papers.mixed_traffic.assumptions import ASSUMPTIONS

PAPER = Paper(
    name="mixed-traffic",
    title="What if only some start so?",
    source="The questions that the five papers leave to later work; nothing is published.",
    package=__name__,
    targets=(),
    experiments=(
        *contention.EXPERIMENTS,
        *web.EXPERIMENTS,
        *swift_start.EXPERIMENTS,
        *quick_start.EXPERIMENTS,
        *chosen.EXPERIMENTS,
    ),
    assumptions=ASSUMPTIONS,
)
