"""What was chosen because no paper gives it."""

from flowstart_papers.experiment import Assumption

ASSUMPTIONS = (
    Assumption(
        what="window that Fast Start remembers",
        value="26 packets",
        why="one bandwidth-delay product of Jump Start's path",
        sensitivity="with 13 packets slow start's camp gains a little more; with 52 it gains "
        "nothing "
        "certain, and with 104 it loses a fifth",
        shown_by="MIX-CHOSEN",
    ),
    Assumption(
        what="interface of QS-app",
        value="50 Mbit/s",
        why="the hosts' own lines in Jump Start's second set-up",
        sensitivity="harm to slow start's camp grows with it, and is gone where it is the "
        "bottleneck's "
        "5 Mbit/s",
        shown_by="MIX-CHOSEN",
    ),
    Assumption(
        what="when connections open",
        value="up to 10 ms after a multiple of the interval",
        why="as for Jump Start's figure 2, whose text has no more than the interval",
        sensitivity="at random moments Modified Swift Start harms slow start where it seemed to "
        "help it",
        shown_by="MIX-ARRIVALS",
    ),
    Assumption(
        what="ten transfers of 100 kB on T1 and of 1 MB on OC-1, opened within the time that the "
        "line needs for all ten",
        value="100 kB, 1 MB",
        why="long enough to leave the startup behind, short enough for it to matter",
        sensitivity="next to Modified Swift Start slow start's camp loses about as much with 50 kB "
        "and "
        "less with 400 kB",
        shown_by="MIX-CHOSEN",
    ),
)
