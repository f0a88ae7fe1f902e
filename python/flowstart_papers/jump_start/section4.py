"""Sections IV.B and IV.E: what a jump does to others, and what routers can do about it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.cases import by_case, mean_of
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import setups
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEEDS = range(1, 25)
QUEUES = {
    "drop-tail": "drop-tail",
    "RED": "red",
    "RED, quick": "red:th_min=15,th_max=45,q_w=0.1",
    "CHOKe": "choke",
    "CHOKe, quick": "choke:th_min=15,th_max=45,q_w=0.1",
    "FQ-CoDel": "fq-codel",
    "CoDel": "codel",
    "PIE": "pie",
}
"""As they come, and two whose average follows the queue within ten packets, with thresholds
three times as high."""
NAMED = ("RED", "CHOKe", "FQ-CoDel")
"""What Sec. IV.B speaks of, with flow queueing for the fairness that it asks for."""
LOADS = {"short connections alone": 0, "next to two long ones": 2}
HINTED = {
    "drop-tail": ("drop-tail", ""),
    "marked-first, all marked": ("marked-first", ""),
    "marked-first, excess marked": ("marked-first", ":flag=excess"),
    "RED, marked first": ("red:marked=first", ""),
    "RED": ("red", ""),
}
SHORT = 80
"""Bystanders: connections of 20 packets, ten of them each second."""
NEWCOMERS = 4


def scenario(newcomers: str, queue: str, seed: int, long: int = 0) -> Document:
    """Bystanders in slow start, among whom four connections of 200 packets appear."""
    short = {"startup": setups.SLOW_START, "size": "20pkt", "count": SHORT, "start": "4s"}
    new = {"startup": newcomers, "size": f"{setups.PACKETS}pkt", "count": NEWCOMERS, "start": "5s"}
    flows: list[dict[str, Any]] = [
        short | {"stagger": "100ms", "jitter": "100ms"},
        new | {"stagger": "2s", "jitter": "100ms"},
    ]
    if long:
        # Enough to last until the others are done.
        flows.append({"startup": setups.SLOW_START, "size": "10000pkt", "count": long})
    path = {"rate": setups.BOTTLENECK, "rtt": setups.RTT, "buffer": setups.QUEUE, "queue": queue}
    return {"seed": seed, "path": path, "stack": setups.stack(), "flows": flows}


def harm(run: Run) -> dict[str, float]:
    """What bystanders and newcomers lost, and how long they took."""
    rows = run.records
    groups = {"bystanders": rows[:SHORT], "newcomers": rows[SHORT : SHORT + NEWCOMERS]}
    found = {}
    for name, group in groups.items():
        dropped = sum(row["packets_dropped"] for row in group)
        found[f"{name}_loss"] = 100 * dropped / sum(row["packets_sent"] for row in group)
        found[f"{name}_s"] = sum(row["duration_s"] for row in group) / len(group)
    return found


Found = Sequence[dict[str, float]]
"""By seed."""


def _added(slow: Found, jump: Found) -> list[float]:
    """The bystanders' loss next to jumps, less that beside newcomers in slow start, by seed."""
    return [b["bystanders_loss"] - a["bystanders_loss"] for a, b in zip(slow, jump, strict=True)]


def run_queues(lab: Lab) -> Findings:
    """Section IV.B."""
    found = _measure(lab)
    added = {case: _added(*pair) for case, pair in found.items()}
    means = {case: float(np.mean(values)) for case, values in added.items()}
    less = [means[load, queue] < means[load, "drop-tail"] for load in LOADS for queue in NAMED]
    alone = next(iter(LOADS))
    return Findings(
        measured={
            "js.aqm": Measured(
                {queue: means[alone, queue] for queue in ("drop-tail", *NAMED)},
                holds=all(less),
                seeds=len(SEEDS),
                because="as they come, RED and CHOKe average over ten round trips and a jump takes "
                "one: they drop bystanders' packets when it is over; only a queue for each flow "
                "protects at both loads",
                shown_by="JS-AQM",
            )
        },
        answers=_say_queues(means, found),
        tables=[
            Table(
                "aqm",
                f"Bystanders of 20 packets, and {NEWCOMERS} newcomers of {setups.PACKETS}",
                [_row(load, queue, *found[load, queue]) for load, queue in found],
            )
        ],
        pictures=[
            Picture(
                "aqm",
                "Loss that jumping newcomers add to bystanders, over newcomers in slow start",
                lambda: _draw(means),
            )
        ],
    )


def _say_queues(
    means: Mapping[tuple[str, str], float], found: Mapping[tuple[str, str], tuple[Found, Found]]
) -> list[str]:
    alone, beside = LOADS
    short = {queue: f"{means[alone, queue]:.1f}" for queue in QUEUES}
    long = {queue: f"{means[beside, queue]:.1f}" for queue in QUEUES}
    slow, jump = (
        {queue: f"{mean_of(found[beside, queue][i], 'bystanders_s'):.2f} s" for queue in QUEUES}
        for i in (0, 1)
    )
    return [
        (
            f"Among short connections alone a jump adds {short['drop-tail']} points of loss behind "
            f"drop-tail, {short['RED']} behind RED, {short['CHOKe']} behind CHOKe and "
            f"{short['FQ-CoDel']} with a queue for each flow."
        ),
        (
            f"With a quick average and thresholds of 15 and 45 packets it is {short['RED, quick']} "
            f"behind RED and {short['CHOKe, quick']} behind CHOKe; next to two long transfers "
            f"{long['RED, quick']} and {long['CHOKe, quick']}, against {long['drop-tail']} behind "
            "drop-tail."
        ),
        (
            f"Next to the long transfers bystanders take {jump['drop-tail']} behind drop-tail and "
            f"{jump['RED']} behind RED while others jump, and {slow['drop-tail']} and "
            f"{slow['RED']} while those are in slow start."
        ),
    ]


def _measure(lab: Lab) -> dict[tuple[str, str], tuple[Found, Found]]:
    """By load and queue: newcomers in slow start, and newcomers that jump."""
    startups = (setups.SLOW_START, setups.JUMP_START)
    cases = [(load, queue) for load in LOADS for queue in QUEUES]
    documents = [
        scenario(startup, QUEUES[queue], seed, LOADS[load])
        for load, queue in cases
        for startup in startups
        for seed in SEEDS
    ]
    read = lab.runs(documents, harm)
    n = len(SEEDS)
    runs = [read[i : i + n] for i in range(0, len(read), n)]
    return dict(zip(cases, zip(runs[::2], runs[1::2], strict=True), strict=True))


def _row(load: str, queue: str, slow: Found, jump: Found) -> dict[str, str | float]:
    added = _added(slow, jump)
    low, high = interval(added)
    return {
        "load": load,
        "queue": queue,
        "loss next to slow start, %": round(mean_of(slow, "bystanders_loss"), 2),
        "loss next to jumps, %": round(mean_of(jump, "bystanders_loss"), 2),
        "added, points": round(float(np.mean(added)), 2),
        "from": round(low, 2),
        "to": round(high, 2),
        "duration next to slow start, s": round(mean_of(slow, "bystanders_s"), 3),
        "duration next to jumps, s": round(mean_of(jump, "bystanders_s"), 3),
    }


def _draw(means: Mapping[tuple[str, str], float]) -> "Figure":
    from flowstart_papers import drawing

    return drawing.bars(
        drawing.Axis("added loss of bystanders (percentage points)"),
        list(QUEUES),
        {load: [means[load, queue] for queue in QUEUES] for load in LOADS},
    )


def run_hints(lab: Lab) -> Findings:
    """Section IV.E."""
    documents = {
        name: [scenario(setups.JUMP_START + marks, queue, seed) for seed in SEEDS]
        for name, (queue, marks) in HINTED.items()
    }
    found = by_case(lab, documents, harm)
    plain, marked = found["drop-tail"], found["marked-first, all marked"]
    changes = {
        group: [b[f"{group}_loss"] - a[f"{group}_loss"] for a, b in zip(plain, marked, strict=True)]
        for group in ("bystanders", "newcomers")
    }
    change = {group: float(np.mean(values)) for group, values in changes.items()}
    return Findings(
        measured={
            "js.hints": Measured(
                change,
                holds=interval(changes["bystanders"])[1] < 0 < interval(changes["newcomers"])[0],
                seeds=len(SEEDS),
            )
        },
        answers=_say_hints(plain, marked),
        tables=[
            Table(
                "hints",
                "Short connections alone, while four connections jump with 200 packets",
                [
                    {
                        "queue": name,
                        "bystanders lose, %": round(mean_of(runs, "bystanders_loss"), 2),
                        "bystanders take, s": round(mean_of(runs, "bystanders_s"), 3),
                        "jumping lose, %": round(mean_of(runs, "newcomers_loss"), 1),
                        "jumping take, s": round(mean_of(runs, "newcomers_s"), 2),
                    }
                    for name, runs in found.items()
                ],
            )
        ],
    )


def _say_hints(plain: Found, marked: Found) -> list[str]:
    def change(name: str, digits: int) -> tuple[str, str]:
        before, after = (f"{mean_of(found, name):.{digits}f}" for found in (plain, marked))
        return before, after

    others, own = change("bystanders_loss", 2), change("newcomers_loss", 1)
    late, long = change("bystanders_s", 2), change("newcomers_s", 2)
    return [
        (
            f"Dropping marked packets first takes the bystanders' loss from {others[0]} to "
            f"{others[1]} %, and that of those that jump from {own[0]} to {own[1]} %."
        ),
        (
            f"Bystanders then take {late[1]} s instead of {late[0]} s, and those that jump "
            f"{long[1]} s instead of {long[0]} s."
        ),
    ]


EXPERIMENTS = (
    Experiment(
        id="JS-AQM",
        figure="Sec. IV.B",
        question="Does active queue management protect bystanders from a jump?",
        run=run_queues,
    ),
    Experiment(
        id="JS-HINTS",
        figure="Sec. IV.E",
        question="Do marks that let routers drop startup packets first protect bystanders?",
        run=run_hints,
        quick=True,
    ),
)
