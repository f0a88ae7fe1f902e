"""Passes over the traffic of a capture: what differs in each from the plain replay."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from flowstart.model.document import Document
from flowstart.model.perturbation import perturbed

Mode = Literal["together", "alone", "rollout", "competing"]


@dataclass(frozen=True)
class Round:
    """One pass over all traffic under every variant."""

    mode: Mode = "together"
    """`together`: all of a path at the times of the capture; `alone`: each connection by itself;
    `rollout`: together, and only a part of the connections under the variant;
    `competing`: together, with competing flows on every path."""
    share: float = 1.0
    """That part."""
    repeat: int = 0
    """Which perturbed repeat it is; 0 is the traffic as the capture has it."""
    seed: int = 1

    @property
    def is_switched(self) -> Callable[[int], bool]:
        """Whether a connection is under the variant: the same ones whatever the variant."""
        if self.share >= 1:
            return lambda _: True
        limit = self.share * 2**32
        return lambda connection: zlib.crc32(f"{self.seed}/{connection}".encode()) < limit

    def applied(self, document: Document) -> Document:
        """A scenario as it runs in this pass."""
        found = perturbed(document, self.repeat)
        if found is document:
            return document
        flows = [
            # What waits for another's data begins with it.
            {name: value for name, value in new.items() if name != "start" or name in old}
            for old, new in zip(document["flows"], found["flows"], strict=True)
        ]
        return found | {"flows": flows}


TOGETHER, ALONE, COMPETING = Round(), Round("alone"), Round("competing")
