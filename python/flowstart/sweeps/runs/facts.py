"""What a cell's path and flow come to as numbers."""

from dataclasses import dataclass

from flowstart import _native
from flowstart.model import units
from flowstart.model.document import Document

FULL_SIZE = 1500
"""Bytes of a full-size packet."""
PARAMETERS = frozenset(
    {
        *("rate", "rtt", "buffer", "queue", "loss", "buffer_accounting"),
        *("reverse_rate", "reverse_buffer", "reverse_queue", "reverse_loss"),
    }
)
"""Fields of a path that have a column of their own, or follow one that has."""


@dataclass(frozen=True)
class Facts:
    """A path's parameters, of its bottleneck where it has several hops."""

    rate_bps: float | None
    """None where the rate follows a trace or steps."""
    rtt_s: float
    buffer_pkts: int | None
    """None where the queue has no limit."""
    queue: str
    loss: float
    reverse_rate_bps: float | None
    impairments: str
    """The path's other fields that are set, joined by `+`."""
    size_bytes: int
    """Bytes of the flow under test."""

    @classmethod
    def of(cls, resolved: Document, asked: Document, size: str) -> "Facts":
        """Those of a resolved scenario, `asked` being the path as it was written."""
        path = resolved["path"]
        mss = resolved["stack"]["mss"]
        hops = path.get("hops") or [path]
        slowest = min(hops, key=lambda hop: _rate(hop.get("rate")) or float("inf"))
        rtt = path.get("rtt") or resolved["flows"][0]["rtt"]
        return cls(
            rate_bps=_rate(slowest.get("rate")),
            rtt_s=_seconds(rtt),
            buffer_pkts=_packets(slowest.get("buffer")),
            queue=slowest["queue"],
            loss=_share(slowest.get("loss")),
            reverse_rate_bps=_rate(slowest.get("reverse_rate")),
            impairments="+".join(sorted(asked.keys() - PARAMETERS)),
            size_bytes=_native.size_bytes(size, mss) or 0,
        )

    @property
    def bdp_pkts(self) -> float:
        """The bandwidth-delay product in full-size packets; 10 where the rate varies."""
        rate = self.rate_bps
        return 10.0 if rate is None else rate * self.rtt_s / 8 / FULL_SIZE


def _parts(text: str) -> tuple[float, str]:
    """The number of a resolved quantity, and its unit."""
    found = units.split(text)
    assert found is not None
    return found


def _seconds(text: str) -> float:
    number, unit = _parts(text)
    return number * units.UNITS[unit].scale / units.NS_PER_S


def _rate(text: str | None) -> float | None:
    return None if text is None else float(_native.rate_bps(text))


def _packets(text: str | None) -> int | None:
    if text is None:
        return None
    number, unit = _parts(text)
    return int(number if unit == units.PACKETS else number * units.UNITS[unit].scale / FULL_SIZE)


def _share(text: str | None) -> float:
    if text is None:
        return 0.0
    number, unit = _parts(str(text))
    return number * units.UNITS[unit].scale
