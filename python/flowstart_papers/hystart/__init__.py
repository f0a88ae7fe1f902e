"""Hybrid Slow Start (Ha, Rhee 2008)."""

from flowstart_papers.experiment import Paper
from flowstart_papers.hystart import (
    acks,
    asymmetry,
    blackout,
    bounds,
    buffers,
    constants,
    figure1,
    figure2,
    figure3,
    figure4,
    figure5,
    packet_pairs,
    readings,
    section2,
    sensitivity,
    synchronisation,
    traffic,
)
from flowstart_papers.hystart.assumptions import ASSUMPTIONS
from flowstart_papers.hystart.published import NAME, PUBLISHED

PAPER = Paper(
    name=NAME,
    title="Hybrid Slow Start for High-Bandwidth and Long-Distance Networks",
    source="S. Ha, I. Rhee; PFLDnet 2008; Linux hosts around a dummynet bottleneck",
    package=__name__,
    targets=PUBLISHED.targets,
    experiments=(
        *buffers.EXPERIMENTS,
        *section2.EXPERIMENTS,
        *figure1.EXPERIMENTS,
        *bounds.EXPERIMENTS,
        *constants.EXPERIMENTS,
        *synchronisation.EXPERIMENTS,
        *figure2.EXPERIMENTS,
        *packet_pairs.EXPERIMENTS,
        *figure3.EXPERIMENTS,
        *figure4.EXPERIMENTS,
        *figure5.EXPERIMENTS,
        *readings.EXPERIMENTS,
        *blackout.EXPERIMENTS,
        *traffic.EXPERIMENTS,
        *acks.EXPERIMENTS,
        *asymmetry.EXPERIMENTS,
        *sensitivity.EXPERIMENTS,
    ),
    assumptions=ASSUMPTIONS,
)
