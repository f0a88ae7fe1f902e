"""Which rows of a comparison are marked as the best."""

from flowstart.comparison.summary import fastest


def test_the_fastest_is_marked_and_what_ties_with_it_and_gains_too() -> None:
    times = [2.0, 1.0, 1.0005]
    assert fastest(times, [0, -0.5, -0.49975], times) == [False, True, True]


def test_the_baseline_may_be_the_best() -> None:
    assert fastest([1.0, 2.0], [0, 1.0], [1.0, 2.0]) == [True, False]


def test_what_ties_with_the_fastest_is_marked_with_it_even_if_that_is_the_baseline() -> None:
    times = [1.0, 1.0004, 2.0]
    assert fastest(times, [0, 0.0004, 1.0], times) == [True, True, False]


def test_of_single_runs_the_fastest_is_marked_by_whatever_share() -> None:
    times = [1.0, 0.998]
    assert fastest(times, [0, -0.002], times) == [False, True]


def test_a_mean_that_is_hardly_lower_does_not_outweigh_a_far_slower_worst_run() -> None:
    assert fastest([0.2, 0.199], [0, -0.005], [0.320, 0.578]) == [True, False]
    assert fastest([0.2, 0.180], [0, -0.1], [0.320, 0.578]) == [False, True]


def test_what_loses_by_its_change_is_not_marked_however_fast_it_is() -> None:
    assert fastest([2.0, 1.0], [0, 0.034], [2.0, 1.0]) == [False, False]


def test_without_a_difference_or_an_end_nothing_is_marked() -> None:
    assert fastest([1.0, 1.0005], [0, 0.0005], [1.0, 1.0005]) == [False, False]
    assert fastest([None, None], [None, None], [None, None]) == [False, False]
