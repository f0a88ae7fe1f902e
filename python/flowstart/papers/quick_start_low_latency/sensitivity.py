"""How far Table I moves when one of the inputs moves that were chosen to fit it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from flowstart.papers.experiment import Cell, Findings, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.quick_start_low_latency import grid
from flowstart.papers.quick_start_low_latency.setups import ENDLESS_QUEUE, TABLE1, Link, Setting
from flowstart.papers.quick_start_low_latency.transfers import Pair, pairs

if TYPE_CHECKING:
    from matplotlib.figure import Figure


PACKETS = (60, 70, 80, 83, 90, 94, 100, 110, 115, 118, 119, 120, 121, 122, 125, 130, 150, 170, 189)
HOST_DELAYS = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0, 1.05, 1.25, 1.5, 2.0)
WINDOWS = (1, 2, 3, 4, 6, 8, 10)
REQUESTS = (40.96, 81.92, 163.84, 327.68, 655.36, 1310.72)
"""Mbit/s."""


def _joined(*links: Link) -> Setting:
    return replace(TABLE1, links=links)


STUDIES: Mapping[str, Mapping[str, Setting]] = {
    "packets": {f"{n}": replace(TABLE1, packets=n) for n in PACKETS},
    "delay of a host's line (ms)": {f"{d:g}": replace(TABLE1, host_delay=d) for d in HOST_DELAYS},
    "initial window (packets)": {f"{n}": TABLE1.but(iw=f"{n}") for n in WINDOWS},
    "request (Mbit/s)": {f"{rate:g}": TABLE1.asking(request=f"{rate}Mbps") for rate in REQUESTS},
    "pacing clock": {
        "exact": TABLE1.but(coarse_pacing=False),
        "1 ms": TABLE1.but(tick="1ms"),
        "5 ms": TABLE1.but(tick="5ms"),
        "10 ms": TABLE1,
        "20 ms": TABLE1.but(tick="20ms"),
    },
    "paced by": {"window and round trip": TABLE1, "approved rate": TABLE1.asking(pacing="rate")},
    "smallest window used": {f"{n}": TABLE1.asking(min_window=f"{n}") for n in (1, 2, 3, 4, 8)},
    "router links": {
        "one, slow, with the delay": TABLE1,
        "a fast one before it": _joined(Link(slow=False, delay=0), Link()),
        "two slow, half the delay each": _joined(Link(delay=0.5), Link(delay=0.5)),
        "a fast one before it with as much delay": _joined(Link(slow=False), Link()),
        "two slow, the delay each": _joined(Link(), Link()),
    },
}
"""One input after the other, each with its values; the others stay."""

DRAWN = ("packets", "delay of a host's line (ms)", "initial window (packets)", "request (Mbit/s)")

READINGS: Mapping[str, Setting] = {
    "chosen": TABLE1,
    "initial window of 2 under Quick-Start": TABLE1.asking(iw="2", min_window="3"),
    "no request for less than 4 packets": TABLE1.asking(qs_thresh="4"),
    "shortest timeout 1 s": TABLE1.but(rto_min="1s"),
    "queues without end": replace(TABLE1, queue=ENDLESS_QUEUE),
}
"""Inputs that Table I does not show at all."""

WITNESSES = (("384kbps", 20, 3), ("384kbps", 50, 3), ("384kbps", 100, 4), ("100Mbps", 1, 500))
"""Transfers of figures 2 and 3 that do: rate, delay in milliseconds, packets."""


def run(lab: Lab) -> Findings:
    """Runs the whole table for each value of each input."""
    values = [(name, value) for name, study in STUDIES.items() for value in study]
    settings = [STUDIES[name][value] for name, value in values] + list(READINGS.values())
    found = grid.grids(lab, settings)
    tables = dict(zip(values, found, strict=False))
    readings = dict(zip(READINGS, found[len(values) :], strict=True))
    witnesses = pairs(
        lab,
        [
            (replace(setting, packets=packets), rate, delay)
            for setting in READINGS.values()
            for rate, delay, packets in WITNESSES
        ],
    )
    return Findings(
        answers=_sentences(tables, readings),
        tables=[_table(tables), _beyond(readings, witnesses)],
        pictures=[
            Picture(
                "sensitivity",
                "Distance of Table I from the published one when one input moves",
                lambda: _draw(tables),
            )
        ],
    )


Tables = Mapping[tuple[str, str], grid.Improvements]


def _sentences(tables: Tables, readings: Mapping[str, grid.Improvements]) -> list[str]:
    chosen = grid.rms(readings["chosen"])
    rivals = {
        (name, value): grid.rms(cells)
        for (name, value), cells in tables.items()
        if STUDIES[name][value] != TABLE1
    }
    within = sorted(
        (rms, f"{name}: {value}") for (name, value), rms in rivals.items() if rms < 2 * chosen
    )
    clock = grid.rms(tables["pacing clock", "exact"])
    cap = grid.rms(tables["request (Mbit/s)", "1310.72"])
    size = grid.rms(tables["packets", "83"])
    return [
        (
            f"With the chosen inputs the table is {chosen:.3f} points (rms) from the published "
            f"one; with 83 packets (120 000 bytes) {size:.1f}, with an exact clock {clock:.1f}, "
            f"without a cap on the request {cap:.1f}."
        ),
        (
            f"Of {len(rivals)} other values, those within twice the distance of the chosen: "
            f"{'; '.join(f'{what} ({rms:.3f})' for rms, what in within) or 'none'}."
        ),
    ]


def _table(tables: Tables) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "input": name,
            "value": value,
            "chosen": STUDIES[name][value] == TABLE1,
            "rms error (points)": round(grid.rms(cells), 3),
            "worst cell (points)": round(max(map(abs, grid.errors(cells))), 2),
        }
        for (name, value), cells in tables.items()
    ]
    return Table("sensitivity", "Table I against the published one, one input moved", rows)


def _beyond(readings: Mapping[str, grid.Improvements], witnesses: Sequence[Pair]) -> Table:
    rows: list[dict[str, Cell]] = []
    for i, (name, cells) in enumerate(readings.items()):
        own = witnesses[i * len(WITNESSES) :][: len(WITNESSES)]
        row: dict[str, Cell] = {"reading": name, "rms error (points)": round(grid.rms(cells), 3)}
        for (rate, delay, packets), pair in zip(WITNESSES, own, strict=True):
            row[f"{packets} packets, {rate}, {delay} ms (%)"] = round(pair.improvement, 1)
        rows.append(row)
    return Table("readings", "What Table I cannot tell, with transfers that can", rows)


def _draw(tables: Tables) -> "Figure":
    from flowstart.papers import drawing

    return drawing.panels(
        *(
            drawing.Panel(
                drawing.Axis(name, "log" if name == "request (Mbit/s)" else "linear"),
                drawing.Axis("rms error (points)" if name == DRAWN[0] else "", limits=(0, None)),
                _curves(tables, name),
            )
            for name in DRAWN
        ),
    )


def _curves(tables: Tables, name: str) -> dict[str, tuple[list[float], list[float]]]:
    errors = {
        float(value): grid.rms(cells) for (study, value), cells in tables.items() if study == name
    }
    chosen = [float(value) for value, setting in STUDIES[name].items() if setting == TABLE1]
    return {
        "rms error": (list(errors), list(errors.values())),
        "chosen": (chosen, [errors[value] for value in chosen]),
    }
