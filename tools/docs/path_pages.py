"""A page for each path known by name: what it is made of, and what startups make of it."""

import re
from typing import Any

import commands
import flowstart as fs
import reference
from figure import Exit, Figure
from flowstart.comparison import overview
from flowstart.model import path as paths
from flowstart.model.definitions import parts
from flowstart.simulation.series import Series, of_flow

HEAD = "<!-- Written by `make docs` from runs; changes here are lost. -->\n\n"
SHOWN, PALE = "hystart", "slow-start"
SIZE, STACK = "10MB", "linux"
SEEDS = 80
"""Over so many seeds a random path's range of exits goes."""
PACKET_BYTES = 1500
_MARGIN = 1.1
"""How much higher the axis is than the largest window."""


def pages() -> dict[str, str]:
    """Every path's page and figure, by the file's name."""
    found = {}
    for name, fields in paths.named_paths().items():
        found[f"{name}.md"] = page(name, fields)
        found[f"{name}.svg"] = figure(name).svg()
    return found


def page(name: str, fields: dict[str, Any]) -> str:
    """The page of a path, whose fields are those of its description."""
    told = {field.name: field for field in parts()["NetworkPath"].fields}
    rows = ["| field | value | meaning |", "| --- | --- | --- |"]
    rows += [
        f"| `{field}` | `{str(value).lower() if value is True else value}` "
        f"| {reference.told(told[field].doc)} |"
        for field, value in fields.items()
        if field != "about"
    ]
    caption = (
        f"*{SIZE} with `{SHOWN}`, stack `{STACK}` with CUBIC, seed 1{_exits(name)}. Pale: "
        f"`{PALE}`. Dashed: the BDP, and BDP plus buffer. Below: queue length at the bottleneck, "
        "and a mark for every loss.*"
    )
    more = (
        "All startups on this path: [exits](../exits.md). "
        "Columns: [how to read the table](../../start/quick-start.md#how-to-read-the-table)."
    )
    found = [
        f"# The path {name}",
        f"{fields['about'].rstrip('.')}. [All paths](../paths.md)",
        "\n".join(rows),
        "## Over time",
        f"![Windows over time]({name}.svg)",
        caption,
        "## Startups on this path",
        f"    $ flowstart compare --path {name} --stack {STACK} --size 100kB,1MB,{SIZE}",
        more,
    ]
    return commands.with_output(HEAD + "\n\n".join(found) + "\n")


def _exits(name: str) -> str:
    """On a random path, the windows at the exit over seeds, as the table of a comparison has them.

    The picture is of one seed.
    """
    path = fs.NetworkPath.named(name)
    found = fs.compare(
        path,
        startups=[SHOWN],
        sizes=[SIZE],
        stack=STACK,
        cc="cubic",
        repeat=SEEDS,
        uncertainty=False,
    )
    if not found.drawn:
        return ""
    [summary] = found.summaries
    return f" (exits of seeds 1 to {SEEDS}: {overview.exit_words(summary)})"


def figure(name: str) -> Figure:
    """The window of a startup on a path, beside slow start's."""
    shown, row, buffer = _traced(name, SHOWN)
    pale, other, _ = _traced(name, PALE)
    left = None
    if row["startup_exit_reason"]:
        left = Exit(
            row["startup_exit_s"], row["startup_exit_cwnd_segments"], row["startup_exit_reason"]
        )
    largest = max(float(max(series.cwnd[series.at_sender])) for series in (shown, pale))
    return Figure(
        title=f"The windows of {SHOWN} and {PALE} on {name}",
        shown=shown,
        pale=pale,
        seconds=max(row["fct_s"], other["fct_s"]),
        bdp=shown.bdp_pkts,
        buffer=buffer,
        most=_MARGIN * largest,
        exit=left,
    )


def _traced(name: str, startup: str) -> tuple[Series, dict[str, Any], float]:
    flow = fs.Flow(size=SIZE, startup=startup, cc="cubic")
    run = fs.run(
        fs.Scenario(path=fs.NetworkPath.named(name), flows=[flow], stack=STACK), trace=True
    )
    return of_flow(run.outcome, 0, startup), run.records[0], _packets(run.about["buffer"])


def _packets(buffer: str) -> float:
    """A resolved buffer, `60pkt` or `90000B`, in packets."""
    size, unit = re.match(r"(\d+)(\w+)", buffer).groups()  # type: ignore[union-attr]
    return int(size) // PACKET_BYTES if unit == "B" else float(size)
