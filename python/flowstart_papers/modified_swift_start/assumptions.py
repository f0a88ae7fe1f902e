"""The inputs that the paper does not print, as the literal set-up has them."""

from flowstart_papers.experiment import Assumption

ASSUMPTIONS = (
    Assumption(
        what="base round trip",
        value="0.11281 s over T1 and 0.07307 s over OC-1 besides twice the delay, on the line",
        why="26 of the 28 printed round trips; the packets' own way explains 0.017 and 0.001 s, "
        "and the paper controls the delay on the line",
        sensitivity="without it windows shrink with the round trip; the jump stays",
        shown_by="MSS-READINGS",
        fitted_to=("mss.t1.rtt.*", "mss.oc1.rtt.*"),
    ),
    Assumption(
        what="frame",
        value="1500 bytes",
        why="a segment of 1460 with both its headers; the paper's formula has 1487, but the gap "
        "that it prints from its simulation is that of 1500",
        sensitivity="with 1487 no window of the tables is met",
        shown_by="MSS-READINGS",
        fitted_to=("mss.f4.D.sim",),
    ),
    Assumption(
        what="router",
        value="one processor for both directions, 200 µs a packet",
        why="the paper prints 5000 packets a second for a router, not for a direction",
        sensitivity="at 20 000 packets a second, or with one processor for each direction, the "
        "second gap over OC-1 is the line's",
        shown_by="MSS-P",
    ),
    Assumption(
        what="first threshold",
        value="65 535 bytes",
        why="Sec. II: the window cannot exceed a threshold that the receiver advertises",
        sensitivity="without one no timeout costs slow start anything, and the jump is gone",
        shown_by="MSS-READINGS",
    ),
    Assumption(
        what="timeout",
        value="halves the threshold and restores four segments; that of a SYN does neither",
        why="Sec. III divides the threshold by two and resets the window to the initial one, which "
        "Table 1 has as four; it speaks of packets that a window too large has lost",
        sensitivity="if the SYN's timeout counts, 25 to 27 round trips are saved from 0.5 s on "
        "instead of 13 to 15, and the printed differences are met",
        shown_by="MSS-RTO",
    ),
    Assumption(
        what="initial RTO after a repeated SYN",
        value="1 s again, not doubled",
        why="Table 1's initial RTO, until a round trip has been measured; Karn's algorithm, which "
        "Table 1 turns on, may be read as keeping 2 s",
        sensitivity="with 2 s no data times out and the jump is gone; with an initial RTO of 3 s "
        "too",
        shown_by="MSS-RTO",
        fitted_to=("mss.t1.jump", "mss.oc1.jump"),
    ),
    Assumption(
        what="ACK timer",
        value="0.2 s after the segment",
        why="Table 1; its `clock based` may mean a clock that ticks every 0.2 s",
        sensitivity="what such a clock may take moves the differences up to 0.1 s by more than the "
        "published ones are off",
        shown_by="MSS-CLOCK",
    ),
    Assumption(
        what="10 MB",
        value="2^20 bytes each",
        why="the usual reading",
        sensitivity="differences change by at most 1.5 round trips",
        shown_by="MSS-RTO",
    ),
    Assumption(
        what="queue",
        value="endless",
        why="256 MB of memory in the routers, and no loss in any figure",
        sensitivity="a queue of 44 packets, the receiver's window, changes nothing",
        shown_by="MSS-RTO",
    ),
)
