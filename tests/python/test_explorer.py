"""What the explorer answers: what `flowstart compare` prints, from one run of each startup."""

import json
import pathlib
import re
import shlex
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from explorer_server import GIVEN, Explorer, explorer, settings
from flowstart import _native
from flowstart.explorer.path import plan_of
from flowstart.model.path import named_paths
from flowstart_papers.explorer import scenario_file

Cli = Callable[..., Any]
OWN = """
import flowstart as fs

class Own(fs.Startup):
    def on_ack(self, w, a):
        w.cwnd += w.segments(a.acked)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Explorer]:
    with explorer(settings()) as running:
        yield running


def compared(server: Explorer, **given: Any) -> Any:
    return traced(server, given)[0]


def traced(server: Explorer, given: dict[str, Any], **window: Any) -> tuple[Any, bytes]:
    reply = server.post("/api/compare", {"given": {**GIVEN, **given}, **window})
    assert reply.status == 200, reply.content
    return reply.frame


def points(line: dict[str, int], tail: bytes) -> tuple[list[int], list[float]]:
    """A line as the page unpacks it."""
    count = line["count"]
    assert line["values"] % 4 == 0, "Float32Array begins at multiples of four"
    bins = struct.unpack_from(f"<{count}H", tail, line["bins"])
    return list(bins), list(struct.unpack_from(f"<{count}f", tail, line["values"]))


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"flows": "4", "stagger": "10ms", "buffer": "20pkt", "loss": "1%", "seed": 7},
        {"stack": "quic:iw=20", "cc": "cubic", "startup": ["all"]},
        {"stack": "linux", "iw": "20", "baseline": "jump-start", "size": "30pkt"},
        {
            "startup": ["limited-slow-start:max_ssthresh=50", "careful-resume"],
            "cached_cwnd": "2bdp",
        },
        {"cc": "reno", "flows": 2, "stagger": "10ms"},
        {"queue": "codel", "reverse-rate": "1Mbps", "reverse_buffer": "10pkt"},
        {"rate": None, "rate-steps": "20Mbps:1s,5Mbps:1s", "rtt": "30ms"},
        {"startup": ["quick-start"], "quick-start": "target:threshold=90%"},
        *({"rate": "", "rtt": "", "path": name} for name in named_paths()),
    ],
)
def test_the_printed_command_prints_the_table_the_headline_and_the_legend_of_the_page(
    server: Explorer, cli: Cli, given: dict[str, Any]
) -> None:
    found = compared(server, **given)
    words = [*shlex.split(found["command"])[1:], "--no-uncertainty"]
    printed = cli(*words, "--details")
    assert printed.status == 0, printed.err
    lines = printed.out.splitlines()
    assert lines[0] == found["headline"]
    assert " ".join(found["legend"].split()) in " ".join(printed.out.split())
    assert lines[-1] == f"Reproduce: {found['command']} --no-uncertainty"
    for row in found["table"]["rows"]:
        assert any(line.split()[: len(row[0].split())] == row[0].split() for line in lines), row
    document = json.loads(cli(*words, "--json").out)
    assert document["rows"] == found["rows"]


def test_the_table_has_the_cells_that_the_command_line_prints(server: Explorer, cli: Cli) -> None:
    found = compared(server)
    out = cli(*shlex.split(found["command"])[1:], "--no-uncertainty", "--details").out
    cells = [line.replace("◀", "").split() for line in out.splitlines()]
    for row in found["table"]["rows"]:
        assert " ".join(row).split() in cells
    assert found["table"]["groups"] == {"0": "100 kB"}
    marked = [found["table"]["rows"][row][0] for row in found["table"]["marked"]]
    assert marked == [line.split()[0] for line in out.splitlines() if line.rstrip().endswith("◀")]


def test_intervals_are_those_of_the_command_line(server: Explorer, cli: Cli) -> None:
    given = {**GIVEN, "size": "20kB"}
    reply = server.post("/api/intervals", {"given": given})
    assert reply.status == 200
    found = reply.document
    command = compared(server, size="20kB")["command"]
    out = cli(*shlex.split(command)[1:], "--details").out
    cells = [line.replace("◀", "").split() for line in out.splitlines()]
    for row in found["table"]["rows"]:
        assert " ".join(row).split() in cells
    words = " ".join(out.split())
    for line in (found["legend"], *found["verdict"]):
        assert " ".join(line.split()) in words
    assert found["verdict"]


def test_the_scenario_file_says_the_same_of_the_first_startup(
    server: Explorer, cli: Cli, tmp_path: pathlib.Path
) -> None:
    found = compared(server, stack="linux:iw=20", flows=2, buffer="30pkt")
    file = tmp_path / "scenario.toml"
    file.write_text(found["scenario"])
    ran = json.loads(cli("run", file, "--json").out)
    mine = [row for row in found["rows"] if row["variant"] == "slow-start"]
    assert [row["fct_s"] for row in ran["rows"]] == [row["fct_s"] for row in mine]


@pytest.mark.parametrize(
    "document",
    [
        {"seed": 1, "path": {"rate_steps": [{"rate": "1Mbps", "lasts": "1s"}], "hosts": 2}},
        {
            "path": {"rate": "1Mbps", "quick_start": {"admission": "target"}},
            "flows": [{}, {"a": 1}],
        },
        {"name": 'a "quoted" \\ name\n\x7f', "trace": True, "empty": []},
    ],
)
def test_a_scenario_file_is_read_as_what_was_written(document: dict[str, Any]) -> None:
    import tomllib

    assert tomllib.loads(scenario_file.written(document)) == document


def test_about_has_all_that_a_state_may_say(server: Explorer) -> None:
    found = server.ask("/api/about").document
    assert {"slow-start", "hystart", "gauge"} <= {one["name"] for one in found["startups"]}
    assert {field["flag"] for field in found["fields"]} >= {"rate", "reverse-rate", "flows", "iw"}
    reply = server.post("/api/compare", {"given": found["first"]})
    assert reply.status == 200
    for path in found["paths"]:
        plan_of({**path["given"], "size": "10kB"}, settings())


def test_a_startup_in_python_is_run_where_the_command_line_names_it_and_nowhere_else(
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "own.py").write_text(OWN)
    own = f"{tmp_path / 'own.py'}:Own"
    asked = {"given": {**GIVEN, "startup": ["slow-start", own]}}
    with explorer(settings(startups=["slow-start", str(own)])) as server:
        assert server.ask("/api/about").document["custom"] == [own]
        reply = server.post("/api/compare", asked)
        assert [row["variant"] for row in reply.frame[0]["rows"]] == ["slow-start", own]
    with explorer(settings()) as server:
        (tmp_path / "own.py").write_text("raise SystemExit")
        reply = server.post("/api/compare", asked)
        assert reply.status == 400
        assert "is Python code" in reply.error


def test_what_a_startup_in_python_raises_is_said_with_its_hook(tmp_path: pathlib.Path) -> None:
    (tmp_path / "own.py").write_text(OWN.replace("w.segments(a.acked)", "1 / 0"))
    own = f"{tmp_path / 'own.py'}:Own"
    with explorer(settings(startups=[str(own)])) as server:
        reply = server.post("/api/compare", {"given": {**GIVEN, "startup": [own]}})
    assert reply.status == 422
    assert "ZeroDivisionError" in reply.error
    assert "on_ack" in reply.error


def test_lines_go_from_the_opening_to_the_last_acknowledgement(server: Explorer) -> None:
    head, tail = traced(server, {"buffer": "20pkt", "size": "300kB"}, columns=200)
    rows = {row["variant"]: row for row in head["rows"]}
    order = [row[0] for row in head["table"]["rows"]]
    assert [one["startup"] for one in head["trajectories"]] == order
    for one in head["trajectories"]:
        row = rows[one["startup"]]
        assert one["bdp_pkts"] == row["bdp_pkts"]
        assert one["done_s"] == pytest.approx(row["opened_s"] + row["fct_s"])
        assert one["end_s"] == pytest.approx(row["opened_s"] + row["duration_s"])
        bins, acked = points(one["lines"]["acked"], tail)
        assert acked[-1] == 300_000
        assert bins == sorted(bins)
        assert bins[-1] < 200
        assert bins[-1] == pytest.approx((one["end_s"] - head["from_s"]) / head["bin_s"], abs=1)
        _, queue = points(one["lines"]["queue"], tail)
        assert max(queue) == row["max_queue_pkts"]
        assert one["events"]["drop"]["total"] == row["packets_dropped"]
        assert one["events"]["retransmit"]["total"] == row["packets_retransmitted"]
        assert one["events"]["timeout"]["total"] == row["timeouts"]
    assert rows["jump-start"]["packets_dropped"], "else there is little to see"


def test_startups_are_answered_by_their_names_however_they_were_asked_for(
    server: Explorer,
) -> None:
    path = {"rate": "5Mbps", "rtt": "64ms", "size": "10kB"}
    reply = server.post("/api/compare", {"given": path})
    assert {"slow-start", "jump-start"} <= set(reply.frame[0]["startups"])
    assert compared(server, startup=["hystart,jump-start"])["startups"] == ["hystart", "jump-start"]
    every = [one["name"] for one in server.ask("/api/about").document["startups"]]
    assert compared(server, startup=["all"])["startups"] == every


def test_an_exit_is_where_the_row_has_it_counted_from_the_first_opening(server: Explorer) -> None:
    given = {"flows": 2, "stagger": "30ms", "size": "1MB", "startup": ["slow-start"]}
    head = compared(server, **given)
    first, second = head["trajectories"]
    assert [one["flow"] for one in (first, second)] == [0, 1]
    row = head["rows"][1]
    assert row["opened_s"] == 0.03
    assert second["exit"] == {
        "at_s": pytest.approx(0.03 + row["startup_exit_s"]),
        "cwnd_segments": row["startup_exit_cwnd_segments"],
        "reason": row["startup_exit_reason"],
    }
    assert compared(server, size="1pkt")["trajectories"][0]["exit"] is None


def test_a_part_of_the_time_has_the_whole_table(server: Explorer) -> None:
    given = {"seed": 5, "loss": "2%"}
    whole = compared(server, **given)
    head, tail = traced(server, given, from_s=0.05, to_s=0.1, columns=100)
    assert head["from_s"] == 0.05
    assert head["bin_s"] == pytest.approx(0.05 / 100)
    same = ("headline", "command", "scenario", "table", "legend", "rows")
    assert {name: head[name] for name in same} == {name: whole[name] for name in same}
    bins, sent = points(head["trajectories"][0]["lines"]["sent"], tail)
    assert bins
    assert max(bins) < 100
    assert 0 < sent[-1] < 100_000


def test_a_part_of_the_time_that_is_asked_for_first_has_the_whole_table_too(
    server: Explorer,
) -> None:
    given = {"seed": 6, "loss": "2%"}
    part, _ = traced(server, given, from_s=0.05, to_s=0.1)
    assert part["rows"] == compared(server, **given)["rows"]
    assert all(row["complete"] for row in part["rows"])


@pytest.mark.parametrize(
    ("startups", "flows", "drawn"), [(2, 4, 8), (2, 9, 8), (5, 4, 10), (13, 4, 13), (32, 1, 32)]
)
def test_lines_are_of_as_many_flows_as_can_be_told_apart(
    server: Explorer, startups: int, flows: int, drawn: int
) -> None:
    names = [one["name"] for one in server.ask("/api/about").document["startups"]][:startups]
    found = compared(server, startup=names, flows=flows, size="20kB")
    assert len(found["trajectories"]) == drawn
    drawn_flows = {(one["startup"], one["flow"]) for one in found["trajectories"]}
    assert {(row["variant"], row["flow"]) for row in found["rows"]} == drawn_flows


@pytest.mark.parametrize(
    "given",
    [
        {"size": "10MB", "loss": "1%"},
        {"size": "10MB", "flows": 4},
        {"size": "2MB", "startup": ["all"]},
        {"size": "100kB", "startup": ["all"], "flows": 64},
    ],
)
def test_an_answer_has_at_most_150_kb(server: Explorer, given: dict[str, Any]) -> None:
    first = server.ask("/api/about").document["first"]
    reply = server.post("/api/compare", {"given": {**first, **given}, "columns": 1000})
    assert reply.status == 200
    assert len(reply.content) <= 150_000


def test_single_packets_are_those_of_the_startup_with_their_losses(server: Explorer) -> None:
    given = {**GIVEN, "buffer": "20pkt", "size": "300kB"}
    asked = {"given": given, "startup": "jump-start", "most": 1000}
    reply = server.post("/api/packets", asked)
    assert reply.status == 200, reply.content
    found = reply.document
    row = next(r for r in compared(server, **given)["rows"] if r["variant"] == "jump-start")
    assert found["rtt_s"] == 0.04
    assert found["cut"] is False
    kinds = found["kind"]
    assert {len(column) for column in found.values() if isinstance(column, list)} == {len(kinds)}
    assert kinds.count("data") + kinds.count("again") == row["packets_sent"]
    assert kinds.count("again") == row["packets_retransmitted"]
    assert sum(time is not None for time in found["dropped_s"]) == row["packets_dropped"] > 0
    few = server.post("/api/packets", {**asked, "most": 10}).document
    assert few["cut"] is True
    assert len(few["kind"]) == 10


def test_what_is_answered_has_the_fields_that_the_page_reads(server: Explorer) -> None:
    head = compared(server)
    one = head["trajectories"][0]
    asked = {"given": GIVEN, "startup": "slow-start"}
    about = server.ask("/api/about").document
    documents = {
        "About": about,
        "Algorithm": about["startups"][0],
        "Parameter": next(a["params"][0] for a in about["startups"] if a["params"]),
        "Field": about["fields"][0],
        "CompareAnswer": head,
        "Grid": head["table"],
        "Trajectory": one,
        "Exit": compared(server, startup=["jump-start"])["trajectories"][0]["exit"],
        "Line": one["lines"]["cwnd"],
        "Points": one["events"]["drop"],
        "IntervalsAnswer": server.post("/api/intervals", {"given": GIVEN}).document,
        "PacketsAnswer": server.post("/api/packets", asked).document,
    }
    protocol = (pathlib.Path(__file__).parents[2] / "web/src/protocol.ts").read_text()
    for name, document in documents.items():
        assert fields(protocol, name) == set(document), name
    assert inner(protocol, "Trajectory", "lines") == set(one["lines"])
    assert inner(protocol, "Trajectory", "events") == set(one["events"])


def test_the_line_of_limits_has_the_reason_of_the_largest_share(server: Explorer) -> None:
    head, tail = traced(server, {"stack": "quinn:window=40kB", "startup": ["slow-start"]})
    bins, reasons = points(head["trajectories"][0]["lines"]["limit"], tail)
    ends = [*bins[1:], head["trajectories"][0]["end_s"] / head["bin_s"]]
    held = dict.fromkeys(_native.LIMITS, 0.0)
    for begin, end, reason in zip(bins, ends, reasons, strict=True):
        held[_native.LIMITS[int(reason)]] += end - begin
    assert max(held, key=held.__getitem__) == head["rows"][0]["limited_by"]


def test_the_page_names_the_reasons_of_limits_in_their_order() -> None:
    source = (pathlib.Path(__file__).parents[2] / "web/src/charts/limits.ts").read_text()
    assert tuple(re.findall(r'{ name: "([\w-]+)"', source)) == tuple(_native.LIMITS)


def fields(protocol: str, name: str) -> set[str]:
    """The fields of an interface in TypeScript, those of what it extends among them."""
    found = re.search(rf"interface {name}( extends (\w+))? {{\n(.*?)^}}", protocol, re.M | re.S)
    assert found, name
    own = set(re.findall(r"^  (\w+)\??:", found[3], re.M))
    return own | (fields(protocol, found[2]) if found[2] else set())


def inner(protocol: str, name: str, field: str) -> set[str]:
    """The fields of an object within an interface."""
    found = re.search(rf"interface {name} {{.*?^  {field}: {{(.*?)}};", protocol, re.M | re.S)
    assert found, name
    return set(re.findall(r"(\w+): ", found[1]))
