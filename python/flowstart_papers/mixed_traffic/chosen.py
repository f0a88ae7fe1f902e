"""What was chosen because no paper gives it, moved."""

from flowstart_papers.experiment import Experiment, Findings
from flowstart_papers.lab import Lab
from flowstart_papers.mixed_traffic import measures, sentences, setups, tables
from flowstart_papers.mixed_traffic.camps import mix
from flowstart_papers.mixed_traffic.catalog import MOVED

SEEDS = range(1, 11)
SWIFT_SEEDS = range(1, 31)
SIZES = (0.5, 1, 4)
"""Of Modified Swift Start's transfers, in the usual ones."""


def run(lab: Lab) -> Findings:
    """MIX-CHOSEN: memories, interfaces and sizes, half of the connections switched."""
    crowd = mix(lab, [setups.at_random(500)], MOVED, SEEDS, measures.of_flows, shares=(50,))
    lines = mix(
        lab,
        [setups.swift("T1", 300, "50pkt", times=times) for times in SIZES],
        ["modified-swift-start"],
        SWIFT_SEEDS,
        measures.of_flows,
        shares=(50,),
    )
    by_size = ", ".join(
        f"{sentences.words(sentences.median_of_slow_start(each))} with "
        f"{each.setting.name['size (kB)']:g} kB"
        for each in tables.half(lines)
    )
    stayed = sentences.sorted_out(tables.half(crowd), sentences.median_of_slow_start, "next to")
    memories = f"One connection every 0.5 s, half switched: slow start's median is {stayed}."
    sizes = (
        "On T1 at 0.3 s with a buffer of 50 packets, slow start's median changes next to Modified "
        f"Swift Start by {by_size}."
    )
    return Findings(
        answers=[memories, sizes],
        tables=[
            *tables.all_three("chosen", crowd),
            *tables.all_three("chosen-sizes", lines),
        ],
    )


EXPERIMENTS = (
    Experiment(
        id="MIX-CHOSEN",
        figure="study",
        question="How much depends on what was chosen here: memories, interfaces, sizes?",
        run=run,
    ),
)
