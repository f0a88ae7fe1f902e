"""What a thinned line keeps of what happened."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from flowstart.render.thinning import apart, columns, thin

Line = tuple[list[float], list[float]]


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """A line with points in bursts, and gaps between them."""
    gaps = draw(st.lists(st.sampled_from([0.0, 0.001, 0.01, 1.0, 7.0]), min_size=1, max_size=300))
    values = st.lists(st.integers(-50, 50).map(float), min_size=len(gaps), max_size=len(gaps))
    return np.cumsum(gaps).tolist(), draw(values)


@given(lines(), st.integers(1, 40), st.data())
def test_a_column_keeps_its_ends_and_extremes_and_at_most_four_points(
    line: Line, count: int, data: st.DataObject
) -> None:
    time, value = (np.array(one) for one in line)
    column = columns(time, count)
    kept = thin(column, value)
    for at in np.unique(column):
        mine, left = np.flatnonzero(column == at), kept[column[kept] == at]
        assert {mine[0], mine[-1]} <= set(left)
        assert (value[left].min(), value[left].max()) == (value[mine].min(), value[mine].max())
        assert len(left) <= 4
    assert kept.tolist() == sorted(set(kept))
    marked = data.draw(st.lists(st.integers(0, len(time) - 1), unique=True))
    with_marks = thin(column, value, keep=marked)
    assert set(with_marks) == set(kept) | set(marked)


@given(lines(), st.integers(1, 40), st.data())
def test_extremes_of_any_interval_survive_to_within_a_column(
    line: Line, count: int, data: st.DataObject
) -> None:
    time, value = (np.array(one) for one in line)
    kept = thin(columns(time, count), value)
    width = (time[-1] - time[0]) / count
    begin = data.draw(st.floats(time[0], time[-1]))
    end = data.draw(st.floats(begin, time[-1]))

    def within(at: Any, more: float) -> Any:
        return at[(time[at] >= begin - more) & (time[at] <= end + more)]

    inside = within(np.arange(len(time)), 0)
    if not len(inside):
        return
    drawn = value[within(kept, width * (1 + 1e-9))]
    assert drawn.min() <= value[inside].min()
    assert drawn.max() >= value[inside].max()


def test_lines_that_share_their_times_keep_the_extremes_of_each() -> None:
    rising, one_peak = np.arange(100.0), np.where(np.arange(100) == 37, 9.0, 0.0)
    kept = thin(columns(np.arange(100.0), 1), rising, one_peak)
    assert kept.tolist() == [0, 37, 99]


def test_what_is_no_number_is_no_extreme() -> None:
    values = np.array([1.0, np.nan, 5.0, -2.0, np.nan, 3.0])
    assert thin(columns(np.arange(6.0), 1), values).tolist() == [0, 2, 3, 5]


def test_nothing_stays_nothing() -> None:
    assert not len(thin(columns([], 5), []))
    assert not len(apart([], [], 5, 5))


def test_marks_on_the_same_pixel_are_one() -> None:
    assert apart([0, 0.1, 50, 50, 100], [0, 0.1, 3, 90, 100], 100, 100).tolist() == [0, 2, 3, 4]
