"""The page of gauge is made of what is kept of its judging."""

import pathlib

import gauge
import grid
import tables

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "concepts" / "gauge.md"


def test_the_page_shows_what_is_kept() -> None:
    page = PAGE.read_text()
    for name in gauge.NAMES:
        assert f"<!-- gauge {name} -->\n{gauge.table(name)}\n<!-- end of gauge {name} -->" in page
    assert tables.with_tables(page) == page


def test_the_pictures_of_the_page_are_small() -> None:
    for file, _ in gauge.IMAGES.values():
        picture = grid.IMAGES / file
        assert not picture.exists() or picture.stat().st_size < 200_000
