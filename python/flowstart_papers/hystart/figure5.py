"""Fig. 5: receivers that acknowledge as Linux, FreeBSD and Windows do."""

from statistics import mean
from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart_papers.cases import by_case
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import figure4, measures, setups
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RTT = 100.0
SLOW_RATE = 100.0
"""Mbit/s, tried beside that of Fig. 4."""
SEEDS = 2
MUCH = 1.1
"""A throughput that is so many times another's is significantly more."""
OTHERS = ("FreeBSD", "Windows")
HYBRID, SLOW, LIMITED = setups.THREE

Found = dict[str, dict[str, list[dict[str, Any]]]]
"""By startup and receiver, the seeds' throughputs, losses and timeouts."""


def document(receiver: str, name: str, seed: int, setup: Setup) -> Document:
    """Two CUBIC flows to one kind of receiver, with starts as in Fig. 4."""
    rate = setup.fig4_fixed[0]
    repair = "sack" if setup.fig5_sack or receiver == "Linux" else "newreno"
    flows = setups.two(
        setups.path(rate, RTT),
        setup.startup(name),
        figure4.STARTS,
        figure4.END,
        cc=setups.CUBIC,
        ends=setup.stack(setups.RECEIVERS[receiver], recovery=repair),
    )
    return figure4.with_others(flows, rate, setup) | {"seed": seed}


def throughputs(lab: Lab, setup: Setup) -> Found:
    """Mbit/s of both flows from the first start on, by startup and receiver."""
    seeds = range(1, SEEDS + 1)
    documents = {
        (name, receiver): [document(receiver, name, seed, setup) for seed in seeds]
        for name in setups.THREE
        for receiver in setups.RECEIVERS
    }
    runs = by_case(lab, documents, measures.exits)
    return {
        name: {receiver: [*map(_summed, runs[name, receiver])] for receiver in setups.RECEIVERS}
        for name in setups.THREE
    }


def _summed(flows: list[dict[str, Any]]) -> dict[str, Any]:
    seconds = figure4.END - flows[0]["opened_s"]
    return {
        "mbps": sum(flow["bytes"] for flow in flows) * 8 / seconds / 1e6,
        "lost": sum(flow["lost"] for flow in flows),
        "timeouts": sum(flow["timeouts"] for flow in flows),
    }


def mbps(by_receiver: dict[str, list[dict[str, Any]]]) -> dict[str, float]:
    """The mean of the seeds, by receiver."""
    return {
        receiver: round(mean(one["mbps"] for one in seeds), 1)
        for receiver, seeds in by_receiver.items()
    }


def measured(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured]:
    """What the paper says of Fig. 5."""
    found = throughputs(lab, setup)
    hybrid, slow, limited = (mbps(found[name]) for name in setups.THREE)
    gain = {
        name: round(min(values[r] / slow[r] for r in OTHERS), 3)
        for name, values in ((HYBRID, hybrid), (LIMITED, limited))
    }
    lead = round(min(slow["Linux"] / slow[r] for r in OTHERS), 3)
    because = "Here SACK works with every receiver, so none goes dark after slow start"
    return {
        "hy.f5.linux": Measured(
            {"Linux over the better of the others": lead},
            holds=lead > MUCH,
            because=f"{because}: what sixteen quick ACKs gain is a part of the first second.",
            shown_by="HY-F5",
            seeds=SEEDS,
        ),
        "hy.f5.gain": Measured(
            gain,
            holds=min(gain.values()) > MUCH,
            because=f"{because}. It holds of a sender that takes 200 us to read a SACK block.",
            shown_by="HY-READINGS",
            seeds=SEEDS,
        ),
        "hy.f5.all": Measured(
            {name: round(mean(_spreads(found[name])), 2) for name in (HYBRID, SLOW)},
            holds=all(
                mine < its
                for mine, its in zip(_spreads(found[HYBRID]), _spreads(found[SLOW]), strict=True)
            ),
            because="The spread over receivers is not less in every seed.",
            shown_by="HY-F5",
            seeds=SEEDS,
        ),
    }


def _spreads(by_receiver: dict[str, list[dict[str, Any]]]) -> list[float]:
    """By seed, the largest throughput of a receiver less the least."""
    seeds = list(zip(*by_receiver.values(), strict=True))
    return [max(o["mbps"] for o in each) - min(o["mbps"] for o in each) for each in seeds]


def run(lab: Lab) -> Findings:
    """Throughput by receiver and startup, at two rates, with SACK and without."""
    fixed = LITERAL.fig4_fixed[1]
    cases = {
        (rate, sack): Setup(fig4_fixed=(rate, fixed), fig5_sack=sack)
        for rate in (LITERAL.fig4_fixed[0], SLOW_RATE)
        for sack in (True, False)
    }
    found = {case: throughputs(lab, setup) for case, setup in cases.items()}
    drawn = [(LITERAL.fig4_fixed[0], True), (SLOW_RATE, False)]
    return Findings(
        measured=measured(lab),
        answers=_says(found),
        tables=[_table(found)],
        pictures=[
            Picture(
                f"figure5-{rate:.0f}-{_word(sack)}",
                f"Throughput by receiver at {rate:.0f} Mbit/s, SACK of FreeBSD and Windows: "
                f"{_word(sack)}; lines on the bars are minimum and maximum of {SEEDS} seeds",
                lambda case=(rate, sack): draw(found[case]),  # type: ignore[misc]
            )
            for rate, sack in drawn
        ],
    )


def _word(sack: bool) -> str:
    return "correct" if sack else "none"


def _table(found: dict[tuple[float, bool], Found]) -> Table:
    return Table(
        "figure5",
        f"Throughput of two CUBIC flows over 60 s, RTT 100 ms, mean of {SEEDS} seeds. SACK "
        "`none`: FreeBSD's and Windows' losses are repaired by NewReno",
        [
            {
                "rate (Mbit/s)": rate,
                "SACK": _word(sack),
                "receiver": receiver,
                "startup": name,
                "throughput (Mbit/s)": round(mean(one["mbps"] for one in seeds), 1),
                "lost": round(mean(one["lost"] for one in seeds)),
                "timeouts": round(mean(one["timeouts"] for one in seeds), 1),
            }
            for (rate, sack), by_name in found.items()
            for name, by_receiver in by_name.items()
            for receiver, seeds in by_receiver.items()
        ],
    )


def _says(found: dict[tuple[float, bool], Found]) -> list[str]:
    def listed(case: tuple[float, bool], name: str) -> str:
        values = mbps(found[case][name])
        return ", ".join(f"{receiver} {value:.0f}" for receiver, value in values.items())

    main, bad = (LITERAL.fig4_fixed[0], True), (SLOW_RATE, False)
    return [
        (
            f"At {main[0]:.0f} Mbit/s the flows get (Mbit/s): slow start {listed(main, SLOW)}; "
            f"Hybrid Slow Start {listed(main, HYBRID)}; limited slow start "
            f"{listed(main, LIMITED)}."
        ),
        (
            f"At {bad[0]:.0f} Mbit/s, where FreeBSD and Windows report no SACK: slow start "
            f"{listed(bad, SLOW)}; Hybrid Slow Start {listed(bad, HYBRID)}; limited slow start "
            f"{listed(bad, LIMITED)}."
        ),
    ]


def draw(found: Found) -> "Figure":
    """Bars by receiver."""
    from flowstart_papers import drawing

    values = {name: list(mbps(by_receiver).values()) for name, by_receiver in found.items()}
    room = 1.35 * max(max(heights) for heights in values.values())
    axis = drawing.Axis("throughput (Mbit/s)", limits=(0, room))
    chart = drawing.bars(axis, list(setups.RECEIVERS), values)
    for bars, by_receiver in zip(chart.axes[0].containers, found.values(), strict=True):
        for bar, seeds in zip(bars, by_receiver.values(), strict=True):
            ends = [min(one["mbps"] for one in seeds), max(one["mbps"] for one in seeds)]
            centre = bar.get_x() + bar.get_width() / 2
            chart.axes[0].plot([centre, centre], ends, color="0.2", linewidth=1)
    return chart


EXPERIMENTS = (
    Experiment(
        id="HY-F5",
        figure="Fig. 5",
        question="Does it make up for receivers that delay all ACKs?",
        run=run,
    ),
)
