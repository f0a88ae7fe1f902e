"""Every command answers on one screen: 25 lines of 80 columns, the answer among the first ten."""

import pathlib
import re
from collections.abc import Callable
from typing import Any

import made_up_map
from flowstart.render.grid import Column, Grid
from flowstart.render.summary import Summary, command
from screen import on_one_screen

Cli = Callable[..., Any]


# What summaries have in common.


def grid(rows: int) -> Grid:
    columns = [Column("name", number=False), Column("same"), Column("empty"), Column("number")]
    return Grid(columns, [[f"row {i}", "1", "–", str(i)] for i in range(rows)])


def test_a_table_has_at_most_ten_rows_and_the_number_of_the_others() -> None:
    found = Summary("What was run.", ["The answer."], grid(33))
    assert found.shown is not None
    assert len(found.shown.rows) == 10
    assert found.closing == ["23 more: --details"]


def test_a_table_makes_room_for_the_lines_around_it() -> None:
    found = Summary("What was run.", ["The answer."], grid(33), [f"note {i}" for i in range(12)])
    assert found.shown is not None
    assert len(found.shown.rows) == 6


def test_columns_that_are_empty_or_constant_are_left_out() -> None:
    assert [column.title for column in grid(2).informative().columns] == ["name", "number"]
    assert [column.title for column in grid(1).informative().columns] == ["name", "same", "number"]


def test_a_long_command_goes_on_in_lines_that_a_shell_reads_as_one() -> None:
    words = f"flowstart run '{'a b' * 20}' --json --size 1MB --startup {'x,' * 30}y"
    lines = command("Reproduce: ", words)
    assert lines[0].startswith("Reproduce: flowstart run ")
    joined = "".join(line.removesuffix("\\") for line in lines).removeprefix("Reproduce: ")
    assert joined.split() == words.split()
    assert all(line.endswith(" \\") for line in lines[:-1])


# Commands.


def test_a_map(tmp_path: pathlib.Path, cli: Cli) -> None:
    names = ["slow-start", "jump-start", *(f"slow-start:iw={i}pkt" for i in range(20, 32))]
    rows = [
        row
        for number in range(30)
        for row in made_up_map.cell(
            number, {name: 1.0 + place * (number % 7 + 1) for place, name in enumerate(names)}
        )
    ]
    sweep = made_up_map.write(tmp_path / "sweep", rows)
    lines = on_one_screen(cli("map", sweep), "slow-start has the smallest mean regret, 0 %")
    assert any(line.startswith("Reproduce: flowstart map ") for line in lines[-2:])
    assert re.search(r"^\d+ more: --details$", "\n".join(lines), re.MULTILINE)
    assert "dominated" in cli("map", sweep, "--details").out


SEARCH = ("worst", "jump-start", "--against", "slow-start", "--runs", "4", "--search-space")
OVER = "rate=2Mbps,rtt=10ms,size=1MB,buffer=10pkt,competing=alone"


def test_the_worst_paths(cli: Cli) -> None:
    lines = on_one_screen(cli(*SEARCH, OVER), r"jump-start takes up to [\d.]+ times the time")
    assert any(line.startswith("Next: flowstart compare ") for line in lines)
    assert "Again: flowstart compare" in cli(*SEARCH, OVER, "--details").out


def test_a_startup_that_is_nowhere_worse(cli: Cli) -> None:
    over = "rate=1Gbps,rtt=40ms,size=1kB,buffer=1000pkt,competing=alone"
    on_one_screen(cli(*SEARCH, over), "jump-start is nowhere worse than the best of the others")
