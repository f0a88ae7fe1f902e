"""Descriptions of runs: the classes, the files, the simulator's checks behind both."""

import dataclasses
import os
import pathlib
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import flowstart as fs
from flowstart.model import scenario
from flowstart.model.document import Document
from flowstart.model.path import named_paths


@pytest.mark.parametrize(
    ("model", "definition"),
    [
        (fs.NetworkPath, "PathSpec"),
        (fs.spec.Hop, "HopSpec"),
        (fs.spec.RateStep, "RateStep"),
        (fs.spec.QuickStart, "QuickStartSpec"),
        (fs.Endpoint, "StackSpec"),
        (fs.Flow, "FlowSpec"),
        (fs.spec.Write, "WriteSpec"),
        (fs.WebTraffic, "WebSpec"),
    ],
)
def test_the_classes_have_the_simulators_fields(model: type, definition: str) -> None:
    schema = fs.json_schema()
    fields = [field.name for field in dataclasses.fields(model)]
    assert sorted(fields) == sorted(schema["$defs"][definition]["properties"])


def test_a_stack_is_a_name_or_its_fields() -> None:
    path, flows = fs.NetworkPath(rate="5Mbps", rtt="64ms"), [fs.Flow(size="1kB")]
    given: list[str | fs.Endpoint | Document] = [
        "ns2:iw=3",
        {"preset": "ns2", "iw": "3"},
        fs.Endpoint(preset="ns2", iw="3"),
    ]
    described = [fs.Scenario(path=path, flows=flows, stack=stack).to_dict() for stack in given]
    assert described[0]["stack"] == {"preset": "ns2", "iw": "3"}
    assert described[1:] == described[:1] * 2
    compared = [fs.compare(path, startups=["jump-start"], sizes=["1kB"], stack=s) for s in given]
    assert len({result.plan.command for result in compared}) == 1


def test_a_scenario_has_the_simulators_fields() -> None:
    fields = [field.name for field in dataclasses.fields(fs.Scenario)]
    assert sorted(fields) == sorted(fs.json_schema()["properties"])


def test_what_is_left_out_is_left_to_the_simulator() -> None:
    described = fs.Scenario(
        path=fs.NetworkPath(hops=[fs.spec.Hop(rate="1Mbps", delay="1ms")]),
        flows=[fs.Flow(size="1kB"), fs.Flow(writes=[fs.spec.Write(at="0s", size="1kB")])],
        stack="ns2:iw=3",
    )
    assert described.to_dict() == {
        "path": {"hops": [{"rate": "1Mbps", "delay": "1ms"}]},
        "flows": [{"size": "1kB"}, {"writes": [{"at": "0s", "size": "1kB"}]}],
        "stack": {"preset": "ns2", "iw": "3"},
    }


@pytest.mark.parametrize("queue", [a.name for a in fs.list_algorithms("queue")])
def test_every_queue_discipline_runs(queue: str) -> None:
    path = fs.NetworkPath(
        rate="5Mbps",
        rtt="64ms",
        queue=queue,
        reverse_queue=queue,
        router_pps=5000,
        ack_batch="2ms",
        ack_thinning=True,
    )
    described = fs.Scenario(path=path, flows=[fs.Flow(size="100kB", startup="jump-start")])
    assert fs.run(described).records[0]["complete"]


@pytest.mark.parametrize("name", named_paths())
def test_every_named_path_is_sound(name: str) -> None:
    described = fs.Scenario(path=fs.NetworkPath.named(name), flows=[fs.Flow(size="1kB")])
    assert fs.run(described).records[0]["complete"]


def test_an_unknown_path_names_the_nearest() -> None:
    with pytest.raises(fs.RequestError, match="did you mean `satellite`"):
        fs.NetworkPath.named("satelite")


def test_toml_and_json_say_the_same(tmp_path: pathlib.Path) -> None:
    toml, json = tmp_path / "a.toml", tmp_path / "a.json"
    toml.write_text('path = {rate = "5Mbps", rtt = "9ms"}\nflows = [{size = "1kB"}]\n')
    json.write_text('{"path": {"rate": "5Mbps", "rtt": "9ms"}, "flows": [{"size": "1kB"}]}')
    assert scenario.read(toml) == scenario.read(json)
    assert fs.run(toml).records == fs.run(str(json)).records


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a = 1\nb = [\n\nc = 2\n", r"bad.toml: .*line 4"),
        (b"\xff\xfe", "bad.toml: not a text file"),
        (b"[path]\nrate = 1979-05-27\n", "no field takes"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: pathlib.Path, content: bytes, message: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(content)
    with pytest.raises(fs.RequestError, match=message):
        fs.run(file)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"path": {"rate": "5Mbps", "rtt": "1ms"}, "flow": []}, "flow"),
        ({"path": {"rate": "5", "rtt": "1ms"}, "flows": [{"size": "1kB"}]}, r"path\.rate: `5`"),
        ({"path": {"rate": -5, "rtt": "1ms"}, "flows": [{"size": "1kB"}]}, r"path\.rate: `-5`"),
        ({"path": {"rate": "5Mbps", "rtt": "1ms"}, "flows": [{"sise": "1kB"}]}, r"flows\[0\]"),
    ],
)
def test_the_simulator_names_the_field(document: Document, message: str) -> None:
    with pytest.raises(fs.RequestError, match=message) as caught:
        fs.run(document)
    assert "\n" not in str(caught.value)
    assert "line 1 column" not in str(caught.value)


def test_a_value_that_no_field_takes_is_named(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_text('path = { rate = "5Mbps", rtt = nan }\nflows = [{ size = "1kB" }]\n')
    with pytest.raises(fs.RequestError, match=r"path\.rtt: `nan`"):
        fs.run(file)
    file.write_text('path = { rate = "5Mbps", rtt = "1ms" }\nflows = [{ size = 2020-01-01 }]\n')
    with pytest.raises(fs.RequestError, match=r"flows\[0\].size: `2020-01-01`"):
        fs.run(file)


def test_a_flow_opens_when_another_is_warm_and_the_run_ends_when_it_is_done() -> None:
    newcomer = fs.Flow(
        size="100kB", start_after={"flow": 0, "pause": "1s"}, available_rate="10Mbps"
    )
    result = fs.run(
        fs.Scenario(
            path=fs.NetworkPath(rate="20Mbps", rtt="40ms"),
            flows=[fs.Flow(), newcomer],
            duration="60s",
            end_after=fs.spec.AfterFlow(flow=1, pause="500ms"),
        )
    )
    warm, late = result.records
    assert late["opened_s"] == pytest.approx(warm["startup_exit_s"] + 1)
    assert result.about["simulated_s"] == pytest.approx(late["opened_s"] + late["duration_s"] + 0.5)
    assert result.startups["flow"].to_list() == [1]


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_a_pipe_that_nobody_writes_to_is_refused_and_not_waited_for(
    cli: Callable[..., Any], tmp_path: pathlib.Path, command: str
) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    words = ("-o", tmp_path / "out") if command == "sweep" else ()
    answer = cli(command, pipe, *words)
    assert answer.status == 2
    assert answer.err.endswith("pipe.toml: it is not a regular file\n")


@pytest.mark.parametrize("name", ["/dev/zero", "pipe"])
def test_a_trace_of_rates_is_a_regular_file(tmp_path: pathlib.Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    path = {"rate_trace": str(tmp_path / name), "rtt": "10ms"}
    with pytest.raises(fs.RequestError, match="is not a regular file"):
        fs.run({"path": path, "flows": [{"size": "10kB"}]})


def chain(*flows: dict[str, Any]) -> fs.Run:
    """A run over a fast, a slow and a medium link, each with its own buffer."""
    links = [("100Mbps", "8pkt"), ("10Mbps", "50pkt"), ("20Mbps", "30pkt")]
    hops = [{"rate": rate, "delay": "5ms", "buffer": buffer} for rate, buffer in links]
    alike = [{"startup": "slow-start", "size": "2MB"} | flow for flow in flows]
    return fs.run({"path": {"hops": hops}, "flows": alike}, trace=True)


def test_a_flow_has_the_queue_of_the_narrowest_link_that_it_passes() -> None:
    run = chain({"from_hop": 2, "to_hop": 2}, {"from_hop": 0, "to_hop": 0}, {})
    held = {row["name"]: row["max_queue_pkts"] for row in run.links.rows(named=True)}
    found = [row["max_queue_pkts"] for row in run.records]
    assert found == [held["forward-2"], held["forward-0"], held["forward-1"]]


def test_each_link_of_a_chain_has_its_samples_and_a_picture_the_flows_own() -> None:
    run = chain({"from_hop": 2, "to_hop": 2}, {"from_hop": 0, "to_hop": 1})
    samples = run.queue_samples
    assert samples is not None
    accepted = samples.filter(~pl.col("dropped"), pl.col("direction") == 0)
    most = dict(accepted.group_by("hop").agg(pl.col("packets").max()).rows())
    links = {row["name"]: row["max_queue_pkts"] for row in run.links.rows(named=True)}
    assert most == {hop: links[f"forward-{hop}"] for hop in range(3)}
    last, first = run.series()
    assert (last.queue_packets.max(), first.queue_packets.max()) == (most[2], most[1])


def test_a_run_over_a_chain_names_the_hops_of_each_flow() -> None:
    run = chain({"from_hop": 2, "to_hop": 2}, {})
    rows = [row[:3] for row in run.table.rows]
    assert [column.title for column in run.table.columns][:3] == ["flow", "startup", "hops"]
    assert [row[2] for row in rows] == ["2", "0–2"]
