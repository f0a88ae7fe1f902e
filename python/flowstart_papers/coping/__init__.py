"""What the papers end with asking: how to live with a fast start, and with its abuse."""

from flowstart_papers.coping import (
    abuse_jump_start,
    abuse_quick_start,
    cope_moved,
    cope_sweep,
    cope_table,
    lies,
)
from flowstart_papers.experiment import paper

PAPER = paper(
    __name__, cope_table, cope_sweep, cope_moved, abuse_jump_start, abuse_quick_start, lies
)
