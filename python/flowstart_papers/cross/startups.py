"""The rows of the cross-table: every startup of the catalog, with what it needs given."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from flowstart.model import catalog

SLOW_START = "slow-start"
REMEMBERED = "1bdp"
"""What those with a memory remember: the right window for an idle path."""
MEMORY, ROUTERS, PEER, INTERFACE = "cache", "routers", "peer", "interface"
MARKS = {ROUTERS: "R", PEER: "P", MEMORY: "M", INTERFACE: "I"}
"""Behind the names of startups that are given something, by the catalog's word for the need."""
IN_WORDS = {
    ROUTERS: "routers on the path that take part",
    PEER: "a peer that answers in an option",
    MEMORY: f"a memory of {REMEMBERED}, the right window for the path when it is idle",
    INTERFACE: "the rate of its host's interface",
}

SPECS = {"fast-start": "fast-start:paced=true"}
"""Those that are run with parameters: Fast Start paced, as its paper has it."""
VARIANTS = {"qs-app, paced": "qs-app:paced=true"}
"""What the slides compare and the catalog has as a parameter."""

HOMES = {
    "quick-start": "quick-start-low-latency",
    "modified-swift-start": "modified-swift-start",
    "qs-app": "slow-start-high-speed",
    "qs-app, paced": "slow-start-high-speed",
    "jump-start": "jump-start",
    "hystart": "hystart",
}
"""The paper that proposes a startup, where it is one of the five."""


@dataclass(frozen=True)
class StartUp:
    """A row."""

    name: str
    spec: str
    """The startup as a flow names it."""
    needs: tuple[str, ...]
    """What it is given that no sender has by itself, in the catalog's words."""
    cached_cwnd: str = REMEMBERED
    """Where it has a memory."""

    @property
    def helped(self) -> bool:
        """Whether it is given something."""
        return bool(self.needs)

    @property
    def label(self) -> str:
        """Its name with the marks of what it is given."""
        return " ".join(filter(None, [self.name, "".join(MARKS[need] for need in self.needs)]))

    @property
    def home(self) -> str:
        """The paper that proposes it; empty where none of the five does."""
        return HOMES.get(self.name, "")

    def tuned(self, tuning: Mapping[str, str], own: Mapping[str, str]) -> str:
        """With a scenario's parameters: `own` by name, else `tuning` as far as it has them."""
        if self.name in own:
            return own[self.name]
        name, _, given = self.spec.partition(":")
        known = {param.name for param in catalog.get_algorithm(name, "startup").params}
        fields = [f"{field}={value}" for field, value in tuning.items() if field in known]
        return f"{name}:{','.join(filter(None, [given, *fields]))}".rstrip(":")


@functools.cache
def every() -> tuple[StartUp, ...]:
    """All rows, in the catalog's order, slow start first."""
    rows: list[StartUp] = []
    for entry in catalog.list_algorithms("startup"):
        needs = tuple(need for need in MARKS if need in entry.needs)
        rows.append(StartUp(entry.name, SPECS.get(entry.name, entry.name), needs))
        rows += [
            StartUp(name, spec, needs)
            for name, spec in VARIANTS.items()
            if spec.partition(":")[0] == entry.name
        ]
    return tuple(rows)


def named(name: str) -> StartUp:
    """The row of this name."""
    return next(each for each in every() if each.name == name)
