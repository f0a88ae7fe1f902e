"""What is compared on a path, from options by name: of the command line, or of the explorer.

`given` has what was given of `flowstart compare`'s options, by name with `_` for `-`: text as
people write it, whole numbers, truth values, and lists where an option may be given several times.
"""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flowstart import _native
from flowstart.comparison.plan import DEFAULT_SIZES, Plan
from flowstart.errors import RequestError
from flowstart.model import definitions
from flowstart.model import stack as stacks
from flowstart.model.catalog import listed
from flowstart.model.custom import CustomStartups
from flowstart.model.path import NetworkPath, named_fields, replaced
from flowstart.model.startup import hooks
from flowstart.model.variants import Variant

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
    def requests(self) -> int:
        return int(self.given.get("requests") or 1)

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
    _Option("flows", lambda a: a.requests == 1, "the requests have one connection; leave it out"),
    _Option("idle", lambda a: a.requests > 1, "a connection has one transfer; give `requests`"),
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
            raise RequestError(f"`{value}` changes nothing: {option.otherwise}", (option.name,))


def plan_of(
    given: Mapping[str, Any],
    *,
    startups: Sequence[str] | None,
    variants: Sequence[Variant] = (),
    sizes: Sequence[str] | None,
) -> Plan:
    """What is compared; None stands for the usual startups and sizes.

    Raises RequestError where an option is wrong, contradicts another or would change nothing.
    """
    fields = path_of(given)
    if fields is None:
        raise RequestError(
            "no path is given: name its --rate and --rtt, a --path NAME or a scenario file; "
            "`flowstart replay FILE` takes a capture's"
        )
    stack = stack_of(given)
    plan = Plan.of_path(
        NetworkPath(**fields),
        startups=startups,
        variants=variants,
        baseline=given.get("baseline"),
        sizes=sizes or DEFAULT_SIZES,
        flows=given.get("flows"),
        stagger=given.get("stagger"),
        requests=given.get("requests"),
        idle=given.get("idle"),
        cc=given.get("cc"),
        stack=stack,
        cached_cwnd=given.get("cached_cwnd"),
        landing=given.get("landing"),
        available_rate=given.get("available_rate"),
        seed=given.get("seed"),
        repeat=given.get("repeat", 1),
    )
    refuse_what_does_nothing(given, plan.begins, plan.custom, stack)
    return plan


def path_of(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields of the path that was described; None where nothing of one was given."""
    names = [field.name for field in dataclasses.fields(NetworkPath)]
    fields = {name: given[name] for name in names if name in given}
    if not fields and "path" not in given:
        return None
    if "quick_start" in fields:
        fields["quick_start"] = dict(_native.quick_start(fields["quick_start"]))
    if "rate_steps" in fields:
        fields["rate_steps"] = json.loads(_native.rate_steps(fields["rate_steps"]))
    return replaced(named_fields(given["path"]) if "path" in given else {}, fields)


def stack_of(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """The stack's fields that were given, those with options of their own as well."""
    fields = stacks.parse(given["stack"]) if "stack" in given else {}
    for name in (name for name in own_options() if name in given):
        if name in fields:
            raise RequestError(
                f"--{name} and --stack {given['stack']}: both set {name}; leave one out"
            )
        fields[name] = given[name]
    return fields or None


def own_options() -> list[str]:
    """The fields of a stack that have options of their own; `--stack` takes them all."""
    return [
        field.name for field in definitions.parts()["Endpoint"].fields if field.flag is not None
    ]
