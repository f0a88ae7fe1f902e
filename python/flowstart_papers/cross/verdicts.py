"""What the rows come to: who is never badly wrong, who wins, who loses away from home.

Everything here is worked out from the entries, so that no word can contradict its row.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from flowstart_papers.cross.scenarios import Scenario, grounds
from flowstart_papers.cross.spelling import in_doubt
from flowstart_papers.cross.startups import SLOW_START, StartUp
from flowstart_papers.cross.table import CrossTable, Ratio

ITSELF, BYSTANDERS, TAIL = "its own", "bystanders'", "the bystanders' 90th percentile"
"""Whose time."""
BADLY = 1.10
"""More than this over slow start is badly wrong, of one's own time and of bystanders'."""
NEAR, MOST = 0.05, 0.9
"""A scenario in which so many of the startups are so near to slow start separates nobody."""
CROWDED = 5
"""Where more are alike at the top than these, nothing separates startups."""


@dataclass(frozen=True)
class Fault:
    """A time that a startup changes, mostly for the worse."""

    startup: StartUp
    scenario: Scenario
    ratio: Ratio
    whose: str


@dataclass(frozen=True)
class Away:
    """A paper's scheme outside of its paper."""

    startup: StartUp
    alone: Ratio | None
    competing: Ratio | None
    """Over the scenarios of its own paper, where it is alone and where it is not."""
    sooner: int
    """In so many of the other papers' scenarios, beyond doubt."""
    later: Sequence[tuple[Scenario, Ratio]]
    """Those where it is later, beyond doubt, the worst first."""
    of: int


def faults(table: CrossTable, startup: StartUp) -> list[Fault]:
    """Where the startup is badly wrong, the worst first."""
    found = [fault for fault in _ratios(table, startup) if fault.ratio.low > BADLY]
    return sorted(found, key=lambda fault: -fault.ratio.value)


def doubts(table: CrossTable, startup: StartUp) -> list[Fault]:
    """Where it seems badly wrong and may not be."""
    return [f for f in _ratios(table, startup) if f.ratio.low <= BADLY < f.ratio.value]


def _ratios(table: CrossTable, startup: StartUp) -> Iterator[Fault]:
    for scenario in table.scenarios:
        entry = table.entry(scenario, startup)
        if entry is None:
            continue
        yield Fault(startup, scenario, entry.ratio, ITSELF)
        if entry.harm and entry.harm_late:
            yield Fault(startup, scenario, entry.harm, BYSTANDERS)
            yield Fault(startup, scenario, entry.harm_late, TAIL)


def never_badly_wrong(table: CrossTable) -> list[StartUp]:
    """All but slow start, whom the others are compared with; the largest mean gain first."""
    sound = [each for each in others(table) if not faults(table, each)]
    return sorted(sound, key=lambda each: mean(table, each).value)


def others(table: CrossTable) -> list[StartUp]:
    """All but slow start."""
    return [startup for startup in table.startups if startup.name != SLOW_START]


def mean(table: CrossTable, startup: StartUp) -> Ratio:
    """Over all scenarios that it is in, each of the same weight."""
    found = table.ratio(table.scenarios, startup)
    assert found is not None, startup.name
    return found


def least_regret(table: CrossTable, *, unaided: bool = False) -> tuple[StartUp, float, Scenario]:
    """Whose worst time over the best one's is the smallest, how large it is, and where."""
    found = [
        (startup, *max(_regrets(table, startup), key=lambda pair: pair[0]))
        for startup in table.startups
        if not (unaided and startup.helped)
    ]
    return min(found, key=lambda each: each[1])


def worst_regret(table: CrossTable, startup: StartUp) -> float:
    """The largest of its times over the best one's."""
    return max(regret for regret, _ in _regrets(table, startup))


def level(table: CrossTable) -> list[Scenario]:
    """The scenarios in which nine in ten startups are near slow start."""
    found = []
    for scenario in table.scenarios:
        entries = [e for each in others(table) if (e := table.entry(scenario, each))]
        near = sum(abs(entry.ratio.value - 1) <= NEAR for entry in entries)
        if near >= MOST * len(entries):
            found.append(scenario)
    return found


def _regrets(table: CrossTable, startup: StartUp) -> list[tuple[float, Scenario]]:
    regrets = ((table.regret(each, startup), each) for each in table.scenarios)
    return [(regret, each) for regret, each in regrets if regret is not None]


@dataclass(frozen=True)
class Winner:
    """Who is best in some scenarios beyond doubt; nobody where too many are alike."""

    scenarios: Sequence[Scenario]
    best: Sequence[StartUp]
    unaided: Sequence[StartUp]
    """The best of those that are given nothing."""


def winner(table: CrossTable, scenarios: Sequence[Scenario]) -> Winner:
    """Who wins these scenarios."""
    best = table.best(scenarios)
    if len(best) > CROWDED:
        return Winner(scenarios, [], [])
    unaided = table.best(scenarios, unaided=True)

    def certain(startups: Sequence[StartUp]) -> list[StartUp]:
        ratios = ((each, table.ratio(scenarios, each)) for each in startups)
        return [each for each, ratio in ratios if ratio and not in_doubt(ratio)]

    return Winner(scenarios, certain(best), certain(unaided))


def winners(table: CrossTable) -> list[Winner]:
    """On every ground that somebody wins."""
    found = [winner(table, ground) for ground in grounds(table.scenarios).values()]
    return [each for each in found if each.best or each.unaided]


def away(table: CrossTable) -> list[Away]:
    """Every scheme of the papers that are in the table, at home and on the others' ground."""
    papers = {each.paper for each in table.scenarios}
    return [_away(table, startup) for startup in table.startups if startup.home in papers]


def _away(table: CrossTable, startup: StartUp) -> Away:
    own = [each for each in table.scenarios if each.paper == startup.home]
    abroad = [
        (each, entry.ratio)
        for each in table.scenarios
        if each.paper != startup.home and (entry := table.entry(each, startup))
    ]
    later = [(each, ratio) for each, ratio in abroad if ratio.longer]
    return Away(
        startup,
        alone=table.ratio([each for each in own if each.competing == "alone"], startup),
        competing=table.ratio([each for each in own if each.competing != "alone"], startup),
        sooner=sum(ratio.shorter for _, ratio in abroad),
        later=sorted(later, key=lambda pair: -pair[1].value),
        of=len(abroad),
    )


def harmful(table: CrossTable) -> list[Fault]:
    """Of each startup that makes bystanders later beyond doubt, the worst; the worst first."""
    return _to_bystanders(table, lambda ratio: ratio.longer, max)


def helpful(table: CrossTable) -> list[Fault]:
    """Of each startup that makes them sooner, and nowhere later, where it does most."""
    hurt = {fault.startup for fault in harmful(table)}
    found = _to_bystanders(table, lambda ratio: ratio.shorter, min)
    return [fault for fault in found if fault.startup not in hurt]


@dataclass(frozen=True)
class Turn:
    """A startup whose change has another sign where transfers of a kind meet."""

    startup: StartUp
    alone: Ratio
    alike: Ratio


def turning(table: CrossTable) -> list[Turn]:
    """Who is sooner alone and later among the like, on the mean and beyond doubt."""
    return [turn for turn in _turns(table) if turn.alone.shorter and turn.alike.longer]


def patient(table: CrossTable) -> list[Turn]:
    """Who is later alone and sooner among the like, on the mean and beyond doubt."""
    return [turn for turn in _turns(table) if turn.alone.longer and turn.alike.shorter]


def _turns(table: CrossTable) -> Iterator[Turn]:
    alone, alike = (of_competing(table, competing) for competing in ("alone", "alike"))
    for startup in others(table):
        one, many = table.ratio(alone, startup), table.ratio(alike, startup)
        if one and many:
            yield Turn(startup, one, many)


def of_competing(table: CrossTable, competing: str) -> list[Scenario]:
    """The scenarios in which those under test have this competing."""
    return [each for each in table.scenarios if each.competing == competing]


def _to_bystanders(
    table: CrossTable, holds: Callable[[Ratio], bool], most: Callable[..., Fault]
) -> list[Fault]:
    """Of each startup the largest or smallest of its changes to bystanders for which it holds."""
    found = []
    for startup in others(table):
        mine = [f for f in _ratios(table, startup) if f.whose != ITSELF and holds(f.ratio)]
        found += [most(mine, key=lambda fault: fault.ratio.value)] if mine else []
    return sorted(found, key=lambda fault: fault.ratio.value, reverse=most is max)
