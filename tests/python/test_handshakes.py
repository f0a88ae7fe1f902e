"""Handshakes that are made of packets, as Python and the pages have them."""

import pathlib
from collections.abc import Mapping
from typing import Any

import pytest

import flowstart as fs
import kernel_handshakes
from flowstart.cli import main
from flowstart.model.stack import parse

ROOT = pathlib.Path(__file__).parents[2]
QUIC: dict[str, Any] = {"preset": "quic", "mss": "1167B", "flight": "classic"}
"""QUIC in datagrams of 1200 bytes."""
COLUMNS: tuple[dict[str, Any], ...] = (
    {"preset": "linux", "handshake": "tcp+tls13", "flight": "classic"},
    QUIC,
    QUIC | {"flight": "post-quantum"},
    QUIC | {"token": True},
)
"""The stacks of the page's table."""


def scenario(stack: Mapping[str, Any]) -> dict[str, Any]:
    """A response of 10 kB on the page's path."""
    path = {"rate": "100Mbps", "rtt": "100ms"}
    return {"path": path, "stack": dict(stack), "flows": [{"size": "10kB"}]}


def run(stack: Mapping[str, Any]) -> fs.Run:
    """Its run."""
    return fs.run(scenario(stack))


def page_rows() -> list[list[str]]:
    """The rows of the table of flights on the page: a flight, and a time for each stack."""
    page = (ROOT / "docs/guides/handshakes.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith("| ") and " kB |" in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_a_run_has_a_row_for_each_handshake_of_packets() -> None:
    stack = {"handshake": "tcp+tls13", "flight": "chain", "server_flight": "15kB"}
    result = run(stack)
    row = result.handshakes.row(0, named=True)
    assert 0.3 < row["handshake_s"] < row["first_byte_s"] < result.frame["fct_s"][0]
    assert row["handshake_packets"] == 14
    assert result.to_dict()["handshakes"] == [row]


def test_a_counted_handshake_has_no_row() -> None:
    result = run({})
    assert result.handshakes.is_empty()
    assert "handshakes" not in result.to_dict()


@pytest.mark.parametrize(("flight", "noted"), [("3kB", False), ("15kB", True), ("44kB", True)])
def test_a_flight_that_is_counted_as_a_round_trip_is_noted(flight: str, noted: bool) -> None:
    stack = {"handshake": "tcp+tls13", "server_flight": flight}
    result = fs.compare(scenario(stack), startups=["slow-start"])
    found = any("stack.flight sends it as packets" in line for line in result.warnings)
    assert found == noted


def test_notes_are_those_of_all_variants() -> None:
    variants = [fs.Variant("large", stack={"server_flight": "20kB"})]
    found = fs.compare(
        scenario({"handshake": "tcp+tls13"}), startups=["slow-start"], variants=variants
    )
    assert any("stack.server_flight `20kB` does not fit" in line for line in found.warnings)


def test_variants_whose_connections_different_ends_open_are_refused() -> None:
    variants = [fs.Variant("packets", stack={"flight": "chain"})]
    with pytest.raises(fs.RequestError, match=r"`packets` has stack\.flight.*`slow-start`"):
        fs.compare(scenario({"preset": "quic"}), startups=["slow-start"], variants=variants)


def test_a_field_of_a_variant_is_refused_under_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    path = ["--rate", "10Mbps", "--rtt", "40ms"]
    assert main(["compare", *path, "--variant", "f: server_flight=0B"]) == 2
    assert capsys.readouterr().err.startswith("flowstart: variant `f`: stack.server_flight: `0B`")


def test_a_summary_has_the_times_of_a_handshake() -> None:
    sentence = "Handshake: server's messages after 100 ms, response from 201 ms on (median)."
    assert sentence in run(QUIC).summary().answer
    titles = [column.title for column in run(QUIC).tables[1].columns]
    assert titles[1:4] == ["server's messages", "complete", "first byte"]


def test_the_page_has_the_times_of_these_runs() -> None:
    rows = page_rows()
    assert len(rows) == 5
    for flight, *times in rows:
        for fields, time in zip(COLUMNS, times, strict=True):
            stack = fields | {"server_flight": flight.replace(" ", "")}
            took = run(stack).frame["fct_s"][0]
            assert f"{1e3 * took:.0f} ms" == time, (flight, fields)


def test_handshakes_agree_with_the_kernel_except_where_its_syn_ack_was_repeated_twice() -> None:
    cases = list(kernel_handshakes.cases())
    assert len(cases) == 108
    differing = [(case.rate, case.rtt, case.flight, case.lost) for case in cases if not case.agrees]
    assert differing == [("100", "100", 3000, "synack")]


def test_the_page_has_the_agreement_with_the_kernel() -> None:
    page = (ROOT / "docs/guides/kernel.md").read_text("utf-8")
    assert f"\n{kernel_handshakes.table()}\n" in page


def question_rows() -> list[list[str]]:
    """The rows of the table of questions: thread, question, stack, lost packets, answer."""
    page = (ROOT / "docs/concepts/questions.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith("|") and " | `" in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def answer_of(stack: str, lost: str) -> str:
    """The beginning of an answer: when handshake or response are complete, or a rate."""
    has_host = "host=" in stack
    path = {"rate": "10Gbps", "rtt": "1ms"} if has_host else {"rate": "100Mbps", "rtt": "100ms"}
    flow: dict[str, Any] = {"size": "50MB" if has_host else "10kB", "startup": "slow-start"}
    if lost != "–":
        flow["handshake_drops"] = lost.split()
    fields = parse(stack)
    result = fs.run({"path": path | {"buffer": "10000pkt"}, "stack": fields, "flows": [flow]})
    fct_s = result.frame["fct_s"][0]
    if has_host:
        return f"{50 * 8 / fct_s:.0f} Mbit/s"
    if "request=1B" in stack:
        return f"complete after {1e3 * result.handshakes['handshake_complete_s'][0]:.0f} ms"
    return f"{1e3 * fct_s:.0f} ms"


def test_the_page_of_questions_has_the_results_of_its_runs() -> None:
    rows = question_rows()
    assert len(rows) == 12
    for _, question, stack, lost, answer in rows:
        assert answer.startswith(answer_of(stack.strip("`"), lost)), question
