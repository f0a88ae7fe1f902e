"""What the five papers end with asking: some start so, among others who do not."""

from flowstart.papers.experiment import Assumption, Experiment, Paper
from flowstart.papers.mixed_traffic import chosen, contention, quick_start, swift_start, web

STUDY = "study"

EXPERIMENTS = (
    Experiment(
        id="MIX-HALF",
        figure=STUDY,
        question="Half of Jump Start's connections switch to one of three start-ups: who gains?",
        run=contention.run_half,
        quick=True,
    ),
    Experiment(
        id="MIX-CONTENTION",
        figure=STUDY,
        question="Jump Start's 200 connections at regular intervals: what does each start-up "
        "bring to "
        "those who switch, and cost those who do not, by their share?",
        run=contention.run,
    ),
    Experiment(
        id="MIX-ARRIVALS",
        figure=STUDY,
        question="The same where connections come at random: what was only the beat of the "
        "intervals?",
        run=contention.run_arrivals,
    ),
    Experiment(
        id="MIX-WEB",
        figure=STUDY,
        question="The same for web sessions, most of whose transfers are short.",
        run=web.run,
    ),
    Experiment(
        id="MIX-MSS",
        figure=STUDY,
        question="Ten transfers over T1 or OC-1, some with Modified Swift Start: does it push slow "
        "start aside?",
        run=swift_start.run,
    ),
    Experiment(
        id="MIX-QS",
        figure=STUDY,
        question="Some ask the routers, the others begin slowly: what are the askers given on an "
        "idle "
        "and on a loaded path, and at whose expense?",
        run=quick_start.run,
    ),
    Experiment(
        id="MIX-CHOSEN",
        figure=STUDY,
        question="How much depends on what was chosen here: memories, interfaces, sizes?",
        run=chosen.run,
    ),
)

CHOSEN = (
    Assumption(
        what="window that Fast Start remembers",
        value="26 packets",
        why="one bandwidth-delay product of Jump Start's path",
        sensitivity="with 13 packets slow start's camp gains a little more; with 52 it gains "
        "nothing "
        "certain, and with 104 it loses a fifth",
        shown_by="MIX-CHOSEN",
    ),
    Assumption(
        what="interface that QS-app knows",
        value="50 Mbit/s",
        why="the hosts' own lines in Jump Start's second set-up",
        sensitivity="harm to slow start's camp grows with it, and is gone where it is the "
        "bottleneck's "
        "5 Mbit/s",
        shown_by="MIX-CHOSEN",
    ),
    Assumption(
        what="when connections open",
        value="up to 10 ms after a multiple of the interval",
        why="as for Jump Start's figure 2, whose text says no more than the interval",
        sensitivity="at random moments Modified Swift Start harms slow start where it seemed to "
        "help it",
        shown_by="MIX-ARRIVALS",
    ),
    Assumption(
        what="ten transfers of 100 kB on T1 and of 1 MB on OC-1, opened within the time that the "
        "line needs for all ten",
        value="100 kB, 1 MB",
        why="long enough to leave the start-up behind, short enough for it to matter",
        sensitivity="beside Modified Swift Start slow start's camp loses about as much with 50 kB "
        "and "
        "less with 400 kB",
        shown_by="MIX-CHOSEN",
    ),
)

PAPER = Paper(
    name="mixed-traffic",
    title="What if only some start so?",
    source="The questions that the five papers leave to later work; nothing is published.",
    package=__name__,
    targets=(),
    experiments=EXPERIMENTS,
    assumptions=CHOSEN,
)
