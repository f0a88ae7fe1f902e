"""Tables on terminals of any width."""

import io

import pytest
from rich.console import Console

from flowstart.render.grid import Column, Grid
from flowstart.render.summary import fitted


def grid() -> Grid:
    columns = [Column("name", number=False), *(Column(t, spare=t in "bd") for t in "abcd")]
    return Grid(columns, [["first", *"1234"], ["second", *"5678"]], {0: "group"}, {1})


def shown(width: int) -> tuple[str, list[str]]:
    console = Console(width=width, file=io.StringIO())
    table, hidden = fitted(grid(), console)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue(), hidden


@pytest.mark.parametrize(("width", "left_out"), [(80, []), (18, []), (17, ["d"]), (15, ["b", "d"])])
def test_a_narrow_terminal_loses_spare_columns_from_the_right(
    width: int, left_out: list[str]
) -> None:
    text, hidden = shown(width)
    assert hidden == left_out
    heading = text.splitlines()[1].split()
    assert heading == [t for t in ("name", "a", "b", "c", "d") if t not in left_out]
    assert "…" not in text


def test_groups_and_the_best_are_marked() -> None:
    lines = shown(80)[0].splitlines()
    assert any(line.strip() == "group" for line in lines)
    assert ["◀" in line for line in lines if "first" in line or "second" in line] == [False, True]
