"""What the papers end with asking: how to live with a fast start, and with its abuse."""

from flowstart_papers.coping import copes, pulses, requests
from flowstart_papers.experiment import paper

PAPER = paper(__name__, copes, pulses, requests)
