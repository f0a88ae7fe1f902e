"""The endpoints on the command line: a stack, and flags of fields that are given often."""

from dataclasses import dataclass

from flowstart._native import STACKS
from flowstart.cli.flags import CAPTURE, defined, flag, of


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """What both ends are like."""

    stack: str | None = flag(
        f"Endpoints: {', '.join(STACKS)}; with overrides: quic:handshake=0-rtt. [linux]",
        "NAME",
        beside=(CAPTURE,),
    )
    cc: str | None = flag("Congestion avoidance.", "NAME", beside=(CAPTURE,), panel="Endpoints")
    cached_cwnd: str | None = flag(
        "Window that an earlier connection left behind. [1bdp; with --capture nothing]",
        "SIZE",
        beside=(CAPTURE,),
        panel="Endpoints",
    )


FLAGS = (*of(Endpoints), *defined("Stack", "Endpoints", replayed=("iw", "ack")).values())
