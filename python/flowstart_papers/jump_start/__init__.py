"""Jump Start (Liu, Allman, Jin, Wang 2007)."""

from flowstart_papers.experiment import Paper
from flowstart_papers.jump_start import (
    burst,
    fairness,
    figure1,
    figure2,
    figure3,
    figure4,
    figure5,
    gateways,
    load,
    loaded_paths,
    parallel,
    paths,
    readings,
    recovery,
    section1,
    section2,
    section4,
)
from flowstart_papers.jump_start.assumptions import ASSUMPTIONS
from flowstart_papers.jump_start.published import NAME, PUBLISHED

PAPER = Paper(
    name=NAME,
    title="Congestion Control Without a Startup Phase",
    source="D. Liu, M. Allman, S. Jin, L. Wang; PFLDnet 2007; ns-2, and a day of border traffic",
    package=__name__,
    targets=PUBLISHED.targets,
    experiments=(
        *section1.EXPERIMENTS,
        *section2.EXPERIMENTS,
        *figure1.EXPERIMENTS,
        *figure2.EXPERIMENTS,
        *figure3.EXPERIMENTS,
        *figure4.EXPERIMENTS,
        *section4.EXPERIMENTS,
        *figure5.EXPERIMENTS,
        *readings.EXPERIMENTS,
        *recovery.EXPERIMENTS,
        *load.EXPERIMENTS,
        *burst.EXPERIMENTS,
        *paths.EXPERIMENTS,
        *loaded_paths.EXPERIMENTS,
        *gateways.EXPERIMENTS,
        *fairness.EXPERIMENTS,
        *parallel.EXPERIMENTS,
    ),
    assumptions=ASSUMPTIONS,
)
