"""Other traffic next to one transfer: web sessions that enter behind its server's interface."""

from flowstart.model.document import Document
from flowstart_papers.slow_start_high_speed.setups import LITERAL, Path, network, stack

INTERFACE = 100
"""In Mbit/s."""
NARROWEST = (10, 50, 80, 100, 200, 400)
"""In Mbit/s; capacity shrinks on the first three."""
LOADS = (0.05, 0.3, 0.6)
"""What other traffic takes of the narrowest link."""
BEGIN_S = 3.0
"""When the transfer begins; the other traffic begins at once."""
MEAN_PACKETS = 30
MSS = 1460


def scenario(
    path: Path,
    load: float,
    seed: int,
    startup: str,
    size: str,
    *,
    lasts_s: float = 100.0,
    both_ways: bool = False,
) -> Document:
    """One transfer that begins amid others, for which sessions come for `lasts_s`."""
    bits = 8 * (MSS + 40) * MEAN_PACKETS
    arrivals = (2 if both_ways else 1) * load * path.narrowest * 1e6 / bits
    return {
        "seed": seed,
        "path": network(path, LITERAL) | {"hosts": 1},
        "stack": stack(path, LITERAL),
        "flows": [{"startup": startup, "start": f"{BEGIN_S:g}s", "size": size}],
        "web": [
            {
                "startup": "slow-start:growth=per-ack",
                "sessions": round(arrivals * lasts_s),
                "interval": f"exponential:mean={1 / arrivals:.6f}s",
                "direction": "alternate" if both_ways else "forward",
                "pages": 1,
                "objects": 1,
                "size": f"pareto2:mean={MEAN_PACKETS},shape=1.5",
                "single_connection": True,
                "from_hop": 1,
            }
        ],
    }
