"""Fig. 3: Hybrid Slow Start under three ACK schemes, with mid-sized flows both ways."""

from statistics import mean
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart.papers.experiment import Findings, Picture, Table
from flowstart.papers.hystart import setups, traces
from flowstart.papers.lab import Lab
from flowstart.papers.measures import interval
from flowstart.papers.target import Measured
from flowstart.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STARTS = (1.0, 7.0)
"""Within the first ten seconds."""
END = 16.0
BACKGROUND_MBPS = 50.0
SEEDS = 10
BDP = setups.bdp(*setups.FIG3)
INITIAL_WINDOW = "3"
"""With 2 the quick ACKs of Fig. 3 (a) would end it at 1.26 BDP; see HY-SENS."""
FEW = 0.15
"""A smaller share of ACKs that stand apart is few."""


def document(scheme: str, seed: int) -> Document:
    """Two flows into the background, with one of the schemes."""
    ends = setups.stack(setups.SCHEMES[scheme], iw=INITIAL_WINDOW)
    link = setups.path(*setups.FIG3)
    flows = setups.two(link, setups.HYBRID, STARTS, END, ends=ends)
    return flows | {"seed": seed, "web": setups.background(BACKGROUND_MBPS, END)}


def alone() -> Document:
    """A slow start until its first loss: what the path holds."""
    ends = setups.stack(setups.EVERY, iw=INITIAL_WINDOW)
    return setups.one(setups.path(*setups.FIG3), setups.SLOW_START, "4s", ends=ends)


def held(run: Run) -> float:
    """The BDP that the packets show."""
    return traces.capacity(run)["bdp"]


def exits(run: Run) -> list[dict[str, Any]]:
    """Where the two flows leave slow start."""
    return [
        {
            "by": row["startup_exit_reason"],
            "cwnd": row["startup_exit_cwnd_pkts"],
            "lost": row["packets_dropped"],
        }
        for row in run.rows[:2]
    ]


def shown(run: Run) -> dict[str, Any]:
    """Windows and round-trip times of both flows, and the rounds of the first."""
    row = run.rows[0]
    curves = []
    for flow in (0, 1):
        times, rtts = traces.round_trips(traces.columns(run, flow))
        kept = traces.drawn(times, rtts)
        curves.append(
            {
                **traces.window(run, flow),
                "at_s": [round(float(t), 4) for t in times[kept]],
                "rtt_ms": [round(1e3 * float(rtt), 3) for rtt in rtts[kept]],
            }
        )
    left = row["opened_s"] + row["startup_exit_s"]
    return {"curves": curves, "rounds": traces.rounds(run, 0, left)}


def run(lab: Lab) -> Findings:
    """Exits over seeds, and the trains of one run per scheme."""
    seeds = range(1, SEEDS + 1)
    pairs = [(scheme, seed) for scheme in setups.SCHEMES for seed in seeds]
    found = lab.runs([document(*pair) for pair in pairs], exits)
    by_scheme = {
        scheme: [both for (name, _), both in zip(pairs, found, strict=True) if name == scheme]
        for scheme in setups.SCHEMES
    }
    traced = lab.runs([document(scheme, 1) for scheme in setups.SCHEMES], shown, trace=True)
    drawn = dict(zip(setups.SCHEMES, traced, strict=True))
    (bdp,) = lab.runs([alone()], held, trace=True)
    trains = {scheme: _trains(one["rounds"]) for scheme, one in drawn.items()}
    quick = [both[0]["cwnd"] / BDP for both in by_scheme["quick"]]
    return Findings(
        measured={
            "hy.f3.bdp": Measured(bdp),
            "hy.f3a.over": Measured(
                round(mean(quick), 3), interval=interval(quick), seeds=len(quick)
            ),
            "hy.f3.works": _works(by_scheme),
            **_trends(trains),
        },
        answers=_says(by_scheme, trains),
        tables=[_exits(by_scheme), _rounds(trains)],
        pictures=[
            Picture(
                f"figure3{letter}",
                f"({letter}) {scheme} ACKs: windows, and round-trip times that the ACKs show, of "
                "two flows at 400 Mbit/s and 160 ms with 50 Mbit/s of other flows each way.",
                lambda scheme=scheme: draw(scheme, drawn[scheme]),  # type: ignore[misc]
            )
            for letter, scheme in zip("abc", setups.SCHEMES, strict=True)
        ],
    )


def _trains(rounds: list[dict[str, float]]) -> dict[str, float]:
    """How a flow's rounds fall into trains; the last one, which the exit cuts, is left out."""
    whole = rounds[:-1]
    return {
        "rounds": len(rounds),
        "acks": sum(r["acks"] for r in whole),
        "apart": sum(r["trains"] - 1 for r in whole),
        "outside": sum(r["acks"] - r["train_acks"] for r in whole),
        "spread": float(np.median([r["length_s"] / r["rtt_s"] for r in whole])),
        "train": float(np.median([r["train_s"] / r["rtt_s"] for r in whole])),
        "last_train_s": rounds[-1]["train_s"],
        "half_rtt_s": min(r["rtt_s"] for r in rounds) / 2,
    }


def _works(by_scheme: dict[str, list[Any]]) -> Measured:
    ones = [both[0] for found in by_scheme.values() for both in found]
    others = [both[1] for found in by_scheme.values() for both in found]
    first = sum(one["by"] in ("ack-train", "delay") for one in ones) / len(ones)
    second = sum(other["by"] == "delay" for other in others) / len(others)
    late = [name for name, found in by_scheme.items() if any(b[1]["by"] != "delay" for b in found)]
    return Measured(
        {"first by train or delay": round(first, 3), "second by delay": round(second, 3)},
        holds=first == 1 and second == 1,
        because=f"{100 * (1 - second):.0f} % of the second flows lose a packet first (ACKs: "
        f"{', '.join(late)}): where the first flow leaves above the BDP it keeps much of the "
        "buffer, and what is left overflows before the delay of a round tells.",
        shown_by="HY-B",
        seeds=SEEDS,
    )


def _trends(trains: dict[str, dict[str, float]]) -> dict[str, Measured]:
    quick, linux, delayed = (trains[scheme] for scheme in setups.SCHEMES)
    few = linux["apart"] / linux["acks"]
    return {
        "hy.f3a.nodelack": Measured(quick["apart"], holds=quick["apart"] == 0),
        "hy.f3b.few": Measured(
            round(few, 4),
            holds=0 < few < FEW and linux["last_train_s"] < 1.1 * linux["half_rtt_s"],
        ),
        "hy.f3c.spread": Measured(
            {"spread": round(delayed["spread"], 3), "train": round(delayed["train"], 3)},
            holds=delayed["spread"] > 0.5 > quick["spread"]
            and delayed["train"] < delayed["spread"] / 2
            and delayed["last_train_s"] < 1.1 * delayed["half_rtt_s"],
        ),
    }


def _says(by_scheme: dict[str, list[Any]], trains: dict[str, dict[str, float]]) -> list[str]:
    shares = {
        scheme: mean(both[0]["cwnd"] / BDP for both in found) for scheme, found in by_scheme.items()
    }
    listed = ", ".join(f"{share:.2f} ({scheme})" for scheme, share in shares.items())
    lost = [both[0]["lost"] + both[1]["lost"] for found in by_scheme.values() for both in found]
    quick, linux, delayed = (trains[scheme] for scheme in setups.SCHEMES)
    return [
        (
            f"Over {SEEDS} seeds the first flow leaves at these multiples of the BDP: {listed}; "
            f"the two flows lose {mean(lost):.0f} packets a run."
        ),
        (
            f"Before the exit {quick['apart']:.0f} ACKs stand more than 2 ms apart from the train "
            f"before with quick ACKs, {linux['apart']:.0f} of {linux['acks']:.0f} with a Linux "
            f"receiver; ACKs that are delayed from the start spread over "
            f"{100 * delayed['spread']:.0f} % of the round trip in the median round."
        ),
    ]


def _exits(by_scheme: dict[str, list[Any]]) -> Table:
    rows = []
    for scheme, found in by_scheme.items():
        for number in (0, 1):
            mine = [both[number] for both in found]
            share = [one["cwnd"] / BDP for one in mine if one["cwnd"]]
            rows.append(
                {
                    "ACKs": scheme,
                    "flow": number + 1,
                    "leaves at (BDP)": round(mean(share), 3),
                    "least": round(min(share), 3),
                    "most": round(max(share), 3),
                    "published": 1.1 if (scheme, number) == ("quick", 0) else None,
                    "by train": sum(one["by"] == "ack-train" for one in mine),
                    "by delay": sum(one["by"] == "delay" for one in mine),
                    "by loss": sum(one["by"] == "loss" for one in mine),
                    "not yet": sum(one["by"] is None for one in mine),
                    "lost (mean)": round(mean(one["lost"] for one in mine), 1),
                }
            )
    return Table("exits", f"Exits of both flows over {SEEDS} seeds of the background.", rows)


def _rounds(trains: dict[str, dict[str, float]]) -> Table:
    return Table(
        "trains",
        "The first flow's rounds before the exit (seed 1). ACKs more than 2 ms after the one "
        "before begin a new train.",
        [
            {
                "ACKs": scheme,
                "rounds": one["rounds"],
                "ACKs before the last round": one["acks"],
                "that begin another train": one["apart"],
                "outside the first train": one["outside"],
                "ACKs spread over (share of RTT, median)": round(one["spread"], 3),
                "first train (share of RTT, median)": round(one["train"], 4),
                "last train (ms)": round(1e3 * one["last_train_s"], 1),
            }
            for scheme, one in trains.items()
        ],
    )


def draw(scheme: str, one: dict[str, Any]) -> "Figure":
    """Windows and round-trip times."""
    from flowstart.papers import drawing

    curves = one["curves"]
    return drawing.panels(
        drawing.Panel(
            drawing.Axis("time (s)"),
            drawing.Axis("cwnd (packets)", limits=(0, None)),
            {f"flow {i + 1}": (c["time_s"], c["cwnd"]) for i, c in enumerate(curves)},
            title=f"{scheme}: window",
            steps=True,
            marks=False,
            level={"BDP": BDP},
        ),
        drawing.Panel(
            drawing.Axis("time (s)"),
            drawing.Axis("RTT (ms)"),
            {f"flow {i + 1}": (c["at_s"], c["rtt_ms"]) for i, c in enumerate(curves)},
            title=f"{scheme}: round-trip time",
            marks=False,
        ),
    )
