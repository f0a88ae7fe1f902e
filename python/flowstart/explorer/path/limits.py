"""How much an answer may cost: what would keep the machine busy for long is refused beforehand."""

import math
from typing import Any

from flowstart import _native
from flowstart.comparison.execute import Prepared, prepare
from flowstart.errors import RequestError
from flowstart.explorer.path import state
from flowstart.explorer.settings import Settings
from flowstart.model.document import resolve
from flowstart.model.quantities import read, read_seconds

MOST_FLOWS = 64
MOST_PACKETS = 4_000_000
"""Data packets of all runs of an answer: some seconds of work."""


def prepared(given: Any, settings: Settings) -> Prepared:
    """What a state of the page compares, checked and ready to run.

    Raises RequestError where the state is wrong, or more than an answer may cost.
    """
    plan = state.plan(given, settings)
    try:
        ready = prepare(plan)
        for case in ready.cases[1:]:
            resolve(plan.scenario(case), plan.custom)
        _refuse_what_lasts(ready)
    except RequestError as error:
        raise error.in_options() from None
    return ready


def _refuse_what_lasts(ready: Prepared) -> None:
    """Raises RequestError where the runs are too much for an answer at once."""
    plan = ready.plan
    flows = len(plan.places())
    if flows > MOST_FLOWS:
        raise RequestError(
            f"--flows: {flows} are too many for the explorer, at most {MOST_FLOWS} are; "
            "`flowstart compare` takes more"
        )
    packets = _packets_of_a_flow(ready) * flows * len(ready.cases)
    if packets > MOST_PACKETS:
        raise RequestError(
            f"--size: `{plan.sizes[0]}` is some {packets:,} packets in {len(ready.cases)} runs "
            f"of {flows} each, at most {MOST_PACKETS:,} are simulated at once; choose a smaller "
            "size, fewer startups or fewer flows, or use `flowstart compare`"
        )


def _packets_of_a_flow(ready: Prepared) -> int:
    """How many data packets a transfer has; 0 where nobody knows before it is run."""
    plan = ready.plan
    resolved = resolve(plan.scenario(ready.cases[0]), plan.custom)
    flow, path = resolved["flows"][0], resolved["path"]
    mss = flow.get("mss", resolved["stack"]["mss"])
    rates = [path["rate"]] if "rate" in path else [s["rate"] for s in path.get("rate_steps", ())]
    most = max(map(_native.rate_bps, rates), default=0)
    segment = _native.size_bytes(mss, mss) or 1
    return math.ceil(size_bytes(plan.sizes[0] or "", mss, most, flow["rtt"]) / segment)


def size_bytes(size: str, mss: str, rate_bps: float, rtt: str) -> float:
    """A transfer's size, which may be a number of bandwidth-delay products (`10bdp`)."""
    if not size:
        return 0
    known = _native.size_bytes(size, mss)
    if known is not None:
        return known
    bdps, seconds = read(size), read_seconds(rtt)
    assert bdps  # the simulator has read both
    assert seconds is not None
    return bdps.number * rate_bps * seconds / 8
