"""Every column of every file is defined, and every definition is of a column."""

import io
import json
import pathlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl
import pytest

import flowstart as fs
import made_up_map
import made_up_rollouts
import test_collection
import test_quic
from flowstart import _native
from flowstart.captures import report as capture_report
from flowstart.collection import outputs
from flowstart.comparison.live.load import simulated
from flowstart.render import files
from flowstart.render.columns import KEY, VERSION, schema, tables
from flowstart.render.files import Content
from flowstart.replays.answer import ONCE
from flowstart.replays.execute import study
from flowstart.replays.settings import Settings

PATH = {"rate": "20Mbps", "rtt": "20ms", "buffer": "20pkt"}
WEB = {"sessions": 2, "interval": "constant:50ms", "objects": 2, "size": "constant:2"}
SCENARIO = {
    "path": PATH,
    "flows": [
        {"writes": [{"at": "0s", "size": "20pkt"}, {"at": "1s", "size": "3pkt"}]},
        {"size": "30pkt", "available_rate": "20Mbps"},
        {"source": "every=10ms,size=5kB,count=3"},
        {"size": "3pkt", "stack": {"handshake": "tcp+tls13", "flight": "classic"}},
    ],
    "within": ["1s"],
    "web": [WEB],
}
SWEEP = {"startups": ["slow-start"], "path": PATH, "flow": {"size": "30pkt"}}
LIVE = "noq" in _native.BUILT_LIVE_STACKS
COLLECTS = hasattr(_native, "Collector")
CAPTURES = pathlib.Path(__file__).parents[1] / "data/captures"


def written() -> Iterator[tuple[str, Mapping[str, Content]]]:
    """What kind of command writes which files."""
    yield "run", next(fs.run(SCENARIO, trace=True).files())
    names = ("slow-start", "hystart")
    yield "compare", next(fs.compare(SCENARIO, startups=names).files())
    if LIVE:
        path = fs.NetworkPath(rate="20Mbps", rtt="20ms")
        yield "live", next(fs.compare(path, startups=names, sizes=["20kB"], on="noq").files())
    rows = simulated(fs.run(SCENARIO).outcome)
    load = fs.LiveLoad(SCENARIO, None, rows, "", 0, (), False)
    yield "load", files.columns(load.frame, "requests", "load-rows")
    found = fs.read_capture(CAPTURES / "small.pcap")
    yield "capture", capture_report.tables(found)
    with tempfile.TemporaryDirectory() as folder:
        quic = fs.read_capture(test_quic.write(pathlib.Path(folder) / "quic.pcap", test_quic.TALK))
    yield "quic", capture_report.tables(quic)
    with tempfile.TemporaryDirectory() as folder:
        cells = made_up_map.cell(0, {"slow-start": 2.0, "hystart": 1.0})
        swept = made_up_map.write(pathlib.Path(folder) / "sweep", cells)
        yield "map", next(fs.SweepResult.read(swept).map().files())
    with tempfile.TemporaryDirectory() as folder:
        found_sweep = fs.sweep(SWEEP, pathlib.Path(folder) / "sweep", workers=1)
        parts = sorted((found_sweep.store.place / "parts").iterdir())
        yield "sweep", {part.name: part.read_bytes() for part in parts}
    over = "rate=10Mbps,rtt=20ms,buffer=10pkt,size=100kB,loss=2%"
    failing = fs.find_worst_paths(
        "slow-start", against=["jump-start"], search_space=over, runs=1, workers=1
    )
    yield "worst", next(failing.files())
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder) / "base.json"
        fs.gate_record(base, sweep=SWEEP, repeat=2)
        yield "gate check", next(fs.gate_check(base, stack="linux:iw=2").files())
    with tempfile.TemporaryDirectory() as folder:
        sets = made_up_rollouts.write(pathlib.Path(folder), made_up_rollouts.Truth(), 200, 1)
        yield "verify", next(fs.verify(*sets, columns=made_up_rollouts.COLUMNS).files())
    if COLLECTS:
        with tempfile.TemporaryDirectory() as folder:
            outputs.opened(folder).write(test_collection.table({}, {"exit": 0, "end_us": 0}))
            yield (
                "collect",
                {file.name: file.read_bytes() for file in pathlib.Path(folder).glob("*/*")},
            )
    yield "replay", next(study(found, Settings(startups=names), ONCE).files())


@pytest.fixture(scope="module")
def parquets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All Parquet files, by the command and their name."""
    folder = tmp_path_factory.mktemp("parquets")
    return {
        f"{command}/{name}": as_bytes(content, folder / name)
        for command, files in written()
        for name, content in files.items()
        if name.endswith(".parquet")
    }


def as_bytes(content: Content, file: pathlib.Path) -> bytes:
    """What a file holds, which may have to be written for it."""
    if isinstance(content, bytes):
        return content
    content(file)
    return file.read_bytes()


def said(content: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(pl.read_parquet_metadata(io.BytesIO(content))[KEY])
    return found


def test_every_column_that_is_written_is_defined_and_the_other_way_round(
    parquets: dict[str, bytes],
) -> None:
    for name, content in parquets.items():
        table = tables()[said(content)["table"]]
        has = set(pl.read_parquet_schema(io.BytesIO(content)))
        defined = {column.name for column in table.columns}
        assert has == defined, name


def test_every_table_of_files_is_written(parquets: dict[str, bytes]) -> None:
    found = {said(content)["table"] for content in parquets.values()}
    in_memory_only = ("runs", "summaries")
    not_built = [] if LIVE else ["live-rows", "live-pairs"]
    not_built += [] if COLLECTS else ["collected-rows"]
    assert found == {
        name for name in tables() if not name.endswith(in_memory_only) and name not in not_built
    }


def test_a_column_has_the_type_that_is_defined(parquets: dict[str, bytes]) -> None:
    names = {"integer": pl.Int64, "number": pl.Float64, "string": pl.String, "boolean": pl.Boolean}
    for name, content in parquets.items():
        kinds = {c.name: names[c.kind] for c in tables()[said(content)["table"]].columns}
        for column, dtype in pl.read_parquet_schema(io.BytesIO(content)).items():
            same = pl.Int64 if dtype.is_integer() else dtype
            assert same == kinds[column], f"{name}: {column}"


def test_a_column_without_a_meaning_for_null_has_none(parquets: dict[str, bytes]) -> None:
    for name, content in parquets.items():
        frame = pl.read_parquet(io.BytesIO(content))
        always = [c.name for c in tables()[said(content)["table"]].columns if c.null is None]
        held = frame.select(pl.col(set(always) & set(frame.columns)).null_count())
        assert not any(held.row(0)), f"{name}: {held}"


def test_summaries_have_the_columns_that_are_defined() -> None:
    from dataclasses import fields

    from flowstart.comparison.summary import Summary

    defined = [column.name for column in tables()["comparison-summaries"].columns]
    assert [field.name for field in fields(Summary)] == defined


def test_classes_of_a_replay_have_the_columns_that_are_defined() -> None:
    found = study(
        fs.read_capture(CAPTURES / "small.pcap"), Settings(startups=("slow-start",)), ONCE
    )
    defined = {column.name for column in tables()["replay-summaries"].columns}
    assert {*found.to_dict()["classes"][0]} == defined


def test_parquet_says_version_and_units(parquets: dict[str, bytes]) -> None:
    document = said(parquets["run/rows.parquet"])
    assert document["version"] == VERSION
    fct = document["columns"]["fct_s"]
    assert fct["unit"] == "seconds"
    assert fct["null"] == "the receiver did not get all of it"


def test_the_schema_of_rows_is_printed(cli: Callable[..., Any]) -> None:
    answer = cli("schema", "rows")
    assert answer.status == 0
    assert json.loads(answer.out) == schema()
    fct = schema()["$defs"]["flows"]["properties"]["fct_s"]
    assert fct["type"] == ["number", "null"]


def test_streamed_rows_say_what_their_columns_hold(tmp_path: pathlib.Path) -> None:
    fs.run({"path": PATH, "flows": [{"size": "3pkt"}]}, sink=tmp_path / "out")
    content = (tmp_path / "out" / "rows.parquet").read_bytes()
    assert said(content)["table"] == "flows"
