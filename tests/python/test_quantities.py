"""Numbers of Python's as quantities of a scenario."""

import datetime
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import flowstart as fs
from flowstart import _native
from flowstart.model import quantities
from flowstart.model.quantities import Kind

MS = datetime.timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("part", "field", "number", "expected"),
    [
        (fs.Flow, "start", 0.064, "64ms"),
        (fs.Flow, "start", 64 * MS, "64ms"),
        (fs.Flow, "start", 2, "2s"),
        (fs.Flow, "start", 0, "0s"),
        (fs.Flow, "start", -0.0, "0s"),
        (fs.Flow, "start", 1e-9, "1ns"),
        (fs.Flow, "start", 0.0123456, "12345600ns"),
        (fs.Flow, "start", "64 ms", "64 ms"),
        (fs.Flow, "interface_rate", 5e6, "5Mbps"),
        (fs.Flow, "interface_rate", 1_544_000, "1544kbps"),
        (fs.Flow, "interface_rate", 9.7, "10bps"),
        (fs.Flow, "size", 1460, "1460B"),
        (fs.Flow, "size", 100e3, "100000B"),
        (fs.Flow, "delays", {50: 4 * MS, 51: "1ms"}, {50: "4ms", 51: "1ms"}),
        (fs.Endpoint, "mss", 1448, "1448B"),
        (fs.Endpoint, "iw", 10, 10),
    ],
)
def test_a_number_has_the_unit_of_its_field(
    part: Any, field: str, number: Any, expected: object
) -> None:
    assert getattr(part(**{field: number}), field) == expected


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            lambda: fs.Flow(start=-1),
            "start: `-1`: seconds from 0 on, a timedelta, or text with a unit, such as `64ms`",
        ),
        (lambda: fs.Flow(start=-MS), "start: `-1 day, .*`: seconds from 0 on, a timedelta"),
        (
            lambda: fs.NetworkPath(rate=float("nan"), rtt=0.1),
            "rate: `nan`: bits per second from 0 on, or text with a unit, such as `5Mbps`",
        ),
        (
            lambda: fs.Flow(size=0.5),  # type: ignore[arg-type]
            "size: `0.5`: a whole number of bytes, or text with a unit, such as `100kB`, is needed",
        ),
        (lambda: fs.NetworkPath(rate="5", rtt=0.1), "path.rate: `5` is not a rate with a unit"),
        (lambda: fs.NetworkPath(rate=5e6), "path.rtt: missing"),
        (
            lambda: fs.NetworkPath(rate=5e6, rtt=0.1, buffer=60),  # type: ignore[arg-type]
            "path.buffer: `60` is not a size with a unit",
        ),
    ],
)
def test_a_wrong_quantity_is_refused_when_a_part_is_made(
    asked: Callable[[], object], message: str
) -> None:
    with pytest.raises(fs.RequestError, match=f"^{message}"):
        asked()


def test_parameters_take_numbers_too() -> None:
    path = fs.NetworkPath(rate=5e6, rtt=64 * MS)
    found = fs.compare(
        path, startups=["slow-start"], sizes=[10_000], flows=2, stagger=0.1, uncertainty=False
    )
    assert found.plan.base["flows"][0]["stagger"] == "100ms"
    assert found.frame["size_bytes"].to_list() == [10_000, 10_000]
    assert found.plan.command is not None
    scenario = fs.Scenario(path=path, flows=[fs.Flow()], duration=0.5)
    assert scenario.to_dict()["duration"] == "500ms"


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


@pytest.mark.parametrize(
    ("text", "kind", "base"),
    [
        ("64ms", Kind.TIME, 64e6),
        (" 1.5 min ", Kind.TIME, 90e9),
        ("1e+3us", Kind.TIME, 1e6),
        ("384kbit/s", Kind.RATE, 384e3),
        ("1.5KiB", Kind.SIZE, 1536.0),
        ("60pkt", Kind.SIZE, 60.0),
        ("0.5bdp", Kind.SIZE, 0.5),
        ("2%", Kind.NUMBER, 0.02),
        (".25", Kind.NUMBER, 0.25),
    ],
)
def test_a_quantity_is_read_by_the_simulator(text: str, kind: Kind, base: float) -> None:
    found = quantities.read(text)
    assert found is not None
    assert (found.kind, found.base) == (kind, base)


@pytest.mark.parametrize("text", ["", "ms", "5parsecs", "-1s", "1e999s", "1s+2s", 5, None])
def test_what_is_no_quantity(text: object) -> None:
    assert quantities.read(text) is None
