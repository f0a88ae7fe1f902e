"""What a flow's competing loses by it: with the flow under test beside without it.

Harm is that of Ware et al. ("Beyond Jain's Fairness Index", HotNets 2019): of what is the better
the more of it there is, the share that is lost; of times, the share that is added. It is 0 where
nothing is lost, and never negative.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

STILL = 0.5
"""A long flow that stands still for this share of the time by itself is not warm."""


@dataclass(frozen=True)
class Harm:
    """What was lost."""

    share: float
    """0 to 1."""
    seconds: float | None
    """The same as time; below 0 where the competing flows was quicker, None where it was never
    done."""

    @classmethod
    def of_times(cls, beside: float, alone: float) -> "Harm":
        """Of a time that is the better the less it is."""
        added = beside - alone
        return cls(max(0.0, added / beside) if beside > 0 else 0.0, added)


@dataclass(frozen=True)
class Seen:
    """What a run showed of the competing flows, and of the flow under test."""

    opened_s: float | None
    """When the flow under test opened."""
    done_s: float | None
    """When it was done; None where it was not."""
    end_s: float
    """When the run ended."""
    delivered_bytes: int
    """By the flow under test."""
    watched_bytes: int
    """By the flow that is watched."""
    watched_fct_s: float | None
    writes: "pl.DataFrame"
    """Its writes, where it has some."""
    objects: "pl.DataFrame"
    """Those of web sessions."""


@dataclass(frozen=True)
class Alone:
    """What a run without the flow under test showed."""

    fct_s: float | None
    writes: "pl.DataFrame"
    objects: "pl.DataFrame"
    progress: "tuple[np.ndarray, np.ndarray] | None" = None
    """Times in seconds at which a long flow's receiver had got further, and how far in bytes."""


def harm(kind: str, seen: Seen, alone: Alone) -> Harm | None:
    """The harm to this kind of competing flows; None where it was not seen to its end."""
    if seen.opened_s is None:
        return None
    if kind in ("long", "bbr"):
        return _to_long(seen, alone)
    if kind in ("short", "same"):
        return _to_transfer(seen, alone)
    return _to_call(seen, alone) if kind == "probe" else _to_web(seen, alone)


def _to_long(seen: Seen, alone: Alone) -> Harm | None:
    """The bytes that a long flow delivered less, beyond those that it had to share.

    None where it stood still by itself, as after a timeout: it was not warm.
    """
    import numpy as np

    assert alone.progress is not None
    assert seen.opened_s is not None
    times, positions = alone.progress
    if _longest_pause(times, seen.opened_s, seen.end_s) > STILL * (seen.end_s - seen.opened_s):
        return None
    opened, end = np.interp([seen.opened_s, seen.end_s], times, positions)
    possible = end - opened
    lost = end - seen.watched_bytes - seen.delivered_bytes
    # What hardly moves by itself, as in a timeout, can gain many times what it would have got.
    share = min(max(-1.0, lost / possible), 1.0) if possible > 0 else 0.0
    return Harm(max(0.0, share), share * (seen.end_s - seen.opened_s))


def _longest_pause(times: "np.ndarray", begin_s: float, end_s: float) -> float:
    """The longest time between two steps of progress in a window, whose ends count as steps."""
    import numpy as np

    within = times[(times > begin_s) & (times < end_s)]
    return float(np.diff([begin_s, *within, end_s]).max())


def _to_transfer(seen: Seen, alone: Alone) -> Harm | None:
    if alone.fct_s is None:
        return None
    if seen.watched_fct_s is None:
        return Harm(1.0, None)
    return Harm.of_times(seen.watched_fct_s, alone.fct_s)


def _to_call(seen: Seen, alone: Alone) -> Harm | None:
    """The 95th percentile of a call's delays while the flow under test is open.

    What had not arrived when the run ended took at least until then.
    """
    beside, without = (_delay(writes, seen) for writes in (seen.writes, alone.writes))
    if beside is None or without is None:
        return None
    return Harm.of_times(beside, without)


def _delay(writes: "pl.DataFrame", seen: Seen) -> float | None:
    import polars as pl

    at = pl.col("available_s")
    during = (at >= seen.opened_s) & (at <= (seen.done_s or seen.end_s))
    delay = pl.col("delivered_s").fill_null(seen.end_s) - at
    found = writes.filter(during).select(delay.quantile(0.95, "nearest")).item()
    return None if found is None else float(found)


def _to_web(seen: Seen, alone: Alone) -> Harm | None:
    """The response times of objects that were asked for while the flow under test was open.

    One that was not there when the run ended took at least until then.
    """
    import polars as pl

    key = ["web", "session", "page", "object"]
    if seen.objects.is_empty() or alone.objects.is_empty():
        return None
    asked = pl.col("requested_s")
    during = seen.objects.filter((asked >= seen.opened_s) & (asked <= (seen.done_s or seen.end_s)))
    during = during.with_columns(pl.col("response_s").fill_null(seen.end_s - asked))
    both = during.join(alone.objects, on=key, suffix="_alone").select(
        "response_s", "response_s_alone"
    )
    both = both.drop_nulls()
    if both.is_empty():
        return None
    ratio = math.exp((both["response_s"] / both["response_s_alone"]).log().mean())  # type: ignore[arg-type]
    added = (both["response_s"] - both["response_s_alone"]).mean()
    return Harm(max(0.0, 1 - 1 / ratio), float(added))  # type: ignore[arg-type]
