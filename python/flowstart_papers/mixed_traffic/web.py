"""Jump Start's web sessions, to some of which the servers answer in another startup."""

from collections.abc import Sequence

from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.lab import Lab
from flowstart_papers.mixed_traffic import measures, pictures, sentences, setups, tables
from flowstart_papers.mixed_traffic.camps import SLOW_START, Mixture, mix
from flowstart_papers.mixed_traffic.catalog import WITHOUT_MEMORY

SEEDS = range(1, 33)
BUSY_SESSIONS = 100
DRAWN = (
    SLOW_START,
    "hystart",
    "adaptive-start",
    "modified-swift-start",
    "swift-start",
    "jump-start",
    "qs-app",
)


def run(lab: Lab) -> Findings:
    """MIX-WEB: every share of the paper's sessions, and half of twice as many."""
    read = measures.of_objects
    mixtures = mix(lab, [setups.web()], WITHOUT_MEMORY, SEEDS, read)
    busy = mix(lab, [setups.web(BUSY_SESSIONS)], WITHOUT_MEMORY, SEEDS, read, shares=(50,))
    drawn = [each for each in mixtures if each.startup in DRAWN]
    return Findings(
        answers=_says(tables.half(mixtures), tables.half(busy)),
        tables=[
            tables.glance("web", [*mixtures, *busy]),
            *tables.all_three("web", [*mixtures, *busy]),
        ],
        pictures=pictures.of_camps("web", drawn),
    )


def _says(half: Sequence[Mixture], busy: Sequence[Mixture]) -> list[str]:
    switched = sentences.sorted_out(half, sentences.median_of_switched)
    stayed = sentences.sorted_out(half, sentences.median_of_slow_start, "next to")
    late = sentences.sorted_out(half, sentences.late_of_slow_start, "next to")
    late_busy = sentences.sorted_out(busy, sentences.late_of_slow_start, "next to")
    theirs = (
        f"Responses of more than {measures.SHORT} packets, half of the sessions in another "
        f"startup: their median is {switched}."
    )
    others = (
        f"In the other half's slow start the median is {stayed}; the 90th percentile is {late}, "
        f"and with {BUSY_SESSIONS} sessions {late_busy}."
    )
    return [theirs, others]


EXPERIMENTS = (
    Experiment(
        id="MIX-WEB",
        figure="study",
        question="What does each startup bring and cost in web sessions of mostly short transfers?",
        run=run,
    ),
)
