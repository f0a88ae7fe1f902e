"""Connections of a capture replayed as conversations."""

import dataclasses
import itertools
import json
import pathlib
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from flowstart import captures
from flowstart.captures.contents import Capture
from flowstart.errors import RequestError
from flowstart.model.document import encode
from flowstart.replays import traffic
from flowstart.replays.paths import build
from flowstart.replays.runner import Job, jobs, rows
from flowstart.replays.settings import PARTS, Settings
from flowstart.replays.traffic import Conversation, conversations
from flowstart.simulation.batch import run_many

Cli = Callable[..., Any]
CAPTURES = pathlib.Path(__file__).parent.parent / "data" / "captures"
BOTH = Settings(("slow-start",), direction="both")


@pytest.fixture(scope="module")
def web_mix() -> Capture:
    return captures.read_capture(CAPTURES / "web-mix.pcap.gz")


def together(capture: Capture, settings: Settings) -> list[Job]:
    return list(jobs(build(capture, settings, {}), settings))


def simulated(planned: list[Job], settings: Settings) -> pl.DataFrame:
    batch = run_many([encode(job.scenario) for job in planned], None, None, settings.custom)
    return rows(planned, batch)


def talks(capture: Capture) -> list[Conversation]:
    whole = traffic.Traffic.of(capture, BOTH, {})
    sections = whole.by_network().values()
    parts = (part for section in sections for part in section.traffic.chunks())
    return [talk for part in parts for talk in conversations(part)]


def test_every_transfer_is_a_write_of_one_of_its_connections_two_flows(
    web_mix: Capture,
) -> None:
    found = simulated(together(web_mix, BOTH), BOTH)
    assert sorted(found["transfer"]) == list(range(web_mix.transfers.height))
    assert (
        found.group_by("network", "run", "flow")
        .agg(pl.col("connection").n_unique())["connection"]
        .to_list()
        == [1] * found.select("network", "run", "flow").n_unique()
    )
    assert found["complete"].all()
    assert (found["bytes_delivered"] == found["size_bytes"]).all()


def test_a_reply_follows_its_request_and_the_next_request_the_reply(
    web_mix: Capture,
) -> None:
    found = simulated(together(web_mix, BOTH), BOTH)
    times = {row["transfer"]: row for row in found.rows(named=True)}
    checked = 0
    for talk in talks(web_mix):
        for turn in talk.turns:
            if turn.cause:
                before = times[talk.turns[turn.cause.turn].transfer]
                least = before["delivered_s"] + turn.cause.pause_s
                assert times[turn.transfer]["available_s"] >= least - 2e-6
                checked += 1
    assert checked > 400


def test_pauses_are_those_of_the_programs(web_mix: Capture) -> None:
    """The servers of this capture answer at once, and some of its clients think for seconds."""
    pauses: dict[bool, list[float]] = {True: [], False: []}
    for talk in talks(web_mix):
        for turn in talk.turns:
            if turn.cause:
                pauses[turn.from_client].append(turn.cause.pause_s)
    servers = sorted(pauses[False])
    assert servers[len(servers) // 2] < 0.001
    assert max(pauses[True]) > 1.0


def test_a_connection_waits_for_the_reply_before_it_within_a_second(
    web_mix: Capture,
) -> None:
    waiting = [talk.page for talk in talks(web_mix) if talk.page]
    assert waiting
    assert all(0.0 <= page.pause_s <= traffic.PAGE_GAP_S for page in waiting)


def flows(planned: list[Job]) -> list[dict[str, Any]]:
    return [flow for job in planned for flow in job.scenario["flows"]]


def afters(planned: list[Job]) -> list[dict[str, Any]]:
    writes = (write for flow in flows(planned) for write in flow["writes"])
    return [write["after"] for write in writes if "after" in write]


@pytest.mark.parametrize(
    ("part", "holds"),
    [
        ("turns", lambda planned: not afters(planned)),
        ("pauses", lambda planned: {after["pause"] for after in afters(planned)} == {"0s"}),
        ("warm", lambda planned: all(len(flow["writes"]) == 1 for flow in flows(planned))),
        ("handshake", lambda planned: not any(flow["handshake"] for flow in flows(planned))),
        ("windows", lambda planned: not any("window" in flow["stack"] for flow in flows(planned))),
        ("page", lambda planned: not any("after" in f["writes"][0] for f in openings(planned))),
    ],
)
def test_each_part_of_the_capture_can_be_left_out(
    web_mix: Capture, part: str, holds: Callable[[list[Job]], bool]
) -> None:
    without = dataclasses.replace(BOTH, ignore=frozenset({part}))
    assert holds(together(web_mix, without))
    assert not holds(together(web_mix, BOTH))
    assert simulated(together(web_mix, without), without)["complete"].all()


def openings(planned: list[Job]) -> list[dict[str, Any]]:
    """The flows that open a connection."""
    return [flow for flow in flows(planned) if flow["handshake"]]


def test_every_part_has_a_test() -> None:
    [mark] = test_each_part_of_the_capture_can_be_left_out.pytestmark  # type: ignore[attr-defined]
    assert {case[0] for case in mark.args[1]} == PARTS.keys()


@pytest.mark.parametrize(("direction", "ways"), [("server", {"s2c"}), ("client", {"c2s"})])
def test_only_one_sides_data_is_under_test(
    web_mix: Capture, direction: Any, ways: set[str]
) -> None:
    settings = Settings(("jump-start",), direction=direction)
    planned = together(web_mix, settings)
    found = simulated(planned, settings)
    assert set(found.filter("tested")["capture_direction"]) == ways
    others = {flow["startup"] for flow in flows(planned)} - {"jump-start"}
    assert others == {"hystart"}


def test_rows_say_who_opened_the_connection(web_mix: Capture) -> None:
    found = simulated(together(web_mix, BOTH), BOTH)
    seen = dict(web_mix.connections.select("stream", "handshake").rows())
    openers = dict(found.select("connection", "opener").rows())
    assert {openers[n] for n in openers if seen[n] == "complete"} == {"remote"}
    assert {openers[n] for n in openers if seen[n] == "not seen"} == {None}


def test_small_receive_windows_stay_and_others_grow_as_far_as_they_did(
    web_mix: Capture,
) -> None:
    small = web_mix.connections.filter(pl.col("s2c_widest_window") < 20_000)
    numbers = set(small["stream"])
    assert numbers
    planned = together(web_mix, BOTH)
    for job in planned:
        labels = job.labels
        for flow, number, up in zip(
            labels.flow, labels.connection, labels.from_client, strict=True
        ):
            if number in numbers and not up:
                widest = small.filter(pl.col("stream") == number)["s2c_widest_window"][0]
                assert job.scenario["flows"][flow]["stack"]["window"] == f"{widest}B"


def test_a_connection_is_open_from_its_syn_on(web_mix: Capture) -> None:
    opened = dict(
        traffic.Traffic.of(web_mix, BOTH, {}).connections.select("connection", "open_s").rows()
    )
    begin = web_mix.transfers["start"].to_list()[0]
    whole = web_mix.connections.filter(pl.col("handshake") == "complete")
    starts = dict(whole.select("stream", "start").rows())
    late = [n for n in opened if n in starts and opened[n] != pytest.approx(starts[n] - begin)]
    assert late == []


def test_parts_are_cut_where_no_connection_is_open(
    web_mix: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traffic, "LEAST_TRANSFERS", 20)
    whole = traffic.Traffic.of(web_mix, BOTH, {})
    cut = 0
    for section in whole.by_network().values():
        parts = list(section.traffic.chunks())
        cut += len(parts) - 1
        for part, behind in itertools.pairwise(parts):
            last = max(part.connections["close_s"].to_list())
            assert last + traffic.PAGE_GAP_S < min(behind.connections["open_s"].to_list())
        assert sum(p.transfers.height for p in parts) == section.traffic.transfers.height
    assert cut > 0


def test_jobs_are_made_as_they_are_asked_for(
    web_mix: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def noted(part: traffic.Traffic) -> list[Conversation]:
        asked.append(part)
        return conversations(part)

    monkeypatch.setattr("flowstart.replays.runner.conversations", noted)
    planned = jobs(build(web_mix, BOTH, {}), BOTH)
    assert asked == []
    next(planned)
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--ignore", "warmth"), "`warmth` is not a part of a replay; did you mean `warm`?"),
        (("--ignore", ""), "--ignore ``: empty"),
        (
            ("--direction", "up"),
            "direction: `up` is not a side of a connection; give one of server",
        ),
    ],
)
def test_what_is_no_part_or_side_is_refused(cli: Cli, words: tuple[str, ...], message: str) -> None:
    answer = cli("replay", CAPTURES / "small.pcap", *words)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1


def test_what_is_left_out_is_said(cli: Cli) -> None:
    words = ("--startup", "slow-start", "--ignore", "warm,page")
    out = cli("replay", CAPTURES / "small.pcap", *words).out
    assert "not replayed: page (a connection opens once" in out
    assert "not replayed: warm (a connection keeps its window" in out
    assert " --ignore warm,page" in out


def test_settings_refuse_what_is_no_part() -> None:
    with pytest.raises(RequestError, match="ignore: `pause` is not a part of a replay"):
        Settings(ignore=frozenset({"pause"}))


def test_a_client_also_waits_for_its_request_to_arrive_and_for_the_server() -> None:
    connections = pl.DataFrame({"connection": [0], "least_rtt_s": [0.1], "server_rtt_s": [0.02]})
    transfers = pl.DataFrame(
        {
            "transfer": [0, 1, 2, 3],
            "connection": [0, 0, 0, 0],
            "from_client": [False, True, False, True],
            "start_s": [0.0, 1.0, 1.25, 2.0],
            "end_s": [0.5, 1.1, 1.5, 2.1],
        }
    )
    found = dict(traffic.Traffic(connections, transfers).requested().iter_rows())
    # Half a round trip; the second response began 150 ms after its request had passed the
    # monitor, 20 ms of which are the way to the server and back.
    assert found == pytest.approx({0: 0.05, 1: 0.0, 2: 0.05 + 0.13, 3: 0.0})


def test_rows_have_the_time_from_request_to_last_byte(cli: Cli) -> None:
    words = ("--startup", "hystart", "--rtt", "80ms", "--no-uncertainty", "--json", "--full-json")
    document = json.loads(cli("replay", CAPTURES / "small.pcap", *words).out)
    for row in document["rows"]:
        assert row["request_to_last_byte_s"] >= row["fct_s"] + 0.04
