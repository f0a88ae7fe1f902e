"""Performance Evaluation of Quick-Start in Low Latency Networks (2010)."""

from flowstart.papers.experiment import Experiment, Paper
from flowstart.papers.quick_start_low_latency import (
    background,
    faster_link,
    figure2,
    figure5,
    figures34,
    ideal,
    loaded,
    refused,
    sensitivity,
    table1,
)
from flowstart.papers.quick_start_low_latency.assumptions import CHOSEN
from flowstart.papers.quick_start_low_latency.published import NAME, TARGETS

PAPER = Paper(
    name=NAME,
    title="Performance Evaluation of Quick-Start in Low Latency Networks",
    source="I. Butun, S. Birla, X. H. Le, S. Lee, R. Sankar, IEEE CCNC 2010; ns-2",
    package=__name__,
    targets=TARGETS,
    experiments=[
        Experiment(
            id="QS-T1",
            figure="Table I",
            question="How much sooner is a transfer of 120 kB done with Quick-Start, over nine "
            "delays "
            "and three rates?",
            run=table1.run,
            quick=True,
        ),
        Experiment(
            id="QS-T1i",
            figure="Table I, ideal",
            question="How much of the small gain at low latency is due to ns-2's clock and to a "
            "cap "
            "on the request?",
            run=ideal.run,
            quick=True,
        ),
        Experiment(
            id="QS-F2",
            figure="Fig. 2",
            question="How does the gain depend on the transfer's size at 384 kbit/s?",
            run=figure2.run,
            quick=True,
        ),
        Experiment(
            id="QS-F3",
            figure="Fig. 3",
            question="How does the gain depend on the transfer's size at 100 Mbit/s?",
            run=figures34.figure3,
            quick=True,
        ),
        Experiment(
            id="QS-F4",
            figure="Fig. 4",
            question="How does the gain depend on the transfer's size at 1 Gbit/s, and what do ten "
            "times the rate of figure 3 add?",
            run=figures34.figure4,
            quick=True,
        ),
        Experiment(
            id="QS-F5",
            figure="Fig. 5",
            question="What is left of the gain when a transfer has 1 to 100 MB?",
            run=figure5.run,
        ),
        Experiment(
            id="QS-D1",
            figure="Sec. IV",
            question="What does a refused request cost?",
            run=refused.run,
            quick=True,
        ),
        Experiment(
            id="QS-D2",
            figure="Sec. IV",
            question="What does a router approve while others use its link?",
            run=loaded.run,
        ),
        Experiment(
            id="QS-SENS",
            figure="study",
            question="How far does Table I move when one of the inputs moves that fit it?",
            run=sensitivity.run,
        ),
        Experiment(
            id="QS-BG",
            figure="study",
            question="What would the background that the paper describes do to Table I?",
            run=background.run,
        ),
        Experiment(
            id="QS-FASTER",
            figure="study",
            question="Would a link of ten times the rate help more than Quick-Start?",
            run=faster_link.run,
        ),
    ],
    assumptions=CHOSEN,
)
