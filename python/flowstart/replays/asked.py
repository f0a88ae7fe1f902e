"""What is asked of a replay, from options by name: of the command line, or of the explorer.

`given` has what was given of `flowstart replay`'s options, by name with `_` for `-`: text as people
write it, whole numbers and truth values.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from flowstart.comparison import applicability
from flowstart.comparison.asked import path_of, stack_of
from flowstart.errors import RequestError
from flowstart.inference import Limits
from flowstart.inference.gates import OPTIONS
from flowstart.model import specs
from flowstart.model.custom import CustomStartups, StartupLike
from flowstart.model.path import IMPAIRING
from flowstart.model.shares import share
from flowstart.model.variants import Variant
from flowstart.replays.candidates import compared, hosts_of
from flowstart.replays.given_networks import GivenNetwork
from flowstart.replays.questions import ONCE, Questions
from flowstart.replays.settings import Settings, side
from flowstart.replays.when import parsed


def questions_of(given: Mapping[str, Any]) -> Questions:
    """What is asked beyond the rows. Raises RequestError where an option is wrong."""
    rollout = share("rollout", given["rollout"]) if "rollout" in given else None
    limits = {field: share(o, given[o]) for field, o in OPTIONS.items() if o in given}
    usual = ONCE if given.get("no_uncertainty") else Questions()
    when = parsed(given.get("when") or ())
    return dataclasses.replace(usual, rollout=rollout, when=when, limits=Limits(**limits))


def settings_of(
    given: Mapping[str, Any],
    *,
    startups: Sequence[StartupLike] | None,
    variants: Sequence[Variant] = (),
    capture_format: str = "",
) -> Settings:
    """How a capture is replayed; None stands for what its stack offers.

    `capture_format` is what the capture is, once it has been read. Raises RequestError
    where an option is wrong, contradicts another or would change nothing.
    """
    described = path_of(given) or {}
    if "reverse_rate" in described and "rate" not in described:
        raise RequestError("--reverse-rate: --rate is missing; both directions belong together")
    custom = CustomStartups()
    stack = stack_of(given)
    hosts = hosts_of(given.get("recorded"), stack, capture_format)
    found, baseline = compared(
        hosts, variants, startups, given.get("baseline"), given.get("cc"), custom
    )
    by_default = startups is None and not variants and "baseline" not in given
    begins = [str(variant.begins) for variant in found]
    applicability.refuse_what_does_nothing(given, begins, custom, stack)
    own = {name: described.get(name) for name in IMPAIRING}
    return Settings(
        startups=tuple(v.name for v in found if v.name == v.startup),
        variants=tuple(v for v in found if v.name != v.startup),
        baseline=baseline,
        hosts=hosts,
        by_default=by_default,
        impairments={name: value for name, value in own.items() if value is not None},
        cross_traffic=share("cross_traffic", given["cross_traffic"])
        if "cross_traffic" in given
        else 0.0,
        competing=tuple(specs.listed("competing", given.get("competing"), ())),
        rate=described.get("rate"),
        networks=tuple(map(GivenNetwork.parse, given.get("network") or ())),
        one_link=False,
        reverse_rate=described.get("reverse_rate"),
        buffer=described.get("buffer"),
        reverse_buffer=described.get("reverse_buffer"),
        rtt=described.get("rtt"),
        loss=described.get("loss"),
        stack=stack,
        cc=given.get("cc"),
        cached_cwnd=given.get("cached_cwnd"),
        direction=side(given.get("direction") or "server"),
        ignore=frozenset(specs.listed("ignore", given.get("ignore"), ())),
        seed=given.get("seed") or 1,
        custom=custom,
    )
