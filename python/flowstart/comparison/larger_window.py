"""What limits the baseline, and the variant with a larger window where that is the window."""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from flowstart import _native, text
from flowstart.comparison.plan import Plan, rates
from flowstart.model.document import Document
from flowstart.model.quantities import PACKETS, Quantity, octets, packets, read
from flowstart.model.variants import Variant

if TYPE_CHECKING:
    from flowstart.comparison.result import Comparison

NAME = "window ×4"
"""The variant with the larger window."""

TIMES = 4

LEAST_SHARE = 0.2
"""A window matters to a comparison that limits the baseline for a larger share of the time."""

SIZES = ("window", "receive_buffer", "receive_buffer_max")
"""Fields of a stack that bound the receiver's window."""


def added(result: "Comparison") -> Plan | None:
    """The plan with the baseline under a larger window, where the window limits the baseline.

    None where TCP's window is not the one that limits: that of a receiver of HTTP/2 has no field.
    """
    plan = result.plan
    shares = [s.window_share for s in result.summaries if s.startup == plan.baseline]
    is_single = len(rates(plan.base)) <= 1  # several rates are of one startup
    if not is_single or not is_tried(max(shares, default=0.0), plan.variants):
        return None
    stack = _stack(result)
    if _limits_above_tcp(result) or not _windows(stack):
        return None
    base = next(variant for variant in plan.variants if variant.name == plan.baseline)
    return dataclasses.replace(plan, variants=(*plan.variants, widened(base, stack)))


def is_tried(share: float, variants: Sequence[Variant]) -> bool:
    """Whether windows limit the baseline for long enough, and no variant has a window already."""
    own = any(name in SIZES for variant in variants for name in variant.fields)
    return share > LEAST_SHARE and not own and all(variant.name != NAME for variant in variants)


def widened(base: Variant, stack: Document) -> Variant:
    """The baseline with larger windows than a stack has."""
    fields = {**base.fields, **larger(stack)}
    return dataclasses.replace(base, name=NAME, startup=base.begins, stack=fields)


def limit_words(limited_by: str | None, share: float) -> str:
    """What kept senders from sending for the largest share of the time, where that is not cwnd."""
    if limited_by in (None, "cwnd"):
        return ""
    limit = "window" if limited_by in _native.WINDOWS else limited_by.replace("-", " ")
    return f"{limit} {text.short_share(share)}"


def subject(result: "Comparison") -> str:
    """What of the receiver limits the baseline, in words, with its size where that is fixed."""
    if _limits_above_tcp(result):
        return f"The flow control of {_stack(result)['receiver']} above TCP"
    window = _windows(_stack(result)).get("window")
    known = f" of {text.size(int(window.base))}" if window and window.unit != PACKETS else ""
    return f"The receiver's window{known}"


def _limits_above_tcp(result: "Comparison") -> bool:
    """Whether flow control of HTTP/2 or yamux limits the baseline, not TCP's window."""
    base = (row for row in result.records if row["variant"] == result.plan.baseline)
    of_tcp = max((row["receive_window_share"] or 0.0 for row in base), default=0.0)
    return not _is_quic(_stack(result)) and of_tcp <= LEAST_SHARE


def _is_quic(stack: Document) -> bool:
    """Whether a resolved stack numbers its packets."""
    return stack.get("recovery") == "quic"


def _stack(result: "Comparison") -> Document:
    """The stack of the baseline's first flow under test, with every default."""
    resolved = result.plan.resolved[result.baseline]
    own = (resolved["flows"][entry].get("stack") or {} for entry in result.plan.tested)
    return {**resolved["stack"], **next(own, {})}


def larger(stack: Document) -> Document:
    """The fields of a stack that bound the window, with larger values."""
    return {
        name: (packets if size.unit == PACKETS else octets)(TIMES * size.base)
        for name, size in _windows(stack).items()
    }


def _windows(stack: Document) -> dict[str, Quantity]:
    """What bounds the window of a stack, by field."""
    first = _native.receiver_window(stack.get("receiver", "")) if _is_quic(stack) else None
    of_receiver = {} if first is None else {"window": octets(first)}
    known = {name: read(text) for name, text in {**of_receiver, **stack}.items() if name in SIZES}
    return {name: size for name, size in known.items() if size}
