"""What a flow's competing loses by it."""

import numpy as np
import polars as pl
import pytest

from flowstart.sweeps.runs.batch import Alone, Seen, harm

NOTHING = pl.DataFrame()


def seen(**fields: object) -> Seen:
    usual: dict[str, object] = {
        "opened_s": 10.0,
        "done_s": 11.0,
        "end_s": 12.0,
        "delivered_bytes": 100,
        "watched_bytes": 0,
        "watched_fct_s": None,
        "writes": NOTHING,
        "objects": NOTHING,
    }
    return Seen(**usual | fields)  # type: ignore[arg-type]


def steady(rate: float) -> Alone:
    """A long flow that delivers so many bytes a second."""
    times = np.linspace(0, 20, 201)
    return Alone(None, NOTHING, NOTHING, (times, times * rate))


@pytest.mark.parametrize(
    ("delivered", "share", "seconds"),
    [(11900, 0.0, 0.0), (11400, 0.25, 0.5), (12000, 0.0, -0.1)],
    ids=["all but what it shared", "half a second's less", "more than it could"],
)
def test_a_long_flow_is_harmed_by_what_it_lost_beyond_its_share(
    delivered: int, share: float, seconds: float
) -> None:
    found = harm("long", seen(watched_bytes=delivered), steady(1000.0))
    assert found is not None
    assert [found.share, found.seconds] == pytest.approx([share, seconds])


def test_a_short_flow_is_harmed_by_the_share_of_its_time_that_was_added() -> None:
    found = harm("short", seen(watched_fct_s=1.25), Alone(1.0, NOTHING, NOTHING))
    assert found is not None
    assert [found.share, found.seconds] == pytest.approx([0.2, 0.25])


def test_a_flow_that_gained_has_no_harm() -> None:
    found = harm("same", seen(watched_fct_s=0.9), Alone(1.0, NOTHING, NOTHING))
    assert found is not None
    assert [found.share, found.seconds] == pytest.approx([0.0, -0.1])


def test_a_call_is_harmed_while_the_flow_under_test_is_open() -> None:
    at = [9.9, 10.1, 10.5, 11.5]
    beside = pl.DataFrame({"available_s": at, "delivered_s": [19.9, 10.2, 10.6, 21.5]})
    without = pl.DataFrame({"available_s": at, "delivered_s": [x + 0.05 for x in at]})
    found = harm("probe", seen(writes=beside), Alone(None, without, NOTHING))
    assert found is not None
    assert [found.share, found.seconds] == pytest.approx([0.5, 0.05])


def test_web_responses_are_compared_object_by_object() -> None:
    key = {"web": [0, 0], "session": [0, 1], "page": [0, 0], "object": [0, 0]}
    beside = pl.DataFrame(key | {"requested_s": [10.5, 12.0], "response_s": [2.0, 9.0]})
    without = pl.DataFrame(key | {"requested_s": [10.5, 12.0], "response_s": [1.0, 1.0]})
    found = harm("web", seen(objects=beside), Alone(None, NOTHING, without))
    assert found is not None
    assert [found.share, found.seconds] == pytest.approx([0.5, 1.0])


def test_there_is_no_harm_where_the_flow_under_test_never_opened() -> None:
    assert harm("long", seen(opened_s=None), steady(1000.0)) is None


def test_a_flow_that_is_never_done_any_more_has_lost_all() -> None:
    found = harm("short", seen(), Alone(1.0, NOTHING, NOTHING))
    assert found is not None
    assert (found.share, found.seconds) == (1.0, None)


def test_there_is_none_where_the_competing_would_not_be_done_by_itself() -> None:
    assert harm("short", seen(), Alone(None, NOTHING, NOTHING)) is None


def test_a_web_response_that_does_not_come_takes_until_the_end_at_least() -> None:
    key = {"web": [0], "session": [0], "page": [0], "object": [0], "requested_s": [10.5]}
    beside = pl.DataFrame(key | {"response_s": [None]}, schema_overrides={"response_s": pl.Float64})
    without = pl.DataFrame(key | {"response_s": [0.5]})
    found = harm("web", seen(objects=beside), Alone(None, NOTHING, without))
    assert found is not None
    assert [found.share, found.seconds] == pytest.approx([2 / 3, 1.0])


def test_a_call_that_is_not_heard_any_more_waits_until_the_end_at_least() -> None:
    beside = pl.DataFrame({"available_s": [10.0], "delivered_s": [None]}).cast(pl.Float64)
    without = pl.DataFrame({"available_s": [10.0], "delivered_s": [10.5]})
    found = harm("probe", seen(writes=beside), Alone(None, without, NOTHING))
    assert found is not None
    assert [found.share, found.seconds] == pytest.approx([0.75, 1.5])


def test_a_long_flow_that_stood_still_by_itself_was_not_warm() -> None:
    times = np.array([0.0, 10.2, 11.9])
    stalled = Alone(None, NOTHING, NOTHING, (times, times * 1000))
    assert harm("long", seen(watched_bytes=11000), stalled) is None
