"""Performance Evaluation of Quick-Start in Low Latency Networks (2010)."""

from flowstart_papers.experiment import Paper
from flowstart_papers.quick_start_low_latency import (
    background,
    decoded,
    faster_link,
    figure2,
    figure3,
    figure4,
    figure5,
    ideal,
    limited,
    loaded,
    lost,
    readings,
    refused,
    sensitivity,
    table1,
    utilisation,
)
from flowstart_papers.quick_start_low_latency.assumptions import ASSUMPTIONS
from flowstart_papers.quick_start_low_latency.published import NAME, TARGETS

PAPER = Paper(
    name=NAME,
    title="Performance Evaluation of Quick-Start in Low Latency Networks",
    source="I. Butun, S. Birla, X. H. Le, S. Lee, R. Sankar, IEEE CCNC 2010; ns-2",
    package=__name__,
    targets=TARGETS,
    experiments=(
        *table1.EXPERIMENTS,
        *decoded.EXPERIMENTS,
        *ideal.EXPERIMENTS,
        *figure2.EXPERIMENTS,
        *figure3.EXPERIMENTS,
        *figure4.EXPERIMENTS,
        *figure5.EXPERIMENTS,
        *refused.EXPERIMENTS,
        *loaded.EXPERIMENTS,
        *lost.EXPERIMENTS,
        *limited.EXPERIMENTS,
        *utilisation.EXPERIMENTS,
        *readings.EXPERIMENTS,
        *sensitivity.EXPERIMENTS,
        *background.EXPERIMENTS,
        *faster_link.EXPERIMENTS,
    ),
    assumptions=ASSUMPTIONS,
)
