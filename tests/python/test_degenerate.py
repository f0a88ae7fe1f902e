"""Results without data: every command with `-o`, and every table that comes from a file.

Columns that may be without a value are those whose definition gives that a meaning, commands those
of the command line, results the classes of the package: a new one has to be here.
"""

import dataclasses
import json
import pathlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

import flowstart as fs
from conftest import Answer
from flowstart.captures import report as captures
from flowstart.cli.app import ROOT
from flowstart.maps.figures import costs
from flowstart.maps.measures import Front
from flowstart.render import charts, columns
from flowstart.render.folder import damaged_files
from flowstart.render.result import Result

CAPTURE = pathlib.Path(__file__).parents[1] / "data/captures/small.pcap"
KEYS = frozenset({"stream", "connection", "ip_version"})
"""Columns that number rows, or decide what other columns mean."""

Shape = Callable[[pl.DataFrame, columns.Table], pl.DataFrame]


def without_values(frame: pl.DataFrame, table: columns.Table) -> pl.DataFrame:
    """Columns that may be without a value are without one."""
    null = {column.name for column in table.columns if column.null is not None} - KEYS
    return frame.with_columns(
        pl.lit(None, frame.schema[name]).alias(name) for name in frame.columns if name in null
    )


def _numbers(frame: pl.DataFrame, value: Callable[[pl.Series], object]) -> pl.DataFrame:
    """Numbers that are known become one value for each column."""
    names = [name for name in frame.select(pl.selectors.numeric()).columns if name not in KEYS]
    return frame.with_columns(
        pl.when(pl.col(name).is_not_null())
        .then(pl.lit(value(frame[name]), frame.schema[name]))
        .alias(name)
        for name in names
    )


SHAPES: Mapping[str, Shape] = {
    "no row": lambda frame, _: frame.clear(),
    "one row": lambda frame, _: frame.head(1),
    "no values": without_values,
    "zeros": lambda frame, _: _numbers(frame, lambda _: 0),
    "equals": lambda frame, _: _numbers(frame, lambda known: known.drop_nulls().first()),
}
READ = {
    "connections": "capture-connections",
    "transfers": "capture-transfers",
    "quic": "capture-quic",
}
"""The tables of a capture and their definitions."""


@pytest.fixture(autouse=True)
def drawn_without_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are laid out, which finds what data cannot be drawn, and take a tenth of the time."""

    def laid_out(figure: charts.Chart) -> str:
        figure.draw_without_rendering()
        return "<svg/>"

    monkeypatch.setattr(charts, "svg", laid_out)
    monkeypatch.setattr(charts, "png", lambda *_: b"")
    monkeypatch.setenv("FLOWSTART_DEBUG", "1")  # a defect is raised


@pytest.fixture(scope="module")
def capture() -> fs.Capture:
    return fs.read_capture(CAPTURE)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("table", READ)
def test_a_capture_has_its_report_whatever_its_tables_hold(
    capture: fs.Capture, table: str, shape: str
) -> None:
    frame = getattr(capture, table)
    shaped = SHAPES[shape](frame, columns.tables()[READ[table]])
    tables: dict[str, Any] = {table: shaped}
    found = dataclasses.replace(capture, **tables)
    assert json.loads(captures.tables(found, rows=True)["capture.json"])["files"]
    files = captures.pictures(found)
    assert {"needed-rates.png", "window-reductions.png", "report.html"} < set(files)
    assert captures.overview(found).opening
    assert str(found)
    assert found._repr_html_()


def test_every_table_of_a_capture_is_among_those_that_lose_their_data() -> None:
    defined = {name for name in columns.tables() if name.startswith("capture-")}
    follow = {"capture-demands", "capture-senders"}  # from connections
    assert defined - follow == set(READ.values())


HEAD = "ts,client_ip,bytes,rtt_us,duration_s\n"
LOGS = {
    "header": HEAD,
    "one": f"{HEAD}1,10.0.0.1,200000,50000,0.5\n",
    "small": f"{HEAD}1,10.0.0.1,2000,50000,0.5\n2,10.0.1.1,3000,50000,0.7\n",
    "zeros": f"{HEAD}0,10.0.0.1,0,0,0\n",
    "no-rtt": "ts,client_ip,bytes,duration_s\n1,10.0.0.1,20000,0.5\n",
}
PATH = '[path]\nrate = "10Mbps"\nrtt = "50ms"\n'
FLOW = '[[flows]]\nsize = "100kB"\n'
SCENARIOS = {
    "cut": f'duration = "1ms"\n{PATH}{FLOW}',
    "cut-any": f'duration = "1ms"\n{PATH}[[flows]]\n',
    "byte": f'{PATH}[[flows]]\nsize = "1B"\n',
    "lost": f'duration = "2s"\n{PATH}loss = "100%"\n{FLOW}',
    "late": f'duration = "1s"\n{PATH}{FLOW}start = "2s"\n',
    "web": f'duration = "1ms"\n{PATH}[[web]]\nsize = "constant:4"\n',
}
CELLS = '[path]\nrate = "5Mbps"\nrtt = "50ms"\n'
SWEEPS = {
    "cell": f'startups = ["slow-start"]\n{CELLS}[flow]\nsize = "20kB"\n',
    "equal": f'startups = ["slow-start", "hystart"]\n{CELLS}[flow]\nsize = "1B"\n',
    "lost": f'startups = ["slow-start"]\n{CELLS}loss = "100%"\n[flow]\nsize = "20kB"\n',
}
NAMES = "--startup=slow-start,hystart"
SPACE = "--search-space=rate=5Mbps,rtt=50ms,size=3kB,buffer=20pkt,competing=alone"
QUESTIONS: Mapping[str, list[tuple[str, ...]]] = {
    "capture": [(f"{name}.csv",) for name in LOGS],
    "replay": [(f"{name}.csv", NAMES, "--no-uncertainty") for name in ("one", "zeros")],
    "run": [(f"{name}.toml", "--trace") for name in SCENARIOS],
    "compare": [
        *((f"{name}.toml", NAMES, "--no-uncertainty") for name in ("byte", "lost", "web")),
        ("cut-any.toml", NAMES, "--no-uncertainty", "--size=10kB,100kB"),
    ],
    "sweep": [(f"{name}-sweep.toml", "--workers=1") for name in SWEEPS],
    "map": [(f"swept-{name}",) for name in SWEEPS],
    "worst": [("hystart", "--against=slow-start", "--runs=2", SPACE)],
    "verify": [
        ("one.csv", f"{name}.csv", "--columns=duration=duration_s:acked")
        for name in ("small", "zeros", "no-rtt")
    ],
    "gate check": [(f"swept-{name}.json", "--stack=linux:iw=2") for name in SWEEPS],
    "live": [("noq", NAMES, "--rate=10Mbps", "--rtt=50ms", "--size=1B")],
}
FIXED = {"papers run", "papers cross"}
"""Commands whose data nobody chooses."""
RESULTS = {
    "Run": "run",
    "Comparison": "compare",
    "Replay": "replay",
    "SweepResult": "sweep",
    "SweepMap": "map",
    "WorstPaths": "worst",
    "LiveComparison": "live",
    "Verification": "verify",
    "GateResult": "gate check",
}
"""The command that makes each result."""


def commands(group: object, name: str = "") -> Iterator[str]:
    """The commands that write a folder."""
    own_commands: dict[str, Any] = getattr(group, "commands", {})
    for own, command in own_commands.items():
        words = f"{name} {own}".strip()
        if any(parameter.flag == "--output" for parameter in command.parameters):
            yield words
        yield from commands(command, words)


def concrete(kind: type) -> Iterator[str]:
    """The names of the classes that nothing is derived from."""
    kinds: list[type] = kind.__subclasses__()
    below = [one for one in kinds if one.__module__.partition(".")[0] == "flowstart"]
    for one in below:
        yield from concrete(one)
    if not below:
        yield kind.__name__


def test_every_command_that_writes_a_folder_is_asked_for_results_without_data() -> None:
    assert set(commands(ROOT)) == set(QUESTIONS) | FIXED


def test_every_kind_of_result_is_among_them() -> None:
    assert [getattr(fs, name) for name in fs.__all__]  # which imports the modules of results
    assert set(concrete(Result)) == set(RESULTS)
    assert set(RESULTS.values()) < set(QUESTIONS)


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with all files that questions name."""
    folder = tmp_path_factory.mktemp("given")
    files = {f"{name}.csv": text for name, text in LOGS.items()}
    files |= {f"{name}.toml": text for name, text in SCENARIOS.items()}
    files |= {f"{name}-sweep.toml": text for name, text in SWEEPS.items()}
    for name, text in files.items():
        (folder / name).write_text(text)
    for name in SWEEPS:
        fs.sweep(folder / f"{name}-sweep.toml", folder / f"swept-{name}", workers=1)
        fs.gate_record(folder / f"swept-{name}.json", sweep=folder / f"{name}-sweep.toml", repeat=2)
    return folder


@pytest.mark.parametrize(
    "words",
    [(command, *words) for command, asked in QUESTIONS.items() for words in asked],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_command_reports_or_refuses_results_without_data(
    words: tuple[str, ...],
    given: pathlib.Path,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    cli: Callable[..., Answer],
) -> None:
    monkeypatch.chdir(given)
    folder = tmp_path / "out"
    status, out, err = cli(*words[0].split(), *words[1:], "-o", folder)
    if status == 2:
        assert not folder.exists()
        assert err.count("\n") == 1
        return
    assert status in (0, 1, 3), err
    assert out
    if words[0] == "sweep":
        assert (folder / "complete.json").exists()
        return
    assert json.loads((folder / "manifest.json").read_text())["state"] == "complete"
    assert not damaged_files(folder)
    assert (folder / "report.html").exists()


def test_an_axis_of_zeros_has_a_length() -> None:
    assert charts.linear("packets", 0).limits == (0, 1)


def test_points_that_all_lie_on_the_front_leave_room_for_their_panels() -> None:
    same = np.ones(2)
    front = Front(same, 0 * same, {"alone": same / 10, "same": same / 10}, same > 0)
    costs(front, ["slow-start", "hystart"], "about")
