"""Buffers that are smaller than whoever asked for them may have meant."""

from flowstart.scenario import Document

HANDFUL = 10
"""Fewer packets than these cannot hold one initial window (RFC 6928)."""


def handfuls(given: Document, resolved: Document) -> dict[str, tuple[str, int]]:
    """By field, the buffers of a path that were asked for in BDPs and came to a few packets.

    Each with what was asked for and its packets. `given` and `resolved` are the same path.
    """
    hops = zip(given.get("hops") or [], resolved.get("hops") or [], strict=True)
    parts = [("", given, resolved)]
    parts += [(f"hops[{i}].", asked, filled) for i, (asked, filled) in enumerate(hops)]
    found: dict[str, tuple[str, int]] = {}
    for prefix, asked, filled in parts:
        for name in ("buffer", "reverse_buffer"):
            small = str(asked.get(name, given.get("buffer"))), _packets(filled.get(name))
            is_said = name not in asked and small in found.values()
            if small[0].endswith("bdp") and small[1] < HANDFUL and not is_said:
                found[prefix + name] = small
    return found


def _packets(buffer: object) -> int:
    """A buffer's packets; enough of them where it is not counted so."""
    text = str(buffer)
    return int(text.removesuffix("pkt")) if text.endswith("pkt") else HANDFUL


def warning(field: str, asked: str, packets: int, where: str = "") -> str:
    """What to say of one."""
    count = "one packet" if packets == 1 else f"{packets} packets"
    return (
        f"{field} `{asked}` is {count} here{where}, less than one initial window of {HANDFUL}, so "
        "losses are this buffer's doing; left out, it is 1 BDP but at least 40 packets"
    )
