"""Modified Swift Start (an OPNET study of the startup of Elbery and others)."""

from flowstart_papers.experiment import Paper
from flowstart_papers.modified_swift_start import (
    ack_clock,
    figure2,
    figure4,
    figure5,
    figure6,
    figure7,
    figure8,
    figure10,
    fraction,
    processor,
    promised,
    published,
    queues,
    readings,
    section2,
    table2,
    timeout,
    windows,
)
from flowstart_papers.modified_swift_start.assumptions import ASSUMPTIONS

PAPER = Paper(
    name=published.NAME,
    title="Modified Swift Start",
    source="An OPNET study of the startup by A. Elbery, E. Khalil, B. Nosier and I. Morsi "
    "(SENSORCOMM 2008); our copy names neither authors nor year",
    package=__name__,
    targets=published.PUBLISHED.targets,
    experiments=(
        *figure2.EXPERIMENTS,
        *section2.EXPERIMENTS,
        *figure4.EXPERIMENTS,
        *figure5.EXPERIMENTS,
        *figure6.EXPERIMENTS,
        *figure7.EXPERIMENTS,
        *figure8.EXPERIMENTS,
        *figure10.EXPERIMENTS,
        *table2.EXPERIMENTS,
        *windows.EXPERIMENTS,
        *processor.EXPERIMENTS,
        *timeout.EXPERIMENTS,
        *ack_clock.EXPERIMENTS,
        *readings.EXPERIMENTS,
        *promised.EXPERIMENTS,
        *queues.EXPERIMENTS,
        *fraction.EXPERIMENTS,
    ),
    assumptions=ASSUMPTIONS,
)
