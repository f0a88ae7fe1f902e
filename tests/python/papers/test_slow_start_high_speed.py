"""The transoceanic slides: set-ups, and the reckoning that no target checks."""

import numpy as np
import pytest

from flowstart.papers.slow_start_high_speed import buffer, tell
from flowstart.papers.slow_start_high_speed.setups import PACED, Host, Path, network, startup

WIDE, NARROW = Path(1000, 10_000), Path(10_000, 1000)


def test_an_interface_that_is_the_narrowest_link_has_the_queue_itself() -> None:
    assert WIDE.expands
    assert not NARROW.expands
    assert "nic_rate" not in network(WIDE, Host())
    assert network(WIDE, Host())["rate"] == "1000Mbps"
    assert network(NARROW, Host())["nic_rate"] == "10000Mbps"


@pytest.mark.parametrize(
    ("path", "scheme", "paced"),
    [(WIDE, "QS-app", "true"), (NARROW, "QS-app", "false"), (NARROW, PACED, "true")],
)
def test_only_the_interface_itself_or_pacing_spreads_a_window(
    path: Path, scheme: str, paced: str
) -> None:
    assert f"paced={paced}" in startup(scheme, path)


def at(queue: float, reno: float) -> buffer.Seconds:
    return buffer.Seconds(queue, {"QS-app": 10.0, "Reno": reno, "LSS": 40.0})


def test_queues_with_which_both_hold_are_told_as_intervals() -> None:
    sweep = [at(0.1, 20), at(0.2, 21), at(0.3, 50), at(0.4, 19), at(0.5, 12)]
    assert buffer._interval(sweep) == "0.1 to 0.2 and 0.4 BDP"
    assert buffer._interval([at(0.1, 50)]) == "none of those tried"


def test_errors_count_each_side_for_itself() -> None:
    known = [(True, 0.1), (True, 0.95), (False, 1.0), (False, 0.8), (False, 1.0), (False, 1.0)]
    assert tell._errors(known, 0.9, "rate") == (0.5, 0.25)
    mirrored = [(shrinks, -value) for shrinks, value in known]
    assert tell._errors(mirrored, -0.9, "loss") == (0.5, 0.25)


def test_the_ack_rate_is_that_of_neighbours_not_of_silence() -> None:
    """Two packets of 1500 bytes every 480 us are 50 Mbit/s, half the interface's rate."""
    acks = np.array([0, 1, 2, 3, 4, 5]) * 2 * tell.MSS
    times = np.array([0.0, 480e-6, 960e-6, 0.18, 0.18 + 480e-6, 0.18 + 960e-6])
    assert tell._ack_rate(acks, times, 0.18) == pytest.approx(0.5)
