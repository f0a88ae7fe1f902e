"""What the papers end with asking: how to live with a fast start, and with its abuse."""

from flowstart_papers.coping import (
    abuse_jump_start,
    abuse_quick_start,
    cope_moved,
    cope_sweep,
    cope_table,
    lies,
)
from flowstart_papers.coping.assumptions import ASSUMPTIONS
from flowstart_papers.experiment import Paper

PAPER = Paper(
    name="coping",
    title="Living with a fast start, and its abuse",
    source="What Jump Start (2007) lists in its section on coping and leaves to future work, and "
    "denial of service in the paper on Quick-Start in low-latency networks; no published numbers",
    package=__name__,
    targets=(),
    experiments=(
        *cope_table.EXPERIMENTS,
        *cope_sweep.EXPERIMENTS,
        *cope_moved.EXPERIMENTS,
        *abuse_jump_start.EXPERIMENTS,
        *abuse_quick_start.EXPERIMENTS,
        *lies.EXPERIMENTS,
    ),
    assumptions=ASSUMPTIONS,
)
