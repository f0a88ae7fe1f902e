"""From an answer to its use: the options of real stacks, the size of a test, what to watch."""

from flowstart.deployment.experiment import Population, TestPlan, TestSize, plan
from flowstart.deployment.guardrails import Packets
from flowstart.deployment.notes import Notes, Variant, notes
from flowstart.deployment.stacks import Knob, Offer, offer

__all__ = [
    "Knob",
    "Notes",
    "Offer",
    "Packets",
    "Population",
    "TestPlan",
    "TestSize",
    "Variant",
    "notes",
    "offer",
    "plan",
]
