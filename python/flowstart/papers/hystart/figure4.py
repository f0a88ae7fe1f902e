"""Fig. 4: how well two CUBIC flows use the link, over bandwidth, buffer and round-trip time."""

from collections.abc import Sequence
from statistics import mean
from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart.papers.experiment import Findings, Picture, Table
from flowstart.papers.hystart import setups
from flowstart.papers.lab import Lab
from flowstart.papers.measures import interval
from flowstart.papers.target import Measured
from flowstart.simulation import frames
from flowstart.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STARTS = (10.0, 40.0)
END = 70.0
RATE, RTT, BUFFER = 400.0, 160.0, 1.0
"""What holds while one of them is swept."""
RATES = (10.0, 50.0, 100.0, 200.0, 400.0)
BUFFERS = (0.1, 0.25, 0.5, 1.0, 2.0)
RTTS = (20.0, 40.0, 80.0, 120.0, 160.0)
SWEEPS = {
    "a": [(rate, RTT, BUFFER) for rate in RATES],
    "b": [(RATE, RTT, buffer) for buffer in BUFFERS],
    "c": [(RATE, rtt, BUFFER) for rtt in RTTS],
}
SWEPT = {"a": 0, "b": 2, "c": 1}
"""Which of a point's numbers is on the abscissa."""
AXES = {"a": "bandwidth (Mbit/s)", "b": "buffer (BDP)", "c": "round-trip time (ms)"}
SEEDS = 3
JITTER = "2s"
"""Each start is late by a draw of up to this, so that no verdict hangs on one moment."""
EQUAL = 0.5
"""Utilisations so many percentage points apart count as equal."""
BASE = (RATE, RTT, BUFFER)
SHARE = 0.1
"""Of the link, what other flows take each way where the base case is run with traffic."""
TRAFFIC_SEEDS = 8

Point = tuple[float, float, float]
"""Mbit/s, ms, and the buffer in BDP."""


def document(point: Point, startup: str, seed: int) -> Document:
    """Two flows alone."""
    rate, rtt, buffer = point
    link = setups.path(rate, rtt, buffer)
    flows = setups.two(link, startup, STARTS, END, avoidance=setups.CUBIC)
    flows["flows"][0]["jitter"] = JITTER
    return flows | {"seed": seed}


def with_traffic(startup: str, seed: int) -> Document:
    """The base case on a used link."""
    return document(BASE, startup, seed) | {"web": setups.background(SHARE * RATE, END)}


def use(run: Run) -> dict[str, Any]:
    """Utilisation in percent from the first start on, both flows' losses, the first's exit."""
    forward = frames.rows(run.outcome["links"])[0]
    one = run.rows[0]
    return {
        "use": 100 * forward["utilisation"] / (1 - one["opened_s"] / END),
        "lost": sum(row["packets_dropped"] for row in run.rows[:2]),
        "timeouts": sum(row["timeouts"] for row in run.rows[:2]),
        "by": one["startup_exit_reason"],
        "exit": one["startup_exit_cwnd_pkts"],
    }


def run(lab: Lab) -> Findings:
    """Three sweeps by three start-ups, and the base case with other traffic."""
    points = list(dict.fromkeys(point for sweep in SWEEPS.values() for point in sweep))
    keys = [
        (point, name, seed)
        for point in points
        for name in setups.THREE
        for seed in range(1, SEEDS + 1)
    ]
    used = [(name, seed) for name in setups.THREE for seed in range(1, TRAFFIC_SEEDS + 1)]
    documents = [document(point, setups.THREE[name], seed) for point, name, seed in keys]
    documents += [with_traffic(setups.THREE[name], seed) for name, seed in used]
    results = lab.runs(documents, use)
    found = dict(zip(keys, results, strict=False))
    traffic = dict(zip(used, results[len(keys) :], strict=True))
    rows = {letter: [_row(found, letter, point) for point in SWEEPS[letter]] for letter in SWEEPS}
    return Findings(
        measured={f"hy.f4{letter}": _judged(letter, rows[letter]) for letter in SWEEPS},
        answers=[*_says(rows), _traffic_says(traffic)],
        tables=[
            *(
                Table(
                    f"figure4{letter}",
                    f"Utilisation (%) over the {AXES[letter]}, mean of {SEEDS} seeds; packets lost "
                    "and timeouts of both flows together.",
                    rows[letter],
                )
                for letter in SWEEPS
            ),
            _traffic_table(traffic),
        ],
        pictures=[
            Picture(
                "figure4",
                "Utilisation by two CUBIC flows. What is not swept: 400 Mbit/s, 160 ms, 1 BDP.",
                lambda: draw(rows),
            )
        ],
    )


def _row(found: dict[Any, dict[str, Any]], letter: str, point: Point) -> dict[str, Any]:
    row: dict[str, Any] = {AXES[letter]: point[SWEPT[letter]]}
    for what, key in (("", "use"), (", lost", "lost"), (", timeouts", "timeouts")):
        for name in setups.THREE:
            values = [found[point, name, seed][key] for seed in range(1, SEEDS + 1)]
            row[name + what] = round(mean(values), 2)
    return row


def gains(rows: Sequence[dict[str, Any]], name: str) -> list[float]:
    """Percentage points that Hybrid Slow Start is above another one at each point."""
    return [round(row["Hybrid Slow Start"] - row[name], 2) for row in rows]


def _judged(letter: str, rows: Sequence[dict[str, Any]]) -> Measured:
    slow, limited = (gains(rows, name) for name in list(setups.THREE)[1:])
    grows = letter == "b" or (slow[-1] > slow[0] and limited[-1] > limited[0])
    worst = rows[slow.index(min(slow))]
    swept, unit = AXES[letter].removesuffix(")").split(" (")
    return Measured(
        {
            "over slow start, first": slow[0],
            "last": slow[-1],
            "least": min(slow),
            "over limited slow start, least": min(limited),
        },
        holds=min(slow + limited) >= -EQUAL and grows,
        because=f"With a {swept} of {worst[AXES[letter]]:g} {unit} slow start is ahead:"
        f" it loses {worst['slow start, lost']:.0f} packets there and has "
        f"{worst['slow start, timeouts']:g} timeouts, against {rows[-1]['slow start, lost']:.0f} "
        f"and {rows[-1]['slow start, timeouts']:g} at the right end.",
        shown_by="HY-F4",
        seeds=SEEDS,
    )


def _says(rows: dict[str, list[dict[str, Any]]]) -> list[str]:
    every = [row for sweep in rows.values() for row in sweep]
    slow, limited = (gains(every, name) for name in list(setups.THREE)[1:])
    ahead = sum(gain >= -EQUAL for gain in slow)
    return [
        (
            f"At {ahead} of {len(every)} points Hybrid Slow Start uses at least as much of the "
            f"link as slow start (from {min(slow):.1f} to {max(slow):.1f} percentage points more); "
            f"against limited slow start it gains {min(limited):.1f} to {max(limited):.1f} points."
        ),
    ]


def _traffic_says(traffic: dict[tuple[str, int], dict[str, Any]]) -> str:
    mine = [one for (name, _), one in traffic.items() if name == "Hybrid Slow Start"]
    worst = min(mine, key=lambda one: float(one["use"]))
    best = max(mine, key=lambda one: float(one["use"]))
    return (
        f"With {100 * SHARE:.0f} % of other traffic both ways it uses between {worst['use']:.0f} "
        f"and {best['use']:.0f} % of the link: where bursts of others end slow start early (worst "
        f"run: {worst['exit']:.0f} packets, {worst['by']}), CUBIC needs the rest of the run to "
        "grow."
    )


def _traffic_table(traffic: dict[tuple[str, int], dict[str, Any]]) -> Table:
    rows = []
    for name in setups.THREE:
        mine = [one for (other, _), one in traffic.items() if other == name]
        shares = [one["use"] for one in mine]
        low, high = interval(shares)
        rows.append(
            {
                "start-up": name,
                "utilisation (%)": round(mean(shares), 1),
                "low": round(low, 1),
                "high": round(high, 1),
                "least": round(min(shares), 1),
                "most": round(max(shares), 1),
                "lost (mean)": round(mean(one["lost"] for one in mine)),
                "first exit, least (packets)": min((one["exit"] or 0) for one in mine),
                "first exit by delay": sum(one["by"] == "delay" for one in mine),
            }
        )
    return Table(
        "traffic",
        f"The base case with {100 * SHARE:.0f} % of other traffic each way over {TRAFFIC_SEEDS} "
        "seeds; low and high are the 95 % interval of the mean.",
        rows,
    )


def draw(rows: dict[str, list[dict[str, Any]]]) -> "Figure":
    """The three panels."""
    from flowstart.papers import drawing

    def panel(letter: str) -> drawing.Panel:
        mine = rows[letter]
        xs = [row[AXES[letter]] for row in mine]
        return drawing.Panel(
            drawing.Axis(AXES[letter]),
            drawing.Axis("utilisation (%)", limits=(60, 100)),
            {name: (xs, [row[name] for row in mine]) for name in setups.THREE},
            title=f"({letter})",
        )

    return drawing.panels(*(panel(letter) for letter in SWEEPS))
