"""A search for points with a high score: at random first, then near the best.

After CC-Fuzz (Ray and Seshan, "CC-Fuzz: Genetic Algorithm-Based Fuzzing for Stress Testing
Congestion Control Algorithms", HotNets 2022), within ranges that a path can have.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flowstart.errors import RequestError, SimulationError
from flowstart.model.catalog import canonical, list_algorithms, suggest
from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document, resolve
from flowstart.model.quantities import LARGEST
from flowstart.model.variants import settled
from flowstart.questions.option import asking
from flowstart.questions.worst import Worst
from flowstart.simulation import bounds
from flowstart.sweeps.language.parameters import endpoints
from flowstart.worst_paths.evaluate import MEASURES, NOTHING, Evaluator
from flowstart.worst_paths.result import Failing, WorstPaths
from flowstart.worst_paths.space import PathCase, SearchPoint, Space

RANDOM_SHARE = 0.5
"""Of all tries so many are drawn anywhere; the others lie near the best found so far."""
AT_ONCE = 16
"""Points whose scores are asked for together."""
FIRST_STEP, LAST_STEP = 0.2, 0.02
"""How far a mutation goes, in shares of a dimension's logarithmic range, at first and at last."""
KEPT = 64
"""So many points are kept while the search goes on, each the best of those with its ingredients."""

FAVOUR = 4.0
"""The first quarter of the points kept has two thirds of the mutations."""

Score = Callable[[Sequence[SearchPoint]], Sequence[float]]
"""The scores of points; the search looks for the greatest."""


@dataclass(frozen=True)
class Scored:
    """A point and its score."""

    point: SearchPoint
    score: float


def search(
    space: Space,
    score: Score,
    *,
    tries: int,
    drawn: random.Random,
    progress: Callable[[int, int], object] = lambda _done, _total: None,
) -> list[Scored]:
    """The best point of each set of ingredients, of so many tries, the greatest score first."""
    kept: list[Scored] = []
    at_random = max(1, round(tries * RANDOM_SHARE))
    done = 0
    while done < tries:
        count = min(AT_ONCE, tries - done)
        if done < at_random or not kept:
            points = [space.draw(drawn) for _ in range(count)]
        else:
            progressed = (done - at_random) / max(1, tries - at_random)
            step = FIRST_STEP * (LAST_STEP / FIRST_STEP) ** progressed
            points = [_near(space, kept, step, drawn) for _ in range(count)]
        scored = map(Scored, points, score(points))
        kept = best([*kept, *scored])
        done += count
        progress(done, tries)
    return kept


def best(points: Sequence[Scored]) -> list[Scored]:
    """The best of each set of ingredients, the greatest score first."""
    kept: dict[frozenset[str], Scored] = {}
    for scored in sorted(points, key=lambda scored: -scored.score):
        kept.setdefault(frozenset(scored.point.coordinates), scored)
    return list(kept.values())[:KEPT]


def _near(space: Space, kept: Sequence[Scored], step: float, drawn: random.Random) -> SearchPoint:
    """A mutation of one of the best: the better one is, the more often it is taken."""
    rank = min(int(drawn.expovariate(FAVOUR / len(kept))), len(kept) - 1)
    return space.mutated(kept[rank].point, step, drawn)


KEPT_SCORE = 0.8
"""A change is taken where so much of the score beyond nothing remains."""
DIGITS = (1, 2, 3)
"""Significant digits of numbers, the fewest first."""


@dataclass(frozen=True)
class Finding:
    """A case and its score."""

    case: PathCase
    score: float


Scores = Callable[[Sequence[PathCase]], Sequence[float]]
"""The scores of cases."""


def shrunk(finding: Finding, scores: Scores, nothing: float) -> Finding:
    """A finding without the ingredients that do not matter; `nothing` is the score of no fault.

    What is dropped is measured each time, one after the other, so what remains matters.
    """
    least = nothing + KEPT_SCORE * (finding.score - nothing)
    return _rounded(_bare(finding, scores, least), scores, least)


def _bare(finding: Finding, scores: Scores, least: float) -> Finding:
    """The finding after as many ingredients are dropped as keep the score."""
    while cases := list(finding.case.simpler()):
        best = max(map(Finding, cases, scores(cases)), key=lambda other: other.score)
        if best.score < least:
            break
        finding = best
    return finding


def _rounded(finding: Finding, scores: Scores, least: float) -> Finding:
    """The finding with numbers of as few digits as keep the score."""
    for name in list(finding.case.numbers()):
        cases = [finding.case.rounded(name, digits) for digits in DIGITS]
        good = (other for other in map(Finding, cases, scores(cases)) if other.score >= least)
        finding = next(good, finding)
    return finding


LEAST = {"regret": 1.05, "loss": 0.005, "harm": 0.02}
"""A finding below this score is none."""
HARMED = ("long", "short")
"""The competing flows where harm is looked for and nothing else is said."""
MOST_TRIES = 1_000_000


@asking(Worst)
def find_worst_paths(question: Worst) -> WorstPaths:
    """Searches for the paths on which a startup algorithm is worst relative to others.

    Half of the paths are drawn from the search space, half near the worst so far. Findings are
    simplified: fields that do not matter are dropped, and numbers are rounded. The result does not
    depend on the number of workers.

    Returns:
        The findings, worst first.

    Raises:
        RequestError: An argument is wrong or exceeds a limit.
        TimeLimitExceeded: The time limit ended the search.

    Example:
        >>> import flowstart as fs
        >>> found = fs.find_worst_paths("hystart", against=["slow-start"], runs=2, workers=1)
        >>> found.startup
        'hystart'
    """
    custom = CustomStartups()
    startup, measure, cc = question.startup, question.measure, question.cc
    own = canonical(startup) if isinstance(startup, str) else ""
    others = [a.name for a in list_algorithms("startup") if not a.needs_help and a.name != own]
    against = others if question.against is None else question.against
    variants = settled((), [startup, *against], custom)
    _check(question, len(variants))
    ends = endpoints(question.stack)
    _check_cc(cc, ends.document)
    space = Space.parse(question.search_space, ends, HARMED if measure == "harm" else ())
    if measure == "harm" and "alone" in space.competing:
        raise RequestError(
            "search_space.competing: `alone` has no competing flows; name `long`, `short`"
        )
    seed, seeds, workers = question.seed, question.seeds, question.workers
    evaluator = Evaluator(variants, measure, ends.document, cc, seed, seeds, workers, custom)
    with bounds.bounded(question.max_time, question.max_memory):
        worst = search(
            space,
            lambda points: evaluator.scores([space.case(point) for point in points]),
            tries=question.runs,
            drawn=random.Random(f"worst/{seed}"),
            progress=question.progress or (lambda _done, _total: None),
        )
        if evaluator.failed == evaluator.cases:
            raise SimulationError(f"none of the paths could be run: {evaluator.error}")
        failings = _distinct(space, worst, evaluator, question.distinct)
    return WorstPaths(variants, measure, question.runs, evaluator, failings)


def _distinct(
    space: Space, points: Sequence[Scored], evaluator: Evaluator, count: int
) -> tuple[Failing, ...]:
    """The worst findings as plain as they can be, each by other ingredients, worst first.

    What has the ingredients of one before it would be the same again.
    """
    kept: dict[frozenset[str], Finding] = {}
    for scored in points:
        if len(kept) == count or scored.score < LEAST[evaluator.measure]:
            break
        case = space.case(scored.point)
        if any(causes and causes <= set(case.ingredients) for causes in kept):
            continue
        plain = shrunk(Finding(case, scored.score), evaluator.scores, NOTHING[evaluator.measure])
        causes = frozenset(plain.case.ingredients)
        if causes not in kept or kept[causes].score < plain.score:
            kept[causes] = plain
    own = [finding for causes, finding in kept.items() if not any(c and c < causes for c in kept)]
    findings = sorted(own, key=lambda finding: -finding.score)
    evaluations = evaluator.evaluate([finding.case for finding in findings])
    return tuple(Failing(f.case, e) for f, e in zip(findings, evaluations, strict=True))


def _check(question: Worst, variants: int) -> None:
    measure, seed, seeds = question.measure, question.seed, question.seeds
    if measure not in MEASURES:
        raise RequestError(
            f"`{measure}` is unknown{suggest(measure, list(MEASURES))}", ("measure",)
        )
    for name, value in (("runs", question.runs), ("distinct", question.distinct), ("seeds", seeds)):
        if not 1 <= value <= MOST_TRIES:
            raise RequestError(f"1 to {MOST_TRIES:,} are possible", (name,), value)
    if not 0 <= seed <= LARGEST - seeds:
        raise RequestError(f"0 to {LARGEST - seeds} are possible", ("seed",), seed)
    if variants < 2:
        raise RequestError("another startup is needed to compare with", ("against",))


def _check_cc(cc: str | None, stack: Document) -> None:
    """Has the simulator say what is wrong with it, where one is given."""
    if cc is not None:
        flow = {"size": "1kB", "cc": cc}
        resolve({"path": {"rate": "1Mbps", "rtt": "100ms"}, "stack": stack, "flows": [flow]})
