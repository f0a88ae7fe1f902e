"""A study: several connections between the same hosts, at once or in turn (Sec. I).

The paper sets Jump Start beside schemes in which connections share what they have learned of the
path, and says nothing of connections that jump side by side.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.cases import by_case, mean_of
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import setups
from flowstart_papers.lab import Lab
from flowstart_papers.measures import improvement, interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (64, 200)
"""Packets of the object."""
SPLIT = (1, 2, 4, 8, 16)
"""Connections that carry it."""
SEEDS = range(1, 21)
WITHIN = "10ms"
"""Connections open up to so much later."""
OBJECTS = 6
"""One after the other, in turn."""
APART = "10s"
"""Between their starts, so that none meets another."""
SHARERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "slow start": (setups.SLOW_START, {}),
    "slow start, sharing": (setups.SLOW_START, {"sharing": "temporal"}),
    "Jump Start": (setups.JUMP_START, {}),
    "Jump Start, sharing": (setups.JUMP_START, {"sharing": "temporal"}),
}
"""Startup and stack. Who shares opens with the window and the threshold that the connection
before has left behind (RFC 9040); a jump takes its flight from the data all the same."""
NAMES = {setups.SLOW_START: "slow start", setups.JUMP_START: "Jump Start"}


def split(startup: str, packets: int, connections: int, seed: int) -> Document:
    """An object on several connections between two hosts."""
    document = setups.along(setups.single(startup, packets), hosts=1)
    each, more = divmod(packets, connections)
    flows = [
        {"startup": startup, "size": f"{each + (i < more)}pkt", "jitter": WITHIN}
        for i in range(connections)
    ]
    return document | {"seed": seed, "flows": flows}


def in_turn(who: str, packets: int) -> Document:
    """Objects one after the other between two hosts, each on a connection of its own."""
    startup, stack = SHARERS[who]
    document = setups.along(setups.single(startup, packets, **stack), hosts=1)
    objects = {"count": OBJECTS, "stagger": APART}
    return document | {"flows": [document["flows"][0] | objects]}


def whole(run: Run) -> dict[str, float]:
    """Until the last connection was done, from the first one's opening, and what was lost."""
    rows = run.records
    opened = min(row["opened_s"] for row in rows)
    return {
        "duration_s": max(row["opened_s"] + row["duration_s"] for row in rows) - opened,
        "dropped": sum(row["packets_dropped"] for row in rows),
        "timeouts": sum(row["timeouts"] for row in rows),
    }


def each(run: Run) -> dict[str, list[float]]:
    """Of the connections in turn."""
    return {
        "duration_s": [row["duration_s"] for row in run.records],
        "dropped": [row["packets_dropped"] for row in run.records],
    }


Found = Mapping[tuple[str, int, int], Sequence[dict[str, float]]]
"""By startup, size and number of connections."""
Turns = Mapping[tuple[str, int], dict[str, list[float]]]
"""By who it is and size."""


def run(lab: Lab) -> Findings:
    """Objects split on connections at once, and objects in turn."""
    cases = [(startup, size, k) for startup in NAMES for size in SIZES for k in SPLIT]
    found = by_case(lab, {case: [split(*case, s) for s in SEEDS] for case in cases}, whole)
    turn_cases = [(who, size) for who in SHARERS for size in SIZES]
    turns = dict(
        zip(turn_cases, lab.runs([in_turn(*case) for case in turn_cases], each), strict=True)
    )
    return Findings(
        answers=_say(found, turns),
        tables=[
            Table(
                "parallel",
                "An object split on connections that open within 10 ms",
                [_row(size, k, found) for size in SIZES for k in SPLIT],
            ),
            Table(
                "in_turn",
                "Objects in turn between two hosts, each when the one before is done",
                [_turn_row(case, one) for case, one in turns.items()],
            ),
        ],
        pictures=[
            Picture(
                "parallel",
                "Time of an object over the number of connections that carry it; bands: 95 % "
                "intervals",
                lambda: _draw(found),
            )
        ],
    )


def _gains(found: Found, size: int, k: int) -> list[float]:
    pairs = zip(found[setups.SLOW_START, size, k], found[setups.JUMP_START, size, k], strict=True)
    return [improvement(a["duration_s"], b["duration_s"]) for a, b in pairs]


def _say(found: Found, turns: Turns) -> list[str]:
    small, large = SIZES
    one, most = SPLIT[0], SPLIT[-1]

    def times(startup: str, size: int) -> str:
        seconds = [mean_of(found[startup, size, k], "duration_s") for k in (one, most)]
        return f"{seconds[0]:.2f} s on one and {seconds[1]:.2f} s on {most}"

    def lost(startup: str) -> str:
        packets = [mean_of(found[startup, large, k], "dropped") for k in (one, most)]
        return f"{packets[0]:.0f} and {packets[1]:.0f}"

    def turn(who: str, size: int) -> str:
        first, *others = turns[who, size]["duration_s"]
        return f"{first:.2f} s for the first and {np.mean(others):.2f} s for the others"

    slow, split_up = (
        mean_of(found[setups.SLOW_START, small, k], "duration_s") for k in (one, most)
    )
    jump = mean_of(found[setups.JUMP_START, small, one], "duration_s")
    return [
        (
            f"{small} packets take slow start {times(setups.SLOW_START, small)} connections, Jump "
            f"Start {times(setups.JUMP_START, small)}: without any jump {most} connections "
            f"bring {100 * (slow - split_up) / (slow - jump):.0f} % of what a jump brings."
        ),
        (
            f"{large} packets take slow start {times(setups.SLOW_START, large)}, Jump Start "
            f"{times(setups.JUMP_START, large)}. Each takes the rate of its part, so the load "
            f"is the same however the object is split: {lost(setups.JUMP_START)} packets lost, in "
            f"slow start {lost(setups.SLOW_START)}."
        ),
        (
            f"In turn, {small} packets take slow start that shares "
            f"{turn('slow start, sharing', small)}, Jump Start {turn('Jump Start', small)}."
        ),
        (
            f"With {large} packets it is {turn('slow start, sharing', large)}, for Jump Start "
            f"{turn('Jump Start', large)}, and for one that shares "
            f"{turn('Jump Start, sharing', large)}: it has learned a window and jumps beyond it."
        ),
    ]


def _row(size: int, k: int, found: Found) -> dict[str, str | float]:
    gains = _gains(found, size, k)
    low, high = interval(gains)
    row: dict[str, str | float] = {"packets": size, "connections": k}
    for startup, name in NAMES.items():
        row[f"{name}, s"] = round(mean_of(found[startup, size, k], "duration_s"), 3)
    row |= {"gain, %": round(float(np.mean(gains)), 1), "from": round(low, 1), "to": round(high, 1)}
    for startup, name in NAMES.items():
        row[f"{name} loses, packets"] = round(mean_of(found[startup, size, k], "dropped"))
        row[f"{name}, timeouts"] = round(mean_of(found[startup, size, k], "timeouts"), 1)
    return row


def _turn_row(case: tuple[str, int], one: Mapping[str, list[float]]) -> dict[str, str | float]:
    who, size = case
    row: dict[str, str | float] = {"startup": who, "packets": size}
    row |= {f"{i}., s": round(seconds, 3) for i, seconds in enumerate(one["duration_s"], 1)}
    return row | {"lost by the first": one["dropped"][0], "by the last": one["dropped"][-1]}


def _draw(found: Found) -> "Figure":
    from flowstart_papers import drawing

    def panel(size: int) -> drawing.Panel:
        times = {
            name: [[one["duration_s"] for one in found[startup, size, k]] for k in SPLIT]
            for startup, name in NAMES.items()
        }
        return drawing.Panel(
            drawing.Axis("connections", "log", ticks=SPLIT),
            drawing.Axis("time until all is delivered (s)", limits=(0, None)),
            {name: (SPLIT, [float(np.mean(v)) for v in values]) for name, values in times.items()},
            title=f"{size} packets",
            bands={
                name: drawing.band(SPLIT, map(interval, values)) for name, values in times.items()
            },
        )

    return drawing.panels(*map(panel, SIZES))


EXPERIMENTS = (
    Experiment(
        id="JS-PARALLEL",
        figure="Sec. I",
        question="How does a jump compare with parallel connections, and with those that share?",
        run=run,
    ),
)
