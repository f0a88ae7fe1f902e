"""What is compared, from the fields of a question, or from options of a command line or a page.

`given` has options by the name of the field that they set.
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from flowstart import _native
from flowstart.comparison.plan import Plan
from flowstart.errors import RequestError
from flowstart.model import definitions, specs
from flowstart.model import stack as stacks
from flowstart.model.custom import CustomStartups
from flowstart.model.path import NetworkPath, named_fields, replaced
from flowstart.questions.compare import Compare
from flowstart.questions.option import of

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


def plan(question: Compare) -> Plan:
    """What is compared; None stands for the usual startups and sizes.

    Raises RequestError where a field is wrong, contradicts another or would change nothing.
    """
    found = Plan.of(question)
    if isinstance(path := question.setting, NetworkPath):
        given = {
            name: specs.of_path(name, getattr(question, name, getattr(path, name, None)))
            for name in _OPTIONS
        }
        stack = found.base.get("stack")
        refuse_what_does_nothing(given, found.begins, found.custom, stack)
    return found


def question_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of `fs.compare` for options of a path, endpoints and traffic.

    Raises RequestError where no path is given, or two options contradict each other.
    """
    fields = path_of(given)
    if fields is None:
        raise RequestError(
            "no path is given: name its --rate and --rtt, a --path NAME or a scenario file; "
            "`flowstart replay FILE` takes a capture's"
        )
    keywords = {each.name: given[each.name] for each in of(Compare) if each.name in given}
    return keywords | {"setting": NetworkPath(**fields), "stack": stack_of(given)}


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
