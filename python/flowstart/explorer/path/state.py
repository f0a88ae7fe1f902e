"""What a page asks to compare: from the JSON that it sent to a plan."""

import json
from collections.abc import Mapping
from typing import Any

from flowstart.comparison import request
from flowstart.comparison.plan import Plan
from flowstart.errors import RequestError
from flowstart.explorer.settings import Settings
from flowstart.model import custom, specs

USUAL_SIZE = "1MB"
"""What is transferred where no size is given."""
MOST_STARTUPS = 64


def plan(given: object, settings: Settings) -> Plan:
    """What is compared; `given` is the page's state by flag, of any type.

    Raises RequestError, whose text calls options as the command line does.
    """
    fields = typed(given, settings)
    try:
        return _plan(fields, settings)
    except RequestError as error:
        raise error.in_options() from None


def checked(given: object, settings: Settings) -> Plan:
    """The same; raises RequestError also where the runs are more than an answer may cost."""
    found = plan(given, settings)
    settings.native.check(json.dumps(given), found.custom.natives())
    return found


def _plan(fields: Mapping[str, Any], settings: Settings) -> Plan:
    if request.path_of(fields) is None:
        raise RequestError("no path is given: a rate and an rtt are needed, or a path's name")
    sizes = specs.split(fields.get("size", USUAL_SIZE))
    if len(sizes) != 1:
        raise RequestError(
            f"--size: `{fields['size']}` is {len(sizes)} sizes; the explorer shows one, such as 1MB"
        )
    return request.plan_of(fields, startups=startups(fields, settings), sizes=sizes)


def startups(fields: Mapping[str, Any], settings: Settings) -> list[str] | None:
    """The startups that are compared; None where none is named."""
    if "startup" not in fields:
        return None
    found = [piece for text in fields["startup"] for piece in specs.split(text)]
    if len(found) > MOST_STARTUPS:
        raise RequestError(f"--startup: {len(found)} are too many; at most {MOST_STARTUPS} are")
    for name in found:
        if custom.is_in_a_file(name) and name not in settings.custom:
            raise RequestError(
                f"--startup: `{name}` is Python code; the explorer runs only what its command "
                "line names, as in `flowstart explore --startup FILE.py:CLASS`"
            )
    return found


def typed(given: object, settings: Settings) -> dict[str, Any]:
    """The state by option, with values of the types that options have."""
    found: dict[str, Any] = json.loads(settings.native.typed(json.dumps(given)))
    return found
