"""Figures 2 to 4 share this: the improvement over the transfer's size, a curve per delay."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Cell, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.quick_start_low_latency.cells import pairs
from flowstart_papers.quick_start_low_latency.measures import Pair
from flowstart_papers.quick_start_low_latency.published import SMALL_KB
from flowstart_papers.quick_start_low_latency.setups import RATES, TABLE1_KB, Setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DELAYS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
LOW = tuple(delay for delay in DELAYS if delay <= 50)
HIGH = tuple(delay for delay in DELAYS if delay >= 100)
SIZES = (*range(2, 11), 12, 15, 20, 22, 25, 30, 40, 46, 50, 60, 80, 94, 100, 120, 150, 190, 200,
         250, 300, 382, 400, 500, 766, 1000, 1534, 2000, 3070, 5000, 6142, 10_000)  # fmt: skip
"""Packets; 4, 10, 22, 46, ... are one more than so many flights of slow start carry."""
NAMED_KB = (SMALL_KB, 50, TABLE1_KB, 1000, 10_000)
"""Sizes that the paper or a target names."""

Place = tuple[int, int]
"""A delay in milliseconds and packets."""


@dataclass(frozen=True)
class Sweep:
    """The transfers at one rate."""

    setting: Setting
    rate: str
    pairs: Mapping[Place, Pair]


@dataclass(frozen=True)
class Printed:
    """A number that the text prints of a figure."""

    label: str
    improvement: float
    kilobytes: float | None = None
    """Where, if the text says so; otherwise it is drawn as a line."""


def sweep(lab: Lab, setting: Setting, rate: str) -> Sweep:
    """All sizes over all delays."""
    sizes = sorted({*SIZES, *(setting.packets(kb) for kb in NAMED_KB)})
    places = [(delay, packets) for delay in DELAYS for packets in sizes]
    found = pairs(lab, [(setting, rate, *place) for place in places])
    return Sweep(setting, rate, dict(zip(places, found, strict=True)))


def improvements(
    found: Sweep,
    delays: Iterable[int] = DELAYS,
    wanted: Callable[[int], bool] = lambda _packets: True,
) -> dict[Place, float]:
    """Those of the cells without a loss, at some of the delays and sizes."""
    return {
        (delay, packets): pair.improvement
        for (delay, packets), pair in found.pairs.items()
        if pair.loss_free and delay in set(delays) and wanted(packets)
    }


def highest(cells: Mapping[Place, float]) -> Place:
    """Where the improvement is largest."""
    return max(cells, key=lambda place: cells[place])


def lossy(found: Sweep) -> dict[Place, float]:
    """The improvements where either startup lost packets."""
    return {place: pair.improvement for place, pair in found.pairs.items() if not pair.loss_free}


def about_losses(found: Sweep) -> str:
    """What became of the cells that are shown apart."""
    apart = lossy(found)
    if not apart:
        return "No packet is lost in any of the transfers."
    uneven = sum(found.pairs[at].slow["timeouts"] != found.pairs[at].quick["timeouts"]
                 for at in apart)  # fmt: skip
    return (
        f"{len(apart)} of {len(found.pairs)} cells lose packets at the queue of 150 and are shown "
        f"apart: there the improvement is between {min(apart.values()):.0f} and "
        f"{max(apart.values()):.0f} %; in {uneven} of them one startup meets more timeouts than "
        f"the other."
    )


def table(name: str, found: Sweep) -> Table:
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
        for (delay, packets), pair in found.pairs.items()
    ]
    return Table(name, f"All transfers over {RATES[found.rate]}, literal reading", rows)


def picture(
    name: str,
    figure: str,
    ours: Sweep,
    decoded: Sweep,
    *printed: Printed,
    limits: tuple[float, float] = (-20, 100),
) -> Picture:
    """Curves of the cells without loss, as the paper draws them, and the others as points."""
    caption = (
        f"{figure}: improvement over size at {RATES[ours.rate]}. Left, the literal reading: curves "
        f"are transfers without loss, crosses those with losses. Right, the inputs decoded from "
        f"Table I, without losses. Dotted or ringed: the numbers of the paper's text"
    )
    return Picture(name, caption, lambda: _draw(ours, decoded, printed, limits))


def _draw(
    ours: Sweep, decoded: Sweep, printed: Iterable[Printed], limits: tuple[float, float]
) -> "Figure":
    from flowstart_papers import drawing

    size = drawing.Axis("transfer length (kB)", "log", (1.8, 16_000), (2, 10, 100, 1000, 10_000))
    shown = {"literal reading": ours, "decoded from Table I": decoded}
    figure = drawing.panels(
        *(
            drawing.Panel(
                size,
                drawing.Axis("improvement (%)", limits=limits),
                _curves(found.setting, improvements(found)),
                title=title,
            )
            for title, found in shown.items()
        ),
        width=5.4,
        height=4.6,
    )
    shades = _shade(figure)
    _cross(figure.axes[0], ours, shades)
    for axis in figure.axes:
        _mark(axis, printed)
    return figure


def _shade(figure: "Figure") -> dict[int, object]:
    """Ten delays are told apart by shades in their order rather than by colours."""
    from matplotlib import colormaps

    shades = colormaps["viridis"].resampled(len(DELAYS) + 1)
    for axis in figure.axes:
        for i, line in enumerate(axis.lines):
            line.set(color=shades(i), linestyle="-", markersize=3)
    for legend in figure.legends:
        legend.remove()
    handles = figure.axes[0].get_legend_handles_labels()[0]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(DELAYS) // 2)
    return {delay: shades(i) for i, delay in enumerate(DELAYS)}


def _cross(axis: "Axes", found: Sweep, shades: Mapping[int, object]) -> None:
    """The cells with losses; those below the axis are counted in its corner."""
    from flowstart_papers.drawing import BACKED

    bottom = axis.get_ylim()[0]
    apart = lossy(found)
    for (delay, packets), value in apart.items():
        axis.plot(found.setting.kilobytes(packets), value, "x", color=shades[delay], markersize=4)
    below = [value for value in apart.values() if value < bottom]
    if below:
        said = f"↓ {len(below)} with losses, down to {min(below):.0f} %"
        axis.annotate(said, (0.2, 0.02), xycoords="axes fraction", fontsize=8,
                      bbox=BACKED)  # fmt: skip


def _mark(axis: "Axes", printed: Iterable[Printed]) -> None:
    """What the text prints: a line, or a ring whose name stands where no curves are."""
    from flowstart_papers.drawing import BACKED

    for each in printed:
        if each.kilobytes is None:
            axis.axhline(each.improvement, color="0.3", linewidth=1, linestyle=":")
            axis.annotate(
                each.label,
                (1.9, each.improvement),
                (0, 3),
                textcoords="offset points",
                fontsize=8,
                bbox=BACKED,
            )
            continue
        place = (each.kilobytes, each.improvement)
        axis.plot(*place, "o", markersize=10, color="black", markerfacecolor="none")
        axis.annotate(
            each.label,
            place,
            (0.12, 0.14),
            textcoords="axes fraction",
            fontsize=8,
            arrowprops={"arrowstyle": "-", "color": "0.5", "linewidth": 0.8, "shrinkB": 6},
        )


def _curves(
    setting: Setting, cells: Mapping[Place, float]
) -> dict[str, tuple[list[float], list[float]]]:
    return {
        f"{delay} ms": (
            [setting.kilobytes(packets) for at, packets in cells if at == delay],
            [value for (at, _), value in cells.items() if at == delay],
        )
        for delay in DELAYS
    }
