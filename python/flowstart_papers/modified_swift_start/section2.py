"""Sec. 2.3: what delayed, queued and thinned acknowledgements do to either estimate.

Swift Start reads the capacity from the spacing of ACKs, its modification from the receiver's own
measurement. Both use their whole estimate here (`alpha` is 1) and a receiver's window that does
not cut it off; the receiver acknowledges every segment where delaying is not the question.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.measures import interval
from flowstart_papers.modified_swift_start import measures
from flowstart_papers.modified_swift_start.hosts import HEADER, MSS
from flowstart_papers.modified_swift_start.setups import LITERAL, T1, transfer
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.model.document import Document
    from flowstart_papers.lab import Lab

DELAY_S = 0.1
SWIFT = "Swift Start"
PER_SEGMENT = "Swift Start, per segment"
RECEIVER = "modified Swift Start"
STARTUPS = {
    SWIFT: "swift-start:alpha=1,growth=per-ack",
    PER_SEGMENT: "swift-start:alpha=1,growth=per-ack,ack_spacing=per-segment",
    RECEIVER: LITERAL.modified,
}
"""The second divides any spacing by the segments that the later ACK covers."""
PACKET_S = 8 * (MSS + HEADER) / T1.bps
WRONG = 5.0
"""An estimate that is off by more percent is wrong."""

LOADS = (20, 40, 60, 80)
"""Percent of the ACKs' way that other data takes."""
SEEDS = 40
BACKGROUND_PKTS = 2
BACKGROUND_LASTS_S = 4
BEGINS_S = 2

BATCHES_MS = (2, 5, 10, 15, 20, 30, 50)
"""For how long a router gathers ACKs; of each batch it forwards the newest."""
PHASES = 12
PHASE_S = 0.0017
"""By so much the round trip differs from one phase to the next, and when ACKs meet a batch."""

Errors = Mapping[str, Sequence[float | None]]
"""Percent by which each run's estimate is off, None where it has none, by startup."""


@dataclass(frozen=True)
class Case:
    """A disturbance and its scenarios, in the order of the startups."""

    name: str
    documents: "Sequence[Document]"


def _run(lab: "Lab") -> Findings:
    undisturbed = Case("none", [_document(startup) for startup in STARTUPS.values()])
    delayed = Case("delayed", [_document(s, ack="delayed") for s in STARTUPS.values()])
    loads = [Case(f"load {load} %", list(_loaded(load))) for load in LOADS]
    batches = [Case(f"batches {batch} ms", list(_thinned(batch))) for batch in BATCHES_MS]
    unbound = [Case(f"{c.name}, no processors", list(map(_unbound, c.documents))) for c in loads]
    cases = [undisturbed, delayed, *loads, *unbound, *batches]
    found = dict(zip([case.name for case in cases], _errors(lab, cases), strict=True))
    queued = [found[case.name] for case in loads]
    long = [found[c.name] for c, ms in zip(batches, BATCHES_MS, strict=True) if ms > 1e3 * PACKET_S]
    return Findings(
        measured={
            "mss.delack.kill": _killed(found["delayed"]),
            "mss.ackpath": _misled(queued),
            "mss.ackcompress": _thinned_out(long),
        },
        answers=[
            *_says(found["delayed"], queued, long),
            (
                "Without the routers' processors its largest error next to other data is "
                f"{_largest([found[case.name] for case in unbound]):.1f} %."
            ),
        ],
        tables=[
            Table(
                "mechanisms",
                "How far the estimated capacity of T1 is off.",
                [row for name, errors in found.items() for row in _rows(name, errors)],
            )
        ],
        pictures=[
            Picture(
                "mechanisms",
                f"Estimates that are absent or off by more than {WRONG:g} %.",
                lambda: _draw(queued, [found[case.name] for case in batches]),
            )
        ],
    )


def estimate(run: Any) -> float | None:
    """By how many percent the capacity that the window stands for is off."""
    row = run.records[0]
    if row["startup_exit_reason"] != "estimate":
        return None
    if row["startup"] == LITERAL.modified:
        pps = 1 / measures.pairs(run)[0]["gap_s"]
    else:
        pps = measures.after_probe(run)
    return round(float(100 * (pps * PACKET_S - 1)), 1) + 0.0


def _document(startup: str, path: Any = None, shift_s: float = 0, **fields: Any) -> "Document":
    fields = {"ack": "every", "window": "10MB", "window_scaling": True, **fields}
    rtt_s = T1.rtt_s(DELAY_S) + shift_s
    return transfer(T1, rtt_s, startup, size="40pkt", path=path, **fields)


def _loaded(load: int) -> "Iterator[Document]":
    """Short transfers the other way take so much of the line on which the ACKs return."""
    every_s = BACKGROUND_PKTS * PACKET_S / (load / 100)
    background = {
        "startup": "slow-start",
        "size": f"{BACKGROUND_PKTS}pkt",
        "count": round(BACKGROUND_LASTS_S / every_s),
        "stagger": f"{every_s * 1e9:.0f}ns",
        "jitter": f"{every_s * 1e9:.0f}ns",
        "direction": "reverse",
        "handshake": False,
    }
    for startup, seed in product(STARTUPS.values(), range(1, SEEDS + 1)):
        document = _document(startup)
        measured = document["flows"][0] | {
            "start": f"{BEGINS_S}s",
            "jitter": f"{every_s * 1e9:.0f}ns",
        }
        yield document | {"seed": seed, "flows": [measured, background]}


def _unbound(document: "Document") -> "Document":
    return document | {"path": document["path"] | {"router_pps": None}}


def _thinned(batch_ms: int) -> "Iterator[Document]":
    path = {"ack_batch": f"{batch_ms}ms", "ack_thinning": True}
    for startup, phase in product(STARTUPS.values(), range(PHASES)):
        yield _document(startup, path, shift_s=phase * PHASE_S)


def _errors(lab: "Lab", cases: Sequence[Case]) -> Iterator[Errors]:
    """All cases at once, taken apart again by case and startup."""
    documents = [document for case in cases for document in case.documents]
    found = iter(lab.runs(documents, estimate, trace=True))
    for case in cases:
        each = len(case.documents) // len(STARTUPS)
        yield {startup: [next(found) for _ in range(each)] for startup in STARTUPS}


def _off(error: float | None) -> bool:
    return error is None or abs(error) > WRONG


def _share(errors: Sequence[float | None]) -> float:
    """Percent of the estimates that are absent or wrong."""
    return 100 * sum(map(_off, errors)) / len(errors)


def _pooled(cases: Sequence[Errors], startup: str) -> list[float | None]:
    return [error for errors in cases for error in errors[startup]]


def _right(errors: Sequence[float | None]) -> bool:
    """Whether all runs have an estimate, and a right one."""
    return not any(map(_off, errors))


def _largest(cases: Sequence[Errors]) -> float:
    """The largest error of what the receiver measures."""
    return max(abs(error) for error in _pooled(cases, RECEIVER) if error is not None)


def _killed(errors: Errors) -> Measured:
    none = all(error is None for error in errors[SWIFT])
    return Measured(
        "no estimate" if none else "an estimate", holds=none and _right(errors[RECEIVER])
    )


def _misled(cases: Sequence[Errors]) -> Measured:
    """Too high in some runs and too low in others; the receiver's right in all."""
    swift = _pooled(cases, SWIFT)
    numbers = [error for error in swift if error is not None]
    both = min(numbers) < -WRONG and max(numbers) > WRONG
    wrong = [100.0 * _off(error) for error in swift]
    return Measured(
        _share(swift),
        holds=both and _right(_pooled(cases, RECEIVER)),
        interval=interval(wrong),
        seeds=SEEDS,
    )


def _thinned_out(cases: Sequence[Errors]) -> Measured:
    """Mostly wrong or none, whatever the batch; the receiver's right in all."""
    mostly = all(_share(errors[SWIFT]) > 50 for errors in cases)
    holds = mostly and _right(_pooled(cases, RECEIVER))
    return Measured(_share(_pooled(cases, SWIFT)), holds=holds)


def _says(delayed: Errors, queued: Sequence[Errors], long: Sequence[Errors]) -> list[str]:
    swift = [error for error in _pooled(queued, SWIFT) if error is not None]
    spared = delayed[PER_SEGMENT][0]
    worst = _largest([delayed, *queued, *long])
    return [
        (
            f"With delayed ACKs Swift Start has {_killed(delayed).value}; if it divides the time "
            f"between two ACKs by the segments of the later one it is {abs(spared or 0):.1f} % "
            "off."
        ),
        (
            f"With other data on the ACKs' way {_share(_pooled(queued, SWIFT)):.0f} % of its "
            f"estimates are off by more than {WRONG:g} %, from {min(swift):+.0f} to "
            f"{max(swift):+.0f} %; where ACKs are gathered for longer than the line takes for a "
            f"packet, {_share(_pooled(long, SWIFT)):.0f} % are absent or wrong."
        ),
        f"What the receiver measures is never off by more than {worst:.1f} %.",
    ]


def _rows(case: str, by_startup: Errors) -> Iterator[dict[str, Any]]:
    for startup, errors in by_startup.items():
        known = sorted(error for error in errors if error is not None)
        yield {
            "ACKs": case,
            "startup": startup,
            "runs": len(errors),
            "without estimate": len(errors) - len(known),
            "least error (%)": known[0] if known else None,
            "median (%)": known[len(known) // 2] if known else None,
            "largest (%)": known[-1] if known else None,
            "absent or wrong (%)": round(_share(errors), 1),
        }


def _draw(queued: Sequence[Errors], thinned: Sequence[Errors]) -> "Figure":
    from flowstart_papers import drawing

    def panel(label: str, xs: Sequence[float], cases: Sequence[Errors]) -> "drawing.Panel":
        return drawing.Panel(
            drawing.Axis(label),
            drawing.Axis("absent or wrong estimates (%)", limits=(-3, 103)),
            {startup: (xs, [_share(case[startup]) for case in cases]) for startup in STARTUPS},
        )

    return drawing.panels(
        panel("load of the ACKs' way (%)", LOADS, queued),
        panel("time for which ACKs are gathered (ms)", BATCHES_MS, thinned),
    )


EXPERIMENTS = (
    Experiment(
        id="MSS-M",
        figure="Sec. 2.3",
        question="What do delayed, queued and thinned ACKs do to Swift Start and to its "
        "modification?",
        run=_run,
        quick=True,
    ),
)
