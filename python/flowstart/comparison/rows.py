"""The simulator's rows with their places in a comparison."""

from typing import TYPE_CHECKING, Any

from flowstart.comparison.plan import Case, Plan
from flowstart.simulation import frames

if TYPE_CHECKING:
    from flowstart._native import Outcomes

OBJECT_FIELDS = ("web", "session", "page", "object", "requested_s", "response_s", "done_s")
"""What the row of a web session's response tells beyond those of other flows."""


def placed(outcomes: "Outcomes", cases: list[Case], plan: Plan) -> list[dict[str, Any]]:
    """The flows' rows with their places in the comparison.

    Requests of web sessions are left out: an object's time is counted from its request.
    """
    tested = plan.is_tested()
    objects = {(row["run"], row["flow"]): row for row in frames.rows(outcomes["objects"])}
    found = []
    for row in frames.rows(outcomes["flows"]):
        part = objects.get((row["run"], row["flow"]))
        if part:
            is_tested = part["web"] in plan.tested_web
        elif row["flow"] < len(tested):
            is_tested = tested[row["flow"]]
        else:
            continue
        more = {name: part and part[name] for name in OBJECT_FIELDS} if plan.base.get("web") else {}
        case = cases[row["run"]]
        place = {"tested": is_tested, "variant": case.startup, "size": case.size}
        # A startup under test as it was asked for.
        asked = {"startup": plan.variant(case.startup).begins} if is_tested else {}
        found.append(row | place | asked | more)
    return found
