"""What the testbeds have in common: their command lines, scales, files and figures."""

import argparse
import csv
import json
import pathlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, NoReturn

import matplotlib as mpl
from matplotlib.figure import Figure

from flowstart.errors import RequestError
from flowstart.render.charts import COLOURS, STYLE, Chart, svg
from flowstart.render.grid import Column, Grid
from flowstart.render.summary import screen

Row = dict[str, Any]

PACKET_BITS = 12_000
"""1500 bytes on the wire, by which both papers count."""
MSS = 1448
"""What such a packet carries."""
WORST_LATE_S = 0.002
"""A run in which the path was later than this has stalled."""


class Parser(argparse.ArgumentParser):
    """A parser with errors of one line."""

    def error(self, message: str) -> NoReturn:
        """Ends with status 2."""
        refuse(message)


def refuse(message: str) -> NoReturn:
    """Prints in one line what is wrong, and ends with status 2."""
    print(message, file=sys.stderr)
    sys.exit(2)


def parser(about: str, mbps: float) -> Parser:
    """The options that both testbeds have; `mbps` is the rate where none is given."""
    made = Parser(description=about)
    made.add_argument("-o", "--out", type=pathlib.Path, required=True, help="a folder")
    made.add_argument("--mbps", type=rate, default=mbps, help=f"the path's rate [{mbps:g}]")
    made.add_argument("--repeat", type=whole, default=3, help="runs of each in the kernel [3]")
    return made


def whole(text: str) -> int:
    """An argument that counts something."""
    if not text.isascii() or not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"`{text}`: a whole number from 1 is needed")
    return int(text)


def rate(text: str) -> float:
    """An argument in Mbit/s that the emulator holds."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 1 <= found <= 200:
        raise argparse.ArgumentTypeError(f"`{text}`: 1 to 200 Mbit/s, which the emulator holds")
    return found


@dataclass(frozen=True)
class Scale:
    """How much smaller than the paper's a path is, in bandwidth times delay."""

    paper_mbps: float
    paper_rtt_ms: float
    mbps: float
    rtt_ms: float

    @property
    def share(self) -> float:
        """The path's product over the paper's."""
        return self.bdp / (self.paper_mbps * 1e3 * self.paper_rtt_ms / PACKET_BITS)

    @property
    def bdp(self) -> float:
        """Bandwidth times delay of the path, in packets."""
        return self.mbps * 1e3 * self.rtt_ms / PACKET_BITS

    def packets(self, papers: float, least: int = 1) -> int:
        """So many packets of the paper's, in the same proportion to the BDP."""
        return max(least, int(papers * self.share + 0.5))

    def __str__(self) -> str:
        return (
            f"{self.mbps:g} Mbit/s × {self.rtt_ms:g} ms, BDP {self.bdp:.0f} packets: "
            f"{self.share:.3g} of the paper's {self.paper_mbps:g} Mbit/s × {self.paper_rtt_ms:g} ms"
        )


def middle(values: Sequence[float | None]) -> float | None:
    """The median of those that are known."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def spread(name: str, values: Sequence[float | None]) -> Row:
    """Median, least and most of several runs in the kernel."""
    known = [value for value in values if value is not None]
    ends = (min(known, default=None), max(known, default=None))
    return {
        f"live_{name}": middle(values),
        f"live_{name}_least": ends[0],
        f"live_{name}_most": ends[1],
    }


def write(rows: Sequence[Row], folder: pathlib.Path, name: str, about: Mapping[str, Any]) -> None:
    """A table as CSV, and with what it is about as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [])
        writer.writeheader()
        writer.writerows(rows)
    whole_table = json.dumps({**about, "rows": list(rows)}, indent=1)
    (folder / f"{name}.json").write_text(whole_table + "\n", encoding="utf-8")


def show(title: str, columns: Sequence[Column], cells: Mapping[str, list[list[str]]]) -> None:
    """A table on the terminal: rows in groups, by the groups' headings."""
    grid = Grid(list(columns))
    for heading, rows in cells.items():
        grid.groups[len(grid.rows)] = heading
        grid.rows += rows
    print(screen(title, grid, "CSV and JSON in the folder"), flush=True)


@dataclass(frozen=True)
class Beside:
    """What a panel draws: simulated as lines, the kernel's median and ends as points."""

    title: str
    x: str
    y: str
    value: str
    """The column, behind `simulated_` and `live_`."""
    log: bool = False
    """Whether the ordinate is logarithmic, from one on."""


def figure(panels: Sequence[tuple[Beside, Sequence[Row]]]) -> Figure:
    """Panels, two on a line, each of its rows, with a curve for each scheme."""
    with mpl.rc_context(STYLE):
        lines = -(-len(panels) // 2)
        chart = Chart(figsize=(9.2, 3.3 * lines + 0.6))
        axes = chart.subplots(lines, 2, squeeze=False).flat
        for axis, (panel, rows) in zip(axes, panels, strict=False):
            for place, scheme in enumerate(dict.fromkeys(row["scheme"] for row in rows)):
                _curve(axis, panel, [row for row in rows if row["scheme"] == scheme], place)
            axis.set_title(panel.title)
            axis.set_xlabel(panel.x)
            axis.set_ylabel(panel.y)
            if panel.log:
                axis.set_yscale("symlog", linthresh=1)
        chart.legend(
            *chart.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3
        )
        return chart


def _curve(axis: Any, panel: Beside, rows: Sequence[Row], place: int) -> None:
    known = [row for row in rows if row[f"simulated_{panel.value}"] is not None]
    colour = COLOURS[place % len(COLOURS)]
    xs = [row["x"] for row in known]
    label = rows[0]["scheme"] if rows else ""
    axis.plot(xs, [row[f"simulated_{panel.value}"] for row in known], color=colour, label=label)
    live = [row for row in rows if row[f"live_{panel.value}"] is not None]
    ends = [
        [row[f"live_{panel.value}"] - row[f"live_{panel.value}_least"] for row in live],
        [row[f"live_{panel.value}_most"] - row[f"live_{panel.value}"] for row in live],
    ]
    xs, ys = [row["x"] for row in live], [row[f"live_{panel.value}"] for row in live]
    hollow: Any = {"fmt": "o", "mfc": "none", "capsize": 2, "color": colour}
    axis.errorbar(xs, ys, yerr=ends, **hollow)


def bars(rows: Sequence[Row], value: str, label: str, schemes: Sequence[str]) -> Figure:
    """Groups of bars, of what is simulated, with the kernel's median and ends upon them."""
    groups = list(dict.fromkeys((row["path"], row["objects"]) for row in rows))
    with mpl.rc_context(STYLE):
        chart = Chart(figsize=(8.0, 3.9))
        axis = chart.subplots()
        for place, scheme in enumerate(schemes):
            for row in (row for row in rows if row["scheme"] == scheme):
                group = groups.index((row["path"], row["objects"]))
                _bar(axis, row, value, (group + 0.2 * (place - (len(schemes) - 1) / 2), place))
        axis.set_xticks(range(len(groups)), [f"{path}\n{way}" for path, way in groups])
        axis.set_ylabel(label)
        handles, names = axis.get_legend_handles_labels()
        known = dict(zip(names, handles, strict=True))
        chart.legend(known.values(), known.keys(), loc="outside lower center", ncols=4)
        return chart


def _bar(axis: Any, row: Row, value: str, at: tuple[float, int]) -> None:
    x, place = at
    height = row[f"simulated_{value}"]
    if height is not None:
        axis.bar(x, height, 0.19, color=COLOURS[1 + place], label=row["scheme"])
    live = row[f"live_{value}"]
    if live is not None:
        ends = [[live - row[f"live_{value}_least"]], [row[f"live_{value}_most"] - live]]
        axis.errorbar(x, live, yerr=ends, fmt="o", mfc="none", color="black", capsize=2)


def draw(chart: Figure, folder: pathlib.Path, name: str) -> None:
    """The figure as SVG."""
    (folder / f"{name}.svg").write_text(svg(chart), encoding="utf-8")


def main(run: Callable[[argparse.Namespace], None], given: argparse.Namespace) -> None:
    """Runs a testbed; what is wrong, or not permitted here, is one line and status 2."""
    try:
        run(given)
    except RequestError as error:
        refuse(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
