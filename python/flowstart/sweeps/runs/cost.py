"""About how many packets a cell takes: what batches are made by, and estimates scaled by."""

from collections.abc import Sequence

from flowstart import _native
from flowstart.model import units
from flowstart.model.variants import Variant
from flowstart.replays.competing_flows import PROBE_EVERY_S
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.runs.competing_flows import MOST_PROBES
from flowstart.sweeps.runs.facts import FULL_SIZE

PER_RUN = 60
"""What a run takes beside its packets, in packets."""
UNKNOWN_BDP = 100.0
"""Packets, where the rate or the round trip is no single number."""
BESIDE_BDPS = {"long": 40.0, "bbr": 120.0, "web": 12.0}
"""What long flows and web load send in a run, in bandwidth-delay products: before the flow under
test, beside it, and afterwards."""


def cost(cell: Cell, variants: Sequence[Variant]) -> float:
    """Packets under all variants, roughly: a fixed function of the cell."""
    size = _native.size_bytes(str(cell.flow.get("size", "1MB")), "1460B") or 1_000_000
    own = size / FULL_SIZE + PER_RUN
    return len(variants) * (own + _beside(cell, own))


def _beside(cell: Cell, own: float) -> float:
    """What the competing flows sends in a run; `own` packets are of the flow under test."""
    rate, rtt = (_base(cell, name) for name in ("rate", "rtt"))
    bdp = rate * rtt / 8 / FULL_SIZE if rate and rtt else UNKNOWN_BDP
    if cell.competing in BESIDE_BDPS:
        return own + BESIDE_BDPS[cell.competing] * bdp
    if cell.competing == "probe":
        lasts_s = 20 * rtt + 4 * own * FULL_SIZE * 8 / rate if rate else 10.0
        return 10 * min(lasts_s / PROBE_EVERY_S, MOST_PROBES)
    return {"alone": 0.0, "short": 2 * PER_RUN, "same": 2 * own}[cell.competing]


def _base(cell: Cell, name: str) -> float:
    """A field of the path in bits per second or seconds; 0 where it is no single number."""
    found = units.split(str(cell.path.get(name, "")))
    if not found or found[1] not in units.UNITS:
        return 0.0
    scale = units.UNITS[found[1]].scale
    return found[0] * scale / (1.0 if name == "rate" else units.NS_PER_S)
