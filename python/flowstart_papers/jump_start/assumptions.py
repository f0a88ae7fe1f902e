"""The inputs that the paper does not print, and what happens when one moves."""

from flowstart_papers.experiment import Assumption

ASSUMPTIONS = (
    Assumption(
        "recovery from loss",
        "ns-2's Sack1",
        "the paper names the sack1 variant",
        "the gain without contention goes from -30 % to -60 % with RFC 3517, to +13 % with SACK "
        "that lacks NextSeg's rules 3 and 4, and to +3 % under Reno",
        "JS-READINGS",
    ),
    Assumption(
        "starts of figure 2",
        "at the interval exactly",
        "the paper says periodic",
        "up to 10 ms late the gain moves by 26 points at 0.1 s and by nothing from 1 s on; Reno "
        "then meets all that is printed of figure 2",
        "JS-READINGS",
    ),
    Assumption(
        "intervals of figure 2",
        "0.05 to 2 s",
        "the text names 1 s alone; a direction is full at 0.24 s",
        "between 0.3 and 1 s the gain changes its sign several times, as rounds and interval beat",
        "JS-F2a",
    ),
    Assumption(
        "initial window of slow start",
        "3 packets",
        "printed; two other settings of ns-2 are near",
        "with 2 or 4 slow start too waits for the timer and all that is printed of figure 2 "
        "holds, but a point of figure 1 leaves the band",
        "JS-READINGS",
    ),
    Assumption(
        "time between packets of the first flight",
        "the handshake's round trip / D",
        "paced over the first round trip, and Sec. IV.A's rate is D in a round trip; D - 1 was "
        "given up because figure 1 then misses",
        "with D - 1 the gain is 1.2 and 5.8 % at 4 and 8 packets instead of 9.3 and 9.7 %",
        "JS-READINGS",
        ("js.f1.4", "js.f1.8"),
    ),
    Assumption(
        "duration",
        "from the first SYN to the last ACK",
        "the duration of a connection; without the handshake figure 1 misses",
        "without it the gain at 32 packets is 51 % instead of 42 %",
        "JS-READINGS",
        ("js.f1.32",),
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
        "delayed, the gain passes 50 % at 32 and 64 packets, slow start loses nothing without "
        "contention, and Jump Start takes 71 % longer there",
        "JS-READINGS",
    ),
    Assumption(
        "least value of the retransmission timer",
        "200 ms",
        "ns-2's default",
        "with 1 s Jump Start's gain without contention is -136 %",
        "JS-READINGS",
    ),
    Assumption(
        "queue of 60 packets",
        "the packet in service counts",
        "as ns-2 counts",
        "no statement about figures 1 and 2 changes",
        "JS-READINGS",
    ),
    Assumption(
        "access lines",
        "none; 1 ms each under contention, where their rate is printed",
        "the round trip is 64 ms in all",
        "no statement changes",
        "JS-READINGS",
    ),
    Assumption(
        "clock of the pacing",
        "exact",
        "the paper says nothing",
        "in ticks of 10 ms no statement about figures 1 and 2 changes",
        "JS-READINGS",
    ),
    Assumption(
        "pages of a session",
        "5, always",
        "the paper prints a mean; ns-2's generator takes a number",
        "drawn from an exponential law, 1.7 times as many of Jump Start's connections as of slow "
        "start's take longer than 1 s",
        "JS-READINGS",
    ),
    Assumption(
        "pause between pages",
        "from the end of a page",
        "ns-2's generator",
        "from its start the load is heavier, and the ratio of loss rates falls below 1.3",
        "JS-READINGS",
    ),
    Assumption(
        "request for an object",
        "a packet on a separate connection",
        "ns-2's generator",
        "with the response on the same connection the ratio at the 25th percentile is 1.14 "
        "instead of 1.11, and the share above 1 s is no longer similar",
        "JS-READINGS",
    ),
    Assumption(
        "bystanders of Sec. IV.B and IV.E",
        "connections of 20 packets, alone or next to two long transfers",
        "the paper measures none",
        "next to long transfers RED adds more harm and CHOKe less",
        "JS-AQM",
    ),
)
