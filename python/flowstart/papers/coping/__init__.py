"""What the papers end with asking: how to live with a fast start, and with its abuse."""

from flowstart.papers.coping import (
    abuse_jump_start,
    abuse_quick_start,
    cope_moved,
    cope_sweep,
    cope_table,
    lies,
)
from flowstart.papers.experiment import Assumption, Experiment, Paper

EXPERIMENTS = (
    Experiment(
        id="COPE-SHORT",
        figure="study",
        question="In short: what do a sender, a router and marked packets do about a fast start?",
        run=cope_table.run_short,
        quick=True,
    ),
    Experiment(
        id="COPE-TABLE",
        figure="study",
        question="Under each measure, what does starting fast gain, and what does it cost others?",
        run=cope_table.run,
    ),
    Experiment(
        id="COPE-SWEEP",
        figure="study",
        question="To what should a rate cap, a target time or a first window be set?",
        run=cope_sweep.run,
    ),
    Experiment(
        id="COPE-MOVED",
        figure="study",
        question="Do the answers hang on the recovery, the load, the share of fast starters, the "
        "timing or the settings of the queues?",
        run=cope_moved.run,
    ),
    Experiment(
        id="ABUSE-JS",
        figure="study",
        question="What can a client do to others that makes servers start fast at it again and "
        "again?",
        run=abuse_jump_start.run,
    ),
    Experiment(
        id="ABUSE-QS",
        figure="study",
        question="What is left for honest Quick-Start hosts beside one that asks and does not "
        "send?",
        run=abuse_quick_start.run,
    ),
    Experiment(
        id="ABUSE-LIES",
        figure="study",
        question="What are lies about rate requests worth?",
        run=lies.run,
    ),
)

CHOSEN = (
    Assumption(
        "how loss is repaired",
        "ns-2's SACK",
        "the Jump Start paper's tool",
        "Under RFC 6675 FQ-CoDel's starters gain where they lost; caps and first windows do well "
        "under all three recoveries.",
        "COPE-MOVED",
    ),
    Assumption(
        "the load of the shared line",
        "40 % in each direction",
        "between the paper's ends of contention, where slow start still works well",
        "Without a measure the harm grows with the load; with a cap or a first window hardly.",
        "COPE-MOVED",
    ),
    Assumption(
        "how many of the transfers start fast",
        "half",
        "as many bystanders as starters",
        "Without a measure the harm grows with the share; with a cap it does not.",
        "COPE-MOVED",
    ),
    Assumption(
        "when transfers open",
        "at random, moved by up to 20 intervals",
        "no fixed pattern of who meets whom",
        "Beyond 20 intervals nothing changes; with one, starters and bystanders meet in pairs and "
        "gain and harm are both larger.",
        "COPE-MOVED",
    ),
    Assumption(
        "the size of the transfers",
        "200 packets",
        "the Jump Start paper's contention",
        "With 50 packets nothing overflows alone: the gain is larger, the harm smaller.",
        "COPE-SWEEP",
    ),
    Assumption(
        "thresholds of RED and CHOKe",
        "5 and 15 packets of 60",
        "what ns-2 works out by itself for 5 Mbit/s",
        "From 20 to 50 packets starters lose less; bystanders are still harmed.",
        "COPE-MOVED",
    ),
    Assumption(
        "the client's pulses",
        "60 packets from 8 servers every 2 s",
        "29 % of the link's rate on average",
        "Period, size and number are swept; so are the least timeout and the client's own line.",
        "ABUSE-JS",
    ),
    Assumption(
        "what is asked for and not used",
        "5.12 Mbit/s of 10 Mbit/s",
        "all that an idle link approves",
        "Less books less; more is not approved and changes nothing.",
        "ABUSE-QS",
    ),
    Assumption(
        "honest requests",
        "one a second of 60 packets",
        "7 % of the link: they rarely stand in each other's way",
        "With four a second they refuse each other, and an unused request takes a smaller part.",
        "ABUSE-QS",
    ),
)

PAPER = Paper(
    name="coping",
    title="Living with a fast start, and its abuse",
    source="What Jump Start (2007) lists in its section on coping and leaves to future work, and "
    "what the paper on Quick-Start in low-latency networks says of denial of service; nobody "
    "published numbers",
    package=__name__,
    targets=(),
    experiments=EXPERIMENTS,
    assumptions=CHOSEN,
)
