"""The page that compares the simulator with a Linux kernel and with ns-2.

`tools/docs/pages.py` writes it with the others. Its counts are those of the tests, which fail if
a recorded figure misses that `misses.toml` does not list, or if one agrees that it lists.
"""

import csv
import gzip
import pathlib
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import flowstart as fs
from flowstart.simulation.series import of_flow
from overlay import Overlay

ROOT = pathlib.Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"

PATHS = {
    "5M": ({"rate": "5Mbps", "rtt": "64ms", "buffer": "60pkt"}, "5 Mbit/s × 64 ms, 60 packets"),
    "100M": (
        {"rate": "100Mbps", "rtt": "102ms", "buffer": "871pkt"},
        "100 Mbit/s × 102 ms, 871 packets",
    ),
}
SENDERS: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "cubic": ({"startup": "hystart", "cc": "cubic"}, {}, "CUBIC with HyStart"),
    "cubic-nohs": ({"startup": "slow-start", "cc": "cubic"}, {}, "CUBIC without HyStart"),
    "reno": ({"startup": "slow-start", "cc": "reno"}, {}, "Reno"),
    "cubic-paced": (
        {"startup": "hystart", "cc": "cubic"},
        {"pacing": "internal"},
        "CUBIC with HyStart and internal pacing",
    ),
    "bbr": ({"startup": "bbr-startup", "cc": "bbr"}, {}, "BBR v1"),
}
REASONS = {
    "hystart-train": "ack-train",
    "hystart-delay": "delay",
    "bbr-full-pipe": "full-pipe",
    "loss": "loss",
    "none": None,
}
DRAWN = "10000000"
"""The transfers whose windows are drawn, in bytes."""
SHOWN_S = {"5M": 6.0, "100M": 1.7}

NS2 = {
    "js_5M_64ms_q60": (
        {
            "rate": "5Mbps",
            "rtt": "60ms",
            "buffer": "60pkt",
            "access_rate": "50Mbps",
            "access_delay": "1ms",
        },
        2000,
        "5 Mbit/s × 64 ms",
    ),
    "hy_100M_102ms_q871": (
        {
            "rate": "100Mbps",
            "rtt": "98ms",
            "buffer": "871pkt",
            "access_rate": "1Gbps",
            "access_delay": "1ms",
        },
        60_000,
        "100 Mbit/s × 102 ms",
    ),
}
AGENTS = {
    "tahoe": ("tahoe", "slow-start", "Tahoe"),
    "reno": ("reno", "slow-start", "Reno"),
    "newreno": ("newreno", "slow-start", "NewReno"),
    "sack1": ("ns2-sack", "slow-start", "Sack1"),
    "sack1lss100": ("ns2-sack", "limited-slow-start:max_ssthresh=100", "Sack1, limited slow start"),
}
NS2_DRAWN = "hy_100M_102ms_q871_sack1_delack"


def files() -> dict[str, str]:
    """The page and its pictures, by name."""
    linux, pictures = _linux()
    ns2, picture = _ns2()
    return {"fidelity.md": _page(linux, ns2)} | pictures | picture


# By phenomenon.


@dataclass(frozen=True)
class Misses:
    """Figures of cases that do not agree for one reason."""

    cause: str
    figures: list[str]

    def cases(self) -> dict[str, list[str]]:
        """The figures by their case."""
        by_case: dict[str, list[str]] = {}
        for line in self.figures:
            case, figure = line.split(": ")
            by_case.setdefault(case, []).append(figure)
        return by_case


@dataclass(frozen=True)
class Phenomenon:
    """What is compared under one name, and which of it does not agree."""

    beside: str
    name: str
    compared: int
    missing: int = 0
    covers: str = "–"
    """Rates, round trips, limits of the queue and sizes of its recordings."""


GROUPS = {
    "reorder": "packets that are late, every fiftieth or each by chance",
    "loss": "packets lost at stated positions, up to 3 % of them",
    "ecn": "packets marked (ECN)",
    "two": "a second flow",
    "window": "receive and send buffers, stock and large",
    "idle": "idle times",
    "passive": "data from the end that accepted",
    "short": "short transfers with losses",
    "far-tail": "losses at the end of a transfer, long round trips",
    "far-burst": "bursts of 3 to 40 losses, long round trips",
    "far-reorder": "packets that are late, long round trips",
    "far-overflow": "full queues, long round trips",
}
"""The groups of `tests/data/linux/cases.csv`."""

NS2_TABLES = {
    "a transfer of each size, slow start": ("single_figure1.csv",),
    "a transfer of each size, Jump Start": ("single_figure1.csv",),
    "connections that contend, each by its end": ("contention_flows.csv",),
    "contention at three intervals, two startups, by means of runs": ("contention.csv",),
    "Quick-Start and slow start, by path and size": (
        "quick_start_table1.csv",
        "quick_start_sizes.csv",
    ),
}
"""Tables whose every row a test compares."""


def misses(of: str) -> list[Misses]:
    """What does not agree with the recordings of `linux` or `ns2`."""
    return [Misses(**entry) for entry in _listed(of)["misses"]]


def _listed(of: str) -> dict[str, Any]:
    return tomllib.loads((DATA / of / "misses.toml").read_text(encoding="utf-8"))


def phenomena() -> list[Phenomenon]:
    """All that tests compare with recordings or scripts."""
    missing = {case for of in ("linux", "ns2") for entry in misses(of) for case in entry.cases()}
    linux = "Linux 6.18"
    transfers = list(_csv(DATA / "linux" / "summary.csv"))
    names = [" ".join((row["scenario"], row["variant"], row["bytes"])) for row in transfers]
    covers = _covers([_recorded_path(row) for row in transfers])
    name = "transfers of every size, five senders"
    found = [_phenomenon(linux, name, names, missing, covers)]
    cases = list(_csv(DATA / "linux" / "cases.csv"))
    for group, name in GROUPS.items():
        of_group = [case for case in cases if case["group"] == group]
        names = [case["case"] for case in of_group]
        found.append(_phenomenon(linux, name, names, missing, _covers(of_group)))
    scripts = len(list((ROOT / "crates" / "packetdrill" / "tests" / "scripts").glob("*.pkt")))
    found.append(Phenomenon("packetdrill", "scripts of ours, which hold on Linux 6.18", scripts))
    timers = sum(1 for _ in _csv(DATA / "linux" / "timers.csv"))
    found.append(Phenomenon("packetdrill", "timers of Linux 6.18", timers, covers="1 to 600 ms"))
    public = Phenomenon(
        "google/packetdrill", "public scripts, of which Linux 6.18 passes 30", 33, 3
    )
    found.append(public)
    ns2 = "ns-2.35"
    trajectories = len(list((DATA / "ns2").glob("*_q*_*.csv.gz")))
    found.append(Phenomenon(ns2, "trajectories, packet for packet", trajectories))
    drawn = [f"random {number}" for number in range(1, _listed("ns2")["transfers"] + 1)]
    name = "random transfers with forced drops, packet for packet"
    found.append(_phenomenon(ns2, name, drawn, missing))
    for name, files in NS2_TABLES.items():
        rows = sum(1 for file in files for _ in _csv(DATA / "ns2" / file))
        found.append(Phenomenon(ns2, name, rows))
    restarts = Counter(row["restart"] for row in _csv(DATA / "ns2" / "restart.csv"))
    restarts += Counter(
        f"{row['startup']}, {row['restart']}" for row in _csv(DATA / "ns2" / "restart_startups.csv")
    )
    found.append(Phenomenon(ns2, "idle times, packet for packet", len(restarts)))
    own = len(list((DATA / "ns2").glob("validation_*.csv")))
    found.append(Phenomenon(ns2, "its own validation tests, packet for packet", own))
    return found


def _phenomenon(
    beside: str, name: str, cases: list[str], missing: set[str], covers: str = "–"
) -> Phenomenon:
    return Phenomenon(beside, name, len(cases), len(missing.intersection(cases)), covers)


def _recorded_path(row: dict[str, str]) -> dict[str, str]:
    """A row of `summary.csv` with the columns of `cases.csv` that state its path."""
    path = PATHS[row["scenario"]][0]
    return {
        "rate_mbps": path["rate"].removesuffix("Mbps"),
        "rtt_ms": path["rtt"].removesuffix("ms"),
        "limit_pkts": path["buffer"].removesuffix("pkt"),
        "bytes": row["bytes"],
    }


def _covers(cases: list[dict[str, str]]) -> str:
    """Rates, round trips, limits and sizes of these cases."""

    def span(column: str, text: Callable[[int], str] = str) -> str:
        values = sorted({int(case[column]) for case in cases})
        return text(values[0]) if len(values) == 1 else f"{text(values[0])} to {text(values[-1])}"

    rate, rtt, limit = (span(column) for column in ("rate_mbps", "rtt_ms", "limit_pkts"))
    return f"{rate} Mbit/s, {rtt} ms, {limit} packets, {span('bytes', _size)}"


def _size(count: int) -> str:
    return f"{count // 1_000_000} MB" if count >= 1_000_000 else f"{count // 1000} kB"


def _counts() -> str:
    head = (
        "| reference | phenomenon | rate, RTT, limit of the queue, size | compared | agree |\n"
        "| --- | --- | --- | ---: | ---: |\n"
    )
    return head + "\n".join(
        f"| {p.beside} | {p.name} | {p.covers} | {p.compared} | {p.compared - p.missing} |"
        for p in phenomena()
    )


def _differences(of: str) -> str:
    """A list of causes with what each of them makes miss."""
    return "\n".join(_difference(entry) for entry in misses(of))


def _difference(entry: Misses) -> str:
    cases = [f"`{case}` ({', '.join(figures)})" for case, figures in entry.cases().items()]
    return f"- {entry.cause} {', '.join(cases)}."


# Linux.


def _linux() -> tuple[list[str], dict[str, str]]:
    """The part of the page about Linux, and its pictures."""
    rows, pictures, shown = [], {}, []
    windows = list(_csv(DATA / "linux" / "windows.csv"))
    for recorded in _csv(DATA / "linux" / "summary.csv"):
        path, variant, size = (recorded[name] for name in ("scenario", "variant", "bytes"))
        if variant not in SENDERS:
            continue
        drawn = size == DRAWN
        run = _linux_run(path, variant, size, trace=drawn)
        rows.append(_linux_row(recorded, run.records[0]))
        if drawn:
            name = f"fidelity-{path.lower()}-{variant}.svg"
            mine = [w for w in windows if (w["path"], w["variant"]) == (path, variant)]
            pictures[name] = _linux_overlay(run, mine, SHOWN_S[path]).svg()
            words = f"{SENDERS[variant][2]}, {PATHS[path][1]}"
            shown.append(f"{words}:\n\n![{words}](../images/{name})")
    head = (
        "| path | sender | bytes | completion: kernel, ours (ms) | | dropped: kernel, ours | "
        "retransmitted: kernel, ours | exit cwnd: kernel, ours | exit reason |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    )
    return [head + "\n" + "\n".join(rows), *shown], pictures


def _linux_run(path: str, variant: str, size: str, *, trace: bool) -> "fs.Run":
    flow, stack, _ = SENDERS[variant]
    scenario = {
        "path": PATHS[path][0],
        "stack": {"preset": "linux", **stack},
        "flows": [{**flow, "size": f"{size}B"}],
    }
    return fs.run(scenario, trace=trace)


def _linux_row(recorded: dict[str, str], row: dict[str, Any]) -> str:
    theirs = float(recorded["fct_ms_median"])
    ours = 1e3 * row["fct_s"]
    exits = f"{recorded['exit_cwnd'] or '–'}, {_whole(row['startup_exit_cwnd_segments'])}"
    reason = row["startup_exit_reason"]
    same = REASONS[recorded["exit_why"]] == reason
    return (
        f"| {recorded['scenario']} | {recorded['variant']} | {recorded['bytes']} "
        f"| {theirs:.1f}, {ours:.1f} | {100 * (ours / theirs - 1):+.2f} % "
        f"| {recorded['drops']}, {row['packets_dropped']} "
        f"| {recorded['retrans']}, {row['packets_retransmitted']} "
        f"| {exits} | {reason or '–'}{'' if same else ' (kernel: ' + recorded['exit_why'] + ')'} |"
    )


def _whole(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}"


def _linux_overlay(run: "fs.Run", windows: list[dict[str, str]], seconds: float) -> Overlay:
    return Overlay(
        title="The kernel's window and ours over time",
        recorded=[(float(w["t_ms"]) / 1e3, float(w["cwnd"])) for w in windows],
        ours=_window(run),
        seconds=seconds,
        names=("Linux 6.18", "flowstart"),
    )


def _window(run: "fs.Run") -> list[tuple[float, float]]:
    """The window of the only flow, where its sender does something."""
    series = of_flow(run.outcome, 0, "")
    kept = series.at_sender
    return list(zip(series.time_s[kept].tolist(), series.cwnd[kept].tolist(), strict=True))


# ns-2.


@dataclass(frozen=True)
class Compared:
    """A recording of ns-2 and what we have for it."""

    events: int
    agreeing: int
    furthest_us: float


def _ns2() -> tuple[list[str], dict[str, str]]:
    """The part of the page about ns-2, and its picture."""
    rows, pictures = [], {}
    for file in sorted((DATA / "ns2").glob("*_q*_*.csv.gz")):
        name = file.name.removesuffix(".csv.gz")
        base, agent, ack = name.rsplit("_", 2)
        if agent not in AGENTS:
            continue
        path, packets, words = NS2[base]
        recovery, startup, title = AGENTS[agent]
        policy = "every" if ack == "ack1" else "delayed"
        run = fs.run(
            {
                "path": {**path, "reverse_buffer": "1000000pkt"},
                "stack": {"preset": "ns2", "iw": "3", "recovery": recovery, "ack": policy},
                "flows": [{"startup": startup, "size": f"{packets}pkt"}],
            },
            trace=True,
        )
        sent = _sent_by_ns2(file)
        found = _compare(run, sent)
        rows.append(
            f"| {title} | {policy} | {words} | {found.events} | {found.agreeing} "
            f"| {found.furthest_us:.1f} |"
        )
        if name == NS2_DRAWN:
            pictures["fidelity-ns2.svg"] = _ns2_overlay(run, file).svg()
    head = (
        "| agent | acknowledgements | path | packets recorded | as ours | furthest apart (us) |\n"
        "| --- | --- | --- | ---: | ---: | ---: |"
    )
    return [head + "\n" + "\n".join(rows)], pictures


def _sent_by_ns2(file: pathlib.Path) -> list[tuple[float, int]]:
    """When ns-2 sent which packet, the SYN being number 0."""
    with gzip.open(file, "rt", encoding="utf-8") as text:
        sends = [r for r in csv.DictReader(text) if r["what"] == "send"]
    return sorted((float(r["time_us"]), int(r["number"])) for r in sends)


def _compare(run: "fs.Run", theirs: list[tuple[float, int]]) -> Compared:
    """Data packets in the order of their sending; ns-2's times are rounded to 1 us."""
    series = of_flow(run.outcome, 0, "")
    mss = 1460
    ours = [(0.0, 0)]
    for event in ("send", "retransmit"):
        ours += [
            (round(1e6 * float(series.time_s[i])), int(series.seq_bytes[i]) // mss + 1)
            for i in series.of(event)
        ]
    pairs = list(zip(sorted(ours), theirs, strict=False))
    same = [abs(mine[0] - other[0]) for mine, other in pairs if mine[1] == other[1]]
    return Compared(len(theirs), sum(apart <= 1.5 for apart in same), max(same))


def _ns2_overlay(run: "fs.Run", file: pathlib.Path) -> Overlay:
    with gzip.open(file, "rt", encoding="utf-8") as text:
        acks = [r for r in csv.DictReader(text) if r["what"] == "ack"]
    recorded = [(float(r["time_us"]) / 1e6, float(r["cwnd"])) for r in acks]
    return Overlay(
        title="ns-2's window and ours over time",
        recorded=recorded,
        ours=_window(run),
        seconds=recorded[-1][0],
        names=("ns-2.35", "flowstart"),
    )


def _csv(file: pathlib.Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8") as text:
        yield from csv.DictReader(text)


# The page.

_HEAD = """<!-- Written by `make docs` from recordings and runs; changes here are lost. -->

# Validation

The `linux` stack is compared with recordings of a Linux kernel, and the `ns2` stack with ns-2.35.
Each comparison is a test (`crates/sim/tests/linux`, `crates/sim/tests/ns2`,
`crates/packetdrill`). A case agrees if all of its figures do. The tests list the known
differences, and fail if another case differs or a listed one agrees."""

_LINUX = """## Linux

Linux 6.18 sends through an emulated path between two network namespaces; the recordings and how
they were made are in [tests/data/linux](../../tests/data/linux/README.md). Times are from the SYN
to the last byte at the receiver. Tolerances:

| figure | transfers of every size | by phenomenon |
| --- | --- | --- |
| completion | 1 % or 4 ms | 2 % or 3 ms; lost packets 3 %, jitter 5 % |
| dropped, retransmitted | 2 % or 3 packets | 10 % or 2 packets; jitter 5 |
| exit reason | equal | as in one of the runs |
| exit window | 0.5 % or 2 packets | 5 % or 2 packets |
| largest window | – | 10 % or 2 packets |
| marks; cuts; the first three thresholds | – | 10 % or 3; 10 % or 1; 5 % or 2 |
| timeouts | – | equal |
| first flight, of the second write after an idle time | – | 5 % or 1 packet |

Tolerances are around the median of several runs. In the second column, a value within the range of
the kernel's runs agrees too. If these runs have two modes, either end counts as a median.

The kernel's timers may be late by a jiffy and a slot of its wheel (8 ms below 252 ms, 36 ms below
2 s, 260 ms above). `make live-linux` runs the scripts on this machine's kernel.

Of 33 scripts of google/packetdrill (2c4001c) on CUBIC, recovery, SACK, slow start and the peer's
window, 30 hold on Linux 6.18.44, and the same 30 here (`--tolerance_usecs=15000`). The other three
expect windows of older kernels; Linux 6.18.44 and ours have the same other windows:

- `cubic-bulk-166k` and `cubic-bulk-166k-idle-restart` expect 40, both have 36: HyStart counts
  rounds below its low window too (25c1a9ca53db).
- `cwnd-moderation-ecn-enter-cwr-no-moderation-700` expects 4, both have 5: where SND.UNA advances,
  PRR lets one segment more leave (RFC 9937's SafeACK).

### What does not agree, and why
"""

_TRANSFERS = """### Transfers of every size

Of the 45 recorded transfers 44 take 0.8 to 3.8 ms longer than ours. The emulator delivers some
0.1 ms late, and the recorded time includes calls of the two programs. BBR with 50 MB takes 0.8 ms
less. Both stacks delay segments for TSO, which decides what a full queue drops. The advertised
window limits no sender here: it begins at 16.8 MB and ends at 21.0 MB."""

_NS2 = """## ns-2

ns-2.35's one-way agents are compared packet for packet, by number and time, and so are drops;
recorded times are rounded to a microsecond. The random
transfers draw the agent, its opening (with a SYN, whose acknowledgement may be delayed, or
without), windows, delayed acknowledgements, rates, delays, buffers, and forced drops of data and
SYNs. `crates/sim/tests/ns2/random.rs` repeats the comparison if ns-2 is installed; a hundred of
them are recorded, and those that differ. Means of
contending flows agree within 5 % (median duration) and a point (loss).

### What does not agree, and why
"""

_TRAJECTORIES = """### Trajectories

![Sack1 with delayed acknowledgements, 100 Mbit/s](../images/fidelity-ns2.svg)"""


def _page(linux: list[str], ns2: list[str]) -> str:
    parts = [_HEAD, _counts(), _LINUX + "\n" + _differences("linux"), _TRANSFERS, *linux]
    parts += [_NS2 + "\n" + _differences("ns2"), _TRAJECTORIES, *ns2]
    return "\n\n".join(parts) + "\n"
