"""Numbers of Python's as quantities of a scenario."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import flowstart as fs
from flowstart import _native
from flowstart.model import quantities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (fs.seconds(0.064), "64ms"),
        (fs.seconds(2), "2s"),
        (fs.seconds(0), "0s"),
        (fs.seconds(-0.0), "0s"),
        (fs.seconds(1e-9), "1ns"),
        (fs.seconds(0.0123456), "12345600ns"),
        (fs.seconds(0.0123456, 6), "12346us"),
        (fs.bps(5e6), "5Mbps"),
        (fs.bps(1_544_000), "1544kbps"),
        (fs.bps(9.7), "10bps"),
        (fs.packets(60.0), "60pkt"),
        (fs.octets(1460), "1460B"),
        (fs.bdp(0.5), "0.5bdp"),
        (fs.bdp(1e-7), "0.0000001bdp"),
    ],
)
def test_a_number_becomes_text_with_a_unit(text: str, expected: str) -> None:
    assert text == expected


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda: fs.seconds(-1), r"seconds\(-1\): a number from 0 on is needed"),
        (lambda: fs.bps(float("nan")), r"bps\(nan\): a number from 0 on is needed"),
        (lambda: fs.bdp("1"), r"bdp\('1'\): a number from 0 on is needed"),  # type: ignore[arg-type]
        (lambda: fs.packets(0.5), r"packets\(0.5\): a whole number is needed"),
        (lambda: fs.octets(True), r"octets\(True\): a number from 0 on is needed"),
    ],
)
def test_what_is_no_such_number_is_refused(asked: object, message: str) -> None:
    assert callable(asked)
    with pytest.raises(fs.RequestError, match=message):
        asked()


@given(st.integers(1, 10**14))
def test_a_rate_is_read_as_it_was_meant(rate: int) -> None:
    assert _native.rate_bps(quantities.bps(rate)) == rate


@given(st.integers(0, 600 * 10**9))
def test_a_time_is_read_as_it_was_meant(nanoseconds: int) -> None:
    path = {"rate": "1Mbps", "rtt": quantities.seconds(nanoseconds / 1e9)}
    resolved = json.loads(_native.resolve(json.dumps({"path": path, "flows": [{"size": "1B"}]})))
    again = {"rate": "1Mbps", "rtt": f"{nanoseconds}ns"}
    expected = json.loads(_native.resolve(json.dumps({"path": again, "flows": [{"size": "1B"}]})))
    assert resolved["path"]["rtt"] == expected["path"]["rtt"]
