"""Hybrid Slow Start (Ha, Rhee 2008)."""

from flowstart_papers.experiment import paper
from flowstart_papers.hystart import algorithm, figures, readings, studies, utilisation

PAPER = paper(__name__, algorithm, figures, utilisation, readings, studies)
