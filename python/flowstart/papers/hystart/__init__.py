"""Hybrid Slow Start (Ha, Rhee 2008)."""

from flowstart.papers import target
from flowstart.papers.experiment import Assumption, Experiment, Paper
from flowstart.papers.hystart import (
    acks,
    asymmetry,
    blackout,
    bounds,
    buffers,
    constants,
    figure1,
    figure2,
    figure3,
    figure4,
    figure5,
    limited,
    packet_pairs,
    sensitivity,
)

EXPERIMENTS = (
    Experiment(
        id="HY-F1",
        figure="Fig. 1",
        question="How far does slow start overshoot a transoceanic path, and what does it lose?",
        run=figure1.run,
        quick=True,
    ),
    Experiment(
        id="HY-F2",
        figure="Fig. 2",
        question="Where do six slow starts leave a path of 883 packets, alone and as second flow?",
        run=figure2.run,
        quick=True,
    ),
    Experiment(
        id="HY-B",
        figure="Sec. III.B",
        question="Between which windows can an ACK train end slow start on an empty path?",
        run=bounds.run,
    ),
    Experiment(
        id="HY-F3",
        figure="Fig. 3",
        question="Does it work with quick, quick-then-delayed and delayed ACKs in other traffic?",
        run=figure3.run,
    ),
    Experiment(
        id="HY-F4",
        figure="Fig. 4",
        question="Do CUBIC flows use a link better after it, over bandwidth, buffer and RTT?",
        run=figure4.run,
    ),
    Experiment(
        id="HY-F5",
        figure="Fig. 5",
        question="Does it make up for receivers that delay all ACKs?",
        run=figure5.run,
    ),
    Experiment(
        id="HY-LSS",
        figure="Sec. II",
        question="How long does limited slow start take to a window of 5000 packets?",
        run=limited.run,
    ),
    Experiment(
        id="HY-HOE",
        figure="Fig. 2e",
        question="What do packet pairs measure if hosts see packets only at interrupts?",
        run=packet_pairs.run,
    ),
    Experiment(
        id="HY-ALG",
        figure="Algorithm 1",
        question="Which constants does Hybrid Slow Start show when paths are made to probe them?",
        run=constants.run,
        quick=True,
    ),
    Experiment(
        id="HY-BUF",
        figure="Sec. I",
        question="How does slow start's overshoot grow with the buffer?",
        run=buffers.run,
        quick=True,
    ),
    Experiment(
        id="HY-BLACKOUT",
        figure="study",
        question="What makes a sender go dark for twenty seconds after the overshoot?",
        run=blackout.run,
    ),
    Experiment(
        id="HY-ACK",
        figure="study",
        question="Where does it leave for four kinds of receivers in other traffic, over rate, "
        "buffer "
        "and RTT?",
        run=acks.run,
    ),
    Experiment(
        id="HY-ASYM",
        figure="study",
        question="Do a slow, used or batching way back end it early or late?",
        run=asymmetry.run,
    ),
    Experiment(
        id="HY-SENS",
        figure="study",
        question="What do initial window, tick, quick ACKs and start times move?",
        run=sensitivity.run,
    ),
)

CHOSEN = (
    Assumption(
        "Initial window of Fig. 1 and 2",
        "2 packets",
        "Usual in 2008; fitted to the published exit at 870 packets.",
        "Other windows give 660 to 860 packets; Fig. 1 does not change.",
        "HY-SENS",
    ),
    Assumption(
        "Initial window of Fig. 3",
        "3 packets",
        "Linux 2.6 used it with 1448-byte segments; fitted to the ten per cent above the BDP.",
        "2 gives 1.26 BDP instead of 1.07 with quick ACKs.",
        "HY-SENS",
    ),
    Assumption(
        "ACKs of a Linux receiver",
        "16 at once, then every second packet or after 40 ms",
        "The footnote has the 16; a peak of 37 000 and no other needs delayed ACKs and one packet "
        "of growth per ACK.",
        "An ACK for each packet gives a peak of 49 335.",
        "HY-F1",
    ),
    Assumption(
        "The sender's tick",
        "1 ms",
        "A kernel with HZ=1000.",
        "0.1 ms changes nothing. With 4 and 10 ms this implementation finds no train any more, "
        "since it takes 2 ms as they are where the listing rounds them up to a tick.",
        "HY-SENS",
    ),
    Assumption(
        "Round-trip times of Fig. 1 and 2",
        "370 and 106 ms",
        "Only these make the printed 12 333 and 883 packets.",
        "102 ms, as the text has it, gives an exit at 646 packets.",
        "HY-SENS",
    ),
    Assumption(
        "Start of the second flow in Fig. 2",
        "10 s",
        "The text mentions trouble around ten seconds.",
        "From 5 to 20 s the second flow leaves between 296 and 448 packets, always by delay.",
        "HY-SENS",
    ),
    Assumption(
        "Avoidance in Fig. 1",
        "CUBIC of 2008",
        "The paper calls it Linux' default.",
        "Peak and losses stay; with Reno slow start uses more of the first minute than Hybrid "
        "Slow Start.",
        "HY-F1",
    ),
    Assumption(
        "What it costs to read a SACK block",
        "nothing",
        "TCP's rules alone, and no kernel's.",
        "From 200 us a block on the first flow needs the published twenty seconds.",
        "HY-BLACKOUT",
    ),
    Assumption(
        "When the hosts of Fig. 2 (e) see packets",
        "at interrupts every 60 to 120 us",
        "Fitted to estimates of 2.5 and 3.1 times the rate.",
        "Without interrupts the estimate is the BDP; rarer or denser ones move the median between "
        "1.3 and 3.1 BDP.",
        "HY-HOE",
    ),
    Assumption(
        "Background flows of Fig. 3",
        "100 packets in the mean, Pareto with shape 1.5, on average 50 Mbit/s each way",
        "The paper has mid-sized flows and their sum.",
        "Means of 30 and 300 packets move single exits by delay, mostly not the signal.",
        "HY-SENS",
    ),
    Assumption(
        "What is fixed while Fig. 4 sweeps the rest",
        "400 Mbit/s, 160 ms, buffer of one BDP",
        "The upper ends of its ranges, and Fig. 3's.",
        "The sweeps themselves move each of them.",
        "HY-F4",
    ),
    Assumption(
        "Rate of Fig. 5",
        "400 Mbit/s",
        "As in Fig. 4.",
        "At 100 Mbit/s the three differ less while SACK works, and more in Hybrid Slow Start's "
        "favour where it does not.",
        "HY-F5",
    ),
    Assumption(
        "ACK timers of FreeBSD and Windows",
        "100 and 200 ms, from the first packet on",
        "Their defaults of the time.",
        "An odd packet's ACK can split a round's train, and the exit comes above the BDP.",
        "HY-B",
    ),
    Assumption(
        "Adaptive Start's first threshold",
        "none",
        "Linux starts without one.",
        "With 22 packets it grows so slowly that it does not leave within 20 s.",
        "HY-SENS",
    ),
)

PAPER = Paper(
    name="hystart",
    title="Hybrid Slow Start for High-Bandwidth and Long-Distance Networks",
    source="S. Ha, I. Rhee; PFLDnet 2008; Linux hosts around a dummynet bottleneck",
    package=__name__,
    targets=target.read(__name__, "hystart"),
    experiments=EXPERIMENTS,
    assumptions=CHOSEN,
)
