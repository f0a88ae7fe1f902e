"""Handshakes that are made of packets, as Python and the command line have them."""

import pytest

import flowstart as fs

PATH = fs.NetworkPath(rate="100Mbps", rtt="100ms")


def test_a_run_has_a_row_for_each_handshake_of_packets() -> None:
    stack = fs.Endpoint("linux", handshake="tcp+tls13", flight="chain", server_flight="15kB")
    result = fs.run(PATH, stack=stack, size="10kB")
    row = result.handshakes.row(0, named=True)
    assert 0.3 < row["handshake_s"] < row["first_byte_s"] < result.frame["fct_s"][0]
    assert row["handshake_packets"] == 14
    assert result.to_dict()["handshakes"] == [row]


def test_a_counted_handshake_has_none() -> None:
    result = fs.run(PATH, size="10kB")
    assert result.handshakes.is_empty()
    assert "handshakes" not in result.to_dict()


@pytest.mark.parametrize(
    ("flight", "noted"), [("3kB", False), ("15kB", True), ("44kB", True)]
)
def test_a_flight_that_is_counted_as_a_round_trip_is_noted(flight: str, noted: bool) -> None:
    stack = fs.Endpoint("linux", handshake="tcp+tls13", server_flight=flight)
    result = fs.compare(PATH, stack=stack, size="10kB", startups=["slow-start"])
    found = any("stack.flight sends it as packets" in line for line in result.warnings)
    assert found == noted
