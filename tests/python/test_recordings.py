"""qlog and pcap of a run's flows."""

import json
import pathlib
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs

TSHARK = shutil.which("tshark")


def scenario(stack: str, **flow: object) -> dict[str, object]:
    """A flow that loses packets."""
    return {
        "path": {"rate": "20Mbps", "rtt": "40ms", "buffer": "40pkt"},
        "stack": {"preset": stack},
        "flows": [{"size": "2MB"} | flow],
    }


def records(qlog: bytes) -> list[dict[str, Any]]:
    head, *found = qlog.decode().split("\x1e")
    assert head == ""
    return [json.loads(record) for record in found]


def counted(file: pathlib.Path, *shown: str) -> list[int]:
    """How many packets of a file `tshark` counts for each filter."""
    checks = [f"{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp")]
    words = [word for check in checks for word in ("-o", check)]
    answer = subprocess.run(
        [str(TSHARK), "-r", str(file), *words, "-q", "-z", ",".join(["io,stat,0", *shown])],
        check=True,
        capture_output=True,
        text=True,
    )
    (row,) = [line for line in answer.stdout.splitlines() if "<>" in line]
    frames = row.split("|")[2::2]  # bytes are between
    return [int(count) for count in frames if count.strip()]


def test_a_recorded_flow_is_the_same_as_one_that_is_run_again() -> None:
    recorded = fs.run(scenario("linux"), packets=[0])
    again = fs.run(scenario("linux"))
    assert recorded.qlog(0) == again.qlog(0)
    assert recorded.pcap(0, side="receiver") == again.pcap(0, side="receiver")
    assert recorded.records == again.records


def test_a_qlog_names_what_it_shows() -> None:
    head, *events = records(fs.run(scenario("linux", startup="hystart")).qlog())
    assert head["title"] == "flow 0: hystart, cubic, stack linux, TCP shown as qlog"
    assert head["trace"]["common_fields"]["protocol_type"] == ["TCP"]
    times = [event["time"] for event in events]
    assert times == sorted(times)
    assert "TCP" not in records(fs.run(scenario("quic")).qlog())[0]["title"]


@pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")
@pytest.mark.parametrize("stack", ["linux", "rfc", "ns2"])
def test_tshark_finds_the_retransmissions_and_nothing_wrong(
    stack: str, tmp_path: pathlib.Path
) -> None:
    run = fs.run(scenario(stack), packets=[0])
    file = tmp_path / "flow-0.pcap"
    file.write_bytes(run.pcap(0))
    (row,) = run.records
    repeated, data, sacks, *wrong = counted(
        file,
        "tcp.analysis.retransmission || tcp.analysis.out_of_order",
        "tcp.len > 0",
        "tcp.options.sack_le",
        "_ws.malformed || tcp.checksum.status == 0 || ip.checksum.status == 0",
        "tcp.analysis.ack_lost_segment || tcp.analysis.lost_segment",
        "tcp.analysis.window_full || tcp.analysis.zero_window",
    )
    assert repeated == row["packets_retransmitted"] > 0
    assert data == row["packets_sent"]
    assert sacks > 0
    assert wrong == [0, 0, 0]


@pytest.mark.skipif(TSHARK is None, reason="tshark is not installed")
def test_tshark_finds_datagrams_of_the_right_sizes(tmp_path: pathlib.Path) -> None:
    run = fs.run(scenario("quic"), packets=[0])
    file = tmp_path / "flow-0.pcap"
    file.write_bytes(run.pcap(0))
    full, wrong = counted(
        file,
        "ip.src == 192.0.2.1 && udp.length == 1480",
        "_ws.malformed || udp.checksum.status == 0",
    )
    assert full >= run.records[0]["packets_sent"] - 5
    assert wrong == 0


@pytest.mark.parametrize("stack", ["linux", "rfc", "ns2"])
def test_the_capture_reader_finds_bytes_and_round_trip(stack: str, tmp_path: pathlib.Path) -> None:
    run = fs.run(scenario(stack), packets=[0])
    file = tmp_path / "flow-0.pcap"
    file.write_bytes(run.pcap(0))
    (connection,) = fs.read_capture(file).connections.to_dicts()
    (row,) = run.records
    # ns-2 sends whole segments.
    assert connection["c2s_seen_bytes"] == (1370 * 1460 if stack == "ns2" else 2_000_000)
    assert connection["rtt_s"] == pytest.approx(row["min_rtt_s"], abs=1e-6)
    repeated = connection["c2s_retransmissions"] + connection["c2s_out_of_order"]
    assert repeated == row["packets_retransmitted"]


def test_the_command_writes_a_file_for_each_flow_and_side(
    cli: Callable[..., Any], tmp_path: pathlib.Path
) -> None:
    file, out = tmp_path / "scenario.json", tmp_path / "out"
    file.write_text(json.dumps(scenario("rfc", size="30kB", count=2)))
    answer = cli("run", file, "--qlog", "0,1", "--pcap", "1,1:receiver", "-o", out)
    assert (answer.status, answer.err) == (0, "")
    names = {found.name for found in out.iterdir()}
    assert names >= {"flow-0.sqlog", "flow-1.sqlog", "flow-1.pcap", "flow-1-receiver.pcap"}
    assert "flow-0.pcap" not in names


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--qlog", "x"], "--qlog 'x': flows are named by their number, such as 0 or 0,3"),
        (["--qlog", "-1"], "--qlog '-1': flows are named by their number, such as 0 or 0,3"),
        (["--pcap", "0:there"], "--pcap '0:there': the host behind a flow's number is sender or"),
        (["--pcap", "0,7"], "flow 7: the run has one flow, number 0"),
        (
            ["--parquet-only", "--qlog", "0"],
            "--parquet-only: contradicts --qlog; give one",
        ),
    ],
)
def test_flows_that_are_not_there_are_refused_and_nothing_is_written(
    cli: Callable[..., Any], tmp_path: pathlib.Path, words: list[str], problem: str
) -> None:
    file, out = tmp_path / "scenario.json", tmp_path / "out"
    file.write_text(json.dumps(scenario("rfc", size="30kB")))
    answer = cli("run", file, *words, "-o", out)
    assert answer.status == 2
    assert problem in answer.err
    assert not out.exists()


def test_files_need_a_folder(cli: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario("rfc", size="30kB")))
    answer = cli("run", file, "--pcap", "0")
    assert answer.status == 2
    assert "--pcap: it is kept in a folder; give it one with -o DIR" in answer.err


@pytest.mark.parametrize("flow", [1, -1])
def test_a_flow_that_is_not_there_is_refused(flow: int) -> None:
    with pytest.raises(fs.RequestError, match=f"flow {flow}: the run has one flow, number 0"):
        fs.run(scenario("rfc", size="30kB")).qlog(flow)


def test_a_side_that_is_not_there_is_refused() -> None:
    with pytest.raises(fs.RequestError, match='side "middle": there are sender'):
        fs.run(scenario("rfc", size="30kB")).pcap(0, side="middle")  # type: ignore[arg-type]


def test_a_trace_has_round_trips_and_rates_where_there_are_any() -> None:
    frame = fs.run(scenario("linux", cc="bbr", startup="bbr-startup"), trace=True)
    samples = frame.flow_samples
    assert samples is not None
    acks = samples.filter(samples["event"] == 2)
    assert 0.04 <= acks["srtt_s"].drop_nulls().median() <= 0.2  # type: ignore[operator]
    assert acks["delivery_bps"].drop_nulls().max() == pytest.approx(20e6, rel=0.1)
    assert acks["pacing_bps"].drop_nulls().len() > 0
    plain = fs.run(scenario("rfc"), trace=True).flow_samples
    assert plain is not None
    assert plain["pacing_bps"].null_count() == plain["delivery_bps"].null_count() == plain.height
