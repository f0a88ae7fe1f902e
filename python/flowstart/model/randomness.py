"""What of a scenario is drawn at random, so that another seed may give another answer."""

from collections.abc import Iterator
from typing import Any

from flowstart.model.document import Document

QUEUES = ("red", "choke", "pie", "fq-codel", "dualpi2")
"""Disciplines that draw: whom they drop or mark, or which queue a flow is put into."""
WEB_LAWS = ("interval", "pages", "page_pause", "objects", "object_pause", "size")


def drawn(resolved: Document) -> list[str]:
    """What is drawn, in words, from a scenario with every default filled in."""
    path = resolved["path"]
    return list(dict.fromkeys([*_on_path(path), *_by_hosts(resolved)]))


def _on_path(path: dict[str, Any]) -> Iterator[str]:
    hops = path.get("hops") or [path]
    if any(_is_chance(hop.get(name)) for hop in hops for name in ("loss", "reverse_loss")):
        yield "loss"
    queues = [hop.get(name) or "" for hop in hops for name in ("queue", "reverse_queue")]
    for queue in queues:
        if (name := _name(queue)) in QUEUES:
            yield f"the {name} queue"
    if path.get("rate_variation"):
        yield "rate"
    if _varies(path.get("aggregation")):
        yield "aggregation"
    if any(_varies(path.get(name)) for name in ("jitter", "reverse_jitter")):
        yield "jitter"


def _by_hosts(resolved: Document) -> Iterator[str]:
    stack = resolved.get("stack") or {}
    least, most = stack.get("interrupt_min"), stack.get("interrupt_max")
    if least != most:
        yield "interrupts"
    if any(flow.get("jitter", "0s") != "0s" for flow in resolved.get("flows") or []):
        yield "openings"
    for web in resolved.get("web") or []:
        several = web["clients"] > 1 or web["servers"] > 1
        if several or any(_varies(web.get(name)) for name in WEB_LAWS):
            yield "web sessions"


def _is_chance(probability: object) -> bool:
    """Whether it is neither never nor always."""
    return probability is not None and str(probability) not in ("0", "1", "100%")


def _varies(law: object) -> bool:
    """Whether a distribution has more than one value; a bare value is a constant."""
    return isinstance(law, str) and ":" in law and _name(law) != "constant"


def _name(spec: str) -> str:
    return spec.partition(":")[0].strip()
