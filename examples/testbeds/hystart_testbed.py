"""Hybrid Slow Start's evaluation with this machine's kernel as the sender, and simulated.

    python examples/testbeds/hystart_testbed.py -o out/hystart

One flow begins on an empty path: under the kernel's own CUBIC, which has Hybrid Slow Start, under
the kernel's own Reno, which has standard slow start, and under three startups of the catalog
that drive the kernel's sender, with CUBIC behind them. Two sweeps of the paper: the buffer, on
the path of Fig. 2 (100 Mbit/s, 106 ms, BDP 883 packets), and the round trip of Fig. 4c (400
Mbit/s, one BDP of buffer). Where the paper's rate is above `--mbps` the rate is lowered to that;
buffer, transfer and the limit of limited slow start shrink with the BDP, and the round trip
stays. The scale is printed with the result.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from matplotlib.figure import Figure

import flowstart as fs
import testbed_parts as parts
from flowstart import text
from flowstart.comparison.live.rows import difference
from flowstart.comparison.live.tables import percent
from flowstart.render.grid import Column
from flowstart_papers.hystart import setups
from flowstart_papers.hystart import utilisation as figure4
from testbed_parts import Beside, Row, Scale

BUFFER, RTT = "buffer", "RTT"
"""The two sweeps."""
BUFFERS = figure4.BUFFERS
"""In BDP: of Fig. 4b, on the smaller path of Fig. 2."""
LIMIT = 100
"""`max_ssthresh` of limited slow start on the paper's paths."""
PRODUCTS = 15
"""BDPs that are transferred: slow start has ended by then with each of these buffers."""
KERNEL = {"kernel-cubic": "CUBIC + HyStart (kernel)", "kernel-reno": "slow start (kernel's Reno)"}
DRIVEN = {
    "hystart": "HyStart, driven",
    "slow-start": "slow start, driven",
    "limited-slow-start": "limited slow start, driven",
}


@dataclass(frozen=True)
class Point:
    """A path of a sweep."""

    sweep: str
    x: float
    """What is swept: BDPs, or milliseconds."""
    buffer: float
    """In BDP."""
    scale: Scale

    @property
    def path(self) -> fs.NetworkPath:
        """The path; the reverse path drops nothing."""
        return fs.NetworkPath(
            rate=f"{self.scale.mbps:g}Mbps",
            rtt=f"{self.scale.rtt_ms:g}ms",
            buffer=f"{max(1, int(self.buffer * self.scale.bdp))}pkt",
            reverse_buffer="100000pkt",
        )

    @property
    def limit(self) -> int:
        """`max_ssthresh`."""
        return self.scale.packets(LIMIT, least=2)

    @property
    def startups(self) -> list[str]:
        """What drives the kernel."""
        limited = f"limited-slow-start:max_ssthresh={self.limit}"
        return [limited if name == "limited-slow-start" else name for name in DRIVEN]


def points(mbps: float) -> Iterator[Point]:
    """Both sweeps, at no more than this rate."""
    paper, rtt = setups.FIG2
    for each in BUFFERS:
        yield Point(BUFFER, each, each, Scale(paper, rtt, min(mbps, paper), rtt))
    paper, _ = setups.LITERAL.fig4_fixed
    for each in figure4.RTTS:
        yield Point(RTT, each, figure4.BUFFER, Scale(paper, each, min(mbps, paper), each))


def run(given: argparse.Namespace) -> None:
    """All points, one after the other; what is done is on disk after each of them."""
    rows: list[Row] = []
    stalls = 0
    asked = [point for point in points(given.mbps) if point.sweep in given.sweeps]
    for done, point in enumerate(asked):
        found = of_point(point, given.repeat)
        print(f"{done + 1} of {len(asked)}: {point.sweep} {point.x:g}: {point.scale}", flush=True)
        rows += found
        stalls += sum(row["stalls"] for row in found)
        parts.write(rows, given.out, "hystart", {"mbps": given.mbps, "repeat": given.repeat})
    for sweep in given.sweeps:
        mine = [row for row in rows if row["sweep"] == sweep]
        show(mine, sweep)
    print(f"{stalls} runs were late by more than 2 ms and were run again.")
    if set(given.sweeps) == {BUFFER, RTT}:
        parts.draw(drawn(rows), given.out, "hystart")


def of_point(point: Point, repeat: int) -> list[Row]:
    """A row for each scheme."""
    result = fs.compare(
        point.path,
        startups=point.startups,
        on="linux",
        kernel=["cubic", "reno"],
        cc="cubic",
        sizes=[f"{round(PRODUCTS * point.scale.bdp) * parts.MSS}B"],
        repeat=repeat,
    )
    if result.interrupted:
        raise KeyboardInterrupt
    stalls: dict[str, int] = {}
    for one in result.records:
        stalls[one["variant"]] = stalls.get(one["variant"], 0) + (one["stalls"] or 0)
    by_variant: dict[str, list[Row]] = {}
    for pair in result.paired:
        by_variant.setdefault(pair["variant"], []).append(pair)
    return [row(point, name, runs, stalls[name]) for name, runs in by_variant.items()]


def row(point: Point, variant: str, runs: list[Row], stalls: int) -> Row:
    """One scheme at one point: simulated, and the runs in the kernel."""
    ours, bdp = runs[0], point.scale.bdp
    name = variant.split(":")[0]

    def of_bdp(packets: float | None) -> float | None:
        return None if packets is None else packets / bdp

    exits = [of_bdp(one["live_startup_exit_cwnd_segments"]) for one in runs]
    reasons = dict.fromkeys(one["live_startup_exit_reason"] or text.ABSENT for one in runs)
    return {
        "sweep": point.sweep,
        "x": point.x,
        "scheme": KERNEL.get(name) or DRIVEN[name],
        "setting": str(point.scale),
        "scale": point.scale.share,
        "mbps": point.scale.mbps,
        "rtt_ms": point.scale.rtt_ms,
        "bdp_pkts": bdp,
        "buffer_bdp": point.buffer,
        "max_ssthresh": point.limit if name == "limited-slow-start" else None,
        "simulated_reason": ours["simulated_startup_exit_reason"] or text.ABSENT,
        "live_reason": ", ".join(reasons),
        "simulated_exit_bdp": of_bdp(ours["simulated_startup_exit_cwnd_segments"]),
        **parts.spread("exit_bdp", exits),
        "simulated_dropped": ours["simulated_packets_dropped"],
        **parts.spread("dropped", [one["live_packets_dropped"] for one in runs]),
        "simulated_fct_s": ours["simulated_fct_s"],
        **parts.spread("fct_s", [one["live_fct_s"] for one in runs]),
        "runs": len(runs),
        "stalls": stalls,
    }


def show(rows: list[Row], sweep: str) -> None:
    """The table of a sweep."""
    columns = [Column("scheme", number=False), Column("exit reason", number=False)]
    columns += [Column("exit ÷ BDP"), Column("in linux"), Column("dropped"), Column("in linux")]
    columns += [Column("FCT"), Column("difference")]
    cells: dict[str, list[list[str]]] = {}
    for row in rows:
        heading = f"buffer {row['x']:g} BDP" if sweep == BUFFER else f"RTT {row['x']:g} ms"
        cells.setdefault(heading, []).append(
            [
                row["scheme"],
                reasons(row),
                *(text.ratio(row[f"{side}_exit_bdp"]) for side in ("simulated", "live")),
                *(text.count(row[f"{side}_dropped"]) for side in ("simulated", "live")),
                text.seconds(row["simulated_fct_s"]),
                percent(difference(row["simulated_fct_s"], row["live_fct_s"])),
            ]
        )
    parts.show("\n".join(dict.fromkeys(row["setting"] for row in rows)), columns, cells)


def reasons(row: Row) -> str:
    """Why the startup ended; both where they differ."""
    ours, live = str(row["simulated_reason"]), str(row["live_reason"])
    return ours if ours == live else f"{ours} / {live}"


def drawn(rows: list[Row]) -> Figure:
    """Exits and losses over both sweeps."""
    x = {BUFFER: "buffer (BDP)", RTT: "round-trip time (ms)"}
    panels = [
        (Beside(f"over the {sweep}", x[sweep], label, value, log), sweep)
        for sweep in (BUFFER, RTT)
        for value, label, log in (
            ("exit_bdp", "window where slow start ends (BDP)", False),
            ("dropped", "packets dropped", True),
        )
    ]
    return parts.figure(
        [(panel, [row for row in rows if row["sweep"] == sweep]) for panel, sweep in panels]
    )


def main() -> None:
    """Reads the command line."""
    made = parts.parser("Hybrid Slow Start's evaluation with a real kernel", 100)
    made.add_argument("--sweeps", nargs="+", choices=[BUFFER, RTT], default=[BUFFER, RTT])
    parts.main(run, made.parse_args())


if __name__ == "__main__":
    main()
