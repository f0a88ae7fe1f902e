"""What was chosen so that every startup can be in every paper's scenarios."""

from flowstart_papers.experiment import Assumption

ASSUMPTIONS = (
    Assumption(
        "what startups with a memory remember",
        "one bandwidth-delay product of the idle path",
        "the right window, which a comparison gives by default",
        "with half as much stateful-tcp loses alone; with twice as much and more all gain alone, "
        "and some lose among others, up to three times slow start's time with four times as much",
        "CROSS-CHOSEN",
    ),
    Assumption(
        "the interface of QS-app where the scenario has no host's line",
        "50 Mbit/s in Jump Start's scenarios, 1 Gbit/s in HyStart's",
        "the hosts' lines of Jump Start's second set-up, and a testbed's Ethernet",
        "64 packets alone gain up to 10 Mbit/s and lose from 50 Mbit/s on, where they overflow the "
        "queue; the web does not notice",
        "CROSS-CHOSEN",
    ),
    Assumption(
        "which of a paper's delays, sizes and intervals are its headline",
        "the ends of its tables and figures: 1 and 100 ms, 0.01 and 0.3 s, 4 to 128 packets, "
        "0.2 and 1.5 s",
        "short and long, close and far apart",
        "the table has both ends; each paper's own experiments have the values between",
        "CROSS",
    ),
    Assumption(
        "flows without end",
        "the time that what they deliver together takes, for a megabyte",
        "HyStart's paper measures utilisation, whose inverse this is",
        "a flow that starves another is not seen in it",
        "CROSS",
    ),
    Assumption(
        "growth of the window and routers",
        "the paper's growth per ACK for all startups with that parameter; routers that decide "
        "on rate requests, or XCP's, wherever a startup has such requests",
        "only the startup is to differ",
        "an XCP router's queue is another one for the competing flows, too",
        "CROSS",
    ),
    Assumption(
        "half of the users switch",
        "50 %, drawn by the seed",
        "as many bystanders as users of the startup",
        "what Jump Start and QS-app cost the others grows with the share from the first tenth on",
        "CROSS-CHOSEN",
    ),
)
