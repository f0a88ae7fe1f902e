"""Modified Swift Start (an OPNET study of the startup of Elbery and others)."""

from flowstart_papers.experiment import paper
from flowstart_papers.modified_swift_start import figures, readings, studies, tables

PAPER = paper(__name__, figures, tables, readings, studies)
