"""What the paper does not print, what we took, and what happens when it moves."""

from flowstart_papers.experiment import Assumption

GRID = "HY-READINGS"

ASSUMPTIONS = (
    Assumption(
        what="Initial window",
        value="3 packets",
        why="What Linux 2.6.23, which the paper names, takes for segments of 1448 bytes.",
        sensitivity="With 2 the exit of Fig. 2 is at 869 packets instead of 786 (published: 870), "
        "that of Fig. 3 (a) at 1.26 BDP instead of 1.07 (published: 1.1); Fig. 1 does not change.",
        shown_by=GRID,
    ),
    Assumption(
        what="ACKs of a Linux receiver",
        value="16 at once, then every second packet or after 40 ms",
        why="The footnote has the 16; 40 ms is the kernel's shortest delay. The sender grows by "
        "one packet per ACK, as that kernel does by default.",
        sensitivity="An ACK for each packet gives a peak of 49 335.",
        shown_by="HY-F1",
    ),
    Assumption(
        what="The sender's tick",
        value="1 ms",
        why="A kernel with HZ=1000.",
        sensitivity="With an exact clock one second flow of Fig. 3 loses a packet first. Ticks of "
        "4 and 10 ms were not run: the listing rounds its 2 ms up to a tick, the simulator does "
        "not.",
        shown_by=GRID,
    ),
    Assumption(
        what="Retransmission timer",
        value="200 ms beyond the round-trip time",
        why="Linux' TCP_RTO_MIN.",
        sensitivity="At least a second, as RFC 2988 has it, changes no verdict.",
        shown_by=GRID,
    ),
    Assumption(
        what="Round-trip times of Fig. 1 and 2",
        value="370 and 106 ms",
        why="Only these make the printed 12 333 and 883 packets; the text has 360 and 102 ms.",
        sensitivity="At 360 ms peak and losses of Fig. 1 are 2.7 % smaller and miss, at 102 ms "
        "Fig. 2's exit is 1 % smaller and misses.",
        shown_by=GRID,
        fitted_to=("hy.f1.bdp", "hy.f1.cap", "hy.f2.bdp", "hy.f2.full"),
    ),
    Assumption(
        what="Start of the second flow in Fig. 2",
        value="10 s",
        why="The text sees a burst around ten seconds.",
        sensitivity="From 5 to 30 s the second flow leaves early by delay.",
        shown_by=GRID,
    ),
    Assumption(
        what="Avoidance in Fig. 1",
        value="CUBIC of 2008",
        why="The paper calls it Linux' default.",
        sensitivity="Peak and losses stay; with Reno slow start uses more of the first minute than "
        "Hybrid Slow Start.",
        shown_by="HY-F1",
    ),
    Assumption(
        what="Flows in Fig. 1",
        value="one",
        why="All that is printed is of the first flow.",
        sensitivity="A second one after 10 or 30 s changes neither peak nor losses of the first; "
        "one after 10 s meets it while it recovers, and its window stays low for 36 s.",
        shown_by=GRID,
    ),
    Assumption(
        what="What it costs to read a SACK block",
        value="nothing",
        why="TCP's rules alone, and no kernel's.",
        sensitivity="From 200 us a block on the first flow needs the published twenty seconds.",
        shown_by="HY-BLACKOUT",
    ),
    Assumption(
        what="When the hosts of Fig. 2 see packets",
        value="at once",
        why="The paper speaks of no interrupts.",
        sensitivity="With interrupts packet pairs measure up to 3.4 times the BDP.",
        shown_by="HY-HOE",
    ),
    Assumption(
        what="Receiver of Fig. 3 (c)",
        value="Windows, 200 ms",
        why="The paper names FreeBSD and Windows for delayed ACKs. Of the two it is the one with "
        "which Hybrid Slow Start works as the paper says.",
        sensitivity="With FreeBSD's 100 ms the ACKs spread over the round trip as the paper says, "
        "but the first flow leaves above the BDP, and some second flows lose packets before the "
        "delay shows it. No timer makes both true.",
        shown_by=GRID,
        fitted_to=("hy.f3.works",),
    ),
    Assumption(
        what="ACK timers of FreeBSD and Windows",
        value="100 and 200 ms, from the first packet on",
        why="Their defaults of the time.",
        sensitivity="An odd packet's ACK can split a round's train, and the exit comes above the "
        "BDP.",
        shown_by="HY-B",
    ),
    Assumption(
        what="Starts in Fig. 3",
        value="1 and 7 s",
        why="The paper has both within the first ten seconds.",
        sensitivity="With 3 s between them one second flow of sixty loses a packet first.",
        shown_by=GRID,
    ),
    Assumption(
        what="Background flows of Fig. 3",
        value="100 packets in the mean, Pareto with shape 1.5, on average 50 Mbit/s each way",
        why="The paper has mid-sized flows and their sum.",
        sensitivity="With a mean of 300 packets bursts end more first flows early, by delay, and "
        "the second ones then have no delay to heed.",
        shown_by="HY-SENS",
    ),
    Assumption(
        what="What is fixed while Fig. 4 sweeps the rest",
        value="400 Mbit/s, 160 ms, buffer of one BDP; Fig. 5: 400 Mbit/s",
        why="The upper ends of its ranges, and Fig. 3's.",
        sensitivity="On Fig. 2's path the leads are smaller, and limited slow start is ahead at "
        "single points.",
        shown_by=GRID,
    ),
    Assumption(
        what="Adaptive Start's first threshold",
        value="none",
        why="Linux starts without one.",
        sensitivity="With 22 packets it grows so slowly that it does not leave within 20 s.",
        shown_by="HY-SENS",
    ),
)
