import pytest

from flowstart.simulation.run import run
from flowstart_papers.quick_start_low_latency import (
    PAPER,
    curves,
    faster_link,
    figure2,
    lost,
    readings,
)
from flowstart_papers.quick_start_low_latency.curves import Sweep
from flowstart_papers.quick_start_low_latency.faster_link import Choice
from flowstart_papers.quick_start_low_latency.limited import QUICK_START, last_write, waiting
from flowstart_papers.quick_start_low_latency.measures import Ending, Pair, granted, look
from flowstart_papers.quick_start_low_latency.published import BY_ID, explained
from flowstart_papers.quick_start_low_latency.setups import (
    DECODED,
    LITERAL,
    SLOW_START,
    TABLE1_KB,
    transfer,
)
from flowstart_papers.quick_start_low_latency.utilisation import Use, alone, used
from flowstart_papers.target import Measured, TargetClass


def ending(seconds: float, dropped: int = 0) -> Ending:
    return {"seconds": seconds, "dropped": dropped, "timeouts": 0}


def at_100ms(**values: float) -> dict[curves.Place, float]:
    return {(100, int(packets[1:])): value for packets, value in values.items()}


def test_the_literal_set_up_has_the_words_of_the_paper() -> None:
    assert LITERAL.packets(TABLE1_KB) == 83
    path = transfer(LITERAL, "384kbps", 50, 83, SLOW_START)["path"]
    assert [hop["rate"] for hop in path["hops"]] == ["384kbps", "384kbps"]
    assert [hop["delay"] for hop in path["hops"]] == ["50ms", "50ms"]
    assert path["access_delay"] == "0ms"
    assert LITERAL.round_trip(50) == pytest.approx(0.2)


def test_the_readings_that_were_fitted_together_are_the_decoded_set_up() -> None:
    assert readings.setting(readings.LITERAL_READING) == LITERAL
    assert readings.setting(readings.DECODED_READING) == DECODED
    assert DECODED.packets(TABLE1_KB) == 120
    assert DECODED.round_trip(50) == pytest.approx(0.104)


def test_every_reading_of_the_grid_but_one_differs_from_the_literal_set_up() -> None:
    delay = readings.FIGURE5_DELAY.name
    same = [
        cell
        for cell in readings.cells()
        if readings.setting(cell) == LITERAL and cell[delay] == readings.LITERAL_READING[delay]
    ]
    assert same == [readings.LITERAL_READING]


def test_a_miss_says_what_the_decoded_inputs_come_to() -> None:
    cell = "qs.t1.1g.1000ms"
    far, near = {cell: Measured(66.7)}, {cell: Measured(71.37)}
    said = explained(far, near, {cell: "They are 83 packets."})[cell]
    assert said.because.startswith("They are 83 packets.")
    assert "71.37" in said.because
    assert explained(near, near, {})[cell].because == ""


def test_what_the_paper_has_the_wrong_way_round_is_a_refutation() -> None:
    refuted = {i for i, t in BY_ID.items() if t.target_class is TargetClass.REFUTATION}
    assert refuted == {"qs.f2.100ms.peak", "qs.deny.cost"}


def test_the_decoded_cells_are_repeats_of_the_printed_ones_and_marked_as_fitted() -> None:
    again = BY_ID["qs.decoded.1g.50ms"]
    printed = BY_ID["qs.t1.1g.50ms"]
    assert again.target_class is TargetClass.REPEAT
    assert (again.expected, again.within) == (printed.expected, printed.within)
    assert len(PAPER.fitted(again.id)) == len(readings.FITTED)
    assert PAPER.fitted(printed.id) == []


def test_an_approved_rate_is_told_from_the_window_and_the_handshake() -> None:
    assert granted(2, 0.106) == 320_000
    assert granted(1392, 0.204) == 81_920_000


def test_a_trace_shows_the_opening_and_the_flights_of_slow_start() -> None:
    document = transfer(DECODED, "1Gbps", 100, DECODED.packets(TABLE1_KB), SLOW_START)
    seen = look(run(document, trace=True))
    assert seen["window"] == 3
    assert seen["handshake"] == pytest.approx(0.204, abs=1e-5)
    assert seen["flights"] == 6


def test_cells_with_losses_stand_apart() -> None:
    found = Sweep(
        LITERAL,
        "100Mbps",
        {
            (1, 4): Pair(ending(2.0), ending(1.0)),
            (1, 500): Pair(ending(2.0), ending(5.0, dropped=1)),
        },
    )
    assert curves.improvements(found) == {(1, 4): 50.0}
    assert curves.lossy(found) == {(1, 500): -150.0}


def test_a_curve_may_step_up_only_where_slow_start_needs_one_flight_more() -> None:
    assert figure2.falls(at_100ms(_4=16, _9=7, _10=12, _21=9))
    assert not figure2.falls(at_100ms(_4=16, _6=7, _9=8, _10=6))
    assert not figure2.falls(at_100ms(_4=16, _10=12, _22=13))


def test_the_threshold_is_where_quick_start_begins_to_win_for_good() -> None:
    wins = Choice(ending(2.0), ending(1.0), ending(1.5))
    loses = Choice(ending(2.0), ending(1.8), ending(1.5))
    assert faster_link.threshold({1: wins, 3: loses, 5: wins, 10: wins}) == 5
    assert faster_link.threshold({1: wins, 3: loses}) is None


def test_use_is_counted_on_the_last_router_link() -> None:
    slow = run(alone(("100Mbps", 20), SLOW_START, 5))
    quick = run(alone(("100Mbps", 20), LITERAL.quick_start, 5))
    last = next(row for row in quick.links.to_dicts() if row["name"] == "forward-1")
    assert used(quick) == pytest.approx(100 * last["utilisation"])
    assert used(quick) > 10 * used(slow)


def test_more_use_is_counted_over_all_seeds_together() -> None:
    use = Use([1.0, 3.0], [3.0, 3.0])
    assert use.points == pytest.approx(1.0)
    assert use.relative == pytest.approx(50.0)


def test_a_burst_that_the_queue_does_not_hold_takes_an_approved_flight_apart() -> None:
    seen = lost.look(run(lost.document(120, LITERAL.quick_start, 300, 1), trace=True))
    assert seen["dropped"] > 0
    assert seen["window"] is not None
    assert seen["window"] <= 3
    undisturbed = lost.look(run(lost.document(120, LITERAL.quick_start, 0, 1), trace=True))
    assert (undisturbed["dropped"], undisturbed["window"]) == (0, None)


def test_a_grant_is_gone_when_the_application_has_more_only_a_round_trip_later() -> None:
    soon, late = (
        [last_write(run(waiting(startup, wait))) for startup in (SLOW_START, QUICK_START)]
        for wait in (0.5, 2)
    )
    assert soon[1] < soon[0] / 2
    assert late[1] == pytest.approx(late[0])
