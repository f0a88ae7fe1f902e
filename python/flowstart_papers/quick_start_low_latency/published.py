"""What the paper published, by its experiments' own coordinates."""

from collections.abc import Mapping
from dataclasses import replace

from flowstart_papers.published import Published
from flowstart_papers.quick_start_low_latency.setups import DELAYS, RATES
from flowstart_papers.target import Measured, Target, TargetClass

NAME = "quick-start-low-latency"
_PRINTED = Published("flowstart_papers.quick_start_low_latency", NAME)
number = _PRINTED.number
_SHORT = {"384kbps": "384k", "100Mbps": "100m", "1Gbps": "1g"}


def cell(table: str, rate: str, delay: float) -> str:
    """The ID of the target for a rate and a delay in milliseconds."""
    return f"qs.{table}.{_SHORT[rate]}.{delay:g}ms"


def _again() -> list[Target]:
    """Table I's cells once more, for the set-up whose inputs were fitted to them."""
    return [
        replace(
            _PRINTED[cell("t1", rate, delay)],
            id=cell("decoded", rate, delay),
            experiment="QS-DECODED",
            figure="Table I, decoded",
            target_class=TargetClass.REPEAT,
        )
        for rate in RATES
        for delay in DELAYS
    ]


TARGETS = [*_PRINTED.targets, *_again()]
BY_ID = {target.id: target for target in TARGETS}

TABLE1 = {(rate, delay): number(cell("t1", rate, delay)) for rate in RATES for delay in DELAYS}
"""The improvements of Table I in percent."""
SMALL_GAIN = number("qs.f2.small.improvement")
"""What the text sees at 384 kbit/s and 100 ms, in percent, and with what size."""
SMALL_KB = number("qs.f2.small.kilobytes")


def explained(
    ours: Mapping[str, Measured], decoded: Mapping[str, Measured], why: Mapping[str, str]
) -> dict[str, Measured]:
    """Ours, with the cause of each miss and what the decoded set-up comes to instead.

    `why` has the causes by target.
    """
    return {
        name: one
        if not BY_ID[name].judge(one).missed
        else replace(
            one,
            because=f"{why[name]} With the inputs decoded from Table I it is "
            f"{_words(decoded[name])}.",
            shown_by="QS-READINGS",
        )
        for name, one in ours.items()
    }


def _words(measured: Measured) -> str:
    if isinstance(measured.value, Mapping):
        return ", ".join(f"{name}: {value:g}" for name, value in measured.value.items())
    return str(measured.value)
