import polars as pl
import pytest

from flowstart.simulation.run import run
from flowstart_papers import published
from flowstart_papers.quick_start_low_latency import (
    PAPER,
    figures,
    measures,
    readings,
    sharing,
    transfers,
)
from flowstart_papers.quick_start_low_latency.setups import (
    DECODED,
    LITERAL,
    SLOW_START,
    TABLE1_KB,
    transfer,
)
from flowstart_papers.target import TargetClass

PUBLISHED = published.of("flowstart_papers.quick_start_low_latency")
BY_ID = {target.id: target for target in PUBLISHED.targets}


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
    delay = readings.FIGURE5_DELAY
    same = [
        cell
        for cell in readings.cells()
        if readings.setting(cell) == LITERAL and cell[delay] == readings.LITERAL_READING[delay]
    ]
    assert same == [readings.LITERAL_READING]


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
    assert measures.granted(2, 0.106) == 320_000
    assert measures.granted(1392, 0.204) == 81_920_000


def test_a_trace_shows_the_opening_and_the_flights_of_slow_start() -> None:
    document = transfer(DECODED, "1Gbps", 100, DECODED.packets(TABLE1_KB), SLOW_START)
    seen = measures.look(run(document, trace=True))
    assert seen["window"] == 3
    assert seen["handshake"] == pytest.approx(0.204, abs=1e-5)
    assert seen["flights"] == 6


def test_cells_with_losses_stand_apart() -> None:
    found = pl.DataFrame({"delay": [1, 1], "packets": [4, 500], "loss_free": [True, False]})
    assert figures.free(found)["packets"].to_list() == [4]


def test_a_curve_may_step_up_only_where_slow_start_needs_one_flight_more() -> None:
    assert figures.falls({4: 16, 9: 7, 10: 12, 21: 9})
    assert not figures.falls({4: 16, 6: 7, 9: 8, 10: 6})
    assert not figures.falls({4: 16, 10: 12, 22: 13})


def test_the_threshold_is_where_quick_start_begins_to_win_for_good() -> None:
    assert sharing.threshold({1: True, 3: False, 5: True, 10: True}) == 5
    assert sharing.threshold({1: True, 3: False}) is None


def test_use_is_counted_on_the_last_router_link() -> None:
    slow, quick = (run(sharing.alone("100Mbps", 20, name, 5)) for name in transfers.STARTUPS)
    last = next(row for row in quick.links.to_dicts() if row["name"] == "forward-1")
    assert measures.used(quick) == pytest.approx(100 * last["utilisation"])
    assert measures.used(quick) > 10 * measures.used(slow)


def test_more_use_is_counted_over_all_seeds_together() -> None:
    assert sharing.relative([1.0, 3.0], [3.0, 3.0])[0] == pytest.approx(50.0)


def test_a_burst_that_the_queue_does_not_hold_takes_an_approved_flight_apart() -> None:
    hit, undisturbed = (
        measures.burst(run(sharing.met_by_burst(120, "Quick-Start", burst, 1), trace=True))
        for burst in (300, 0)
    )
    assert hit["dropped"] > 0
    assert hit["window"] is not None
    assert hit["window"] <= 3
    assert (undisturbed["dropped"], undisturbed["window"]) == (0, None)


def test_a_grant_is_gone_when_the_application_has_more_only_a_round_trip_later() -> None:
    soon, late = (
        [measures.last_write(run(sharing.waiting(name, wait)))["seconds"]
         for name in transfers.STARTUPS]
        for wait in (0.5, 2)
    )  # fmt: skip
    assert soon[1] < soon[0] / 2
    assert late[1] == pytest.approx(late[0])
