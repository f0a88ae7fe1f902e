"""The fraction that the original Swift Start uses and its modification drops: α from 1 to 8.

The original divides its estimate by α for fear of an over-estimate. Here it divides the time
between two ACKs by the segments they cover, for with the paper's delayed ACKs each pair has only
one ACK. Alone the receiver's window does not cut the estimate off; with competing flows all have
the paper's window of 44 segments. Over OC-1 the routers have no limit: with 5000 packets a second
for both directions they, not the line, would be the bottleneck.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flowstart_papers.cases import by_case, mean_of
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.measures import interval
from flowstart_papers.modified_swift_start.measures import begun
from flowstart_papers.modified_swift_start.setups import AVOIDANCE, OC1, T1, Line, transfer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.model.document import Document
    from flowstart_papers.lab import Lab

ALPHAS = (1, 2, 3, 4, 5, 6, 7, 8)
SLOW_START = "slow start"
MODIFIED = "modified Swift Start"
STARTUPS = {
    SLOW_START: "slow-start:growth=per-ack",
    **{f"α = {a}": f"swift-start:alpha={a},growth=per-ack,ack_spacing=per-segment" for a in ALPHAS},
    MODIFIED: "modified-swift-start:growth=per-ack",
}
DELAY_S = 0.1
WIDE = {"window": "16MB", "window_scaling": True}
"""A window that no path here fills."""
SEEDS = 20
SLOW = {"startup": "slow-start:growth=per-ack", "cc": AVOIDANCE}
LONG = [SLOW | {"size": "2MB"}]
"""One transfer that has filled the line when a startup is tried beside it."""
SHORT_BYTES = 30_000
SHORT_LOAD = 0.5
SHORT_EVERY_S = 8 * SHORT_BYTES / (SHORT_LOAD * T1.bps)
SHORT = [
    SLOW
    | {
        "size": f"{SHORT_BYTES}B",
        "count": 40,
        "stagger": f"{SHORT_EVERY_S * 1e9:.0f}ns",
        "jitter": f"{SHORT_EVERY_S * 1e9:.0f}ns",
    }
]
"""Transfers that take half the line on average."""
BEGINS_S = 4.0
"""When the startup is tried beside others."""


@dataclass(frozen=True)
class Case:
    """A path with its load."""

    line: Line
    size: str
    path: Mapping[str, Any] = field(default_factory=dict)
    stack: Mapping[str, Any] = field(default_factory=lambda: WIDE)
    others: Sequence[Mapping[str, Any]] = ()
    """Flows beside it."""

    @property
    def seeds(self) -> int:
        """How often it is run: without others nothing is drawn."""
        return SEEDS if self.others else 1

    def document(self, startup: str, seed: int) -> "Document":
        """The scenario with a startup."""
        rtt_s = self.line.rtt_s(DELAY_S)
        document = transfer(self.line, rtt_s, startup, size=self.size, path=self.path, **self.stack)
        if not self.others:
            return document
        tried = document["flows"][0] | {"start": f"{BEGINS_S}s", "jitter": f"{rtt_s * 1e9:.0f}ns"}
        return document | {"seed": seed, "flows": [tried, *self.others]}


NO_PROCESSORS = {"router_pps": None}
CASES = {
    "T1, endless buffer": Case(T1, "200kB"),
    "OC-1, endless buffer": Case(OC1, "5MB", NO_PROCESSORS),
    "T1, buffer of 10 packets": Case(T1, "200kB", {"buffer": "10pkt"}),
    "OC-1, buffer of 0.1 BDP": Case(OC1, "5MB", NO_PROCESSORS | {"buffer": "0.1bdp"}),
    "T1, next to a long transfer": Case(T1, "200kB", {"buffer": "1bdp"}, {}, LONG),
    "T1, next to short transfers": Case(T1, "200kB", {"buffer": "1bdp"}, {}, SHORT),
}

Found = Mapping[tuple[str, str], Sequence[Mapping[str, float]]]
"""What each seed came to, by case and startup."""


def _run(lab: "Lab") -> Findings:
    documents = {
        (name, startup): [
            case.document(STARTUPS[startup], seed) for seed in range(1, case.seeds + 1)
        ]
        for name, case in CASES.items()
        for startup in STARTUPS
    }
    found = by_case(lab, documents, begun, trace=True)
    return Findings(
        answers=_says(found),
        tables=[
            Table(
                "fraction",
                f"The divisor of the estimate, delay {DELAY_S:g} s; means over {SEEDS} seeds where "
                "others are there.",
                [_row(case, startup, each) for (case, startup), each in found.items()],
            )
        ],
        pictures=[
            Picture(
                "fraction",
                "What the divisor α gives: window, queue, losses, and connection time.",
                lambda: _draw(found),
            )
        ],
    )


def _row(case: str, startup: str, seeds: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    many = len(seeds) > 1
    low, high = interval([one["duration_s"] for one in seeds]) if many else (None, None)
    beside = CASES[case].others
    return {
        "path": case,
        "startup": startup,
        "first window (segments)": round(mean_of(seeds, "window_pkts"), 1),
        "of the BDP (%)": round(100 * mean_of(seeds, "window_pkts") / seeds[0]["bdp_pkts"]),
        "queue, paced round (packets)": round(mean_of(seeds, "paced_queue_pkts"), 1),
        "largest queue (packets)": round(mean_of(seeds, "queue_pkts"), 1),
        "dropped": round(mean_of(seeds, "dropped"), 1),
        "timeouts": round(mean_of(seeds, "timeouts"), 1),
        "time (s)": round(mean_of(seeds, "duration_s"), 2),
        "95 % from": None if low is None else round(low, 2),
        "to": None if high is None else round(high, 2),
        "others' dropped": round(mean_of(seeds, "other_dropped"), 1) if beside else None,
        "others' time (s)": round(mean_of(seeds, "other_s"), 2) if beside else None,
    }


def _says(found: Found) -> list[str]:
    def mean(case: str, startup: str, name: str) -> float:
        return mean_of(found[case, startup], name)

    def fastest(case: str) -> str:
        best = min((f"α = {a}" for a in ALPHAS), key=lambda s: mean(case, s, "duration_s"))
        return (
            f"{best} with {mean(case, best, 'duration_s'):.2f} s and "
            f"{mean(case, best, 'dropped'):.0f} segments lost (α = 1: "
            f"{mean(case, 'α = 1', 'duration_s'):.2f} s, {mean(case, 'α = 1', 'dropped'):.0f}; "
            f"slow start: {mean(case, SLOW_START, 'duration_s'):.2f} s, "
            f"{mean(case, SLOW_START, 'dropped'):.0f})"
        )

    def first(case: str) -> float:
        seeds = found[case, "α = 1"]
        return 100 * mean_of(seeds, "window_pkts") / seeds[0]["bdp_pkts"]

    alone = [case for case in CASES if not CASES[case].others]
    paced = max(mean(case, s, "paced_queue_pkts") for case in alone for s in STARTUPS)
    slower = [
        a
        for a in ALPHAS
        if mean("T1, endless buffer", f"α = {a}", "duration_s")
        > mean("T1, endless buffer", SLOW_START, "duration_s")
    ]
    return [
        (
            f"Alone, whatever α is, at most {paced:.0f} packets wait in the paced round trip: "
            "pacing keeps the whole estimate out of the queue. What is lost is lost by the slow "
            "start that continues from it."
        ),
        *(f"{case}: fastest is {fastest(case)}." for case in CASES),
        *(
            f"{case} the first window is {first(case):.0f} % of the whole path with α = 1, and "
            f"the others take {mean(case, 'α = 1', 'other_s'):.2f} s instead of "
            f"{mean(case, SLOW_START, 'other_s'):.2f} s next to slow start."
            for case in CASES
            if CASES[case].others
        ),
        (
            f"Over T1 with an endless buffer α from {slower[0]} on is slower than slow start: the "
            "window it leaves after the first round trip is hardly larger, and does not grow while "
            "it is paced."
            if slower
            else "Over T1 no α is slower than slow start."
        ),
    ]


def _draw(found: Found) -> "Figure":
    from flowstart_papers import drawing

    def panel(label: str, value: Any, level: Any = None) -> "drawing.Panel":
        return drawing.Panel(
            drawing.Axis("divisor α"),
            drawing.Axis(label, limits=(0, None)),
            {case: (ALPHAS, [value(case, f"α = {a}") for a in ALPHAS]) for case in CASES},
            level=level,
        )

    def per_bdp(name: str) -> Any:
        def value(case: str, startup: str) -> float:
            seeds = found[case, startup]
            return mean_of(seeds, name) / seeds[0]["bdp_pkts"]

        return value

    def over_slow_start(case: str, startup: str) -> float:
        own_s, slow_s = (mean_of(found[case, each], "duration_s") for each in (startup, SLOW_START))
        return own_s / slow_s

    return drawing.panels(
        panel("first window (BDP)", per_bdp("window_pkts")),
        panel("largest queue (BDP)", per_bdp("queue_pkts")),
        panel("segments dropped (BDP)", per_bdp("dropped")),
        panel("time over slow start's", over_slow_start, {"slow start": 1.0}),
    )


EXPERIMENTS = (
    Experiment(
        id="MSS-ALPHA",
        figure="study",
        question="What does each fraction of the estimate give, alone, with short buffers and "
        "next to another transfer?",
        run=_run,
    ),
)
