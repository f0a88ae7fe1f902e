"""How far the decoded Table I moves when one of the inputs moves that were fitted to it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency import cells
from flowstart_papers.quick_start_low_latency.cells import pairs
from flowstart_papers.quick_start_low_latency.measures import Pair
from flowstart_papers.quick_start_low_latency.setups import (
    DECODED,
    ENDLESS_QUEUE,
    TABLE1_KB,
    Link,
    Setting,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart_papers.drawing import Axis


PACKETS = (60, 70, 80, 83, 90, 94, 100, 110, 115, 118, 119, 120, 121, 122, 125, 130, 150, 170, 189)
HOST_DELAYS = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0, 1.05, 1.25, 1.5, 2.0)
WINDOWS = (1, 2, 3, 4, 6, 8, 10)
REQUESTS = (40.96, 81.92, 163.84, 327.68, 655.36, 1310.72)
"""Mbit/s."""


Variant = tuple[Setting, int]
"""A setting, and how many packets 120 kB are."""
CHOSEN: Variant = (DECODED, DECODED.packets(TABLE1_KB))


def _with(setting: Setting) -> Variant:
    return setting, CHOSEN[1]


def _joined(*links: Link) -> Variant:
    return _with(replace(DECODED, links=links))


STUDIES: Mapping[str, Mapping[str, Variant]] = {
    "packets": {f"{n}": (DECODED, n) for n in PACKETS},
    "delay of a host's line (ms)": {
        f"{d:g}": _with(replace(DECODED, host_delay=d)) for d in HOST_DELAYS
    },
    "initial window (packets)": {f"{n}": _with(DECODED.but(iw=f"{n}")) for n in WINDOWS},
    "request (Mbit/s)": {
        f"{rate:g}": _with(DECODED.asking(request=f"{rate}Mbps")) for rate in REQUESTS
    },
    "pacing clock": {
        "exact": _with(DECODED.but(coarse_pacing=False)),
        "1 ms": _with(DECODED.but(tick="1ms")),
        "5 ms": _with(DECODED.but(tick="5ms")),
        "10 ms": CHOSEN,
        "20 ms": _with(DECODED.but(tick="20ms")),
    },
    "paced by": {
        "window and round trip": CHOSEN,
        "approved rate": _with(DECODED.asking(pacing="rate")),
    },
    "smallest window used": {
        f"{n}": _with(DECODED.asking(min_window=f"{n}")) for n in (1, 2, 3, 4, 8)
    },
    "router links": {
        "one, slow, with the delay": CHOSEN,
        "a fast one before it": _joined(Link(slow=False, delay=0), Link()),
        "two slow, half the delay each": _joined(Link(delay=0.5), Link(delay=0.5)),
        "a fast one before it with as much delay": _joined(Link(slow=False), Link()),
        "two slow, the delay each": _joined(Link(), Link()),
    },
}
"""One input after the other, each with its values; the others stay."""

DRAWN = ("packets", "delay of a host's line (ms)", "initial window (packets)", "request (Mbit/s)")

UNSEEN: Mapping[str, Setting] = {
    "chosen": DECODED,
    "initial window of 2 under Quick-Start": DECODED.asking(iw="2", min_window="3"),
    "no request for less than 4 packets": DECODED.asking(qs_thresh="4"),
    "shortest timeout 1 s": DECODED.but(rto_min="1s"),
    "queues without end": replace(DECODED, queue=ENDLESS_QUEUE),
}
"""Inputs that Table I does not show at all."""

WITNESSES = (("384kbps", 20, 3), ("384kbps", 50, 3), ("384kbps", 100, 4), ("100Mbps", 1, 500))
"""Transfers of figures 2 and 3 that do: rate, delay in milliseconds, packets."""


def run(lab: Lab) -> Findings:
    """Runs the whole table for each value of each input."""
    values = [(name, value) for name, study in STUDIES.items() for value in study]
    variants = [STUDIES[name][value] for name, value in values]
    variants += [_with(setting) for setting in UNSEEN.values()]
    found = [cells.improvements(table) for table in cells.tables(lab, variants)]
    tables = dict(zip(values, found, strict=False))
    unseen = dict(zip(UNSEEN, found[len(values) :], strict=True))
    witnesses = pairs(
        lab,
        [
            (setting, rate, delay, packets)
            for setting in UNSEEN.values()
            for rate, delay, packets in WITNESSES
        ],
    )
    return Findings(
        answers=_sentences(tables, unseen),
        tables=[_table(tables), _beyond(unseen, witnesses)],
        pictures=[
            Picture(
                "sensitivity",
                "Distance of Table I from the published one when one input moves",
                lambda: _draw(tables),
            )
        ],
    )


Tables = Mapping[tuple[str, str], cells.Improvements]


def _sentences(tables: Tables, unseen: Mapping[str, cells.Improvements]) -> list[str]:
    chosen = cells.rms(unseen["chosen"])
    rivals = {
        (name, value): cells.rms(table)
        for (name, value), table in tables.items()
        if STUDIES[name][value] != CHOSEN
    }
    within = sorted(
        (rms, f"{name}: {value}") for (name, value), rms in rivals.items() if rms < 2 * chosen
    )
    clock = cells.rms(tables["pacing clock", "exact"])
    cap = cells.rms(tables["request (Mbit/s)", "1310.72"])
    size = cells.rms(tables["packets", "83"])
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
            "chosen": STUDIES[name][value] == CHOSEN,
            "rms error (points)": round(cells.rms(table), 3),
            "worst cell (points)": round(max(map(abs, cells.errors(table))), 2),
        }
        for (name, value), table in tables.items()
    ]
    return Table("sensitivity", "Table I against the published one, one input moved", rows)


def _beyond(unseen: Mapping[str, cells.Improvements], witnesses: Sequence[Pair]) -> Table:
    rows: list[dict[str, Cell]] = []
    for i, (name, table) in enumerate(unseen.items()):
        own = witnesses[i * len(WITNESSES) :][: len(WITNESSES)]
        row: dict[str, Cell] = {"input": name, "rms error (points)": round(cells.rms(table), 3)}
        for (rate, delay, packets), pair in zip(WITNESSES, own, strict=True):
            row[f"{packets} packets, {rate}, {delay} ms (%)"] = round(pair.improvement, 1)
        rows.append(row)
    return Table("unseen", "What Table I cannot show, with transfers that can", rows)


def _draw(tables: Tables) -> "Figure":
    from flowstart_papers import drawing

    return drawing.panels(
        *(
            drawing.Panel(
                _axis(name),
                drawing.Axis("rms error (points)", limits=(-0.4, None)),
                _curves(tables, name),
            )
            for name in DRAWN
        ),
    )


def _axis(name: str) -> "Axis":
    from flowstart_papers import drawing

    if name == "request (Mbit/s)":
        return drawing.Axis(name, "log", ticks=REQUESTS)
    return drawing.Axis(name)


def _curves(tables: Tables, name: str) -> dict[str, tuple[list[float], list[float]]]:
    errors = {
        float(value): cells.rms(table) for (study, value), table in tables.items() if study == name
    }
    chosen = [float(value) for value, each in STUDIES[name].items() if each == CHOSEN]
    return {
        "rms error": (list(errors), list(errors.values())),
        "chosen": (chosen, [errors[value] for value in chosen]),
    }


EXPERIMENTS = (
    Experiment(
        id="QS-SENS",
        figure="study",
        question="How far does the decoded Table I move when one of the inputs moves that fit it?",
        run=run,
    ),
)
