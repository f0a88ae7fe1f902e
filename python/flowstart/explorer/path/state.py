"""What a page asks to compare: from the JSON that it sent to a plan."""

import json
from typing import Any

from flowstart._native import split
from flowstart.comparison import request
from flowstart.comparison.plan import Plan
from flowstart.errors import RequestError
from flowstart.explorer.settings import Settings

USUAL_SIZE = "1MB"
"""What is transferred where no size is given."""


def plan(given: object, settings: Settings) -> Plan:
    """What is compared; `given` is the page's state by flag, of any type.

    Raises RequestError, whose text calls options as the command line does.
    """
    fields = typed(given, settings)
    size = fields.get("size", USUAL_SIZE)
    try:
        return request.plan_of(fields, startups=fields.get("startup"), sizes=split(size) or [size])
    except RequestError as error:
        raise error.in_options() from None


def checked(given: object, settings: Settings) -> Plan:
    """The same; raises RequestError also where the runs are more than an answer may cost."""
    found = plan(given, settings)
    settings.native.check(json.dumps(given), found.custom.natives())
    return found


def typed(given: object, settings: Settings) -> dict[str, Any]:
    """The state by option, with values of the types that options have."""
    found: dict[str, Any] = json.loads(settings.native.typed(json.dumps(given)))
    return found
