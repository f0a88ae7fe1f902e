"""The cross-table: made-up rows to words, and the command on a made-up table."""

import dataclasses
import json
import math
import pathlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

import flowstart_papers as papers
from flowstart.model import catalog
from flowstart.model.document import resolve
from flowstart_papers.cross import (
    heatmap,
    measures,
    ratios,
    scenarios,
    startups,
    studies,
    table,
    tables,
    verdicts,
    words,
)
from flowstart_papers.cross.ratios import LONGER, SHORTER, Ratio
from flowstart_papers.cross.scenarios import HYSTART, JUMP_START, MIXED, QUICK_START, Scenario
from flowstart_papers.cross.startups import StartUp
from flowstart_papers.cross.table import BYSTANDERS, OWN, TAIL, CrossTable
from flowstart_papers.lab import Lab, default_cache

Cli = Callable[..., Any]

SLOW = StartUp("slow-start", "slow-start", ())
JUMP = StartUp("jump-start", "jump-start", ())
ASKING = StartUp("quick-start", "quick-start", ("routers", "peer"))
GENTLE = StartUp("suss", "suss", ())


def column(key: str, paper: str, ground: str, **fields: Any) -> Scenario:
    return Scenario(
        key=key, paper=paper, ground=ground, what=f"what {key} is", base=lambda _: {}, **fields
    )


ALONE = column("qs.alone", QUICK_START, "alone")
SINGLE = column("js.single", JUMP_START, "single")
CROWD = column("js.crowd", JUMP_START, "crowd", seeds=3, drawn="starts", competing="alike")
HALF = column(
    "mix.half",
    MIXED,
    "half",
    seeds=3,
    drawn="who",
    bystanders="the others",
    competing="alike",
)
COLUMNS = [ALONE, SINGLE, CROWD, HALF]


Times = dict[str, list[float]]
"""By kind times, the logarithms of their ratios by seed."""


def entry(*ratios: float, harm: tuple[float, ...] | None = None) -> Times:
    own, others = ([math.log(ratio) for ratio in each or ()] for each in (ratios, harm))
    return {OWN: own, **({BYSTANDERS: others, TAIL: others} if harm else {})}


def ratio_of(*values: float) -> Ratio:
    return ratios.estimate([[math.log(value) for value in values]])


def made_up(rows: Mapping[StartUp, Mapping[str, Times]]) -> CrossTable:
    usual = {
        each.key: entry(
            *(1.0 for _ in range(each.seeds)), harm=(1.0,) * 3 if each.bystanders else None
        )
        for each in COLUMNS
    }
    everyone = {SLOW: usual, **rows}
    summed = {"seconds": 1.0, "loss": 1.0, "again": 2.0, "timeouts": 0.0}
    found = (
        {"scenario": scenario, "startup": startup, "kind": kind, "logs": logs}
        | (summed if kind == OWN else {})
        for scenario in COLUMNS
        for startup, row in everyone.items()
        for kind, logs in row.get(scenario.key, {}).items()
    )
    return table.table(COLUMNS, list(everyone), found)


TABLE = made_up(
    {
        JUMP: {
            "qs.alone": entry(0.5),
            "js.single": entry(0.6),
            "js.crowd": entry(2.0, 2.1, 2.2),
            "mix.half": entry(1.3, 1.4, 1.5, harm=(1.4, 1.5, 1.6)),
        },
        ASKING: {
            "qs.alone": entry(0.4),
            "js.single": entry(0.7),
            "js.crowd": entry(0.98, 1.0, 1.02),
            "mix.half": entry(0.9, 0.91, 0.92, harm=(0.99, 1.0, 1.01)),
        },
        GENTLE: {
            "qs.alone": entry(1.0),
            "js.single": entry(0.9),
            "js.crowd": entry(0.8, 1.2, 1.6),
            "mix.half": entry(0.8, 0.81, 0.82, harm=(0.8, 0.85, 0.9)),
        },
    }
)


def test_a_ratio_is_a_geometric_mean_and_an_exact_one_has_no_interval() -> None:
    assert ratio_of(0.5, 2.0)["ratio"] == pytest.approx(1)
    exact = ratio_of(1.2)
    assert exact["low"] is None
    assert exact["high"] is None
    drawn = ratio_of(0.8, 1.2, 1.6)
    assert drawn["low"] < drawn["ratio"] < drawn["high"]
    frame = pl.DataFrame([exact, drawn])
    assert frame.select(LONGER)["low"].to_list() == [True, False]
    assert frame.select(SHORTER)["high"].to_list() == [False, False]
    assert ratios.in_doubt(drawn)


@pytest.mark.parametrize("seeds", [3, 10])
def test_intervals_hold_as_often_as_they_say(seeds: int) -> None:
    draws = np.random.default_rng(1).normal(0.1, 0.3, (1000, seeds))
    found = pl.DataFrame([ratios.estimate([draw]) for draw in draws.tolist()])
    held = pl.lit(math.exp(0.1)).is_between("low", "high")
    assert 0.93 <= found.select(held.mean()).item() <= 0.97


def test_scenarios_weigh_the_same_however_many_seeds_they_have() -> None:
    both = ratios.estimate([[math.log(2)] * 3, [math.log(0.5)]])
    assert both["ratio"] == pytest.approx(1)


def test_what_is_never_done_takes_for_ever() -> None:
    assert table.median([1.0, None, None]) == math.inf
    assert table.median([1.0, 1.0, None]) == 1
    assert table.late([1.0] * 9 + [None]) == 1
    never = ratio_of(1.0, math.inf)
    assert never["ratio"] == never["low"] == math.inf
    assert ratios.short(never) == "never"
    assert ratios.spelled(never) == "never done"


@pytest.mark.parametrize(
    ("ratio", "short", "spelled"),
    [
        (ratio_of(0.72), "−28", "−28 %"),
        (ratio_of(1.0), "0", "0 %"),
        (ratio_of(3.14), "×3.1", "×3.1"),
        (ratio_of(12.4), "×12", "×12"),
        (ratio_of(0.7, 0.7), "−30", "−30 % (−30 to −30)"),
        (ratio_of(*[0.9, 1.3] * 5), "+8±16?", "+8 % (−6 to +24)"),
        (ratio_of(3.0, 3.0), "×3.0", "×3.0 (3.0 to 3.0)"),
    ],
)
def test_a_change_is_a_percentage_and_a_large_one_a_factor(
    ratio: Ratio, short: str, spelled: str
) -> None:
    assert ratios.short(ratio) == short
    assert ratios.spelled(ratio) == spelled


def test_badly_wrong_is_who_is_so_beyond_doubt() -> None:
    assert verdicts.never_badly_wrong(TABLE)["startup"].to_list() == ["quick-start", "suss"]
    faults = verdicts.faults(TABLE)
    assert faults.select("startup", "scenario", "kind").row(0) == ("jump-start", "js.crowd", OWN)
    assert set(faults["kind"]) == {OWN, BYSTANDERS, TAIL}
    doubts = verdicts.doubts(TABLE).filter(startup="suss")
    assert doubts["scenario"].to_list() == ["js.crowd"]


def test_words_say_what_the_rows_say() -> None:
    said = words.all_of_them(TABLE)
    assert said[0].startswith("Never badly wrong in 4 scenarios")
    assert ": quick-start RP (mean −29 % (" in said[0]
    assert "each of the other 1 is somewhere." in said[0]
    assert "In doubt: suss at js.crowd: +15 %" in said[0]
    assert "quick-start RP, 1.2 at js.single" in said[1]
    quick = next(each for each in said if each.startswith("Best on the ground of Quick-Start"))
    assert quick.endswith("alone: quick-start RP −60 %, without help jump-start −50 %.")
    jump = next(each for each in said if each.startswith("Best on the ground of Jump Start"))
    assert jump.endswith("single: jump-start −40 %.")
    away = next(each for each in said if each.startswith("jump-start, in its own"))
    assert "−40 % alone and ×2.1 (1.9 to 2.4) with competing flows" in away
    assert "of 2 others it is faster than slow start in 1 and slower in 1" in away
    assert "(mix.half: +40 % (+17 to +67))" in away
    start = "Bystanders are slower in some scenario"
    beside = next(each for each in said if each.startswith(start))
    assert "next to 1 startups, most next to jump-start (mix.half, bystanders': +50 %" in beside
    assert "faster next to suss" in beside
    competing = next(each for each in said if each.startswith("Means, beyond doubt"))
    assert "Faster alone and slower among their like: jump-start (−45 %; +71 %" in competing
    assert competing.endswith("Slower alone and faster among their like: none.")


def best(found: CrossTable, scenario: Scenario) -> list[str]:
    won = verdicts.winners(found.own, "scenario").filter("best", scenario=scenario.key)
    return won["startup"].to_list()


def test_nobody_wins_where_the_best_is_in_doubt_or_many_are_alike() -> None:
    rows = {
        JUMP: {"js.crowd": entry(0.7, 0.9, 1.3), "qs.alone": entry(1.0)},
        GENTLE: {"js.crowd": entry(1.2, 1.2, 1.2), "qs.alone": entry(1.001)},
    }
    found = made_up(rows)
    assert best(found, CROWD) == []
    assert best(found, ALONE) == ["slow-start", "jump-start", "suss"]
    crowd = [StartUp(f"copy-{i}", "slow-start", ()) for i in range(verdicts.CROWDED)]
    many = made_up({each: {"qs.alone": entry(1.0)} for each in crowd})
    assert best(many, ALONE) == []


def test_the_least_regret_is_against_the_best_of_all() -> None:
    alone = TABLE.own.filter(startup="suss", scenario="qs.alone")
    assert alone["regret"].item() == pytest.approx(2.5)
    first = verdicts.least_regret(TABLE).row(0, named=True)
    assert (first["startup"], first["scenario"]) == ("quick-start", "js.single")
    assert first["regret"] == pytest.approx(0.7 / 0.6)
    assert verdicts.least_regret(TABLE, unaided=True)["startup"][0] == "jump-start"


def agreement(found: CrossTable, *keys: str) -> tuple[float, float, float]:
    return verdicts.agreement(*(found.own.filter(scenario=key) for key in keys))


def test_startups_that_rank_alike_agree_and_reversed_ones_do_not() -> None:
    assert agreement(TABLE, "qs.alone", "qs.alone") == pytest.approx((1, 1, 1))
    rows = {
        startup: {"qs.alone": entry(alone), "js.single": entry(1 / alone)}
        for startup, alone in ((JUMP, 0.5), (ASKING, 0.7), (GENTLE, 0.9))
    }
    assert agreement(made_up(rows), "qs.alone", "js.single")[0] == pytest.approx(-1)
    value, low, high = agreement(TABLE, "qs.alone", "js.crowd")
    assert low <= value <= high
    assert low < high
    assert agreement(TABLE, "js.crowd", "qs.alone") == (value, low, high)


def random_table(seed: int) -> CrossTable:
    """Rows at random, some of them extreme."""
    draw = np.random.default_rng(seed)

    def drawn(count: int) -> tuple[float, ...]:
        center = draw.normal(0, draw.choice([0.01, 0.1, 0.7]))
        return tuple(np.exp(center + draw.normal(0, 0.05, count)).tolist())

    rows = {
        startup: {
            each.key: entry(*drawn(each.seeds), harm=drawn(3) if each.bystanders else None)
            for each in COLUMNS
        }
        for startup in (JUMP, ASKING, GENTLE)
    }
    return made_up(rows)


@pytest.mark.parametrize("seed", range(40))
def test_no_verdict_contradicts_a_row(seed: int) -> None:
    found = random_table(seed)
    sounds = verdicts.never_badly_wrong(found)["startup"].to_list()
    hurt, helped = (set(of(found)["startup"]) for of in (verdicts.harmful, verdicts.helpful))
    assert not hurt & helped
    said = words.all_of_them(found)[0]
    for startup in (JUMP, ASKING, GENTLE):
        mine = found.times.filter(startup=startup.name)
        sound = startup.name in sounds
        assert sound == (mine.select(ratios.LOW.max()).item() <= verdicts.BADLY)
        assert (f"{startup.label} (mean" in said) == sound
        slower = mine.filter(LONGER, kind=BYSTANDERS)
        assert (startup.name in hurt) == bool(len(slower))
    won = verdicts.winners(found.own, "paper", "ground")
    for _, part in won.group_by("paper", "ground"):
        least = min(part["ratio"].to_list())
        assert all(part.filter("best")["ratio"] <= least + ratios.ALIKE)
        assert not any(part.filter("unaided")["helped"])
    for label, own in verdicts.schemes(found).group_by("label"):
        home = {"jump-start": JUMP_START, "quick-start RP": QUICK_START}[str(label[0])]
        assert set(own.filter("at_home")["paper"]) == {home}
        assert home not in set(own.filter(~pl.col("at_home"))["paper"])


def test_a_scenario_separates_nobody_where_nearly_all_take_as_long() -> None:
    copies = [StartUp(f"copy-{i}", "slow-start", ()) for i in range(9)]
    near = {each: {"qs.alone": entry(1.01), "js.single": entry(1.1)} for each in copies}
    odd = {JUMP: {"qs.alone": entry(3.0), "js.single": entry(1.0)}}
    near[copies[0]]["qs.alone"] = entry(0.96)
    found = verdicts.level(made_up({**near, **odd}))
    assert ALONE.key in found
    assert SINGLE.key not in found


def test_only_the_scenarios_know_the_papers_own_packages() -> None:
    folder = pathlib.Path(studies.__file__).parent
    packages = [name for name in papers.NAMES if name != "cross"]
    for file in folder.glob("*.py"):
        source = file.read_text("utf-8")
        known = [name for name in packages if f"flowstart_papers.{name} " in source]
        assert not known or file.name == "scenarios.py", file.name


def test_every_startup_of_the_catalog_is_a_row() -> None:
    rows = startups.every()
    known = {entry.name for entry in catalog.list_algorithms("startup")}
    assert {each.name for each in rows} - set(startups.VARIANTS) == known
    assert rows[0].name == startups.SLOW_START
    marked = {each.name: each.label for each in rows}
    assert marked["quick-start"] == "quick-start RP"
    assert marked["careful-resume"] == "careful-resume M"
    assert marked["jump-start"] == "jump-start"


def test_every_paper_has_columns_and_every_pair_is_a_scenario() -> None:
    columns = scenarios.every()
    assert {each.paper for each in columns} == set(scenarios.PAPERS)
    assert len({each.key for each in columns}) == len(columns)
    for scenario in columns:
        for startup in startups.every():
            if scenario.takes(startup):
                resolve(scenario.document(startup, 1))


def test_the_seeds_are_one_where_nothing_is_drawn() -> None:
    for scenario in scenarios.every():
        assert (scenario.seeds > 1) == bool(scenario.drawn)
        documents = [dict(scenario.document(startups.every()[0], seed)) for seed in (1, 2)]
        alike = {k: v for k, v in documents[0].items() if k != "seed"} == {
            k: v for k, v in documents[1].items() if k != "seed"
        }
        assert alike or scenario.drawn


def test_startups_are_given_what_they_need() -> None:
    columns = {each.key: each for each in scenarios.every()}
    resume, asking, told = map(startups.named, ("careful-resume", "quick-start", "qs-app"))
    (flow,) = columns["js.16"].document(resume, 1)["flows"]
    assert flow["cached_cwnd"] == "1bdp"
    assert columns["js.16"].document(asking, 1)["path"]["quick_start"] == {"admission": "rfc"}
    (flow,) = columns["js.16"].document(told, 1)["flows"]
    assert flow["interface_rate"] == scenarios.JUMP_START_INTERFACE
    (flow,) = columns["qs.100M.low"].document(told, 1)["flows"]
    assert "interface_rate" not in flow
    assert not columns["js.web"].takes(resume)
    assert columns["js.web"].takes(asking)


def test_a_papers_own_scheme_is_set_up_as_in_the_paper() -> None:
    columns = {each.key: each for each in scenarios.every()}

    def startup(key: str, name: str) -> str:
        return str(columns[key].document(startups.named(name), 1)["flows"][0]["startup"])

    assert "sizing=fixed" in startup("qs.100M.low", "quick-start")
    assert startup("js.16", "quick-start") == "quick-start"
    assert "paced=false" in startup("cav.10g-1g", "qs-app")
    assert startup("hy.f1", "hystart") == "hystart:growth=per-ack"
    assert startup("hy.f1", "bbr-startup") == "bbr-startup"


@pytest.mark.parametrize("key", ["mix.ten", "mix.load", "mix.crowd"])
def test_users_are_under_test_or_beside(key: str) -> None:
    scenario = next(each for each in scenarios.every() if each.key == key)
    document = scenario.document(startups.named("suss"), 3)
    tested, beside = scenario.under_test(3), scenario.beside(3)
    users = range(scenario.users)
    assert all(tested(user) != beside(user) for user in users)
    assert sum(map(tested, users)) == scenario.users / 2
    switched = [flow["startup"] == "suss" for flow in document["flows"]]
    assert switched == [tested(user) for user in users]


def test_fewer_switch_where_the_share_is_smaller() -> None:
    (crowd,) = scenarios.named("mix.crowd")
    few = dataclasses.replace(crowd, share=10)
    switched = [user for user in range(few.users) if few.under_test(1)(user)]
    assert len(switched) == few.users / 10
    assert all(crowd.under_test(1)(user) for user in switched)


def test_memories_and_interfaces_can_be_moved() -> None:
    (single,) = scenarios.named("js.16")
    resume = dataclasses.replace(startups.named("careful-resume"), cached_cwnd="4bdp")
    assert single.document(resume, 1)["flows"][0]["cached_cwnd"] == "4bdp"
    told = dataclasses.replace(single, interface="10Mbps")
    (flow,) = told.document(startups.named("qs-app"), 1)["flows"]
    assert flow["interface_rate"] == "10Mbps"


def test_slow_start_against_itself_changes_nothing() -> None:
    keys = ("js.16", "mss.ten", "mix.ten")
    columns = [each for each in scenarios.every() if each.key in keys]
    found = table.measure(Lab(None, workers=1), columns, [startups.named("slow-start")])
    assert set(found.times["ratio"]) == {1}
    assert set(found.of(BYSTANDERS).select("low", "high").row(0)) == {1}


def test_flows_without_end_are_one_user_who_takes_time_for_what_arrives() -> None:
    from flowstart.simulation.run import run

    document = {
        "duration": "10s",
        "path": {"rate": "8Mbps", "rtt": "20ms"},
        "flows": [{"count": 2, "stagger": "1s"}],
    }
    found = measures.shares(run(document))
    assert found["user"] == [0]
    (seconds,) = found["seconds"]
    assert seconds == pytest.approx(1, rel=0.1)


def test_the_grid_marks_the_best_and_the_best_without_help() -> None:
    grid = tables.grid(TABLE)
    titles = [each.title for each in grid.columns]
    cells = {row[0]: dict(zip(titles, row, strict=True)) for row in grid.rows}
    assert cells["quick-start RP"]["QS\none"] == "−60◀"
    assert cells["jump-start"]["QS\none"] == "−50◁"
    assert cells["jump-start"]["JS\nsingle"] == "−40◀"
    assert cells["suss"]["harm"].startswith("−15±")
    assert grid.rows[0][0] == "quick-start RP"


def test_a_startup_that_cannot_be_given_its_need_has_an_empty_cell() -> None:
    absent = (pl.col("scenario") == "js.crowd") & (pl.col("startup") == "suss")
    found = CrossTable(COLUMNS, TABLE.startups, TABLE.times.filter(~absent))
    grid = tables.grid(found)
    titles = [each.title for each in grid.columns]
    (row,) = (row for row in grid.rows if row[0] == "suss")
    assert row[titles.index("JS\ncrowd")] == "–"
    assert tables.every(found)
    assert heatmap.draw(found).axes


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setattr(studies, "table", lambda _: TABLE)
    monkeypatch.setenv("FLOWSTART_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("toy")
def test_the_command_prints_one_table_and_what_it_shows(cli: Cli) -> None:
    answer = cli("papers", "cross", "--details")
    assert answer.status == 0
    assert answer.err == ""
    assert answer.out.count("startup  ") == 1
    assert "−60◀" in answer.out
    assert "Best on the ground of Quick-Start" in answer.out


@pytest.mark.usefixtures("toy")
def test_the_command_as_json(cli: Cli) -> None:
    found = json.loads(cli("papers", "cross", "--json").out)
    (experiment,) = found["experiments"]
    assert experiment["id"] == "CROSS"
    rows = experiment["tables"]["entries"]
    jump = next(r for r in rows if (r["scenario"], r["startup"]) == ("js.crowd", "jump-start"))
    assert jump["ratio"] == pytest.approx(2.098, abs=0.001)
    assert jump["ratio, from"] < jump["ratio"] < jump["ratio, to"]


@pytest.mark.usefixtures("toy")
def test_the_command_writes_a_page_with_tables_and_the_picture(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    out = tmp_path / "out"
    assert cli("papers", "cross", "-o", str(out)).status == 0
    names = {file.name for file in out.iterdir()}
    assert {"cross.html", "cross-cross.png", "cross-entries.csv", "result.json"} <= names
    page = (out / "cross.html").read_text()
    assert "<svg" in page
    assert "Best on the ground of Quick-Start" in page


@pytest.mark.usefixtures("toy")
def test_a_file_is_no_folder_for_results_or_for_runs(cli: Cli, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for option in ("-o", "--cache"):
        answer = cli("papers", "cross", option, str(file))
        assert (answer.status, answer.out) == (2, "")
        assert answer.err.startswith("flowstart: ")
        assert str(file) in answer.err
        assert answer.err.count("\n") == 1


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("given", [("QS-T1",), ("--workers", "0"), ("--all",)])
def test_what_the_command_does_not_take_is_said_in_one_line(
    cli: Cli, given: tuple[str, ...]
) -> None:
    answer = cli("papers", "cross", *given)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("flowstart: ")
    assert answer.err.count("\n") == 1


def test_ctrl_c_says_how_it_goes_on(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_: Lab) -> CrossTable:
        raise KeyboardInterrupt

    monkeypatch.setattr(studies, "table", stopped)
    answer = cli("papers", "cross", "--fresh")
    assert answer.status == 130
    assert answer.err == ("flowstart: stopped by Ctrl-C; the same command resumes here\n")


def test_hystart_has_a_home() -> None:
    assert startups.named("hystart").home == HYSTART


@pytest.mark.long
def test_what_the_package_says_is_true_of_its_runs() -> None:
    found = studies.table(Lab(default_cache()))
    alone, alike, others = (
        found.own.filter(competing=competing) for competing in ("alone", "alike", "others")
    )
    among, beside = (verdicts.agreement(alone, each) for each in (alike, others))
    assert among[2] < 0.5 < 0.8 < beside[1]

    def jump(key: str, kind: str, holds: pl.Expr) -> bool:
        return bool(len(found.of(kind).filter(holds, startup="jump-start", scenario=key)))

    assert jump("js.64", OWN, SHORTER)
    assert jump("js.close", OWN, LONGER)
    assert jump("mix.crowd", BYSTANDERS, LONGER)
    assert not jump("mix.load", BYSTANDERS, LONGER)
    assert {"qs.384k.low", "mss.t1.short", "mss.oc1.short"} <= set(verdicts.level(found))
