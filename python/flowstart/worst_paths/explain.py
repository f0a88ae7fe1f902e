"""What happened in a run, in a sentence made of its row."""

from collections.abc import Mapping
from typing import Any

from flowstart.render import text

EARLY = 0.5
"""A startup that left below this share of the BDP left early."""
LATE = 1.5
"""One whose window was beyond this and the buffer left late."""
MUCH = 0.1
"""This share of retransmissions is much."""
SHARING = ("long", "bbr", "same", "web")
"""Competing flows that has its part of the path, so that a BDP is not what a flow can have."""
SMALL = 0.1
"""Below this share of the BDP one digit is enough."""
Row = Mapping[str, Any]


def explained(row: Row, best: Row) -> str:
    """Why a startup did as it did, from its row and that of the best of the others."""
    reasons = [reason for reason in (_exit(row), _losses(row), _idle(row)) if reason]
    how = "; ".join(reasons) or "nothing of it is remarkable but its time"
    return f"{how[0].upper()}{how[1:]}. {_compared(row, best)}"


def _exit(row: Row) -> str:
    """How it left its startup."""
    reason, cwnd, share = (
        row[name] for name in ("startup_exit_reason", "startup_exit_cwnd_segments", "exit_cwnd_bdp")
    )
    if reason is None:
        return "it never left its startup"
    at = f"a window of {cwnd:,.0f} packets"
    if share is not None:
        at += f", {_bdps(share)}"
    left = f"it left its startup by {reason} at {at}"
    if row["competing"] in SHARING:
        return left
    room = 1 + (row["buffer_bdp"] or 0.0)
    if share is not None and share < EARLY:
        return f"{left}: too early, and congestion avoidance had to grow the rest"
    if share is not None and share > LATE * room:
        return f"{left}, where path and buffer hold {text.ratio(room)}: too late"
    return left


def _losses(row: Row) -> str:
    """What it lost, and how that was repaired."""
    share, timeouts = row["retransmitted_share"] or 0.0, row["timeouts"] or 0
    waited = f"{timeouts} timeout{'s' if timeouts > 1 else ''}" if timeouts else ""
    if share >= MUCH:
        again = f"{share:.0%} of its packets were sent again"
        return f"{again}, with {waited}" if waited else again
    if waited:
        return f"it waited for {waited}"
    rounds = row["loss_rounds"] or 0
    return f"{rounds} recoveries followed its exit" if rounds > 1 else ""


def _idle(row: Row) -> str:
    """How long it left the bottleneck idle."""
    idle, fct = row["idle_s"], row["fct_s"]
    if idle is None or fct is None or idle < fct / 2:
        return ""
    # Never all of it: the transfer itself keeps the bottleneck busy.
    share = "more than 99%" if idle > 0.99 * fct else f"{idle / fct:.0%}"
    return f"the bottleneck was idle for {share} of the transfer"


def _compared(row: Row, best: Row) -> str:
    """The same beside the best of the others."""
    if row["fct_s"] is None:
        return f"It never finished; {best['startup']} took {_seconds(best['fct_s'])}"
    told = f"It took {_seconds(row['fct_s'])}, {best['startup']} {_seconds(best['fct_s'])}"
    reason, share = best["startup_exit_reason"], best["exit_cwnd_bdp"]
    if reason is None:
        return told
    at = f" at {_bdps(share)}" if share is not None else ""
    return f"{told}, which left by {reason}{at}"


def _bdps(share: float) -> str:
    return f"{share:.1g} BDP" if share < SMALL else f"{text.ratio(share)} BDP"


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "no time that is known"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"
