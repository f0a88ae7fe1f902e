"""Modified Swift Start (an OPNET study of the start-up of Elbery and others)."""

from flowstart.papers.experiment import Assumption, Experiment, Paper
from flowstart.papers.modified_swift_start import (
    figure2,
    figure4,
    figure5,
    figure6,
    figure7,
    figure8,
    figure10,
    mechanisms,
    processor,
    promised,
    published,
    tables,
    timeout,
)

EXPERIMENTS = (
    Experiment(
        id="MSS-F2",
        figure="Fig. 2",
        question="How does slow start's connection time grow with the round trip at 49.5 Mbit/s?",
        run=figure2.run_time,
        quick=True,
    ),
    Experiment(
        id="MSS-F3",
        figure="Fig. 3",
        question="How much of 49.5 Mbit/s does slow start use, and how soon is it at its full "
        "rate?",
        run=figure2.run_rate,
        quick=True,
    ),
    Experiment(
        id="MSS-F4",
        figure="Fig. 4",
        question="Which windows do the two pairs give over T1 with the shortest delay?",
        run=figure4.run,
        quick=True,
    ),
    Experiment(
        id="MSS-F5",
        figure="Fig. 5",
        question="What do both senders send over T1, at first and in the steady state?",
        run=figure5.run,
        quick=True,
    ),
    Experiment(
        id="MSS-F6",
        figure="Fig. 6",
        question="Does the paced round trip leave the routers' queue empty and the line busy?",
        run=figure6.run,
        quick=True,
    ),
    Experiment(
        id="MSS-F7",
        figure="Fig. 7",
        question="When does each sender's mean round trip reach its final value?",
        run=figure7.run,
        quick=True,
    ),
    Experiment(
        id="MSS-F8",
        figure="Figs. 8 and 9",
        question="What changes over T1 with a delay of 0.1 s, and does the advantage grow with it?",
        run=figure8.run,
        quick=True,
    ),
    Experiment(
        id="MSS-T2",
        figure="Table 2",
        question="Over T1 and 14 delays: which windows, and how much sooner is the transfer done?",
        run=tables.run_t1,
        quick=True,
    ),
    Experiment(
        id="MSS-F10",
        figure="Figs. 10 and 11",
        question="What do the pairs give over OC-1, and how much of it can be sent?",
        run=figure10.run,
        quick=True,
    ),
    Experiment(
        id="MSS-T3",
        figure="Table 3",
        question="Over OC-1 and 14 delays: which windows, and how much sooner is the transfer "
        "done?",
        run=tables.run_oc1,
        quick=True,
    ),
    Experiment(
        id="MSS-M",
        figure="Sec. 2.3",
        question="What do delayed, queued and thinned ACKs do to Swift Start and to its "
        "modification?",
        run=mechanisms.run,
        quick=True,
    ),
    Experiment(
        id="MSS-P",
        figure="Table 3, second window",
        question="Why is the second window over OC-1 larger than the line allows?",
        run=processor.run,
        quick=True,
    ),
    Experiment(
        id="MSS-RTO",
        figure="study",
        question="What makes the advantage jump between delays of 0.4 and 0.5 s?",
        run=timeout.run,
        quick=True,
    ),
    Experiment(
        id="MSS-PROMISED",
        figure="study",
        question="How does it do beside Swift Start, Quick-Start, Jump Start and BIC, and in "
        "company?",
        run=promised.run,
    ),
)

CHOSEN = (
    Assumption(
        what="base round trip",
        value="0.11281 s over T1 and 0.07307 s over OC-1 beside twice the delay",
        why="26 of the 28 printed round trips; the packets' own way explains 0.017 and 0.001 s",
        sensitivity="without it windows shrink with the round trip; the jump stays, and what is "
        "saved "
        "changes by at most 2.1 round trips",
        shown_by="MSS-RTO",
    ),
    Assumption(
        what="router",
        value="one processor for both directions, 200 µs a packet",
        why="5000 packets a second are printed; all 14 second windows over OC-1 need the sharing",
        sensitivity="from 10 000 packets a second on, the second gap is the line's",
        shown_by="MSS-P",
    ),
    Assumption(
        what="receiver's access",
        value="right behind its router, without the printed 100 Mbit/s",
        why="the second windows over OC-1",
        sensitivity="with an access link the second gap is 400 µs instead of 200",
        shown_by="MSS-P",
    ),
    Assumption(
        what="receiver's window",
        value="65 535 bytes, 44 whole segments",
        why="the text says so, and Table 1 turns scaling off; its buffer is 100 000 bytes",
        sensitivity="with 100 000 bytes, from a delay of 0.2 s on, 11 to 14 round trips are saved "
        "and "
        "not 3, and 48 to 50 instead of 26",
        shown_by="MSS-RTO",
    ),
    Assumption(
        what="first threshold",
        value="65 535 bytes, and each timeout, the SYN's too, halves it",
        why="the text halves the threshold; with this start 11 segments are left, which fits",
        sensitivity="if the SYN's timeout does not count, 13 to 15 round trips are saved, not 25 "
        "to 27; "
        "with half the flight 40 to 42",
        shown_by="MSS-RTO",
    ),
    Assumption(
        what="window after a timeout",
        value="4 segments",
        why="the text restores the initial window, four in Table 1 and one in Sec. III; four fits",
        sensitivity="with one segment 27 to 29 round trips are saved, too many for Table 2",
        shown_by="MSS-RTO",
    ),
    Assumption(
        what="initial RTO after a repeated SYN",
        value="1 s again, not doubled",
        why="the advantage jumps where the round trip exceeds 1 s",
        sensitivity="the jump moves with the initial RTO and is gone at 3 s; with RFC 6298's 3 s "
        "and one "
        "segment after a lost SYN 9 to 11 round trips are saved",
        shown_by="MSS-RTO",
    ),
    Assumption(
        what="ACK timer",
        value="0.2 s after the segment",
        why="Table 1; its `clock based` may mean a clock that ticks every 0.2 s",
        sensitivity="with 0.1 s, what such a clock takes on average, 24 to 26 round trips are "
        "saved",
        shown_by="MSS-RTO",
    ),
    Assumption(
        what="10 MB",
        value="2^20 bytes each",
        why="the usual reading; 10^6 fits as well",
        sensitivity="differences change by at most 1.5 round trips",
        shown_by="MSS-RTO",
    ),
    Assumption(
        what="queue",
        value="endless",
        why="no loss appears in any figure",
        sensitivity="a queue of 44 packets, the receiver's window, changes nothing",
        shown_by="MSS-RTO",
    ),
)

PAPER = Paper(
    name=published.NAME,
    title="Modified Swift Start",
    source="An OPNET study of the start-up by A. Elbery, E. Khalil, B. Nosier and I. Morsi "
    "(SENSORCOMM 2008); our copy names neither authors nor year",
    package=__name__,
    targets=list(published.TARGETS.values()),
    experiments=EXPERIMENTS,
    assumptions=CHOSEN,
)
