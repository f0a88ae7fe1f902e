"""The endpoints on the command line: a stack, and flags of fields that are given often."""

from dataclasses import dataclass
from typing import Any

from flowstart.cli.flags import CAPTURE, Given, defined, flag, of
from flowstart.errors import RequestError


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """What both ends are like."""

    stack: str | None = flag(
        "Endpoints: rfc, linux, quic, ns2, opnet; with overrides: quic:handshake=0-rtt. [rfc]",
        "NAME",
        beside=(CAPTURE,),
    )
    avoidance: str | None = flag(
        "Congestion avoidance.", "NAME", beside=(CAPTURE,), panel="Endpoints"
    )
    remembered: str | None = flag(
        "Window that an earlier connection left behind. [1bdp; with --capture nothing]",
        "SIZE",
        beside=(CAPTURE,),
        panel="Endpoints",
    )


_FLAGS = defined("Stack", "Endpoints", replayed=("iw", "ack"))
OWN = tuple(_FLAGS)
"""The fields of a stack that have flags of their own; `--stack` takes them all."""

FLAGS = (*of(Endpoints), *_FLAGS.values())


def stack_of(given: Given) -> dict[str, Any] | None:
    """The stack's fields that were given, those with flags of their own as well."""
    from flowstart.model import stack

    fields = stack.parse(given["stack"]) if "stack" in given else {}
    for name in (name for name in OWN if name in given):
        if name in fields:
            raise RequestError(
                f"--{name} and --stack {given['stack']}: both set {name}; leave one out"
            )
        fields[name] = given[name]
    return fields or None
