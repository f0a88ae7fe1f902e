"""A study: footnote 3, no pacing where the flight fits the initial window."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.simulation.run import Run
from flowstart_papers.cases import by_case
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import measures, setups
from flowstart_papers.lab import Lab
from flowstart_papers.measures import improvement, interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BURST = f"{setups.JUMP_START}:iw_refinement=true"
NAMES = {
    setups.SLOW_START: "slow start",
    setups.JUMP_START: "Jump Start",
    BURST: "Jump Start with footnote 3",
}
SIZES = (1, 2, 3, 4, 5, 6, 8, 10)
SEEDS = range(1, 61)
CLASSES = ((1, 1), (2, 3), (4, 9), (10, None))
"""Packets of a response, from and to."""
MSS = 1460

Response = tuple[int, float, int]
"""Packets, duration in seconds, packets dropped."""


def responses(run: Run) -> dict[str, Any]:
    """Medians and losses of the web's responses by size, small ones too."""
    flows = run.outcome["flows"].lists()
    mine = [
        (-(-flows["size_bytes"][i] // MSS), flows["duration_s"][i], flows["packets_dropped"][i])
        for i in run.outcome["objects"].lists()["flow"]
    ]
    found = {_name(bounds): _sum_up([one for one in mine if _within(one, bounds)])
             for bounds in CLASSES}  # fmt: skip
    return found | {"all": _sum_up(mine)}


def _within(one: Response, bounds: tuple[int, int | None]) -> bool:
    low, high = bounds
    return low <= one[0] <= (high or one[0])


def _sum_up(mine: Sequence[Response]) -> dict[str, float]:
    durations = [duration for _, duration, _ in mine]
    return {
        "count": len(mine),
        "median_s": float(np.median(durations)),
        "mean_s": float(np.mean(durations)),
        "lossy": 100 * float(np.mean([dropped > 0 for _, _, dropped in mine])),
    }


def _name(bounds: tuple[int, int | None]) -> str:
    low, high = bounds
    return f"{low} and more" if high is None else f"{low}" if low == high else f"{low} to {high}"


Found = Mapping[str, Sequence[dict[str, Any]]]
"""By startup and seed."""


def run(lab: Lab) -> Findings:
    """Single transfers, and the web load with its small responses."""
    cases = [(startup, size) for startup in NAMES for size in SIZES]
    single = lab.runs([setups.single(*case) for case in cases], measures.transfer)
    times = {case: row["duration_s"] for case, row in zip(cases, single, strict=True)}
    gains = {
        name: [improvement(times[setups.SLOW_START, n], times[startup, n]) for n in SIZES]
        for startup, name in NAMES.items()
        if startup != setups.SLOW_START
    }
    webs = {startup: [setups.web(startup, seed) for seed in SEEDS] for startup in NAMES}
    found = by_case(lab, webs, responses)
    return Findings(
        answers=_say(gains, found),
        tables=[
            Table(
                "burst",
                "Gain over slow start, a single transfer",
                [
                    {"packets": size, **{name: round(gains[name][i], 1) for name in gains}}
                    for i, size in enumerate(SIZES)
                ],
            ),
            Table(
                "burst_web",
                f"Responses of the web load, {len(SEEDS)} draws",
                [
                    _row(group, startup, found)
                    for group in (*map(_name, CLASSES), "all")
                    for startup in NAMES
                ],
            ),
        ],
        pictures=[
            Picture(
                "burst",
                "Gain of a single transfer over slow start by size, with footnote 3 and without",
                lambda: _draw(gains),
            )
        ],
    )


def _gains(group: str, startup: str, found: Found, name: str = "median_s") -> list[float]:
    """Over slow start, of each draw of the load."""
    return [
        improvement(slow[group][name], one[group][name])
        for slow, one in zip(found[setups.SLOW_START], found[startup], strict=True)
    ]


def _with_interval(values: Sequence[float]) -> str:
    low, high = interval(values)
    return f"{np.mean(values):.0f} % ({low:.0f} to {high:.0f})"


def _say(gains: Mapping[str, Sequence[float]], found: Found) -> list[str]:
    small = _name(CLASSES[1])
    large = _name(CLASSES[-1])
    lossy = {
        startup: float(np.mean([one[large]["lossy"] for one in found[startup]]))
        for startup in NAMES
    }
    plain, burst = (gains[NAMES[startup]][1:3] for startup in (setups.JUMP_START, BURST))
    return [
        (
            f"With two and three packets Jump Start's gain is {plain[0]:.0f} and {plain[1]:.0f} %; "
            f"with footnote 3 it is {burst[0]:.0f} and {burst[1]:.0f} %, and from four on the same."
        ),
        (
            f"On the web, responses of {small} packets gain "
            f"{_with_interval(_gains(small, setups.JUMP_START, found))} in the median without and "
            f"{_with_interval(_gains(small, BURST, found))} with it; all responses together "
            f"{_with_interval(_gains('all', setups.JUMP_START, found))} and "
            f"{_with_interval(_gains('all', BURST, found))}."
        ),
        (
            f"In the mean, where lost SYNs count, all responses together gain "
            f"{_with_interval(_gains('all', setups.JUMP_START, found, 'mean_s'))} without and "
            f"{_with_interval(_gains('all', BURST, found, 'mean_s'))} with it. Of the responses of "
            f"{large} packets {lossy[setups.JUMP_START]:.0f} and {lossy[BURST]:.0f} % lose packets."
        ),
    ]


def _row(group: str, startup: str, found: Found) -> dict[str, str | float]:
    mine = [one[group] for one in found[startup]]
    return {
        "packets": group,
        "startup": NAMES[startup],
        "responses per draw": round(float(np.mean([one["count"] for one in mine]))),
        "median, ms": round(1e3 * float(np.mean([one["median_s"] for one in mine])), 1),
        "gain in the median": _with_interval(_gains(group, startup, found)),
        "gain in the mean": _with_interval(_gains(group, startup, found, "mean_s")),
        "lose packets, %": round(float(np.mean([one["lossy"] for one in mine])), 1),
    }


def _draw(gains: Mapping[str, Sequence[float]]) -> "Figure":
    from flowstart_papers import drawing

    return drawing.single(
        drawing.Axis("transfer size (packets)"),
        drawing.Axis("gain in duration (%)"),
        {name: (SIZES, list(values)) for name, values in gains.items()},
        level={"as slow start": 0},
    )


EXPERIMENTS = (
    Experiment(
        id="JS-BURST",
        figure="footnote 3",
        question="What does it change not to pace a flight that fits the initial window?",
        run=run,
    ),
)
