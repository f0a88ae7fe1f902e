"""What is worked out of the questions of a sweep: regret, harm, dominance, and differences."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asking import GAUGE, HYSTART
from flowstart.maps import outcomes
from flowstart.maps.measures import Cases, Dominance
from flowstart.maps.outcomes import Flags
from questions import Judged
from resampling import Estimate, Paths
from results import Place, Row

CORE = ("alone", "long", "short")
"""The means of regret and of retransmissions are over these competing flows."""
HARMED = ("long", "bbr", "short", "probe")
"""The harm of each kind is separate."""
WINDOWED = ("long", "bbr")
"""Their harm is a share of a window that is the shorter, the faster the flow under test is; so
it is given in round trips as well, and these less what was gained elsewhere."""
P95 = 0.95
ALL = "all"
LEAST = "the least of others"


class Measures:
    """The rows of one setting of one part."""

    def __init__(self, judged: Judged, part: str, setting: str) -> None:
        self.judged = judged
        self.place = Place(part, setting, judged.startups)
        self.paths = Paths(judged.numbers("line"))
        self.core = judged.beside(CORE)

    def regrets(self) -> Iterator[Row]:
        """Mean, p95 and worst, and the mean by size and by competing flows."""
        for kind, questions in self._kinds():
            mean = self._log_means(questions).exp()
            yield from self.place.rows("regret", kind, mean, int(questions.sum()))
        count = int(self.core.sum())
        p95 = self.paths.quantiles(self.judged.raw_regret, self.core, P95)
        yield from self.place.rows("regret p95", ALL, p95, count)
        worst = self.judged.raw_regret[self.core].max(axis=0)
        nothing = Estimate(worst, worst[None], 0)
        yield from self.place.rows("regret worst", ALL, nothing, count)

    def ratios(self, against: str) -> Iterator[Row]:
        """The mean regrets as multiples of another's: its times are, since the best cancels out."""
        at = self._at(against)
        for kind, questions in self._kinds():
            ratio = self._log_means(questions).exp().over(at)
            yield from self.place.rows("regret ratio", kind, ratio, int(questions.sum()), against)

    def p95_ratios(self, against: str) -> Iterator[Row]:
        """The ratio of the 95th percentiles."""
        p95 = self.paths.quantiles(self.judged.raw_regret, self.core, P95)
        found = p95.over(self._at(against))
        yield from self.place.rows("regret p95 ratio", ALL, found, int(self.core.sum()), against)

    def costs(self) -> Iterator[Row]:
        """Retransmitted shares, harm by competing flows, and its time in round trips."""
        for measure, kind, values, questions in self._costs():
            found = self.paths.means(values, questions)
            yield from self.place.rows(measure, kind, found, int(questions.sum()))

    def differences(self, against: str) -> Iterator[Row]:
        """The same less another's, question by question."""
        at = self._at(against)
        for measure, kind, values, questions in self._costs():
            found = self.paths.means(values - values[:, [at]], questions)
            name = f"{measure} difference"
            yield from self.place.rows(name, kind, found, int(questions.sum()), against)

    def dominated(self) -> Iterator[Row]:
        """The share of cases in which any other dominates each, and how gauge's differs."""
        found = Dominance.of(Cases.of(self.judged))
        shares = self._of_cases(found)
        count = len(found.first)
        yield from self.place.rows("dominated", ALL, shares, count)
        if GAUGE not in self.judged.startups:
            return
        at = self._at(GAUGE)
        others = [place for place in range(len(self.judged.startups)) if place != at]
        least = Estimate(
            shares.value[[at]] - shares.value[others].min(),
            shares.draws[:, [at]] - shares.draws[:, others].min(axis=1, keepdims=True),
            shares.paths,
        )
        own = Place(self.place.part, self.place.setting, [GAUGE])
        yield from own.rows("dominated difference", ALL, least, count, LEAST)

    def pairs(self, first: str, others: Sequence[str]) -> Iterator[Row]:
        """In which share of cases `first` dominates each of the others, and they dominate it."""
        for other in others:
            pair = Dominance.of(Cases.of(self.judged.among([first, other])))
            shares = self._of_cases(pair)
            own = Place(self.place.part, self.place.setting, [other, first])
            for row in own.rows("dominates", ALL, shares, len(pair.first)):
                # The column of a pair is the dominated startup; the other one of the two dominates.
                against = first if row.startup == other else other
                yield Row(**{**vars(row), "against": against})

    def _of_cases(self, found: Dominance) -> Estimate:
        """The shares of cases in which each startup is dominated, with their paths drawn again."""
        values = np.full((len(self.judged.cells), found.dominated.shape[1]), np.nan)
        values[found.first] = found.dominated
        questions = np.zeros(len(values), dtype=np.bool_)
        questions[found.first] = True
        return dataclasses.replace(self.paths.means(values, questions), is_share=True)

    def _kinds(self) -> Iterator[tuple[str, Flags]]:
        """All questions of the core, by size, and each competing."""
        yield ALL, self.core
        for size, questions in outcomes.sizes(self.judged.cells):
            yield size, questions & self.core
        for competing in CORE:
            yield competing, self.judged.beside([competing])

    def _log_means(self, questions: Flags) -> Estimate:
        return self.paths.means(np.log(self.judged.regret), questions)

    def _costs(self) -> Iterator[tuple[str, str, NDArray[np.floating[Any]], Flags]]:
        judged = self.judged
        if self.core.any():
            yield "retransmitted", ALL, judged.retransmitted, self.core
        for competing in HARMED:
            beside = judged.beside([competing])
            if beside.any():
                yield "harm", competing, judged.harm, beside
                if competing in WINDOWED:
                    yield "round trips lost", competing, judged.rounds, beside
                    yield "round trips lost, net", competing, judged.net_rounds, beside

    def _at(self, startup: str) -> int:
        return self.judged.startups.index(startup)


def left_out(judged: Judged, part: str, setting: str) -> Iterator[Row]:
    """How many questions count nowhere: not answered by all, or never done by the reference set."""
    told = {"not answered": len(judged.left_out.missing), "never done": judged.left_out.hopeless}
    for kind, count in told.items():
        yield Row(part, setting, "", "left out", kind, "", count, None, None, len(judged.cells))


def judged_rows(judged: Judged, part: str, setting: str) -> Iterator[Row]:
    """All results of a sweep with the whole reference set."""
    found = Measures(judged, part, setting)
    yield from left_out(judged, part, setting)
    yield from found.regrets()
    yield from found.costs()
    yield from found.dominated()
    for against in (HYSTART, *(name for name in judged.startups if name.startswith("quicly"))):
        yield from found.ratios(against)
        yield from found.p95_ratios(against)
        yield from found.differences(against)
    yield from found.pairs(GAUGE, [name for name in judged.startups if name != GAUGE])


def compared_rows(judged: Judged, part: str, setting: str, against: Sequence[str]) -> Iterator[Row]:
    """The results where a few startups are compared."""
    found = Measures(judged, part, setting)
    yield from left_out(judged, part, setting)
    yield from found.costs()
    for one in against:
        if found.core.any():
            yield from found.ratios(one)
        yield from found.differences(one)
