"""Rate that is asked for and not used: what is left for those who ask honestly."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from flowstart_papers.coping.countermeasures import PACKET_KBIT
from flowstart_papers.coping.effects import Estimate
from flowstart_papers.coping.requests import (
    ASKS_AND_USES,
    ASKS_ONLY,
    FULL_RATE,
    HONEST_PACKETS,
    PATH,
    RFC,
    RULES,
    SLOW_START,
    TAKES,
    Requests,
    Rule,
    Service,
    asks_only,
    services,
    spelled,
)
from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = range(1, 13)
PERIODS_S = (0.05, 0.1, 0.2, 0.5, 1, 2, 4)
ASKED = ("80kbps", "320kbps", "640kbps", "1.28Mbps", "2.56Mbps", "5.12Mbps", "81.92Mbps")
OFTEN_S = 0.2
MEMORIES = ("20ms", "50ms", "100ms", "150ms", "300ms")
SHARES = ("2.56Mbps", "5.12Mbps", "10Mbps")
HONEST_S = (1, 0.25)
NEIGHBOURS = (ASKS_ONLY, ASKS_AND_USES, TAKES, SLOW_START)

Found = Mapping[Requests, Service]


def run(lab: Lab) -> Findings:
    """Unused requests by rule and period, what guards against them, and other neighbours."""
    swept = [Requests(rule, period) for rule in RULES for period in (0, *PERIODS_S)]
    asked = [Requests(RFC, OFTEN_S, asks_only(rate)) for rate in ASKED]
    guards = [
        Requests(rule, period, honest_s=honest)
        for honest in HONEST_S
        for rule in _guards()
        for period in (0, OFTEN_S)
    ]
    neighbours = [
        Requests(RFC, period, neighbour) for period in (1, OFTEN_S) for neighbour in NEIGHBOURS
    ]
    cases = [*swept, *asked, *guards, *neighbours]
    found = dict(zip(cases, services(lab, cases, SEEDS), strict=True))
    return Findings(
        answers=[_says_rules(found), _says_by_rule(found)],
        tables=[
            _table("requests_unused", found, swept, "Requests that are not used, by rule."),
            _table("requests_asked", found, asked, "The same by the requested rate."),
            _table("requests_guards", found, guards, "What a rule's settings change."),
            _table(
                "requests_neighbours",
                found,
                neighbours,
                "Next to others that send, or only request.",
            ),
        ],
        pictures=[
            Picture(
                "requests_unused",
                f"Honest requests granted, and what the honest transfers of {HONEST_PACKETS} "
                "packets still gain over slow start, over the period of requests that are not "
                "used, by the routers' rule.",
                functools.partial(_draw, found),
            )
        ],
    )


def _guards() -> list[Rule]:
    memories = [
        Rule(f"RFC 4782, memory {spelled(m)}", "rfc", (("state_delay", m),)) for m in MEMORIES
    ]
    shares = [Rule(f"ns-2's 1, at most {spelled(s)}", "share", (("max_rate", s),)) for s in SHARES]
    return memories + shares


def _says_rules(found: Found) -> str:
    """What one host does to the RFC's rule."""
    free, often = found[Requests()], found[Requests(RFC, OFTEN_S)]
    kbps = PACKET_KBIT / OFTEN_S
    return (
        f"A host that requests {spelled(FULL_RATE)} every {OFTEN_S:g} s and sends one packet "
        f"each time, {kbps:.0f} kbit/s, lowers the honest requests granted under "
        f"RFC 4782 from {free.granted.text()} to {often.granted.text()} %, the mean window "
        f"granted from {free.window.text()} to {often.window.text()} packets, and the gain over "
        f"slow start from {free.gain.text()} to {often.gain.text()} %."
    )


def _says_by_rule(found: Found) -> str:
    """What each rule keeps of its own gain."""
    parts = [
        f"{rule.name} {round(found[Requests(rule, OFTEN_S)].gain.mean)} of "
        f"{round(found[Requests(rule)].gain.mean)} %"
        for rule in RULES
    ]
    return f"Gain over slow start that is left next to that host, by rule: {'; '.join(parts)}."


def _table(name: str, found: Found, cases: Sequence[Requests], caption: str) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "routers": case.rule.name,
            "honest transfer every, s": case.honest_s,
            "neighbour": case.neighbour.name if case.period_s else "none",
            "every, s": case.period_s or None,
            "honest requests granted, %": found[case].granted.text(),
            "granted, packets": found[case].window.text(),
            "gain over slow start, %": found[case].gain.text(),
            "later than without the neighbour, %": found[case].later.text(),
        }
        for case in cases
    ]
    return Table(
        name,
        f"{caption} Honest transfers of {HONEST_PACKETS} packets over {PATH}. A grant counts "
        "where the window that comes of it is used. Means over seeds with 95 % intervals.",
        rows,
    )


def _draw(found: Found) -> "Figure":
    from flowstart_papers.coping.curves import panel
    from flowstart_papers.drawing import Axis, panels

    def lines(of: Callable[[Service], Estimate]) -> dict[str, dict[float, Estimate]]:
        return {r.name: {p: of(found[Requests(r, p)]) for p in PERIODS_S} for r in RULES}

    x = Axis("period of unused requests, s", "log", ticks=PERIODS_S)
    granted = lines(lambda service: service.granted)
    gain = lines(lambda service: service.gain)
    return panels(
        panel(x, Axis("honest requests granted, %"), granted),
        panel(x, Axis("honest ones faster by, %"), gain),
    )


EXPERIMENTS = (
    Experiment(
        id="ABUSE-QS",
        figure="study",
        question="What is left for honest Quick-Start hosts next to one that requests and does "
        "not send?",
        run=run,
    ),
)
