"""Coordinates of drawn paths."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flowstart.sweeps.language.sampling import METHODS, Coordinate, Split, coordinates, permutation

NAMES = ["path.rate", "path.rtt", "path.buffer", "flow.size"]
PATHS = 512


def found(method: str, seed: int = 1) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    each = coordinates(method, seed, PATHS, NAMES)
    return np.array([[each[name](path) for name in NAMES] for path in range(PATHS)])


def discrepancy(method: str, seed: int) -> float:
    """The largest difference between the share of paths in a box from the origin and its volume.

    Over pairs of dimensions and a lattice of corners.
    """

    def of_boxes() -> Iterator[float]:
        points = found(method, seed)
        corners = [i / 16 for i in range(1, 17)]
        for one, other in ((0, 1), (1, 2), (2, 3)):
            for a, b in product(corners, corners):
                inside = (points[:, one] < a) & (points[:, other] < b)
                yield abs(float(inside.mean()) - a * b)

    return max(of_boxes())


@pytest.mark.parametrize("method", METHODS)
def test_coordinates_are_from_0_to_below_1_and_fill_it(method: str) -> None:
    points = found(method)
    assert points.min() >= 0
    assert points.max() < 1
    assert np.abs(points.mean(axis=0) - 0.5).max() < 0.05
    assert np.abs(np.corrcoef(points.T) - np.eye(4)).max() < 0.15


@pytest.mark.parametrize("method", METHODS)
def test_another_seed_gives_other_coordinates(method: str) -> None:
    assert not np.isclose(found(method, 1), found(method, 2)).all(axis=1).any()


def test_halton_is_more_even_than_random() -> None:
    seeds = range(1, 6)
    even = [discrepancy("halton", seed) for seed in seeds]
    drawn = [discrepancy("random", seed) for seed in seeds]
    assert max(even) < min(drawn) / 1.5


def test_a_latin_hypercube_has_one_path_in_each_stratum() -> None:
    points = found("latin-hypercube")
    for dimension in points.T:
        assert sorted(np.floor(dimension * PATHS)) == list(range(PATHS))


@pytest.mark.parametrize("method", METHODS)
def test_a_parameter_added_behind_the_others_leaves_them_as_they_are(method: str) -> None:
    some = coordinates(method, 3, PATHS, NAMES[:2])
    more = coordinates(method, 3, PATHS, NAMES)
    for name in NAMES[:2]:
        assert [some[name](p) for p in range(50)] == [more[name](p) for p in range(50)]


@pytest.mark.parametrize("method", ["random", "latin-hypercube"])
def test_the_order_of_parameters_makes_no_difference(method: str) -> None:
    one = coordinates(method, 3, PATHS, NAMES)
    other = coordinates(method, 3, PATHS, NAMES[::-1])
    assert all(one[name](7) == other[name](7) for name in NAMES)


@given(st.integers(1, 300), st.integers(0, 2**64))
def test_a_permutation_meets_every_number_once(size: int, seed: int) -> None:
    at = permutation(size, seed, "x")
    assert sorted(map(at, range(size))) == list(range(size))


def test_recorded_coordinates_stay_what_they_are() -> None:
    def at(method: str) -> Coordinate:
        return coordinates(method, 1, 1000, NAMES)["path.rtt"]

    known = {method: [round(at(method)(p), 9) for p in (0, 1, 999)] for method in METHODS}
    assert known == {
        "random": [0.034618933, 0.34218246, 0.859289443],
        "halton": [0.974170671, 0.307504004, 0.997947534],
        "latin-hypercube": [0.225034619, 0.680342182, 0.172859289],
    }


def test_a_split_has_about_its_share_and_does_not_move() -> None:
    parts = [Split(0.7, 1).part(path) for path in range(2000)]
    assert parts.count("train") / 2000 == pytest.approx(0.7, abs=0.03)
    larger = [Split(0.8, 1).part(path) for path in range(2000)]
    moved = {(a, b) for a, b in zip(parts, larger, strict=True)}
    assert ("train", "test") not in moved
