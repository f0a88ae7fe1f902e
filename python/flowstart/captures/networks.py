"""Networks of addresses, as paths are told apart."""

import ipaddress

PREFIX = {4: 24, 6: 48}
"""The length of a network's prefix by IP version."""


def network(address: str | None) -> str | None:
    """The /24 or /48 of an address; None where it is none."""
    try:
        known = ipaddress.ip_address((address or "").strip())
    except ValueError:
        return None
    return str(ipaddress.ip_network((known, PREFIX[known.version]), strict=False))
