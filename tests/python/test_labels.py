"""Names beside points of a figure."""

import itertools
import random

from flowstart.render.charts import Label, NamedPoint, placed

WITHIN = (0.0, 0.0, 600.0, 400.0)


def overlaps(one: Label, other: Label) -> bool:
    (left, bottom, right, top), its = one.box, other.box
    return left < its[2] and its[0] < right and bottom < its[3] and its[1] < top


def test_a_name_stands_at_the_right_of_its_point_where_there_is_room() -> None:
    (label,) = placed([NamedPoint(300, 200, "name")], 8, WITHIN)
    assert (label.y, label.far) == (200, False)
    assert label.x > 300


def test_a_name_at_the_right_edge_stands_inside() -> None:
    (label,) = placed([NamedPoint(598, 200, "name")], 8, WITHIN)
    assert label.box[2] <= 600


def test_names_of_a_crowd_do_not_overlap() -> None:
    drawn = random.Random(1)
    points = [
        NamedPoint(drawn.gauss(300, 15), drawn.gauss(200, 15), f"start-{i}") for i in range(30)
    ]
    found = placed(points, 8, WITHIN)
    assert len(found) == 30
    assert not any(overlaps(*pair) for pair in itertools.combinations(found, 2))


def test_what_is_avoided_has_no_name_over_it() -> None:
    rule = (0.0, 200.0, 600.0, 200.0)
    (label,) = placed([NamedPoint(300, 200, "name")], 8, WITHIN, [rule])
    assert label.box[1] >= 200 or label.box[3] <= 200


def test_names_of_the_first_are_placed_before_others() -> None:
    points = [NamedPoint(300, 200, "other"), NamedPoint(300, 200, "first", is_first=True)]
    assert [label.point.name for label in placed(points, 8, WITHIN)] == ["first", "other"]
