"""What a map makes of a sweep: winners, regret, dominance, the front, the plane, and its files."""

import json
import math
import pathlib
import shlex
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import flowstart as fs
from flowstart.maps import figures, worst_cells
from flowstart.maps.measures import front
from flowstart.maps.outcomes import dimensions
from flowstart.maps.worst_cells import shortened
from flowstart.render import files
from made_up_map import SCENARIO, cell, row, write

Folder = pathlib.Path


def overall(frame: pl.DataFrame, startup: str) -> dict[str, Any]:
    return frame.filter((pl.col("dimension") == "all") & (pl.col("startup") == startup)).row(
        0, named=True
    )


@pytest.fixture
def sweep(tmp_path: Folder) -> Folder:
    """Three cells: `a` alone is best in one, ties in one, loses one."""
    return write(
        tmp_path / "sweep",
        cell(0, {"a": 1.0, "b": 2.0}, rate_bps=1e6),
        cell(1, {"a": 1.04, "b": 1.0}, rate_bps=1e7) + cell(2, {"a": 4.0, "b": 1.0}, rate_bps=1e8),
    )


# Winners.


def test_a_startup_wins_ties_and_loses_shares_of_cells(sweep: Folder) -> None:
    found = overall(fs.SweepResult.read(sweep).map().winners, "a")
    assert [found[name] for name in ("won", "tied", "lost")] == pytest.approx([1 / 3] * 3)


def test_the_margin_says_what_is_a_tie(sweep: Folder) -> None:
    found = overall(fs.SweepResult.read(sweep).map(margin=0.03).winners, "a")
    assert (found["won"], found["tied"]) == (pytest.approx(1 / 3), 0)


def test_cells_name_the_best_and_all_within_the_margin(sweep: Folder) -> None:
    cells = fs.SweepResult.read(sweep).map().frame
    assert cells["best"].to_list() == ["a", "b", "b"]
    assert cells["within"].to_list() == ["a", "a b", "b"]
    assert cells["last_regret"].to_list() == pytest.approx([2, 1.04, 4])


# Regret.


def test_regret_is_time_over_the_best_of_the_cell(sweep: Folder) -> None:
    found = overall(fs.SweepResult.read(sweep).map().regret, "a")
    assert found["mean"] == pytest.approx((1 * 1.04 * 4) ** (1 / 3))
    assert (found["p50"], found["worst"], found["worst_cell"]) == (1.04, 4, 2)


def test_quantiles_of_regret_are_by_nearest_rank(tmp_path: Folder) -> None:
    rows = [r for i in range(101) for r in cell(i, {"a": 1 + i / 100, "b": 1.0})]
    found = overall(fs.SweepResult.read(write(tmp_path / "sweep", rows)).map().regret, "a")
    assert (found["p50"], found["p95"], found["worst"]) == pytest.approx((1.5, 1.95, 2))


def test_a_transfer_that_was_never_completed_counts_a_hundred_and_as_the_worst(
    tmp_path: Folder,
) -> None:
    folder = write(
        tmp_path / "sweep", cell(0, {"a": None, "b": 1.0}) + cell(1, {"a": 1.0, "b": 1.0})
    )
    found = overall(fs.SweepResult.read(folder).map().regret, "a")
    assert found["unfinished"] == 0.5
    assert found["mean"] == pytest.approx(10)
    assert (found["worst"], found["worst_cell"]) == (None, 0)


def test_one_that_was_never_completed_counts_no_less_than_any_that_was(tmp_path: Folder) -> None:
    rows = cell(0, {"a": None, "b": 1.0}) + cell(1, {"a": 1.0, "b": 400.0})
    found = fs.SweepResult.read(write(tmp_path / "sweep", rows)).map().regret
    assert overall(found, "a")["mean"] == pytest.approx(20)


def test_intervals_are_of_rates_round_trips_and_buffers_and_not_of_cells(tmp_path: Folder) -> None:
    random = np.random.default_rng(1)
    rows, numbers = [], iter(range(10_000))
    for place in range(40):
        slower = 1 + random.random()
        for seed in range(5):
            times = {"a": slower, "b": 1.0}
            rows += cell(next(numbers), times, rate_bps=1e6 * (place + 1), seed=seed)
    many = overall(fs.SweepResult.read(write(tmp_path / "many", rows)).map().regret, "a")
    single = [r for r in rows if r["seed"] == 0]
    one = overall(fs.SweepResult.read(write(tmp_path / "one", single)).map().regret, "a")
    assert one["low"] < one["mean"] < one["high"]
    assert (many["low"], many["high"]) == pytest.approx((one["low"], one["high"]))
    assert many["lines"] == 40


def test_no_interval_is_stated_of_few_paths(sweep: Folder) -> None:
    found = overall(fs.SweepResult.read(sweep).map().regret, "a")
    assert (found["low"], found["high"]) == (None, None)


def test_each_startups_worst_cell_is_told_with_the_command_that_repeats_it(
    tmp_path: Folder,
) -> None:
    times = {"slow-start": 3.0, "jump-start": 1.0}
    found = fs.SweepResult.read(write(tmp_path / "sweep", cell(0, times))).map().worst_cells[0]
    assert found.where == "10 Mbps × 40 ms, buffer 30 pkt (0.90 BDP), drop-tail, 100 kB"
    assert found.command == (
        "flowstart compare --rate 10Mbps --rtt 40ms --buffer 30pkt "
        "--startup slow-start,jump-start --size 100kB --seed 1"
    )


def test_the_command_gives_the_times_of_the_cells_scenario(
    tmp_path: Folder, cli: Callable[..., Any]
) -> None:
    names = ["slow-start", "jump-start"]
    times = {}
    for name in names:
        flow = SCENARIO["flows"][0] | {"startup": name}  # type: ignore[index]
        times[name] = fs.run(SCENARIO | {"flows": [flow]}).records[0]["fct_s"]
    found = fs.SweepResult.read(write(tmp_path / "sweep", cell(0, times))).map().worst_cells
    command = next(one.command for one in found if one.regret and one.regret > 1)
    assert command
    answer = json.loads(cli(*shlex.split(command)[1:], "--json").out)
    assert {row["startup"]: row["fct_s"] for row in answer["rows"]} == times


def test_a_path_without_a_rate_or_a_limit_of_its_buffer_is_told_in_words(tmp_path: Folder) -> None:
    unknown = {"rate_bps": None, "buffer_pkts": None, "buffer_bdp": None}
    rows = cell(0, {"slow-start": 3.0, "jump-start": 1.0}, origin="lte", **unknown)
    found = fs.SweepResult.read(write(tmp_path / "sweep", rows)).map().worst_cells[0]
    assert found.where.startswith("lte, varying rate × 40 ms, buffer without limit, drop-tail")


def test_a_resolved_scenario_is_shortened_to_what_was_asked() -> None:
    from flowstart.model.document import resolve

    flow = {"startup": "slow-start", "size": "100kB", "cc": "cubic"}
    asked = {"path": {"rate": "10Mbps", "rtt": "40ms"}, "flows": [flow], "seed": 3}
    found = shortened(resolve(asked | {"stack": {"preset": "rfc", "iw": 20}}))
    assert found["stack"] == {"preset": "rfc", "iw": "20pkt"}
    assert found["path"].keys() <= {"rate", "rtt", "buffer"}
    assert found["seed"] == 3
    assert found["flows"][0]["cc"] == "cubic"


def test_a_cell_with_competing_is_repeated_from_its_scenarios_file(tmp_path: Folder) -> None:
    beside = {"startup": "slow-start", "size": "1MB"}
    scenario = SCENARIO | {"flows": [*SCENARIO["flows"], beside]}  # type: ignore[misc]
    rows = cell(0, {"hystart": 2.0, "jump-start": 1.0}, scenario=json.dumps(scenario))
    found = fs.SweepResult.read(write(tmp_path / "sweep", rows)).map()
    assert found.worst_cells[0].command is None
    assert json.loads(next(found.files())["worst-hystart.json"]) == scenario


def test_a_variant_is_told_to_compare_with_all_that_it_is(tmp_path: Folder) -> None:
    folder = write(tmp_path / "sweep", cell(0, {"hystart": 2.0, "iw30": 1.0}))
    variants = [
        {"name": "hystart", "startup": "hystart", "cc": None, "stack": {}},
        {"name": "iw30", "startup": "hystart", "cc": None, "stack": {"iw": 30}},
    ]
    (folder / "sweep.json").write_bytes(files.document({"sweep": "", "variants": variants}))
    worst = fs.SweepResult.read(folder).map().worst_cells[0]
    assert worst.command is None
    found = worst_cells.from_file("worst.json", worst.compared)
    variant = "--variant 'iw30: startup=hystart iw=30'"
    assert found == f"flowstart compare worst.json --startup hystart {variant}"


# Dominance.


def pairs(folder: Folder) -> dict[tuple[str, str], float]:
    rows = fs.SweepResult.read(folder).map().dominance.iter_rows()
    return {(one, other): share for one, other, share in rows}


def test_who_is_faster_by_more_than_a_twentieth_at_no_more_cost_dominates(
    tmp_path: Folder,
) -> None:
    rows = cell(0, {"a": 0.94, "b": 1.0, "c": 0.96})
    found = pairs(write(tmp_path / "sweep", rows))
    assert [pair for pair, share in found.items() if share] == [("a", "b")]


def test_who_retransmits_more_does_not_dominate(tmp_path: Folder) -> None:
    rows = [row(0, "a", 0.5, retransmitted_share=0.003), row(0, "b", 1.0)]
    rows += [row(1, "a", 0.5, retransmitted_share=0.001, loss=0.1), row(1, "b", 1.0, loss=0.1)]
    assert pairs(write(tmp_path / "sweep", rows))["a", "b"] == 0.5


def test_who_harms_one_kind_of_competing_more_does_not_dominate(tmp_path: Folder) -> None:
    rows = cell(0, {"a": 0.5, "b": 1.0})
    for number, competing in enumerate(("long", "short"), start=1):
        harm = 0.3 if competing == "short" else 0.1
        rows += [row(number, "a", 0.5, harm=harm, competing=competing)]
        rows += [row(number, "b", 1.0, harm=0.1, competing=competing)]
    assert pairs(write(tmp_path / "harm", rows))["a", "b"] == 0
    kinder = [r | {"harm": 0.11} if r["harm"] == 0.3 else r for r in rows]
    assert pairs(write(tmp_path / "kind", kinder))["a", "b"] == 1


def test_a_case_is_judged_by_its_mean_time_over_companies(tmp_path: Folder) -> None:
    rows = cell(0, {"a": 0.5, "b": 1.0}) + cell(1, {"a": 2.2, "b": 1.0}, competing="long")
    assert pairs(write(tmp_path / "sweep", rows)) == {("a", "b"): 0, ("b", "a"): 0}
    found = fs.SweepResult.read(tmp_path / "sweep").map(competing=["alone"]).dominance
    assert found.filter(pl.col("startup") == "a")["share"].to_list() == [1]


def test_cells_of_a_case_that_differ_in_nothing_that_is_known_are_paired_in_order(
    tmp_path: Folder,
) -> None:
    rows = []
    for number, (competing, fct) in enumerate(
        [("alone", 0.5), ("alone", 2.0), ("long", 0.5), ("long", 2.0)]
    ):
        told = {"competing": competing, "impairments": "jitter", "scenario": f"jitter of {fct}"}
        rows += cell(number, {"a": fct, "b": 1.0}, **told)
    assert pairs(write(tmp_path / "sweep", rows)) == {("a", "b"): 0.5, ("b", "a"): 0.5}


def test_the_dominated_share_counts_cases_in_which_anybody_dominates(tmp_path: Folder) -> None:
    rows = cell(0, {"a": 1.0, "b": 0.5, "c": 2.0}) + cell(
        1, {"a": 1.0, "b": 2.0, "c": 0.5}, loss=0.1
    )
    rows += cell(2, {"a": 1.0, "b": 1.0, "c": 1.0}, loss=0.2)
    found = overall(fs.SweepResult.read(write(tmp_path / "sweep", rows)).map().winners, "a")
    assert found["dominated"] == pytest.approx(2 / 3)


# Seeds.


def of_seeds(folder: Folder, **told: Any) -> Folder:
    """A question with one seed, where `a` is best, and one with three, where `b` is."""
    rows = cell(0, {"a": 1.0, "b": 4.0}, rate_bps=1e6)
    for number in (1, 2, 3):
        scenario = json.dumps(SCENARIO | {"seed": number})
        rows += cell(number, {"a": 4.0, "b": 1.0}, **{"scenario": scenario} | told, seed=number)
    return write(folder, rows)


def test_the_seeds_of_a_question_count_together_as_much_as_the_only_one_of_another(
    tmp_path: Folder,
) -> None:
    found = fs.SweepResult.read(of_seeds(tmp_path / "sweep")).map()
    assert found.regret["mean"].to_list()[:2] == pytest.approx([2, 2])
    assert found.winners["won"].to_list()[:2] == pytest.approx([0.5, 0.5])
    assert found.pareto["regret"].to_list() == pytest.approx([2, 2])
    assert overall(found.regret, "a")["p50"] == 1


def test_cells_of_other_scenarios_are_no_seeds_of_each_other(tmp_path: Folder) -> None:
    rows = cell(0, {"a": 1.0, "b": 4.0}, impairments="jitter")
    for number in (1, 2):
        jitter = {"impairments": "jitter", "scenario": f"jitter of {number}", "seed": number}
        rows += cell(number, {"a": 4.0, "b": 1.0}, **jitter)
    assert fs.SweepResult.read(write(tmp_path / "sweep", rows)).map().winners["won"][
        0
    ] == pytest.approx(1 / 3)


def test_a_case_has_all_seeds_of_a_competing_beside_the_only_one_of_another(
    tmp_path: Folder,
) -> None:
    rows = cell(0, {"a": 0.8, "b": 1.0})
    for number in (1, 2):
        scenario = json.dumps(SCENARIO | {"seed": number, "web": []})
        told = {"competing": "web", "scenario": scenario, "seed": number}
        rows += cell(number, {"a": 0.45 + 0.45 * number, "b": 1.0}, **told)
    folder = write(tmp_path / "sweep", rows)
    # Of 0.8 and the mean of the other two it is 0.94; were each cell to count the same, 0.99.
    assert pairs(folder) == {("a", "b"): 1, ("b", "a"): 0}


# The front.


def test_the_front_has_whom_nobody_betters_in_everything() -> None:
    costs = [np.array([1.0, 2.0, 2.0, 3.0]), np.array([3.0, 1.0, 2.0, 1.0])]
    assert front(costs).tolist() == [True, True, False, False]


def test_those_who_cost_the_same_are_on_the_front_together() -> None:
    assert front([np.array([1.0, 1.0]), np.array([2.0, 2.0])]).tolist() == [True, True]


def test_harm_to_each_kind_of_competing_counts_by_itself(tmp_path: Folder) -> None:
    rows = []
    for number, (competing, of_a, of_b) in enumerate([("long", 0.1, 0.4), ("short", 0.4, 0.1)]):
        rows += [row(number, "a", 1.0, competing=competing, harm=of_a)]
        rows += [row(number, "b", 2.0, competing=competing, harm=of_b)]
    found = fs.SweepResult.read(write(tmp_path / "sweep", rows)).map().pareto
    assert found["on_front"].to_list() == [True, True]
    assert found.select("harm_long", "harm_short").row(0) == pytest.approx((0.1, 0.4))
    assert found["harm_web"].to_list() == [None, None]


# Kinds, and what is compared.


def test_cells_are_told_apart_by_what_differs_only(sweep: Folder) -> None:
    found = dimensions(fs.SweepResult.read(sweep).map().outcomes.cells)
    assert [dimension.name for dimension in found] == ["all", "rate"]


def test_few_sizes_are_kinds_of_their_own_and_many_are_in_classes(tmp_path: Folder) -> None:
    def kinds(name: str, sizes: list[int]) -> tuple[str, ...]:
        rows = [r for i, s in enumerate(sizes) for r in cell(i, {"a": 1.0}, size_bytes=s)]
        found = dimensions(fs.SweepResult.read(write(tmp_path / name, rows)).map().outcomes.cells)
        return next(dimension.kinds for dimension in found if dimension.name == "size")

    assert kinds("few", [100_000, 1_000_000]) == ("100 kB", "1 MB")
    assert kinds("many", [1000 * n for n in range(5, 13)]) == ("below 10 kB", "10 to 100 kB")


def test_cells_in_which_a_startup_failed_count_nowhere_and_are_named(tmp_path: Folder) -> None:
    rows = [*cell(0, {"a": 1.0, "b": 1.0}), row(1, "a", 9.0), row(1, "b", None, error="why")]
    found = fs.SweepResult.read(write(tmp_path / "sweep", rows)).map()
    assert len(found.outcomes.cells) == 1
    assert found.outcomes.left_out.missing.rows() == [(1, "0123456789abcdef", "b")]
    assert "1 (b)" in found.notes[-1]


def test_cells_that_no_startup_completed_count_nowhere(tmp_path: Folder) -> None:
    rows = cell(0, {"a": 1.0, "b": 2.0}) + cell(1, {"a": None, "b": None})
    found = fs.SweepResult.read(write(tmp_path / "sweep", rows)).map()
    assert len(found.outcomes.cells) == 1
    assert "no startup completed there" in found.notes[-1]


def test_a_map_of_some_startups_is_as_if_there_were_no_others(tmp_path: Folder) -> None:
    folder = write(tmp_path / "sweep", cell(0, {"a": 1.0, "b": 2.0, "c": 4.0}))
    found = fs.SweepResult.read(folder).map(startups=["all", "-a"])
    assert found.startups == ("b", "c")
    assert overall(found.regret, "c")["mean"] == pytest.approx(2)


def test_sizes_and_competing_flows_can_be_chosen(tmp_path: Folder) -> None:
    rows = cell(0, {"a": 1.0}) + cell(1, {"a": 1.0}, size_bytes=1_000_000)
    rows += cell(2, {"a": 1.0}, competing="long", size_bytes=1_000_000)
    folder = write(tmp_path / "sweep", rows)
    found = fs.SweepResult.read(folder).map(sizes=["1MB"], competing=["long"]).outcomes
    assert found.cells["cell"].to_list() == [2]


def test_rows_may_come_in_any_order_and_parts(tmp_path: Folder) -> None:
    rows = cell(0, {"a": 1.0, "b": 2.0}) + cell(1, {"a": 4.0, "b": 1.0}, rate_bps=1e8)
    one = fs.SweepResult.read(write(tmp_path / "one", rows)).map()
    other = fs.SweepResult.read(write(tmp_path / "two", rows[2:], rows[:2])).map()
    assert one.frame.equals(other.frame)


def test_an_unfinished_sweep_is_said_to_be_so(sweep: Folder) -> None:
    assert "not finished" not in " ".join(fs.SweepResult.read(sweep).map().notes)
    (sweep / "sweep.json").write_bytes(files.document({"sweep": "", "variants": []}))
    assert "not finished" in fs.SweepResult.read(sweep).map().notes[-1]


# The plane.


def test_cells_without_a_rate_or_a_buffer_have_kinds_and_tiles_of_their_own(
    tmp_path: Folder,
) -> None:
    unknown = {"rate_bps": None, "buffer_pkts": None, "buffer_bdp": None, "reverse_rate_bps": None}
    times = {"a": 1.0, "b": 2.0}
    folder = write(tmp_path / "sweep", cell(0, times) + cell(1, times, **unknown))
    found = fs.SweepResult.read(folder).map(x="rate", y="buffer")
    kinds = {dimension.name: dimension.kinds for dimension in found.dimensions}
    assert kinds["rate"] == ("10 to 100 Mbps", "no one value")
    assert kinds["buffer"] == ("0.5 to 1.5 BDP", "no one value")
    assert [words for _, words in found.plane.x.ticks] == ["10 Mbps", "no one value"]
    assert found.plane.y.places.tolist() == [0, 1]


def test_a_few_values_are_a_tile_each(sweep: Folder) -> None:
    plane = fs.SweepResult.read(sweep).map().plane
    assert plane.x.count == 3
    assert [words for _, words in plane.x.ticks] == ["1 Mbps", "10 Mbps", "100 Mbps"]


def test_many_values_are_in_classes_of_equal_ratio(tmp_path: Folder) -> None:
    rates = np.geomspace(1e6, 1e9, 300)
    rows = [r for i, rate in enumerate(rates) for r in cell(i, {"a": 1.0}, rate_bps=rate)]
    x = fs.SweepResult.read(write(tmp_path / "sweep", rows)).map().plane.x
    counts = np.bincount(x.places)
    assert counts.max() - counts.min() <= 2
    assert [words for _, words in x.ticks] == ["1 Mbps", "10 Mbps", "100 Mbps", "1 Gbps"]


def test_a_tile_goes_to_the_least_mean_regret(tmp_path: Folder) -> None:
    rows = cell(0, {"a": 1.0, "b": 1.2}) + cell(1, {"a": 1.2, "b": 1.0}, seed=2)
    rows += cell(2, {"a": 3.0, "b": 1.0}, seed=3)
    found = fs.SweepResult.read(write(tmp_path / "sweep", rows)).map()
    (tile,) = found.plane.tiles(found.outcomes, found.margin, 0, 0)
    assert (tile.winner, tile.cells, tile.within) == (1, 3, (1,))
    assert tile.regret == pytest.approx(1.2 ** (1 / 3))


def test_panels_are_by_queue_and_size_unless_others_are_asked_for(tmp_path: Folder) -> None:
    rows = cell(0, {"a": 1.0}) + cell(1, {"a": 1.0}, queue="fq-codel", competing="long")
    folder = write(tmp_path / "sweep", rows)
    assert fs.SweepResult.read(folder).map().plane.across.kinds == ("drop-tail", "fq-codel")
    by_competing = fs.SweepResult.read(folder).map(col="competing", row="size").plane
    assert {by_competing.across.name, by_competing.down.name} == {"competing", "size"}


def test_a_tile_in_which_several_tie_has_the_colour_of_whom_most_tiles_have(
    tmp_path: Folder,
) -> None:
    rows = cell(0, {"a": 1.0, "b": 1.01}, rate_bps=1e6) + cell(1, {"a": 2.0, "b": 1.0})
    found = fs.SweepResult.read(write(tmp_path / "sweep", rows)).map()
    figure = figures.winners(found.outcomes, found.plane, found.margin, "")
    named = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert named == ["1  b (100 %)"]


# Files and the command.


def test_the_same_sweep_gives_the_same_bytes(sweep: Folder) -> None:
    one, other = (next(fs.SweepResult.read(sweep).map().files()) for _ in range(2))
    assert one == other


def test_json_has_no_infinities(tmp_path: Folder) -> None:
    folder = write(tmp_path / "sweep", cell(0, {"a": None, "b": 1.0}))
    document = json.loads(next(fs.SweepResult.read(folder).map().files())["map.json"])
    assert all(math.isfinite(row["mean"]) for row in document["regret"])
    assert document["worst"][0]["regret"] is None


def test_the_command_writes_tables_and_figures(sweep: Folder, cli: Callable[..., Any]) -> None:
    out = sweep.parent / "out"
    answer = cli("map", sweep, "-o", out)
    assert (answer.status, answer.err) == (0, "")
    assert "2 startups in 3 cells" in answer.out
    names = {file.name for file in out.iterdir()}
    tables = {"winners", "regret", "worst", "dominance", "pareto", "cells"}
    figures = {"map", "regret", "pareto", "regret-heatmap"}
    assert {f"{name}.csv" for name in tables} <= names
    assert {f"{name}.{kind}" for name in figures for kind in ("png", "svg")} <= names
    assert {"map.json", "manifest.json", "report.html"} <= names


def test_json_is_one_document(sweep: Folder, cli: Callable[..., Any]) -> None:
    answer = cli("map", sweep, "--json", "--margin", "3%")
    assert json.loads(answer.out)["margin"] == 0.03


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--x", "colour"], "--x: `colour` is not an axis; one of rate, rtt,"),
        (["--y", "rate"], "--y: `rate` is the x axis already"),
        (["--col", "colour"], "--col: `colour` makes no panels; one of size, queue,"),
        (["--size", "3MB"], "--size: `3MB` is not in the sweep, which has 100 kB"),
        (["--competing", "web"], "--competing: `web` is not in the sweep, which has alone"),
        (["--startup", "c"], "--startup: `c` is not in "),
        (["--startup", "a,-a"], "--startup: nothing is left"),
        (["--margin", "5"], "--margin: `5`: a share is needed, such as 10%"),
        (["--margin", "100%"], "--margin: `100%` is out of range"),
    ],
)
def test_a_wrong_option_is_one_line(
    sweep: Folder, cli: Callable[..., Any], words: list[str], said: str
) -> None:
    answer = cli("map", sweep, *words, "-o", sweep.parent / "out")
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert f"flowstart: {said}" in answer.err
    assert not (sweep.parent / "out").exists()


def test_a_folder_without_a_sweep_is_refused(tmp_path: Folder, cli: Callable[..., Any]) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    write(tmp_path / "other", [{"cell": 1, "startup": "a"}])
    (tmp_path / "broken" / "parts").mkdir(parents=True)
    (tmp_path / "broken" / "parts" / "00000000-0123456789abcdef.parquet").write_text("no table")
    for name, said in (
        ("nowhere", "there is no such folder"),
        ("file", "this is a file"),
        ("empty", "it holds no part of a sweep"),
        ("other", "its parts have no column `hash`"),
        ("broken", "damaged: parts/00000000-0123456789abcdef.parquet"),
    ):
        answer = cli("map", tmp_path / name)
        assert (answer.status, answer.err.count("\n")) == (2, 1), answer.err
        assert f"{tmp_path / name}: {said}" in answer.err
        assert "`flowstart sweep ... -o " in answer.err


def test_a_sweep_without_a_cell_in_common_says_whom_to_leave_out(
    tmp_path: Folder, cli: Callable[..., Any]
) -> None:
    rows = [row(0, "a", 1.0), row(0, "b", None, error="why")]
    answer = cli("map", write(tmp_path / "sweep", rows))
    assert answer.status == 2
    assert "`b` is missing in most; leave it out with --startup all,-b" in answer.err
