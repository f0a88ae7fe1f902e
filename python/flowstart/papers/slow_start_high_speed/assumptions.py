"""What the slides do not print and we chose."""

from flowstart.papers.experiment import Assumption

CHOSEN = (
    Assumption(
        "Queue at the server's interface",
        "3000 packets at 100 Mbit/s and 1 Gbit/s, 30 000 at 10 Gbit/s",
        "Fitted: with 0.18 to 0.25 BDP at 1 Gbit/s QS-app takes half of Reno's time. At 100 Mbit/s"
        " it is two BDP, so that all are alike there, as the slides have it.",
        "Below, Reno takes longer than twice QS-app's time; above, less; below 0.03 BDP QS-app"
        " loses packets itself, as with 3000 packets at 10 Gbit/s, where it then takes 49 s.",
        "CAV-BUFFER",
    ),
    Assumption(
        "How QS-app's window enters that queue",
        "no faster than the interface sends",
        "The slides call it back to back; only so does it fit a queue that makes Reno lose.",
        "At once into the queue it loses most of itself and is slower than Reno; with a queue that"
        " never drops Reno loses nothing, and QS-app takes 0.7 of its time.",
        "CAV-BUFFER",
    ),
    Assumption(
        "ACKs and growth",
        "an ACK for every second packet, one segment for each ACK",
        "What hosts of 2008 did.",
        "With an ACK for every packet the queue must hold 0.22 to 0.25 BDP; LSS takes 31 s"
        " instead of 43 s.",
        "CAV-BUFFER",
    ),
    Assumption(
        "Initial window",
        "3 packets",
        "RFC 3390.",
        "From 2 to 10 both ratios hold with the chosen queue.",
        "CAV-BUFFER",
    ),
    Assumption(
        "LSS's max_ssthresh",
        "100 packets",
        "RFC 3742's recommendation.",
        "With 50 LSS takes 61 s and a quarter becomes a seventh; with 200 it still holds.",
        "CAV-BUFFER",
    ),
    Assumption(
        "Loss recovery",
        "SACK",
        "What hosts of 2008 had; nothing else repairs thousands of losses in a few round trips.",
        "With NewReno the Reno transfer takes twice as long; half then needs a queue of one BDP.",
        "CAV-BUFFER",
    ),
    Assumption(
        "What QS-app does after its first window",
        "congestion avoidance",
        "The window already fills the path.",
        "In slow start it overshoots at once and takes 0.84 of Reno's time.",
        "CAV-BUFFER",
    ),
    Assumption(
        "Reading a SACK block",
        "5 us per Gbit/s of the interface: 50 us at 10 Gbit/s",
        "Fitted to QS-app being the slowest on 10G-1G. Kernels of 2008 searched a queue as long as"
        " the window for each block, hence in proportion to the interface's speed.",
        "Read in no time QS-app is through 10G-1G before LSS; with 20 us for a block at"
        " 1 Gbit/s half needs a queue of 0.5 to 1 BDP.",
        "CAV-HOST",
    ),
    Assumption(
        "Buffer of a link narrower than the interface",
        "0.2 BDP",
        "As at the 1-Gbit/s interface.",
        "On 10G-1G QS-app is the slowest up to 0.5 BDP save at 0.1; at 1 BDP LSS is.",
        "CAV-HOST",
    ),
    Assumption(
        "When a transfer is reset",
        "after eight timeouts in a row",
        "The slides do not say who reset it.",
        "It never happens; a limit of 60 s without progress is reached at 1.5 ms for a SACK block.",
        "CAV-HOST",
    ),
    Assumption(
        "Gap between the starts of simultaneous sessions",
        "1 s",
        "The slides say that one starts first.",
        "From 0 to 10 s Reno's mean of two sessions on 1G-1G is 20 to 110 s; who retransmits the"
        " least on 10G-1G does not change.",
        "CAV-6",
    ),
)
