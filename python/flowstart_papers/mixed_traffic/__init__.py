"""What the five papers end with asking: some start so, among others who do not."""

from flowstart_papers.experiment import paper
from flowstart_papers.mixed_traffic import studies

PAPER = paper(__name__, studies)
