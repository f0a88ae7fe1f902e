"""Startups in a real QUIC stack beside the simulator: the frame, the command, what is refused."""

import json
import os
import pathlib
import signal
import threading
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import flowstart as fs
from cautious_start import CautiousStart
from flowstart import _native
from flowstart.comparison.live import result as live_result
from flowstart.comparison.live import tables
from flowstart.comparison.live.plan import LivePlan
from flowstart.comparison.live.rows import difference
from flowstart.questions.live import Live
from flowstart.render import columns

pytestmark = pytest.mark.skipif(
    "noq" not in _native.BUILT_LIVE_STACKS, reason="the build has no noq: make live"
)
Cli = Callable[..., Any]
PATH = ("--rate", "20Mbps", "--rtt", "60ms", "--size", "100kB")
STARTUPS = ["jump-start", "fast-start", "quick-start"]


@pytest.fixture(scope="module")
def result() -> fs.LiveComparison:
    path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
    return fs.compare(path, startups=STARTUPS, sizes=["20kB", "100kB"], on="noq")


def test_every_transfer_has_a_row_in_the_simulator_and_one_in_the_stack(
    result: fs.LiveComparison,
) -> None:
    found = result.frame.select("startup", "size", "transport").rows()
    assert found == [
        (startup, size, transport)
        for size in ("20kB", "100kB")
        for startup in STARTUPS
        for transport in ("simulated", "noq")
    ]
    assert result.frame.columns == [c.name for c in columns.tables()["live-rows"].columns]
    assert result.pairs.columns == [c.name for c in columns.tables()["live-pairs"].columns]


def test_what_the_simulator_says_is_what_a_comparison_says(result: fs.LiveComparison) -> None:
    path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
    stack = result.simulated.plan.base["stack"]["preset"]
    alone = fs.compare(path, startups=STARTUPS, sizes=["20kB", "100kB"], stack=stack)
    names = ["fct_s", "startup_exit_cwnd_segments", "packets_sent"]
    mine = result.frame.filter(pl.col("transport") == "simulated")
    assert mine.select(names).rows() == alone.frame.select(names).rows()


def test_a_startup_that_sends_all_at_once_takes_as_long_in_both(result: fs.LiveComparison) -> None:
    for pair in result.paired:
        if pair["size"] == "100kB" and not pair["refused"]:
            assert abs(pair["fct_difference"]) < 0.01
            assert pair["live_packets_dropped"] == 0


def test_what_a_stack_cannot_do_is_marked_and_the_others_go_on(result: fs.LiveComparison) -> None:
    refused = result.frame.filter(pl.col("refused").is_not_null())
    assert refused["startup"].unique().to_list() == ["quick-start"]
    assert refused["fct_s"].null_count() == len(refused)
    assert "noq cannot run quick-start: it needs routers that take part" in result.legend
    assert [row[2] for row in result.table.rows if row[0].startswith("quick-start")] == [
        "cannot"
    ] * 2


def test_the_same_request_gives_the_same_rows(result: fs.LiveComparison) -> None:
    again = fs.compare(
        fs.NetworkPath(rate="20Mbps", rtt="60ms"),
        startups=STARTUPS,
        sizes=["20kB", "100kB"],
        on="noq",
    )
    assert again.records == result.records
    assert again.qlog("jump-start") == result.qlog("jump-start")


def test_losses_of_a_seed_are_dropped_in_both_and_seeds_are_told_apart() -> None:
    path = fs.NetworkPath(rate="20Mbps", rtt="60ms", loss="2%")
    found = fs.compare(path, startups=["hystart"], sizes=["300kB"], repeat=3, on="noq")
    assert found.pairs["seed"].to_list() == [1, 2, 3]
    assert found.pairs["live_packets_dropped"].sum() > 0
    assert [column.title for column in found.table.columns][1] == "seed"


def test_seeds_that_cannot_differ_are_run_once() -> None:
    found = fs.compare(
        fs.NetworkPath(rate="20Mbps", rtt="60ms"),
        startups=["hystart"],
        sizes=["20kB"],
        repeat=3,
        on="noq",
    )
    assert found.pairs["seed"].to_list() == [1]


def test_a_variant_may_name_startup_and_cc() -> None:
    path = fs.NetworkPath(rate="20Mbps", rtt="60ms")
    found = fs.compare(path, variants=["mine: startup=hystart cc=cubic"], sizes=["20kB"], on="noq")
    assert found.frame["variant"].to_list() == ["mine", "mine"]
    assert found.frame["cc"].to_list() == ["cubic", "cubic"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"on": "rfc"}, "stack: `rfc`: a live run is in one of noq, quinn, s2n, quiche, linux"),
        ({"on": "linux:iw=20"}, "stack: `iw=20`: linux has its own; of a live run ecn, pacing"),
        (
            {"on": "linux", "clock": "virtual"},
            "clock: `virtual`: the kernel has no time but the real one",
        ),
        ({"on": "linux", "kernel": ["vegas"]}, "kernel: `vegas`: the kernel's own are cubic"),
        ({"kernel": ["cubic"]}, "kernel: noq has no kernel; stack linux has one"),
        ({"on": "noq:iw=20"}, "stack: `iw=20`: noq has its own; of a live run ecn can be set"),
        ({"clock": "wall"}, "clock: `wall`: a live run is in one of virtual, real"),
        ({"startups": ["hystrat"]}, "did you mean `hystart`"),
        ({"variants": ["a: iw=30"]}, "variant `a`: sets `iw` of the stack, and noq has its own"),
    ],
)
def test_what_no_live_run_can_be_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(fs.RequestError) as refused:
        question = Live(fs.NetworkPath(rate="20Mbps", rtt="60ms"), **{"on": "noq", **asked})
        LivePlan.of(question).refusals()
    assert message in str(refused.value)


@pytest.mark.real_time
def test_in_real_time_each_repeat_is_run_and_the_relay_says_how_late_it_was() -> None:
    path = fs.NetworkPath(rate="50Mbps", rtt="10ms")
    found = fs.compare(path, startups=["hystart"], sizes=["20kB"], clock="real", repeat=2, on="noq")
    assert found.pairs["seed"].to_list() == [1, 2]
    assert found.pairs["simulated_fct_s"].n_unique() == 1
    assert found.lateness is not None
    assert found.lateness["median_s"] <= found.lateness["most_s"]
    assert found.verdict.startswith("Relay late by ")
    assert "it was simulated once" in found.legend
    assert found.headline.endswith("next to noq, in real time")
    assert b"noq in real time" in found.qlog("hystart")
    assert "--clock real" in str(found.plan.command)
    assert found.plot(size="20kB").axes


def test_marks_are_refused_in_real_time(cli: Cli) -> None:
    answer = cli("live", *PATH, "--stack", "noq:ecn=classic", "--clock", "real")
    assert answer.status == 2
    assert "nothing marks what passes through sockets" in answer.err


def test_a_startup_in_python_is_refused() -> None:
    with pytest.raises(fs.RequestError, match="`CautiousStart`: is written in Python"):
        fs.compare(
            fs.NetworkPath(rate="20Mbps", rtt="60ms"),
            startups=[CautiousStart],
            sizes=["20kB"],
            on="noq",
        )


def test_ctrl_c_keeps_what_is_finished() -> None:
    path = fs.NetworkPath(rate="1Gbps", rtt="20ms")

    def press(done: int, total: int) -> None:
        if done > total // 2 and not pressed:
            pressed.append(True)
            threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

    pressed: list[bool] = []
    found = fs.compare(
        path, startups=["jump-start"], sizes=["10kB", "100MB"], progress=press, on="noq"
    )
    assert found.interrupted
    assert found.pairs["size"].to_list() == ["10kB"]


def test_the_command_shows_both_and_ends_with_how_far_they_agree(cli: Cli) -> None:
    answer = cli("live", *PATH, "--startup", "jump-start,quick-start", "--details")
    assert (answer.status, answer.err) == (0, "")
    first, *_, again, last = answer.out.strip().splitlines()
    assert first.startswith("20Mbps, 60ms")
    assert first.endswith("next to noq, in virtual time")
    row = next(line for line in answer.out.splitlines() if line.strip().startswith("jump-start"))
    assert row.count("all-sent") == 1
    assert row.count(" %") == 1
    assert again.startswith(
        "Reproduce: flowstart live --rate 20Mbps --rtt 60ms --stack noq --startup"
    )
    assert last.startswith("Difference of FCT: median 0.")
    assert last.endswith("1 of 1 rows within 1 %; exit cwnd within 5 % in 1 of 1.")


def test_json_is_one_document(cli: Cli) -> None:
    answer = cli("live", *PATH, "--startup", "jump-start", "--json")
    document = json.loads(answer.out)
    assert document["stack"] == "noq"
    assert [row["transport"] for row in document["rows"]] == ["simulated", "noq"]
    assert document["agreement"]["pairs"] == 1


def test_a_folder_holds_tables_pictures_and_the_senders_qlog(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    folder = tmp_path / "live"
    answer = cli("live", *PATH, "--startup", "jump-start,quick-start", "-o", str(folder))
    assert answer.status == 0
    names = {file.name for file in folder.iterdir()}
    assert names == {
        *("rows.csv", "rows.parquet", "pairs.csv", "pairs.parquet", "result.json"),
        *("window-100kB.svg", "window-100kB.png", "report.html", "manifest.json"),
        *("jump-start-100kB-simulated.sqlog", "jump-start-100kB-noq.sqlog"),
    }
    page = (folder / "report.html").read_text()
    assert "noq cannot run quick-start" in page
    assert "Again" in page


def test_the_qlog_of_a_live_run_tells_its_window_and_its_datagrams(
    result: fs.LiveComparison,
) -> None:
    events = [json.loads(text) for text in result.qlog("jump-start").decode().split("\x1e")[1:]]
    assert events[0]["title"] == "jump-start, reno, stack noq"
    names = {event["name"] for event in events[1:]}
    assert names >= {
        "recovery:metrics_updated",
        "recovery:congestion_state_updated",
        "transport:datagrams_sent",
        "transport:datagrams_received",
    }
    times = [event["time"] for event in events[1:]]
    assert times == sorted(times)
    left = next(e["data"] for e in events[1:] if "startup_exit_reason" in e.get("data", {}))
    (exit_,) = (row for row in result.records if _is(row, "noq", "jump-start", "100kB"))
    window = 1439 * exit_["startup_exit_cwnd_segments"]
    assert left["startup_exit_cwnd"] == pytest.approx(window, abs=1)


def _is(row: dict[str, Any], *place: str) -> bool:
    return (row["transport"], row["startup"], row["size"]) == place


def test_large_transfers_get_no_qlog_files(
    result: fs.LiveComparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_result, "LARGEST_QLOG_BYTES", 50_000)
    assert all("20kB" in name for name in result._qlogs())


@pytest.mark.parametrize(
    "command", ["live --stack rfc", "live --clock wall", "live --kernel x", "live --flows 2"]
)
def test_nonsense_is_refused_in_one_line(cli: Cli, command: str) -> None:
    answer = cli(*command.split(), *PATH)
    assert (answer.status, answer.out) == (2, "")
    option = command.split()[1]
    assert answer.err.startswith(f"flowstart: {option}: ")
    assert answer.err.count("\n") == 1


def test_differences_without_both_values_are_none_and_do_not_count() -> None:
    assert difference(2.0, 1.0) == -0.5
    assert difference(None, 1.0) is None
    assert difference(1.0, None) is None
    pair: dict[str, Any] = {"fct_difference": None, "startup_exit_cwnd_difference": None}
    assert tables.said(tables.agreement([pair])) == "No transfer was completed by both."
    near = pair | {"fct_difference": -0.01, "startup_exit_cwnd_difference": 0.06}
    assert tables.said(tables.agreement([near, pair])) == (
        "Difference of FCT: median 1.00 %, 1 of 1 rows within 1 %; exit cwnd within 5 % in 0 of 1."
    )


@pytest.mark.parametrize(
    ("on", "message"),
    [
        ("rfc", "on: `rfc`: a live run is in one of noq, quinn, s2n, quiche, linux"),
        ("noq:iw=20", "on: `iw=20`: noq has its own; of a live run ecn can be set"),
    ],
)
def test_an_invalid_stack_of_a_comparison_is_reported_as_on(on: str, message: str) -> None:
    with pytest.raises(fs.RequestError) as refused:
        fs.compare(fs.NetworkPath(rate="20Mbps", rtt="60ms"), on=on)
    assert str(refused.value) == message
