"""The papers on one another's ground: every startup in the scenarios of all of them."""

from flowstart_papers.cross import chosen, crossing
from flowstart_papers.cross.assumptions import ASSUMPTIONS
from flowstart_papers.experiment import Paper

PAPER = Paper(
    name="cross",
    title="Every startup on every paper's ground",
    source="The headline scenarios of the five papers, their web and contention loads, and "
    "networks where half have switched; without published numbers",
    package=__name__,
    targets=(),
    experiments=(*crossing.EXPERIMENTS, *chosen.EXPERIMENTS),
    assumptions=ASSUMPTIONS,
)
