"""Cells of a sweep: which there are, in which order, and which are the same."""

import dataclasses
import itertools
import pathlib
import tracemalloc
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flowstart.errors import RequestError
from flowstart.model.document import resolve
from flowstart.model.path import named_paths
from flowstart.sweeps.cell import Cell
from flowstart.sweeps.language.sweep import Sweep

CAPTURE = pathlib.Path(__file__).parents[1] / "data" / "captures" / "web-mix.pcap.gz"
SMALL: dict[str, Any] = {
    "startups": ["slow-start"],
    "path": {"rate": "10Mbps", "rtt": "48ms"},
    "flow": {"size": "1MB"},
}
DRAWN: dict[str, Any] = {
    "startups": ["slow-start"],
    "stack": "linux",
    "path": {
        "rate": {"log": ["1Mbps", "1Gbps"]},
        "rtt": {"log": ["5ms", "600ms"]},
        "buffer": {"log": ["0.1bdp", "4bdp"], "least": "10pkt"},
    },
    "flow": {"size": "1MB"},
    "sample": {"paths": 50},
}


def sweep(document: dict[str, Any] = SMALL, **given: Any) -> Sweep:
    """A sweep with other tables, of which those of the document keep their other keys."""
    merged = {
        key: {**document[key], **value}
        if isinstance(value, dict) and isinstance(document.get(key), dict)
        else value
        for key, value in given.items()
    }
    return Sweep.of(document | merged)


def cells(document: dict[str, Any] = SMALL, **given: Any) -> list[Cell]:
    return list(sweep(document, **given).cells())


def paths(document: dict[str, Any] = SMALL, **given: Any) -> list[dict[str, Any]]:
    return [cell.path for cell in cells(document, **given)]


def test_a_sweep_without_dimensions_is_one_cell() -> None:
    path = {"rate": "10Mbps", "rtt": "48ms"}
    only = Cell(0, path, {"size": "1MB"}, {"preset": "linux"}, None, "alone", 1, "", "")
    assert cells() == [only]


def test_a_grid_has_every_combination_in_the_order_of_the_file() -> None:
    found = cells(
        path={"rate": ["1Mbps", "2Mbps"], "rtt": ["10ms", "20ms"]},
        flow={"size": ["10kB", "1MB"]},
        cc=["reno", "cubic"],
        competing={"kinds": ["alone", "long"]},
    )
    seen = [(c.path["rate"], c.path["rtt"], c.flow["size"], c.cc, c.competing) for c in found]
    assert seen == list(
        itertools.product(
            ["1Mbps", "2Mbps"],
            ["10ms", "20ms"],
            ["10kB", "1MB"],
            ["reno", "cubic"],
            ["alone", "long"],
        )
    )
    assert [c.number for c in found] == list(range(32))


def test_quantities_are_worked_out_as_the_simulator_does() -> None:
    found = paths(
        path={"rate": "7.3Mbps", "rtt": "33.3ms", "buffer": ["0.5bdp", "1bdp", "0.01bdp", "2.7bdp"]}
    )
    for given_, path in zip(["0.5bdp", "1bdp", "0.01bdp", "2.7bdp"], found, strict=True):
        asked = {"rate": "7.3Mbps", "rtt": "33.3ms", "buffer": given_}
        resolved = resolve({"path": asked, "flows": [{"size": "1kB"}]})
        assert path["buffer"] == resolved["path"]["buffer"]


def test_expressions_name_fields_that_stand_further_down() -> None:
    path = {"buffer": "max(10pkt, 0.5bdp, size/10)", "rate": "reverse_rate*2"}
    found = paths(path=path | {"reverse_rate": "6Mbps"}, flow={"size": "300kB"})
    assert found[0]["rate"] == "12Mbps"
    assert found[0]["buffer"] == "24pkt"


def test_the_sizes_of_packets_are_those_of_the_stack() -> None:
    found = cells(flow={"size": "bdp"}, stack=["rfc", "linux"], path={"buffer": "10pkt"})
    # The BDP is 60 kB: 41 segments of 1460 bytes, 41 of 1448.
    assert [c.flow["size"] for c in found] == ["41pkt", "41pkt"]
    assert [c.stack for c in found] == [{"preset": "rfc"}, {"preset": "linux"}]


def test_a_buffer_under_ns2_has_room_for_two() -> None:
    found = cells(stack=["linux", "ns2"], path={"buffer": "0.01bdp"})
    assert [c.path["buffer"] for c in found] == ["1pkt", "2pkt"]


def test_a_bdp_of_a_path_without_a_rate_is_left_to_the_simulator() -> None:
    hops = [{"rate": "10Mbps", "delay": "10ms"}, {"rate": "5Mbps", "delay": "10ms"}]
    document = SMALL | {"path": {"hops": hops, "buffer": ["0.5bdp", "1bdp"]}}
    assert [path["buffer"] for path in paths(document)] == ["0.5bdp", "1bdp"]


def test_values_that_work_out_to_the_same_are_one_cell() -> None:
    whole = sweep(path={"buffer": ["10pkt", "0.1bdp", "max(10pkt, 0.1bdp)", "1bdp"]})
    found = list(whole.cells())
    assert [(c.number, c.path["buffer"]) for c in found] == [
        (0, "10pkt"),
        (1, "4pkt"),
        (3, "40pkt"),
    ]
    assert whole.count == 4
    assert whole.collapsed == {"path.buffer": 1}


def test_a_field_that_means_nothing_in_a_cell_is_left_out_of_it() -> None:
    whole = sweep(path={"loss": [0, "1%"], "loss_burst": [2, 5]})
    found = [(path.get("loss"), path.get("loss_burst")) for path in (c.path for c in whole.cells())]
    assert found == [(None, None), ("0.01", "2"), ("0.01", "5")]
    assert whole.collapsed == {"path.loss_burst": 1}


def test_seeds_of_what_is_not_drawn_are_one() -> None:
    whole = sweep(path={"loss": [0, "1%"]}, seeds=3)
    found = Counter("loss" in cell.path for cell in whole.cells())
    assert found == {False: 1, True: 3}
    assert whole.collapsed == {"seeds": 2}


def test_seeds_of_web_load_are_several() -> None:
    found = cells(competing={"kinds": ["alone", "web"]}, seeds=3)
    assert Counter(cell.competing for cell in found) == {"alone": 1, "web": 3}


def test_counts_of_what_collapsed_make_up_the_rest() -> None:
    whole = sweep(
        path={
            "loss": ["0", "0%", "1%"],
            "loss_burst": [2, 5],
            "buffer": ["1bdp", "max(1pkt, 1bdp)", "2bdp"],
            "queue": ["drop-tail", "red"],
        },
        seeds=2,
    )
    found = list(whole.cells())
    assert len(found) + sum(whole.collapsed.values()) == whole.count
    assert len({c.number for c in found}) == len(found)
    questions = {str(dataclasses.replace(c, number=0, seed=0)) + str(c.seed % 2) for c in found}
    assert len(questions) == len(found)


def test_seeds_are_a_paths_own_so_that_chance_on_one_says_nothing_of_another() -> None:
    found = cells(path={"rate": ["1Mbps", "2Mbps"], "loss": "1%"}, seeds=2)
    assert [(c.path["rate"], c.seed) for c in found] == [
        ("1Mbps", 1), ("1Mbps", 2), ("2Mbps", 3), ("2Mbps", 4),
    ]  # fmt: skip


def test_listed_seeds_are_those_of_every_path() -> None:
    found = cells(path={"rate": ["1Mbps", "2Mbps"], "loss": "1%"}, seeds=[7, 9])
    assert [c.seed for c in found] == [7, 9, 7, 9]


def test_a_grid_takes_points_of_laws() -> None:
    found = paths(
        path={
            "rate": {"log": ["1Mbps", "100Mbps"], "steps": 3},
            "rtt": {"linear": ["10ms", "20ms"]},
        }
    )
    assert [path["rate"] for path in found[::5]] == ["1Mbps", "10Mbps", "100Mbps"]
    assert [path["rtt"] for path in found[:5]] == ["10ms", "12.5ms", "15ms", "17.5ms", "20ms"]


def test_a_sample_draws_laws_and_takes_every_value_of_lists() -> None:
    found = cells(DRAWN, path={"queue": ["drop-tail", "fq-codel"]}, sample={"paths": 3})
    assert [c.path["queue"] for c in found] == ["drop-tail", "fq-codel"] * 3
    assert len({c.path["rate"] for c in found}) == 3
    assert found[0].path["rate"] == found[1].path["rate"]


@pytest.mark.parametrize("method", ["random", "halton", "latin-hypercube"])
def test_draws_keep_to_their_laws(method: str) -> None:
    found = paths(DRAWN, sample={"paths": 200, "method": method})
    assert all(int(path["buffer"].removesuffix("pkt")) >= 10 for path in found)
    slow = sum(path["rate"].endswith("Mbps") and float(path["rate"][:-4]) < 31.6 for path in found)
    assert 70 <= slow <= 130


def test_another_parameter_changes_no_draw() -> None:
    before = paths(DRAWN)
    after = paths(DRAWN, path={"loss": {"log": ["0.01%", "1%"]}}, startups="all", seeds=1)
    for path in after:
        del path["loss"]
    assert before == after


def test_more_paths_leave_the_first_ones_as_they_are() -> None:
    assert cells(DRAWN) == cells(DRAWN, sample={"paths": 60})[:50]


def test_another_seed_of_the_sample_draws_other_paths() -> None:
    one, other = paths(DRAWN), paths(DRAWN, sample={"seed": 2})
    assert not any(a["rate"] == b["rate"] for a, b in zip(one, other, strict=True))


def test_parts_share_neither_paths_nor_seeds() -> None:
    whole = sweep(DRAWN, split={"train": 0.6}, seeds=2, path={"loss": "1%"})
    train, test = (list(whole.only(part).cells()) for part in ("train", "test"))
    assert {c.split for c in train} == {"train"}
    assert not {c.seed for c in train} & {c.seed for c in test}
    assert sorted(train + test, key=lambda c: c.number) == list(whole.cells())


def test_parts_of_listed_seeds_share_none_either() -> None:
    whole = sweep(DRAWN, split={"train": 0.6}, seeds=[1, 2], path={"loss": "1%"})
    seeds = {c.split: set[int]() for c in whole.cells()}
    for cell in whole.cells():
        seeds[cell.split].add(cell.seed)
    assert seeds == {"train": {1, 2}, "test": {1_000_001, 1_000_002}}


def test_a_path_stays_in_its_part_when_others_are_added() -> None:
    parts = [c.split for c in cells(DRAWN, split={"train": 0.6})]
    more = [c.split for c in cells(DRAWN, split={"train": 0.6}, sample={"paths": 80})]
    assert more[:50] == parts


def test_paths_known_by_name_tell_where_they_come_from() -> None:
    document = SMALL | {"path": {"named": ["leo", "lte"]}}
    found = cells(document)
    assert [c.origin for c in found] == ["leo", "lte"]
    for cell in found:
        known = {k: v for k, v in named_paths()[cell.origin].items() if k != "about"}
        asked = resolve({"path": known, "flows": [{"size": "1kB"}]})["path"]
        assert resolve({"path": cell.path, "flows": [{"size": "1kB"}]})["path"] == asked


def test_every_path_known_by_name_is_there_once() -> None:
    assert [c.origin for c in cells(SMALL | {"path": {"named": "all"}})] == list(named_paths())


def test_fields_beside_a_named_path_take_its_place() -> None:
    found = paths(SMALL | {"path": {"named": "lte", "rate": "5Mbps", "jitter": "none"}})
    assert found[0]["rate"] == "5Mbps"
    assert "jitter" not in found[0]
    assert found[0]["ripple"] == "12ms"


def test_a_trace_takes_the_place_of_a_named_paths_rate() -> None:
    steps = [{"rate": "5Mbps", "lasts": "1s"}]
    found = paths(SMALL | {"path": {"named": "lte", "rate_steps": steps, "buffer": "100pkt"}})
    assert found[0]["rate_steps"] == steps
    assert not {"rate", "rate_variation"} & set(found[0])


def test_perturbed_paths_stay_within_their_factors() -> None:
    document = DRAWN | {
        "path": {"named": "geo", "perturb": {"rate": [0.5, 1.6], "rtt": [0.7, 1.4]}}
    }
    rates = [float(path["rate"].removesuffix("Mbps")) for path in paths(document)]
    assert 20 <= min(rates) < 24
    assert 56 < max(rates) <= 64


def test_paths_of_captures_are_those_of_its_networks() -> None:
    found = cells(SMALL | {"path": {"captures": [str(CAPTURE)], "queue": "codel"}})
    assert len(found) == 10
    assert all("/" in cell.origin and cell.path["queue"] == "codel" for cell in found)


def test_paths_of_captures_are_drawn_by_their_transfers() -> None:
    path = {"captures": str(CAPTURE), "perturb": {"rtt": [0.9, 1.1]}}
    whole = sweep(DRAWN | {"path": path, "sample": {"paths": 2000}})
    weights = {origin: weight for origin, _, weight in whole.document["captured"][0]}
    drawn = Counter(cell.origin for cell in whole.cells())
    for origin, weight in weights.items():
        share = weight / sum(weights.values())
        assert drawn[origin] / 2000 == pytest.approx(share, abs=0.03)


def test_families_follow_their_weights_and_share_what_is_common() -> None:
    families = [
        {"weight": 3},
        {"weight": 1, "name": "policed", "policer_rate": "rate/4", "policer_burst": "100kB"},
    ]
    found = cells(DRAWN, paths=families, sample={"paths": 400})
    policed = [cell for cell in found if cell.origin == "policed"]
    assert len(policed) / 400 == pytest.approx(0.25, abs=0.05)
    assert all({"rate", "rtt", "buffer", "policer_rate"} <= set(c.path) for c in policed)
    alone = cells(DRAWN, sample={"paths": 400})
    assert [c.path["rate"] for c in found] == [c.path["rate"] for c in alone]


def test_a_grid_goes_over_every_family() -> None:
    families = [{"rate": ["1Mbps", "2Mbps"]}, {"named": "leo"}, {"loss": ["1%", "2%", "3%"]}]
    whole = sweep(paths=families)
    assert whole.count == 6
    assert [c.number for c in whole.cells()] == list(range(6))


GAUGE: dict[str, Any] = {
    "startups": ["slow-start"],
    "stack": "linux",
    "path": {
        "rate": {"log": ["1Mbps", "1Gbps"]},
        "rtt": {"log": ["5ms", "600ms"]},
        "queue": {"choice": ["drop-tail", "fq-codel", "codel"], "weights": [70, 15, 15]},
        "buffer": {
            "by": "queue",
            "cases": {"drop-tail": {"log": ["0.1bdp", "4bdp"], "least": "10pkt"}},
            "else": {"log": ["0.1bdp", "4bdp"], "least": "1000pkt"},
        },
        "loss": {"mixture": [0, {"log": ["0.01%", "2%"]}], "weights": [80, 20]},
    },
    "paths": [
        {"weight": 50},
        {"weight": 15, "aggregation": {"linear": ["1ms", "8ms"], "as": "exponential:mean={}"}},
        {"weight": 10, "jitter": {"log": ["0.5ms", "20ms"], "as": "uniform:most={}"}},
        {
            "weight": 8,
            "ack_batch": {"log": ["0.5ms", "8ms"]},
            "ack_thinning": {"choice": [True, False]},
        },
        {"weight": 7, "rate_variation": {"linear": [0.2, 0.6], "as": "wander:sigma={}"}},
        {
            "weight": 5,
            "policer_rate": "rate/4",
            "policer_burst": {"log": ["30kB", "1MB"]},
        },
        {
            "weight": 5,
            "reverse_rate": {"log": ["rate/30", "rate/10"]},
            "reverse_buffer": "128kB",
        },
        {"weight": 8, "named": "all", "perturb": {"rate": [0.5, 1.6], "rtt": [0.7, 1.4]}},
    ],
    "flow": {"size": ["15kB", "100kB", "1MB", "10MB"]},
    "competing": {"kinds": ["alone", "long", "short"]},
    "sample": {"paths": 1000, "method": "halton"},
}
"""The distribution of paths that a startup was once judged on."""


def test_a_mixture_of_everything_is_what_the_simulator_takes() -> None:
    found = [c for c in cells(GAUGE) if c.number % 12 == 0]
    assert len(found) == 1000
    for cell in found:
        resolve({"path": cell.path, "stack": cell.stack, "flows": [cell.flow]})
    aggregated = sum("exponential" in c.path.get("aggregation", "") for c in found if not c.origin)
    assert aggregated / 1000 == pytest.approx(0.15 / 1.08, abs=0.03)
    lossy = [c for c in found if "loss" in c.path and not c.origin]
    assert len(lossy) / 920 == pytest.approx(0.2, abs=0.03)
    managed = [c for c in found if c.path.get("queue", "").endswith("codel")]
    assert all(int(c.path["buffer"].removesuffix("pkt")) >= 1000 for c in managed)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 140), st.sampled_from(["random", "halton", "latin-hypercube"]))
def test_a_cell_is_the_same_whatever_was_iterated_before(stop: int, method: str) -> None:
    whole = sweep(GAUGE | {"sample": {"paths": 12, "method": method}})
    before = list(itertools.islice(whole.cells(), stop))
    interleaved = zip(whole.cells(), whole.cells(), strict=True)
    again = [one for one, other in interleaved if one == other]
    assert again[: len(before)] == before
    assert len(again) == whole.count


@pytest.mark.slow
def test_a_million_paths_take_no_memory() -> None:
    whole = sweep(DRAWN, sample={"paths": 1_000_000, "method": "halton"})
    assert whole.count == 1_000_000
    found = whole.cells()
    for _ in range(1000):
        next(found)
    tracemalloc.start()
    for _ in range(10_000):
        next(found)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 100_000


def test_a_cell_is_json() -> None:
    (cell,) = cells()
    assert cell.to_dict() == dataclasses.asdict(cell)


def test_parts_need_a_split() -> None:
    with pytest.raises(RequestError, match=r"split `train`: the sweep has no `\[split\]`"):
        sweep().only("train")
    with pytest.raises(RequestError, match="split `all`: there are train and test"):
        sweep(split={"train": 0.5}).only("all")
