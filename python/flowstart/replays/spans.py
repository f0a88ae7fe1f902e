"""What the durations of a server's log span: servers and tools begin and end them differently."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SPANS = {
    -1.0: "from the first data sent until a round trip before its last acknowledgement",
    -0.5: "from the first data sent until the client has the last byte",
    0.0: "from the first data sent to its last acknowledgement",
    0.5: "from the server's SYN until the client has the last byte",
    1.0: "from the client's SYN until it has the last byte",
    1.5: "from the client's SYN to the last acknowledgement",
}
"""By the round trips beyond those from the first data sent to its last acknowledgement."""
FEWEST = 30
"""With fewer transfers, durations are taken to span the data."""


def best(simulated_s: Floats, recorded_s: Floats, rtt_s: Floats) -> float:
    """The span with which most simulated times, of the data alone, agree with the recorded ones."""
    if len(recorded_s) < FEWEST:
        return 0.0

    def difference(span: float) -> float:
        times_s = np.maximum(simulated_s + span * rtt_s, 1e-6)
        return float(np.abs(np.log(times_s / recorded_s)).mean())

    return min(SPANS, key=difference)
