"""Jump Start's 200 connections, some of which start otherwise."""

from collections.abc import Sequence

from flowstart.render.text import listed
from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.lab import Lab
from flowstart_papers.mixed_traffic import measures, pictures, sentences, setups, tables
from flowstart_papers.mixed_traffic.camps import SHARES, SLOW_START, Mixture, mix
from flowstart_papers.mixed_traffic.catalog import WITHOUT_ROUTERS

INTERVALS_MS = (250, 350, 500, 1000)
"""The connections' data alone fill 96, 69, 48 and 24 % of each direction."""
RANDOM_MS = (350, 500, 1000)
SEEDS = range(1, 11)
BUSY = 0.35
"""The interval in seconds that is spoken of: connections meet, but the path can carry them."""
IDLE = 1.0
"""The interval at which connections of one direction never meet if they come regularly."""
DRAWN = (
    SLOW_START,
    "hystart",
    "adaptive-start",
    "fast-start",
    "modified-swift-start",
    "swift-start",
    "jump-start",
    "qs-app",
)
"""As many curves as a panel can hold; the tables have all."""
QUICK = ("hystart", "fast-start", "jump-start")
QUICK_SEEDS = range(1, 9)


def run(lab: Lab) -> Findings:
    """MIX-CONTENTION: every startup at every share, at the paper's regular intervals."""
    settings = [setups.contention(interval) for interval in INTERVALS_MS]
    mixtures = mix(lab, settings, WITHOUT_ROUTERS, SEEDS, measures.of_flows)
    return _findings("contention", mixtures, [_busy(mixtures), _idle(mixtures)])


def run_arrivals(lab: Lab) -> Findings:
    """MIX-ARRIVALS: the same connections at random moments."""
    settings = [setups.at_random(interval) for interval in RANDOM_MS]
    mixtures = mix(lab, settings, WITHOUT_ROUTERS, SEEDS, measures.of_flows)
    return _findings(
        "arrivals", mixtures, [_busy(mixtures), _harmless(mixtures), _first_and_all(mixtures)]
    )


def run_half(lab: Lab) -> Findings:
    """MIX-HALF: three startups in half of the connections at one interval."""
    settings = [setups.at_random(350)]
    mixtures = mix(lab, settings, QUICK, QUICK_SEEDS, measures.of_flows, shares=(50,))
    return Findings(answers=[_busy(mixtures)], tables=tables.all_three("half", mixtures))


def _findings(name: str, mixtures: Sequence[Mixture], says: Sequence[str]) -> Findings:
    drawn = [each for each in mixtures if each.startup in DRAWN]
    return Findings(
        answers=says,
        tables=[tables.glance(name, mixtures), *tables.all_three(name, mixtures)],
        pictures=pictures.of_camps(name, drawn),
    )


def _busy(mixtures: Sequence[Mixture]) -> str:
    busy = [each for each in tables.half(mixtures) if _interval(each) == BUSY]
    stayed = sentences.sorted_out(busy, sentences.median_of_slow_start, "next to")
    switched = sentences.sorted_out(busy, sentences.median_of_switched)
    return (
        f"One connection every {BUSY:g} s, half of them with another startup: the median of "
        f"slow start's camp is {stayed}. That of the camp that switched is {switched}."
    )


def _idle(mixtures: Sequence[Mixture]) -> str:
    idle = [each for each in mixtures if _interval(each) == IDLE]
    most = max(abs(each.stayed.median.percent) for each in idle if each.stayed)
    switched = sentences.sorted_out(tables.half(idle), sentences.median_of_switched)
    return (
        f"At regular intervals of {IDLE:g} s the median of slow start's camp moves by {most:.1f} % "
        f"at most, whatever the others do; that of the camp that switched is {switched}."
    )


def _harmless(mixtures: Sequence[Mixture]) -> str:
    harmful = sentences.longer_somewhere(mixtures, sentences.median_of_slow_start)
    startups = dict.fromkeys(each.startup for each in mixtures if each.share > 0)
    others = [name for name in startups if name not in harmful]
    return (
        "With 95 % confidence the median of slow start's camp gets longer at some interval and "
        f"share next to {listed(harmful)}, and at none next to {listed(others)}."
    )


def _first_and_all(mixtures: Sequence[Mixture]) -> str:
    """Where it matters to a startup how many others use it."""
    busy = [each for each in mixtures if _interval(each) == BUSY]
    first = {
        each.startup: each.switched.median
        for each in busy
        if each.share == SHARES[0] and each.switched
    }
    everyone = {
        each.startup: each.switched.median for each in busy if each.share == 100 and each.switched
    }
    tempting = [name for name in first if first[name].high < 0 < everyone[name].low]
    generous = [name for name in first if first[name].low > 0 > everyone[name].high]

    def both(found: Sequence[str]) -> str:
        return listed(
            [
                f"{name} ({first[name].percent:+.0f} %, {everyone[name].percent:+.0f} %)"
                for name in found
            ]
        )

    return (
        f"At {BUSY:g} s the first {SHARES[0]} % that switch gain, and all together lose, with "
        f"{both(tempting)}; the first lose, and all together gain, with {both(generous)}."
    )


def _interval(each: Mixture) -> float:
    return float(each.setting.name["interval (s)"])


EXPERIMENTS = (
    Experiment(
        id="MIX-HALF",
        figure="study",
        question="Half of Jump Start's connections switch to one of three startups: which gain?",
        run=run_half,
        quick=True,
    ),
    Experiment(
        id="MIX-CONTENTION",
        figure="study",
        question="Jump Start's 200 connections at regular intervals: what does each startup "
        "bring to "
        "those that switch, and cost those that do not, by their share?",
        run=run,
    ),
    Experiment(
        id="MIX-ARRIVALS",
        figure="study",
        question="The same where connections come at random: what was only the beat of the "
        "intervals?",
        run=run_arrivals,
    ),
)
