"""What the explorer answers: what `flowstart compare` prints, from one run of each start-up."""

import json
import pathlib
import shlex
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from explorer_server import GIVEN, Explorer, explorer, settings
from flowstart.explorer import scenario_file, state
from flowstart.model.path import named_paths

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
    reply = server.post("/api/compare", {"given": {**GIVEN, **given}})
    assert reply.status == 200, reply.content
    return reply.frame[0]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"flows": "4", "interval": "10ms", "buffer": "20pkt", "loss": "1%", "seed": 7},
        {"stack": "quic:iw=20", "avoidance": "cubic", "startup": ["all"]},
        {"stack": "linux", "iw": "20", "baseline": "jump-start", "size": "30pkt"},
        {"startup": ["limited-slow-start:max_ssthresh=50", "careful-resume"], "remembered": "2bdp"},
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
    words = shlex.split(found["command"])[1:]
    printed = cli(*words)
    assert printed.status == 0, printed.err
    lines = printed.out.splitlines()
    assert lines[0] == found["headline"]
    assert found["legend"] in printed.out
    assert lines[-1] == f"Again: {found['command']}"
    for row in found["table"]["rows"]:
        assert any(line.split()[: len(row[0].split())] == row[0].split() for line in lines), row
    document = json.loads(cli(*words, "--json").out)
    assert document["rows"] == found["rows"]


def test_the_table_has_the_cells_that_the_command_line_prints(server: Explorer, cli: Cli) -> None:
    found = compared(server)
    out = cli(*shlex.split(found["command"])[1:]).out
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
    out = cli(*shlex.split(command)[1:], "--intervals").out
    cells = [line.replace("◀", "").split() for line in out.splitlines()]
    for row in found["table"]["rows"]:
        assert " ".join(row).split() in cells
    assert found["legend"] in out
    assert all(line in out for line in found["verdict"])
    assert found["verdict"]


def test_the_scenario_file_says_the_same_of_the_first_start_up(
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
        state.plan({**path["given"], "size": "10kB"}, settings())


def test_a_start_up_in_python_is_run_where_the_command_line_names_it_and_nowhere_else(
    tmp_path: pathlib.Path,
) -> None:
    (tmp_path / "own.py").write_text(OWN)
    own = f"{tmp_path / 'own.py'}:Own"
    asked = {"given": {**GIVEN, "startup": ["slow-start", own]}}
    with explorer(settings(startup=f"slow-start,{own}")) as server:
        assert server.ask("/api/about").document["custom"] == [own]
        reply = server.post("/api/compare", asked)
        assert [row["variant"] for row in reply.frame[0]["rows"]] == ["slow-start", own]
    with explorer(settings()) as server:
        (tmp_path / "own.py").write_text("raise SystemExit")
        reply = server.post("/api/compare", asked)
        assert reply.status == 400
        assert "is Python code" in reply.error


def test_what_a_start_up_in_python_raises_is_said_with_its_hook(tmp_path: pathlib.Path) -> None:
    (tmp_path / "own.py").write_text(OWN.replace("w.segments(a.acked)", "1 / 0"))
    own = f"{tmp_path / 'own.py'}:Own"
    with explorer(settings(startup=own)) as server:
        reply = server.post("/api/compare", {"given": {**GIVEN, "startup": [own]}})
    assert reply.status == 422
    assert "ZeroDivisionError" in reply.error
    assert "on_ack" in reply.error
