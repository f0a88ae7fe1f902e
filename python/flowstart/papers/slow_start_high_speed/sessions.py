"""Simultaneous sessions from one server: Chicago (CAV-6), North Carolina (CAV-9)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.slow_start_high_speed import outcomes
from flowstart.papers.slow_start_high_speed.outcomes import Transfer
from flowstart.papers.slow_start_high_speed.setups import (
    ALIKE,
    NORTH_CAROLINA,
    PACED,
    SCHEMES,
    Path,
    transfer,
)
from flowstart.papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.papers.drawing import Panel

SESSIONS = (1, 2, 3, 4, 6, 8)
CAROLINA_SESSIONS = (1, 2, 4, 8)
GAPS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between two sessions' starts; the slides only say that one is first."""
GAP = 1.0

Swept = dict[int, dict[str, list[Transfer]]]
"""By number of sessions, then by scheme."""
Pairs = dict[tuple[str, float], dict[str, list[Transfer]]]
"""Two sessions by path and gap, then by scheme."""


def chicago(lab: Lab) -> Findings:
    """CAV-6: two sessions, one after the other, and up to eight."""
    wide, narrow = Path(1000, 1000), Path(10_000, 1000)
    expansion, reduction = (_sweep(lab, path, SESSIONS, SCHEMES) for path in (wide, narrow))
    two = _gaps(lab, (wide, narrow))
    expanding, shrinking = ({gap: two[path.name, gap] for gap in GAPS} for path in (wide, narrow))
    least = [gap for gap, found in shrinking.items() if _least_is_lss(found)]
    reno, lss = (expanding[GAP][scheme] for scheme in ("Reno", "LSS"))
    together = (
        f"Two sessions {GAP:g} s apart on 1G-1G: Reno takes {outcomes.mean_seconds(reno):.0f} s on"
        f" average and sends {outcomes.again(reno)} packets again, LSS"
        f" {outcomes.mean_seconds(lss):.0f} s and {outcomes.again(lss)}."
    )
    fewest = (
        f"On 10G-1G LSS sends the least again at {len(least)} of {len(GAPS)} gaps between two"
        f" starts, and with {_numbers(reduction, 'LSS')} sessions."
    )
    return Findings(
        measured={
            "cav.chi.sim.exp": _similar(expanding),
            "cav.chi.sim.red": Measured(
                {scheme: outcomes.again(found) for scheme, found in shrinking[GAP].items()},
                holds=len(least) == len(GAPS),
                because="LSS does not send the least again at every gap between the starts.",
                shown_by="CAV-6",
            ),
        },
        answers=[together, fewest],
        tables=[
            _table("chicago-sessions-expansion", wide, expansion),
            _table("chicago-sessions-reduction", narrow, reduction),
            _gap_table(two, (wide, narrow)),
        ],
        pictures=[
            _picture("chicago-sessions", {"1G-1G": expansion, "10G-1G": reduction}, "Chicago")
        ],
    )


def _similar(expanding: dict[float, dict[str, list[Transfer]]]) -> Measured:
    """Whether Reno and LSS are alike at every gap; shown is the chosen one."""
    pair = {scheme: expanding[GAP][scheme] for scheme in ("Reno", "LSS")}
    return Measured(
        {f"{scheme}, s": outcomes.mean_seconds(found) for scheme, found in pair.items()}
        | {f"{scheme}, again": float(outcomes.again(found)) for scheme, found in pair.items()},
        holds=all(_alike(found) for found in expanding.values()),
        because="Two limited slow starts of 1 GB never fill path and queue, so they lose nothing,"
        " while Reno overshoots; how long Reno then takes hangs on when the second session meets"
        " the first one's queue.",
        shown_by="CAV-6",
    )


def carolina(lab: Lab) -> Findings:
    """CAV-9: retransmissions by number of sessions at 220 ms."""
    wide, narrow = Path(1000, 1000, NORTH_CAROLINA), Path(1000, 100, NORTH_CAROLINA)
    expansion = _sweep(lab, wide, CAROLINA_SESSIONS, SCHEMES)
    reduction = _sweep(lab, narrow, CAROLINA_SESSIONS, (*SCHEMES, PACED))
    most = [n for n, found in expansion.items() if _most(found) == "QS-app"]
    lss = [outcomes.again(found["LSS"]) for found in expansion.values()]
    app, paced = (outcomes.again(reduction[1][scheme]) for scheme in ("QS-app", PACED))
    by_number = (
        f"On 1G-1G QS-app sends the most again with {_listed(most)} sessions, and LSS"
        f" {', '.join(map(str, lss))} packets with {_listed(CAROLINA_SESSIONS)}."
    )
    pacing = (
        f"From 1 Gbit/s into 100 Mbit/s a lone QS-app sends {app} packets again, and {paced} when"
        f" paced over the first round trip."
    )
    return Findings(
        measured={
            "cav.nc.rtx.exp": _most_is_quick_start(expansion),
            "cav.nc.rtx.red": Measured(
                {scheme: outcomes.again(found) for scheme, found in reduction[1].items()},
                holds=all(_in_order(found) for found in reduction.values()),
                because="The interface's window spread over one round trip leaves at the"
                " interface's own speed: pacing it changes nothing. Pacing helps where the window"
                " is made for less than the interface.",
                shown_by="CAV-10",
            ),
        },
        answers=[by_number, pacing],
        tables=[
            _table("carolina-sessions-expansion", wide, expansion),
            _table("carolina-sessions-reduction", narrow, reduction),
        ],
        pictures=[
            _picture("carolina-sessions-expansion", {"1G-1G": expansion}, "North Carolina"),
            _picture("carolina-sessions-reduction", {"1G-100M": reduction}, "North Carolina"),
        ],
    )


def _most_is_quick_start(expansion: Swept) -> Measured:
    """Whether QS-app retransmits the most with any number of sessions, and LSS ever more."""
    lss = [outcomes.again(found["LSS"]) for found in expansion.values()]
    grows = lss == sorted(lss) and lss[-1] > lss[0]
    return Measured(
        {
            f"{scheme}, {n}": outcomes.again(found)
            for n, swept in expansion.items()
            for scheme, found in swept.items()
        },
        holds=grows and all(_most(found) == "QS-app" for found in expansion.values()),
        because="A lone QS-app's window just fits path and queue and loses nothing, while Reno"
        " overshoots, as the slides say of Chicago; from two sessions on each opens with the whole"
        " interface's window and QS-app does send the most again.",
        shown_by="CAV-4",
    )


def _sweep(lab: Lab, path: Path, numbers: Sequence[int], schemes: Sequence[str]) -> Swept:
    documents = [
        transfer(scheme, path, sessions=n, gap=f"{GAP:g}s") for n in numbers for scheme in schemes
    ]
    found = iter(lab.runs(documents, outcomes.transfers))
    return {n: {scheme: next(found) for scheme in schemes} for n in numbers}


def _gaps(lab: Lab, paths: Sequence[Path]) -> Pairs:
    documents = [
        transfer(scheme, path, sessions=2, gap=f"{gap:g}s")
        for path in paths
        for gap in GAPS
        for scheme in SCHEMES
    ]
    found = iter(lab.runs(documents, outcomes.transfers))
    return {
        (path.name, gap): {scheme: next(found) for scheme in SCHEMES}
        for path in paths
        for gap in GAPS
    }


def _alike(found: dict[str, list[Transfer]]) -> bool:
    pair = [found["Reno"], found["LSS"]]
    return all(
        outcomes.spread([of(one) for one in pair]) <= ALIKE
        for of in (outcomes.mean_seconds, outcomes.again)
    )


def _least_is_lss(found: dict[str, list[Transfer]]) -> bool:
    others = [outcomes.again(found[scheme]) for scheme in ("Reno", "QS-app")]
    return outcomes.again(found["LSS"]) < min(others)


def _most(found: dict[str, list[Transfer]]) -> str:
    return max(SCHEMES, key=lambda scheme: outcomes.again(found[scheme]))


def _in_order(found: dict[str, list[Transfer]]) -> bool:
    app, paced, reno, lss = (
        outcomes.again(found[scheme]) for scheme in ("QS-app", PACED, "Reno", "LSS")
    )
    return app > paced > max(reno, lss)


def _numbers(swept: Swept, least: str) -> str:
    return _listed(
        [n for n, found in swept.items() if outcomes.again(found[least]) == _fewest(found)]
    )


def _fewest(found: dict[str, list[Transfer]]) -> int:
    return min(outcomes.again(one) for one in found.values())


def _listed(numbers: Sequence[int]) -> str:
    if not numbers:
        return "no number of"
    *most, last = map(str, numbers)
    return f"{', '.join(most)} and {last}" if most else last


def _row(found: dict[str, list[Transfer]]) -> dict[str, Cell]:
    return {
        **{f"{s}, mean s": round(outcomes.mean_seconds(one), 1) for s, one in found.items()},
        **{f"{s}, again": outcomes.again(one) for s, one in found.items()},
    }


def _table(name: str, path: Path, swept: Swept) -> Table:
    rows: list[dict[str, Cell]] = [{"sessions": n, **_row(found)} for n, found in swept.items()]
    return Table(
        name,
        f"{path.name}, {path.rtt}: mean completion time and packets sent again by all sessions,"
        f" starts {GAP:g} s apart.",
        rows,
    )


def _gap_table(two: Pairs, paths: Sequence[Path]) -> Table:
    rows: list[dict[str, Cell]] = [
        {"interface - path": path.name, "gap, s": gap, **_row(two[path.name, gap])}
        for path in paths
        for gap in GAPS
    ]
    return Table("chicago-gaps", "Two sessions by the gap between their starts.", rows)


def _picture(name: str, swept: dict[str, Swept], where: str) -> Picture:
    def draw() -> "Figure":
        from flowstart.papers.drawing import panels

        return panels(*(_panel(title, numbers) for title, numbers in swept.items()))

    paths = " and ".join(swept)
    caption = f"{where}, {paths}: packets sent again by number of sessions; none are not drawn."
    return Picture(name, caption, draw)


def _panel(title: str, swept: Swept) -> "Panel":
    from flowstart.papers.drawing import Axis, Panel

    numbers = list(swept)
    curves = {
        scheme: (numbers, [outcomes.again(found[scheme]) or None for found in swept.values()])
        for scheme in next(iter(swept.values()))
    }
    x = Axis("simultaneous sessions", ticks=numbers)
    return Panel(x, Axis("packets sent again", "log"), curves, title=title)
