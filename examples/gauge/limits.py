"""What gauge must show, next to what was measured."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from asking import GAUGE, HYSTART, QUICLY
from crowd import settings
from measures import ALL, LEAST
from results import Row, find

Bound = Literal["at most", "at least", "less than"]


@dataclass(frozen=True)
class Limit:
    """A number that must not be passed."""

    words: str
    bound: Bound
    limit: float
    where: dict[str, str]
    """What the row has that was measured."""

    def met(self, value: float) -> bool:
        """Whether a value is within it."""
        if self.bound == "at least":
            return value >= self.limit
        return value < self.limit if self.bound == "less than" else value <= self.limit


@dataclass(frozen=True)
class Verdict:
    """A limit next to what was measured; None where nothing was."""

    limit: Limit
    row: Row | None

    @property
    def met(self) -> str:
        """Whether it is met, and whether the whole interval is on one side of it."""
        if self.row is None or self.row.value is None:
            return "not measured"
        ends = [end for end in (self.row.low, self.row.high) if end is not None]
        met = self.limit.met(self.row.value)
        sure = bool(ends) and all(self.limit.met(end) == met for end in ends)
        return f"{'yes' if met else 'no'}{'' if sure else ', inconclusive'}"


def _baseline(measure: str, kind: str, against: str) -> dict[str, str]:
    return {"part": "baseline", "measure": measure, "kind": kind, "against": against}


def _harm(kind: str) -> Limit:
    words = f"harm, {kind}, less HyStart++'s"
    return Limit(words, "at most", 0, _baseline("harm difference", kind, HYSTART))


def _named(measure: str) -> dict[str, str]:
    return {"part": "named", "measure": measure, "kind": ALL, "against": HYSTART}


def _crowd(setting: str) -> list[Limit]:
    where = {"part": "crowd", "setting": setting, "against": HYSTART}
    return [
        Limit(
            f"{setting}: loss, less HyStart++'s",
            "at most",
            0,
            where | {"measure": "loss difference"},
        ),
        Limit(
            f"{setting}: p95 completion ÷ HyStart++'s",
            "at most",
            1,
            where | {"measure": "p95 ratio"},
        ),
    ]


LIMITS: tuple[Limit, ...] = (
    Limit("mean regret ÷ HyStart++'s", "at most", 0.74, _baseline("regret ratio", ALL, HYSTART)),
    Limit("mean regret ÷ quicly's", "at most", 0.94, _baseline("regret ratio", ALL, QUICLY)),
    Limit("p95 regret ÷ HyStart++'s", "at most", 0.60, _baseline("regret p95 ratio", ALL, HYSTART)),
    Limit("worst time ÷ the fastest's", "at most", 3, _baseline("regret worst", ALL, "")),
    Limit(
        "mean regret ÷ HyStart++'s, quic",
        "at most",
        0.72,
        _baseline("regret ratio", ALL, HYSTART) | {"part": "stacks", "setting": "quic cubic"},
    ),
    Limit(
        "retransmitted, less HyStart++'s",
        "at most",
        0,
        _baseline("retransmitted difference", ALL, HYSTART),
    ),
    *(_harm(kind) for kind in ("short", "long", "bbr", "probe")),
    Limit("dominated", "at most", 0.18, _baseline("dominated", ALL, "")),
    Limit(
        "dominated, less the minimum of all others",
        "less than",
        0,
        _baseline("dominated difference", ALL, LEAST),
    ),
    Limit("dominates HyStart++", "at least", 0.5, _baseline("dominates", ALL, HYSTART)),
    Limit(
        "dominated by HyStart++",
        "at most",
        0.03,
        _baseline("dominates", ALL, GAUGE) | {"startup": HYSTART},
    ),
    Limit("named paths: mean ÷ HyStart++'s", "at most", 0.85, _named("median ratio")),
    Limit("named paths: largest ÷ HyStart++'s", "at most", 1.15, _named("largest median ratio")),
    *(limit for setting, _ in settings() for limit in _crowd(setting)),
    Limit(
        "processor time per packet ÷ HyStart++'s",
        "at most",
        1.5,
        {"part": "cpu", "setting": ALL, "measure": "processor time ratio", "against": HYSTART},
    ),
)
"""Those of the task, in its order."""


def verdicts(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Every limit next to its row."""
    for limit in LIMITS:
        yield Verdict(limit, find(rows, **{"startup": GAUGE, **limit.where}))
