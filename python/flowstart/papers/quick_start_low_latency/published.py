"""What the paper published, by its experiments' own coordinates."""

import importlib.resources
import tomllib
from collections.abc import Mapping
from dataclasses import replace

from flowstart.papers.quick_start_low_latency.setups import DELAYS, RATES
from flowstart.papers.target import Measured, Target, TargetClass, read

NAME = "quick-start-low-latency"
_PACKAGE = "flowstart.papers.quick_start_low_latency"
_SHORT = {"384kbps": "384k", "100Mbps": "100m", "1Gbps": "1g"}


def cell(table: str, rate: str, delay: float) -> str:
    """The ID of the target for a rate and a delay in milliseconds."""
    return f"qs.{table}.{_SHORT[rate]}.{delay:g}ms"


def _again() -> list[Target]:
    """Table I's cells once more, for the set-up whose inputs were fitted to them."""
    cells = {
        cell("t1", rate, delay): cell("decoded", rate, delay) for rate in RATES for delay in DELAYS
    }
    return [
        replace(
            target,
            id=cells[target.id],
            experiment="QS-DECODED",
            figure="Table I, decoded",
            target_class=TargetClass.REPEAT,
        )
        for target in _PRINTED
        if target.id in cells
    ]


_PRINTED = read(_PACKAGE, NAME)
TARGETS = [*_PRINTED, *_again()]
BY_ID = {target.id: target for target in TARGETS}
NUMBERS = {t.id: t.expected for t in TARGETS if isinstance(t.expected, int | float)}

TABLE1 = {(rate, delay): NUMBERS[cell("t1", rate, delay)] for rate in RATES for delay in DELAYS}
"""The improvements of Table I in percent."""

_OTHERS = tomllib.loads(
    importlib.resources.files(_PACKAGE).joinpath("published.toml").read_text("utf-8")
)
SMALL_GAIN: float = _OTHERS["figure2"]["small"]["improvement"]
"""What the text sees at 384 kbit/s and 100 ms, in percent, and with what size."""
SMALL_KB: float = _OTHERS["figure2"]["small"]["kilobytes"]


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
