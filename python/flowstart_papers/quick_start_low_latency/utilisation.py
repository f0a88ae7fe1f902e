"""The abstract's second claim: what Quick-Start does for the use of the network."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.cases import by_case
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval
from flowstart_papers.quick_start_low_latency.setups import (
    DELAYS,
    HIGH,
    LITERAL,
    LOW,
    RATES,
    SLOW_START,
    WEB_SESSION,
    transfer,
)
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.drawing import Axis, Panel

ROUND_TRIPS = (5, 10, 20, 40, 80)
EARLY, LATE = 10, 80
"""Round trips over which the use of the link is compared."""
SESSIONS = {2: range(1, 25), 10: range(1, 7)}
"""Web sessions, with their seeds: N/2 of the paper's N, which it does not give."""
PRINTED_SESSIONS = 2
UNDERUSED = ("100Mbps", "1Gbps")
"""The rates on which these sessions leave room, as in the networks that the abstract speaks of."""
REQUESTS = {
    "what is queued": LITERAL.asking(sizing="data").quick_start,
    "163.84 Mbit/s": LITERAL.asking(request="163.84Mbps").quick_start,
}
"""Other readings of what is asked for, with the startup."""
REQUESTS_AT = [(rate, delay) for rate in UNDERUSED for delay in (10, 200)]
LAST_LINK = f"forward-{len(LITERAL.links) - 1}"
"""The second router link: what the first has lost does not count as use."""
STARTUPS = (SLOW_START, LITERAL.quick_start)

Place = tuple[str, int]
PLACES = [(rate, delay) for rate in RATES for delay in DELAYS]


def used(run: Run) -> float:
    """The share of the run, in percent, for which the second router link transmitted."""
    links = {row["name"]: row["utilisation"] for row in run.links.to_dicts()}
    return 100 * float(links[LAST_LINK])


class Sessions(TypedDict):
    """What a run with web sessions shows."""

    used: float
    """The use of the link in percent."""
    asked: int
    """Responses that asked for a rate."""
    approved: int
    """And those of them that left at an approved one."""


def sessions_used(run: Run) -> Sessions:
    """The use of the link, and what became of the responses' requests."""
    asked = [row for row in run.records if row["startup"].startswith("quick-start")]
    # Quick-Start ends so where a rate was approved, and otherwise as slow start does.
    approved = [row for row in asked if row["startup_exit_reason"] == "router"]
    return {"used": used(run), "asked": len(asked), "approved": len(approved)}


@dataclass(frozen=True)
class Use:
    """The use of the link in percent, a value for each seed."""

    slow: Sequence[float]
    quick: Sequence[float]
    approved: float | None = None
    """Percent of the requests that the routers approved, of all seeds together."""

    @property
    def points(self) -> float:
        """What Quick-Start adds, in points."""
        return float(np.mean(self.quick) - np.mean(self.slow))

    @property
    def relative(self) -> float:
        """The same in percent of slow start's use."""
        return float(_relative(np.arange(len(self.slow)), 0, self))

    def relative_interval(self) -> tuple[float, float]:
        """Where that lies, from both startups' values of the seeds drawn."""
        return interval(range(len(self.slow)), lambda drawn, axis: _relative(drawn, axis, self))


def _relative(seeds: Any, axis: int, use: Use) -> Any:
    slow, quick = (np.asarray(each)[seeds].mean(axis=axis) for each in (use.slow, use.quick))
    return 100 * (quick / slow - 1)


def alone(place: Place, startup: str, round_trips: int) -> Document:
    """A transfer without end, in its first so many round trips."""
    document = transfer(LITERAL, *place, 1, startup)
    del document["flows"][0]["size"]
    return document | {"duration": f"{round_trips * LITERAL.round_trip(place[1]):g}s"}


def web(place: Place, startup: str, sessions: int, seed: int) -> Document:
    """Web sessions for ten seconds and twenty round trips; all servers have the startup."""
    document = transfer(LITERAL, *place, 1, startup)
    return document | {
        "seed": seed,
        "flows": [],
        "web": [WEB_SESSION | {"startup": startup, "sessions": sessions, "direction": "forward"}],
        "duration": f"{10 + 20 * LITERAL.round_trip(place[1]):g}s",
    }


Early = Mapping[tuple[Place, int], Use]
"""By place and round trips."""
Web = Mapping[tuple[Place, int], Use]
"""By place and sessions."""
Requests = Mapping[tuple[Place, str], Use]
"""By place and what is asked for."""


def run(lab: Lab) -> Findings:
    """Runs a lone transfer's beginning and web sessions, at all rates and delays."""
    early, sessions = _early(lab), _web(lab)
    requests = _requests(lab, sessions)
    return Findings(
        measured=_measured(early, sessions),
        answers=[*_say_early(early), *_say_web(sessions), *_say_requests(requests)],
        tables=[_early_table(early), _web_table(sessions), _requests_table(requests)],
        pictures=[
            Picture(
                "utilisation",
                f"What Quick-Start adds to the use of the link. Above, the first {EARLY} round "
                f"trips of a lone transfer; below, {PRINTED_SESSIONS} web sessions, with the 95 % "
                f"interval. In points of the link's rate on the left, in percent of slow start's "
                f"use on the right",
                lambda: _draw(early, sessions),
            )
        ],
    )


def _early(lab: Lab) -> Early:
    keys = [(place, k) for place in PLACES for k in ROUND_TRIPS]
    found = lab.runs([alone(place, s, k) for place, k in keys for s in STARTUPS], used)
    both = zip(found[::2], found[1::2], strict=True)
    return {key: Use([slow], [quick]) for key, (slow, quick) in zip(keys, both, strict=True)}


def _web(lab: Lab) -> Web:
    keys = [(place, n) for place in PLACES for n in SESSIONS]
    documents = {
        (place, n, startup): [web(place, startup, n, seed) for seed in SESSIONS[n]]
        for place, n in keys
        for startup in STARTUPS
    }
    found = by_case(lab, documents, sessions_used)
    return {key: _use(*(found[*key, startup] for startup in STARTUPS)) for key in keys}


def _requests(lab: Lab, sessions: Web) -> Requests:
    """Quick-Start's sessions with other requests, beside the same ones of slow start."""
    seeds = SESSIONS[PRINTED_SESSIONS]
    keys = [(place, name) for place in REQUESTS_AT for name in REQUESTS]
    documents = {
        (place, startup): [web(place, startup, PRINTED_SESSIONS, seed) for seed in seeds]
        for place in REQUESTS_AT
        for startup in (SLOW_START, *REQUESTS.values())
    }
    found = by_case(lab, documents, sessions_used)
    others = {
        (place, name): _use(found[place, SLOW_START], found[place, REQUESTS[name]])
        for place, name in keys
    }
    return {(place, "open"): sessions[place, PRINTED_SESSIONS] for place in REQUESTS_AT} | others


def _use(slow: Sequence[Sessions], quick: Sequence[Sessions]) -> Use:
    asked, approved = (sum(each[name] for each in quick) for name in ("asked", "approved"))
    return Use(
        [each["used"] for each in slow],
        [each["used"] for each in quick],
        100 * approved / asked if asked else None,
    )


def _measured(early: Early, sessions: Web) -> dict[str, Measured]:
    points = {k: float(np.mean([early[place, k].points for place in PLACES])) for k in ROUND_TRIPS}
    low, high = (_mean_relative(sessions, delays) for delays in (LOW, HIGH))
    return {
        "qs.util.early": Measured(
            {f"first {k} round trips": round(points[k], 1) for k in (EARLY, LATE)},
            holds=points[EARLY] > points[LATE],
        ),
        "qs.util.low": Measured(
            {
                f"{RATES[rate]}, {name} latency": round(each[rate], 2)
                for rate in UNDERUSED
                for name, each in (("low", low), ("high", high))
            },
            holds=all(low[rate] < high[rate] / 2 for rate in UNDERUSED),
            seeds=len(SESSIONS[PRINTED_SESSIONS]),
        ),
    }


def _mean_relative(sessions: Web, delays: Sequence[int]) -> dict[str, float]:
    return {
        rate: float(
            np.mean([sessions[(rate, delay), PRINTED_SESSIONS].relative for delay in delays])
        )
        for rate in UNDERUSED
    }


def _say_early(early: Early) -> list[str]:
    fast = {delay: early[("1Gbps", delay), EARLY] for delay in DELAYS}
    near, far = fast[10], fast[500]
    return [
        (
            f"In the first {EARLY} round trips of a lone transfer on 1 Gbit/s Quick-Start raises "
            f"the use of the link from {near.slow[0]:.1f} to {near.quick[0]:.1f} % at 10 ms and "
            f"from {far.slow[0]:.2f} to {far.quick[0]:.1f} % at 500 ms, where the advertised "
            f"window is the limit: more points at low latency, a larger factor at high."
        )
    ]


def _say_web(sessions: Web) -> list[str]:
    said = []
    for rate in UNDERUSED:
        at = {delay: sessions[(rate, delay), PRINTED_SESSIONS] for delay in DELAYS}
        best = max(DELAYS, key=lambda delay: at[delay].relative)
        sure = [delay for delay in DELAYS if at[delay].relative_interval()[0] > 0]
        shares = [share for use in at.values() if (share := use.approved) is not None]
        said.append(
            f"{PRINTED_SESSIONS} web sessions use {RATES[rate]} by {at[best].relative:.0f} % more "
            f"with Quick-Start at {best} ms, the maximum; the interval excludes no change at "
            f"{', '.join(f'{delay} ms' for delay in sure) or 'no delay'}. The "
            f"routers approve {min(shares):.0f} to {max(shares):.0f} % of the requests."
        )
    return said


def _say_requests(requests: Requests) -> list[str]:
    place = ("1Gbps", 200)
    said = ", ".join(
        f"{name}: {use.relative:.1f} % with {use.approved or 0:.0f} % of the requests approved"
        for (at, name), use in requests.items()
        if at == place
    )
    return [f"On {RATES[place[0]]} at {place[1]} ms it depends on the requested rate: {said}."]


def _requests_table(requests: Requests) -> Table:
    rows: list[dict[str, Cell]] = []
    for ((rate, delay), name), use in requests.items():
        low, high = use.relative_interval()
        rows.append(
            {
                "rate": RATES[rate],
                "delay (ms)": delay,
                "request": name,
                "approved (% of requests)": round(use.approved or 0, 1),
                "more (%)": round(use.relative, 1),
                "95 % from (%)": round(low, 1),
                "95 % to (%)": round(high, 1),
            }
        )
    return Table(
        "utilisation-requests", f"{PRINTED_SESSIONS} web sessions, by the requested rate", rows
    )


def _early_table(early: Early) -> Table:
    rows: list[dict[str, Cell]] = []
    for rate, delay in PLACES:
        row: dict[str, Cell] = {"rate": RATES[rate], "delay (ms)": delay}
        for k in ROUND_TRIPS:
            use = early[(rate, delay), k]
            row[f"{k} round trips: slow start (%)"] = round(use.slow[0], 2)
            row[f"{k} round trips: Quick-Start (%)"] = round(use.quick[0], 2)
        rows.append(row)
    return Table("utilisation-early", "Use of the link by a lone transfer without end", rows)


def _web_table(sessions: Web) -> Table:
    rows: list[dict[str, Cell]] = []
    for ((rate, delay), n), use in sessions.items():
        low, high = use.relative_interval()
        rows.append(
            {
                "sessions": n,
                "rate": RATES[rate],
                "delay (ms)": delay,
                "slow start (%)": round(float(np.mean(use.slow)), 3),
                "Quick-Start (%)": round(float(np.mean(use.quick)), 3),
                "more (points)": round(use.points, 3),
                "more (%)": round(use.relative, 1),
                "95 % from (%)": round(low, 1),
                "95 % to (%)": round(high, 1),
                "approved (% of requests)": None
                if use.approved is None
                else round(use.approved, 1),
                "seeds": len(use.slow),
            }
        )
    return Table("utilisation-web", "Use of the link by web sessions", rows)


def _draw(early: Early, sessions: Web) -> "Figure":
    from flowstart_papers import drawing

    alone = {rate: {d: early[(rate, d), EARLY] for d in DELAYS} for rate in RATES}
    web = {rate: {d: sessions[(rate, d), PRINTED_SESSIONS] for d in DELAYS} for rate in RATES}
    ratio = drawing.Axis("use with Quick-Start / with slow start", "log")
    lone, others = f"lone transfer, first {EARLY} round trips", f"{PRINTED_SESSIONS} web sessions"
    return drawing.panels(
        _panel(lone, drawing.Axis("more use (points)"), alone, lambda use: use.points),
        _panel(lone, ratio, alone, lambda use: use.quick[0] / use.slow[0]),
        _panel(others, drawing.Axis("more use (points)"), web, lambda use: use.points),
        replace(
            _panel(
                others,
                drawing.Axis("more use (%)", limits=(-12, 55)),
                web,
                lambda use: use.relative,
            ),
            bands={
                RATES[rate]: drawing.band(DELAYS, [use.relative_interval() for use in at.values()])
                for rate, at in web.items()
            },
        ),
    )


def _panel(
    title: str,
    y: "Axis",
    found: Mapping[str, Mapping[int, Use]],
    value: Callable[[Use], float],
) -> "Panel":
    """A curve for each rate over the delays."""
    from flowstart_papers import drawing

    return drawing.Panel(
        drawing.Axis("one-way delay (ms)", "log", ticks=(1, 3, 10, 50, 200, 1000)),
        y,
        {RATES[rate]: (DELAYS, [value(use) for use in at.values()]) for rate, at in found.items()},
        title=title,
    )


EXPERIMENTS = (
    Experiment(
        id="QS-UTIL",
        figure="abstract",
        question="How much better is the network used with Quick-Start, at low and at high "
        "latency?",
        run=run,
    ),
)
