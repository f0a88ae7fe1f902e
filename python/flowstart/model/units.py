"""The units of scenarios: what they measure, and how many base units each is.

Base units are bits per second, nanoseconds and bytes. So 100 Mbit/s times 80 ms is a whole number
of bytes, as it is in the simulator.
"""

import enum
import re
from dataclasses import dataclass

NS_PER_S = 1e9
BITS_PER_BYTE = 8.0


class Kind(enum.Enum):
    """What a quantity measures, in words."""

    NUMBER = "a number"
    TIME = "a time"
    RATE = "a rate"
    SIZE = "a size"


@dataclass(frozen=True)
class Unit:
    """What stands behind a number."""

    kind: Kind
    scale: float
    """How many base units it is; of packets and BDPs, which depend on the cell, 1."""


PACKETS, BDPS = "pkt", "bdp"
UNITS = {
    "": Unit(Kind.NUMBER, 1.0),
    "%": Unit(Kind.NUMBER, 0.01),
    **{unit: Unit(Kind.TIME, 1.0) for unit in ("ns",)},
    **{unit: Unit(Kind.TIME, 1e3) for unit in ("us", "\u00b5s", "\u03bcs")},
    "ms": Unit(Kind.TIME, 1e6),
    "s": Unit(Kind.TIME, 1e9),
    "min": Unit(Kind.TIME, 60e9),
    "h": Unit(Kind.TIME, 3600e9),
    **{unit: Unit(Kind.RATE, 1.0) for unit in ("bps", "bit/s")},
    **{unit: Unit(Kind.RATE, 1e3) for unit in ("kbps", "Kbps", "kbit/s")},
    **{unit: Unit(Kind.RATE, 1e6) for unit in ("Mbps", "Mbit/s")},
    **{unit: Unit(Kind.RATE, 1e9) for unit in ("Gbps", "Gbit/s")},
    **{unit: Unit(Kind.RATE, 1e12) for unit in ("Tbps", "Tbit/s")},
    "B": Unit(Kind.SIZE, 1.0),
    **{unit: Unit(Kind.SIZE, 1e3) for unit in ("kB", "KB")},
    **{
        f"{letter}B": Unit(Kind.SIZE, 10.0**power)
        for letter, power in zip("MGTP", (6, 9, 12, 15), strict=True)
    },
    **{unit: Unit(Kind.SIZE, 2.0**10) for unit in ("kiB", "KiB")},
    **{
        f"{letter}iB": Unit(Kind.SIZE, 2.0**power)
        for letter, power in zip("MGT", (20, 30, 40), strict=True)
    },
    **{unit: Unit(Kind.SIZE, 1.0) for unit in ("pkt", "pkts", "bdp", "BDP")},
}
"""The units of scenarios."""

NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_WITH_UNIT = re.compile(rf"\s*({NUMBER})\s*((?:[A-Za-zµμ]+(?:/s(?:ec)?)?|%)?)\s*")


def split(text: str) -> tuple[float, str] | None:
    """The number of a quantity and what stands behind it; None where it does not begin so."""
    found = _WITH_UNIT.fullmatch(text)
    return (float(found[1]), found[2]) if found else None
