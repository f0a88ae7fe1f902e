"""What is compared, from the fields of a question, or from options of a command line or a page.

`options` are by the name of the field that they set.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from flowstart import _native
from flowstart.comparison.plan import Plan
from flowstart.errors import RequestError
from flowstart.model.custom import CustomStartups
from flowstart.model.document import encode
from flowstart.model.path import NetworkPath, fields_of, named_paths
from flowstart.questions.compare import Compare
from flowstart.questions.option import of


def refuse_what_does_nothing(
    options: Mapping[str, Any],
    startups: Sequence[str],
    custom: CustomStartups,
    stack: Mapping[str, Any] | None,
) -> None:
    """Refuses an option that changes nothing under these startups."""
    _native.check_options(_text(options), list(startups), _text(stack or {}), custom.natives())


APPLICABLE = ("stagger", "flows", "requests", "idle", "hosts", "cached_cwnd", "quick_start")
"""Fields of a question and its path that change nothing without others, or under some startups."""


def plan(question: Compare) -> Plan:
    """What is compared; None for the usual startups and sizes.

    Raises RequestError where a field is wrong, contradicts another or would change nothing.
    """
    plan = Plan.of(question)
    if isinstance(path := question.setting, NetworkPath):
        options = {name: getattr(question, name, getattr(path, name, None)) for name in APPLICABLE}
        refuse_what_does_nothing(options, plan.begins, plan.custom, plan.base.get("stack"))
    return plan


def question_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of `fs.compare` for options of a path, endpoints and traffic.

    Raises RequestError where no path is given, or two options contradict each other.
    """
    fields = path_of(options)
    if fields is None:
        raise RequestError(
            "no path is given: name its --rate and --rtt, a --path NAME or a scenario file; "
            "`flowstart replay FILE` takes a capture's"
        )
    keywords = {each.name: options[each.name] for each in of(Compare) if each.name in options}
    return keywords | {"setting": NetworkPath(**fields), "stack": stack_of(options)}


def path_of(options: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields of the path that was described; None where nothing of one was given."""
    paths = {name: fields_of(name) for name in named_paths()} if "path" in options else {}
    text = _native.given_path(_text(options), encode(paths))
    return None if text is None else dict(json.loads(text))


def stack_of(options: Mapping[str, Any]) -> dict[str, Any] | None:
    """The stack's fields that were given, those with separate options among them."""
    return dict(json.loads(_native.given_stack(_text(options)))) or None


def _text(options: Mapping[str, Any]) -> str:
    """Options as the simulator's text."""
    return json.dumps(options, default=str)
