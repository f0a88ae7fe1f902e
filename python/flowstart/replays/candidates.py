"""What a replay compares: what was recorded, and the settings that the recorded stack offers."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from flowstart.deployment.stacks import HostStack, default_of
from flowstart.errors import RequestError
from flowstart.model import stack as stacks
from flowstart.model import variants as named
from flowstart.model.catalog import listed
from flowstart.model.custom import CustomStartups, StartupLike
from flowstart.model.variants import Variant, VariantLike

CURRENT = "current"
"""The name of the variant that does what was recorded."""


def hosts_of(
    recorded: str | None, stack: Mapping[str, Any] | None, capture_format: str = ""
) -> HostStack:
    """What the hosts of a capture run: as given, or as the stack or the capture suggests."""
    if recorded is not None:
        return HostStack.named(recorded)
    if stack is not None:
        return HostStack.of_preset(stacks.of_scenario(stack)["preset"])
    return HostStack.named(default_of(capture_format))


def compared(
    hosts: HostStack,
    variants: Sequence[VariantLike],
    startups: Sequence[StartupLike] | None,
    baseline: str | None,
    cc: str | None,
    custom: CustomStartups,
) -> tuple[tuple[Variant, ...], str]:
    """The variants, and the name of the baseline.

    Without variants and startups it is what the stack offers, with what it does not for comparison.
    The baseline is what was recorded, unless it is named.
    """
    if startups is not None and not startups and not variants:
        raise RequestError("no startup is given")
    if startups is None and not variants:
        variants = (*hosts.candidates, *hosts.research)
        if not variants:
            startups = ("hystart", "hystart-plus-plus", "jump-start")
    elif variants:
        variants = [_of_recording(one, hosts) for one in variants]
    found = named.settled(variants, startups or (), custom)
    usual = cc or hosts.recorded.cc
    if baseline is not None:
        if baseline == CURRENT and not any(v.name == CURRENT for v in found):
            return (_current(hosts, cc), *found), CURRENT
        if listed(baseline) and not any(v.name == baseline for v in found):
            found = (*named.settled((), (baseline,), custom), *found)
        return found, named.baseline(baseline, [v.name for v in found])
    now = _current(hosts, cc)
    for variant in found:
        same = (str(variant.begins), variant.cc or usual, variant.fields)
        if same == (str(now.begins), now.cc, now.fields):
            return found, variant.name
    return (now, *found), CURRENT


def _of_recording(given: VariantLike, hosts: HostStack) -> Variant:
    """A variant with the recorded startup, where it names neither one nor what implies one."""
    variant = Variant.parse(given) if isinstance(given, str) else given
    if variant.startup or variant.cc or "preset" in variant.fields:
        return variant
    return dataclasses.replace(variant, startup=hosts.recorded.startup)


def _current(hosts: HostStack, cc: str | None) -> Variant:
    recorded = hosts.recorded
    return Variant(CURRENT, recorded.startup, cc or recorded.cc)
