"""Repeats of a scenario that nobody could tell from it, for answers that hang on a coincidence.

Whether one more packet fits into a queue, or whether an acknowledgement comes just before or just
after a threshold, can decide what a startup does. Repeat number k of a scenario might as well
have been meant: its round trips and delays are up to 1 % shorter or longer, its flows and sessions
begin up to a millisecond later, and what is random has another seed. Repeat 0 is the scenario.
"""

import random
from collections.abc import Mapping
from typing import Any

from flowstart import _native
from flowstart.model import quantities
from flowstart.model.document import LARGEST, Document, encode

DELAY_SHARE = 0.01
"""By how much of itself a delay differs at most: what a round trip is known to, at best."""
START_SPREAD = 0.001
"""By how many seconds a beginning is later at most."""
SEEDS_APART = 1_000_003
"""What lies between the seeds of two repeats, so that they meet none that is asked for."""


def perturbed(document: Document, number: int) -> Document:
    """Repeat `number` of a scenario; the scenario itself for 0.

    The same for every startup: what differs depends on the number alone. A value that is not
    understood stays as it is, for the simulator to refuse.
    """
    if number == 0:
        return document
    drawn = random.Random(number)
    factor = 1 + DELAY_SHARE * drawn.uniform(-1, 1)
    found = dict(document)
    if isinstance(document.get("path"), Mapping):
        found["path"] = _path(document["path"], factor)
    for kind in ("flows", "web"):
        entries = document.get(kind)
        if isinstance(entries, list):
            found[kind] = [_later(entry, drawn, factor) for entry in entries]
    seed = document.get("seed", 1)
    if isinstance(seed, int):
        found["seed"] = (seed + number * SEEDS_APART) % (LARGEST + 1)
    return found


def _path(path: Mapping[str, Any], factor: float) -> dict[str, Any]:
    """A path whose delays are longer by a factor; its buffers in BDPs follow its round trip."""
    found = dict(path)
    for name in ("rtt", "access_delay"):
        if name in path:
            found[name] = _times(path[name], factor)
    hops = path.get("hops")
    if isinstance(hops, list):
        found["hops"] = [
            dict(hop) | {"delay": _times(hop["delay"], factor)}
            if isinstance(hop, Mapping) and "delay" in hop
            else hop
            for hop in hops
        ]
    return found


def _later(entry: Any, drawn: random.Random, factor: float) -> Any:
    """A flow or a web session that begins a little later."""
    later = drawn.uniform(0, START_SPREAD)
    if not isinstance(entry, Mapping):
        return entry
    found = dict(entry)
    begin = quantities.read_seconds(entry.get("start", "0s"))
    if begin is not None and not _waits(entry):
        found["start"] = quantities.seconds(begin + later)
    if "rtt" in entry:
        found["rtt"] = _times(entry["rtt"], factor)
    return found


def _waits(entry: Mapping[str, Any]) -> bool:
    """Whether a flow opens with an event of another flow."""
    writes = entry.get("writes")
    first = writes[0] if isinstance(writes, list) and writes else None
    return "start_after" in entry or (isinstance(first, Mapping) and "after" in first)


def _times(value: object, factor: float) -> object:
    seconds = quantities.read_seconds(value)
    return value if seconds is None else quantities.seconds(seconds * factor)


def drawn(resolved: Document) -> list[str]:
    """What is drawn, in words, from a scenario with every default filled in."""
    return _native.drawn(encode(resolved))
