"""Quick-Start next to slow start: through routers that all know it, with and without load."""

from collections.abc import Sequence

from flowstart.render.text import listed
from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.lab import Lab
from flowstart_papers.mixed_traffic import measures, pictures, sentences, setups, tables
from flowstart_papers.mixed_traffic.camps import Mixture, mix

INTERVALS_MS = (350, 500, 1000)
LOADS = (0, 8, 16)
"""Web sessions next to the transfers."""
SEEDS = range(1, 13)
ASKING = ("quick-start", "greedy quick-start")
UNASKED = "jump-start"
"""What takes as much as Quick-Start may be given, without asking."""


def run(lab: Lab) -> Findings:
    """MIX-QS: the Quick-Start paper's transfers, and Jump Start's connections."""
    loaded = [setups.quick(load) for load in LOADS]
    next_to = mix(lab, loaded, [*ASKING, UNASKED], SEEDS, measures.of_flows)
    crowded = [setups.at_random(interval, quick_start=setups.ROUTERS) for interval in INTERVALS_MS]
    crowd = mix(lab, crowded, ASKING[:1], SEEDS, measures.of_flows)
    return Findings(
        answers=[*(_at(load, next_to) for load in LOADS), _in_crowd(crowd)],
        tables=[
            tables.approvals("quick-approvals", _asking(next_to)),
            *tables.all_three("quick", next_to),
            tables.approvals("quick-crowd-approvals", crowd),
            *tables.all_three("quick-crowd", crowd),
        ],
        pictures=[
            *pictures.of_camps("quick", next_to),
            *pictures.of_camps("quick-crowd", crowd),
        ],
    )


def _asking(mixtures: Sequence[Mixture]) -> list[Mixture]:
    return [each for each in mixtures if each.startup != UNASKED]


def _at(load: int, mixtures: Sequence[Mixture]) -> str:
    half = [each for each in tables.half(mixtures) if each.setting.name["load (sessions)"] == load]
    approved = listed(
        [
            f"{each.switched.approved:.0f} % ({each.startup})"
            for each in _asking(half)
            if each.switched
        ]
    )
    return (
        f"Next to {load} sessions of load, half of the transfers with another startup: the routers "
        f"approve {approved} of the requests; the median of those that switched is "
        f"{sentences.sorted_out(half, sentences.median_of_switched)}; that of slow start's camp is "
        f"{sentences.sorted_out(half, sentences.median_of_slow_start, 'next to')}."
    )


def _in_crowd(mixtures: Sequence[Mixture]) -> str:
    by_interval = ", ".join(
        f"{each.switched.approved:.0f} % and {sentences.words(each.switched.median)} at "
        f"{each.setting.name['interval (s)']:g} s"
        for each in tables.half(mixtures)
        if each.switched
    )
    harmed = sentences.longer_somewhere(mixtures, sentences.median_of_slow_start)
    return (
        "Among Jump Start's connections at random moments, half of them asking, approvals and "
        f"change of the askers' median are {by_interval}; with 95 % confidence the median of slow "
        f"start's camp gets longer at {'some' if harmed else 'no'} interval and share."
    )


EXPERIMENTS = (
    Experiment(
        id="MIX-QS",
        figure="study",
        question="Some ask the routers, the others begin slowly: what are the askers given on an "
        "idle "
        "and on a loaded path, and at whose expense?",
        run=run,
    ),
)
