"""The papers on one another's ground: every startup in the scenarios of all of them."""

from flowstart_papers.cross import studies
from flowstart_papers.experiment import paper

PAPER = paper(__name__, studies)
