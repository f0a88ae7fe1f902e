"""Characterizing Slow Start in High Speed Networks (Kumazoe and others 2008)."""

from flowstart_papers.experiment import paper
from flowstart_papers.slow_start_high_speed import figures, http, readings, studies

PAPER = paper(__name__, figures, http, readings, studies)
