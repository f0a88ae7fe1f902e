"""The files of live runs: rows, figures, qlog, and a page to read."""

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from flowstart.live_runs.load import LiveLoad
from flowstart.live_runs.plan import SIMULATED
from flowstart.live_runs.result import LiveComparison
from flowstart.render import figure_files, html
from flowstart.render.files import columns, encoded

Progress: TypeAlias = Callable[[int, int], object]

LARGEST_TRACE_BYTES = 500_000_000
"""Larger transfers get no figures: their traces would fill the memory."""
LARGEST_QLOG_BYTES = 2_000_000
"""Larger transfers get no qlog files in a folder: each would have megabytes."""


def tables(result: LiveComparison) -> dict[str, bytes]:
    """The rows, the pairs, and everything as JSON."""
    files = {"result.json": encoded(result.to_dict())}
    files |= columns(result.frame, "rows", "live-rows")
    files |= columns(result.pairs, "pairs", "live-pairs")
    return files


def qlogs(result: LiveComparison) -> dict[str, bytes]:
    """The senders of the first seed, simulated and live, as `STARTUP-SIZE-TRANSPORT.sqlog`."""
    found = {}
    for size in _sizes(result, LARGEST_QLOG_BYTES):
        for startup in _both(result, size):
            name = re.sub(r"[^\w.=,+-]+", "-", f"{startup}-{size}")
            found[f"{name}-{SIMULATED}.sqlog"] = result.simulated_qlog(startup, size)
            found[f"{name}-{result.plan.stack}.sqlog"] = result.qlog(startup, size)
    return found


def pictures(result: LiveComparison, progress: Progress | None = None) -> dict[str, bytes]:
    """The windows over time of each size, and the page that holds them.

    `progress(done, total)` is called with the number of figures before each of them is drawn.
    """
    if not result.paired:
        return {}
    found: dict[str, bytes] = {}
    parts = [html.paragraph(result.headline), html.table(result.table)]
    parts += [
        html.paragraph(line) for line in (*result.legend.splitlines(), *result.verdict.splitlines())
    ]
    parts += figure_files.apology()
    spared = result.interrupted or result.failures or figure_files.wanting()
    sizes = [] if spared else list(_sizes(result))
    for done, size in enumerate(sizes):
        if progress:
            progress(done, len(sizes))
        files = figure_files.of(f"window-{size}", result.plot(size))
        found |= files.contents
        caption = (
            f"The window of {size}, simulated and in {result.plan.stack}, with the first seed."
        )
        parts.append(html.picture(files.svg, caption))
    if result.plan.command:
        parts += [html.heading("Again"), html.code(result.plan.command)]
    title = f"Startups simulated and in {result.plan.stack}"
    found["report.html"] = html.page(title, [*parts, html.made_by()]).encode()
    return found


def _sizes(result: LiveComparison, most: int = LARGEST_TRACE_BYTES) -> Iterator[str]:
    """The sizes of at most so many bytes."""
    known = {row["size"]: row["size_bytes"] for row in result.records}
    return (size for size, count in known.items() if count <= most)


def _both(result: LiveComparison, size: str) -> list[str]:
    """The startups that the stack has run with the first seed."""
    cases = (result.case(startup, size) for startup in result.simulated.plan.startups)
    return [c.startup for c in cases if c in result.found and result.found[c].outcome]


def load_tables(load: LiveLoad, name: str = "requests") -> dict[str, bytes]:
    """The requests of both sides as `NAME.csv` and `NAME.parquet`, and all of it as `NAME.json`."""
    files = {f"{name}.json": encoded(load.to_dict())}
    return files | columns(load.frame, name, "load-rows")
