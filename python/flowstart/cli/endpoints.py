"""The endpoints on the command line: a stack, and flags of fields that are given often."""

from dataclasses import dataclass

from flowstart._native import STACKS
from flowstart.cli.flags import defined, flag, of


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """What both ends are like."""

    stack: str | None = flag(
        f"Preset of both endpoints: {', '.join(STACKS)}; with overrides: quic:handshake=0-rtt. "
        "Usual --cc: cubic for linux, else reno. [linux]",
        "NAME",
    )
    cc: str | None = flag(
        "Congestion control after startup. [the stack's; in a replay, the recorded one]",
        "NAME",
        panel="Endpoints",
    )
    cached_cwnd: str | None = flag(
        "Congestion window cached from an earlier connection. [1bdp; in a replay, that of "
        "earlier connections in the capture]",
        "SIZE",
        panel="Endpoints",
    )


_FIELDS = defined("Endpoint", "Endpoints")
FLAGS = (*of(Endpoints), *_FIELDS.values())
REPLAYED = (*of(Endpoints), _FIELDS["iw"], _FIELDS["ack"])
"""What of them the hosts of a capture may be given."""
