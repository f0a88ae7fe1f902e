"""What came of runs: a row for each in the simulator and in the stack, and the two side by side."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from flowstart.comparison.live.plan import SIMULATED
from flowstart.comparison.plan import Case

if TYPE_CHECKING:
    from flowstart._native import LiveExit, LiveOutcome

Row: TypeAlias = dict[str, Any]

SHARED = (
    *("fct_s", "startup_exit_reason", "startup_exit_s", "startup_exit_cwnd_segments"),
    *(
        "startup_exit_flight_bytes",
        "max_cwnd_segments",
        "packets_sent",
        "packets_dropped",
        "complete",
    ),
)
"""What is told of a run in the simulator and in a stack alike."""
TIMELINESS = ("relay_late_most_s", "relay_late_p99_s", "answered_median_s", "stalls")
"""How late the relay and the agent were."""
COMPARED = (
    *("fct_s", "startup_exit_reason", "startup_exit_cwnd_segments", "max_cwnd_segments"),
    *("packets_sent", "packets_dropped"),
)
"""What stands side by side."""


@dataclass(frozen=True)
class Found:
    """What came of a live run."""

    outcome: "LiveOutcome | None" = None
    refused: str | None = None
    """Why the stack cannot run it."""
    failure: str | None = None
    """Why there is no outcome, if it was tried."""


def rows(simulated: Mapping[Case, Row], live: Mapping[Case, Found], stack: str) -> list[Row]:
    """Two rows for each case, those of the simulator first; of what was not run, none."""
    rows = []
    for case, row in simulated.items():
        case_columns = {
            "variant": case.startup,
            "startup": row["startup"],
            "cc": row["cc"],
            "size": case.size,
            "size_bytes": row["size_bytes"],
            "seed": case.seed,
        }
        unknown = {
            "packets_lost": None,
            **dict.fromkeys(TIMELINESS),
            "refused": None,
            "failure": None,
        }
        shared = {name: row[name] for name in SHARED}
        rows.append({"transport": SIMULATED, **case_columns, **shared, **unknown})
        if case in live:
            rows.append({"transport": stack, **case_columns, **_live(live[case])})
    return rows


def _live(run: Found) -> Row:
    """What a live run tells."""
    outcome = run.outcome
    if outcome is None:
        empty: Row = {**dict.fromkeys(SHARED), "complete": False, "packets_lost": None}
        late = dict.fromkeys(TIMELINESS)
        return {**empty, **late, "refused": run.refused, "failure": run.failure}
    return {
        "fct_s": outcome["fct_s"],
        **_exit(outcome["exit"]),
        "max_cwnd_segments": outcome["max_cwnd_segments"],
        "packets_sent": outcome["packets_sent"],
        "packets_dropped": outcome["packets_dropped"],
        "complete": outcome["fct_s"] is not None,
        "packets_lost": outcome["packets_lost"],
        **_timeliness(outcome),
        "refused": None,
        "failure": outcome["failure"],
    }


def _timeliness(outcome: "LiveOutcome") -> Row:
    """How late relay and agent were, in real time."""
    late, answered = outcome["lateness"], outcome["answered"]
    return {
        "relay_late_most_s": late and late["most_s"],
        "relay_late_p99_s": late and late["p99_s"],
        "answered_median_s": answered and answered["median_s"],
        "stalls": outcome["stalls"] if late else None,
    }


def _exit(left: "LiveExit | None") -> Row:
    """How a startup ended, as the simulator's rows tell it."""
    return {
        "startup_exit_reason": left and left["reason"],
        "startup_exit_s": left and left["at_s"],
        "startup_exit_cwnd_segments": left and left["cwnd_segments"],
        "startup_exit_flight_bytes": left and left["flight"],
    }


def pairs(rows: Sequence[Row]) -> list[Row]:
    """The two rows of each case as one, with differences; of cases that have both."""
    return [
        _pair(ours, theirs)
        for ours, theirs in itertools.pairwise(rows)
        if ours["transport"] == SIMULATED and theirs["transport"] != SIMULATED
    ]


def _pair(ours: Row, theirs: Row) -> Row:
    columns = ("variant", "startup", "cc", "size", "size_bytes", "seed")
    sides = {
        f"{side}_{name}": row[name]
        for name in COMPARED
        for side, row in ((SIMULATED, ours), ("live", theirs))
    }
    exits = ours["startup_exit_cwnd_segments"], theirs["startup_exit_cwnd_segments"]
    return {
        "transport": theirs["transport"],
        **{name: ours[name] for name in columns},
        **sides,
        "fct_difference": difference(ours["fct_s"], theirs["fct_s"]),
        "startup_exit_cwnd_difference": difference(*exits),
        "refused": theirs["refused"],
        "failure": theirs["failure"],
    }


def difference(simulated: float | None, live: float | None) -> float | None:
    """By how much a live run has more, as a share; None where one of the two has no value."""
    return live / simulated - 1 if simulated and live is not None else None
