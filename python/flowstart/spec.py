"""Rarely used parts of a scenario.

Example:
    >>> import flowstart as fs
    >>> hops = [fs.spec.Hop(rate="100Mbps", delay="5ms"), fs.spec.Hop(rate="10Mbps", delay="20ms")]
    >>> fs.NetworkPath(hops=hops).hops[1].rate
    '10Mbps'
"""

from flowstart.model.fields import After, AfterFlow, Hop, QuickStart, RateStep, Write

__all__ = ["After", "AfterFlow", "Hop", "QuickStart", "RateStep", "Write"]
