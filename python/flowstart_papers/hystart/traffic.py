"""Study: Fig. 4's base case on a link that others use too, and why slow start can win there.

Where it leaves slow start near the BDP, Hybrid Slow Start uses more of the link than slow start.
But its delay sign looks at eight packets of a round, and a burst of others in front of these looks
like a queue that grows. It then leaves at whatever window it has, and CUBIC, which knows of no
earlier loss, needs tens of seconds from there. So the mean hangs on how often that happens.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.cases import by_case
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import figure4, measures, setups
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARES = (0.05, 0.1, 0.2, 0.4)
"""Of the link, what others take each way."""
MAIN = 0.1
HYBRID, SLOW, TRAIN = "Hybrid Slow Start", "slow start", "by the train alone"
STARTS = {
    HYBRID: setups.HYBRID,
    SLOW: setups.SLOW_START,
    TRAIN: f"{setups.HYBRID},detect=train",
}
SEEDS = {0.05: 12, 0.1: 40, 0.2: 12, 0.4: 12}
"""Most where the question is which of the two is ahead."""
EXIT_SEEDS = 100
"""Short runs, which tell how often the first flow leaves early."""
EXIT_S = 6.0
RATE, RTT = LITERAL.fig4_fixed
BDP = setups.bdp(RATE, RTT)
EARLY = 0.25
"""An exit below this share of the BDP is early; a train cannot end it there."""
RISE_S = RTT / 16 / 1e3
"""The rise of a round's delay that ends slow start."""
ROUNDS = math.log(BDP / 2 / 16, 1.5)
"""Of 16 packets and more until a train ends it, with delayed ACKs."""
CUBE = 0.4
"""CUBIC's constant: packets per cubic second."""

Found = Mapping[tuple[float, str], list[dict[str, Any]]]
"""Utilisation and exits by share and startup, a run for each seed."""


def document(share: float, name: str, seed: int) -> Document:
    """Fig. 4's base case with others."""
    setup = Setup(traffic=share)
    run = figure4.document((RATE, RTT, figure4.BUFFER), HYBRID, seed, setup)
    run["flows"][0]["startup"] = STARTS[name]
    return run


def beginning(share: float, seed: int) -> Document:
    """The same until the first flow has left its startup."""
    run = document(share, HYBRID, seed)
    run["flows"][0] |= {"count": 1}
    return run | {"duration": f"{figure4.STARTS[0] + EXIT_S:g}s"}


def others(share: float, seed: int) -> Document:
    """The others alone."""
    run = document(share, HYBRID, seed)
    return {**run, "flows": [{"startup": setups.SLOW_START, "size": "1pkt"}], "duration": "40s"}


def queued(run: Run) -> float:
    """The share of time in which a packet would wait longer than the rise that counts."""
    samples = run.queue_samples
    assert samples is not None
    mine = samples.filter(samples["direction"] == 0)
    arrived, empty = (mine[name].to_numpy() / 1e9 for name in ("time_ns", "empty_ns"))
    if not len(arrived):
        return 0.0
    at = np.arange(arrived[0], arrived[-1], 0.005)
    last = np.searchsorted(arrived, at, side="right") - 1
    return float((empty[last] - at > RISE_S).mean())


def run(lab: Lab) -> Findings:
    """Utilisation and exits over the share of others."""
    keys = [(share, name) for share in SHARES for name in STARTS]
    documents = [document(*key, s) for key in keys for s in range(1, SEEDS[key[0]] + 1)]
    runs = iter(figure4.uses_from_start(lab, documents))
    found = {key: [next(runs) for _ in range(SEEDS[key[0]])] for key in keys}
    short = range(1, EXIT_SEEDS + 1)
    begins = {share: [beginning(share, s) for s in short] for share in SHARES}
    both = by_case(lab, begins, measures.exits)
    exits = {share: [first for first, *_ in both[share]] for share in SHARES}
    busy = lab.runs([others(share, 1) for share in SHARES], queued, trace=True)
    rows = [
        _row(found, share, exits[share], waits) for share, waits in zip(SHARES, busy, strict=True)
    ]
    return Findings(
        answers=_says(found, rows),
        tables=[
            Table(
                "traffic",
                f"Utilisation from the first start on (%) at {RATE:g} Mbit/s, {RTT:g} ms, 1 BDP "
                f"with others both ways, {SEEDS[MAIN]} seeds at {100 * MAIN:g} %, else "
                f"{min(SEEDS.values())}; low and high are 95 % intervals of the mean",
                [_use(found, share, name) for share in SHARES for name in STARTS],
            ),
            Table(
                "early",
                f"How often the first flow leaves below {EARLY:g} BDP, {EXIT_SEEDS} seeds, and how "
                "often it should by the time in which the queue of the others alone is longer than "
                "the rise that counts. The last three columns are what runs that leave early and "
                "others have above slow start, weighted by these frequencies and by their ends",
                rows,
            ),
        ],
        pictures=[
            Picture(
                "traffic",
                "Left, utilisation that Hybrid Slow Start, and its train alone, have above slow "
                "start on the same draws, over the share of others; bands are 95 % intervals. "
                "Right, how often its first flow leaves early, against what the others' queue lets "
                "expect",
                lambda: draw(found, rows),
            ),
            Picture(
                "runs",
                f"Utilisation over the first flow's exit, every run with {100 * MAIN:.0f} % of "
                "others: a run is good, or it left early",
                lambda: draw_runs(found),
            ),
        ],
    )


def is_early(flow: dict[str, Any]) -> bool:
    """Whether a flow left where only a burst of others can have ended its startup."""
    return flow["cwnd"] is not None and flow["cwnd"] < EARLY * BDP


def gained(found: Found, share: float, name: str) -> list[float]:
    """Points above slow start, by seed."""
    return [
        mine["use"] - its["use"]
        for mine, its in zip(found[share, name], found[share, SLOW], strict=True)
    ]


def of_exits(found: Found, shares: Sequence[float], *, early: bool) -> list[float]:
    """Points above slow start of those runs that left early, or of the others."""
    return [
        points
        for share in shares
        for points, one in zip(gained(found, share, HYBRID), found[share, HYBRID], strict=True)
        if is_early(one["exits"][0]) == early
    ]


def _use(found: Found, share: float, name: str) -> dict[str, Any]:
    runs = found[share, name]
    values = [one["use"] for one in runs]
    low, high = interval(values)
    above = interval(gained(found, share, name))
    return {
        "others (%)": 100 * share,
        "startup": name,
        "utilisation (%)": round(mean(values), 1),
        "low": round(low, 1),
        "high": round(high, 1),
        "least": round(min(values), 1),
        "most": round(max(values), 1),
        "above slow start": round(mean(gained(found, share, name)), 1),
        "above, low": round(above[0], 1),
        "above, high": round(above[1], 1),
        "early exits": sum(is_early(one["exits"][0]) for one in runs),
        "lost (mean)": round(mean(one["lost"] for one in runs)),
        "timeouts (mean)": round(mean(one["timeouts"] for one in runs), 1),
    }


def _row(
    found: Found, share: float, exits: Sequence[dict[str, Any]], waits: float
) -> dict[str, Any]:
    early = [flow for flow in exits if is_early(flow)]
    low, high = interval([float(is_early(flow)) for flow in exits])
    good = mean(of_exits(found, [share], early=False))
    # Where none of so few seeds leaves early, the nearest share tells what that costs.
    by_distance = sorted(SHARES, key=lambda other: abs(other - share))
    costs = (of_exits(found, [other], early=True) for other in by_distance)
    bad = mean(next(filter(None, costs)))

    def weighted(often: float) -> float:
        return round((1 - often) * good + often * bad, 1)

    return {
        "others (%)": 100 * share,
        "left early (%)": round(100 * len(early) / len(exits), 1),
        "low": round(100 * low, 1),
        "high": round(100 * high, 1),
        "queue above the rise (% of time)": round(100 * waits, 2),
        "expected (%)": round(100 * (1 - (1 - waits) ** ROUNDS), 1),
        "least exit (packets)": min(round(flow["cwnd"]) for flow in exits if flow["cwnd"]),
        "above slow start, not early (points)": round(good, 1),
        "above slow start, early (points)": round(bad, 1),
        "above by these": weighted(len(early) / len(exits)),
        "above, low": weighted(high),
        "above, high": weighted(low),
    }


def _says(
    found: Found,
    rows: Sequence[dict[str, Any]],
) -> list[str]:
    lead, train = (gained(found, MAIN, name) for name in (HYBRID, TRAIN))
    (low, high), (least, most) = interval(lead), interval(train)
    row = rows[SHARES.index(MAIN)]
    uses = {name: mean(one["use"] for one in found[MAIN, name]) for name in STARTS}
    bad = row["above slow start, early (points)"]
    good = row["above slow start, not early (points)"]
    said = [
        (
            f"With {100 * MAIN:.0f} % of others Hybrid Slow Start uses {uses[HYBRID]:.1f} % of the "
            f"link and slow start {uses[SLOW]:.1f} %: {mean(lead):+.1f} points ({low:+.1f} to "
            f"{high:+.1f}) over {SEEDS[MAIN]} seeds. By its train alone it uses "
            f"{uses[TRAIN]:.1f} %, {mean(train):+.1f} points ({least:+.1f} to {most:+.1f})."
        ),
        (
            f"The delay sign makes the difference: {row['left early (%)']:g} % of {EXIT_SEEDS} "
            f"first flows ({row['low']:g} to {row['high']:g}) leave below {EARLY:g} BDP, some at "
            f"{row['least exit (packets)']} packets, behind a burst of others. CUBIC needs "
            f"{(BDP / CUBE) ** (1 / 3):.0f} s from there to the BDP."
        ),
    ]
    if bad < 0 < good:
        said.append(
            f"A run that does not leave early gains {good:.1f} points on slow start, one that does "
            f"loses {-bad:.1f}: it pays as long as fewer than {100 * good / (good - bad):.0f} % "
            f"leave early. By the frequency of the {EXIT_SEEDS} that is "
            f"{row['above by these']:+.1f} points ({row['above, low']:+.1f} to "
            f"{row['above, high']:+.1f})."
        )
    ends = {share: interval(gained(found, share, HYBRID)) for share in SHARES}
    by_row = dict(zip(SHARES, rows, strict=True))
    ahead = [s for s in SHARES if min(ends[s][0], by_row[s]["above, low"]) > 0]
    behind = [s for s in SHARES if max(ends[s][1], by_row[s]["above, high"]) < 0]
    said.append(
        f"Significantly ahead of slow start it is {_listed(ahead)}, significantly behind "
        f"{_listed(behind)}. Early exits: "
        + ", ".join(f"{r['left early (%)']:g} % at {r['others (%)']:g} %" for r in rows)
        + "."
    )
    return said


def _listed(shares: Sequence[float]) -> str:
    if not shares:
        return "with no share"
    return f"with {', '.join(f'{100 * share:g}' for share in shares)} % of others"


def draw(found: Found, rows: Sequence[dict[str, Any]]) -> "Figure":
    """The lead, and early exits, over the share."""
    from flowstart_papers import drawing

    xs = [100 * share for share in SHARES]
    curves, bands = {}, {}
    for name in (HYBRID, TRAIN):
        each = [gained(found, share, name) for share in SHARES]
        curves[name] = (xs, [mean(points) for points in each])
        bands[name] = drawing.band(xs, map(interval, each))
    shares = drawing.Axis("others (% of the link)", "log", ticks=xs)
    left = [row["left early (%)"] for row in rows]
    band = (xs, [row["low"] for row in rows], [row["high"] for row in rows])
    return drawing.panels(
        drawing.Panel(
            shares,
            drawing.Axis("points above slow start"),
            curves,
            bands=bands,
            title="utilisation",
            level={"slow start": 0.0},
        ),
        drawing.Panel(
            shares,
            drawing.Axis("first flows that leave early (%)", limits=(0, None)),
            {"left early": (xs, left), "expected": (xs, [row["expected (%)"] for row in rows])},
            bands={"left early": band},
            title="early exits",
        ),
    )


def draw_runs(found: Found) -> "Figure":
    """A point for each run."""
    from flowstart_papers import drawing

    points = {}
    for name in STARTS:
        runs = [one for one in found[MAIN, name] if one["exits"][0]["cwnd"]]
        points[name] = ([one["exits"][0]["cwnd"] for one in runs], [one["use"] for one in runs])
    chart = drawing.single(
        drawing.Axis("first flow's exit (packets)", "log", ticks=(20, 100, 500, 5000, 15000)),
        drawing.Axis("utilisation (%)"),
        points,
    )
    for line in chart.axes[0].get_lines():
        line.set_linestyle("none")
    chart.axes[0].axvline(BDP, color="0.5", linewidth=1, linestyle=(0, (2, 2)))
    chart.axes[0].annotate("BDP", (BDP, 0.5), xycoords=("data", "axes fraction"), color="0.3")
    chart.axes[0].legend(handles=chart.axes[0].get_lines()[:3])
    return chart


EXPERIMENTS = (
    Experiment(
        id="HY-TRAFFIC",
        figure="study",
        question="Does it still use the link better than slow start where others use it too?",
        run=run,
    ),
)
