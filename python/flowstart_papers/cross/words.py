"""What the cross-table shows, in sentences made from its rows."""

import itertools
from collections.abc import Sequence

from flowstart.text import listed
from flowstart_papers.cross import ranks, verdicts
from flowstart_papers.cross.scenarios import MIXED, PAPERS, Scenario
from flowstart_papers.cross.spelling import spelled
from flowstart_papers.cross.startups import SLOW_START, StartUp
from flowstart_papers.cross.table import CrossTable
from flowstart_papers.cross.verdicts import BADLY, NEAR, Away, Fault, Turn, Winner

MOST_NAMED = 5
"""Of a longer list, the first so many are named."""


def all_of_them(table: CrossTable) -> list[str]:
    """Every sentence, a paragraph each."""
    return [
        _never_badly_wrong(table),
        _least_regret(table),
        *_winners(table),
        *(_away(each) for each in verdicts.away(table)),
        *([_bystanders(table)] if any(each.bystanders for each in table.scenarios) else []),
        *_competing(table),
        *_grounds(table),
        *_level(table),
    ]


def _never_badly_wrong(table: CrossTable) -> str:
    sound = verdicts.never_badly_wrong(table)
    rest = len(verdicts.others(table)) - len(sound)
    meaning = (
        f"nowhere beyond doubt more than {100 * (BADLY - 1):.0f} % over slow start, neither "
        "themselves nor their bystanders"
    )
    if not sound:
        return f"Never badly wrong in {len(table.scenarios)} scenarios ({meaning}): none."
    named = listed([f"{each.label} (mean {spelled(verdicts.mean(table, each))})" for each in sound])
    doubtful = [_doubt(table, each) for each in sound if verdicts.doubts(table, each)]
    return (
        f"Never badly wrong in {len(table.scenarios)} scenarios ({meaning}): {named}; each of the "
        f"other {rest} is somewhere." + (f" In doubt: {listed(doubtful)}." if doubtful else "")
    )


def _doubt(table: CrossTable, startup: StartUp) -> str:
    worst = max(verdicts.doubts(table, startup), key=lambda fault: fault.ratio.value)
    return f"{startup.label} at {_fault(worst)}"


def _least_regret(table: CrossTable) -> str:
    def said(*, unaided: bool) -> str:
        startup, regret, scenario = verdicts.least_regret(table, unaided=unaided)
        return f"{startup.label}, {regret:.1f} at {scenario.key}"

    slow = next(each for each in table.startups if each.name == SLOW_START)
    return (
        "Smallest worst regret, the time over the best one's in the same scenario: "
        f"{said(unaided=False)}; of those that are given nothing {said(unaided=True)}; slow "
        f"start's is {verdicts.worst_regret(table, slow):.1f}."
    )


def _winners(table: CrossTable) -> list[str]:
    found: dict[str, list[str]] = {}
    for winner in verdicts.winners(table):
        paper = PAPERS[winner.scenarios[0].paper]
        found.setdefault(paper, []).append(_winner(table, winner))
    return [f"Best on the ground of {paper}: {'; '.join(said)}." for paper, said in found.items()]


def _winner(table: CrossTable, winner: Winner) -> str:
    said = [_with_change(table, winner.scenarios, winner.best)] if winner.best else []
    if not set(winner.unaided) <= set(winner.best):
        said.append(f"without help {_with_change(table, winner.scenarios, winner.unaided)}")
    return f"{winner.scenarios[0].ground}: {', '.join(said)}"


def _with_change(
    table: CrossTable, scenarios: Sequence[Scenario], startups: Sequence[StartUp]
) -> str:
    ratio = table.ratio(scenarios, startups[0])
    assert ratio is not None, startups[0].name
    return f"{listed([each.label for each in startups])} {spelled(ratio)}"


def _away(away: Away) -> str:
    own = [("alone", away.alone), ("with competing flows", away.competing)]
    home = " and ".join(f"{spelled(ratio)} {how}" for how, ratio in own if ratio)
    later = [f"{scenario.key}: {spelled(ratio)}" for scenario, ratio in away.later[:MOST_NAMED]]
    more = [f"{len(away.later) - MOST_NAMED} more"] if len(away.later) > MOST_NAMED else []
    where = f" ({listed(later + more)})" if later else ""
    return (
        f"{away.startup.label}, in its own paper's scenarios {home}; of {away.of} others it is "
        f"faster than slow start in {away.sooner} and slower in {len(away.later)}, beyond doubt"
        f"{where}."
    )


def _bystanders(table: CrossTable) -> str:
    harmful, helpful = verdicts.harmful(table), verdicts.helpful(table)
    unharmed = len(verdicts.others(table)) - len(harmful)
    harmed = f"Bystanders are slower in some scenario next to {len(harmful)} startups"
    harmed += f", most next to {_first(harmful)}." if harmful else "."
    helped = f" Next to {unharmed} they are nowhere slower beyond doubt"
    return harmed + helped + (f", and faster next to {_first(helpful)}." if helpful else ".")


def _competing(table: CrossTable) -> list[str]:
    """What changes where transfers meet."""
    alone, alike, others = (
        verdicts.of_competing(table, competing) for competing in ("alone", "alike", "others")
    )
    if not (alone and alike):
        return []
    turned = (
        "Means, beyond doubt. Faster alone and slower among their like: "
        f"{_turns(verdicts.turning(table))}. Slower alone and faster among their like: "
        f"{_turns(verdicts.patient(table))}."
    )
    order = (
        "Rank correlation of the startups between transfers alone and transfers among their like: "
        f"{ranks.agreement(table, alone, alike)}"
    )
    if others:
        order += (
            "; between transfers alone and transfers next to web or other traffic: "
            f"{ranks.agreement(table, alone, others)}"
        )
    return [turned, f"{order}. 1: the same order; 0: no relation."]


def _grounds(table: CrossTable) -> list[str]:
    """Which papers' grounds agree most and least on the startups."""
    papers = {each.paper for each in table.scenarios} - {MIXED}
    pairs = itertools.combinations([paper for paper in PAPERS if paper in papers], 2)
    found = {pair: ranks.between(table, *pair) for pair in pairs}
    if len(found) < 2:
        return []
    least, most = (of(found, key=lambda pair: found[pair].value) for of in (min, max))

    def said(pair: tuple[str, str]) -> str:
        return f"{found[pair]} between {PAPERS[pair[0]]} and {PAPERS[pair[1]]}"

    return [f"Rank correlation between two papers' grounds: from {said(least)} to {said(most)}."]


def _level(table: CrossTable) -> list[str]:
    """Scenarios that hardly distinguish anybody."""
    found = verdicts.level(table)
    if not found:
        return []
    named = listed([each.key for each in found])
    return [f"Nine in ten startups are within {100 * NEAR:.0f} % of slow start at {named}."]


def _turns(turns: Sequence[Turn]) -> str:
    named = [f"{each.startup.label} ({spelled(each.alone)}; {spelled(each.alike)})"
             for each in turns]  # fmt: skip
    return listed(named) if named else "none"


def _first(faults: Sequence[Fault]) -> str:
    named = [f"{each.startup.label} ({_fault(each)})" for each in faults[:MOST_NAMED]]
    left = len(faults) - len(named)
    return listed(named + ([f"{left} more"] if left else []))


def _fault(fault: Fault) -> str:
    whose = "" if fault.whose == verdicts.ITSELF else f", {fault.whose}"
    return f"{fault.scenario.key}{whose}: {spelled(fault.ratio)}"
