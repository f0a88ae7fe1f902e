"""The notebooks' cells run, one after another as code, and what their sentences say is so."""

import ast
import contextlib
import json
import pathlib
from typing import Any

import pytest

pytestmark = pytest.mark.docs

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / name).read_text())["cells"]
    return found


def ran(name: str) -> dict[str, Any]:
    """The names that a notebook's cells leave behind, and the value of each cell in `values`."""
    import matplotlib.pyplot as plt

    names: dict[str, Any] = {"__name__": "notebook", "values": []}
    with contextlib.chdir(FOLDER):
        for cell in cells(name):
            if cell["cell_type"] != "code":
                continue
            body = ast.parse("".join(cell["source"])).body
            last = body.pop() if isinstance(body[-1], ast.Expr) else None
            exec(compile(ast.Module(body, []), name, "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), name, "eval"), names)
                names["values"].append(value)
    plt.close("all")
    return names


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_kept_without_what_its_cells_came_to(file: pathlib.Path) -> None:
    code = [cell for cell in cells(file.name) if cell["cell_type"] == "code"]
    assert code
    assert [(cell["outputs"], cell["execution_count"]) for cell in code] == [([], None)] * len(code)


def test_there_are_no_others_than_those_whose_sentences_are_checked_here() -> None:
    assert {file.stem for file in NOTEBOOKS} == {"own-capture", "own-startup", "paper-figure"}


def test_the_notebook_of_an_own_capture_shows_transfers_by_size_and_a_replay() -> None:
    names = ran("own-capture.ipynb")
    (sizes,) = names["values"][1].rows(named=True)
    assert sizes["below 10 kB"] > sizes["transfers"] / 2  # "most are small"
    startups = {summary.startup for summary in names["answer"].summaries}
    assert startups == {"hystart", "slow-start", "jump-start"}


def test_the_notebook_of_an_own_startup_says_where_it_serves_and_where_it_fails() -> None:
    names = ran("own-startup.ipynb")
    on_the_wire = {row["startup"]: row for row in names["wire"].records if row["size_bytes"] > 5e6}
    mine = on_the_wire["DelayLimit"]
    assert (mine["startup_exit_reason"], mine["packets_dropped"]) == ("delay", 0)
    assert on_the_wire["slow-start"]["packets_dropped"] > 0
    held = 375
    left = {row["startup"]: row for row in names["exits"].rows(named=True)}
    windows = {name: row["startup_exit_cwnd_segments"] for name, row in left.items()}
    assert windows["hystart"] < windows["DelayLimit"] < held < windows["slow-start"]
    larger_limit = (
        names["values"][-1].frame.group_by("startup").agg(median=names["pl"].col("fct_s").median())
    )
    times = dict(larger_limit.iter_rows())
    assert times["DelayLimit:limit_ms=60"] < times["DelayLimit"]


def test_the_notebook_of_a_papers_figure_meets_what_the_paper_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = ran("paper-figure.ipynb")
    verdicts = [line.rpartition(": ")[2] for line in capsys.readouterr().out.splitlines()]
    assert verdicts == ["met", "trend met", *["met"] * 5]
    gains = dict(zip(names["SIZES"], names["gains"], strict=True))
    assert gains[1] == 0
    assert gains[2] < 0
    assert names["dropped"] == 0
