import pytest

from flowstart.papers.quick_start_low_latency import faster_link, figure2, sizes
from flowstart.papers.quick_start_low_latency.faster_link import Choice
from flowstart.papers.quick_start_low_latency.setups import SLOW_START, TABLE1, transfer
from flowstart.papers.quick_start_low_latency.table1 import granted, look
from flowstart.papers.quick_start_low_latency.transfers import Ending, Pair
from flowstart.simulation.run import run


def ending(seconds: float, dropped: int = 0) -> Ending:
    return {"seconds": seconds, "dropped": dropped, "timeouts": 0}


def at_100ms(**values: float) -> dict[sizes.Place, float]:
    return {(100, int(packets[1:])): value for packets, value in values.items()}


def test_an_approved_rate_is_told_from_the_window_and_the_handshake() -> None:
    assert granted(2, 0.106) == 320_000
    assert granted(1392, 0.204) == 81_920_000


def test_a_trace_shows_the_opening_and_the_flights_of_slow_start() -> None:
    seen = look(run(transfer(TABLE1, "1Gbps", 100, SLOW_START), trace=True))
    assert seen["window"] == 3
    assert seen["handshake"] == pytest.approx(0.204, abs=1e-5)
    assert seen["flights"] == 6


def test_cells_with_losses_stand_apart() -> None:
    found = {
        (1, 4): Pair(ending(2.0), ending(1.0)),
        (1, 500): Pair(ending(2.0), ending(5.0, dropped=1)),
    }
    assert sizes.improvements(found) == {(1, 4): 50.0}
    assert sizes.lossy(found) == {(1, 500): -150.0}


def test_a_curve_may_step_up_only_where_slow_start_needs_one_flight_more() -> None:
    assert figure2.falls(at_100ms(_4=16, _9=7, _10=12, _21=9))
    assert not figure2.falls(at_100ms(_4=16, _6=7, _9=8, _10=6))
    assert not figure2.falls(at_100ms(_4=16, _10=12, _22=13))


def test_the_threshold_is_where_quick_start_begins_to_win_for_good() -> None:
    wins = Choice(ending(2.0), ending(1.0), ending(1.5))
    loses = Choice(ending(2.0), ending(1.8), ending(1.5))
    assert faster_link.threshold({1: wins, 3: loses, 5: wins, 10: wins}) == 5
    assert faster_link.threshold({1: wins, 3: loses}) is None
