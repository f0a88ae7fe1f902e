"""What the slides do not print and we chose. Nothing here was fitted."""

from flowstart_papers.experiment import Assumption

ASSUMPTIONS = (
    Assumption(
        "How QS-app's window enters its interface's queue",
        "at once",
        "The slide calls the scheme unpaced.",
        "Handed over as fast as the interface sends, or into a queue that never drops, it loses"
        " nothing on 1G-1G and is done in 8.5 s instead of 62 s.",
        "CAV-BUFFER",
    ),
    Assumption(
        "Queue at the server's interface",
        "1000 packets, before every path and for every scheme",
        "What Linux gives an Ethernet interface.",
        "QS-app is slower than Reno on 1G-1G with up to 10 000 packets. With 3000 it takes 33 s"
        " and Reno 18 s. With its window spread, half of Reno needs 2700 to 3750.",
        "CAV-BUFFER",
    ),
    Assumption(
        "Buffer of a link narrower than the interface",
        "0.1 BDP",
        "2 MB at 1 Gbit/s, as switches of the time had.",
        "On 10G-1G QS-app is the slowest up to 0.1 BDP; from 0.2 BDP on LSS is.",
        "CAV-HOST",
    ),
    Assumption(
        "ACKs and growth",
        "an ACK for every second packet, one segment for each ACK",
        "What hosts of 2008 did.",
        "With an ACK for every packet LSS takes 31 s instead of 43 s.",
        "CAV-BUFFER",
    ),
    Assumption(
        "Initial window",
        "3 packets",
        "RFC 3390.",
        "No statement changes with 2.",
        "CAV-READINGS",
    ),
    Assumption(
        "LSS's max_ssthresh",
        "100 packets",
        "RFC 3742's recommendation.",
        "With 1000 LSS takes 17 s on 1G-1G instead of 43 s, and sends 247 packets again.",
        "CAV-READINGS",
    ),
    Assumption(
        "Loss recovery",
        "SACK, a timeout of 1 s at least",
        "What hosts of 2008 had; RFC 2988.",
        "With NewReno Reno and QS-app take up to four times as long, and on 10G-1G QS-app is not"
        " the slowest. Linux's 200 ms changes no statement.",
        "CAV-READINGS",
    ),
    Assumption(
        "What QS-app does after its first window",
        "congestion avoidance",
        "The window already fills the path.",
        "In slow start its times change by 5 % at most on the slides' paths at 1 Gbit/s; at"
        " 100 Mbit/s and 220 ms all starts are alike then.",
        "CAV-READINGS",
    ),
    Assumption(
        "The rate that paced Quick Start requests",
        "the interface's",
        "The one window that the slides give a formula for; no router on these paths answered.",
        "For the narrowest link's rate it loses nothing.",
        "CAV-READINGS",
    ),
    Assumption(
        "Reading a SACK block",
        "takes no time",
        "Nothing speaks of the hosts' speed.",
        "Times on 10G-1G move both ways, by a factor of three at 10 to 100 us.",
        "CAV-HOST",
    ),
    Assumption(
        "When a transfer is reset",
        "after 15 consecutive timeouts",
        "Linux's tcp_retries2: TCP's own rule.",
        "It never happens. A host that gives up after 0.3 to 4 s of silence resets QS-app alone.",
        "CAV-RESET",
    ),
    Assumption(
        "Gap between the starts of simultaneous sessions",
        "1 s",
        "The slides say that one starts first.",
        "The startup with fewest retransmissions on 10G-1G does not change.",
        "CAV-6",
    ),
    Assumption(
        "Socket buffers",
        "without limit",
        "The slides call them large.",
        "With 16 or 32 MB QS-app at 10 Gbit/s loses less and recovers longer, and pacing its window"
        " saves no time.",
        "CAV-READINGS",
    ),
)
