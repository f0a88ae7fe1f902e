"""The stacks of a sweep, and what of its cells depends on them: the sizes of packets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model import stack as stacks
from flowstart.model.document import Document, plain, resolve
from flowstart.sweeps.language.expressions import MSS, PACKET, Scope
from flowstart.sweeps.language.parameters import LEAST


@dataclass(frozen=True)
class Endpoints:
    """A stack, and the packets that hosts with it send."""

    document: Document
    """As a scenario has it."""
    resolved: Document
    """Every field of it."""
    payload: int
    """Bytes of a full-size segment."""
    packet: int
    """The same with its headers."""
    least_buffer: int
    """The fewest packets of a buffer, as the stack reads it."""

    def scope(self) -> Scope:
        """What expressions find beside the fields of a cell."""
        return {
            MSS: float(self.payload),
            PACKET: float(self.packet),
            LEAST: float(self.least_buffer),
        }


def endpoints(given: Any) -> Endpoints:
    """The stack that a text as `--stack` takes, or a table of fields, means."""
    if isinstance(given, str):
        document = stacks.parse(given)
    elif isinstance(given, Mapping) or given is None:
        document = plain(given or {"preset": "rfc"})
    else:
        raise RequestError(f"stack: `{given}` is neither a name, such as `linux`, nor a table")
    path = {"rate": "1Mbps", "rtt": "100ms"}
    whole = resolve({"path": path, "stack": document, "flows": [{"size": "1kB"}]})
    resolved = whole["stack"]
    payload, header = (_native.size_bytes(resolved[name], "1B") or 0 for name in ("mss", "header"))
    least = 2 if whole["path"]["buffer_accounting"] == "ns2" else 1
    return Endpoints(document, resolved, payload, payload + header, least)
