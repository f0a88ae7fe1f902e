"""What the paper published, by its experiments' own coordinates."""

from flowstart.papers.quick_start_low_latency.setups import DELAYS, RATES
from flowstart.papers.target import read

NAME = "quick-start-low-latency"
TARGETS = read("flowstart.papers.quick_start_low_latency", NAME)
NUMBERS = {t.id: t.expected for t in TARGETS if isinstance(t.expected, int | float)}

_SHORT = {"384kbps": "384k", "100Mbps": "100m", "1Gbps": "1g"}


def cell(table: str, rate: str, delay: float) -> str:
    """The ID of the target for a rate and a delay in milliseconds."""
    return f"qs.{table}.{_SHORT[rate]}.{delay:g}ms"


def point(rate: str, packets: int) -> str:
    """The ID of the target for a point of figure 5."""
    return f"qs.f5.{_SHORT[rate]}.{packets}"


TABLE1 = {(rate, delay): NUMBERS[cell("t1", rate, delay)] for rate in RATES for delay in DELAYS}
"""The improvements of Table I in percent."""
