"""Cells with company, as they are run and kept."""

import json

import pytest

from flowstart import _native
from flowstart.model.custom import CustomStartups
from flowstart.model.variants import Variant
from flowstart.simulation import frames
from flowstart.sweeps.cell import COMPANY, Cell
from flowstart.sweeps.runs.batch import run_cells

VARIANTS = (
    Variant.parse("bbr: avoidance=bbr iw=30"),
    Variant("slow-start", "slow-start"),
    Variant("jump-start", "jump-start"),
)
CUSTOM = CustomStartups()


def cell(company: str) -> Cell:
    path = {"rate": "20Mbps", "rtt": "40ms", "buffer": "60pkt"}
    return Cell(0, path, {"size": "200kB"}, {"preset": "linux"}, None, company, 1, "", "")


@pytest.mark.parametrize("company", COMPANY)
def test_a_cells_scenario_repeats_the_row_of_each_variant(company: str) -> None:
    rows = run_cells([cell(company)], VARIANTS, CUSTOM).to_dicts()
    for variant, row in zip(VARIANTS, rows, strict=True):
        scenario = json.loads(row["scenario"])
        tested = [place for place, flow in enumerate(scenario["flows"]) if "startup" not in flow]
        for place in tested:
            scenario["flows"][place] |= variant.flow()
        flows = frames.frame(_native.run(json.dumps(scenario), CUSTOM.natives())["flows"])
        again = flows.row(tested[0], named=True)
        names = ("fct_s", "packets_sent", "packets_dropped", "avoidance")
        assert {name: again[name] for name in names} == {name: row[name] for name in names}
