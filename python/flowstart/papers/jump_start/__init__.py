"""Jump Start (Liu, Allman, Jin, Wang 2007)."""

from flowstart.papers import target
from flowstart.papers.experiment import Assumption, Paper
from flowstart.papers.jump_start import (
    algorithm,
    bystanders,
    figure1,
    figure2,
    figure4,
    introduction,
    load,
    recovery,
    sensitivity,
    traces,
)

CHOSEN = (
    Assumption(
        "recovery from loss",
        "ns-2's Sack1",
        "the paper names it",
        "the gain without contention goes from -30 % to +10 % with SACK that lacks NextSeg's "
        "rules 3 and 4, and to +16 % with endpoints after today's standards",
        "JS-RECOVERY",
    ),
    Assumption(
        "time between packets of the first flight",
        "the handshake's round trip / D",
        "figure 1; the text says paced over the first round trip",
        "with D - 1 the gain is 1.2 and 5.8 % at 4 and 8 packets instead of 9.3 and 9.7 %",
        "JS-SENS",
    ),
    Assumption(
        "duration",
        "from the first SYN to the last ACK",
        "figure 1's 10 to 40+ %",
        "without the handshake it is 13.9 to 51.4 % from 4 to 64 packets",
        "JS-SENS",
    ),
    Assumption(
        "sizes of figure 1",
        "powers of two",
        "footnote 4 speaks of the next power of two",
        "at 3 packets, which the text includes, Jump Start is 28 % slower",
        "JS-F1s",
    ),
    Assumption(
        "acknowledgements",
        "one for each packet",
        "ns-2's receiver as it comes",
        "delayed, the gain reaches 52 % at 32 packets, and without contention slow start loses "
        "nothing and Jump Start takes twice as long",
        "JS-SENS",
    ),
    Assumption(
        "access lines",
        "none; 1 ms each under contention, where their rate is printed",
        "the round trip is 64 ms in all",
        "0.2 points in figure 1 and in figure 2 without contention",
        "JS-SENS",
    ),
    Assumption(
        "queue of 60 packets",
        "the packet in service counts",
        "as ns-2 counts",
        "where it does not, the first loss is at 88 packets instead of 87",
        "JS-SENS",
    ),
    Assumption(
        "intervals of figure 2",
        "0.05 to 2 s, each start up to 10 ms late",
        "no beat between interval and round trip is to decide",
        "with exact starts the gain at 0.1 s moves by less than ten points, from 1 s on not at all",
        "JS-SENS",
    ),
    Assumption(
        "minimum of the retransmission timer",
        "200 ms",
        "ns-2's default",
        "with 1 s Jump Start's gain without contention is -130 %, with 10 ms -25 %",
        "JS-SENS",
    ),
    Assumption(
        "pages of a session",
        "5, always",
        "the paper prints a mean",
        "drawn from an exponential law: 1.09 for 1.10 at the 25th percentile",
        "JS-SENS",
    ),
    Assumption(
        "pause between pages",
        "from the end of a page",
        "ns-2's generator",
        "from its start the load is heavier: 1.16 for 1.11, and Jump Start's share without loss "
        "is 12 instead of 8 points below slow start's",
        "JS-LOAD",
    ),
    Assumption(
        "request for an object",
        "a packet on a connection of its own",
        "ns-2's generator",
        "with the response on the same connection 1.14 for 1.10",
        "JS-SENS",
    ),
    Assumption(
        "bystanders of Sec. IV.B and IV.E",
        "connections of 20 packets, alone or beside two long transfers",
        "the paper measures none",
        "beside long transfers RED adds more harm and CHOKe less",
        "JS-AQM",
    ),
)

PAPER = Paper(
    name="jump-start",
    title="Congestion Control Without a Startup Phase",
    source="D. Liu, M. Allman, S. Jin, L. Wang; PFLDnet 2007; ns-2, and a day of border traffic",
    package=__name__,
    targets=target.read(__name__, "jump-start"),
    experiments=(
        *introduction.EXPERIMENTS,
        *algorithm.EXPERIMENTS,
        *figure1.EXPERIMENTS,
        *figure2.EXPERIMENTS,
        *traces.EXPERIMENTS,
        *figure4.EXPERIMENTS,
        *bystanders.EXPERIMENTS,
        *recovery.EXPERIMENTS,
        *load.EXPERIMENTS,
        *sensitivity.EXPERIMENTS,
    ),
    assumptions=CHOSEN,
)
