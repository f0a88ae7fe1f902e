"""From an answer to its use: the options of real stacks, the size of a test, what to watch."""

from flowstart.deployment.experiment import TestSize, size
from flowstart.deployment.knobs import Knob, Offer, offer
from flowstart.deployment.notes import Notes, Rollback, Variant, notes

__all__ = ["Knob", "Notes", "Offer", "Rollback", "TestSize", "Variant", "notes", "offer", "size"]
