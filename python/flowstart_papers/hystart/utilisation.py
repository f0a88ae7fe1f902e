"""Fig. 4 and 5: how well two CUBIC flows use the link, and with which receivers."""

import itertools
from collections.abc import Sequence
from statistics import mean
from typing import Any

import polars as pl

from flowstart.model.document import Document
from flowstart.simulation import frames
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Findings, experiment, table
from flowstart_papers.frames import Case, grid, versus
from flowstart_papers.hystart import measures, setups
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, bars, lines, panel
from flowstart_papers.target import Measured, Value

STARTS = (10.0, 40.0)
END = 70.0
RATES = (10.0, 50.0, 100.0, 200.0, 400.0)
BUFFERS = (0.1, 0.25, 0.5, 1.0, 2.0)
RTTS = (20.0, 40.0, 80.0, 120.0, 160.0)
BUFFER = 1.0
"""While it is not swept, in BDP: 100 % as in Fig. 1 to 3."""
SEEDS = 2
JITTER = "2s"
"""Each start is late by a draw of up to this, so that no verdict hangs on one moment."""
HYBRID, *OTHERS = setups.THREE
SWEPT = {"a": "rate", "b": "buffer", "c": "rtt"}
AXES = {
    "rate": Axis("bandwidth (Mbit/s)"),
    # The small ones are where slow start is not behind.
    "buffer": Axis("buffer (BDP)", "log", ticks=BUFFERS),
    "rtt": Axis("round-trip time (ms)"),
}


def sweeps(setup: Setup) -> dict[str, list[Case]]:
    """By panel, the points of its sweep."""
    rate, rtt = setup.fig4_fixed
    return {
        "a": grid(rate=RATES, rtt=[rtt], buffer=[BUFFER]),
        "b": grid(rate=[rate], rtt=[rtt], buffer=BUFFERS),
        "c": grid(rate=[rate], rtt=RTTS, buffer=[BUFFER]),
    }


def point(
    rate: float, rtt: float, buffer: float, name: str, seed: int, setup: Setup = LITERAL
) -> Document:
    """Two flows, alone or with others."""
    link, startup = setups.path(rate, rtt, buffer), setup.startup(name)
    flows = setups.two(link, startup, STARTS, END, cc=setups.CUBIC, ends=setup.stack())
    return with_others(flows, rate, setup) | {"seed": seed}


def with_others(flows: Document, rate: float, setup: Setup) -> Document:
    """Two flows with jittered starts, or on time on a link that others use from zero on."""
    if not setup.traffic:
        flows["flows"][0]["jitter"] = JITTER
        return flows
    return flows | {"web": setups.background(setup.traffic * rate, END)}


def before(document: Document) -> Document:
    """The same until its first flow starts: the others alone."""
    return document | {"duration": f"{STARTS[0]:g}s"}


def busy_s(run: Run) -> float:
    """For how long the link forward has transmitted."""
    link = frames.rows(run.outcome["links"])[0]
    return float(link["utilisation"] * run.about["simulated_s"])


def uses_from_start(lab: Lab, documents: Sequence[Document]) -> list[dict[str, Any]]:
    """Utilisation in percent from the first start on, whatever others sent before, and exits."""
    found = lab.runs(documents, measures.use)
    if "web" not in documents[0]:
        return found
    earlier = lab.runs([before(document) for document in documents], busy_s)
    return [
        {**one, "use": one["use"] - 100 * seconds / (END - STARTS[0])}
        for one, seconds in zip(found, earlier, strict=True)
    ]


def swept(lab: Lab, setup: Setup) -> pl.DataFrame:
    """Utilisation at every point after each of the three, and what it is above the others."""
    cases = [
        {"panel": panel, **at, **each}
        for panel, points in sweeps(setup).items()
        for at in points
        for each in grid(name=setups.THREE, seed=range(1, SEEDS + 1))
    ]
    documents = [
        point(**{k: v for k, v in case.items() if k != "panel"}, setup=setup) for case in cases
    ]
    found = uses_from_start(lab, documents)
    rows = [{**case, **{k: one[k] for k in ("use", "lost", "timeouts")}}
            for case, one in zip(cases, found, strict=True)]  # fmt: skip
    return pl.DataFrame(rows)


def lead(found: pl.DataFrame, other: str) -> pl.DataFrame:
    """Percentage points that Hybrid Slow Start is above another: mean and least of the seeds."""
    pairs = versus(found.filter(pl.col("name").is_in([HYBRID, other])), HYBRID,
                   ["panel", "rate", "rtt", "buffer", "seed"], by="name")  # fmt: skip
    gains = pl.col("use_base") - pl.col("use")
    return pairs.group_by("panel", "rate", "rtt", "buffer", maintain_order=True).agg(
        mean=gains.mean(), least=gains.min(), other=pl.lit(other)
    )


def figure4(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured | Value]:
    """Better at every point in every seed; over bandwidth and RTT the lead grows at every step."""
    found = swept(lab, setup)
    measured: dict[str, Measured | Value] = {}
    for letter in SWEPT:
        leads = {other: lead(found.filter(panel=letter), other) for other in OTHERS}
        better = all(min(one["least"]) > 0 for one in leads.values())
        grows = letter == "b" or all(
            after > before
            for one in leads.values()
            for before, after in itertools.pairwise(one["mean"])
        )
        values = {}
        for other, one in leads.items():
            values[f"least over {other}"] = round(min(one["least"]), 2)
            values[f"last over {other}"] = round(one["mean"][-1], 2)
        measured[f"hy.f4{letter}"] = Measured(values, better and grows, seeds=SEEDS)
    return measured


@experiment("HY-F4", "Fig. 4")
def hy_f4(lab: Lab) -> Findings:
    """Do CUBIC flows use a link better after it, over bandwidth, buffer and RTT?"""
    found = swept(lab, LITERAL)
    leads = pl.concat(lead(found, other) for other in OTHERS)
    slow, limited = (leads.filter(other=other)["mean"] for other in OTHERS)
    uses = found.group_by("panel", "rate", "rtt", "buffer", "name", maintain_order=True).agg(
        pl.col("use", "lost", "timeouts").mean()
    )
    return Findings(
        measured=figure4(lab),
        answers=[
            f"Hybrid Slow Start uses {min(slow):.1f} to {max(slow):.1f} points more of the link "
            f"than slow start in the mean of the seeds, and {min(limited):+.1f} to "
            f"{max(limited):+.1f} points than limited slow start.",
        ],
        tables=[table("figure4", f"Utilisation (%), mean of {SEEDS} seeds; packets lost and "
                      "timeouts of both flows together", uses)],
        pictures=[lines(
            "figure4",
            "Utilisation by two CUBIC flows. What is not swept: 400 Mbit/s, 160 ms, 1 BDP. The "
            "paper's own curves are not in its text, so none are drawn; its statement is that "
            "Hybrid Slow Start is above both others everywhere",
            *(panel(uses.filter(panel=letter), (x, AXES[x]),
                    ("use", Axis("utilisation (%)", limits=(65, 100))), "name", title=f"({letter})")
              for letter, x in SWEPT.items()))],
    )  # fmt: skip


# Fig. 5: receivers that acknowledge as Linux, FreeBSD and Windows do.

RTT = 100.0
SLOW_RATE = 100.0
"""Mbit/s, tried next to that of Fig. 4."""
MUCH = 1.1
"""A throughput that is so many times another's is significantly more."""


def throughputs(lab: Lab, setup: Setup) -> pl.DataFrame:
    """Mbit/s of both flows from the first start on, by startup, receiver and seed."""
    rate = setup.fig4_fixed[0]

    def flows(name: str, receiver: str, seed: int) -> Document:
        repair = "sack" if setup.fig5_sack or receiver == "Linux" else "newreno"
        ends = setup.stack(setups.RECEIVERS[receiver], recovery=repair)
        link, startup = setups.path(rate, RTT), setup.startup(name)
        document = setups.two(link, startup, STARTS, END, cc=setups.CUBIC, ends=ends)
        return with_others(document, rate, setup) | {"seed": seed}

    cases = grid(name=setups.THREE, receiver=setups.RECEIVERS, seed=range(1, SEEDS + 1))
    found = lab.frame(flows, cases, measures.exits)
    key = ["name", "receiver", "seed"]
    return found.group_by(key, maintain_order=True).agg(
        mbps=pl.col("bytes").sum() * 8 / (END - pl.col("opened_s").first()) / 1e6,
        lost=pl.col("lost").sum(),
        timeouts=pl.col("timeouts").sum(),
    )


def figure5(lab: Lab, setup: Setup = LITERAL) -> dict[str, Measured | Value]:
    """What the paper says of Fig. 5."""
    found = throughputs(lab, setup)
    mbps = {
        key: round(value, 1)
        for *key_, value in found.group_by("name", "receiver").agg(pl.col("mbps").mean()).rows()
        for key in [tuple(key_)]
    }
    _, slow, limited = setups.THREE
    others = [each for each in setups.RECEIVERS if each != "Linux"]
    gain = {name: round(min(mbps[name, r] / mbps[slow, r] for r in others), 3)
            for name in (HYBRID, limited)}  # fmt: skip
    lead = round(min(mbps[slow, "Linux"] / mbps[slow, r] for r in others), 3)
    spread = found.group_by("name", "seed", maintain_order=True).agg(
        spread=pl.col("mbps").max() - pl.col("mbps").min()
    )
    mine, its = (spread.filter(name=name)["spread"].to_list() for name in (HYBRID, slow))
    return {
        "hy.f5.linux": Measured(
            {"Linux over the better of the others": lead}, lead > MUCH, seeds=SEEDS
        ),
        "hy.f5.gain": Measured(gain, min(gain.values()) > MUCH, seeds=SEEDS),
        "hy.f5.all": Measured(
            {HYBRID: round(mean(mine), 2), slow: round(mean(its), 2)},
            all(a < b for a, b in zip(mine, its, strict=True)),
            seeds=SEEDS,
        ),
    }


@experiment("HY-F5", "Fig. 5")
def hy_f5(lab: Lab) -> Findings:
    """Does it make up for receivers that delay all ACKs?"""
    rate, rtt = LITERAL.fig4_fixed
    found = pl.concat(
        throughputs(lab, Setup(fig4_fixed=(mbps, rtt), fig5_sack=sack)).select(
            pl.lit(mbps).alias("rate"), pl.lit("correct" if sack else "none").alias("SACK"),
            pl.all())
        for mbps in (rate, SLOW_RATE) for sack in (True, False)
    )  # fmt: skip
    summary = found.group_by("rate", "SACK", "name", "receiver", maintain_order=True).agg(
        pl.col("mbps").mean(), least=pl.col("mbps").min(), most=pl.col("mbps").max(),
        lost=pl.col("lost").mean(), timeouts=pl.col("timeouts").mean())  # fmt: skip

    def listed(name: str, **case: Any) -> str:
        rows = summary.filter(name=name, **case).select("receiver", "mbps").rows()
        return f"{name} " + ", ".join(f"{receiver} {mbps:.0f}" for receiver, mbps in rows)

    pictures = []
    for mbps, sack in ((rate, "correct"), (SLOW_RATE, "none")):
        mine = summary.filter(rate=mbps, SACK=sack)
        by_name = {name: mine.filter(name=name) for name in setups.THREE}
        pictures.append(bars(
            f"figure5-{mbps:.0f}-{sack}",
            f"Throughput by receiver at {mbps:.0f} Mbit/s, SACK of FreeBSD and Windows: {sack}; "
            f"lines on the bars are minimum and maximum of {SEEDS} seeds",
            Axis("throughput (Mbit/s)", limits=(0, 1.35 * max(mine["mbps"]))),
            list(setups.RECEIVERS), {name: one["mbps"].to_list() for name, one in by_name.items()},
            {name: one.select("least", "most").rows() for name,
             one in by_name.items()}))  # fmt: skip
    return Findings(
        measured=figure5(lab),
        answers=[
            f"At {mbps:.0f} Mbit/s, SACK of FreeBSD and Windows {sack}, the flows get (Mbit/s): "
            f"{'; '.join(listed(name, rate=mbps, SACK=sack) for name in setups.THREE)}."
            for mbps, sack in ((rate, "correct"), (SLOW_RATE, "none"))
        ],
        tables=[table("figure5", "Throughput (Mbit/s) of two CUBIC flows over 60 s, RTT 100 ms, "
                      f"{SEEDS} seeds. SACK `none`: FreeBSD's and Windows' losses are repaired by "
                      "NewReno",
                      summary)],
        pictures=pictures,
    )  # fmt: skip
