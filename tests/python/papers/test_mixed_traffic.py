import itertools
import pathlib
import re

import polars as pl
import pytest

import flowstart_papers as papers
from flowstart.simulation.run import run
from flowstart_papers import mixed_traffic, runner
from flowstart_papers.lab import Lab
from flowstart_papers.mixed_traffic import camps, measures, setups, studies

WEB = setups.web(sessions=6)


def test_those_who_have_switched_stay_switched_at_every_larger_share() -> None:
    found = [camps.switched(200, share, seed=3) for share in camps.SHARES]
    assert [len(each) for each in found] == [20, 50, 100, 150, 200]
    assert all(few < many for few, many in itertools.pairwise(found))


def test_seeds_draw_others() -> None:
    assert camps.switched(200, 50, seed=1) != camps.switched(200, 50, seed=2)


@pytest.mark.parametrize("startup", ["jump-start", "fast-start"])
def test_connections_open_at_the_same_moments_whatever_they_start_with(startup: str) -> None:
    setting = setups.at_random(500)

    def opened(share: int) -> list[float]:
        startups = camps.startups(setting.users, startup, share, seed=1)
        return [row["opened_s"] for row in run(setting.build(startups, 1)).records]

    assert opened(0) == opened(50)


def test_pages_are_the_same_whatever_a_session_starts_with() -> None:
    def objects(share: int) -> list[tuple[int, int, int, int]]:
        startups = camps.startups(WEB.users, "qs-app", share, seed=1)
        found = run(WEB.build(startups, 1)).objects
        return sorted(found.select("web", "page", "object", "packets").rows())

    assert objects(0) == objects(50) == objects(100)


def test_slow_start_next_to_slow_start_changes_nothing() -> None:
    lab = Lab(None, workers=1)
    found = camps.mix(lab, [WEB], ["slow-start"], [1, 2], measures.of_objects, shares=[50])
    half = found.row(1, named=True)
    for camp in ("switched", "stayed", "stayed_late"):
        assert [half[f"{camp}{end}"] for end in ("", "_low", "_high")] == [0, 0, 0]
    assert half["harm"] == half["harm_by_slow_start"]


def test_harm_is_the_part_of_the_median_that_is_due_to_the_others() -> None:
    lab = Lab(None, workers=1)
    setting = setups.swift("T1", 100, "50pkt")
    (unmixed,) = camps.mix(lab, [setting], [], [1], measures.of_flows).rows(named=True)
    startups = ["slow-start"] * setting.users
    alone = measures.of_flows(run(setting.alone(startups, 1)))["duration"]
    assert len({round(each, 4) for each in alone}) == 1
    assert unmixed["harm"] == pytest.approx(1 - alone[0] / unmixed["stayed_s"])
    assert unmixed["harm"] > 0


@pytest.mark.long
def test_the_table_of_the_package_is_what_its_experiment_measures() -> None:
    ((paper, experiment),) = runner.choose(papers.load(), ["MIX-ARRIVALS"])
    findings = runner.run(paper, experiment, Lab(None)).findings
    (measured,) = (table.rows for table in findings.tables if table.name == "arrivals")
    page = (pathlib.Path(mixed_traffic.__file__).parent / "README.md").read_text("utf-8")
    shown = re.findall(r"^\| ([a-z][a-z-]+)(?:, [\w ]+)? \|([^(\n]*)\|$", page, re.MULTILINE)
    rows = {name: re.findall(r"[−+]?\d+", cells) for name, cells in shown}
    assert set(rows) == {row["startup"] for row in measured}
    for row in measured:
        name, *values = row.values()
        printed = [int(number.replace("−", "-")) for number in rows[name]]
        assert printed == pytest.approx(values, abs=0.51), name


@pytest.mark.parametrize("setting", ["sessions", "interval (s)"])
def test_each_setting_has_columns_for_both_camps(setting: str) -> None:
    found = pl.DataFrame(
        {"startup": ["suss"] * 2, "share": [50] * 2, setting: [50, 100],
         "switched": [-3.0, -4.0], "stayed": [1.0, 2.0]}
    )  # fmt: skip
    (row,) = studies.glance("glance", found, setting).rows
    assert list(row.values()) == ["suss", -3.0, 1.0, -4.0, 2.0]
