"""Inputs that the paper does not print or that its words leave open, and what they were taken for.

What the paper prints is taken as it prints it, what it leaves out as ns-2 has it by itself, and
what neither gives is not there. Nothing in `LITERAL` was chosen to meet a target. `FITTED` are the
five inputs of the decoded set-up, which only experiments have that say so. Distances are those of
Table I from the published one, rms over its 27 cells in points.
"""

from flowstart_papers.experiment import Assumption

GRID = "QS-READINGS"
STUDY = "QS-SENS"
TABLE1 = ("qs.decoded.*",)

LITERAL = (
    Assumption(
        what='what "120 kB" are',
        value="120 000 bytes, 83 packets of the printed segment size",
        why="the paper's words; kB of 1024 bytes make no difference to slow start's flights",
        sensitivity="71.4 % needs six flights of slow start, which 94 to 189 packets take; 83 take "
        "five",
        shown_by=GRID,
    ),
    Assumption(
        what="delay of each host's own line",
        value="none",
        why="the paper prints the lines' rate alone",
        sensitivity="1 ms: 12 of 47 statements hold instead of 10; 5 ms: 8",
        shown_by=GRID,
    ),
    Assumption(
        what="which of the links between the three routers are slow and have the delay",
        value="both",
        why="the paper speaks of links with these rates and delays",
        sensitivity="with both the handshake at 1000 ms takes 4 s and outlasts ns-2's first "
        "timeout of 3 s, so that no request comes through; half the delay on each, one link, or a "
        "first timeout of 6 s mend that",
        shown_by=GRID,
    ),
    Assumption(
        what="requested rate",
        value="the largest that can be named",
        why="the routers' 90 % are the only limit that the paper prints",
        sensitivity="ns-2's default, what is queued within 50 ms, makes 100 Mbit/s and 1 Gbit/s "
        "almost alike",
        shown_by=GRID,
    ),
    Assumption(
        what="smallest approved window that is used",
        value="one packet more than slow start's 3",
        why="ns-2's rule",
        sensitivity="2 packets: at 384 kbit/s Quick-Start loses to slow start also at 20 ms",
        shown_by=GRID,
    ),
    Assumption(
        what="clock by which Quick-Start paces",
        value="the round trip in whole ticks of 10 ms, at least one",
        why="ns-2's rule and tick",
        sensitivity="with an exact clock or ticks of 1 ms the decoded table is 1.7 off, with 20 ms "
        "3.7",
        shown_by=STUDY,
    ),
    Assumption(
        what="queue",
        value="150 packets, as in Sec. II",
        why="Sec. IV speaks of unlimited ones",
        sensitivity="without end Table I is the same; large transfers lose nothing, and Fig. 5 "
        "falls in order",
        shown_by=GRID,
    ),
    Assumption(
        what="first and shortest timeout",
        value="3 s and 0.2 s",
        why="ns-2's defaults",
        sensitivity="a first timeout of 6 s lets requests through at 1000 ms; the shortest one is "
        "felt by transfers with losses alone",
        shown_by=GRID,
    ),
    Assumption(
        what="initial window of a connection whose request is refused",
        value="3 packets, as the paper prints for all connections",
        why="ns-2's default would be 2",
        sensitivity="2 packets: no difference in the decoded Table I, but 3 packets at 384 kbit/s "
        "and 20 ms lose 7.4 %, where the text sees hardly a change",
        shown_by=STUDY,
    ),
    Assumption(
        what="smallest transfer with a request",
        value="1 packet",
        why="the paper names no limit; ns-2 has one of 4 packets where requests follow the size",
        sensitivity="4 packets: 2 and 3 packets are left to slow start, and the -24 % of 3 packets "
        "at 384 kbit/s and 50 ms of the decoded set-up become 0",
        shown_by=STUDY,
    ),
    Assumption(
        what="background",
        value="none",
        why="the paper has N/2 web sessions and does not print N; nor does it say whether the "
        "transfers of its figures are theirs",
        sensitivity="2 web sessions: a table of one run per cell is 20 to 61 points away from the "
        "published one with the decoded inputs, which without are 0.05 away",
        shown_by="QS-BG",
    ),
    Assumption(
        what="delay of figure 5",
        value="1 ms",
        why="the first of the paper's range",
        sensitivity="1 Gbit/s begins at 47 % with 1 ms, at 67 % with 3 ms and 75 % with 10 ms, "
        "while the figure's axis ends at 40 %",
        shown_by="QS-F5",
    ),
)

FITTED = (
    Assumption(
        what='decoded: what "120 kB" are',
        value="120 packets of 1500 bytes on the wire",
        why="a packet counted as a kB",
        sensitivity="119 or 121 packets: 0.1; 83 packets: 3.3",
        shown_by=STUDY,
        fitted_to=TABLE1,
    ),
    Assumption(
        what="decoded: delay of each host's own line",
        value="1 ms, so that the round trip is twice the delay and 4 ms",
        why="a round number",
        sensitivity="0.95 or 1.05 ms: 0.4; none: 10.5",
        shown_by=STUDY,
        fitted_to=TABLE1,
    ),
    Assumption(
        what="decoded: which of the links between the three routers are slow and have the delay",
        value="one, and the other takes no time",
        why="Table I has one delay",
        sensitivity="the other as a link of 1 Gbit/s: 0.06; both slow with half the delay: 0.3; "
        "the delay on both: 22",
        shown_by=STUDY,
        fitted_to=TABLE1,
    ),
    Assumption(
        what="decoded: requested rate",
        value="163.84 Mbit/s, which is ns-2's code for 20 MB/s",
        why="only the column of 1 Gbit/s shows it",
        sensitivity="half of it: 3.1; twice: 2.2; as much as the link has: 3.7",
        shown_by=STUDY,
        fitted_to=TABLE1,
    ),
    Assumption(
        what="decoded: smallest approved window that is used",
        value="2 packets",
        why="the negative cell: its window is 2 packets, slow start's is 3",
        sensitivity="3 packets: 0.2, and that cell is 0; 1 packet: no difference",
        shown_by=STUDY,
        fitted_to=TABLE1,
    ),
)

ASSUMPTIONS = (*LITERAL, *FITTED)
