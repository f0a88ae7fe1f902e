"""Gauge with another constant, or without a part: names, units and defaults are the catalog's."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import flowstart as fs
from asking import GAUGE
from flowstart import _native

SLOW_START = ("growth", "limit", "iw", "ssthresh", "growth_gate")
"""Parameters that every startup shares with slow start."""
WITHOUT = "without"
"""The parameter that leaves a part out."""
FRONTIER = ("yield", "trust", "gain", "blind_rate", "blind_packets")
"""Constants that trade harm to others for speed,"""
FACTORS = (0.7, 1.4)
"""and by what they are multiplied, besides a half and two."""
STEPS = 12
"""Halvings that find the last value that is taken."""
Accepts = Callable[[str], bool]


@dataclass(frozen=True)
class Constant:
    """A numeric parameter: a number and its unit."""

    name: str
    number: float
    unit: str

    def spec(self, number: float) -> str:
        """Gauge with another value of it."""
        return f"{GAUGE}:{self.setting(number)}"

    def setting(self, number: float) -> str:
        """A value of it to three digits, as a specification has it."""
        return f"{self.name}={number:.3g}{self.unit}"

    def times(self, factor: float, accepts: Accepts) -> str | None:
        """Gauge with a multiple of it, or the last value on the way that is taken; None if none."""
        found = self.spec(self.reach(factor, accepts))
        return None if found == self.spec(self.number) else found

    def reach(self, factor: float, accepts: Accepts) -> float:
        """A multiple of it, or the last value on the way that is taken."""
        wanted = self.number * factor
        if accepts(self.spec(wanted)):
            return wanted
        taken, refused = self.number, wanted
        for _ in range(STEPS):
            middle = (taken + refused) / 2
            if accepts(self.spec(middle)):
                taken = middle
            else:
                refused = middle
        return taken


def constants(algorithm: fs.Algorithm) -> Iterator[Constant]:
    """The constants of a startup that are numbers."""
    for parameter in algorithm.params:
        found = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", parameter.default)
        if found and parameter.name not in SLOW_START:
            yield Constant(parameter.name, float(found[1]), found[2])


def ablations(algorithm: fs.Algorithm) -> list[str]:
    """Gauge without each of its parts."""
    (without,) = (one for one in algorithm.params if one.name == WITHOUT)
    parts = [part.strip() for part in without.unit.split("|")]
    return [f"{GAUGE}:{WITHOUT}={part}" for part in parts if part != without.default]


def halved_and_doubled(algorithm: fs.Algorithm, accepts: Accepts) -> list[str]:
    """Gauge with each constant halved and doubled."""
    return _varied(constants(algorithm), (0.5, 2), accepts)


def frontier(algorithm: fs.Algorithm, accepts: Accepts) -> list[str]:
    """Gauge with other values of the constants that trade harm for speed."""
    own = [constant for constant in constants(algorithm) if constant.name in FRONTIER]
    return _varied(own, FACTORS, accepts)


def of(names: Sequence[str], specs: Sequence[str]) -> list[str]:
    """Those specifications that set one of these constants."""
    return [spec for spec in specs if spec.partition(":")[2].partition("=")[0] in names]


def _varied(
    those: Iterator[Constant] | Sequence[Constant], factors: Sequence[float], accepts: Accepts
) -> list[str]:
    found = (constant.times(factor, accepts) for constant in those for factor in factors)
    return list(dict.fromkeys(spec for spec in found if spec is not None))


def accepted(spec: str) -> bool:
    """Whether the simulator takes a startup with these parameters."""
    flow = {"size": "1MB", "startup": spec}
    document = {"path": {"rate": "1Mbps", "rtt": "50ms"}, "flows": [flow]}
    try:
        _native.resolve(json.dumps(document), None)
    except fs.RequestError:
        return False
    return True
