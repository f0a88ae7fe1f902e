"""Buffers that are smaller than whoever asked for them may have meant."""

import math

from flowstart import _native
from flowstart.model.document import Document


def initial_window(stack: Document) -> int:
    """The packets of a resolved stack's initial window."""
    return math.ceil(_native.initial_window(stack["iw"], stack["mss"]))


def handfuls(given: Document, resolved: Document, window: int) -> dict[str, tuple[str, int]]:
    """By field, the buffers of a path that were asked for in BDPs and came to a few packets.

    Few are less than the initial `window`. Each with what was asked for and its packets.
    `given` and `resolved` are the same path.
    """
    hops = zip(given.get("hops") or [], resolved.get("hops") or [], strict=True)
    parts = [("", given, resolved)]
    parts += [(f"hops[{i}].", asked, filled) for i, (asked, filled) in enumerate(hops)]
    found: dict[str, tuple[str, int]] = {}
    for prefix, asked, filled in parts:
        for name in ("buffer", "reverse_buffer"):
            said, packets = str(asked.get(name, given.get("buffer"))), _packets(filled.get(name))
            is_said = name not in asked and (said, packets) in found.values()
            if said.endswith("bdp") and packets is not None and packets < window and not is_said:
                found[prefix + name] = said, packets
    return found


def _packets(buffer: object) -> int | None:
    """A buffer's packets; None where it is not counted so."""
    text = str(buffer)
    return int(text.removesuffix("pkt")) if text.endswith("pkt") else None


def warning(field: str, asked: str, packets: int, where: str = "", *, window: int) -> str:
    """What to say of one."""
    count = "one packet" if packets == 1 else f"{packets} packets"
    than, losses = f"one initial window of {window}", "losses"
    if field.endswith("reverse_buffer"):
        than = f"the acknowledgements of one initial window (up to {window})"
        losses = "losses of acknowledgements"
    return (
        f"{field} `{asked}` is {count} here{where}, less than {than}, so {losses} are this "
        "buffer's doing; left out, it is 1 BDP but at least 40 packets"
    )
