"""Study: the authors' open point, asymmetric links and congestion on the reverse path."""

from collections.abc import Sequence
from statistics import mean
from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import setups
from flowstart_papers.hystart.acks import BEFORE_S, END, firsts
from flowstart_papers.lab import Lab

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RECEIVERS = {"ACK per packet": setups.EVERY, "Linux": setups.LINUX}
REVERSE_MBPS = (100.0, 10.0, 5.0, 3.0, 2.0, 1.5, 1.0, 0.5)
BATCHES = ("0ms", "0.5ms", "1ms", "2ms", "5ms", "10ms", "20ms")
UPLINK_MBPS = 10.0
"""Of the way back on which other traffic runs."""
LOADS = (0.0, 0.1, 0.3, 0.6, 0.9)
"""Its share of that."""
REVERSE_BUFFER = "100pkt"
SEEDS = 10
BDP = setups.bdp(*setups.FIG2)
EARLY, LATE = 0.75, 1.5
"""Below and above what an ACK train can do on an empty path, in BDP."""

Case = tuple[str, dict[str, Any], float]
"""Its name, fields of the path, and the load of the reverse path."""

CASES: list[tuple[str, Case]] = [
    *(
        ("reverse rate (Mbit/s)", (f"{rate:g}", {"reverse_rate": f"{rate:g}Mbps"}, 0.0))
        for rate in REVERSE_MBPS
    ),
    *(
        ("traffic on the reverse path", (f"{100 * load:.0f} %", {"reverse_rate": "10Mbps"}, load))
        for load in LOADS
    ),
    *(
        ("ACKs in batches", (batch, {"ack_batch": batch} if batch != "0ms" else {}, 0.0))
        for batch in BATCHES
    ),
    *(
        ("batches, newest ACK only", (batch, {"ack_batch": batch, "ack_thinning": True}, 0.0))
        for batch in BATCHES[1:]
    ),
]


def document(case: Case, receiver: str, startup: str, seed: int) -> Document:
    """Fig. 2's path with another way back."""
    _, fields, load = case
    link = setups.path(*setups.FIG2, **fields, reverse_buffer=REVERSE_BUFFER)
    ends = setups.stack(RECEIVERS[receiver])
    flow = setups.one(link, startup, f"{END:g}s", ends=ends, start=f"{BEFORE_S:g}s")
    if load:
        flow["web"] = setups.background(UPLINK_MBPS * load, END, packets=20, ways=("reverse",))
    return flow | {"seed": seed}


def run(lab: Lab) -> Findings:
    """Exits by what the way back is like."""
    starts = {"Hybrid Slow Start": setups.HYBRID, "slow start": setups.SLOW_START}
    keys = [
        (group, case, receiver, start, seed)
        for group, case in CASES
        for receiver in RECEIVERS
        for start in starts
        for seed in range(1, (SEEDS if case[2] else 1) + 1)
    ]
    documents = [document(case, r, starts[start], seed) for _, case, r, start, seed in keys]
    runs: dict[tuple[str, str, str, str], list[dict[str, Any]]] = {}
    for (group, case, receiver, start, _), one in zip(keys, firsts(lab, documents), strict=True):
        runs.setdefault((group, case[0], receiver, start), []).append(one)
    rows = [_row(group, case[0], receiver, runs) for group, case in CASES for receiver in RECEIVERS]
    return Findings(
        answers=_says(rows),
        tables=[
            Table(
                "asymmetry",
                f"Hybrid Slow Start at 100 Mbit/s and 106 ms by its reverse path; {SEEDS} seeds "
                f"where other traffic is on it (10 Mbit/s); goodput over {END - BEFORE_S:.0f} s.",
                rows,
            )
        ],
        pictures=[
            Picture(
                "asymmetry",
                "Exit window over the rate of the reverse path, over the load on it, and over the "
                "length of ACK batches. Below 0.75 BDP an exit is earlier than any on an empty "
                "symmetric path, above 1.5 later.",
                lambda: draw(rows),
            )
        ],
    )


def _row(
    group: str, name: str, receiver: str, runs: dict[Any, list[dict[str, Any]]]
) -> dict[str, Any]:
    mine = runs[group, name, receiver, "Hybrid Slow Start"]
    slow = runs[group, name, receiver, "slow start"]
    shares = [one["cwnd"] / BDP for one in mine if one["cwnd"]]
    return {
        "what": group,
        "is": name,
        "receiver": receiver,
        "leaves at (BDP)": round(mean(shares), 3) if shares else None,
        "least": round(min(shares), 3) if shares else None,
        "most": round(max(shares), 3) if shares else None,
        "by": ", ".join(sorted({str(one["by"]) for one in mine})),
        "lost": round(mean(one["lost"] for one in mine), 1),
        "lost by slow start": round(mean(one["lost"] for one in slow), 1),
        "goodput (Mbit/s)": round(mean(one["carried"] for one in mine), 1),
        "of slow start": round(mean(one["carried"] for one in slow), 1),
    }


def _span(rows: Sequence[dict[str, Any]]) -> str:
    shares = [row["leaves at (BDP)"] for row in rows if row["leaves at (BDP)"]]
    return f"{min(shares):.2f} to {max(shares):.2f} BDP"


def _says(rows: Sequence[dict[str, Any]]) -> list[str]:
    def of(group: str) -> list[dict[str, Any]]:
        return [row for row in rows if row["what"] == group]

    rates = of("reverse rate (Mbit/s)")
    early = [row for row in rates if row["leaves at (BDP)"] < EARLY]
    loaded = [row for row in of("traffic on the reverse path") if row["is"] != "0 %"]
    batches = of("ACKs in batches") + of("batches, newest ACK only")
    ended = [row for row in batches if row["leaves at (BDP)"]]
    late = [row for row in ended if row["leaves at (BDP)"] > LATE]
    return [
        (
            f"Slow ways back end it early: over reverse rates from 100 to 0.5 Mbit/s the exits are "
            f"at {_span(rates)}, {len(early)} of {len(rates)} below {EARLY:g} BDP."
        ),
        (
            f"Traffic on the reverse path moves the mean exit to {_span(loaded)}, single runs down "
            f"to {min(row['least'] for row in loaded):.3f} BDP."
        ),
        (
            f"ACKs that come in batches move it to {_span(ended)}; {len(late)} of {len(ended)} "
            f"exits are above {LATE:g} BDP, and the worst case loses "
            f"{max(row['lost'] for row in batches):.0f} packets."
        ),
    ]


def draw(rows: Sequence[dict[str, Any]]) -> "Figure":
    """Three panels: rate, load, batches."""
    from flowstart_papers import drawing

    def panel(group: str, axis: drawing.Axis, unit: str, top: float = 2.2) -> drawing.Panel:
        curves = {}
        for receiver in RECEIVERS:
            mine = [row for row in rows if row["what"] == group and row["receiver"] == receiver]
            xs = [float(str(row["is"]).removesuffix(unit)) for row in mine]
            curves[receiver] = (xs, [row["leaves at (BDP)"] for row in mine])
        exits = drawing.Axis("exit (BDP)", limits=(0, top))
        return drawing.Panel(axis, exits, curves, level={"0.75": EARLY, "1.5": LATE})

    rates = drawing.Axis("reverse rate (Mbit/s)", "log", ticks=REVERSE_MBPS)
    return drawing.panels(
        panel("reverse rate (Mbit/s)", rates, ""),
        panel("traffic on the reverse path", drawing.Axis("load of the reverse path (%)"), " %"),
        panel("ACKs in batches", drawing.Axis("batches of ACKs (ms)"), "ms", 4.4),
    )


EXPERIMENTS = (
    Experiment(
        id="HY-ASYM",
        figure="study",
        question="Do a slow, used or batching reverse path end it early or late?",
        run=run,
    ),
)
