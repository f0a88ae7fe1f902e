"""Assumptions where no numbers are published."""

from flowstart_papers.experiment import Assumption

ASSUMPTIONS = (
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
        "no fixed pattern of meetings",
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
        "the default of ns-2 for 5 Mbit/s",
        "From 20 to 50 packets starters lose less; bystanders are still harmed.",
        "COPE-MOVED",
    ),
    Assumption(
        "the client's pulses",
        "60 packets from 8 servers every 2 s",
        "29 % of the link's rate on average",
        "Period, size and number are swept; so are the minimum timeout and the client's own line.",
        "ABUSE-JS",
    ),
    Assumption(
        "requested rate that is not used",
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
