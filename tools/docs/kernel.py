"""How far all startups agree in this machine's kernel: runs them, and writes kernel.md's tables.

python tools/docs/kernel.py           # fifteen minutes; needs what `flowstart kernel load` needs
python tools/docs/kernel.py loaded    # only startups that run in the kernel without an agent
"""

import pathlib
import sys

import polars as pl

import flowstart as fs
from flowstart import _native
from flowstart.comparison.live.tables import medians

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "guides" / "kernel.md"
PATHS = {
    "20 Mbit/s × 60 ms": fs.NetworkPath(rate="20Mbps", rtt="60ms", buffer="100pkt"),
    "5 Mbit/s × 64 ms": fs.NetworkPath(rate="5Mbps", rtt="64ms", buffer="60pkt"),
    "100 Mbit/s × 102 ms": fs.NetworkPath(rate="100Mbps", rtt="102ms", buffer="871pkt"),
}
SIZES = ["100kB", "1MB"]
LOADED_SIZES = ["100kB", "1MB", "10MB"]
FIVE = ("hystart", "limited-slow-start", "jump-start", "search", "gauge")
"""What is shown one by one."""
NEAR, NEAR_EXIT = 0.05, 0.1
"""Completion and exit window that agree."""


def measured() -> pl.DataFrame:
    """A row for each startup, path and size that the kernel can run, of medians of three runs."""
    rows = []
    for name, path in PATHS.items():
        found = fs.compare(path, startups=["all"], on="linux", sizes=SIZES, repeat=3)
        for row in medians(found.paired):
            if not row["refused"]:
                rows.append({"path": name, **row})
        print(f"{name}: {found.verdict}", file=sys.stderr)
    return pl.DataFrame(rows, infer_schema_length=None)


def loaded() -> str:
    """Startups that the kernel runs without an agent, next to the simulator and the agent."""
    lines = [
        "| startup | path | size | simulated | agent | kernel | difference | exit cwnd |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for startup, control in _native.KERNEL_STARTUPS.items():
        fs.kernel_load(startup, ports=[1], share=0.01)  # the runs choose it by name
        try:
            for name, path in PATHS.items():
                lines += _loaded_rows(startup, control, name, path)
        finally:
            fs.kernel_unload()
    return "\n".join(lines) + "\n"


def _loaded_rows(startup: str, control: str, name: str, path: fs.NetworkPath) -> list[str]:
    found = fs.compare(
        path, startups=[startup], kernel=[control], on="linux", sizes=LOADED_SIZES, repeat=5
    )
    print(f"{startup}, {name}: {found.verdict}", file=sys.stderr)
    rows = {(row["variant"], row["size"]): row for row in medians(found.paired)}
    lines = []
    for size in LOADED_SIZES:
        own = rows[f"kernel-{control}", size] | {"variant": startup, "path": name}
        if own["simulated_startup_exit_reason"] != own["live_startup_exit_reason"]:
            own["live_startup_exit_cwnd_segments"] = None
        agent = rows[startup, size]["live_fct_s"]
        cells = _row(own).split(" | ")
        lines.append(" | ".join([*cells[:4], f"{1e3 * agent:.1f} ms", *cells[4:]]))
    return lines


def tables(rows: pl.DataFrame) -> str:
    """All startups in numbers, the five one by one, and those that are apart."""
    took = pl.col("fct_difference").abs()
    left = pl.col("startup_exit_cwnd_difference").abs()
    lines = [
        "| path | transfers | median difference | within 1 % | within 5 % | exits within 10 % |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in PATHS:
        own = rows.filter(pl.col("path") == name)
        near = [own.filter(took <= limit).height for limit in (0.01, NEAR)]
        exits = own.filter(left.is_not_null())
        median = own.select(took.median()).item()
        lines.append(
            f"| {name} | {own.height} | {100 * median:.2f} % | {near[0]} | {near[1]} | "
            f"{exits.filter(left <= NEAR_EXIT).height} of {exits.height} |"
        )
    lines += ["", "| startup | path | size | simulated | kernel | difference | exit cwnd |"]
    lines += ["| --- | --- | --- | ---: | ---: | ---: | ---: |"]
    lines += [_row(row) for row in rows.iter_rows(named=True) if row["variant"] in FIVE]
    apart = rows.filter((took > NEAR) | (left > NEAR_EXIT))
    lines += ["", "Further apart than 5 % of completion or 10 % of the exit window:", ""]
    lines += ["| startup | path | size | simulated | kernel | difference | exit cwnd |"]
    lines += ["| --- | --- | --- | ---: | ---: | ---: | ---: |"]
    lines += [_row(row) for row in apart.iter_rows(named=True)]
    return "\n".join(lines) + "\n"


def _row(row: dict[str, object]) -> str:
    times = [row["simulated_fct_s"], row["live_fct_s"]]
    shown = [f"{1e3 * time:.1f} ms" if isinstance(time, float) else "–" for time in times]
    difference = row["fct_difference"]
    apart = f"{100 * difference:+.2f} %" if isinstance(difference, float) else "–"
    exits = [row["simulated_startup_exit_cwnd_segments"], row["live_startup_exit_cwnd_segments"]]
    windows = ", ".join(f"{w:.0f}" if isinstance(w, float | int) else "–" for w in exits)
    cells = [row["variant"], row["path"], row["size"], *shown, apart.replace("-", "−"), windows]
    return f"| {' | '.join(map(str, cells))} |"


def _put(mark: str, text: str) -> None:
    """Puts tables between their marks of the page."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->\n"
    before, _, rest = PAGE.read_text().partition(begin)
    PAGE.write_text(f"{before}{begin}{text}{end}{rest.partition(end)[2]}")


def main() -> None:
    """Runs everything, and puts the tables into the page."""
    if sys.argv[1:] != ["loaded"]:
        _put("kernel", tables(measured()))
    _put("loaded", loaded())


if __name__ == "__main__":
    main()
