"""How often the verdict of `compare` on a random path is that of many other seeds.

    python benches/compare_verdicts.py                  # 30 paths, some minutes
    python benches/compare_verdicts.py --paths 5

The paths are those known by name on which something is drawn, each with two sizes, and paths of the
sweep `realistic`. On each, `compare` runs with its default repeats for five values of `--seed` that
share no seed. The truth is the verdict of the same rule over 400 other seeds.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import flowstart as fs
from flowstart.inference import Status
from flowstart.inference.data import EQUAL
from flowstart.inference.repeats import Decision
from flowstart.model.document import resolve
from flowstart.model.path import named_fields
from flowstart.model.perturbation import drawn
from flowstart.sweeps.language.named import named_file
from flowstart.sweeps.language.sweep import Sweep

NAMED = ("wifi", "lossy-wifi", "lte", "5g", "leo")
STARTUPS = "slow-start,hystart,suss,gauge,search"
SIZES = ("1MB", "100kB")
SEEDS = (1, 1001, 2001, 3001, 4001)
TRUTH_SEED, TRUTH_REPEATS = 10_001, 400


@dataclass(frozen=True)
class Path:
    """A random path, with what is sent on it."""

    name: str
    path: fs.NetworkPath
    size: str

    def decision(
        self, startups: Sequence[str], baseline: str, seed: int, repeat: int | None
    ) -> Decision:
        """The verdict of `compare`."""
        found = fs.compare(
            self.path,
            startups=startups,
            baseline=baseline,
            sizes=[self.size],
            seed=seed,
            repeat=repeat,
            workers=1,
        ).intervals
        assert found
        (decision,) = found.decisions.values()
        return decision


def paths() -> Iterator[Path]:
    """The paths known by name, then those of the sweep."""
    for name in NAMED:
        for size in SIZES:
            yield Path(name, fs.NetworkPath(**named_fields(name)), size)
    seen: set[str] = set()
    for cell in Sweep.read(named_file("realistic")).cells():
        text = json.dumps(cell.path)
        document = {"path": cell.path, "stack": cell.stack, "flows": [{"size": SIZES[0]}]}
        if cell.competing == "alone" and text not in seen and drawn(resolve(document)):
            size = SIZES[len(seen) % len(SIZES)]
            seen.add(text)
            yield Path(f"realistic {cell.number}", fs.NetworkPath(**cell.path), size)


@dataclass(frozen=True)
class Outcome:
    """What the verdicts on one path came to."""

    path: Path
    truth: str
    choices: tuple[str, ...]
    """The startup to choose, of each seed."""
    equal: bool
    """Whether the first is the truth's, or inconclusive with an interval that has the truth's."""
    wrong: tuple[str, ...]
    """Choices that are significantly slower than another, by more than the margin."""
    held: int
    """Intervals that have the truth's estimate."""
    intervals: int
    repeats: tuple[int, ...]


def outcome(path: Path, startups: Sequence[str], baseline: str) -> Outcome:
    """The verdicts on one path, next to the truth."""
    truth = path.decision(startups, baseline, TRUTH_SEED, TRUTH_REPEATS)
    found = [path.decision(startups, baseline, seed, None) for seed in SEEDS]
    choices = tuple(decision.choice() for decision in found)
    holds = [
        row.low - 1e-9 <= estimate <= row.high + 1e-9
        for decision in found
        for name, row in decision.rows.items()
        if row.low is not None
        and row.high is not None
        and (estimate := truth.rows[name].estimate) is not None
    ]
    return Outcome(
        path,
        truth.choice(),
        choices,
        choices[0] == truth.choice() or _is_open(found[0], truth),
        tuple(name for name in choices if _is_slower(name, truth)),
        sum(holds),
        len(holds),
        tuple(decision.repeats.count for decision in found),
    )


def _is_open(decision: Decision, truth: Decision) -> bool:
    """Whether the truth's choice is inconclusive, with an interval that has the truth."""
    judged = decision.verdict.of(truth.choice())
    row = truth.rows.get(truth.choice())
    if judged is None or row is None or row.estimate is None:
        return False
    low, high = judged.gain.low, judged.gain.high
    is_within = low is not None and high is not None and low <= row.estimate <= high
    return judged.status == Status.INCONCLUSIVE and is_within


def _is_slower(name: str, truth: Decision) -> bool:
    """Whether a startup that passes the gates is faster by significantly more than the margin."""
    passing = [one.setting for one in truth.judgements if one.status != Status.REJECTED]
    places = [truth.names.index(other) for other in (truth.verdict.baseline, *passing)]
    mine = truth.names.index(name)
    pairs = [(mine, place) for place in places if place != mine]
    rows = truth.repeats.changes(pairs, truth.names, 0.95)
    return any(row.low is not None and row.low > EQUAL for row in rows)


def main() -> None:
    """Prints a line for each path, and the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--paths", type=int, default=30)
    parser.add_argument("--startups", default=STARTUPS)
    parser.add_argument("--baseline", default="hystart")
    given = parser.parse_args()
    found: list[Outcome] = []
    for path, _ in zip(paths(), range(given.paths), strict=False):
        one = outcome(path, given.startups.split(","), given.baseline)
        found.append(one)
        print(f"{path.name}, {path.size}: {one.truth}; {', '.join(one.choices)}", end="; ")
        print(f"{one.held} of {one.intervals} intervals; {one.repeats} seeds", flush=True)
    held, intervals = sum(one.held for one in found), sum(one.intervals for one in found)
    print(f"wrong winners: {sum(len(one.wrong) for one in found)} of {len(found) * len(SEEDS)}")
    print(f"equal to the truth: {sum(one.equal for one in found)} of {len(found)}")
    print(f"same for all seeds: {sum(len({*one.choices}) == 1 for one in found)} of {len(found)}")
    print(f"coverage: {held / intervals:.1%} of {intervals}")


if __name__ == "__main__":
    main()
