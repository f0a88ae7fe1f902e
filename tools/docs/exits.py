"""The page that shows where every startup leaves, on every path known by name.

`tools/docs/pages.py` writes it with the others.
"""

import functools
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import figure
import flowstart as fs
from flowstart.model.path import named_paths

SEEDS = 20
STACK = "linux"
MSS = 1448
LEAST_BYTES = 10_000_000
PRODUCTS = 16
"""A transfer has at least so many bandwidth-delay products, so that a startup can end."""

GROUPS = {
    "Wires": ("dsl", "cable", "fibre", "datacentre", "jump-start-2007"),
    "Radio": ("wifi", "lossy-wifi", "lte", "5g", "leo"),
    "Far, and policed": ("satellite", "geo", "transoceanic", "transoceanic-link", "policed"),
}


@dataclass(frozen=True)
class Cell:
    """How a startup ended on a path, over the seeds."""

    reasons: tuple[tuple[str | None, int], ...]
    """Each reason with its number of runs, the commonest first; None where it had not ended."""
    product: float | None
    """The median of the window at exit, in bandwidth-delay products."""

    def count(self, reason: str | None) -> int:
        """In how many runs it ended for this reason."""
        return dict(self.reasons).get(reason, 0)

    def words(self) -> str:
        """As the tables have it."""
        reasons = [reason or "–" for reason, _ in self.reasons]
        if len(reasons) > 1:
            pairs = zip(reasons, self.reasons, strict=True)
            reasons = [f"{reason} {runs}" for reason, (_, runs) in pairs]
        window = "" if self.product is None else f" {_window(self.product)}"
        return f"{', '.join(reasons)}{window}"


@functools.cache
def cells() -> dict[str, dict[str, Cell]]:
    """What every startup did, by its name and the path's."""
    found: dict[str, dict[str, Cell]] = {a.name: {} for a in fs.list_algorithms("startup")}
    for name in named_paths():
        by_startup: dict[str, list[dict[str, Any]]] = {}
        for row in _rows(name):
            by_startup.setdefault(row["startup"], []).append(row)
        for startup, rows in by_startup.items():
            found[startup][name] = _cell(rows)
    return found


def _rows(name: str) -> list[dict[str, Any]]:
    path = fs.NetworkPath.named(name)
    (first,) = fs.compare(
        path, startups=["slow-start"], sizes=["10kB"], stack=STACK, uncertainty=False
    ).records
    size = max(LEAST_BYTES, int(PRODUCTS * first["bdp_pkts"] * MSS))
    names = [a.name for a in fs.list_algorithms("startup")]
    found = fs.compare(
        path,
        startups=names,
        sizes=[f"{size}B"],
        stack=STACK,
        repeat=SEEDS,
        uncertainty=False,
        cached_cwnd="1bdp",
    )
    return found.records


def _cell(rows: Sequence[dict[str, Any]]) -> Cell:
    reasons = Counter(row["startup_exit_reason"] for row in rows)
    windows = [
        row["startup_exit_cwnd_segments"] / row["bdp_pkts"]
        for row in rows
        if row["startup_exit_reason"]
    ]
    return Cell(tuple(reasons.most_common()), statistics.median(windows) if windows else None)


def _window(product: float) -> str:
    return f"{product:.2f}" if product < 10 else f"{product:.0f}"


# The page.

HEAD = f"""<!-- Written by `make docs` from runs; changes here are lost. -->

# Exits of every startup

Exit reason and exit window (in BDP) of each startup on each [named path](paths.md), {SEEDS} seeds,
stack `{STACK}` with CUBIC. The window is the median of the runs in which the startup ended. If runs
differ, a number shows how many. – means that the transfer completed first. Transfers have
{LEAST_BYTES // 10**6} MB, or {PRODUCTS} BDP if that is more. Cached windows are one BDP; routers
support requests.

The window is the cwnd at the end of startup, before the exit changes it (Swift Start, Jump Start,
BBR).

![Window at exit of every startup on every path](../images/exits.svg)

*Blue exits are below the BDP, orange above; white is one BDP. Letters: l loss, d delay, t ACK
train, f full pipe, e estimate, r router, a first ACK, s all sent, h threshold, c congestion mark,
o timeout.*
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, "## Unexpected exits and their causes\n", *(f"- {note}" for note in notes())]
    for title, paths in GROUPS.items():
        heads = " | ".join(f"`{path}`" for path in paths)
        rows = [f"| startup | {heads} |", f"|{' --- |' * (1 + len(paths))}"]
        for startup, found in cells().items():
            shown = " | ".join(found[path].words() if path in found else "" for path in paths)
            rows.append(f"| [{startup}](algorithms/{startup}.md) | {shown} |")
        parts += [f"\n## {title}\n", *rows]
    again = (
        f"\nReproduce one: `flowstart compare --path leo --startup search --size 10MB "
        f"--stack {STACK} --repeat {SEEDS}`.\n"
    )
    return "\n".join([*parts, again])


# What looks wrong. Every note counts what it speaks of, and fails where that is no longer so.


def notes() -> list[str]:
    """What a reader would take for errors, with its reasons."""
    return [
        _note(
            "search", "loss", least=5,
            why="Its authors' programs use the latest RTT. With a drop-tail queue, that selects "
            "the segments whose delivery is judged, so nothing is missing until the buffer "
            "overflows ([analysis](algorithms/search.md)). With a constant RTT "
            "(`search:variant=initial-rtt`) it exits before. The published variant does so with "
            "a larger buffer: 4 MB on `leo`, 2 MB on `wifi`.",
        ),
        _note(
            "hystart", "delay", least=3, below=0.6,
            why="Its delay rule treats RTT variation of a radio link as a queue. The window is far "
            "below the BDP, and CUBIC needs many RTTs to grow.",
        ),
        _note(
            "adaptive-start", "loss", least=10,
            why="Linux has no initial threshold, and the rule only raises it. So adaptive start is "
            "slow start there, as measurements on Linux found.",
        ),
        _note(
            "smooth-start", "loss", least=10,
            why="It slows down as the window nears the threshold, and a first transfer has none.",
        ),
        _note(
            "packet-pair-start", "ssthresh", least=2, below=0.6,
            why="ACKs that arrive in bursts, over cable and radio, do not show the rate; the "
            "estimate follows the scheduling of the medium.",
        ),
        _note(
            "copa-slow-start", "delay", least=3, below=0.5,
            why="It exits when a packet waited longer than twenty segments' share of an RTT. With "
            "a hundred segments in flight over 30 ms that is 6 ms. Jitter or ACK aggregation of "
            "that size ends it.",
        ),
        _note(
            "circuit-start", "delay", least=10, below=0.7,
            why="A round's delays include the queue of its burst, about a quarter of the window. "
            "So it exits near the root of eight BDP. It was designed for circuits of a few cells.",
        ),
        _note(
            "paced-chirping", "delay", least=1, below=0.1,
            why="Its guard against overload ends it when the smoothed RTT is 30 ms above the "
            "minimum. This path's RTT varies by 80 ms.",
        ),
        _note(
            "bbr-startup", "full-pipe", least=1, below=0.6,
            why="The BDP is that of the line, 100 Mbit/s; the policer passes a tenth. The exit "
            "window is two BDP of the policed rate.",
        ),
        _note(
            "xcp", None, least=10,
            why="Its routers set the window for the whole connection: there is no start that could "
            "end.",
        ),
    ]  # fmt: skip


def _note(
    startup: str, reason: str | None, *, least: int, why: str, below: float | None = None
) -> str:
    found = {
        path: cell
        for path, cell in cells()[startup].items()
        if cell.reasons[0][0] == reason
        and (below is None or (cell.product is not None and cell.product < below))
    }
    assert len(found) >= least, f"{startup} exits by {reason} on {sorted(found)} only"
    how = f"exits by {reason}" if reason else "does not end"
    if below is not None:
        how += f" below {below:g} BDP"
    differing = [
        f"{cell.count(reason)} of {SEEDS} runs on `{path}`"
        for path, cell in found.items()
        if len(cell.reasons) > 1
    ]
    where = f"on {len(found)} of {len(cells()[startup])} paths"
    if len(found) <= 5:
        where = f"on {', '.join(f'`{path}`' for path in found)}"
    but = f" ({'; '.join(differing)})" if differing else ""
    return f"**{startup}** {how} {where}{but}. {why}"


# The picture.

LETTERS = {
    "ack-train": "t",
    "delay": "d",
    "loss": "l",
    "timeout": "o",
    "ssthresh": "h",
    "first-ack": "a",
    "all-sent": "s",
    "estimate": "e",
    "router": "r",
    "full-pipe": "f",
    "ecn": "c",
}
WIDE, HIGH = 42, 20
LEFT, TOP = 170, 92
DEPTHS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.25, 2.5, 5.0, 10.0)
BLUES = ("#08519c", "#2171b5", "#4292c6", "#6baed6", "#c6dbef")
ORANGES = ("#fdd0a2", "#fd8d3c", "#e6550d", "#a63603")


def picture() -> str:
    """A field for every startup and path, coloured by the window at which it left."""
    paths = [path for group in GROUPS.values() for path in group]
    width = LEFT + WIDE * len(paths) + 40
    height = TOP + HIGH * len(cells()) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>Window at exit of every startup on every path</title>",
        f"<style>{figure.style()}</style>",
        f'<rect class="g" x="0" y="0" width="{width}" height="{height}" rx="6"/>',
    ]
    for column, path in enumerate(paths):
        x, y = LEFT + WIDE * column + WIDE / 2, TOP - 8
        turned = f'transform="rotate(-40 {x:g} {y:g})"'
        parts.append(f'<text x="{x:g}" y="{y:g}" {turned}>{escape(path)}</text>')
    for row, (startup, found) in enumerate(cells().items()):
        y = TOP + HIGH * row
        parts.append(f'<text class="e" x="{LEFT - 8}" y="{y + 14}">{escape(startup)}</text>')
        for column, path in enumerate(paths):
            if path in found:
                parts += _field(LEFT + WIDE * column, y, startup, path, found[path])
    return "\n".join([*parts, "</svg>\n"])


def _field(x: int, y: int, startup: str, path: str, cell: Cell) -> list[str]:
    colour, ink = _colour(cell.product)
    reason = cell.reasons[0][0]
    letter = LETTERS[reason] if reason else "–"
    told = escape(f"{startup} on {path}: {cell.words()}")
    place = f'x="{x}" y="{y}" width="{WIDE - 2}" height="{HIGH - 2}"'
    style = f"fill:{colour};stroke:#8c959f;stroke-width:.5"
    return [
        f'<rect {place} style="{style}"><title>{told}</title></rect>',
        f'<text class="c" x="{x + WIDE / 2 - 1:g}" y="{y + 13}" style="fill:{ink}">{letter}</text>',
    ]


def _colour(product: float | None) -> tuple[str, str]:
    """The field's colour and its letter's."""
    if product is None:
        return "#d0d7de", "#57606a"
    shades = [*BLUES, "#ffffff", *ORANGES]
    place = sum(product >= depth for depth in DEPTHS)
    dark = place < 3 or place >= len(shades) - 2
    return shades[place], "#ffffff" if dark else "#24292f"
