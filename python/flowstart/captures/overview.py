"""The summary of a capture on one screen: connections, sizes, RTTs, and the networks."""

from typing import TYPE_CHECKING

from flowstart.captures import server_log, tables
from flowstart.render import summary as screen
from flowstart.render import text

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture


def overview(found: "Capture", next_command: str = "") -> screen.Summary:
    """What was read, typical sizes and RTTs, and the path to each network."""
    s = found.summary
    answer = (
        [f"Median RTT {text.short_seconds(s['rtt_s']['p50'])}."] if s["rtt_s"].get("p50") else []
    )
    if s["bytes"].get("p50") is not None:
        large = f"{s['over_4380_bytes']} of {s['directions_with_data']}"
        answer.append(
            f"Median size {text.size(s['bytes']['p50'])}; {large} directions of a connection "
            "have more than 4380 bytes."
        )
    if quic := tables.quic(found):
        answer.append(quic)
    shown = tables.networks(found) if found.groups else tables.connections(found)
    notes = list(found.notes) if server_log.is_log(found) else []
    directions = ["sent: by the local side; rate and buffer: estimates of that direction."]
    hint = "Connections, the other direction and notes: --details. Tables: -o DIR"
    return screen.Summary(
        f"{tables.headline(found)}.",
        answer,
        shown,
        [*notes, *directions * bool(found.groups)],
        next=next_command,
        hint=hint,
    )
