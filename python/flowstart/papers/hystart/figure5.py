"""Fig. 5: receivers that acknowledge as Linux, FreeBSD and Windows do."""

from statistics import mean
from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart.papers.experiment import Findings, Picture, Table
from flowstart.papers.hystart import setups
from flowstart.papers.hystart.figure4 import END, JITTER, STARTS
from flowstart.papers.lab import Lab
from flowstart.papers.target import Measured
from flowstart.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RTT = 100.0
RATES = (100.0, 400.0)
MAIN = 400.0
"""Of Fig. 4, whose other parameters hold here."""
SACKS = ("correct", "none")
"""What the FreeBSD and the Windows receivers report of losses; the paper suspects their SACK."""
SEEDS = 3
MUCH = 1.1
"""A throughput that is so many times another's is much more."""


def document(rate: float, receiver: str, sack: str, startup: str, seed: int) -> Document:
    """Two CUBIC flows to one kind of receiver, with starts as in Fig. 4."""
    repair = "newreno" if sack == "none" and receiver != "Linux" else "sack"
    ends = setups.stack(setups.RECEIVERS[receiver], recovery=repair)
    link = setups.path(rate, RTT)
    flows = setups.two(link, startup, STARTS, END, avoidance=setups.CUBIC, ends=ends)
    flows["flows"][0]["jitter"] = JITTER
    return flows | {"seed": seed}


def throughput(run: Run) -> dict[str, float]:
    """Mbit/s of both flows from the first start on, their losses and timeouts."""
    seconds = END - run.rows[0]["opened_s"]
    return {
        "mbps": sum(row["bytes_delivered"] for row in run.rows) * 8 / seconds / 1e6,
        "lost": sum(row["packets_dropped"] for row in run.rows),
        "timeouts": sum(row["timeouts"] for row in run.rows),
    }


def run(lab: Lab) -> Findings:
    """Throughput by receiver and start-up, the mean of the seeds."""
    kinds = [
        (rate, sack, receiver, name)
        for rate in RATES
        for sack in SACKS
        for receiver in setups.RECEIVERS
        for name in setups.THREE
    ]
    documents = [
        document(rate, receiver, sack, setups.THREE[name], seed)
        for rate, sack, receiver, name in kinds
        for seed in range(1, SEEDS + 1)
    ]
    results = lab.runs(documents, throughput)
    found = {
        kind: {what: mean(one[what] for one in seeds) for what in seeds[0]}
        for i, kind in enumerate(kinds)
        for seeds in [results[i * SEEDS : (i + 1) * SEEDS]]
    }

    def mbps(name: str, rate: float = MAIN, sack: str = "correct") -> dict[str, float]:
        return {r: round(found[rate, sack, r, name]["mbps"], 1) for r in setups.RECEIVERS}

    return Findings(
        measured=_measured(mbps),
        answers=_says(mbps),
        tables=[
            Table(
                "figure5",
                f"Throughput of two CUBIC flows over 60 s, RTT 100 ms, mean of {SEEDS} seeds. SACK "
                "`none`: FreeBSD's and Windows' losses are repaired by NewReno.",
                [
                    {
                        "rate (Mbit/s)": rate,
                        "SACK": sack,
                        "receiver": receiver,
                        "start-up": name,
                        "throughput (Mbit/s)": round(one["mbps"], 1),
                        "lost": round(one["lost"]),
                        "timeouts": round(one["timeouts"], 1),
                    }
                    for (rate, sack, receiver, name), one in found.items()
                ],
            )
        ],
        pictures=[
            Picture(
                f"figure5-{rate:.0f}-{sack}",
                f"Throughput by receiver at {rate:.0f} Mbit/s, SACK of FreeBSD and Windows: "
                f"{sack}.",
                lambda rate=rate, sack=sack: draw(  # type: ignore[misc]
                    {name: mbps(name, rate, sack) for name in setups.THREE}
                ),
            )
            for rate, sack in ((MAIN, "correct"), (RATES[0], "none"))
        ],
    )


def _spread(by_receiver: dict[str, float]) -> float:
    return round(max(by_receiver.values()) - min(by_receiver.values()), 1)


def _measured(mbps: Any) -> dict[str, Measured]:
    hybrid, slow, limited = (mbps(name) for name in setups.THREE)
    others = ("FreeBSD", "Windows")
    gain = {
        name: round(min(values[r] / slow[r] for r in others), 3)
        for name, values in (("Hybrid Slow Start", hybrid), ("limited slow start", limited))
    }
    without = [mbps(name, RATES[0], "none") for name in setups.THREE]
    bad = [min(one[r] / without[1][r] for r in others) for one in (without[0], without[2])]
    return {
        "hy.f5.linux": Measured(
            slow, holds=all(slow["Linux"] > slow[r] for r in others), seeds=SEEDS
        ),
        "hy.f5.gain": Measured(
            gain,
            holds=min(gain.values()) > MUCH,
            because="Here SACK works with every receiver, so none goes dark after slow start. At "
            "100 Mbit/s, with receivers that report no SACK, they get "
            f"{bad[0]:.2f} and {bad[1]:.2f} times slow start's.",
            shown_by="HY-F5",
            seeds=SEEDS,
        ),
        "hy.f5.all": Measured(
            {"Hybrid Slow Start": _spread(hybrid), "slow start": _spread(slow)},
            holds=_spread(hybrid) < _spread(slow),
            seeds=SEEDS,
        ),
    }


def _says(mbps: Any) -> list[str]:
    hybrid, slow, limited = (mbps(name) for name in setups.THREE)
    bad = [mbps(name, RATES[0], "none") for name in setups.THREE]
    return [
        (
            f"With slow start at 400 Mbit/s a Linux receiver gets {slow['Linux']:.0f} Mbit/s, "
            f"FreeBSD {slow['FreeBSD']:.0f} and Windows {slow['Windows']:.0f}; with Hybrid Slow "
            f"Start {hybrid['Linux']:.0f}, {hybrid['FreeBSD']:.0f} and {hybrid['Windows']:.0f}; "
            f"with limited slow start {limited['Linux']:.0f}, {limited['FreeBSD']:.0f} and "
            f"{limited['Windows']:.0f}."
        ),
        (
            f"At 100 Mbit/s, where FreeBSD and Windows report no SACK, slow start gets "
            f"{bad[1]['FreeBSD']:.0f} and {bad[1]['Windows']:.0f} Mbit/s, Hybrid Slow Start "
            f"{bad[0]['FreeBSD']:.0f} and {bad[0]['Windows']:.0f}, limited slow start "
            f"{bad[2]['FreeBSD']:.0f} and {bad[2]['Windows']:.0f}; Linux with slow start "
            f"{bad[1]['Linux']:.0f}."
        ),
    ]


def draw(by_name: dict[str, dict[str, float]]) -> "Figure":
    """Bars by receiver."""
    from flowstart.papers import drawing

    values = {name: list(one.values()) for name, one in by_name.items()}
    room = 1.3 * max(max(heights) for heights in values.values())
    axis = drawing.Axis("throughput (Mbit/s)", limits=(0, room))
    return drawing.bars(axis, list(setups.RECEIVERS), values)
