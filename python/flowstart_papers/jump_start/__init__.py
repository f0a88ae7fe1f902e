"""Jump Start (Liu, Allman, Jin, Wang 2007)."""

from flowstart_papers.experiment import paper
from flowstart_papers.jump_start import figures, readings, sections, studies, traces

PAPER = paper(__name__, sections, figures, traces, readings, studies)
