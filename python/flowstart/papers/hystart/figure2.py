"""Fig. 2: two TCP-SACK flows under six slow starts."""

from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart.papers.experiment import Findings, Picture, Table
from flowstart.papers.hystart import setups, traces
from flowstart.papers.lab import Lab
from flowstart.papers.target import Measured
from flowstart.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.papers.drawing import Panel

STARTS = (0.0, 10.0)
END = 40.0
BDP = setups.bdp(*setups.FIG2)
EARLY = 0.75
"""An exit below this share of the BDP is well before it."""
NO_THRESHOLD = 1_000_000
PANELS = {
    "slow start": setups.SLOW_START,
    "limited slow start": setups.LIMITED,
    "Hybrid Slow Start": setups.HYBRID,
    # Linux begins without a threshold, which the estimate could only raise.
    "Adaptive Start": f"adaptive-start:growth=per-ack,ssthresh={NO_THRESHOLD},response=standard",
    "packet pair": "packet-pair-start:reading=closest,growth=per-ack",
    "Vegas": "vegas-slow-start:growth=per-ack",
}
"""(a) to (f)."""
INTERRUPTS: dict[str, Any] = {"interrupt_min": "60us", "interrupt_max": "120us"}
"""Of the hosts of packet pair's panel; HY-HOE moves them."""
WINDOWS = (*range(881, 888), *range(1763, 1771))
"""Windows to hold, around both ends of the range that fills the link without loss."""
FULL = 0.999


def panel(name: str) -> Document:
    """One panel; packet pair needs hosts that see time as a testbed's do."""
    noise = INTERRUPTS if name == "packet pair" else {}
    link, ends = setups.path(*setups.FIG2), setups.stack(**noise)
    return setups.two(link, PANELS[name], STARTS, END, ends=ends) | {"trace": True}


def held(packets: int) -> Document:
    """A flow that keeps its window at so many packets."""
    link, ends = setups.path(*setups.FIG2), setups.stack(setups.EVERY)
    startup = f"{setups.SLOW_START},ssthresh={packets}"
    document = setups.one(link, startup, "8s", avoidance="none", ends=ends)
    return document | {"trace": True}


def both(run: Run) -> dict[str, Any]:
    """The rows and the windows of the two flows."""
    return {"rows": run.rows, "windows": [traces.window(run, flow) for flow in (0, 1)]}


def steady(run: Run) -> dict[str, float]:
    """The share of the link in the last two seconds, and losses."""
    trace = traces.columns(run)
    late = (trace["event"] == traces.ACK) & (trace["time"] > run.about["simulated_s"] - 2)
    times, acked = trace["time"][late], trace["seq"][late]
    bits = (acked[-1] - acked[0]) / traces.MSS * setups.PACKET_BITS
    share = bits / (times[-1] - times[0]) / (setups.FIG2[0] * 1e6)
    return {"share": float(share), "dropped": run.rows[0]["packets_dropped"]}


def run(lab: Lab) -> Findings:
    """Where each of them leaves slow start, and what it loses."""
    found = dict(zip(PANELS, lab.runs([panel(name) for name in PANELS], both), strict=True))
    kept = lab.runs([held(packets) for packets in WINDOWS], steady)
    full = [
        packets
        for packets, one in zip(WINDOWS, kept, strict=True)
        if one["share"] >= FULL and not one["dropped"]
    ]
    rows = {name: one["rows"] for name, one in found.items()}
    return Findings(
        measured=_measured(rows, full, alike=_alike(found)),
        answers=_says(rows),
        tables=[_table(rows)],
        pictures=[
            Picture(
                f"figure2{letters}",
                f"Windows and thresholds of two flows at 100 Mbit/s and 106 ms, panels {listed} "
                "of the paper; the grey lines are the BDP and the BDP with the buffer.",
                lambda names=names: draw({name: found[name] for name in names}),  # type: ignore[misc]
            )
            for letters, listed, names in (
                ("abc", "(a) to (c)", list(PANELS)[:3]),
                ("def", "(d) to (f)", list(PANELS)[3:]),
            )
        ],
    )


def _alike(found: dict[str, Any]) -> bool:
    adaptive, slow = (
        [(window["time_s"], window["cwnd"]) for window in found[name]["windows"]]
        for name in ("Adaptive Start", "slow start")
    )
    return adaptive == slow


def _measured(rows: dict[str, Any], full: list[int], *, alike: bool) -> dict[str, Measured]:
    one, other = rows["Hybrid Slow Start"]
    lost = {name: rows[name][0]["packets_dropped"] for name in list(PANELS)[:3]}
    early = other["startup_exit_cwnd_pkts"] < EARLY * BDP
    vegas = [row["startup_exit_cwnd_pkts"] for row in rows["Vegas"]]
    return {
        "hy.f2.bdp": Measured(min(full)),
        "hy.f2.full": Measured([min(full), max(full)]),
        "hy.f2.exit1": Measured(one["startup_exit_cwnd_pkts"]),
        "hy.f2.exit1.by": Measured(one["startup_exit_reason"]),
        "hy.f2.exit2.by": Measured(
            other["startup_exit_reason"] + (", well before the BDP" if early else "")
        ),
        "hy.f2.drops.order": Measured(
            lost,
            holds=lost["slow start"] > 10 * lost["limited slow start"]
            and lost["limited slow start"] > lost["Hybrid Slow Start"] <= 1,
        ),
        "hy.f2.adaptive": Measured(
            "the same windows at all times" if alike else "differing windows", holds=alike
        ),
        "hy.f2.vegas": Measured(vegas, holds=max(vegas) < BDP / 2),
    }


def _says(rows: dict[str, Any]) -> list[str]:
    hybrid, slow, limited = (
        rows[name] for name in ("Hybrid Slow Start", "slow start", "limited slow start")
    )
    return [
        (
            f"Hybrid Slow Start's first flow leaves at {hybrid[0]['startup_exit_cwnd_pkts']:.0f} "
            f"packets ({hybrid[0]['startup_exit_reason']}; BDP {BDP:.0f}) and loses "
            f"{hybrid[0]['packets_dropped']}, its second one at "
            f"{hybrid[1]['startup_exit_cwnd_pkts']:.0f} ({hybrid[1]['startup_exit_reason']}) and "
            f"loses {hybrid[1]['packets_dropped']}."
        ),
        (
            f"Slow start's first flow loses {slow[0]['packets_dropped']} packets, limited slow "
            f"start's {limited[0]['packets_dropped']} after {limited[0]['startup_exit_s']:.1f} s."
        ),
    ]


def _table(rows: dict[str, Any]) -> Table:
    published = {
        ("Hybrid Slow Start", 0): 870,
        ("packet pair", 0): 2300,
        ("packet pair", 1): 2800,
    }
    return Table(
        "figure2",
        "Where each flow leaves slow start. Packet pair's published numbers are thresholds; ours "
        "in this row are those at which the flow leaves, by threshold or by loss.",
        [
            {
                "slow start": name,
                "flow": number + 1,
                "leaves at (packets)": round(row["startup_exit_cwnd_pkts"]),
                "published": published.get((name, number)),
                "by": row["startup_exit_reason"],
                "after (s)": round(row["startup_exit_s"], 2),
                "largest cwnd (packets)": round(row["max_cwnd_pkts"]),
                "lost": row["packets_dropped"],
            }
            for name, both in rows.items()
            for number, row in enumerate(both)
        ],
    )


def draw(found: dict[str, Any]) -> "Figure":
    """Three panels side by side."""
    from flowstart.papers import drawing

    return drawing.panels(*(_panel(name, one) for name, one in found.items()))


def _below(packets: float | None) -> float | None:
    """Thresholds that stand for none are not drawn."""
    return packets if packets and packets < NO_THRESHOLD else None


def _panel(name: str, one: dict[str, Any]) -> "Panel":
    from flowstart.papers import drawing

    return drawing.Panel(
        drawing.Axis("time (s)"),
        drawing.Axis("packets", limits=(0, 3500)),
        {
            f"{what} of flow {number + 1}": (window["time_s"], [_below(y) for y in window[what]])
            for what in ("cwnd", "ssthresh")
            for number, window in enumerate(one["windows"])
        },
        title=name,
        steps=True,
        marks=False,
        level={"BDP": 883, "BDP and buffer": 1766},
    )
