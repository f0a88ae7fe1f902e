"""Sec. III.B: what a newcomer does to the flows that are there.

The paper says that a flow that heeds delay disturbs them less, and that fewer of them lose at the
same time. Flows come one after the other; what is counted are the losses of those that are done
with their startup while another one is in it.
"""

from collections.abc import Mapping
from statistics import mean
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.cases import by_case
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.hystart import setups
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STARTS = {
    "slow start": setups.SLOW_START,
    "limited slow start": setups.LIMITED,
    "Hybrid Slow Start": setups.HYBRID,
    "by the train alone": f"{setups.HYBRID},detect=train",
}
HYBRID, SLOW = "Hybrid Slow Start", "slow start"
AVOIDANCES = {"SACK": setups.SACK, "CUBIC of 2008": setups.CUBIC}
FLOWS = (2, 4, 8)
APART_S = 5.0
"""From one flow's start to the next, on average; each is late by a draw of up to as much."""
AFTER_S = 10.0
SLOWER = 0.2
"""By so much the last flow's round trip is longer than the first's, so that none keep step."""
EPISODE_S = 0.25
"""Losses that are no further apart are of one overflow: a round trip with a full queue."""
DROP = 6
SEEDS = 10

Key = tuple[str, int, str]
"""Avoidance, number of flows, startup."""


def document(key: Key, seed: int) -> Document:
    """So many flows one after the other on Fig. 2's path."""
    cc, count, name = key
    rtts = [setups.FIG2[1] * (1 + SLOWER * i / (count - 1)) for i in range(count)]
    return {
        "duration": f"{count * APART_S + AFTER_S:g}s",
        "path": setups.path(*setups.FIG2),
        "stack": setups.stack(),
        "seed": seed,
        "flows": [
            {
                "startup": STARTS[name],
                "cc": AVOIDANCES[cc],
                "start": f"{i * APART_S:g}s",
                "jitter": f"{APART_S:g}s",
                "rtt": f"{rtt:.3f}ms",
            }
            for i, rtt in enumerate(rtts)
        ],
    }


def together(run: Run) -> dict[str, Any]:
    """The losses of settled flows while another one starts, and how many of them lose at once."""
    samples = run.flow_samples
    assert samples is not None
    drops = samples.filter(samples["event"] == DROP).sort("time_ns")
    times, flows = drops["time_ns"].to_numpy() / 1e9, drops["flow"].to_numpy()
    found: dict[str, Any] = {"packets": 0, "own": 0, "hit": 0, "shares": []}
    for these in np.split(np.arange(len(times)), np.flatnonzero(np.diff(times) > EPISODE_S) + 1):
        if not len(these):
            continue
        settled, starting = _parties(run, float(times[these[0]]))
        if settled and starting:
            lost = flows[these]
            hit = len(set(lost.tolist()) & settled)
            found["packets"] += int(np.isin(lost, list(settled)).sum())
            found["own"] += int(np.isin(lost, list(starting)).sum())
            found["hit"] += hit
            found["shares"].append(hit / len(settled))
    rows = run.records
    found["by_loss"] = sum(row["startup_exit_reason"] == "loss" for row in rows[1:])
    seconds = run.about["simulated_s"]
    found["mbps"] = sum(row["bytes_delivered"] for row in rows) * 8 / seconds / 1e6
    return found


def _parties(run: Run, at: float) -> tuple[set[int], set[int]]:
    """The flows that are done with their startup, and those that are in it or just were."""
    settled: set[int] = set()
    starting: set[int] = set()
    for row in run.records:
        if row["opened_s"] > at:
            continue
        lasts = row["startup_exit_s"]
        ended = lasts is not None and row["opened_s"] + lasts < at - EPISODE_S
        (settled if ended else starting).add(row["flow"])
    return settled, starting


def run(lab: Lab) -> Findings:
    """Losses of bystanders by cc, number of flows and startup."""
    keys = [(cc, n, name) for cc in AVOIDANCES for n in FLOWS for name in STARTS]
    seeds = range(1, SEEDS + 1)
    documents = {key: [document(key, seed) for seed in seeds] for key in keys}
    found = by_case(lab, documents, together, trace=True)
    return Findings(
        measured={"hy.sync": _judged(found)},
        answers=_says(found),
        tables=[_table(found)],
        pictures=[
            Picture(
                "synchronisation",
                "Losses of the flows that are there, per flow that joins them: their packets "
                "(left), and how many of them lose at once (right), with TCP-SACK and with CUBIC. "
                "Bands are 95 % intervals of the mean",
                lambda: draw(found),
            )
        ],
    )


Found = Mapping[Key, list[dict[str, Any]]]


def per_arrival(found: Found, key: Key, what: str) -> list[float]:
    """By seed; the first flow meets nobody."""
    return [one[what] / (key[1] - 1) for one in found[key]]


def saved(found: Found, cc: str, count: int, what: str) -> list[float]:
    """By seed, how much less Hybrid Slow Start does to the others than slow start."""
    slow, hybrid = (per_arrival(found, (cc, count, name), what) for name in (SLOW, HYBRID))
    return [its - mine for its, mine in zip(slow, hybrid, strict=True)]


def _judged(found: Found) -> Measured:
    """Less of both, with 95 % confidence, for each number of flows under TCP-SACK and CUBIC."""
    surely = {
        (cc, count, what): interval(saved(found, cc, count, what))[0] > 0
        for cc in AVOIDANCES
        for count in FLOWS
        for what in ("packets", "hit")
    }
    doubtful = [
        f"{count} flows of {cc} ({'packets' if what == 'packets' else 'flows that lose'})"
        for (cc, count, what), sure in surely.items()
        if not sure
    ]
    return Measured(
        {"cases with less": sum(surely.values()), "of": len(surely)},
        holds=all(surely.values()),
        because=f"Not significantly less with {', '.join(doubtful)}: where the older flows keep "
        "the queue nearly full, the newcomer loses before the delay of a round has risen.",
        shown_by="HY-SYNC",
        seeds=SEEDS,
    )


def _says(found: Found) -> list[str]:
    said = []
    for cc in AVOIDANCES:
        count = FLOWS[-1]
        slow, hybrid, train = ((cc, count, name) for name in (SLOW, HYBRID, "by the train alone"))

        def of(key: Key, what: str) -> float:
            return mean(per_arrival(found, key, what))

        low, high = interval(saved(found, cc, count, "packets"))
        said.append(
            f"With {cc} each of {count - 1} flows that join makes the others lose "
            f"{of(slow, 'packets'):.0f} packets under slow start and {of(hybrid, 'packets'):.0f} "
            f"under Hybrid Slow Start ({low:.0f} to {high:.0f} fewer), "
            f"{of(train, 'packets'):.0f} without its delay sign; {of(slow, 'hit'):.1f} against "
            f"{of(hybrid, 'hit'):.1f} of them lose at a time; the newcomer itself leaves by loss "
            f"in {100 * of(slow, 'by_loss'):.0f} and {100 * of(hybrid, 'by_loss'):.0f} % of cases."
        )
    shares = [
        mean(share for one in found[cc, n, name] for share in one["shares"])
        for cc in AVOIDANCES
        for n in FLOWS[1:]
        for name in (SLOW, HYBRID)
    ]
    said.append(
        f"What becomes rarer are the overflows, not their reach: when the queue overflows, "
        f"{100 * min(shares):.0f} to {100 * max(shares):.0f} % of the flows that are there lose "
        "at once, whichever startup caused it."
    )
    return said


def _table(found: Found) -> Table:
    rows = []
    for key, runs in found.items():
        cc, count, name = key
        packets, hit = (per_arrival(found, key, what) for what in ("packets", "hit"))
        shares = [share for one in runs for share in one["shares"]]
        less = interval(saved(found, cc, count, "packets")) if name == HYBRID else None
        rows.append(
            {
                "cc": cc,
                "flows": count,
                "startup": name,
                "others lose (packets)": round(mean(packets), 1),
                "low": round(interval(packets)[0], 1),
                "high": round(interval(packets)[1], 1),
                "fewer than slow start, low": round(less[0], 1) if less else None,
                "fewer, high": round(less[1], 1) if less else None,
                "flows that lose": round(mean(hit), 2),
                "overflows": round(mean(len(one["shares"]) / (count - 1) for one in runs), 2),
                "share that loses in one": round(mean(shares), 2) if shares else None,
                "newcomers lose (packets)": round(mean(per_arrival(found, key, "own")), 1),
                "newcomers that leave by loss": round(mean(per_arrival(found, key, "by_loss")), 2),
                "goodput of all (Mbit/s)": round(mean(one["mbps"] for one in runs), 1),
            }
        )
    return Table(
        "synchronisation",
        "What each flow that joins does to those that are there, 100 Mbit/s, 106 to 127 ms, 1 BDP, "
        f"one flow every {APART_S:g} s, {SEEDS} seeds; all counts are per newcomer, low and high "
        "are 95 % intervals of the mean. Flows that are still in their startup do not count as "
        "there, which is why limited slow start, whose startups last ten seconds, has few to "
        "disturb",
        rows,
    )


def draw(found: Found) -> "Figure":
    """Packets, and flows that lose, over the number of flows; a row for each congestion control."""
    from flowstart_papers import drawing

    def panel(cc: str, what: str, label: str) -> drawing.Panel:
        curves, bands = {}, {}
        for name in STARTS:
            values = [per_arrival(found, (cc, n, name), what) for n in FLOWS]
            curves[name] = (FLOWS, [mean(each) for each in values])
            bands[name] = drawing.band(FLOWS, map(interval, values))
        return drawing.Panel(
            drawing.Axis("flows", ticks=FLOWS),
            drawing.Axis(label, limits=(0, None)),
            curves,
            bands=bands,
            title=cc,
        )

    return drawing.panels(
        *(
            panel(cc, what, label)
            for cc in AVOIDANCES
            for what, label in (
                ("packets", "packets of others lost"),
                ("hit", "others that lose"),
            )
        )
    )


EXPERIMENTS = (
    Experiment(
        id="HY-SYNC",
        figure="Sec. III.B",
        question="How many of the flows that are there lose when another one joins?",
        run=run,
    ),
)
