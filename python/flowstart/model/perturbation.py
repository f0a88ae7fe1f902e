"""Repeats of a scenario with perturbed delays, for results that depend on a coincidence."""

import json

from flowstart import _native
from flowstart.model.document import Document, encode

DELAY_SHARE = _native.DELAY_SHARE
"""By how much of itself a delay differs at most: what a round trip is known to, at best."""
START_SPREAD = _native.START_SPREAD
"""By how many seconds a beginning is later at most."""


def perturbed(document: Document, number: int) -> Document:
    """Repeat `number` of a scenario, the same for every startup; the scenario itself for 0."""
    if number == 0:
        return document
    repeat: Document = json.loads(_native.perturbed(encode(document), number))
    return repeat


def drawn(resolved: Document) -> list[str]:
    """What is drawn, in words, from a scenario with every default filled in."""
    return _native.drawn(encode(resolved))
