"""The band of a figure that shows what limits each flow."""

from itertools import pairwise

import pytest

import flowstart as fs
from flowstart.simulation import limit_band
from flowstart.simulation.series import Series

PATH = {"rate": "100Mbps", "rtt": "100ms"}
COLUMNS = 400


def traced(stack: str) -> tuple[fs.Run, Series]:
    run = fs.run({"path": PATH, "stack": {"preset": stack}, "flows": [{"size": "10MB"}]})
    (found,) = run.traced().series()
    return run, found


@pytest.mark.parametrize("stack", ["linux", "quinn"])
def test_spans_cover_the_flow_and_agree_with_its_shares(stack: str) -> None:
    run, series = traced(stack)
    spans = limit_band.spans(series, COLUMNS)
    lasted = series.end_s - spans[0][0]
    assert spans[-1][1] == series.end_s
    assert all(end == begin for (_, end, _), (begin, _, _) in pairwise(spans))
    row = run.limits.row(0, named=True)
    for limit in ("cwnd", "handshake", "link"):
        shown = sum(end - begin for begin, end, reason in spans if reason == limit)
        assert shown / lasted == pytest.approx(row[f"{limit}_share"], abs=0.06)


def test_every_reason_has_a_look_and_no_two_have_the_same() -> None:
    from flowstart import _native

    assert list(limit_band.LOOKS) == _native.LIMITS
    looks = {(look["facecolor"], look["hatch"]) for look in limit_band.LOOKS.values()}
    assert len(looks) == len(_native.LIMITS)
