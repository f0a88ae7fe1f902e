"""What the slides state, as tests on transfers: one for each of their statements.

The experiments judge the literal reading by them, and the grid of readings every other.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TypeAlias, cast

import polars as pl

from flowstart_papers import published
from flowstart_papers.lab import Lab
from flowstart_papers.slow_start_high_speed import measures
from flowstart_papers.slow_start_high_speed.measures import Transfer, Watched
from flowstart_papers.slow_start_high_speed.setups import (
    LITERAL,
    NORTH_CAROLINA,
    PACED,
    SCHEMES,
    TWIN,
    Path,
    Patience,
    Setup,
    transfer,
)
from flowstart_papers.target import Measured

PUBLISHED = published.of("flowstart_papers.slow_start_high_speed")
EXPANSION = Path(1000, 1000)
REDUCTION = Path(10_000, 1000)
REDUCTIONS = (Path(1000, 100), Path(10_000, 100), REDUCTION)
CAROLINA_EXPANSION = Path(1000, 1000, NORTH_CAROLINA)
CAROLINA_SLOW = Path(100, 1000, NORTH_CAROLINA)
CAROLINA_REDUCTION = Path(1000, 100, NORTH_CAROLINA)
BEHIND_INTERFACES = tuple(Path(mbps, 100) for mbps in (100, 1000, 10_000))
"""Ever faster interfaces before one path."""
TOGETHER = 2
SESSIONS = (1, 2, 4)
"""Numbers of simultaneous sessions; the slides name none."""
ALIKE = 25.0
"""Percent of the smaller: nearer than this, two numbers count as alike."""


@dataclass(frozen=True)
class Case:
    """Transfers by one scheme over one path."""

    scheme: str
    path: Path
    sessions: int = 1

    @property
    def is_watched(self) -> bool:
        """Whether it is given the time of its silence."""
        return self.sessions == 1 and not self.path.expands


Found: TypeAlias = Mapping[Case, list[Transfer]]
Test: TypeAlias = Callable[[Found, Patience], Measured]


@dataclass(frozen=True)
class Statement:
    """What the slides state, and what it is judged by."""

    name: str
    """Of its target."""
    cases: tuple[Case, ...]
    test: Test


def find(lab: Lab, asked: Iterable[tuple[Setup, Case]]) -> dict[tuple[Setup, Case], list[Transfer]]:
    """What became of the transfers of each case under each set-up."""
    pairs = list(dict.fromkeys(asked))
    found: dict[tuple[Setup, Case], list[Transfer]] = {}
    for is_watched, read in ((True, measures.watched), (False, measures.transfers)):
        mine = [pair for pair in pairs if pair[1].is_watched is is_watched]
        documents = [
            transfer(case.scheme, case.path, setup, sessions=case.sessions) for setup, case in mine
        ]
        # What is watched has more fields than a transfer, and is one.
        runs = cast(list[list[Transfer]], lab.runs(documents, read, trace=is_watched))
        found |= dict(zip(mine, runs, strict=True))
    return {pair: found[pair] for pair in pairs}


def literally(lab: Lab, cases: Iterable[Case]) -> dict[Case, list[Transfer]]:
    """The same under the literal reading."""
    return {case: of for (_, case), of in find(lab, [(LITERAL, c) for c in cases]).items()}


def frame(
    lab: Lab,
    setups: Mapping[str, Setup],
    paths: Iterable[Path],
    schemes: Iterable[str] = SCHEMES,
    sessions: Iterable[int] = (1,),
) -> pl.DataFrame:
    """Transfers by set-up, path, scheme and number of sessions: means of times, sums of packets.

    Where they are watched,
    `silent_s` is the longest silence and `in_a_row` the most timeouts in one.
    """
    cases = [case for path in paths for n in sessions for case in of_schemes(path, schemes, n)]
    asked = [(setup, case) for setup in setups.values() for case in cases]
    found, names = find(lab, asked), {setup: name for name, setup in setups.items()}
    rows = [
        {"setup": names[setup], "path": case.path.name, "rtt": case.path.rtt, "scheme": case.scheme,
         "sessions": case.sessions, "seconds": measures.mean_seconds(of),
         "again": measures.again(of), "lost": sum(one["lost"] for one in of),
         "silent_s": _most(of, "silent_s"), "in_a_row": _most(of, "in_a_row")}
        for (setup, case), of in found.items()
    ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def _most(of: Sequence[Transfer], what: str) -> float | None:
    known = [float(one[what]) for one in of if what in one]  # type: ignore[literal-required]
    return max(known, default=None)


def measured(name: str, found: Found, patience: Patience = LITERAL.patience) -> Measured:
    """What a statement comes to."""
    return BY_TARGET[name].test(found, patience)


def measured_of(lab: Lab, *names: str) -> dict[str, Measured]:
    """What statements come to under the literal reading."""
    return {name: measured(name, literally(lab, BY_TARGET[name].cases)) for name in names}


def holds(name: str, value: float) -> bool:
    """Whether a number is what the slides print."""
    return PUBLISHED[name].judge(Measured(value)).holds


def of_schemes(path: Path, schemes: Iterable[str] = SCHEMES, sessions: int = 1) -> tuple[Case, ...]:
    """A case for each scheme."""
    return tuple(Case(scheme, path, sessions) for scheme in schemes)


def is_reset(one: Watched, patience: Patience) -> bool:
    """Whether somebody has given the transfer up on the way."""
    return one["in_a_row"] >= patience.timeouts or one["silent_s"] >= patience.silence_s


def seconds(
    found: Found, path: Path, schemes: Iterable[str] = SCHEMES, sessions: int = 1
) -> dict[str, float]:
    """How long the first transfer takes, by scheme."""
    return {s: found[Case(s, path, sessions)][0]["seconds"] for s in schemes}


def again(
    found: Found, path: Path, schemes: Iterable[str] = SCHEMES, sessions: int = 1
) -> dict[str, float]:
    """What is sent again, by scheme."""
    return {s: measures.again(found[Case(s, path, sessions)]) for s in schemes}


def _by_scheme(
    name: str,
    numbers: Callable[..., dict[str, float]],
    path: Path,
    holds: Callable[..., bool],
    schemes: Sequence[str] = SCHEMES,
    sessions: int = 1,
) -> Statement:
    """That the numbers of the schemes on one path, in their order, have an order."""

    def test(found: Found, _: Patience) -> Measured:
        of = numbers(found, path, schemes, sessions)
        return Measured(of, holds=holds(*of.values()))

    return Statement(name, of_schemes(path, schemes, sessions), test)


def _ratio(other: str) -> Test:
    def test(found: Found, _: Patience) -> Measured:
        of = seconds(found, EXPANSION)
        return Measured(of["QS-app"] / of[other])

    return test


def _some_are_reset(found: Found, patience: Patience) -> Measured:
    reset = [path for path in REDUCTIONS if _was_reset(found, path, patience)]
    return Measured(f"{len(reset)} of {len(REDUCTIONS)}", holds=bool(reset))


def _was_reset(found: Found, path: Path, patience: Patience) -> bool:
    (one,) = found[Case("QS-app", path)]
    return is_reset(cast(Watched, one), patience)


def _two_are_alike(found: Found, _: Patience) -> Measured:
    reno, lss = (found[Case(scheme, EXPANSION, TOGETHER)] for scheme in ("Reno", "LSS"))
    return Measured(
        {f"{name}, s": measures.mean_seconds(of) for name, of in (("Reno", reno), ("LSS", lss))}
        | {f"{name}, again": measures.again(of) for name, of in (("Reno", reno), ("LSS", lss))},
        holds=all(
            measures.spread([of(reno), of(lss)]) <= ALIKE
            for of in (measures.mean_seconds, measures.again)
        ),
    )


def _slowest_and_reset(found: Found, patience: Patience) -> Measured:
    of = seconds(found, CAROLINA_REDUCTION)
    reset = _was_reset(found, CAROLINA_REDUCTION, patience)
    return Measured(of, holds=of["QS-app"] == max(of.values()) and reset)


def _quick_start_repeats_and_limited_grows(found: Found, _: Patience) -> Measured:
    numbers = {n: again(found, CAROLINA_EXPANSION, sessions=n) for n in SESSIONS}
    lss = [of["LSS"] for of in numbers.values()]
    grows = lss == sorted(lss) and lss[-1] > lss[0]
    return Measured(
        {f"{scheme}, {n}": times for n, of in numbers.items() for scheme, times in of.items()},
        holds=grows and all(of["QS-app"] == max(of.values()) for of in numbers.values()),
    )


def _bursts_cost(found: Found, _: Patience) -> Measured:
    at_once, paced = (found[Case(scheme, REDUCTION)][0] for scheme in (TWIN, PACED))
    return Measured(
        {
            "unpaced, lost": at_once["lost"],
            "paced, lost": paced["lost"],
            "unpaced, s": at_once["seconds"],
            "paced, s": paced["seconds"],
        },
        holds=at_once["lost"] > paced["lost"] and at_once["seconds"] >= paced["seconds"],
    )


def _faster_is_slower(found: Found, _: Patience) -> Measured:
    of = {path: found[Case("QS-app", path)][0]["seconds"] for path in BEHIND_INTERFACES}
    return Measured(
        {f"{path.interface} Mbit/s": took for path, took in of.items()},
        holds=any(later > earlier for earlier, later in pairwise(of.values())),
    )


def _numbers(path: Path, sessions: Iterable[int]) -> tuple[Case, ...]:
    return tuple(Case(scheme, path, n) for n, scheme in product(sessions, SCHEMES))


STATEMENTS = (
    Statement("cav.chi.half", of_schemes(EXPANSION), _ratio("Reno")),
    Statement("cav.chi.quarter", of_schemes(EXPANSION), _ratio("LSS")),
    _by_scheme("cav.chi.order.exp", seconds, EXPANSION, lambda qs, reno, lss: qs < reno < lss),
    _by_scheme("cav.chi.rtx.exp", again, EXPANSION, lambda qs, reno, lss: reno > max(lss, qs)),
    _by_scheme("cav.chi.time.red", seconds, REDUCTION, lambda qs, reno, lss: qs >= max(reno, lss)),
    _by_scheme("cav.chi.rtx.red", again, REDUCTION, lambda qs, reno, lss: lss < reno < qs),
    Statement("cav.chi.reset", tuple(Case("QS-app", path) for path in REDUCTIONS), _some_are_reset),
    Statement("cav.chi.sim.exp", _numbers(EXPANSION, [TOGETHER]), _two_are_alike),
    _by_scheme("cav.chi.sim.red", again, REDUCTION, lambda qs, reno, lss: lss < min(reno, qs),
               sessions=TOGETHER),
    _by_scheme("cav.nc.cwnd", seconds, CAROLINA_EXPANSION,
               lambda qs, reno, lss: reno < min(qs, lss)),
    _by_scheme("cav.nc.time.exp", seconds, CAROLINA_SLOW,
               lambda *all_of_them: measures.spread(list(all_of_them)) <= ALIKE,
               (*SCHEMES, PACED)),
    Statement("cav.nc.time.red", of_schemes(CAROLINA_REDUCTION), _slowest_and_reset),
    Statement("cav.nc.rtx.exp", _numbers(CAROLINA_EXPANSION, SESSIONS),
              _quick_start_repeats_and_limited_grows),
    _by_scheme("cav.nc.rtx.red", again, CAROLINA_REDUCTION,
               lambda qs, reno, lss, paced: qs > paced > max(reno, lss), (*SCHEMES, PACED)),
    Statement("cav.b2b", of_schemes(REDUCTION, (TWIN, PACED)), _bursts_cost),
    Statement("cav.nic", tuple(Case("QS-app", path) for path in BEHIND_INTERFACES),
              _faster_is_slower),
)  # fmt: skip
BY_TARGET = {each.name: each for each in STATEMENTS}
