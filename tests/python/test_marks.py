"""Which rows of a comparison are marked as the best."""

from flowstart.render import marks


def test_the_soonest_is_marked_and_who_ties_with_it_and_gains_too() -> None:
    assert marks.soonest([2.0, 1.0, 1.0005], [0, -0.5, -0.49975]) == [False, True, True]


def test_the_baseline_may_be_the_best() -> None:
    assert marks.soonest([1.0, 2.0], [0, 1.0]) == [True, False]


def test_who_ties_with_the_soonest_is_marked_with_it_even_if_that_is_the_baseline() -> None:
    assert marks.soonest([1.0, 1.0004, 2.0], [0, 0.0004, 1.0]) == [True, True, False]


def test_who_loses_by_its_change_is_not_marked_however_soon_it_is() -> None:
    assert marks.soonest([2.0, 1.0], [0, 0.034]) == [False, False]


def test_without_a_difference_or_an_end_nobody_is_marked() -> None:
    assert marks.soonest([1.0, 1.0005], [0, 0.0005]) == [False, False]
    assert marks.soonest([None, None], [None, None]) == [False, False]
