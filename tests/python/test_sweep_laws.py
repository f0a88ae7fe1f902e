"""Laws of a sweep: what a parameter is at a coordinate."""

from typing import Any

import numpy as np
import pytest

from flowstart.model.quantities import Kind
from flowstart.sweeps.language.expressions import MSS, PACKET, Meaning, Scope, Slot
from flowstart.sweeps.language.law_tables import published, read
from flowstart.sweeps.language.laws import Law
from flowstart.sweeps.language.parameters import LEAST, fields

NAMES = {
    "rate": Meaning(Kind.RATE),
    "rtt": Meaning(Kind.TIME),
    "queue": Meaning(None),
}
SCOPE: Scope = {
    "rate": 100e6,
    "rtt": 80e6,
    "queue": "drop-tail",
    PACKET: 1500.0,
    MSS: 1460.0,
    LEAST: 1.0,
}


def law(place: str, value: Any) -> Law:
    part, _, name = place.partition(".")
    return read(value, Slot(part, fields(part)[name], NAMES))


def values(place: str, value: Any, coordinates: list[float]) -> list[Any]:
    found = law(place, value)
    return [found.at(u, SCOPE) for u in coordinates]


def quantiles(place: str, value: Any, count: int = 20_000) -> list[float]:
    return values(place, value, [(i + 0.5) / count for i in range(count)])


def grid(place: str, value: Any) -> list[Any]:
    return [point.at(0, SCOPE) for point in law(place, value).points()]


def test_a_linear_range_is_uniform_between_its_bounds() -> None:
    found = values("path.rtt", {"linear": ["10ms", "30ms"]}, [0, 0.25, 0.999999999])
    assert found == [10e6, 15e6, 30e6]


def test_a_logarithmic_range_is_uniform_in_the_logarithm() -> None:
    found = values("path.rate", {"log": ["1Mbps", "1Gbps"]}, [0, 1 / 3, 2 / 3])
    assert found == [1e6, 10e6, 100e6]


def test_bounds_may_be_expressions() -> None:
    found = values("path.reverse_rate", {"log": ["rate/30", "rate/10"]}, [0, 0.999999999])
    assert found == pytest.approx([100e6 / 30, 10e6], rel=1e-12)


def test_draws_have_four_significant_digits() -> None:
    assert values("path.rate", {"log": ["1Mbps", "1Gbps"]}, [0.123456789]) == [2.346e6]


def test_a_range_is_evenly_spaced_in_a_grid_with_its_bounds() -> None:
    assert grid("path.rtt", {"linear": ["10ms", "30ms"], "steps": 3}) == [10e6, 20e6, 30e6]
    assert grid("path.rate", {"log": ["1Mbps", "1Gbps"], "steps": 4}) == [1e6, 10e6, 100e6, 1e9]
    assert len(grid("path.rate", {"log": ["1Mbps", "1Gbps"]})) == 5
    assert grid("path.rtt", {"linear": ["10ms", "30ms"], "steps": 1}) == [20e6]


def test_a_choice_follows_its_weights() -> None:
    choice = {"choice": ["drop-tail", "fq-codel"], "weights": [3, 1]}
    found = values("path.queue", choice, [0, 0.74, 0.76, 0.99])
    assert found == ["drop-tail", "drop-tail", "fq-codel", "fq-codel"]
    assert grid("path.queue", choice) == ["drop-tail", "fq-codel"]


def test_a_choice_of_weight_zero_is_never_taken() -> None:
    found = values(
        "path.queue", {"choice": ["red", "codel", "pie"], "weights": [0, 1, 0]}, [0, 0.5]
    )
    assert found == ["codel", "codel"]


def test_a_mixture_draws_within_the_part_that_it_takes() -> None:
    mixture = {"mixture": [0, {"log": ["0.01%", "1%"]}], "weights": [8, 2]}
    assert values("path.loss", mixture, [0, 0.79, 0.8, 0.9]) == [0, 0, 0.0001, 0.001]


def test_a_mixture_has_the_points_of_its_parts_in_a_grid() -> None:
    mixture = {"mixture": [0, {"log": ["0.01%", "1%"], "steps": 3}]}
    assert grid("path.loss", mixture) == [0, 0.0001, 0.001, 0.01]


def test_a_lognormal_has_its_median_and_its_spread() -> None:
    found = values("path.rtt", {"lognormal": {"median": "35ms", "sigma": 0.8}}, [0.5, 0.8, 0.95])
    # An edge's: 80 % below 68 ms, 95 % below 130 ms.
    assert found == pytest.approx([35e6, 68.6e6, 130.5e6], rel=1e-3)


def test_a_normal_has_its_mean_and_deviation() -> None:
    found = values("path.rtt", {"normal": {"mean": "50ms", "sd": "5ms"}}, [0.5, 0.8413447])
    assert found == pytest.approx([50e6, 55e6], rel=1e-3)


def test_an_exponential_has_its_mean() -> None:
    found = quantiles("path.rtt", {"exponential": {"mean": "50ms"}})
    assert np.mean(found) == pytest.approx(50e6, rel=0.01)


def test_a_pareto_has_the_vector_of_the_models() -> None:
    pareto = {"pareto": {"scale": "4kB", "shape": 1.2}}
    assert values("flow.size", pareto, [0, 0.5]) == [4000, 7127]


def test_within_is_as_if_drawn_again() -> None:
    inside = {"lognormal": {"median": "35ms", "sigma": 0.8}, "within": ["20ms", "40ms"]}
    found = quantiles("path.rtt", inside)
    assert min(found) >= 20e6
    assert max(found) <= 40e6
    assert found.count(20e6) + found.count(40e6) < 20


def test_least_and_most_keep_to_bounds() -> None:
    clamped = {"log": ["0.001bdp", "4bdp"], "least": "10pkt", "most": "2bdp"}
    found = values("path.buffer", clamped, [0, 0.99])
    assert found == [15000, 2e6]


def test_parts_of_quantiles_stand_for_a_distribution_in_a_grid() -> None:
    found = grid("path.rtt", {"exponential": {"mean": "50ms"}, "steps": 2})
    assert found == pytest.approx([-50e6 * np.log(0.75), -50e6 * np.log(0.25)], rel=1e-3)


def test_another_field_may_decide_which_law_it_is() -> None:
    by = law(
        "path.buffer",
        {"by": "queue", "cases": {"drop-tail": "10pkt", "codel": "20pkt"}, "else": "30pkt"},
    )
    queues = ["drop-tail", "codel:target=5ms", "red"]
    assert [by.at(0, SCOPE | {"queue": q}) for q in queues] == [15e3, 30e3, 45e3]
    assert by.names == {"queue"}


def test_a_law_may_stand_within_text() -> None:
    template = {"log": ["1ms", "4ms"], "as": "exponential:mean={}", "steps": 3}
    assert values("path.aggregation", template, [0.5]) == ["exponential:mean=2ms"]
    assert [text[-3:] for text in grid("path.aggregation", template)] == ["1ms", "2ms", "4ms"]


def test_none_leaves_a_field_out() -> None:
    mixture = {"mixture": ["none", "rate/4"], "weights": [1, 1]}
    assert values("path.policer_rate", mixture, [0, 0.5]) == [None, 25e6]


@pytest.mark.parametrize(
    ("u", "size"), [(0, 1), (0.53, 80_000), (0.565, 140_000), (0.65, 600_000), (0.9999999, 30e6)]
)
def test_web_search_has_the_vectors_of_the_models(u: float, size: float) -> None:
    assert values("flow.size", {"law": "web-search"}, [u]) == [size]


def test_data_mining_has_the_vector_of_the_models_and_its_cap() -> None:
    assert values("flow.size", {"law": "data-mining"}, [0.85, 0.985]) == [205_000, 100e6]


def test_below_the_first_point_every_draw_is_its_value() -> None:
    assert values("flow.size", {"law": "google-rpc"}, [0, 0.497, 0.785]) == [256, 256, 512]


@pytest.mark.parametrize(
    ("name", "mean", "tolerance"),
    [
        ("web-search", 1.71125e6, 0.002),
        ("hadoop", 120e3, 0.05),
        # Means of the lognormal laws before they are cut at both ends.
        ("3gpp-main", 10_710, 0.04),
        ("3gpp-embedded", 7_758, 0.06),
    ],
)
def test_published_sizes_have_their_published_means(
    name: str, mean: float, tolerance: float
) -> None:
    assert np.mean(quantiles("flow.size", {"law": name})) == pytest.approx(mean, rel=tolerance)


def test_the_heavy_tail_has_the_mean_of_its_capped_pareto() -> None:
    shape, least, most = 1.2, 4e3, 100e6
    mean = least * shape / (shape - 1) - least**shape * most ** (1 - shape) / (shape - 1)
    found = quantiles("flow.size", {"law": "heavy-tail"}, 200_000)
    assert np.mean(found) == pytest.approx(mean, rel=0.02)


def test_surge_has_7_percent_in_its_tail() -> None:
    found = np.array(quantiles("flow.size", {"law": "surge"}))
    assert np.mean(found > 133e3) == pytest.approx(0.07, abs=1e-3)


def test_round_trips_to_an_edge_are_as_measured() -> None:
    found = quantiles("path.rtt", {"law": "edge-rtt"})
    assert np.median(found) == pytest.approx(36e6, rel=0.03)
    assert np.mean(np.array(found) > 199e6) == pytest.approx(0.03 + 0.97 * 0.0145, abs=2e-3)


@pytest.mark.parametrize("name", published())
def test_every_published_distribution_can_be_drawn(name: str) -> None:
    place = {"size": "flow.size", "time": "path.rtt", "rate": "path.rate"}
    found = quantiles(place[published()[name]["kind"]], {"law": name}, 100)
    assert all(value > 0 for value in found)
    assert len(set(found)) > 5
