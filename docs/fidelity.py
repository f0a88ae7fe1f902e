"""The page that sets the simulator beside what it imitates: a Linux kernel, and ns-2.

`docs/pages.py` writes it with the others.
"""

import csv
import gzip
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import flowstart as fs
from flowstart.simulation.series import of_flow
from overlay import Overlay

DATA = pathlib.Path(__file__).parent.parent / "tests" / "data"

PATHS = {
    "5M": ({"rate": "5Mbps", "rtt": "64ms", "buffer": "60pkt"}, "5 Mbit/s × 64 ms, 60 packets"),
    "100M": (
        {"rate": "100Mbps", "rtt": "102ms", "buffer": "871pkt"},
        "100 Mbit/s × 102 ms, 871 packets",
    ),
}
SENDERS: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "cubic": ({"startup": "hystart", "avoidance": "cubic"}, {}, "CUBIC with HyStart"),
    "cubic-nohs": ({"startup": "slow-start", "avoidance": "cubic"}, {}, "CUBIC without HyStart"),
    "reno": ({"startup": "slow-start", "avoidance": "reno"}, {}, "Reno"),
    "cubic-paced": (
        {"startup": "hystart", "avoidance": "cubic"},
        {"pacing": "internal"},
        "CUBIC with HyStart and internal pacing",
    ),
    "bbr": ({"startup": "bbr-startup", "avoidance": "bbr"}, {}, "BBR v1"),
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
        rows.append(_linux_row(recorded, run.rows[0]))
        if drawn:
            name = f"fidelity-{path.lower()}-{variant}.svg"
            mine = [w for w in windows if (w["path"], w["variant"]) == (path, variant)]
            pictures[name] = _linux_overlay(run, mine, SHOWN_S[path]).svg()
            words = f"{SENDERS[variant][2]}, {PATHS[path][1]}"
            shown.append(f"{words}:\n\n![{words}](images/{name})")
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
    exits = f"{recorded['exit_cwnd'] or '–'}, {_whole(row['startup_exit_cwnd_pkts'])}"
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
            (round(1e6 * float(series.time_s[i])), int(series.seq[i]) // mss + 1)
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

# How faithful it is

A simulator is believed when it agrees with the real thing. Here its `linux` endpoints stand
beside recordings of a Linux kernel, and its `ns2` endpoints beside ns-2.35. The same comparisons
are tests (`crates/sim/tests/linux`, `crates/sim/tests/ns2`), which fail when they drift."""

_LINUX = """## Linux

Linux 6.18 sends through an emulated path between two network namespaces; the recordings and how
they were made are in [tests/data/linux](../tests/data/linux/README.md). Times are medians of
several runs, from the SYN to the last byte at the receiver. The tests allow 2 % of completion (or
a round trip below 1 MB), 10 % or 5 packets of losses and retransmissions, 5 % of the window at
the end of the start-up, and want the same reason for it.

Of the 45 recorded transfers 42 take 0.9 to 3.7 ms longer than ours. Most of that has a cause: the
emulator delivers some 0.1 ms late, and the calls of the two programs are part of the time. The
others are `cubic-nohs` with 1 MB at 5 Mbit/s, which takes 5.8 ms less than ours and of which we do
not know why, BBR with 50 MB, which takes 0.3 ms more, and `reno` with 10 MB at 100 Mbit/s. The
kernel's clock for CUBIC ticks every 4 ms, ours 1024 times a second. The kernel's TSO may hold a
segment back to send it with the next, ours never does; so paced rounds begin a few packets apart.
The advertised window never holds a sender back here, neither the kernel's nor ours: with these
buffers it begins at 16.8 MB and ends at 21.0 MB. That transfer of `reno` ends a round trip earlier
than the kernel's: just before the first loss shows, the kernel sends the last seventeen segments
of the flight in one burst, the queue drops the last three of them, and only the next flight shows
that; ours leave one by one, and all pass."""

_NS2 = """## ns-2

ns-2.35's one-way agents, packet for packet. Every data packet of the recording is compared by its
number and its time; recorded times are rounded to a microsecond. `crates/sim/tests/ns2` compares
acknowledgements, windows and losses as well, Vegas, Quick-Start, restarts after idle times, and
ns-2's own validation tests.

![Sack1 with delayed acknowledgements, 100 Mbit/s](images/fidelity-ns2.svg)"""


def _page(linux: list[str], ns2: list[str]) -> str:
    return "\n\n".join([_HEAD, _LINUX, *linux, _NS2, *ns2]) + "\n"
