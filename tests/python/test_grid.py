"""The page of every startup on the grid: what is kept of its sweeps is what ships, and is told."""

import pytest

import grid
import grid_words
from flowstart.model import specs
from flowstart.model.custom import CustomStartups
from flowstart.model.variants import of_startups
from flowstart.sweeps.language.named import named_file
from flowstart.sweeps.language.sweep import Sweep

SWEEPS = (grid.GRID, grid.SUITE)


@pytest.mark.parametrize("among", [specs.ALL, specs.UNAIDED])
@pytest.mark.parametrize("sweep", SWEEPS)
def test_what_is_kept_has_every_startup_on_every_cell(sweep: str, among: str) -> None:
    cells = sum(1 for _ in Sweep.read(named_file(sweep)).cells())
    found = grid.rows(sweep, among=among)
    assert {row.startup for row in found} == {
        one.name for one in of_startups([among], CustomStartups())
    }
    assert {int(row.told["cells"]) for row in found} == {cells}


def test_the_page_learns_five_things_of_the_grid() -> None:
    assert len(grid_words.in_words().splitlines()) == 5


@pytest.mark.parametrize("picture", ["map.png", *(f"{sweep}-regret.png" for sweep in SWEEPS)])
def test_a_picture_is_small(picture: str) -> None:
    assert (grid.IMAGES / picture).stat().st_size < 200_000
