"""Options that would change nothing are refused; those that change something are taken."""

import pathlib
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart.model.catalog import list_algorithms

Cli = Callable[..., Any]
COMPARE = ("compare", "--rate", "10Mbps", "--rtt", "50ms", "--size", "10kB")
ASKING = """
import flowstart as fs

class Asking(fs.Startup):
    def {hook}:
        return None

    def on_ack(self, w, a):
        w.cwnd += w.segments(a.acked)
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--stagger 1s", "--stagger: `1s` changes nothing: one flow has no other to wait for"),
        ("--hosts 3", "--hosts: `3` changes nothing: a flow uses one pair of hosts"),
        ("--hosts 3 --flows 2", "give as many flows as hosts, or more"),
        ("--cached-cwnd 3pkt", "no startup here uses a memory; add one that does, such as careful"),
        ("--quick-start none", "--quick-start: `none` changes nothing: no startup here uses"),
        ("--quick-start rfc --startup xcp", "add quick-start"),
    ],
)
def test_an_option_that_changes_nothing_is_refused(cli: Cli, words: str, message: str) -> None:
    answer = cli(*COMPARE, *words.split())
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert message in answer.err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stagger": "1s"}, "stagger: `1s` changes nothing: one flow has no other to wait for"),
        ({"cached_cwnd": "3pkt"}, "cached_cwnd: `3pkt` changes nothing: no startup here uses"),
    ],
)
def test_python_refuses_what_the_command_line_refuses(
    path: fs.NetworkPath, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(fs.RequestError, match=f"^{message}"):
        fs.compare(path, sizes=["10kB"], **given)


@pytest.mark.parametrize(
    "words",
    [
        "--stagger 1s --flows 2",
        "--hosts 1",
        "--hosts 2 --flows 3 --access-rate 1Gbps",
        "--cached-cwnd 3pkt --startup slow-start,careful-resume:preferred=10",
        "--cached-cwnd 3pkt --startup slow-start --stack rfc:sharing=temporal",
        "--cached-cwnd 3pkt --startup jump-start --stack quic:handshake=0-rtt",
        "--quick-start none --startup slow-start,quick-start",
    ],
)
def test_an_option_that_changes_something_is_taken(cli: Cli, words: str) -> None:
    assert "changes nothing" not in cli(*COMPARE, *words.split()).err


@pytest.mark.parametrize(
    ("hook", "words"),
    [
        ("on_known(self, k)", "--cached-cwnd 3pkt"),
        ("rate_request(self, s)", "--quick-start none"),
    ],
)
def test_a_startup_of_ones_own_may_use_a_memory_or_ask_routers(
    cli: Cli, tmp_path: pathlib.Path, hook: str, words: str
) -> None:
    file = tmp_path / "asking.py"
    file.write_text(ASKING.format(hook=hook))
    assert cli(*COMPARE, "--startup", f"{file}:Asking", *words.split()).status == 0
    file = tmp_path / "silent.py"
    file.write_text(ASKING.format(hook="more(self)"))
    assert cli(*COMPARE, "--startup", f"{file}:Asking", *words.split()).status == 2


def times(startups: list[str], **given: Any) -> dict[str, float]:
    path = fs.NetworkPath(rate="20Mbps", rtt="60ms", quick_start=given.pop("quick_start", None))
    rows = fs.compare(path, startups=startups, sizes=["300kB"], **given).records
    return {row["startup"]: row["fct_s"] for row in rows}


EVERYBODY = [a.name for a in list_algorithms("startup")]


def test_nobody_else_in_the_catalog_uses_a_memory() -> None:
    little, much = (times(EVERYBODY, cached_cwnd=window) for window in ("3pkt", "1bdp"))
    users = {a.name for a in list_algorithms("startup") if "cache" in a.needs}
    assert {name for name in EVERYBODY if little[name] != much[name]} == users


def test_nobody_else_in_the_catalog_asks_routers() -> None:
    none, some = (
        times(EVERYBODY, quick_start={"admission": admission}) for admission in ("none", "rfc")
    )
    assert {name for name in EVERYBODY if none[name] != some[name]} == {"quick-start"}


@pytest.mark.parametrize("value", ["temporal", "ensemble"])
def test_a_stack_that_shares_what_is_known_uses_a_memory_itself(value: str) -> None:
    little, much = (
        times(["slow-start"], cached_cwnd=window, stack={"sharing": value})
        for window in ("3pkt", "1bdp")
    )
    assert little != much


def test_a_stack_whose_data_comes_with_the_syn_spreads_it_over_the_remembered_round_trip() -> None:
    early = {"handshake": "0-rtt"}
    flow = {"startup": "jump-start", "size": "300kB"}
    path = {"rate": "20Mbps", "rtt": "60ms"}
    without, known = (
        fs.run({"path": path, "stack": early, "flows": [flow | memory]}).records[0]["fct_s"]
        for memory in ({}, {"cached_cwnd": "1bdp"})
    )
    assert without != known


def test_a_trace_without_a_folder_is_refused(cli: Cli, tmp_path: pathlib.Path) -> None:
    scenario = tmp_path / "one.toml"
    scenario.write_text('path = {rate="10Mbps", rtt="50ms"}\nflows = [{size="10kB"}]\n')
    answer = cli("run", scenario, "--trace")
    assert (answer.status, answer.out) == (2, "")
    assert "--trace: a trace is kept in a folder; give it one with -o DIR" in answer.err
    assert cli("run", scenario, "--trace", "-o", tmp_path / "out").status == 0
