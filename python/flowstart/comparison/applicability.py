"""Which options of a path and its flows mean something beside which others, in one table.

An option that would change nothing is refused by name, because whoever gives it expects
something of it. What nobody gave is not looked at. (The simulator does the same for fields that
depend on fields; these depend on the startups and flows of a comparison.)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowstart.errors import RequestError
from flowstart.model.catalog import listed
from flowstart.model.custom import CustomStartups
from flowstart.model.startup import hooks

ASKERS = ("quick-start",)
"""Startups of the catalog that ask routers for a rate on their SYN."""

REMEMBERING = {"sharing": ("temporal", "ensemble"), "handshake": ("0-rtt",)}
"""Fields of a stack, and their values under which it uses a memory itself."""


@dataclass(frozen=True)
class _Asked:
    """What is asked for, as far as the meaning of an option depends on it."""

    given: Mapping[str, Any]
    startups: Sequence[str]
    custom: CustomStartups
    stack: Mapping[str, Any]

    @property
    def flows(self) -> int:
        return int(self.given.get("flows") or 1)

    def hosts_are_used(self) -> bool:
        return bool(self.given["hosts"] <= self.flows)

    def memory_is_used(self) -> bool:
        if any(self.stack.get(field) in values for field, values in REMEMBERING.items()):
            return True
        entries = map(listed, self.startups)
        return any(e and "cache" in e.needs for e in entries) or self._some_have("on_known")

    def some_ask_routers(self) -> bool:
        entries = map(listed, self.startups)
        return any(e and e.name in ASKERS for e in entries) or self._some_have("rate_request")

    def _some_have(self, hook: str) -> bool:
        """Whether one that is not in the catalog has the hook."""
        own = [self.custom.known[name] for name in self.startups if name in self.custom.known]
        return any(hook in hooks(type(startup)) for startup in own)


@dataclass(frozen=True)
class _Option:
    name: str
    applies: Callable[[_Asked], bool]
    otherwise: str
    """Why it changes nothing then, and what would be right."""


_OPTIONS = (
    _Option("stagger", lambda a: a.flows > 1, "one flow has no other to wait for; give `flows`"),
    _Option(
        "hosts",
        _Asked.hosts_are_used,
        "a flow uses one pair of hosts; give as many flows as hosts, or more",
    ),
    _Option(
        "cached_cwnd",
        _Asked.memory_is_used,
        "no startup here uses a memory; add one that does, such as careful-resume",
    ),
    _Option(
        "quick_start",
        _Asked.some_ask_routers,
        f"no startup here uses rate requests; add {', '.join(ASKERS)}",
    ),
)


def refuse_what_does_nothing(
    given: Mapping[str, Any],
    startups: Sequence[str],
    custom: CustomStartups,
    stack: Mapping[str, Any] | None,
) -> None:
    """Refuses an option that is `given` and changes nothing under these startups."""
    asked = _Asked(given, startups, custom, stack or {})
    for option in _OPTIONS:
        value = given.get(option.name)
        if value is not None and not option.applies(asked):
            raise RequestError(f"{option.name}: `{value}` changes nothing: {option.otherwise}")
