"""What is compared on a path, from options by name: of the command line, or of the explorer.

`given` has what was given of `flowstart compare`'s options, by name with `_` for `-`: text as
people write it, whole numbers, truth values, and lists where an option may be given several times.
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from flowstart import _native
from flowstart.comparison.plan import DEFAULT_SIZES, Plan
from flowstart.errors import RequestError
from flowstart.model import definitions
from flowstart.model import stack as stacks
from flowstart.model.custom import CustomStartups
from flowstart.model.path import NetworkPath, named_fields, replaced
from flowstart.model.variants import Variant

_OPTIONS = ("stagger", "flows", "requests", "idle", "hosts", "cached_cwnd", "quick_start")
"""Options that change nothing without others, or under some startups; `requests` is one of those
others."""


def refuse_what_does_nothing(
    given: Mapping[str, Any],
    startups: Sequence[str],
    custom: CustomStartups,
    stack: Mapping[str, Any] | None,
) -> None:
    """Refuses an option that is `given` and changes nothing under these startups."""
    found = {name: given[name] for name in _OPTIONS if given.get(name) is not None}
    texts = [json.dumps(fields, default=str) for fields in (found, stack or {})]
    _native.check_options(texts[0], list(startups), texts[1], custom.natives())


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
        repeat=given.get("repeat"),
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
