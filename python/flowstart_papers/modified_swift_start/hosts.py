"""Table 1: what both hosts have, and what the text says of their packets and windows."""

MSS = 1460
HEADER = 40
"""Of TCP and IP beside the payload: the gap of the paper's simulation is that of 1500 bytes."""
BARE = 40
"""Bytes of an acknowledgement."""
PROBE = 4
"""Segments of the first window."""
RECEIVER_WINDOW = 65_535
"""Bytes. Sec. III: the window is a field of 16 bits, and Table 1 turns its scaling off."""
RTT_GAIN = 0.125
"""Of the mean round trip."""
FILE = 10 * 2**20
"""The paper's 10 MB."""
