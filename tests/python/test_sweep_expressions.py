"""Expressions in place of values in a sweep."""

import pytest

from flowstart.errors import RequestError
from flowstart.model.quantities import Kind
from flowstart.sweeps.language import expressions
from flowstart.sweeps.language.expressions import MSS, PACKET, Expression, Meaning, parse

NAMES = {
    "rate": Meaning(Kind.RATE),
    "rtt": Meaning(Kind.TIME),
    "buffer": Meaning(Kind.SIZE, in_packets=True),
    "size": Meaning(Kind.SIZE),
    "loss": Meaning(Kind.NUMBER),
    "queue": Meaning(None),
}
SCOPE = {
    "rate": 100e6,
    "rtt": 80e6,
    "buffer": 60 * 1500.0,
    "size": 1e6,
    "loss": 0.01,
    PACKET: 1500.0,
    MSS: 1448.0,
}
BDP = 1e6  # bytes


def read(text: str) -> Expression:
    return parse(text, ("path", "buffer"), NAMES)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("5Mbps", Kind.RATE, 5e6),
        ("1.5 Gbit/s", Kind.RATE, 1.5e9),
        ("64ms", Kind.TIME, 64e6),
        ("2µs", Kind.TIME, 2e3),
        ("1.5MiB", Kind.SIZE, 1.5 * 2**20),
        ("120kB", Kind.SIZE, 120e3),
        ("10pkt", Kind.SIZE, 15e3),
        ("0.5bdp", Kind.SIZE, BDP / 2),
        ("1%", Kind.NUMBER, 0.01),
        ("1e-3", Kind.NUMBER, 1e-3),
        ("rate/10", Kind.RATE, 10e6),
        ("2*rtt", Kind.TIME, 160e6),
        ("max(10pkt, 0.5bdp)", Kind.SIZE, BDP / 2),
        ("min(10pkt, 0.5bdp, 1kB)", Kind.SIZE, 1e3),
        ("rate*rtt", Kind.SIZE, BDP),
        ("rtt * rate", Kind.SIZE, BDP),
        ("size/rate", Kind.TIME, 80e6),
        ("size/rtt", Kind.RATE, 100e6),
        ("100kB/rtt", Kind.RATE, 10e6),
        ("size/bdp", Kind.NUMBER, 1.0),
        ("(1 + 2) * 3 - 4 / 2", Kind.NUMBER, 7.0),
        ("rtt - 2*10ms", Kind.TIME, 60e6),
        ("-1 * -2", Kind.NUMBER, 2.0),
        ("loss * 50%", Kind.NUMBER, 0.005),
        ("buffer/2", Kind.SIZE, 45e3),
    ],
)
def test_an_expression_has_a_dimension_and_a_value(text: str, kind: Kind, value: float) -> None:
    found = read(text)
    assert found.kind == kind
    assert found.at(SCOPE) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("max(10pkt, rtt)", "`max` needs two of a kind, not a size and a time"),
        ("rate + 1", "`+` needs two of a kind, not a rate and a number"),
        ("rate*rate", "a rate cannot be multiplied with a rate"),
        ("1/rtt", "a number cannot be divided by a time"),
        ("max(10pkt", "a `)` is missing"),
        ("max 10pkt", "a `(` is missing"),
        ("bdp/", "something is missing at the end"),
        ("*2", "something is missing before `*`"),
        ("bdp 2", "`2` follows a complete expression"),
        ("bdp $ 2", "`$` has no meaning here"),
        ("1+0.5bpd", "`bpd` is not a unit"),
        ("1ms+2rtt", "`rtt` is not a unit; write `2*rtt`"),
        ("2*rttt", "there is no `rttt` in this cell; did you mean `rtt`?"),
        ("queue*2", "`queue` is not a quantity"),
        ("(" * 30 + "1" + ")" * 30, "more than 20 parentheses within each other"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(text: str, problem: str) -> None:
    with pytest.raises(RequestError) as complaint:
        read(text)
    assert str(complaint.value) == f"path.buffer: `{text}`: {problem}"


def test_an_expression_has_no_thousands_of_parts() -> None:
    with pytest.raises(RequestError) as complaint:
        read("+".join(["1ms"] * 5000))
    problem = "more than 200 numbers, names and signs"
    assert str(complaint.value) == f"path.buffer: `{'1ms+' * 10}...`: {problem}"
    assert read("+".join(["1kB"] * 100)).at({}) == 100_000


def test_a_bdp_needs_a_rate_and_a_round_trip() -> None:
    with pytest.raises(RequestError, match="the path has no `rate`, so its BDP is not known"):
        parse("max(10pkt, 1bdp)", ("path", "buffer"), {"rtt": NAMES["rtt"]})


def test_an_expression_knows_what_it_depends_on() -> None:
    assert read("max(10pkt, 0.5bdp) + size").names == {"rate", "rtt", "size"}
    assert read("10pkt").names == frozenset()


def test_sizes_of_packets_and_bdps_are_told_from_those_of_bytes() -> None:
    assert read("max(10pkt, size)").in_packets
    assert read("buffer/2").in_packets
    assert not read("2*size + 64kB").in_packets
    assert not read("bdp/rate").in_packets


def test_packets_of_a_size_carry_payload_alone() -> None:
    assert parse("10pkt", ("flow", "size"), NAMES, MSS).at(SCOPE) == 14480


def test_a_division_by_zero_is_infinite() -> None:
    assert expressions.written(Kind.RATE, read("rate/(1-1)").at(SCOPE)) == "inf"


@pytest.mark.parametrize(
    ("kind", "value", "written"),
    [
        (Kind.RATE, 12.35e6, "12.35Mbps"),
        (Kind.RATE, 1e9, "1Gbps"),
        (Kind.RATE, 999, "999bps"),
        (Kind.TIME, 84.21e6, "84.21ms"),
        (Kind.TIME, 0, "0s"),
        (Kind.TIME, 750, "750ns"),
        (Kind.SIZE, 1234567, "1.234567MB"),
        (Kind.NUMBER, 0.0001865, "0.0001865"),
        (Kind.NUMBER, 3.0, "3"),
    ],
)
def test_quantities_are_written_short_and_exactly(kind: Kind, value: float, written: str) -> None:
    assert expressions.written(kind, value) == written
