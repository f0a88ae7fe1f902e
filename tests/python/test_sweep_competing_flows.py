"""Cells with competing flows, as they are run and kept."""

import json
from typing import Any

import pytest

import flowstart as fs
from flowstart import _native
from flowstart.maps.worst_cells import in_words
from flowstart.model.custom import CustomStartups
from flowstart.model.document import resolve
from flowstart.model.variants import Variant
from flowstart.simulation import frames
from flowstart.sweeps.cell import COMPETING, Cell
from flowstart.sweeps.runs.batch import run_cells
from flowstart.sweeps.runs.competing_flows import Facts

VARIANTS = (
    Variant.parse("bbr: cc=bbr iw=30"),
    Variant("slow-start", "slow-start"),
    Variant("jump-start", "jump-start"),
)
CUSTOM = CustomStartups()


def cell(competing: str) -> Cell:
    path = {"rate": "20Mbps", "rtt": "40ms", "buffer": "60pkt"}
    return Cell(0, path, {"size": "200kB"}, {"preset": "linux"}, None, competing, 1, "", "")


@pytest.mark.parametrize("competing", COMPETING)
def test_a_cells_scenario_repeats_the_row_of_each_variant(competing: str) -> None:
    rows = run_cells([cell(competing)], VARIANTS, CUSTOM).to_dicts()
    for variant, row in zip(VARIANTS, rows, strict=True):
        scenario = json.loads(row["scenario"])
        tested = [place for place, flow in enumerate(scenario["flows"]) if "startup" not in flow]
        for place in tested:
            scenario["flows"][place] |= variant.flow()
        flows = frames.frame(_native.run(json.dumps(scenario), CUSTOM.natives())["flows"])
        again = flows.row(tested[0], named=True)
        names = ("fct_s", "packets_sent", "packets_dropped", "cc")
        assert {name: again[name] for name in names} == {name: row[name] for name in names}


@pytest.mark.parametrize("competing", ["long", "bbr"])
def test_a_long_flow_is_compared_with_what_it_delivers_alone_until_the_same_moment(
    competing: str,
) -> None:
    [row] = run_cells([cell(competing)], VARIANTS[1:2], CUSTOM).to_dicts()
    scenario = json.loads(row["scenario"])
    long, tested = scenario["flows"]
    together = _native.run(json.dumps(scenario | {"flows": [long, tested]}), CUSTOM.natives())
    beside, own = frames.frame(together["flows"]).to_dicts()
    opened = own["opened_s"]
    end = opened + own["duration_s"] + 10 * row["rtt_s"]
    before, after = (_delivered_alone(scenario, moment) for moment in (opened, end))
    lost = after - beside["bytes_delivered"] - own["bytes_delivered"]
    assert row["harm_s"] / (end - opened) == pytest.approx(lost / (after - before), abs=0.004)


def _delivered_alone(scenario: dict[str, Any], until_s: float) -> int:
    """What the long flow has delivered by then if nobody comes."""
    alone = {name: value for name, value in scenario.items() if name != "end_after"}
    alone |= {"flows": scenario["flows"][:1], "duration": f"{round(until_s * 1e9)}ns"}
    flows = frames.frame(_native.run(json.dumps(alone), CUSTOM.natives())["flows"])
    return int(flows["bytes_delivered"][0])


def test_the_rate_of_a_cell_is_what_its_shaper_lets_pass() -> None:
    path = {"rate": "1Gbps", "rtt": "60ms", "buffer": "50pkt"}
    path |= {"shaper_rate": "10Mbps", "shaper_burst": "10kB"}
    scenario = {"path": path, "flows": [{"size": "10kB"}]}
    facts = Facts.of(resolve(scenario), path, "10kB")
    assert facts.bdp_pkts == 50
    assert fs.run(scenario).frame["bdp_pkts"][0] == 50


def test_a_cell_in_words_has_the_values_of_its_further_fields() -> None:
    path = {"rate": "1Gbps", "rtt": "60ms", "buffer": "50pkt"}
    path |= {"shaper_rate": "10Mbps", "shaper_burst": "10kB"}
    shaped = Cell(0, path, {"size": "10kB"}, {"preset": "linux"}, None, "alone", 1, "", "")
    (row,) = run_cells([shaped], VARIANTS[1:2], CUSTOM).to_dicts()
    words = in_words(row, path=json.loads(row["scenario"])["path"])
    assert "buffer 50 pkt (1.00 BDP)" in words
    assert "shaper_burst 10kB, shaper_rate 10Mbps" in words


def test_a_row_has_what_limited_the_flow_under_test() -> None:
    for row in run_cells([cell("alone"), cell("long")], VARIANTS, CUSTOM).to_dicts():
        shares = [row[f"{name.replace('-', '_')}_share"] for name in _native.LIMITS]
        assert sum(shares) == pytest.approx(1.0, abs=1e-9)
        assert row["limited_by"] in _native.LIMITS
