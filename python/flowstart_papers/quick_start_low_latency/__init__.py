"""Performance Evaluation of Quick-Start in Low Latency Networks (2010)."""

from flowstart_papers.experiment import paper
from flowstart_papers.quick_start_low_latency import figures, readings, sharing, table1

PAPER = paper(__name__, table1, figures, sharing, readings)
