"""Windows over time, completion times, retransmissions, sessions, and the final slide."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from flowstart_papers.experiment import Findings, Picture, Table, experiment, table
from flowstart_papers.frames import by_case, grid
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, Panel, bars, lines, panel, panels_by
from flowstart_papers.slow_start_high_speed import measures, statements
from flowstart_papers.slow_start_high_speed.setups import (
    CHICAGO,
    LITERAL,
    NORTH_CAROLINA,
    PACED,
    SCHEMES,
    TWIN,
    Handover,
    Path,
    transfer,
)
from flowstart_papers.slow_start_high_speed.statements import (
    BEHIND_INTERFACES,
    CAROLINA_EXPANSION,
    CAROLINA_REDUCTION,
    CAROLINA_SLOW,
    EXPANSION,
    REDUCTION,
    REDUCTIONS,
    TOGETHER,
    measured_of,
)
from flowstart_papers.target import Measured

ALL = (*SCHEMES, PACED)

# Slide 4: the window that QS-app opens with.

WINDOWS = {
    "chicago.100m": Path(100, 100, CHICAGO),
    "chicago.1g": Path(1000, 1000, CHICAGO),
    "chicago.10g": Path(10_000, 10_000, CHICAGO),
    "ncsu.100m": Path(100, 100, NORTH_CAROLINA),
    "ncsu.1g": Path(1000, 1000, NORTH_CAROLINA),
}


@experiment("CAV-WINDOW", "slide 4", quick=True)
def cav_window(lab: Lab) -> Findings:
    """With which window does QS-app open?"""
    # Long enough for the handshake; of the first flight nothing needs to be seen.
    found = lab.frame(
        lambda name: transfer("QS-app", WINDOWS[name]) | {"duration": "225ms"},
        grid(name=WINDOWS),
        measures.opening,
        trace=True,
    ).with_columns(holds=pl.Series([path.holds for path in WINDOWS.values()]))
    excess = 100 * (max(found["value"] / found["holds"]) - 1)
    return Findings(
        values=found,
        answers=[
            f"The formula counts payload: its windows exceed what the path holds by {excess:.1f} "
            "%, the headers' share, and the interface's queue must hold it.",
        ],
        tables=[table("windows", "The first window, interface speed x RTT / MSS, and what the path "
                      "holds (packets)", found)],
    )  # fmt: skip


# The congestion windows over time.

HANDOVERS: dict[Handover, str] = {
    "at once": "all at once (literal)",
    "spread": "as fast as the interface sends",
}
"""The two ways of the first window that are drawn."""


def _curves(lab: Lab, name: str, where: str, path: Path) -> tuple[pl.DataFrame, Table, Picture]:
    """One transfer by each scheme, for both ways of the first window."""
    cases = grid(way=HANDOVERS, scheme=SCHEMES)
    found = lab.frame(
        lambda way, scheme: transfer(scheme, path, replace(LITERAL, handover=way)),
        cases, measures.window, trace=True)  # fmt: skip
    top = 1.15 * max(found["largest"])
    panels = []
    for way, called in HANDOVERS.items():
        rows = found.filter(way=way).rows(named=True)
        panels.append(Panel(
            Axis("time, s"), Axis("congestion window, packets", limits=(0, top)),
            {row["scheme"]: (row["time_s"], row["cwnd"]) for row in rows},
            title=f"first window {called}", steps=True, marks=False,
            level={f"the path holds {path.holds:,.0f}": path.holds}))  # fmt: skip
    times = found.select("way", "scheme", "seconds", "largest", "again")
    return (
        times,
        table(
            name, "One transfer of 1 GB, 1G-1G: seconds, largest window, packets sent again", times
        ),
        lines(name, f"Windows over time until the last byte: {where}", *panels),
    )


@experiment("CAV-1", "Chicago, cwnd dynamics", quick=True)
def cav_1(lab: Lab) -> Findings:
    """How do the windows of one transfer over 1G-1G develop, and when is it done?"""
    times, shown, picture = _curves(lab, "chicago", "Chicago, 1G-1G, 180 ms", EXPANSION)
    took = by_case(times, ("way", "scheme"), "seconds")
    found = measured_of(lab, "cav.chi.half", "cav.chi.quarter")
    quick, reno, lss = (took["at once", scheme] for scheme in SCHEMES)
    literal = statements.seconds(
        statements.literally(lab, statements.of_schemes(EXPANSION)), EXPANSION
    )
    return Findings(
        measured={**found, "cav.chi.qs.time": literal["QS-app"]},
        answers=[
            f"QS-app takes {quick:.1f} s, {quick / reno:.2f} of Reno's {reno:.1f} s and "
            f"{quick / lss:.2f} of LSS's {lss:.1f} s. With its window no faster than the interface "
            f"sends it takes {took['spread', 'QS-app']:.1f} s, and the other two what they took.",
        ],
        tables=[shown],
        pictures=[picture],
    )


@experiment("CAV-7", "North Carolina, cwnd dynamics")
def cav_7(lab: Lab) -> Findings:
    """Are QS-app and LSS the slowest at 220 ms?"""
    where = "North Carolina, 1G-1G, 220 ms"
    times, shown, picture = _curves(lab, "north-carolina", where, CAROLINA_EXPANSION)
    took = by_case(times.filter(way="at once"), "scheme", "seconds")
    return Findings(
        measured=measured_of(lab, "cav.nc.cwnd"),
        answers=[
            f"On an idle 1G-1G path QS-app takes {took['QS-app']:.1f} s, Reno {took['Reno']:.1f} s "
            f"and LSS {took['LSS']:.1f} s.",
        ],
        tables=[shown],
        pictures=[picture],
    )


# One transfer at a time: completion times and retransmissions by interface and path.

WIDE = (Path(100, 1000), EXPANSION, Path(10_000, 10_000))
CAROLINA = (CAROLINA_SLOW, CAROLINA_EXPANSION, CAROLINA_REDUCTION)
WHAT = {"seconds": "completion time, s", "again": "packets sent again"}


def _single(
    lab: Lab, name: str, where: str, column: str, paths: Sequence[Path], *targets: str
) -> Findings:
    """One transfer by each scheme on each path, the paced window too."""
    found = statements.frame(lab, {"literal": LITERAL}, paths, ALL)
    at = by_case(found, ("path", "scheme"), column)
    names = [path.name for path in paths]
    heights = {scheme: [at[path, scheme] or None for path in names] for scheme in ALL}
    of = "; ".join(
        f"{path}: " + ", ".join(f"{scheme} {at[path, scheme]:,.0f}" for scheme in ALL)
        for path in names
    )
    none = " No bar: none" if column == "again" else ""
    return Findings(
        measured=measured_of(lab, *targets),
        answers=[f"{WHAT[column].capitalize()}, by interface and path: {of}."],
        tables=[table(name, "One transfer of 1 GB", found.drop("setup", "sessions"))],
        pictures=[bars(name, f"{where}: {WHAT[column]}, one transfer of 1 GB.{none}",
                       Axis(WHAT[column], "log" if column == "again" else "linear"), names,
                       heights)],
    )  # fmt: skip


@experiment("CAV-2", "Chicago, transaction time, expansion", quick=True)
def cav_2(lab: Lab) -> Findings:
    """Does a quick ramp-up shorten transfers where capacity expands?"""
    where = "Chicago, capacity expansion"
    return _single(lab, "chicago-expansion", where, "seconds", WIDE, "cav.chi.order.exp")


@experiment("CAV-3", "Chicago, transaction time, reduction", quick=True)
def cav_3(lab: Lab) -> Findings:
    """How long does a window for the interface take where capacity shrinks?"""
    where, targets = "Chicago, capacity reduction", ("cav.chi.time.red", "cav.chi.reset")
    return _single(lab, "chicago-reduction", where, "seconds", REDUCTIONS, *targets)


@experiment("CAV-4", "Chicago, retransmissions, expansion")
def cav_4(lab: Lab) -> Findings:
    """How much does each startup retransmit where capacity expands?"""
    where = "Chicago, capacity expansion"
    return _single(lab, "chicago-expansion-again", where, "again", WIDE, "cav.chi.rtx.exp")


@experiment("CAV-5", "Chicago, retransmissions, reduction")
def cav_5(lab: Lab) -> Findings:
    """How much does each startup retransmit where capacity shrinks?"""
    where = "Chicago, capacity reduction"
    return _single(lab, "chicago-reduction-again", where, "again", REDUCTIONS, "cav.chi.rtx.red")


@experiment("CAV-8", "North Carolina, transaction time")
def cav_8(lab: Lab) -> Findings:
    """Are all alike where capacity expands, and QS-app the slowest where it shrinks?"""
    targets = ("cav.nc.time.exp", "cav.nc.time.red")
    return _single(lab, "north-carolina-times", "North Carolina", "seconds", CAROLINA, *targets)


# Simultaneous sessions from one server.

SESSIONS = (1, 2, 4, 8)
GAPS = {gap: replace(LITERAL, gap=gap) for gap in ("0s", "500ms", "1s", "2s", "5s", "10s")}
"""Between two sessions' starts; the slides only say that one is first."""


def _sessions(found: pl.DataFrame, name: str, where: str) -> tuple[Table, Picture]:
    shown = found.with_columns(again=pl.when(pl.col("again") > 0).then("again"))
    return (
        table(name, "Mean completion time and packets sent again by all sessions, starts "
              f"{LITERAL.gap} apart", found.drop("setup", "silent_s", "in_a_row")),
        lines(name, f"{where}: packets sent again by number of sessions; none are not drawn",
              *panels_by(shown, "path", "{}",
                         ("sessions", Axis("simultaneous sessions", ticks=SESSIONS)),
                         ("again", Axis("packets sent again", "log")), "scheme")),
    )  # fmt: skip


@experiment("CAV-6", "Chicago, simultaneous sessions")
def cav_6(lab: Lab) -> Findings:
    """What do simultaneous sessions from one server do to each other?"""
    paths = (EXPANSION, REDUCTION)
    found = statements.frame(lab, {"literal": LITERAL}, paths, SCHEMES, SESSIONS)
    two = statements.frame(lab, GAPS, paths, SCHEMES, [TOGETHER])
    reno = two.filter(path=EXPANSION.name, scheme="Reno")["seconds"]
    least = (
        two.filter(path=REDUCTION.name).sort("again", maintain_order=True).group_by("setup").first()
    )
    shown, picture = _sessions(found, "chicago-sessions", "Chicago")
    return Findings(
        measured=measured_of(lab, "cav.chi.sim.exp", "cav.chi.sim.red"),
        answers=[
            f"Two sessions on 1G-1G: over all gaps Reno takes {min(reno):.0f} to {max(reno):.0f} "
            f"s. On 10G-1G LSS retransmits fewest at {(least['scheme'] == 'LSS').sum()} of "
            f"{len(GAPS)} gaps between two starts.",
        ],
        tables=[shown, table("chicago-gaps", "Two sessions by the gap between their starts", two)],
        pictures=[picture],
    )


@experiment("CAV-9", "North Carolina, retransmissions")
def cav_9(lab: Lab) -> Findings:
    """How much does each startup retransmit with 1 to 8 sessions?"""
    paths = (CAROLINA_EXPANSION, CAROLINA_REDUCTION)
    found = statements.frame(lab, {"literal": LITERAL}, paths, ALL, SESSIONS)
    one = by_case(found.filter(sessions=1, path=CAROLINA_REDUCTION.name), "scheme", "again")
    shown, picture = _sessions(found, "carolina-sessions", "North Carolina")
    return Findings(
        measured=measured_of(lab, "cav.nc.rtx.exp", "cav.nc.rtx.red"),
        answers=[
            f"From 1 Gbit/s into 100 Mbit/s a lone QS-app sends {one['QS-app']} packets again, "
            f"{one[PACED]} when its window is paced over the first round trip, Reno {one['Reno']} "
            f"and LSS {one['LSS']}.",
        ],
        tables=[shown],
        pictures=[picture],
    )


# What the final slide remarks on pacing, fast interfaces and slow paths.

RATES = (500, 1000, 1500, 2000, 3000, 5000, 7000, 10_000)
"""That a window is made for, in Mbit/s; the last one is the interface's."""
SLOW, FAST = Path(100, 100), Path(10_000, 10_000)
MODELLED = {"QS-app": 1.2, "Reno": 3.8, "LSS": 30.6}
"""Seconds at 10 Gbit/s without loss, as a model has them."""
MODELLED_WITHIN = 15.0
"""Percent."""
WITHOUT_LOSS = replace(LITERAL, ack="every", handover="never dropped")
"""The model behind the expected times has an ACK for each packet and no loss."""


def _seconds(lab: Lab, path: Path, setup: Any) -> dict[str, float]:
    found = lab.runs([transfer(scheme, path, setup) for scheme in SCHEMES], measures.transfers)
    return {scheme: of[0]["seconds"] for scheme, of in zip(SCHEMES, found, strict=True)}


@experiment("CAV-10", "final slide")
def cav_10(lab: Lab) -> Findings:
    """Do bursts cause loss, can a faster interface be slower, does the ramp matter?"""
    flights = lab.frame(
        lambda mbps, scheme: transfer(scheme, REDUCTION, window_mbps=mbps),
        grid(mbps=RATES, scheme=(TWIN, PACED)), measures.first_flight, trace=True)  # fmt: skip
    slow, lossless, fast = (
        _seconds(lab, path, setup)
        for path, setup in ((SLOW, LITERAL), (SLOW, WITHOUT_LOSS), (FAST, WITHOUT_LOSS))
    )
    spread, without = (measures.spread(list(each.values())) for each in (slow, lossless))
    as_modelled = fast["QS-app"] < fast["Reno"] < fast["LSS"] and all(
        abs(fast[s] - expected) <= MODELLED_WITHIN / 100 * expected
        for s, expected in MODELLED.items()
    )
    behind = statements.frame(lab, {"literal": LITERAL}, BEHIND_INTERFACES, ["QS-app"])
    at = {(mbps, scheme): row for mbps, scheme, *row in flights.rows()}
    ramp = [{"scheme": s, "100 Mbit/s, s": slow[s], "100 Mbit/s without loss, s": lossless[s],
             "10 Gbit/s without loss, s": fast[s],
             "modelled, s": MODELLED[s]} for s in SCHEMES]  # fmt: skip
    drawn = flights.with_columns(
        gbits=pl.col("mbps") / 1000, thousands=pl.col("first") / 1000,
        way=pl.col("scheme").replace({TWIN: "at once", PACED: "paced"}))  # fmt: skip
    x = ("gbits", Axis("first window made for, Gbit/s", "log", ticks=[0.5, 1, 2, 3, 5, 10]))
    (burst_s, burst, _), (paced_s, paced, _) = (at[1000, scheme] for scheme in (TWIN, PACED))
    took = ", ".join(f"{seconds:.0f} s" for seconds in behind["seconds"])
    return Findings(
        measured={
            **measured_of(lab, "cav.b2b", "cav.nic"),
            "cav.100m.flat": spread,
            "cav.10g.spread": Measured(fast, as_modelled),
        },
        answers=[
            f"Of a window for 1 Gbit/s that a 10-Gbit/s interface sends at once {burst} packets "
            f"are lost, paced {paced} ({burst_s:.0f} against {paced_s:.1f} s).",
            f"Over a fixed 100-Mbit/s path QS-app takes {took} with an interface of 100 Mbit/s, 1 "
            "and 10 Gbit/s.",
            f"The starts are {spread:.0f} % apart at 100 Mbit/s, {without:.1f} % without loss; at "
            f"10 Gbit/s without loss by a factor of {max(fast.values()) / min(fast.values()):.0f}.",
        ],
        tables=[
            table("pacing", "10G-1G, 180 ms: the same first window at once and paced", flights),
            table("interfaces", "QS-app over a 100-Mbit/s path", behind),
            table("ramp", "1 GB over a path as fast as the interface, 180 ms", pl.DataFrame(ramp)),
        ],
        pictures=[lines(
            "pacing", "10G-1G: what pacing the first window saves",
            panel(drawn, x, ("thousands", Axis("lost of the first flight, thousand packets",
                                               limits=(0, None))), "way"),
            panel(drawn, x, ("seconds", Axis("completion time, s", limits=(0, None))), "way"))],
    )  # fmt: skip
