"""Modified Swift Start next to slow start, on the lines of its own paper."""

from collections.abc import Sequence

from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.lab import Lab
from flowstart_papers.mixed_traffic import measures, pictures, sentences, setups, tables
from flowstart_papers.mixed_traffic.camps import Mixture, mix

DELAYS_MS = (0.1, 100, 300, 500)
BUFFERS = (setups.ENDLESS, "50pkt")
SHARES = (10, 30, 50, 70, 100)
SEEDS = range(1, 31)


def run(lab: Lab) -> Findings:
    """MIX-MSS: both lines, four delays, endless buffers as in the paper and short ones."""
    settings = [
        setups.swift(line, delay, buffer)
        for line in setups.LINES
        for buffer in BUFFERS
        for delay in DELAYS_MS
    ]
    mixtures = mix(lab, settings, ["modified-swift-start"], SEEDS, measures.of_flows, shares=SHARES)
    return Findings(
        answers=[
            *(_on_t1(buffer, mixtures) for buffer in BUFFERS),
            _on_oc1(mixtures),
        ],
        tables=tables.all_three("swift", mixtures),
        pictures=pictures.of_camps("swift", mixtures, panel=_line, curve=_delay),
    )


def _on_t1(buffer: str, mixtures: Sequence[Mixture]) -> str:
    half = [each for each in tables.half(mixtures) if _line(each) == f"T1, {buffer} buffer"]
    by_delay = ", ".join(
        f"{sentences.words(sentences.median_of_switched(each))} and "
        f"{sentences.words(sentences.median_of_slow_start(each))} at {_delay(each)}"
        for each in half
    )
    return (
        f"On T1 with {_article(buffer)} buffer, five of ten with Modified Swift Start: the medians "
        f"of the five and of the other five change by {by_delay}."
    )


def _article(buffer: str) -> str:
    return f"an {buffer}" if buffer == setups.ENDLESS else f"a {buffer}"


def _on_oc1(mixtures: Sequence[Mixture]) -> str:
    mine = [each for each in mixtures if each.setting.name["line"] == "OC-1"]
    most = max(abs(each.stayed.median.percent) for each in mine if each.stayed)
    own = [each.switched.median.percent for each in mine if each.switched]
    loss = max(each.stayed.loss for each in mine if each.stayed)
    return (
        f"On OC-1 at most {loss:.1f} % of slow start's packets are lost; the median of its camp "
        f"moves by {most:.1f} % at most, and that of Modified Swift Start's by {max(own):.0f} to "
        f"{min(own):.0f} %."
    )


def _line(each: Mixture) -> str:
    name = each.setting.name
    return f"{name['line']}, {name['buffer']} buffer"


def _delay(each: Mixture) -> str:
    return f"{each.setting.name['delay (s)']:g} s"


EXPERIMENTS = (
    Experiment(
        id="MIX-MSS",
        figure="study",
        question="Ten transfers over T1 or OC-1, some with Modified Swift Start: does it push slow "
        "start aside?",
        run=run,
    ),
)
