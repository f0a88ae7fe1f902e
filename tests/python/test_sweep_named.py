"""The sweeps that ship with the package: each reads, resolves, and says where it is from."""

from itertools import islice

import pytest

from flowstart.sweeps.language.named import named_file, names
from flowstart.sweeps.language.sweep import Sweep
from flowstart.sweeps.runs.batch import run_cells
from flowstart.sweeps.runs.table import Planned

NAMES = list(names())
SOURCES = {
    "gate": "`flowstart gate`",
    "default-grid": "RFC 9743",
    "irtf-tcpeval": "draft-irtf-iccrg-tcpeval-01",
    "map": "`wide`",
    "realistic": "not a measurement",
    "wide": "`realistic`",
}
"""What the opening of each names: where it is from, or that it is of nobody else's."""
FIRST = 60


def opening(name: str) -> str:
    lines = named_file(name).read_text("utf-8").splitlines()
    comment = lines[: next(i for i, line in enumerate(lines) if not line.startswith("#"))]
    return " ".join(line.removeprefix("#").strip() for line in comment)


def test_every_sweep_that_ships_is_listed_with_what_it_is() -> None:
    assert names().keys() == SOURCES.keys()
    assert all(names().values())


@pytest.mark.parametrize("name", NAMES)
def test_a_sweep_opens_with_where_it_is_from(name: str) -> None:
    assert SOURCES[name] in opening(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_sweep_bears_the_name_of_its_file(name: str) -> None:
    assert Sweep.read(named_file(name)).document["name"] == name


@pytest.mark.parametrize("name", NAMES)
def test_the_first_cells_of_a_sweep_run(name: str) -> None:
    sweep = Sweep.read(named_file(name))
    for cell in islice(sweep.cells(), FIRST):
        planned = Planned.of(cell, sweep.variants[:1], sweep.custom)
        for scenario in planned.scenarios():
            assert scenario


def test_web_load_on_a_slow_line_lets_the_flow_under_test_open_and_end() -> None:
    line = {"rate": "64kbps", "rtt": "14ms", "buffer": "10kB"}
    asked = {"startups": ["slow-start"], "stack": "linux", "path": line}
    sweep = Sweep.of(asked | {"flow": {"size": "15kB"}, "competing": {"kinds": ["web"]}})
    rows = run_cells(list(sweep.cells()), sweep.variants, sweep.custom)
    assert rows["complete"].to_list() == [True]


def test_the_suites_paths_have_its_nine_round_trips_behind_each_core() -> None:
    trips: dict[str, set[str]] = {}
    for cell in Sweep.read(named_file("irtf-tcpeval")).cells():
        trips.setdefault(cell.origin, set()).add(cell.path["rtt"])
    edges = [2 * (left + right) for left in (0, 12, 25) for right in (2, 37, 75)]
    cores = {"access": 2, "trans-oceanic": 65, "geostationary": 300, "dial-up": 5}
    for name, core in cores.items():
        assert trips[name] == {f"{edge + 2 * core}ms" for edge in edges}
    near, far = 10, 100
    ends = [2 * (a + b) for a in (near, near, far) for b in (near, far, far)]
    assert trips["data centre"] == {f"{end}us" for end in ends}
