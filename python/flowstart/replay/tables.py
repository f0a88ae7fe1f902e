"""The tables of a replay."""

from collections.abc import Sequence
from typing import Any

from flowstart.render import footnotes, marks, text
from flowstart.render.grid import Column, Grid
from flowstart.replay.paths import ReplayPath
from flowstart.replay.summary import ClassSummary


def paths(built: Sequence[ReplayPath], most: int = 20) -> Grid:
    """The paths that the transfers were replayed on."""
    titles = ["rate there", "back", "RTT", "buffer there", "back", "transfers"]
    grid = Grid([Column("network", number=False), *(Column(title) for title in titles)])
    largest = sorted(built, key=lambda replayed: -replayed.transfers)
    for replayed in largest[:most]:
        path = replayed.path
        buffer = str(path["buffer"])

        def shown(name: str, value: str, replayed: ReplayPath = replayed) -> str:
            return f"≈ {value}" if name in replayed.assumed else value

        grid.rows.append(
            [
                replayed.name,
                shown("rate", _rate(path["rate"])),
                shown("reverse_rate", _rate(path.get("reverse_rate", path["rate"]))),
                _time(path["rtt"]),
                shown("buffer", buffer),
                shown("reverse_buffer", str(path.get("reverse_buffer", buffer))),
                str(replayed.transfers),
            ]
        )
    if len(built) > most:
        grid.title = f"The {most} paths with the most transfers, of {len(built)}"
    return grid


def _rate(value: Any) -> str:
    """Estimates are in bit/s; what the user wrote stays as it is."""
    number = str(value).removesuffix("bps")
    return text.rate(float(number)) if number.isdigit() else str(value)


def _time(value: str) -> str:
    number = value.removesuffix("us")
    return text.seconds(int(number) / 1e6) if number.isdigit() else value


def classes(found: Sequence[ClassSummary]) -> Grid:
    """The answer: a group per size class, a row per start-up."""
    titles = ["median", "p95", "change", "× ideal", "p95", "alone", "loss", "RTOs", "hurt"]
    columns = [Column("start-up", number=False), *(Column(title) for title in titles)]
    grid = Grid([*columns, Column("most hurt", number=False)])
    last = None
    for s in found:
        if s.size_class != last:
            last = s.size_class
            only = "only " if s.transfers < marks.ENOUGH else ""
            grid.groups[len(grid.rows)] = f"{s.size_class}: {only}{s.transfers} transfers"
        if s.best:
            grid.marked.add(len(grid.rows))
        grid.rows.append(_cells(s))
    return grid


def _cells(s: ClassSummary) -> list[str]:
    done = "" if s.complete == s.transfers else f" ({s.complete} done)"
    return [
        footnotes.marked(s.startup),
        text.seconds(s.fct_median_s) + done,
        text.seconds(s.fct_p95_s),
        text.percent(s.change),
        text.ratio(s.slowdown_median),
        text.ratio(s.slowdown_p95),
        text.seconds(s.alone_median_s),
        text.ABSENT if s.loss is None else f"{s.loss:.2%}",
        str(s.timeouts),
        text.ABSENT if s.hurt is None else f"{s.hurt:.1%}",
        s.worst_network or text.ABSENT,
    ]
