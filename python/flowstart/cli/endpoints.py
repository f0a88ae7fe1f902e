"""The endpoints on the command line: the one place where the flags of the stack are listed."""

from dataclasses import dataclass
from typing import Any

from flowstart.cli.flags import CAPTURE, flag, of
from flowstart.errors import RequestError


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """What both ends are like."""

    stack: str | None = flag(
        "Endpoints: rfc, linux, quic, ns2, opnet; with overrides: quic:handshake=0-rtt. [rfc]",
        "NAME",
        beside=(CAPTURE,),
    )
    avoidance: str | None = flag("Congestion avoidance.", "NAME", beside=(CAPTURE,))
    ack: str | None = flag("every, delayed or quick-then-delayed.", "WHEN", beside=(CAPTURE,))
    iw: str | None = flag("Initial window: 3, rfc6928.", "WINDOW", beside=(CAPTURE,))
    remembered: str | None = flag(
        "Window that an earlier connection left behind. [1bdp; with --capture nothing]",
        "SIZE",
        beside=(CAPTURE,),
    )

    def fields(self) -> dict[str, Any] | None:
        """The stack's fields that were given, those with a flag of their own (`OWN`) as well."""
        from flowstart.model import stack

        fields = stack.parse(self.stack) if self.stack else {}
        for name in OWN:
            value = getattr(self, name)
            if value is not None:
                if name in fields:
                    raise RequestError(
                        f"--{name} and --stack {self.stack}: both set {name}; leave one out"
                    )
                fields[name] = value
        return fields or None


OWN = ("ack", "iw")
"""The fields of a stack that have flags of their own; `--stack` takes them all."""

FLAGS = of(Endpoints)
