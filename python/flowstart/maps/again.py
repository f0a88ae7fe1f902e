"""The command that repeats a cell of a sweep."""

import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from flowstart.comparison.plan import REMEMBERED, Plan
from flowstart.errors import RequestError
from flowstart.model import stack as stacks
from flowstart.model.catalog import listed
from flowstart.model.document import Document, resolve
from flowstart.model.path import NetworkPath, told_interface
from flowstart.model.variants import Variant

ASKED = ("cc", "size", "cached_cwnd", "count", "stagger")
"""Fields of a flow that a command can give."""
MEMORY = {"sharing", "handshake"}
"""Fields of a stack that may have it use a memory itself."""
_ANY = "slow-start"
"""Stands in a flow that names no startup while defaults are filled in."""


def command(scenario: Document, startups: Sequence[str]) -> str | None:
    """The command that compares startups in a cell; None where only its scenario can.

    That is so for a cell with competing flows, for startups that are not in the catalog, and where
    another version has written the scenario, with fields that are not known.
    """
    try:
        return _command(scenario, startups)
    except RequestError:
        return None


def from_file(file: str, compared: str) -> str:
    """The command that compares startups in a scenario's file; they are options of it."""
    return f"flowstart compare {shlex.quote(file)} {compared}"


def options(names: Sequence[str], known: Mapping[str, Variant]) -> str:
    """Startups as options of `flowstart compare`; those that are `known` are more than that."""
    startups = [name for name in names if name not in known]
    words = ["--startup", ",".join(startups)] if startups else []
    for name in names:
        words += ["--variant", known[name].written] if name in known else []
    return shlex.join(words)


def _command(scenario: Document, startups: Sequence[str]) -> str | None:
    entries = [listed(name) for name in startups]
    if not all(entries):
        return None
    asked = shortened(scenario)
    flow = _alone(asked)
    if flow is None:
        return None
    needs = {need for entry in entries if entry for need in entry.needs}
    unused = set() if "routers" in needs else {"quick_start"}
    path = {name: value for name, value in asked["path"].items() if name not in unused}
    return Plan.of_path(
        NetworkPath(**path),
        startups=startups,
        sizes=[flow["size"]],
        flows=flow.get("count"),
        stagger=flow.get("stagger"),
        cc=flow.get("cc"),
        stack=stacks.of_scenario(asked.get("stack")),
        cached_cwnd=_cached_cwnd(flow, needs, asked),
        seed=asked.get("seed"),
    ).command


def _cached_cwnd(flow: Mapping[str, Any], needs: Collection[str], asked: Document) -> str | None:
    """What the command has to say of the memory: nothing where it is the usual one, or unused."""
    cached_cwnd: str | None = flow.get("cached_cwnd")
    is_used = "cache" in needs or bool(asked.get("stack", {}).keys() & MEMORY)
    return cached_cwnd if is_used and cached_cwnd != REMEMBERED else None


def _alone(asked: Document) -> dict[str, Any] | None:
    """The flow of a scenario that has nothing else; None where there is more."""
    if asked.keys() - {"path", "stack", "flows", "seed"} or len(asked["flows"]) != 1:
        return None
    told = told_interface(asked["path"])
    flow = {name: value for name, value in asked["flows"][0].items() if told.get(name) != value}
    return None if flow.keys() - {*ASKED} or "size" not in flow else flow


def shortened(scenario: Document) -> Document:
    """A scenario without the fields that are the same unasked."""
    found = dict(scenario)
    for name in list(found):
        found = _without(found, found, name)
    for part in ("path", "stack"):
        found[part] = dict(found.get(part, {}))
        for name in list(found[part]):
            found = _without(found, found[part], name, part)
    flows = [dict(flow) for flow in found.get("flows", [])]
    found["flows"] = flows
    for place, flow in enumerate(flows):
        for name in list(flow):
            shorter = {key: value for key, value in flow.items() if key != name}
            if _same(found, found | {"flows": [*flows[:place], shorter, *flows[place + 1 :]]}):
                flows[place] = flow = shorter
    return found


def _without(found: Document, holder: Document, name: str, part: str = "") -> Document:
    """The document without a field of a part, if that means the same."""
    shorter = {key: value for key, value in holder.items() if key != name}
    other = found | {part: shorter} if part else shorter
    return other if _same(found, other) else found


def _same(one: Document, other: Document) -> bool:
    try:
        return _resolved(one) == _resolved(other)
    except RequestError:
        return False  # a field that has to be there


def _resolved(document: Document) -> Document:
    flows = [{"startup": _ANY} | flow for flow in document.get("flows", [])]
    return resolve(document | {"flows": flows})
