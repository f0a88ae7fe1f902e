"""Study: Hybrid Slow Start by receiver, with other traffic, over rate, buffer and RTT."""

from collections.abc import Sequence
from statistics import mean
from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import measures, setups
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RECEIVERS = {"ACK per packet": setups.EVERY, **setups.RECEIVERS}
RATE, RTT, BUFFER = 100.0, 100.0, 1.0
SWEEPS = {
    "rate (Mbit/s)": [(rate, RTT, BUFFER) for rate in (10.0, 30.0, 100.0, 300.0)],
    "RTT (ms)": [(RATE, rtt, BUFFER) for rtt in (20.0, 50.0, 100.0, 200.0)],
    "buffer (BDP)": [(RATE, RTT, buffer) for buffer in (0.1, 0.25, 1.0, 2.0)],
}
SWEPT = {"rate (Mbit/s)": 0, "RTT (ms)": 1, "buffer (BDP)": 2}
SHARE = 0.1
BEFORE_S = 2.0
"""The background runs alone for so long."""
END = 12.0
SEEDS = 10
EARLY = 0.5
"""An exit below this share of the BDP is early."""

Point = tuple[float, float, float]


def document(point: Point, receiver: str, startup: str, seed: int) -> Document:
    """One flow into 10 % of other traffic each way."""
    rate, rtt, buffer = point
    link, ends = setups.path(rate, rtt, buffer), setups.stack(RECEIVERS[receiver])
    flow = setups.one(link, startup, f"{END:g}s", ends=ends, start=f"{BEFORE_S:g}s")
    return flow | {"seed": seed, "web": setups.background(SHARE * rate, END, packets=50)}


def firsts(lab: Lab, documents: Sequence[Document]) -> list[dict[str, Any]]:
    """Where the first flow of each leaves slow start, what it loses, and its goodput in Mbit/s."""
    found = (flows[0] for flows in lab.runs(documents, measures.exits))
    return [{**flow, "carried": flow["bytes"] * 8 / (END - BEFORE_S) / 1e6} for flow in found]


def run(lab: Lab) -> Findings:
    """Exits and goodput of four receivers at ten points."""
    points = list(dict.fromkeys(point for sweep in SWEEPS.values() for point in sweep))
    starts = {"Hybrid Slow Start": setups.HYBRID, "slow start": setups.SLOW_START}
    keys = [
        (point, receiver, start, seed)
        for point in points
        for receiver in RECEIVERS
        for start in starts
        for seed in range(1, SEEDS + 1)
    ]
    documents = [document(p, receiver, starts[start], seed) for p, receiver, start, seed in keys]
    found = dict(zip(keys, firsts(lab, documents), strict=True))
    rows = [_row(found, point, receiver) for point in points for receiver in RECEIVERS]
    return Findings(
        answers=_says(rows),
        tables=[
            Table(
                "acks",
                f"One Hybrid Slow Start into {100 * SHARE:.0f} % of other traffic each way, "
                f"{SEEDS} seeds; goodput over its first {END - BEFORE_S:.0f} s. Low and high are "
                "the 95 % interval of the mean exit.",
                rows,
            )
        ],
        pictures=[
            Picture(
                "acks",
                "Mean exit window over rate, round-trip time and buffer; bands are 95 % intervals.",
                lambda: draw(rows),
            )
        ],
    )


def _row(found: dict[Any, dict[str, Any]], point: Point, receiver: str) -> dict[str, Any]:
    def each(start: str) -> list[dict[str, Any]]:
        return [found[point, receiver, start, seed] for seed in range(1, SEEDS + 1)]

    mine, slow = each("Hybrid Slow Start"), each("slow start")
    bdp = setups.bdp(*point[:2])
    shares = [one["cwnd"] / bdp for one in mine if one["cwnd"]]
    low, high = interval(shares)
    return {
        "rate (Mbit/s)": point[0],
        "RTT (ms)": point[1],
        "buffer (BDP)": point[2],
        "receiver": receiver,
        "leaves at (BDP)": round(mean(shares), 2),
        "low": round(low, 2),
        "high": round(high, 2),
        "least": round(min(shares), 2),
        "most": round(max(shares), 2),
        "by train": sum(one["by"] == "ack-train" for one in mine),
        "by delay": sum(one["by"] == "delay" for one in mine),
        "by loss": sum(one["by"] == "loss" for one in mine),
        "lost": round(mean(one["lost"] for one in mine), 1),
        "lost by slow start": round(mean(one["lost"] for one in slow), 1),
        "goodput (Mbit/s)": round(mean(one["carried"] for one in mine), 2),
        "of slow start": round(mean(one["carried"] for one in slow), 2),
    }


def _says(rows: list[dict[str, Any]]) -> list[str]:
    base = {row["receiver"]: row for row in rows if _at(row, (RATE, RTT, BUFFER))}
    listed = ", ".join(f"{name} {row['leaves at (BDP)']:.2f}" for name, row in base.items())
    runs = len(rows) * SEEDS
    lost = sum(row["by loss"] for row in rows)
    shallow = sum(row["by loss"] for row in rows if row["buffer (BDP)"] < EARLY)
    slower = [row for row in rows if row["goodput (Mbit/s)"] < row["of slow start"]]
    slow_rate = [
        row for row in rows if row["rate (Mbit/s)"] == min(r["rate (Mbit/s)"] for r in rows)
    ]
    trains = sum(row["by train"] for row in slow_rate)
    return [
        f"At 100 Mbit/s, 100 ms and 1 BDP the mean exits are (BDP): {listed}.",
        (
            f"{lost} of {runs} runs lose a packet before either signal, {shallow} of these with "
            f"buffers below half a BDP; at {slow_rate[0]['rate (Mbit/s)']:g} Mbit/s {trains} of "
            f"{len(slow_rate) * SEEDS} leave by the train."
        ),
        (
            f"At {len(slower)} of {len(rows)} combinations its goodput over the first "
            f"{END - BEFORE_S:.0f} s is below slow start's, with Reno and SACK that "
            "costs nothing."
        ),
    ]


def _at(row: dict[str, Any], point: Point) -> bool:
    return all(row[name] == point[i] for name, i in SWEPT.items())


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """Exits over what is swept."""
    from flowstart_papers import drawing

    drawn = []
    for name, points in SWEEPS.items():
        curves, bands = {}, {}
        for receiver in RECEIVERS:
            mine = [r for p in points for r in rows if _at(r, p) and r["receiver"] == receiver]
            xs = [row[name] for row in mine]
            curves[receiver] = (xs, [row["leaves at (BDP)"] for row in mine])
            bands[receiver] = (xs, [row["low"] for row in mine], [row["high"] for row in mine])
        drawn.append(
            drawing.Panel(
                drawing.Axis(name, "log", ticks=[point[SWEPT[name]] for point in points]),
                drawing.Axis("exit (BDP)", limits=(0, 2.2)),
                curves,
                bands=bands,
                level={"BDP": 1.0},
            )
        )
    return drawing.panels(*drawn)


EXPERIMENTS = (
    Experiment(
        id="HY-ACK",
        figure="study",
        question="Where does it leave for four kinds of receivers in other traffic?",
        run=run,
    ),
)
