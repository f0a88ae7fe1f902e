"""Where each startup does worst, in words, with what repeats it."""

import json
import math
import os
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowstart import text
from flowstart.comparison.plan import REMEMBERED, Plan
from flowstart.errors import RequestError
from flowstart.maps.measures import Regrets
from flowstart.maps.outcomes import Outcomes
from flowstart.maps.reading import scan, variants
from flowstart.model.catalog import listed
from flowstart.model.document import Document, resolve
from flowstart.model.path import NetworkPath, interface_fields
from flowstart.model.perturbation import drawn
from flowstart.model.variants import Variant
from flowstart.questions.compare import Compare

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
    scenario = shortened(scenario)
    flow = _alone(scenario)
    if flow is None:
        return None
    needs = {need for entry in entries if entry for need in entry.needs}
    unused = set() if "routers" in needs else {"quick_start"}
    path = {name: value for name, value in scenario["path"].items() if name not in unused}
    plan = Plan.of(
        Compare(
            NetworkPath(**path),
            startups=startups,
            sizes=[flow["size"]],
            flows=flow.get("count"),
            stagger=flow.get("stagger"),
            cc=flow.get("cc"),
            stack=scenario.get("stack"),
            cached_cwnd=_cached_cwnd(flow, needs, scenario),
            seed=scenario.get("seed"),
        )
    )
    # Means over seeds would not be this cell.
    is_drawn = drawn(resolve(plan.scenario(plan.cases()[0])))
    return f"{plan.command} --no-uncertainty" if is_drawn else plan.command


def _cached_cwnd(flow: Mapping[str, Any], needs: Collection[str], scenario: Document) -> str | None:
    """What the command has to say of the memory: nothing where it is the usual one, or unused."""
    cached_cwnd: str | None = flow.get("cached_cwnd")
    is_used = "cache" in needs or bool(scenario.get("stack", {}).keys() & MEMORY)
    return cached_cwnd if is_used and cached_cwnd != REMEMBERED else None


def _alone(scenario: Document) -> dict[str, Any] | None:
    """The flow of a scenario that has nothing else; None where there is more."""
    if scenario.keys() - {"path", "stack", "flows", "seed"} or len(scenario["flows"]) != 1:
        return None
    told = interface_fields(scenario["path"])
    flow = {name: value for name, value in scenario["flows"][0].items() if told.get(name) != value}
    return None if flow.keys() - {*ASKED} or "size" not in flow else flow


def shortened(scenario: Document) -> Document:
    """A scenario without the fields that are the same unasked."""
    document = dict(scenario)
    for name in list(document):
        document = _without(document, document, name)
    for part in ("path", "stack"):
        document[part] = dict(document.get(part, {}))
        for name in list(document[part]):
            document = _without(document, document[part], name, part)
    flows = [dict(flow) for flow in document.get("flows", [])]
    document["flows"] = flows
    for index, flow in enumerate(flows):
        for name in list(flow):
            shorter = {key: value for key, value in flow.items() if key != name}
            others = [*flows[:index], shorter, *flows[index + 1 :]]
            if _same(document, document | {"flows": others}):
                flows[index] = flow = shorter
    return document


def _without(document: Document, holder: Document, name: str, part: str = "") -> Document:
    """The document without a field of a part, if that means the same."""
    shorter = {key: value for key, value in holder.items() if key != name}
    other = document | {part: shorter} if part else shorter
    return other if _same(document, other) else document


def _same(document: Document, other: Document) -> bool:
    try:
        return _resolved(document) == _resolved(other)
    except RequestError:
        return False  # a field that has to be there


def _resolved(document: Document) -> Document:
    flows = [{"startup": _ANY} | flow for flow in document.get("flows", [])]
    return resolve(document | {"flows": flows})


@dataclass(frozen=True)
class WorstCell:
    """The cell of a startup's largest regret."""

    startup: str
    cell: int
    regret: float | None
    """None where the transfer was never completed."""
    best: str
    """The startup that was best there."""
    where: str
    """The cell in words."""
    compared: str
    """The two as options of `flowstart compare`."""
    command: str | None
    """What compares the two there; None where it takes the scenario's file."""
    scenario: Document
    """The cell's scenario, in which the flow under test names no startup."""


def worst_cells(
    folder: str | os.PathLike[str], outcomes: Outcomes, regrets: Regrets
) -> list[WorstCell]:
    """Those of all startups."""
    indices = [int(index) for index in regrets.worst_cell]
    rows = [outcomes.cells.row(index, named=True) for index in indices]
    scenarios = _scenarios(folder, {row["cell"] for row in rows})
    known = variants(folder)
    worst_cells = []
    for name, index, row, regret in zip(
        outcomes.startups, indices, rows, regrets.worst, strict=True
    ):
        best = outcomes.startups[int(outcomes.times[index].argmin())]
        scenario = scenarios[row["cell"]]
        names = list(dict.fromkeys([name, best]))
        worst_cells.append(
            WorstCell(
                startup=name,
                cell=row["cell"],
                regret=float(regret) if math.isfinite(regret) else None,
                best=best,
                where=in_words(row, path=scenario["path"]),
                compared=options(names, known),
                command=None if known.keys() & names else command(scenario, names),
                scenario=scenario,
            )
        )
    return worst_cells


def _scenarios(folder: str | os.PathLike[str], cells: set[int]) -> dict[int, Document]:
    import polars as pl

    rows = (
        scan(folder)
        .filter(pl.col("cell").is_in(list(cells)))
        .select("cell", "scenario")
        .unique("cell", keep="any")
        .collect()
    )
    return {cell: json.loads(scenario) for cell, scenario in rows.iter_rows()}


def in_words(cell: dict[str, Any], *, brief: bool = False, path: Document | None = None) -> str:
    """A cell's path, size and competing flows in words; brief for a table.

    With the path of its scenario, further fields have their values.
    """
    rate = "varying rate" if cell["rate_bps"] is None else text.rate(cell["rate_bps"])
    loss = f"loss {100 * cell['loss']:.3g} %" if cell["loss"] else ""
    competing = "" if cell["competing"] == "alone" else f"competing {cell['competing']}"
    parts = [
        cell["origin"],
        f"{rate} × {text.brief(text.seconds(cell['rtt_s']))}",
        _buffer(cell["buffer_pkts"], cell["buffer_bdp"], brief=brief),
        "" if brief and cell["queue"] == "drop-tail" else cell["queue"],
        loss,
        _reverse(cell),
        _impairments(cell["impairments"], path or {}),
        text.size(cell["size_bytes"]),
        competing,
    ]
    return ", ".join(filter(None, parts))


def _impairments(names: str, path: Document) -> str:
    """Further fields of a path, with those of their values that are not tables."""
    values = {name: value for name, value in path.items() if not isinstance(value, list | dict)}
    words = [f"{name} {values[name]}" if name in values else name for name in names.split("+")]
    return ", ".join(words) if values else names


def _reverse(cell: dict[str, Any]) -> str:
    """The rate of the way back, where it is another."""
    reverse = cell["reverse_rate_bps"]
    is_other = reverse is not None and reverse != cell["rate_bps"]
    return f"back {text.rate(reverse)}" if is_other else ""


def _buffer(packets: int | None, bdp: float | None, *, brief: bool) -> str:
    if packets is None:
        return "buffer without limit"
    if brief:
        return f"{text.count(packets)} pkt"
    return f"buffer {text.count(packets)} pkt" + (f" ({text.ratio(bdp)} BDP)" if bdp else "")
