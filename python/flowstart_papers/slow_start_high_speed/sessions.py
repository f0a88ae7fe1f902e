"""Simultaneous sessions from one server: Chicago (CAV-6), North Carolina (CAV-9)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.slow_start_high_speed import measures, statements
from flowstart_papers.slow_start_high_speed.measures import Transfer
from flowstart_papers.slow_start_high_speed.setups import LITERAL, PACED, SCHEMES, Path
from flowstart_papers.slow_start_high_speed.statements import (
    CAROLINA_EXPANSION,
    CAROLINA_REDUCTION,
    EXPANSION,
    REDUCTION,
    TOGETHER,
    Case,
    of_schemes,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.drawing import Panel

SESSIONS = (1, 2, 4, 8)
GAPS = ("0s", "500ms", "1s", "2s", "5s", "10s")
"""Between two sessions' starts; the slides only say that one is first."""
ALL = (*SCHEMES, PACED)

Found = dict[Case, list[Transfer]]
ByGap = dict[tuple[str, Path], dict[str, list[Transfer]]]
"""Two sessions by gap and path, then by scheme."""


def chicago(lab: Lab) -> Findings:
    """CAV-6: two sessions, one after the other, and up to eight."""
    found = _sweep(lab, (EXPANSION, REDUCTION), SCHEMES)
    two = _gaps(lab)
    reno, lss = (found[Case(scheme, EXPANSION, TOGETHER)] for scheme in ("Reno", "LSS"))
    ends = [measures.mean_seconds(two[gap, EXPANSION]["Reno"]) for gap in GAPS]
    least = [gap for gap in GAPS if _least(two[gap, REDUCTION]) == "LSS"]
    return Findings(
        measured={
            "cav.chi.sim.exp": replace(
                statements.measured("cav.chi.sim.exp", found),
                because="Two limited slow starts of 1 GB never fill path and queue, so they lose"
                " nothing, while Reno overshoots. How long Reno then takes hangs on the queue and"
                " on when the second session meets the first one's.",
                shown_by="CAV-READINGS",
            ),
            "cav.chi.sim.red": statements.measured("cav.chi.sim.red", found),
        },
        answers=[
            (
                f"Two sessions {LITERAL.gap} apart on 1G-1G: Reno takes"
                f" {measures.mean_seconds(reno):.0f} s on average and sends {measures.again(reno)}"
                f" packets again, LSS {measures.mean_seconds(lss):.0f} s and"
                f" {measures.again(lss)}. Over all gaps Reno takes {min(ends):.0f} to"
                f" {max(ends):.0f} s."
            ),
            (
                f"On 10G-1G LSS retransmits fewest at {len(least)} of {len(GAPS)} gaps between"
                f" two starts."
            ),
        ],
        tables=[
            _table("chicago-sessions-expansion", EXPANSION, found, SCHEMES),
            _table("chicago-sessions-reduction", REDUCTION, found, SCHEMES),
            _gap_table(two),
        ],
        pictures=[
            _picture("chicago-sessions", "Chicago", (EXPANSION, REDUCTION), found, SCHEMES),
        ],
    )


def carolina(lab: Lab) -> Findings:
    """CAV-9: retransmissions by number of sessions at 220 ms."""
    found = _sweep(lab, (CAROLINA_EXPANSION, CAROLINA_REDUCTION), ALL)
    lss = [measures.again(found[Case("LSS", CAROLINA_EXPANSION, n)]) for n in SESSIONS]
    one = statements.again(found, CAROLINA_REDUCTION, ALL)
    lone = statements.again(found, CAROLINA_EXPANSION, ALL)
    return Findings(
        measured={
            "cav.nc.rtx.exp": statements.measured("cav.nc.rtx.exp", found),
            "cav.nc.rtx.red": statements.measured("cav.nc.rtx.red", found),
        },
        answers=[
            (
                f"On 1G-1G a lone QS-app sends {lone['QS-app']} packets again, Reno"
                f" {lone['Reno']}, and LSS {', '.join(map(str, lss))} with"
                f" {', '.join(map(str, SESSIONS))} sessions."
            ),
            (
                f"From 1 Gbit/s into 100 Mbit/s a lone QS-app sends {one['QS-app']} packets again,"
                f" {one[PACED]} when its window is paced over the first round trip, Reno"
                f" {one['Reno']} and LSS {one['LSS']}."
            ),
        ],
        tables=[
            _table("carolina-sessions-expansion", CAROLINA_EXPANSION, found, ALL),
            _table("carolina-sessions-reduction", CAROLINA_REDUCTION, found, ALL),
        ],
        pictures=[
            _picture(
                "carolina-sessions",
                "North Carolina",
                (CAROLINA_EXPANSION, CAROLINA_REDUCTION),
                found,
                ALL,
            ),
        ],
    )


def _sweep(lab: Lab, paths: Sequence[Path], schemes: Sequence[str]) -> Found:
    cases = [case for path in paths for n in SESSIONS for case in of_schemes(path, schemes, n)]
    # The statements on North Carolina take fewer numbers of sessions, all of them among these.
    return statements.literally(lab, cases)


def _gaps(lab: Lab) -> ByGap:
    paths = (EXPANSION, REDUCTION)
    setups = {gap: replace(LITERAL, gap=gap) for gap in GAPS}
    asked = [
        (setup, case)
        for setup in setups.values()
        for path in paths
        for case in of_schemes(path, sessions=TOGETHER)
    ]
    found = statements.find(lab, asked)
    return {
        (gap, path): {s: found[setups[gap], Case(s, path, TOGETHER)] for s in SCHEMES}
        for path in paths
        for gap in GAPS
    }


def _least(of: dict[str, list[Transfer]]) -> str:
    return min(of, key=lambda scheme: measures.again(of[scheme]))


def _row(of: dict[str, list[Transfer]]) -> dict[str, Cell]:
    return {
        **{f"{s}, mean s": round(measures.mean_seconds(one), 1) for s, one in of.items()},
        **{f"{s}, again": measures.again(one) for s, one in of.items()},
    }


def _table(name: str, path: Path, found: Found, schemes: Sequence[str]) -> Table:
    rows: list[dict[str, Cell]] = [
        {"sessions": n, **_row({scheme: found[Case(scheme, path, n)] for scheme in schemes})}
        for n in SESSIONS
    ]
    return Table(
        name,
        f"{path.name}, {path.rtt}: mean completion time and packets sent again by all sessions,"
        f" starts {LITERAL.gap} apart.",
        rows,
    )


def _gap_table(two: ByGap) -> Table:
    rows: list[dict[str, Cell]] = [
        {"interface - path": path.name, "gap": gap, **_row(of)} for (gap, path), of in two.items()
    ]
    return Table("chicago-gaps", "Two sessions by the gap between their starts.", rows)


def _picture(
    name: str, where: str, paths: Sequence[Path], found: Found, schemes: Sequence[str]
) -> Picture:
    def draw() -> "Figure":
        from flowstart_papers.drawing import panels

        return panels(*(_panel(path, found, schemes) for path in paths))

    names = " and ".join(path.name for path in paths)
    caption = f"{where}, {names}: packets sent again by number of sessions; none are not drawn."
    return Picture(name, caption, draw)


def _panel(path: Path, found: Found, schemes: Sequence[str]) -> "Panel":
    from flowstart_papers.drawing import Axis, Panel

    curves = {
        scheme: (
            SESSIONS,
            [measures.again(found[Case(scheme, path, n)]) or None for n in SESSIONS],
        )
        for scheme in schemes
    }
    x = Axis("simultaneous sessions", ticks=SESSIONS)
    return Panel(x, Axis("packets sent again", "log"), curves, title=path.name)


EXPERIMENTS = (
    Experiment(
        id="CAV-6",
        figure="Chicago, simultaneous sessions",
        question="What do simultaneous sessions from one server do to each other?",
        run=chicago,
    ),
    Experiment(
        id="CAV-9",
        figure="North Carolina, retransmissions",
        question="How much does each startup retransmit with 1 to 8 sessions?",
        run=carolina,
    ),
)
