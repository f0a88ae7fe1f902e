"""What is compared on a path, from options by name: of the command line, or of the explorer.

`given` has what was given of `flowstart compare`'s options, by name with `_` for `-`: text as
people write it, whole numbers, truth values, and lists where an option may be given several times.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from flowstart import _native
from flowstart.comparison.plan import DEFAULT_SIZES, Plan
from flowstart.errors import RequestError
from flowstart.model.custom import CustomStartups
from flowstart.model.document import encode
from flowstart.model.path import NetworkPath, fields_of, named_paths
from flowstart.model.variants import Variant


def refuse_what_does_nothing(
    given: Mapping[str, Any],
    startups: Sequence[str],
    custom: CustomStartups,
    stack: Mapping[str, Any] | None,
) -> None:
    """Refuses an option that is `given` and changes nothing under these startups."""
    found = {name: value for name, value in given.items() if value is not None}
    _native.check_options(_text(found), list(startups), _text(stack or {}), custom.natives())


def plan_of(
    given: Mapping[str, Any],
    *,
    startups: Sequence[str] | None,
    variants: Sequence[Variant] = (),
    sizes: Sequence[str] | None,
) -> Plan:
    """What is compared; None for the usual startups and sizes.

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
    paths = {name: fields_of(name) for name in named_paths()} if "path" in given else {}
    found = _native.given_path(_text(given), encode(paths))
    return None if found is None else dict(json.loads(found))


def stack_of(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """The stack's fields that were given, those with separate options among them."""
    return dict(json.loads(_native.given_stack(_text(given)))) or None


def _text(given: Mapping[str, Any]) -> str:
    """Options as the simulator's text."""
    return json.dumps(given, default=str)
