"""Fig. 4: how well two CUBIC flows use the link, over bandwidth, buffer and round-trip time."""

import itertools
from collections.abc import Sequence
from statistics import mean
from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart.simulation import frames
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import measures, setups
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STARTS = (10.0, 40.0)
END = 70.0
RATES = (10.0, 50.0, 100.0, 200.0, 400.0)
BUFFERS = (0.1, 0.25, 0.5, 1.0, 2.0)
RTTS = (20.0, 40.0, 80.0, 120.0, 160.0)
BUFFER = 1.0
"""While it is not swept, in BDP: 100 % as in Fig. 1 to 3."""
LETTERS = ("a", "b", "c")
AXES = {"a": "bandwidth (Mbit/s)", "b": "buffer (BDP)", "c": "round-trip time (ms)"}
SEEDS = 2
JITTER = "2s"
"""Each start is late by a draw of up to this, so that no verdict hangs on one moment."""
HYBRID, *OTHERS = setups.THREE

Point = tuple[float, float, float]
"""Mbit/s, ms, and the buffer in BDP."""
Found = dict[tuple[Point, str], list[dict[str, Any]]]
"""What each seed comes to, by point and startup."""


def sweeps(setup: Setup) -> dict[str, dict[float, Point]]:
    """By panel, the points by what is on its abscissa."""
    rate, rtt = setup.fig4_fixed
    return {
        "a": {each: (each, rtt, BUFFER) for each in RATES},
        "b": {each: (rate, rtt, each) for each in BUFFERS},
        "c": {each: (rate, each, BUFFER) for each in RTTS},
    }


def document(point: Point, name: str, seed: int, setup: Setup = LITERAL) -> Document:
    """Two flows, alone or with others."""
    rate, rtt, buffer = point
    flows = setups.two(
        setups.path(rate, rtt, buffer),
        setup.startup(name),
        STARTS,
        END,
        cc=setups.CUBIC,
        ends=setup.stack(),
    )
    return with_others(flows, rate, setup) | {"seed": seed}


def with_others(flows: Document, rate: float, setup: Setup) -> Document:
    """Two flows with jittered starts, or on time on a link that others use from zero on."""
    if not setup.traffic:
        flows["flows"][0]["jitter"] = JITTER
        return flows
    return flows | {"web": setups.background(setup.traffic * rate, END)}


def before(document: Document) -> Document:
    """The same until its first flow starts: the others alone."""
    return document | {"duration": f"{STARTS[0]:g}s"}


def busy_s(run: Run) -> float:
    """For how long the link forward has transmitted."""
    link = frames.rows(run.outcome["links"])[0]
    return float(link["utilisation"] * run.about["simulated_s"])


def uses_from_start(lab: Lab, documents: Sequence[Document]) -> list[dict[str, Any]]:
    """Utilisation in percent from the first start on, whatever others sent before, and exits."""
    found = lab.runs(documents, measures.use)
    if "web" not in documents[0]:
        return found
    earlier = lab.runs([before(document) for document in documents], busy_s)
    return [
        {**one, "use": one["use"] - 100 * seconds / (END - STARTS[0])}
        for one, seconds in zip(found, earlier, strict=True)
    ]


def uses(lab: Lab, points: Sequence[Point], setup: Setup) -> Found:
    """Utilisation at these points after each of the three."""
    keys = [(point, name) for point in points for name in setups.THREE]
    seeds = range(1, SEEDS + 1)
    documents = [document(*key, seed, setup) for key in keys for seed in seeds]
    found = iter(uses_from_start(lab, documents))
    return {key: [next(found) for _ in seeds] for key in keys}


def swept(lab: Lab, setup: Setup) -> dict[str, Found]:
    """All three panels, by what is on the abscissa."""
    panels = sweeps(setup)
    points = list(dict.fromkeys(point for sweep in panels.values() for point in sweep.values()))
    found = uses(lab, points, setup)
    return {
        letter: {key: one for key, one in found.items() if key[0] in sweep.values()}
        for letter, sweep in panels.items()
    }


def gains(found: Found, points: Sequence[Point], other: str) -> list[list[float]]:
    """Percentage points that Hybrid Slow Start is above another: by point, by seed."""
    return [
        [
            mine["use"] - its["use"]
            for mine, its in zip(found[point, HYBRID], found[point, other], strict=True)
        ]
        for point in points
    ]


def measured(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured]:
    """What the paper says of the three panels."""
    found = swept(lab, setup)
    return {
        f"hy.f4{letter}": _judged(letter, found[letter], list(sweep.values()))
        for letter, sweep in sweeps(setup).items()
    }


def _judged(letter: str, found: Found, points: list[Point]) -> Measured:
    """Better at every point in every seed; over bandwidth and RTT the lead grows at every step."""
    by_other = {other: gains(found, points, other) for other in OTHERS}
    means = {other: [mean(one) for one in rows] for other, rows in by_other.items()}
    better = all(gain > 0 for rows in by_other.values() for one in rows for gain in one)
    grows = letter == "b" or all(
        after > before for row in means.values() for before, after in itertools.pairwise(row)
    )
    values = {}
    for other, row in means.items():
        values[f"least over {other}"] = round(min(min(one) for one in by_other[other]), 2)
        values[f"last over {other}"] = round(row[-1], 2)
    return Measured(
        values,
        holds=better and grows,
        because=_why_not(letter, found, points, means),
        shown_by="HY-F4",
        seeds=SEEDS,
    )


def _why_not(letter: str, found: Found, points: list[Point], means: dict[str, list[float]]) -> str:
    """The point and the startup against which it does worst, with losses and timeouts."""
    other, row = min(means.items(), key=lambda item: min(item[1]))
    point = points[row.index(min(row))]
    swept_value = point[{"a": 0, "b": 2, "c": 1}[letter]]

    lost, timeouts = (
        mean(one[what] for one in found[point, other]) for what in ("lost", "timeouts")
    )
    label = AXES[letter].removesuffix(")").replace(" (", " of ")
    name, unit = label.split(" of ")
    return (
        f"With a {name} of {swept_value:g} {unit} it is {min(row):+.1f} points from {other}, which "
        f"loses {lost:.0f} packets there and has {timeouts:.1f} timeouts."
    )


def run(lab: Lab) -> Findings:
    """Three sweeps by three startups."""
    found = swept(lab, LITERAL)
    rows = {
        letter: [_row(found[letter], letter, x, point) for x, point in sweep.items()]
        for letter, sweep in sweeps(LITERAL).items()
    }
    return Findings(
        measured=measured(lab),
        answers=_says(found),
        tables=[
            Table(
                f"figure4{letter}",
                f"Utilisation (%) over the {AXES[letter]}, mean of {SEEDS} seeds; packets lost "
                "and timeouts of both flows together",
                rows[letter],
            )
            for letter in LETTERS
        ],
        pictures=[
            Picture(
                "figure4",
                "Utilisation by two CUBIC flows. What is not swept: 400 Mbit/s, 160 ms, 1 BDP. The "
                "paper's own curves are not in its text, so none are drawn; its statement is that "
                "Hybrid Slow Start is above both others everywhere",
                lambda: draw(rows),
            )
        ],
    )


def _row(found: Found, letter: str, x: float, point: Point) -> dict[str, Any]:
    row: dict[str, Any] = {AXES[letter]: x}
    for what, key in (("", "use"), (", lost", "lost"), (", timeouts", "timeouts")):
        for name in setups.THREE:
            row[name + what] = round(mean(one[key] for one in found[point, name]), 2)
    return row


def _says(found: dict[str, Found]) -> list[str]:
    every: Found = {key: one for sweep in found.values() for key, one in sweep.items()}
    points = list(dict.fromkeys(point for point, _ in every))
    slow, limited = (
        [[mean(seeds), min(seeds)] for seeds in gains(every, points, other)] for other in OTHERS
    )
    ahead = sum(least > 0 for _, least in slow)
    return [
        (
            f"At {ahead} of {len(points)} points Hybrid Slow Start uses more of the link than slow "
            f"start in every seed (from {min(m for m, _ in slow):.1f} to "
            f"{max(m for m, _ in slow):.1f} percentage points in the mean); against limited slow "
            f"start it is {min(m for m, _ in limited):+.1f} to "
            f"{max(m for m, _ in limited):+.1f} points."
        ),
    ]


def draw(rows: dict[str, list[dict[str, Any]]]) -> "Figure":
    """The three panels."""
    from flowstart_papers import drawing

    # The small ones are where slow start is not behind.
    buffers = drawing.Axis(AXES["b"], "log", ticks=BUFFERS)

    def panel(letter: str) -> drawing.Panel:
        mine = rows[letter]
        xs = [row[AXES[letter]] for row in mine]
        return drawing.Panel(
            buffers if letter == "b" else drawing.Axis(AXES[letter]),
            drawing.Axis("utilisation (%)", limits=(65, 100)),
            {name: (xs, [row[name] for row in mine]) for name in setups.THREE},
            title=f"({letter})",
        )

    return drawing.panels(*(panel(letter) for letter in LETTERS))


EXPERIMENTS = (
    Experiment(
        id="HY-F4",
        figure="Fig. 4",
        question="Do CUBIC flows use a link better after it, over bandwidth, buffer and RTT?",
        run=run,
    ),
)
