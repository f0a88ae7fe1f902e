"""The explorer's maps: of a path's rate and round trip, and of a sweep's folder."""

import json
import math
import pathlib
from typing import Any

import pytest

import flowstart as fs
from flowstart.comparison.plan import Plan
from flowstart.errors import RequestError
from flowstart.explorer.maps import levels, swept
from flowstart.explorer.maps.levels import Extent
from flowstart.model.path import NetworkPath
from flowstart.questions.compare import Compare
from made_up_map import cell, write

STARTUPS = ["slow-start", "hystart", "jump-start"]
EXTENT = Extent.of(["2Mbps", "200Mbps"], ["10ms", "200ms"])


def plan(**more: Any) -> Plan:
    options = {"startups": STARTUPS, "sizes": ["200kB"], **more}
    return Plan.of(Compare(NetworkPath(rate="1Mbps", rtt="1s", buffer="0.5bdp"), **options))


def test_winners_and_regrets_are_those_of_a_sweep_over_the_same_cells(
    tmp_path: pathlib.Path,
) -> None:
    found = levels.level(plan(), EXTENT, 0)
    fs.sweep(
        {
            "startups": STARTUPS,
            "path": {
                "rate": sorted({one["rate"] for one in found["cells"]}),
                "rtt": sorted({one["rtt"] for one in found["cells"]}),
                "buffer": "0.5bdp",
            },
            "flow": {"size": "200kB"},
        },
        tmp_path / "sweep",
    )
    read = fs.SweepResult.read(tmp_path / "sweep").map()
    assert read.startups == tuple(STARTUPS)
    by_path = {
        (row["rate_bps"], round(row["rtt_s"], 9)): (times, regrets)
        for row, times, regrets in zip(
            read.outcomes.cells.to_dicts(),
            read.outcomes.times.tolist(),
            read.outcomes.raw_regret.tolist(),
            strict=True,
        )
    }
    assert len(by_path) == len(found["cells"]) == 12
    for one in found["cells"]:
        rate = float(one["rate"].removesuffix("Mbps")) * 1e6
        rtt = float(one["rtt"].removesuffix("ms")) / 1e3
        times, regrets = by_path[round(rate), round(rtt, 9)]
        assert one["fct_s"] == times
        assert one["regret"] == pytest.approx(regrets)
        assert one["winner"] == times.index(min(times))
    assert len({one["winner"] for one in found["cells"]}) > 1


def test_a_cell_equals_the_table_of_the_state_that_it_opens() -> None:
    one = levels.level(plan(flows=2), EXTENT, 0)["cells"][6]
    path = NetworkPath(rate=one["rate"], rtt=one["rtt"], buffer="0.5bdp")
    table = fs.compare(path, startups=STARTUPS, sizes=["200kB"], flows=2)
    assert [s.fct_s for s in table.summaries] == one["fct_s"]
    assert [s.change for s in table.summaries] == one["change"]


def test_levels_together_have_every_cell_of_the_finest_once() -> None:
    seen = set()
    for number in range(levels.LEVELS):
        columns, rows = EXTENT.level(number)
        for one in EXTENT.cells(number):
            seen.add((one.x / (columns - 1), one.y / (rows - 1)))
    columns, rows = EXTENT.level(levels.LEVELS - 1)
    assert len(seen) == columns * rows
    assert sum(len(EXTENT.cells(number)) for number in range(levels.LEVELS)) == columns * rows


def test_ends_of_the_map_are_what_was_asked_for_and_ticks_are_round() -> None:
    cells = EXTENT.cells(0)
    assert (cells[0].rate, cells[0].rtt) == ("2Mbps", "10ms")
    assert (cells[-1].rate, cells[-1].rtt) == ("200Mbps", "200ms")
    found = levels.level(plan(sizes=["10kB"]), EXTENT, 0)
    assert [tick["label"] for tick in found["x"]["ticks"]] == [
        *("2 Mbps", "5 Mbps", "10 Mbps", "20 Mbps", "50 Mbps", "100 Mbps", "200 Mbps")
    ]
    assert found["x"]["ticks"][0]["at"] == pytest.approx(0)


@pytest.mark.parametrize(
    ("rates", "rtts", "says"),
    [
        (["1Mbps"], None, "two rates such as 1Mbps and 1Gbps are needed"),
        (["1ms", "2ms"], None, "rates: `1ms`"),
        (["2Mbps", "1Mbps"], None, "the first must be above 0 and below the second"),
        ([{}, 3], None, "two rates"),
        ("1Mbps", None, "two rates"),
        (["1e999Mbps", "2Mbps"], None, "rates"),
        (None, ["0ms", "1s"], "rtts: `0ms` to `1s`"),
    ],
)
def test_nonsense_for_an_axis_is_one_sentence(rates: object, rtts: object, says: str) -> None:
    with pytest.raises(RequestError, match=r"^[^\n]+$") as error:
        Extent.of(rates, rtts)
    assert says in str(error.value)


@pytest.mark.parametrize("number", [-1, 4, "1", None, True, 1.0])
def test_levels_that_are_none_are_refused(number: Any) -> None:
    with pytest.raises(RequestError, match="level: "):
        levels.level(plan(), EXTENT, number)


def test_a_level_that_would_take_minutes_is_refused_with_its_packets() -> None:
    with pytest.raises(RequestError, match=r"would send .* million packets"):
        levels.level(plan(sizes=["10GB"]), EXTENT, 0)
    with pytest.raises(RequestError, match="2 sizes are given"):
        levels.level(plan(sizes=["1kB", "2kB"]), EXTENT, 0)


def test_what_progress_raises_ends_the_runs() -> None:
    class Enough(Exception):
        pass

    def stop(_done: int, _total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        levels.level(plan(sizes=["20MB"]), EXTENT, 1, progress=stop)


# A sweep's folder.


def test_tiles_have_the_winners_and_regrets_of_the_map(tmp_path: pathlib.Path) -> None:
    folder = write(
        tmp_path / "sweep",
        cell(0, {"a": 1.0, "b": 2.0}, rate_bps=1e6),
        cell(1, {"a": 1.04, "b": 1.0}, rate_bps=1e7) + cell(2, {"a": 4.0, "b": 1.0}, rate_bps=1e8),
    )
    found = swept.Folders([str(folder)]).map(0, ["rate", "rtt"])
    summary = swept.summary(found)
    json.dumps(summary, allow_nan=False)
    tiles = summary["panels"][0]["tiles"]
    assert [tile["winner"] for tile in tiles] == [0, 1, 1]
    assert [tile["means"] for tile in tiles] == [[1, 2], [1.04, 1], [4, 1]]
    assert summary["table"]["rows"][0][0] == "b"


def test_a_tile_lists_its_cells_and_a_cell_opens_with_exactly_its_values(
    tmp_path: pathlib.Path,
) -> None:
    folder = tmp_path / "sweep"
    fs.sweep(
        {
            "startups": STARTUPS[:2],
            "stack": "quic",
            "path": {"rate": ["3Mbps", "30Mbps"], "rtt": "40ms", "buffer": "2bdp"},
            "flow": {"size": "100kB"},
        },
        folder,
    )
    found = swept.Folders([str(folder)]).map(0, ["rate", "rtt"])
    (one,) = swept.tile(found, 0, 0, 1, 0)["cells"]
    opened = swept.cell(found, one["cell"])
    given = opened["given"]
    assert given["rate"] == "30Mbps"
    assert given["startup"] == STARTUPS[:2]
    assert given["stack"] == "quic"
    again = fs.compare(
        NetworkPath(rate=given["rate"], rtt=given["rtt"], buffer=given["buffer"]),
        startups=given["startup"],
        sizes=[given["size"]],
        stack=given["stack"],
    )
    assert [s.fct_s for s in again.summaries] == one["fct_s"]


def test_a_cell_with_competing_says_why_no_options_open_it(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "sweep"
    fs.sweep(
        {
            "startups": STARTUPS[:2],
            "path": {"rate": "3Mbps", "rtt": "40ms"},
            "flow": {"size": "10kB"},
            "competing": {"kinds": ["short"]},
        },
        folder,
    )
    found = swept.Folders([str(folder)]).map(0, ["rate", "rtt"])
    opened = swept.cell(found, 0)
    assert opened["given"] is None
    assert "other flows are on the path" in opened["why"]
    assert len(opened["scenario"]["flows"]) == 2


def test_folders_and_tiles_that_are_not_there_are_refused(tmp_path: pathlib.Path) -> None:
    folders = swept.Folders([str(tmp_path / "nothing")])
    with pytest.raises(RequestError, match="no such folder"):
        folders.map(0, ["rate", "rtt"])
    with pytest.raises(RequestError, match="there is no folder 1"):
        folders.map(1, ["rate", "rtt"])
    folder = write(tmp_path / "sweep", cell(0, {"a": 1.0, "b": math.inf}))
    found = swept.Folders([str(folder)]).map(0, ["rate", "rtt"])
    with pytest.raises(RequestError, match="tile: 9, 9"):
        swept.tile(found, 0, 0, 9, 9)
    with pytest.raises(RequestError, match="has no cell 77"):
        swept.cell(found, 77)


def test_only_some_maps_are_kept(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[str, ...]] = []
    monkeypatch.setattr(swept, "read_map", lambda _, **axes: read.append((axes["x"], axes["y"])))
    folders = swept.Folders([str(tmp_path)])
    for number in range(swept.MOST_MAPS + 1):
        folders.map(0, [str(number), "rtt"])
    folders.map(0, ["1", "rtt"])
    assert len(read) == swept.MOST_MAPS + 1
    folders.map(0, ["0", "rtt"])
    assert read[-1] == ("0", "rtt")
