"""A study: long transfers, some of which jump; the fairness that Sec. V leaves to others."""

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import setups
from flowstart_papers.lab import Lab
from flowstart_papers.measures import interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLOWS = 4
JUMPING = (0, 1, 2, 4)
FLIGHTS = (64, 200, 10_000)
"""Packets of the first flight; an endless source sends all of the paper's window, the last."""
RULES = ("ns-2's Sack1", "RFC 6675")
SEEDS = range(1, 9)
UNTIL = (10, 60, 120)
"""Ends of the spans over which shares are taken, in seconds."""
JOINS = 30
"""When a newcomer joins three that are long under way."""
AFTER = (0, 1, 5, 30, 120)
"""Seconds since then."""

Shares = list[float]
"""What each flow delivered of all that was delivered in a span."""
Kind = tuple[str, int, int]
"""Recovery, packets of a first flight, and how many jump; the last flow does if one does."""


def _scenario(kind: Kind, until_s: int, seed: int, joins_s: int = 0) -> Document:
    """Endless transfers of which some jump, opened within a second, the last perhaps later."""
    rule, flight, jumping = kind
    startups = [setups.SLOW_START] * (FLOWS - jumping)
    startups += [f"{setups.JUMP_START}:max_d={flight}"] * jumping
    flows = [{"startup": startup, "jitter": "1s"} for startup in startups]
    if joins_s:
        flows[-1] = {"startup": startups[-1], "start": f"{joins_s}s"}
    path = {"rate": setups.BOTTLENECK, "rtt": setups.RTT, "buffer": setups.QUEUE}
    stack = setups.stack(window=f"{max(FLIGHTS)}pkt", **setups.RECOVERIES[rule])
    return {
        "seed": seed,
        "duration": f"{until_s}s",
        "path": path,
        "stack": stack,
        "flows": flows,
    }


def delivered(run: Run) -> dict[str, Any]:
    """Bytes by flow so far, and how the last flow has found its losses."""
    last = run.records[-1]
    return {
        "bytes": [row["bytes_delivered"] for row in run.records],
        "timeouts": last["timeouts"],
        "fast_retransmits": last["fast_retransmits"],
    }


def jain(shares: Shares) -> float:
    """Jain's index: 1 where all have the same, 1/n where one has everything."""
    return sum(shares) ** 2 / (len(shares) * sum(share**2 for share in shares))


def _spans(ends: Sequence[dict[str, Any]]) -> list[Shares]:
    """Shares from each end to the next."""
    spans = []
    for before, after in itertools.pairwise(ends):
        gone = [b - a for a, b in zip(before["bytes"], after["bytes"], strict=True)]
        spans.append([each / sum(gone) for each in gone])
    return spans


def _together(lab: Lab) -> dict[Kind, list[list[Shares]]]:
    """Flows that begin together: by kind, seed and span."""
    kinds = [(rule, flight, k) for rule in RULES for flight in FLIGHTS for k in JUMPING]
    documents = [_scenario(kind, end, seed) for kind in kinds for seed in SEEDS for end in UNTIL]
    read = iter(lab.runs(documents, delivered))
    nothing = {"bytes": [0] * FLOWS}
    return {
        kind: [_spans([nothing, *(next(read) for _ in UNTIL)]) for _ in SEEDS] for kind in kinds
    }


Joined = Sequence[Sequence[dict[str, Any]]]
"""What was read at each end, by seed."""


def _joining(lab: Lab) -> dict[Kind, Joined]:
    """A newcomer beside the others; it has no first flight in slow start."""
    kinds = [(rule, 0, 0) for rule in RULES]
    kinds += [(rule, flight, 1) for rule in RULES for flight in FLIGHTS]
    documents = [
        _scenario(kind, JOINS + after, seed, JOINS)
        for kind in kinds
        for seed in SEEDS
        for after in AFTER
    ]
    read = iter(lab.runs(documents, delivered))
    return {kind: [[next(read) for _ in AFTER] for _ in SEEDS] for kind in kinds}


def _parts(ends: Joined) -> list[list[float]]:
    """The newcomer's share as a part of a fair one, by span and seed."""
    shares = [[FLOWS * span[-1] for span in _spans(each)] for each in ends]
    return [list(span) for span in zip(*shares, strict=True)]


def run(lab: Lab) -> Findings:
    """Long transfers that begin together, and one that joins."""
    together, joining = _together(lab), _joining(lab)
    return Findings(
        answers=_say(together, joining),
        tables=[
            Table(
                "fairness",
                f"{FLOWS} endless transfers that begin within a second, some of them with a jump",
                [_row(kind, found) for kind, found in together.items() if kind[2] or kind[1] == 64],
            ),
            Table(
                "fairness_joining",
                f"One that joins {FLOWS - 1} in slow start after {JOINS} s: its share in percent "
                f"of a fair one",
                [_joining_row(kind, found) for kind, found in joining.items()],
            ),
        ],
        pictures=[
            Picture(
                "fairness",
                f"Share of one that joins {FLOWS - 1} long transfers, as a part of a fair one, by "
                "time since then; bands: 95 % intervals",
                lambda: _draw(joining),
            )
        ],
    )


def _part(kind: Kind, span: Shares) -> float:
    """What those who jump have of their fair share, in percent."""
    jumping = kind[2]
    return 100 * sum(span[FLOWS - jumping :]) * FLOWS / jumping


def _say(
    together: Mapping[Kind, Sequence[Sequence[Shares]]],
    joining: Mapping[Kind, Joined],
) -> list[str]:
    named, today = RULES
    fitting, large, whole = FLIGHTS

    def index(rule: str, flight: int, jumping: int) -> str:
        return f"{np.mean([jain(each[-1]) for each in together[rule, flight, jumping]]):.2f}"

    def joined(rule: str, flight: int, span: int) -> str:
        kind = (rule, flight, 1 if flight else 0)
        return f"{100 * np.mean(_parts(joining[kind])[span]):.0f} %"

    def found(what: str) -> float:
        return float(np.mean([each[-1][what] for each in joining[named, whole, 1]]))

    return [
        (
            f"Where two of {FLOWS} jump, Jain's index from {UNTIL[-2]} to {UNTIL[-1]} s is "
            f"{index(named, fitting, 2)} with flights of {fitting} packets, "
            f"{index(named, large, 2)} with {large} and {index(named, whole, 2)} with the whole "
            f"window of {whole}; where none does, {index(named, fitting, 0)}."
        ),
        (
            f"One that joins has in its first second {joined(named, fitting, 0)} of a fair share "
            f"with a flight of {fitting} packets, {joined(named, large, 0)} with {large}, and "
            f"{joined(named, 0, 0)} in slow start; from {AFTER[-2]} to {AFTER[-1]} s "
            f"{joined(named, fitting, -1)}, {joined(named, large, -1)} and {joined(named, 0, -1)}."
        ),
        (
            f"With the window of {whole}, which the paper's words give an endless source, it has "
            f"{joined(named, whole, -1)} of a fair share from {AFTER[-2]} to {AFTER[-1]} s. Until "
            f"its flight is repaired ns-2's Sack1 begins no second fast retransmit "
            f"({found('fast_retransmits'):.0f} in {AFTER[-1]} s), and every further loss waits for "
            f"a timer that has backed off ({found('timeouts'):.0f} timeouts). With {today} it is "
            f"{joined(today, whole, -1)}."
        ),
    ]


def _row(kind: Kind, found: Sequence[Sequence[Shares]]) -> dict[str, str | float | None]:
    rule, flight, jumping = kind
    row: dict[str, str | float | None] = {
        "recovery": rule,
        "first flight, packets": flight if jumping else None,
        "jump": jumping,
    }
    for i, end in enumerate(UNTIL):
        row[f"Jain until {end} s"] = round(float(np.mean([jain(each[i]) for each in found])), 2)
    for i, end in enumerate(UNTIL):
        parts = [_part(kind, each[i]) for each in found] if 0 < jumping < FLOWS else []
        row[f"share until {end} s, % of fair"] = round(float(np.mean(parts))) if parts else None
    return row


def _newcomer(kind: Kind) -> str:
    return f"Jump Start, {kind[1]} packets" if kind[2] else "slow start"


def _joining_row(kind: Kind, ends: Joined) -> dict[str, str | float]:
    row: dict[str, str | float] = {"recovery": kind[0], "newcomer": _newcomer(kind)}
    for begin, end, parts in zip(AFTER[:-1], AFTER[1:], _parts(ends), strict=True):
        low, high = (100 * bound for bound in interval(parts))
        row[f"{begin} to {end} s"] = f"{100 * np.mean(parts):.0f} ({low:.0f} to {high:.0f})"
    return row


def _draw(joining: Mapping[Kind, Joined]) -> "Figure":
    from flowstart_papers import drawing

    def panel(rule: str) -> drawing.Panel:
        parts = {_newcomer(kind): _parts(found) for kind, found in joining.items()
                 if kind[0] == rule}  # fmt: skip
        return drawing.Panel(
            drawing.Axis("end of the span, since it joined (s)", "log", (0.8, 300), AFTER[1:]),
            drawing.Axis("share in the span / fair share", limits=(0, None)),
            {name: (AFTER[1:], [float(np.mean(p)) for p in ps]) for name, ps in parts.items()},
            title=rule,
            bands={name: drawing.band(AFTER[1:], map(interval, ps)) for name, ps in parts.items()},
            level={"fair": 1},
        )

    return drawing.panels(*map(panel, RULES))


EXPERIMENTS = (
    Experiment(
        id="JS-FAIR",
        figure="Sec. V (ii)",
        question="Do long transfers share a link fairly when some of them begin with a jump?",
        run=run,
    ),
)
