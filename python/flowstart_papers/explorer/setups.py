"""What an experiment runs, as states of the explore view as far as these can say it."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from flowstart import _native, text
from flowstart.comparison.plan import Plan
from flowstart.errors import RequestError
from flowstart.explorer.maps.swept import options
from flowstart.model import scenario as scenarios
from flowstart.model import stack as stacks
from flowstart.model.catalog import listed
from flowstart.model.document import Document
from flowstart.model.path import NetworkPath, interface_fields
from flowstart.model.quantities import read_seconds
from flowstart.model.scenario import ScenarioLike
from flowstart.questions.compare import Compare
from flowstart_papers.explorer import scenario_file

MOST = 24
"""So many set-ups are listed; an experiment may have thousands."""
SAYABLE = {"startup", "cc", "size", "count", "stagger", "cached_cwnd", "interface_rate"}
"""Fields of a flow that a state can say, or that change nothing for most startups."""


class Setups:
    """The set-ups that an experiment was seen to run; startups on the same one stand together."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[Document, dict[str, None]]] = {}

    def note(self, likes: Iterable[ScenarioLike]) -> None:
        """Takes in scenarios."""
        for like in likes:
            document = dict(scenarios.document(like))
            flows = [dict(flow) for flow in document.get("flows", [])]
            own = str(flows[0].pop("startup", "slow-start")) if len(flows) == 1 else ""
            # Seeds of the same set-up are not told apart.
            key = json.dumps(document | {"flows": flows, "seed": 0}, sort_keys=True)
            _, startups = self._found.setdefault(key, (document | {"flows": flows}, {}))
            startups[own] = None

    def result(self) -> dict[str, Any]:
        """The first of them as JSON, and how many there are."""
        first = list(self._found.values())[:MOST]
        return {
            "setups": [_told(document, [s for s in names if s]) for document, names in first],
            "total_setups": len(self._found),
        }


def _told(document: Document, startups: list[str]) -> dict[str, Any]:
    """A set-up in words, with the state that opens it, or why none does."""
    given, why, until_s = None, None, None
    try:
        given, until_s = state(document, startups)
    except RequestError as error:
        why = str(error)
    whole = dict(document)
    if len(startups) == 1:
        whole["flows"] = [dict(document["flows"][0]) | {"startup": startups[0]}]
    return {
        "words": words(document),
        "startups": startups,
        "given": given,
        "until_s": until_s,
        "note": None if given is None or until_s is None else _note(given, until_s),
        "why": why,
        "scenario": scenario_file.written(whole),
    }


def state(
    document: Document, startups: list[str]
) -> tuple[dict[str, str | list[str]], float | None]:
    """The state that runs the same as a scenario under these startups, and until when.

    The second is None where it is the same to its end, else seconds.

    Raises RequestError, whose text says what the scenario is, where no state runs the same.
    """
    path, flow = _lone(document)
    size, until_s = flow.get("size"), None
    if size is None:
        size, until_s = _until(path, document)
    needs = {need for name in startups if (entry := listed(name)) for need in entry.needs}
    if "cache" in needs and "cached_cwnd" not in flow:
        raise RequestError(
            "Its startup has nothing to remember, and the explore view gives it a memory."
        )
    if "interface" in needs and flow.get("interface_rate") != interface_fields(path).get(
        "interface_rate"
    ):
        raise RequestError(
            "Its startup reads the rate of an interface that the explore view does not have."
        )
    question = Compare(
        NetworkPath(**path),
        startups=startups,
        sizes=[size],
        flows=flow.get("count"),
        stagger=flow.get("stagger"),
        cc=flow.get("cc"),
        stack=document.get("stack"),
        cached_cwnd=flow.get("cached_cwnd") if "cache" in needs else None,
        seed=document.get("seed"),
    )
    command = Plan.of(question).command
    if command is None:
        raise RequestError("No option of flowstart compare has this setting.")
    return options(command), until_s


def _lone(document: Document) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The path and the flow of a scenario that has one bottleneck and one kind of flow."""
    path, flows = dict(document.get("path", {})), document.get("flows", [])
    if document.get("web"):
        raise RequestError("It has web sessions, and the explore view sends files.")
    if len(flows) != 1:
        raise RequestError(f"It has {len(flows)} kinds of flows, and the explore view has one.")
    if "hops" in path:
        raise RequestError(
            f"Its path is written link by link ({len(path['hops'])}), and the explore view has one "
            "bottleneck."
        )
    others = sorted(flows[0].keys() - SAYABLE)
    if others:
        raise RequestError(f"Its flow has `{others[0]}`, which only a scenario can say.")
    others = sorted(document.keys() - {"path", "stack", "flows", "seed", "duration", "trace"})
    if others:
        raise RequestError(f"It has `{others[0]}`, which only a scenario can say.")
    return path, flows[0]


def _until(path: Mapping[str, Any], document: Document) -> tuple[str, float]:
    """A size that a flow without end cannot have sent when it is last watched, and that second."""
    seconds, rate = read_seconds(document.get("duration")), str(path.get("rate", ""))
    if seconds is None or not rate:
        raise RequestError("Its flow has no end.")
    return f"{math.ceil(_native.rate_bps(rate) * seconds / 8e6)}MB", seconds


def _note(given: Mapping[str, Any], until_s: float) -> str:
    return (
        f"The flow of the figure has no end and is watched for {until_s:g} s; until then one of "
        f"{given['size']} does the same."
    )


def words(document: Document) -> str:
    """A set-up in a line: its path and what crosses it."""
    path = document.get("path", {})
    hops = path.get("hops")
    rate = (
        f"{len(hops)} link{'s' * (len(hops) > 1)}"
        if hops
        else str(path.get("rate", "a rate that varies"))
    )
    parts = [
        " × ".join(filter(None, [rate, path.get("rtt")])),
        f"buffer {path['buffer']}" if "buffer" in path else "",
        str(path.get("queue", "")),
        *(_of(flow) for flow in document.get("flows", [])[:3]),
        "web sessions" if document.get("web") else "",
        stacks.written(document.get("stack")) or "",
    ]
    return ", ".join(filter(None, parts))


def _of(flow: Mapping[str, Any]) -> str:
    count = flow.get("count", 1)
    size = str(flow.get("size", "no end" if "writes" not in flow else "several writes"))
    words = f"{text.count(count)} × {size}" if count != 1 else size
    return f"{words} under {flow['cc']}" if "cc" in flow else words
