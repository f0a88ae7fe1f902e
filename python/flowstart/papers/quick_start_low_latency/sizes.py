"""Figures 2 to 4 share this: the improvement over the transfer's size, a curve per delay."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from flowstart.papers.experiment import Cell, Picture, Table
from flowstart.papers.lab import Lab
from flowstart.papers.quick_start_low_latency.setups import RATES, TABLE1
from flowstart.papers.quick_start_low_latency.transfers import Pair, pairs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DELAYS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
LOW = tuple(delay for delay in DELAYS if delay <= 50)
HIGH = tuple(delay for delay in DELAYS if delay >= 100)
SIZES = (*range(2, 11), 12, 15, 20, 22, 25, 30, 40, 46, 50, 60, 80, 94, 100, 120, 150, 190, 200,
         250, 300, 382, 400, 500, 700, 766, 1000, 1534, 2000, 3070, 5000, 6142, 7000,
         10_000)  # fmt: skip
"""Packets; 4, 10, 22, 46, ... are one more than so many flights of slow start carry."""

Sweep = Mapping[tuple[int, int], Pair]
"""The transfers at one rate, by delay in milliseconds and packets."""
Place = tuple[int, int]


def sweep(lab: Lab, rate: str) -> Sweep:
    """All sizes over all delays."""
    places = [(delay, packets) for delay in DELAYS for packets in SIZES]
    found = pairs(lab, [(replace(TABLE1, packets=n), rate, delay) for delay, n in places])
    return dict(zip(places, found, strict=True))


def improvements(
    found: Sweep,
    delays: Iterable[int] = DELAYS,
    wanted: Callable[[int], bool] = lambda _packets: True,
) -> dict[Place, float]:
    """Those of the cells without a loss, at some of the delays and sizes."""
    return {
        (delay, packets): pair.improvement
        for (delay, packets), pair in found.items()
        if pair.loss_free and delay in set(delays) and wanted(packets)
    }


def highest(cells: Mapping[Place, float]) -> Place:
    """Where the improvement is largest."""
    return max(cells, key=lambda place: cells[place])


def lossy(found: Sweep) -> dict[Place, float]:
    """The improvements where either start-up lost packets."""
    return {place: pair.improvement for place, pair in found.items() if not pair.loss_free}


def about_losses(found: Sweep) -> str:
    """What became of the cells that are shown apart."""
    apart = lossy(found)
    if not apart:
        return "No packet is lost in any of the transfers."
    uneven = sum(found[place].slow["timeouts"] != found[place].quick["timeouts"] for place in apart)
    return (
        f"{len(apart)} of {len(found)} cells lose packets at the queue of 150 and are shown apart: "
        f"there the improvement lies between {min(apart.values()):.0f} and "
        f"{max(apart.values()):.0f} %; in {uneven} of them one start-up meets more timeouts than "
        f"the other."
    )


def table(name: str, rate: str, found: Sweep) -> Table:
    """All cells, those with losses included."""
    rows: list[dict[str, Cell]] = [
        {
            "delay (ms)": delay,
            "packets": packets,
            "slow start (s)": round(pair.slow["seconds"], 6),
            "Quick-Start (s)": round(pair.quick["seconds"], 6),
            "improvement (%)": round(pair.improvement, 2),
            "slow start dropped": pair.slow["dropped"],
            "Quick-Start dropped": pair.quick["dropped"],
            "slow start timeouts": pair.slow["timeouts"],
            "Quick-Start timeouts": pair.quick["timeouts"],
        }
        for (delay, packets), pair in found.items()
    ]
    return Table(name, f"All transfers over {RATES[rate]}", rows)


def picture(name: str, caption: str, found: Sweep) -> Picture:
    """Loss-free cells as curves, as the paper draws them, and the others as points."""
    return Picture(name, caption, lambda: _draw(found))


def _draw(found: Sweep) -> "Figure":
    from flowstart.papers import drawing

    size = drawing.Axis("transfer (packets)", "log", (1.8, 11_000), (2, 10, 100, 1000, 10_000))
    improvement = drawing.Axis("improvement (%)")
    parts = {"no losses": improvements(found), "with losses": lossy(found)}
    figure = drawing.panels(
        *(
            drawing.Panel(size, improvement, _curves(cells), title=title)
            for title, cells in parts.items()
            if cells
        ),
    )
    _shade(figure)
    for line in [line for axis in figure.axes[1:] for line in axis.lines]:
        line.set_linestyle("none")
    figure.axes[0].legend(ncols=2, fontsize=7)
    return figure


def _shade(figure: "Figure") -> None:
    """Ten delays are told apart by shades in their order rather than by colours."""
    from matplotlib import colormaps

    shades = colormaps["viridis"].resampled(len(DELAYS) + 1)
    for axis in figure.axes:
        for i, line in enumerate(axis.lines):
            line.set(color=shades(i), linestyle="-", markersize=3)


def _curves(cells: Mapping[Place, float]) -> dict[str, tuple[list[int], list[float]]]:
    return {
        f"{delay} ms": (
            [packets for at, packets in cells if at == delay],
            [value for (at, _), value in cells.items() if at == delay],
        )
        for delay in DELAYS
    }
