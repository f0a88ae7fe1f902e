"""What the judge of gauge works out, on made-up tables."""

import json
import pathlib
import tomllib
from typing import Any

import numpy as np
import polars as pl
import pytest

import asking
import constants
import crowd
import flowstart as fs
import judge
import limits
import measures
import results
import shown
from asking import GAUGE, HYSTART, QUICLY
from made_up_map import row, write
from questions import Judged, read
from resampling import Paths
from results import Row
from shown import Table

ROOT = pathlib.Path(__file__).parents[2]
HERE = ROOT / "examples" / "gauge"
Folder = pathlib.Path
Times = dict[str, float | None]


def question(
    cell: int, times: Times, *, path: int = 0, seed: int = 1, **told: Any
) -> list[dict[str, Any]]:
    """The rows of a question under one seed; a path is a rate."""
    scenario = json.dumps({"seed": seed, "path": path, "size": told.get("size_bytes")})
    own = {"scenario": scenario, "seed": seed, "rate_bps": (path + 1) * 1e6, "harm_s": None} | told
    return [row(cell, startup, time, **own) for startup, time in times.items()]


def judged(folder: Folder, rows: list[dict[str, Any]], *reference: str) -> Judged:
    return read([write(folder / "sweep", rows)], reference or [HYSTART])


def on_paths(folder: Folder, count: int, times: Times, **told: Any) -> Judged:
    rows = [one for path in range(count) for one in question(path, times, path=path, **told)]
    return judged(folder, rows)


def only(rows: Any, **told: str) -> Row:
    (found,) = [one for one in rows if all(getattr(one, k) == v for k, v in told.items())]
    assert isinstance(found, Row)
    return found


# Medians and regret.


def test_a_time_is_the_median_over_seeds_and_the_rest_is_their_mean(tmp_path: Folder) -> None:
    shares = (0.0, 0.3, 0.6)
    rows = [
        one
        for seed, (time, share) in enumerate(zip((1.0, 2.0, 9.0), shares, strict=True), 1)
        for one in question(seed, {HYSTART: time}, seed=seed, retransmitted_share=share)
    ]
    found = judged(tmp_path, rows)
    assert found.times.tolist() == [[2.0]]
    assert found.retransmitted[0, 0] == pytest.approx(0.3)


def test_the_best_is_the_least_of_the_medians_and_gauge_is_not_of_the_set(tmp_path: Folder) -> None:
    rows = []
    for seed, (one, other) in enumerate(((1.0, 2.0), (5.0, 2.0), (5.0, 9.0)), 1):
        rows += question(seed, {GAUGE: 1.0, HYSTART: one, "b": other}, seed=seed)
    found = judged(tmp_path, rows, HYSTART, "b")
    assert found.best.tolist() == [2.0]
    assert found.regret[0].tolist() == [0.5, 2.5, 1.0]


def test_what_is_mostly_never_done_counts_a_hundred(tmp_path: Folder) -> None:
    rows = []
    for seed, time in enumerate((1.0, None, None), 1):
        rows += question(seed, {GAUGE: time, HYSTART: 2.0}, seed=seed)
    found = judged(tmp_path, rows)
    assert found.raw_regret[0, 0] == float("inf")
    assert found.regret[0].tolist() == [100.0, 1.0]


def test_a_question_that_a_startup_has_not_answered_is_left_out(tmp_path: Folder) -> None:
    rows = question(0, {GAUGE: 1.0, HYSTART: 2.0}) + question(1, {HYSTART: 2.0}, path=1)
    rows += question(2, {GAUGE: 1.0, HYSTART: None}, path=2)
    found = judged(tmp_path, rows)
    assert len(found.cells) == 1
    assert (len(found.left_out.missing), found.left_out.hopeless) == (1, 1)


def test_a_folder_adds_its_startups_to_the_same_questions(tmp_path: Folder) -> None:
    one = write(tmp_path / "one", question(0, {HYSTART: 2.0, "b": 1.0}))
    other = write(tmp_path / "other", question(0, {GAUGE: 3.0, HYSTART: 2.0}))
    found = read([one, other], [HYSTART, "b"])
    assert dict(zip(found.startups, found.times[0], strict=True)) == {HYSTART: 2, "b": 1, GAUGE: 3}
    assert read([one, other], [HYSTART], [HYSTART, GAUGE]).best.tolist() == [2.0]


def test_means_of_regret_are_over_alone_long_and_short(tmp_path: Folder) -> None:
    rows = []
    for cell, (competing, time) in enumerate((("alone", 2.0), ("long", 8.0), ("bbr", 64.0))):
        rows += question(cell, {GAUGE: time, HYSTART: 1.0}, competing=competing)
    found = list(measures.Measures(judged(tmp_path, rows), "part", "").regrets())
    assert only(found, startup=GAUGE, measure="regret", kind="all").value == pytest.approx(4)
    assert only(found, startup=GAUGE, measure="regret", kind="long").value == pytest.approx(8)
    assert only(found, startup=GAUGE, measure="regret worst").value == 8


# Ratios, differences and their intervals.


def test_a_ratio_is_paired_so_that_what_all_paths_share_has_no_spread(tmp_path: Folder) -> None:
    rows = []
    for path in range(20):
        rows += question(path, {GAUGE: 0.8 * (path + 1), HYSTART: path + 1.0}, path=path)
    found = measures.Measures(judged(tmp_path, rows), "part", "")
    ratio = only(found.ratios(HYSTART), startup=GAUGE, kind="all")
    assert [ratio.value, ratio.low, ratio.high] == pytest.approx([0.8] * 3)
    p95 = only(found.p95_ratios(HYSTART), startup=GAUGE)
    assert [p95.value, p95.low, p95.high] == pytest.approx([0.8] * 3)


def test_fewer_than_ten_paths_have_no_interval(tmp_path: Folder) -> None:
    found = measures.Measures(on_paths(tmp_path, 9, {GAUGE: 1.0, HYSTART: 2.0}), "part", "")
    ratio = only(found.ratios(HYSTART), startup=GAUGE, kind="all")
    assert (ratio.value, ratio.low, ratio.high) == (0.5, None, None)


def test_differences_are_of_questions_in_which_both_are_known(tmp_path: Folder) -> None:
    rows = []
    for path, harms in enumerate(((0.3, 0.1), (None, 0.9))):
        for startup, harm in zip((GAUGE, HYSTART), harms, strict=True):
            told: dict[str, Any] = {
                "competing": "long",
                "harm": harm,
                "harm_s": harm and harm * 0.4,
            }
            rows += question(path, {startup: 1.0}, path=path, **told)
    found = measures.Measures(judged(tmp_path, rows), "part", "")
    less = only(found.differences(HYSTART), startup=GAUGE, measure="harm difference")
    assert less.value == pytest.approx(0.2)
    lost = only(found.costs(), startup=HYSTART, measure="round trips lost")
    assert lost.value == pytest.approx((0.1 + 0.9) / 2 * 0.4 / 0.04)


def test_round_trips_that_were_gained_are_none_lost(tmp_path: Folder) -> None:
    rows = question(0, {HYSTART: 1.0}, competing="long", harm=0.0, harm_s=-0.4)
    found = list(measures.Measures(judged(tmp_path, rows), "part", "").costs())
    assert only(found, measure="round trips lost").value == 0
    assert only(found, measure="round trips lost, net").value == pytest.approx(-10)


def test_the_bootstrap_draws_paths_and_not_questions() -> None:
    values = np.repeat(np.arange(20.0), 50)[:, None]
    every = np.ones(len(values), dtype=np.bool_)
    low, high = Paths(values[:, 0].astype(np.int64)).means(values, every).ends
    apart = Paths(np.arange(len(values))).means(values, every).ends
    assert high[0] - low[0] == pytest.approx(4 * np.arange(20).std() / 20**0.5, rel=0.1)
    assert apart[1][0] - apart[0][0] < 0.2 * (high[0] - low[0])


def test_quantiles_are_by_nearest_rank() -> None:
    values = np.arange(1.0, 21.0)[:, None]
    found = Paths(np.arange(20)).quantiles(values, np.ones(20, dtype=np.bool_), 0.95)
    assert found.value.tolist() == [19.0]


# Dominance.


def test_who_dominates_whom_is_counted_by_cases(tmp_path: Folder) -> None:
    rows = question(0, {GAUGE: 1.0, HYSTART: 2.0}, path=0)
    rows += question(1, {GAUGE: 1.0}, path=1, retransmitted_share=0.01)
    rows += question(1, {HYSTART: 2.0}, path=1)
    rows += question(2, {GAUGE: 2.0, HYSTART: 1.0}, path=2)
    rows += question(3, {GAUGE: 1.0, HYSTART: 1.0}, path=3)
    found = measures.Measures(judged(tmp_path, rows), "part", "")
    pairs = list(found.pairs(GAUGE, [HYSTART]))
    assert only(pairs, startup=GAUGE, against=HYSTART).value == 0.25
    assert only(pairs, startup=HYSTART, against=GAUGE).value == 0.25
    assert only(found.dominated(), startup=GAUGE, measure="dominated").value == 0.25


def test_how_much_more_gauge_is_dominated_than_the_least_of_others(tmp_path: Folder) -> None:
    rows = []
    for path in range(4):
        gauge_time = 1.5 if path else 1.0
        times: Times = {GAUGE: gauge_time, HYSTART: 2.0, "b": 1.0}
        rows += question(path, times, path=path)
    found = list(measures.Measures(judged(tmp_path, rows), "part", "").dominated())
    assert only(found, measure="dominated", startup=GAUGE).value == 0.75
    assert only(found, measure="dominated difference").value == 0.75


def test_what_happened_on_no_path_may_still_happen(tmp_path: Folder) -> None:
    found = measures.Measures(on_paths(tmp_path, 20, {GAUGE: 1.0, HYSTART: 2.0}), "part", "")
    pairs = list(found.pairs(GAUGE, [HYSTART]))
    never = only(pairs, startup=HYSTART, against=GAUGE)
    assert (never.value, never.low) == (0, 0)
    assert never.high == pytest.approx(1 - 0.025 ** (1 / 20))
    always = only(pairs, startup=GAUGE, against=HYSTART)
    assert always.low == pytest.approx(0.025 ** (1 / 20))


# What everybody comes to.


def test_loss_in_a_crowd_is_of_all_packets_and_times_are_ratios_of_runs() -> None:
    runs = pl.DataFrame(
        {
            "bottleneck": [0, 1] * 3,
            "startup": [name for name in asking.COMPARED for _ in range(2)],
            "seed": 1,
            "packets_sent": [100, 300] * 3,
            "packets_dropped": [10, 30, 10, 10, 0, 0],
            "p95": [1.0, 1.0, 2.0, 0.5, 1.0, 4.0],
        }
    )
    found = crowd.told(runs, "contention")
    assert only(found, startup=GAUGE, measure="loss").value == pytest.approx(0.1)
    against = {"startup": GAUGE, "against": HYSTART}
    assert only(found, measure="loss difference", **against).value == pytest.approx(0.05)
    assert only(found, measure="p95 ratio", **against).value == pytest.approx(1)


def test_all_startups_meet_the_same_crowd() -> None:
    flows = [crowd.contention(crowd.BOTTLENECKS[0], name, 1)["flows"] for name in (GAUGE, HYSTART)]
    others = [[{**flow, "startup": ""} for flow in one] for one in flows]
    assert others[0] == others[1]
    assert len(flows[0]) == 200


# Limits.


def measured(value: float, low: float | None, high: float | None) -> Row:
    return Row("baseline", "", GAUGE, "regret ratio", "all", HYSTART, value, low, high, 1)


@pytest.mark.parametrize(
    ("value", "low", "high", "met"),
    [
        (0.7, 0.6, 0.73, "yes"),
        (0.7, 0.6, 0.8, "yes, inconclusive"),
        (0.7, None, None, "yes, inconclusive"),
        (0.9, 0.8, 1.0, "no"),
        (0.8, 0.7, 0.9, "no, inconclusive"),
    ],
)
def test_a_limit_is_met_by_the_number_and_decided_by_the_interval(
    value: float, low: float | None, high: float | None, met: str
) -> None:
    first, *others = limits.verdicts([measured(value, low, high)])
    assert first.met == met
    assert {one.met for one in others} == {"not measured"}


def test_every_limit_names_a_row_that_the_parts_make(tmp_path: Folder) -> None:
    rows = []
    for cell, competing in enumerate(("alone", "long", "bbr", "short", "probe")):
        harm = None if competing == "alone" else 0.1
        times: Times = {GAUGE: 1.0, HYSTART: 2.0, QUICLY: 2.0}
        rows += question(cell, times, competing=competing, harm=harm)
    sweep = judged(tmp_path, rows, HYSTART, QUICLY)
    found = [*measures.judged_rows(sweep, "baseline", ""), *measures.compared_rows(
        sweep, "stacks", "quic cubic", [HYSTART]
    )]  # fmt: skip
    where = [one.limit.where["part"] for one in limits.verdicts(found) if one.row is None]
    assert set(where) == {"crowd", "cpu", "named"}


# Constants.


def algorithm() -> fs.Algorithm:
    told = [
        ("gain", "number", "2.9"),
        ("noise", "time", "4ms"),
        ("without", "nothing | blind | yield", "nothing"),
        ("limit", "segments", "2"),
        ("iw", "initial window", "by stack"),
    ]
    params = tuple(fs.Parameter(name, unit, default, "") for name, unit, default in told)
    usual = fs.get_algorithm("slow-start", "startup")
    return type(usual)(**{**vars(usual), "params": params})


def test_constants_are_the_catalogs_and_those_of_slow_start_are_left_out() -> None:
    assert [one.name for one in constants.constants(algorithm())] == ["gain", "noise"]
    found = constants.halved_and_doubled(algorithm(), lambda _: True)
    assert found == [f"gauge:{one}" for one in ("gain=1.45", "gain=5.8", "noise=2ms", "noise=8ms")]
    assert constants.ablations(algorithm()) == ["gauge:without=blind", "gauge:without=yield"]


def test_a_constant_stops_at_the_last_value_that_is_taken() -> None:
    gain, _ = constants.constants(algorithm())

    def accepts(spec: str) -> bool:
        return 2 <= float(spec.partition("=")[2]) <= 2.9

    assert gain.times(0.5, accepts) == "gauge:gain=2"
    assert gain.times(2, accepts) is None


# Files, folders and the command.


def told(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / f"{name}.toml").read_text())


def test_both_sweeps_have_the_paths_of_the_one_that_ships_drawn_and_seeded_apart() -> None:
    shipped = ROOT / "python/flowstart/sweeps/language/named/realistic.toml"
    realistic = tomllib.loads(shipped.read_text())
    tuning, held_out = told("tuning"), told("held_out")
    for name in ("path", "paths", "flow"):
        assert tuning[name] == held_out[name] == realistic[name]
    assert tuning["sample"]["seed"] != held_out["sample"]["seed"]
    most = held_out["seeds"] * held_out["sample"]["paths"]
    assert min(tuning["seeds"]) > 10 * most


def test_the_reference_set_needs_no_help_and_has_no_gauge() -> None:
    found = asking.reference()
    assert QUICLY in found
    assert HYSTART in found
    assert GAUGE not in found
    assert not set(found) & {"qs-app", "smooth-start", "adaptive-start", "careful-resume"}


def test_results_of_another_build_are_refused(tmp_path: Folder) -> None:
    asking.same_build(tmp_path)
    asking.same_build(tmp_path)
    (tmp_path / asking.BUILD).write_text("another")
    with pytest.raises(fs.RequestError, match="another build"):
        asking.same_build(tmp_path)


def test_rows_are_read_as_they_were_written(tmp_path: Folder) -> None:
    rows = [measured(0.5, 0.25, None), measured(1 / 3, None, None)]
    results.write(rows, tmp_path / "part")
    assert results.read(tmp_path / "part.csv") == rows
    assert pl.read_parquet(tmp_path / "part.parquet")["value"].to_list() == [0.5, 1 / 3]


@pytest.mark.parametrize(
    "words", [["bas", "-o", "x"], ["limits"], ["limits", "-o", "x", "--paths", "0"]]
)
def test_a_wrong_request_is_one_line_and_status_2(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        judge.guarded(judge.main, words)
    assert end.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_limits_of_nothing_are_refused(
    tmp_path: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge.guarded(judge.main, ["limits", "-o", str(tmp_path)]) == 2
    assert "no part has been judged" in capsys.readouterr().err


# Tables for a person.


def test_tables_are_made_of_whatever_was_measured(tmp_path: Folder) -> None:
    sweep = on_paths(tmp_path, 12, {GAUGE: 1.0, HYSTART: 2.0, QUICLY: 2.0})
    rows = list(measures.judged_rows(sweep, "baseline", ""))
    first, *_ = shown.regret(rows).lines
    assert first[:3] == ("`gauge`", "0.500", "0.500 to 0.500")
    for make in shown.TABLES.values():
        found = make(rows)
        assert all(len(line) == len(found.headings) for line in found.lines)


def test_a_table_is_the_same_on_a_terminal_and_on_a_page() -> None:
    table = Table(("what", "n"), [("`a`", "1"), ("bb", "22")])
    assert table.text() == "what   n\na      1\nbb    22"
    assert table.markdown() == "| what | n |\n| --- | ---: |\n| `a` | 1 |\n| bb | 22 |"
